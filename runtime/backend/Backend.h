//===- Backend.h - The devices of one vendor --------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface to a driver: everything that touches one is behind it. A
// backend carries out calls in their order on each stream; the planner and the
// executor decide.
//
// Functions return CUDA's error codes, cudaSuccess when all went well, and are
// thread-safe unless they say otherwise. Device numbers are Gridspan's own,
// from 0 up to system().numDevices(). The default implementations are those of
// a vendor without the feature.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_BACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_BACKEND_H

#include "runtime/backend/DeviceObjects.h"
#include "runtime/backend/LaunchTarget.h"
#include "runtime/backend/SystemInfo.h"
#include <functional>
#include <memory>
#include <span>

namespace gridspan {

struct IndexBounds;
struct RecordForm;
enum class FormDirection;

class Backend {
public:
  virtual ~Backend();

  /// Returns "cuda" or "cpu".
  virtual const char *name() const = 0;
  virtual const SystemInfo &system() const = 0;

  //===--- Devices that are opened when they are wanted
  //--------------------===//
  // Pages and their information, and waits, need no open device. Whatever else
  // is asked of a device that is not open opens it, and waits.

  /// Returns true if no device has to be opened any more for work to be split.
  /// Costs a load.
  virtual bool isReady() const { return true; }
  /// Has all devices opened in the background.
  virtual void prepare() {}
  /// The same, and waits. Returns isReady(): a device that cannot be opened is
  /// never ready, and device 0 does its work.
  virtual bool waitUntilReady() { return true; }
  /// Has Work run, by the thread that opens devices, when all are open and
  /// before isReady() says so, which it never does if Work fails. Work that
  /// returns cudaErrorNotReady runs again, and waitUntilReady() does not wait
  /// for it. Null: no more, and waits for devices that are being opened. Of no
  /// use where all are open at first.
  virtual void setBeforeReady(std::function<cudaError_t()> Work) {}

  //===--- Address space: takes effect at once, not in stream order
  //--------===//
  // Addresses and bytes are multiples of the page size.

  /// Reserves addresses that are unique over all devices; they may not be
  /// touched until they are mapped.
  virtual cudaError_t reserve(size_t Bytes, void *&Address) = 0;
  /// Ranges at chosen addresses that are shorter lie within one multiple of
  /// it, and longer ones begin with one.
  static constexpr size_t ReservationUnit = size_t(1) << 30;
  /// Reserves just these addresses, which another process has reserved for
  /// itself; cudaErrorMemoryAllocation if something is there, which may be
  /// other ranges in the same ReservationUnit that do not fit.
  virtual cudaError_t reserveAt(void *Address, size_t Bytes) {
    return cudaErrorNotSupported;
  }
  /// Gives addresses back. Precondition: nothing is mapped there.
  virtual void release(void *Address, size_t Bytes) = 0;
  /// Makes physical memory at Where, of undefined contents;
  /// cudaErrorMemoryAllocation when there is no room.
  virtual cudaError_t createPages(Location Where, size_t Bytes,
                                  std::unique_ptr<Pages> &Out) = 0;
  /// Makes memory of the host that Device reaches, where it has no room of its
  /// own. May say that it is the device's.
  virtual cudaError_t createHostPagesFor(int Device, size_t Bytes,
                                         std::unique_ptr<Pages> &Out) {
    return createPages(Host, Bytes, Out);
  }
  /// Makes Bytes of P from Offset visible at Address to every device, and to
  /// the host when P is on the host.
  virtual cudaError_t map(void *Address, Pages &P, size_t Offset,
                          size_t Bytes) = 0;
  /// Takes pages away. Precondition: the work that uses the range is done.
  virtual cudaError_t unmap(void *Address, size_t Bytes) = 0;
  virtual void memoryInfo(Location Where, size_t &Free, size_t &Total) = 0;

  /// Makes physical memory of a device as createPages does, which other
  /// processes can map; it is only mapped as a whole.
  virtual cudaError_t createShareablePages(int Device, size_t Bytes,
                                           std::unique_ptr<Pages> &Out) {
    return cudaErrorNotSupported;
  }
  /// Tells how another process gets pages that createShareablePages made;
  /// cudaErrorNotSupported for others.
  virtual cudaError_t exportPages(const Pages &P, SharedPages &Out) {
    return cudaErrorNotSupported;
  }
  /// Makes pages of what another process has exported. They do not count
  /// against the device. cudaErrorInvalidDevice if its device is none of these.
  virtual cudaError_t importPages(const SharedPages &From,
                                  std::unique_ptr<Pages> &Out) {
    return cudaErrorNotSupported;
  }

  //===--- Unified memory: pages move to whoever touches them
  //--------------===//

  /// Allocates zeros that devices and host may touch, also while kernels run.
  virtual cudaError_t unifiedAlloc(size_t Bytes, void *&Out) {
    return cudaErrorNotSupported;
  }
  /// Precondition: all work that uses it is done, and its home is the host.
  virtual cudaError_t unifiedFree(void *Address) {
    return cudaErrorNotSupported;
  }
  /// Changes the home of unified memory at once and moves nothing: its bytes
  /// count against To's memory instead of From's (Host: none's), and go to To
  /// when devices touch them. cudaErrorMemoryAllocation when To has no room.
  virtual cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                                 Location To) {
    return cudaErrorNotSupported;
  }
  /// Brings unified memory to To in stream order. A hint.
  virtual cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                               Location To) {
    return cudaErrorNotSupported;
  }
  /// Passes on cudaMemAdvise, with devices by Gridspan's numbers. A hint.
  virtual cudaError_t advise(void *Address, size_t Bytes,
                             cudaMemoryAdvise Advice, Location Where) {
    return cudaErrorNotSupported;
  }

  //===--- Host memory: takes effect at once
  //--------------------------------===//

  virtual cudaError_t hostAlloc(size_t Bytes, unsigned Flags, void *&Out) = 0;
  virtual cudaError_t hostFree(void *Address) = 0;
  virtual cudaError_t hostRegister(void *Address, size_t Bytes,
                                   unsigned Flags) = 0;
  virtual cudaError_t hostUnregister(void *Address) = 0;
  /// Returns true if the memory is pinned or registered, so that copies are
  /// asynchronous.
  virtual bool isPinned(const void *Address, size_t Bytes) = 0;
  /// Returns true for ordinary memory of the program: neither pinned,
  /// registered, managed nor a device's.
  virtual bool isPageable(const void *Address, size_t Bytes) = 0;
  /// Returns true for memory of a device that code without Gridspan allocated;
  /// other devices cannot reach it. Precondition: no allocation of Gridspan's
  /// holds Address.
  virtual bool isForeignDeviceMemory(const void *Address) { return false; }

  //===--- Streams and events
  //-----------------------------------------------===//

  virtual cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                                   std::unique_ptr<Stream> &Out) = 0;
  /// Makes a view of a foreign stream of device 0, for example of the driver
  /// API; destroying the view leaves the stream alone.
  virtual cudaError_t adoptStream(cudaStream_t Native,
                                  std::unique_ptr<Stream> &Out) {
    return cudaErrorInvalidResourceHandle;
  }
  /// Blocks until all work so far in the stream is done; returns its error.
  virtual cudaError_t synchronize(Stream &S) = 0;
  /// Returns cudaErrorNotReady while work so far is not done; does not block.
  virtual cudaError_t query(Stream &S) = 0;
  /// Blocks until all work so far of the device is done.
  virtual cudaError_t synchronizeDevice(int Device) = 0;
  /// Blocks until all work so far that came through this interface, and all of
  /// device 0, is done; returns the first error.
  virtual cudaError_t synchronizeAll();
  virtual bool isCapturing(Stream &S) = 0;

  virtual cudaError_t createEvent(int Device, unsigned Flags,
                                  std::unique_ptr<Event> &Out) = 0;
  /// Makes a view of a foreign event, as adoptStream does.
  virtual cudaError_t adoptEvent(cudaEvent_t Native,
                                 std::unique_ptr<Event> &Out) {
    return cudaErrorInvalidResourceHandle;
  }
  /// Tells how another process gets an event that was created with
  /// cudaEventInterprocess. cudaErrorNotSupported where the driver knows.
  virtual cudaError_t exportEvent(const Event &E, FileDescriptor &Out) {
    return cudaErrorNotSupported;
  }
  /// Makes the event of what another process has exported.
  virtual cudaError_t importEvent(FileDescriptor From,
                                  std::unique_ptr<Event> &Out) {
    return cudaErrorNotSupported;
  }
  /// Sets E behind all work so far in S. Precondition: same device.
  virtual cudaError_t record(Event &E, Stream &S) = 0;
  /// Orders later work in S behind what E last recorded, if anything, also
  /// across devices; does not block.
  virtual cudaError_t wait(Stream &S, Event &E) = 0;
  /// Blocks until what E last recorded is done.
  virtual cudaError_t synchronize(Event &E) = 0;
  /// Returns cudaErrorNotReady while what E last recorded is not done.
  virtual cudaError_t query(Event &E) = 0;
  virtual cudaError_t elapsed(Event &From, Event &To, float &Ms) = 0;

  //===--- Work: asynchronous and in stream order
  //--------------------------===//

  /// Copies between any devices and the host. Host memory that is not pinned
  /// may be read or written before this returns.
  virtual cudaError_t copy(Stream &S, void *Dst, const void *Src,
                           size_t Bytes) = 0;
  virtual cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch,
                             const void *Src, size_t SrcPitch, size_t Width,
                             size_t Height) = 0;
  /// As copy2D, but Src may be read as soon as what the events of Behind last
  /// recorded is done, whatever S holds. Devices that do not reach each other
  /// then exchange data sooner.
  virtual cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind,
                                 void *Dst, size_t DstPitch, const void *Src,
                                 size_t SrcPitch, size_t Width, size_t Height);
  virtual cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) = 0;
  /// Writes the bounds of each PerLeaf of the Count integers at From, as
  /// scanIndices() in IndexTable.h does. Preconditions: those of scanIndices(),
  /// at most 2^31 - 1 leaves, S's device reaches From, Out is hostAlloc's.
  virtual cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                                  unsigned ElementBytes, uint64_t PerLeaf,
                                  IndexBounds *Out) {
    return cudaErrorNotSupported;
  }
  /// Sets the Count elements at Dst to the operation's identity.
  /// Preconditions: elements are aligned, S's device reaches Dst.
  virtual cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                                   uint64_t Count) {
    return cudaErrorNotSupported;
  }
  /// Combines the Count elements at each of From into those at Into, in any
  /// order, each by one atomic of the operation, or by none where it is the
  /// identity. Preconditions: elements are aligned, S's device reaches all,
  /// they do not overlap Into.
  virtual cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                              std::span<const void *const> From,
                              uint64_t Count) {
    return cudaErrorNotSupported;
  }
  /// Copies the Bytes bytes of an array of records to memory with an array for
  /// each field, or back. Fields has room for Form.roomFor(Bytes) records.
  /// Preconditions: both are aligned to 8 bytes, S's device reaches them, they
  /// do not overlap. cudaErrorNotSupported for forms that are too large.
  virtual cudaError_t convertRecords(Stream &S, const RecordForm &Form,
                                     FormDirection Direction, void *Records,
                                     void *Fields, uint64_t Bytes) {
    return cudaErrorNotSupported;
  }
  /// Launches on S's device; reads Args before it returns. With a Tile the
  /// kernel's tiled clone runs, which sees blockIdx + Tile->Origin, and
  /// Tile->Grid as gridDim.
  virtual cudaError_t launch(Stream &S, const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args,
                             const GridspanTile *Tile) = 0;
  /// Writes at most Most words of the arguments that may be pointers, and
  /// returns their number, for a function without a descriptor.
  virtual unsigned argumentWords(const LaunchTarget &Target, void *const *Args,
                                 void **Out, unsigned Most) {
    return 0;
  }
  /// Runs Fn on a host thread. Precondition: Fn does not call the backend.
  virtual cudaError_t hostFunction(Stream &S, std::function<void()> Fn) = 0;
  /// S waits until the word, which is in memory of hostAlloc, is Value or more.
  /// cudaErrorNotSupported unless SystemInfo::StreamsWaitForWords.
  virtual cudaError_t waitForWord(Stream &S, const uint64_t *Word,
                                  uint64_t Value) {
    return cudaErrorNotSupported;
  }

  //===--- Textures ------------------------------------------------------===//
  // Of objects that the program made on device 0.

  /// Makes an array on Device, of undefined contents, that is like the one that
  /// Texture reads. cudaErrorNotSupported for arrays that cannot be copied.
  virtual cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                                  std::unique_ptr<ArrayCopy> &Out) {
    return cudaErrorNotSupported;
  }
  /// Copies the contents of the array that From reads, in stream order.
  /// Precondition: createArray made To for such a texture, on S's device.
  virtual cudaError_t copyArray(Stream &S, ArrayCopy &To,
                                cudaTextureObject_t From) {
    return cudaErrorNotSupported;
  }
  /// Makes an object of Device that reads as Texture does: Array, which lives
  /// longer, or, if that is null, the same memory.
  virtual cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                                    ArrayCopy *Array,
                                    std::unique_ptr<TextureCopy> &Out) {
    return cudaErrorNotSupported;
  }

  //===--- Symbols and functions: answers at once
  //--------------------------===//

  /// Finds, on Device, the variable that the program registered with the host
  /// address Symbol.
  virtual cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                             size_t &Bytes) = 0;
  /// Forgets what is known of functions and variables of a module, or of
  /// functions without descriptors if Module is null: their addresses may come
  /// again. Precondition: no work of theirs is left.
  virtual void forget(const GridspanModule *Module) = 0;
  virtual cudaError_t functionAttributes(const LaunchTarget &Target,
                                         cudaFuncAttributes &Out) = 0;
  /// Sets the attribute on all devices, for later launches, of clones as well.
  virtual cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                           cudaFuncAttribute Attribute,
                                           int Value) = 0;
  virtual cudaError_t occupancy(const LaunchTarget &Target, int BlockThreads,
                                size_t DynamicSharedBytes, unsigned Flags,
                                int &BlocksPerMultiprocessor) = 0;

  //===--- Properties: answers at once
  //--------------------------------------===//

  virtual cudaError_t properties(int Device, cudaDeviceProp &Out) = 0;
  virtual cudaError_t attribute(int Device, cudaDeviceAttr Attribute,
                                int &Out) = 0;
  /// Returns the error that the vendor's runtime holds for the calling thread,
  /// from calls around Gridspan; Clear forgets it.
  virtual cudaError_t vendorError(bool Clear) = 0;
  virtual int driverVersion() const = 0;
  /// Returns true if the calling thread has a context current that is none of
  /// this backend's: what it calls the vendor's driver for happens there.
  virtual bool isInForeignContext() const { return false; }
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_BACKEND_H

//===- RankBackend.h - The devices of all ranks -----------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Backend of rank 0: its own devices come first, then those of the other
// ranks. What is for its own devices goes to their backend; what is for others
// is a message to the RankServer there, which needs no answer where CUDA's call
// needs none. Kernels of a device reach memory of that device only.
//
// A stream that comes to something for which another rank is needed (rows from
// there, an event of a stream there, a host function) waits for that rank's
// answer, and nobody else does.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKBACKEND_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKBACKEND_H

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/RangeTable.h"
#include "runtime/backend/ranks/DataMover.h"
#include "runtime/backend/ranks/KernelNames.h"
#include "runtime/backend/ranks/WaitingStreams.h"
#include "runtime/support/Expected.h"
#include <atomic>
#include <unordered_map>

namespace gridspan::ranks {

class RankBackend : public ForwardingBackend {
public:
  struct Options {
    /// What ranks are asked for.
    Hello Wanted;
    /// The address from which offsets of symbols count.
    const void *ImageBase = nullptr;
    /// The longest that the ranks may take to open their devices.
    unsigned OpeningSeconds = 60;
    /// Adds the time to FanOutSeconds for launches on other ranks.
    double FanOutSeconds = 60e-6;
  };

  /// Own: the devices of this rank. Opens those of the others.
  static std::unique_ptr<Backend> create(Transport &Way,
                                         std::unique_ptr<Backend> Own,
                                         Options Settings,
                                         std::string &Message);
  ~RankBackend() override;

  const SystemInfo &system() const override { return System; }

  cudaError_t reserve(size_t Bytes, void *&Address) override;
  cudaError_t reserveAt(void *Address, size_t Bytes) override {
    return cudaErrorNotSupported;
  }
  void release(void *Address, size_t Bytes) override;
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override;
  cudaError_t map(void *Address, Pages &P, size_t Offset,
                  size_t Bytes) override;
  cudaError_t unmap(void *Address, size_t Bytes) override;
  void memoryInfo(Location Where, size_t &Free, size_t &Total) override;
  cudaError_t createHostPagesFor(int Device, size_t Bytes,
                                 std::unique_ptr<Pages> &Out) override;
  cudaError_t createShareablePages(int Device, size_t Bytes,
                                   std::unique_ptr<Pages> &Out) override;
  cudaError_t exportPages(const Pages &P, SharedPages &Out) override;
  cudaError_t importPages(const SharedPages &From,
                          std::unique_ptr<Pages> &Out) override;
  cudaError_t preferHome(void *Address, size_t Bytes, Location From,
                         Location To) override;
  cudaError_t prefetch(Stream &S, void *Address, size_t Bytes,
                       Location To) override;
  cudaError_t advise(void *Address, size_t Bytes, cudaMemoryAdvise Advice,
                     Location Where) override;
  bool isPageable(const void *Address, size_t Bytes) override;

  cudaError_t createStream(int Device, StreamKind Kind, int Priority,
                           std::unique_ptr<Stream> &Out) override;
  cudaError_t adoptStream(cudaStream_t Native,
                          std::unique_ptr<Stream> &Out) override;
  cudaError_t synchronize(Stream &S) override;
  cudaError_t query(Stream &S) override;
  cudaError_t synchronizeDevice(int Device) override;
  cudaError_t synchronizeAll() override;
  bool isCapturing(Stream &S) override;
  cudaError_t createEvent(int Device, unsigned Flags,
                          std::unique_ptr<Event> &Out) override;
  cudaError_t adoptEvent(cudaEvent_t Native,
                         std::unique_ptr<Event> &Out) override;
  cudaError_t exportEvent(const Event &E, FileDescriptor &Out) override;
  cudaError_t importEvent(FileDescriptor From,
                          std::unique_ptr<Event> &Out) override;
  cudaError_t record(Event &E, Stream &S) override;
  cudaError_t wait(Stream &S, Event &E) override;
  cudaError_t synchronize(Event &E) override;
  cudaError_t query(Event &E) override;
  cudaError_t elapsed(Event &From, Event &To, float &Ms) override;

  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override;
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override;
  /// In the stream's order: a message of its own would begin no earlier.
  cudaError_t copyBehind(Stream &S, std::span<Event *const> Behind, void *Dst,
                         size_t DstPitch, const void *Src, size_t SrcPitch,
                         size_t Width, size_t Height) override {
    return Backend::copyBehind(S, Behind, Dst, DstPitch, Src, SrcPitch, Width,
                               Height);
  }
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override;
  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override;
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override;
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override;
  cudaError_t convertRecords(Stream &S, const RecordForm &Form,
                             FormDirection Direction, void *Records,
                             void *Fields, uint64_t Bytes) override;
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override;
  cudaError_t waitForWord(Stream &S, const uint64_t *Word,
                          uint64_t Value) override {
    return cudaErrorNotSupported;
  }

  cudaError_t createArray(int Device, cudaTextureObject_t Texture,
                          std::unique_ptr<ArrayCopy> &Out) override;
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override;
  cudaError_t createTexture(int Device, cudaTextureObject_t Texture,
                            ArrayCopy *Array,
                            std::unique_ptr<TextureCopy> &Out) override;

  cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                     size_t &Bytes) override;
  void forget(const GridspanModule *Module) override;
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute,
                                   int Value) override;
  cudaError_t properties(int Device, cudaDeviceProp &Out) override;
  cudaError_t attribute(int Device, cudaDeviceAttr Attribute,
                        int &Out) override;

private:
  struct Recording;
  class RankPages;
  class RankStream;
  class RankEvent;
  struct Helper;

  /// A device of another rank.
  struct Remote {
    int Rank;
    int Device; ///< its number there
    std::string Properties;
  };
  /// What is at an address of this rank's.
  struct Place {
    int Rank;
    int64_t Move; ///< to the address there
  };
  struct Located {
    int Rank = 0;
    uint64_t Address = 0;
  };

  /// OwnStreams: what Own is, if its streams wait for words.
  RankBackend(Transport &Way, std::unique_ptr<Backend> Own,
              WaitingStreams *OwnStreams, Options Settings);

  std::string open();
  void addDevices(int Rank, const Welcome &From);

  // Messages.
  void handle(int From, const Buffer &Bytes);
  void on(int From, const Reached &M);
  void on(int From, const Failure &M);
  void on(const Print &M, const Buffer &Keep);
  void on(const Call &M);
  template <typename T> void send(int To, const T &M) {
    Way.send(To, encode(M));
  }
  /// Sends a message with a token, and waits for the reply.
  template <typename T> Reply ask(int Rank, T M);

  bool isRemote(int Device) const { return Device >= static_cast<int>(NumOwn); }
  const Remote &remote(int Device) const { return Remotes[Device - NumOwn]; }
  int rankOf(const Stream &S) const {
    return isRemote(S.device()) ? remote(S.device()).Rank : 0;
  }
  static RankStream &ranks(Stream &S);
  static RankEvent &ranks(Event &E);
  static Stream &own(Stream &S);
  Located locate(const void *Address);

  /// Sends a command to the stream's rank.
  template <typename T> void command(RankStream &S, const T &M);
  std::shared_ptr<Recording> record(RankStream &S, bool Timed);
  /// Returns a recording behind all commands so far; null if all are done.
  std::shared_ptr<Recording> mark(RankStream &S);
  cudaError_t await(Recording &R);
  /// Makes a helper if there is none.
  cudaError_t needHelper(std::shared_ptr<Helper> &H);
  bool isReached(Recording &R);
  cudaError_t awaitAll(RankStream &S);
  cudaError_t failed() const { return Error; }
  cudaError_t orFailed(cudaError_t First) const {
    return First ? First : failed();
  }

  /// Has Message sent to To when S comes there; then S waits for For.
  cudaError_t step(Stream &S, int To, Token For, MessageBytes Message);
  /// The same for what Send does, of a stream of rank 0.
  cudaError_t ownStep(Stream &S, Token For, std::function<void()> Send);
  /// Runs Fn, which may wait, in a stream of rank 0.
  cudaError_t ownWait(Stream &S, std::function<void()> Fn);
  cudaError_t write(RankStream &S, Rows Dst, const std::byte *Src,
                    size_t SrcPitch, size_t Width, size_t Height);
  cudaError_t pushOwn(Stream &S, Located Dst, size_t DstPitch,
                      const std::byte *Src, size_t SrcPitch, size_t Width,
                      size_t Height);
  cudaError_t createRemotePages(int Device, Location Where, size_t Bytes,
                                std::unique_ptr<Pages> &Out);
  cudaError_t copyFar(Stream &S, Located Dst, void *DstHost, size_t DstPitch,
                      Located Src, const void *SrcHost, size_t SrcPitch,
                      size_t Width, size_t Height);
  Expected<uint32_t> kernelNumber(int Rank, const GridspanKernel *K);

  Transport &Way;
  const Options Settings;
  const unsigned NumOwn;
  SystemInfo System;
  std::vector<Remote> Remotes;
  std::vector<std::string> Hosts; ///< by rank
  Signals Tokens;
  /// The own devices; null if host functions do not hold each other back.
  WaitingStreams *const OwnStreams;
  /// The host's bytes that wait for streams of each rank.
  Budget Staged;
  std::unique_ptr<DataMover> Mover;
  std::atomic<uint64_t> LastNumber{0}; ///< of anything
  std::atomic<cudaError_t> Error{cudaSuccess};

  Mutex OpenLock;
  std::condition_variable Opened;
  std::map<int, Welcome> Welcomes GUARDED_BY(OpenLock);

  Mutex MemoryLock;
  struct Reservation {
    uint64_t Bytes;
    std::vector<bool> ToldRank;
  };
  std::map<uint64_t, Reservation> Reservations GUARDED_BY(MemoryLock);
  std::map<int, uint64_t> Claimed GUARDED_BY(MemoryLock); ///< by device
  SharedMutex PlaceLock;
  RangeTable<Place> Places GUARDED_BY(PlaceLock);
  std::map<std::pair<int, const void *>, std::pair<void *, size_t>>
      SymbolsOf GUARDED_BY(PlaceLock);

  Mutex RecordingLock;
  SpinningCondition AnyReached;
  bool HasEnded GUARDED_BY(RecordingLock) = false; ///< no more will be
  std::unordered_map<uint64_t, std::shared_ptr<Recording>>
      Waiting GUARDED_BY(RecordingLock);

  Mutex StreamLock;
  std::vector<RankStream *> RemoteStreams GUARDED_BY(StreamLock);

  /// Writes what kernels print: who reads it may take any time.
  std::shared_ptr<CpuQueue> Printing = std::make_shared<CpuQueue>();

  Mutex FunctionLock;
  struct HostFunction {
    std::function<void()> Fn;
    std::shared_ptr<CpuQueue> Queue;
  };
  std::unordered_map<uint64_t, HostFunction> Functions GUARDED_BY(FunctionLock);

  Mutex KernelLock;
  std::map<std::pair<int, const GridspanKernel *>, uint32_t>
      KernelNumbers GUARDED_BY(KernelLock);

  /// Of events that were recorded behind this class's back.
  Mutex HelperLock;
  std::shared_ptr<Helper> ForOthers GUARDED_BY(HelperLock);
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_RANKBACKEND_H

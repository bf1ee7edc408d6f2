//===- WaitingStreams.h - Streams that wait for other processes -*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank 0's own GPUs, whose streams wait for words that are set when something
// has come from another rank. What comes has to be copied by the same driver,
// and some of the driver's calls wait for a stream while they hold a lock that
// all others need: of such a call behind a word nobody would ever set the word.
// So what waits there waits here first, where it holds nothing up:
//
//   - copies of pageable memory, which wait for their stream: for it;
//   - what may load code, or gives up pinned memory, which may wait for all of
//   a
//     device: for all words;
//   - any command, if so many are behind words that a queue of the driver might
//     be full: for all words.
//
// While one of the first two is in the driver, no other thread gives a stream a
// word to wait for.
//
// A function of the program in a stream may wait for the thread that is here.
// Where there is one that has not run, words are waited for no longer than
// LongestBeside. Nor are they once a device has failed, as its streams run no
// functions any more.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_WAITINGSTREAMS_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_WAITINGSTREAMS_H

#include "runtime/backend/ForwardingBackend.h"
#include "runtime/backend/ranks/WaitingFunctions.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <set>
#include <tuple>

namespace gridspan::ranks {

/// Thread-safe, as every backend.
class WaitingStreams final : public ForwardingBackend {
public:
  /// Precondition: the driver's SystemInfo::StreamsWaitForWords.
  explicit WaitingStreams(std::unique_ptr<Backend> Driver);
  /// The devices as they are, for threads that do what streams wait for.
  Backend &driver() { return inner(); }
  /// Has Fn, which may wait, run when S comes there, and S wait for its end.
  cudaError_t runInStream(Stream &S, std::function<void()> Fn);
  /// Waits for streams that wait for words, behind which nothing is enqueued
  /// any more. What their functions use must still be there.
  void finish();
  /// Returns a function of the program that is known not to have run until it
  /// has.
  std::function<void()> ofProgram(std::function<void()> Fn);

  cudaError_t hostFree(void *Address) override;
  cudaError_t hostRegister(void *Address, size_t Bytes,
                           unsigned Flags) override;
  cudaError_t hostUnregister(void *Address) override;
  cudaError_t record(Event &E, Stream &S) override;
  cudaError_t wait(Stream &S, Event &E) override;
  cudaError_t copy(Stream &S, void *Dst, const void *Src,
                   size_t Bytes) override;
  cudaError_t copy2D(Stream &S, void *Dst, size_t DstPitch, const void *Src,
                     size_t SrcPitch, size_t Width, size_t Height) override;
  cudaError_t fill(Stream &S, void *Dst, int Byte, size_t Bytes) override;
  cudaError_t indexBounds(Stream &S, const void *From, uint64_t Count,
                          unsigned ElementBytes, uint64_t PerLeaf,
                          IndexBounds *Out) override;
  cudaError_t fillIdentity(Stream &S, GridspanReduction Kind, void *Dst,
                           uint64_t Count) override;
  cudaError_t combine(Stream &S, GridspanReduction Kind, void *Into,
                      std::span<const void *const> From,
                      uint64_t Count) override;
  cudaError_t convertRecords(Stream &S, const RecordForm &Form,
                             FormDirection Direction, void *Records,
                             void *Fields, uint64_t Bytes) override;
  cudaError_t launch(Stream &S, const LaunchTarget &Target,
                     const LaunchShape &Shape, void *const *Args,
                     const GridspanTile *Tile) override;
  cudaError_t hostFunction(Stream &S, std::function<void()> Fn) override;
  cudaError_t copyArray(Stream &S, ArrayCopy &To,
                        cudaTextureObject_t From) override;
  cudaError_t symbol(int Device, const void *Symbol, void *&Address,
                     size_t &Bytes) override;
  void forget(const GridspanModule *Module) override;
  cudaError_t functionAttributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) override;
  cudaError_t setFunctionAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute,
                                   int Value) override;
  cudaError_t occupancy(const LaunchTarget &Target, int BlockThreads,
                        size_t DynamicSharedBytes, unsigned Flags,
                        int &BlocksPerMultiprocessor) override;

private:
  /// What calls load: the code of a kernel on a device, of the program's in
  /// which of its versions, or of the runtime's own by the name of the call; a
  /// variable; or what a question about a kernel needs, of no device.
  using Code = std::tuple<int, const void *, const GridspanKernel *, unsigned>;
  static Code codeOf(int Device, const LaunchTarget &Target, bool IsTiled);

  void awaitRoom(size_t Commands = 1);
  void awaitWords();
  bool hasFailed();
  bool isLoaded(const Code &Of);
  template <typename Fn> auto alone(Fn Do);
  template <typename Fn> auto loading(const Code &Of, Fn Do);
  template <typename Fn> auto copying(Stream &S, bool IsPageable, Fn Do);

  WaitingFunctions Waits;
  /// A stream of each device, to ask if it has failed.
  std::vector<std::unique_ptr<Stream>> Idle;
  std::atomic<size_t> NumBehindWords = 0; ///< commands since there were none
  std::atomic<unsigned> NumOfProgram = 0; ///< its functions that have not run
  /// Held by who takes a word, and alone by who keeps others from it.
  SharedMutex Taking;
  Mutex LoadedLock;
  std::set<Code> Loaded GUARDED_BY(LoadedLock);
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_WAITINGSTREAMS_H

//===- CopyEngine.h - Copies and fills of the program -----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a copy at the borders of pages' homes, and lets every device do the
// part that is in its memory when it is large enough, so that all links work at
// once. Large copies of pageable memory are left to PageableCopy. To the
// program a copy is one operation in its stream.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_COPY_COPYENGINE_H
#define GRIDSPAN_RUNTIME_COPY_COPYENGINE_H

#include "runtime/copy/PageableCopy.h"
#include "runtime/copy/PagedWriter.h"
#include "runtime/memory/MemoryManager.h"
#include "runtime/memory/SymbolTable.h"
#include "runtime/report/Report.h"
#include "runtime/stream/ProgramStream.h"
#include "runtime/support/Expected.h"
#include <chrono>
#include <optional>

namespace gridspan {

/// A part of a copy with one home on either side.
struct CopySegment {
  uint64_t Lo; ///< offsets from the copy's first byte
  uint64_t Hi;
  int Device;          ///< whose stream does it
  bool OnHost = false; ///< no end is in a device's memory
  bool operator==(const CopySegment &) const = default;
};

/// Cuts the copy of Bytes bytes between offset DstAt of Dst and offset SrcAt of
/// Src; a null map is memory of the host. The destination's device does the
/// work, else the source's.
std::vector<CopySegment> divideCopy(const PageHomes *Dst, uint64_t DstAt,
                                    const PageHomes *Src, uint64_t SrcAt,
                                    uint64_t Bytes);

/// Rows [Row, Row + Rows) of a 2-D copy, bytes [Lo, Lo + Width) of each, with
/// one home on either side.
struct CopyBlock {
  size_t Row;
  size_t Rows;
  uint64_t Lo;
  uint64_t Width;
  int Device;
  bool OnHost = false;
  bool operator==(const CopyBlock &) const = default;
};

/// The same as divideCopy for Height rows of Width bytes: consecutive rows that
/// are whole and of the same device are one block.
std::vector<CopyBlock> divideCopy2D(const PageHomes *Dst, uint64_t DstAt,
                                    size_t DstPitch, const PageHomes *Src,
                                    uint64_t SrcAt, size_t SrcPitch,
                                    size_t Width, size_t Height);

class CopyEngine {
public:
  CopyEngine(Backend &B, MemoryManager &Memory, SymbolTable &Symbols,
             Report &Out, const PageableCopy::Options &Pageable,
             unsigned OutOfCoreDevices, std::chrono::milliseconds Patience)
      : B(B), Memory(Memory), Symbols(Symbols), Out(Out), Patience(Patience),
        PageableCopies(B, Pageable),
        Writer(B, Memory.pager(), OutOfCoreDevices) {}

  /// Copies in stream order. Returns cudaErrorInvalidValue if the copy leaves
  /// an allocation.
  cudaError_t copy(ProgramStream &S, void *Dst, const void *Src, size_t Bytes);
  /// No row is wider than a pitch.
  cudaError_t copy2D(ProgramStream &S, void *Dst, size_t DstPitch,
                     const void *Src, size_t SrcPitch, size_t Width,
                     size_t Height);
  cudaError_t fill(ProgramStream &S, void *Dst, int Byte, size_t Bytes);

private:
  struct End {
    std::shared_ptr<Allocation> Where; ///< null: not ours
    uint64_t At = 0;
    const PageHomes *homes() const { return Where ? &Where->Homes : nullptr; }
  };
  Expected<End> find(const void *Address, uint64_t Bytes) const;
  cudaError_t findAtHome(ProgramStream &S, const End &To, const ByteRows &Rows,
                         const End &From, uint64_t Bytes);
  void noteWritten(ProgramStream &S, const End &To, const ByteRows &Rows,
                   cudaError_t Error);
  static bool isPaged(const End &E);
  bool isOnHost(const End &E, const void *Address, uint64_t Span);
  Expected<bool> comesHere(Stream &S);
  cudaError_t copyPaged(ProgramStream &S, const End &To, void *Dst,
                        size_t DstPitch, const End &From, const void *Src,
                        size_t SrcPitch, size_t Width, size_t Height)
      REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t readPaged(ProgramStream &S, std::byte *Dst, const End &From,
                        uint64_t Bytes) REQUIRES_SHARED(PlacementLock::Held)
      REQUIRES(S.lock());
  cudaError_t fillPaged(ProgramStream &S, const End &To, void *Dst, int Byte,
                        size_t Bytes) REQUIRES_SHARED(PlacementLock::Held);
  cudaError_t
  run(ProgramStream &S, const std::vector<CopySegment> &Segments,
      const std::function<cudaError_t(Stream &, const CopySegment &)> &Do);
  bool shouldCopyByThreads(ProgramStream &S, const End &To, const void *Dst,
                           const End &From, const void *Src, uint64_t Bytes,
                           uint64_t Span);
  std::optional<cudaError_t> copyPageable(ProgramStream &S,
                                          const std::vector<CopyRect> &Parts,
                                          PageableEnd Pageable);
  static CopyDirection directionOf(const End &Dst, const End &Src);
  void count(CopyDirection Direction, uint64_t Bytes);

  Backend &B;
  MemoryManager &Memory;
  SymbolTable &Symbols;
  Report &Out;
  /// Time that a stream is given to come to a copy or fill of paged memory.
  const std::chrono::milliseconds Patience;
  PageableCopy PageableCopies;
  PagedWriter Writer;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_COPY_COPYENGINE_H

//===- MemoryOperation.cpp - Fills and copies as launches -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are as small as the smallest frames, since a chunk is some blocks:
// parts of long rows along x, several short rows together along y, planes along
// z. Rows without gaps between them are one row, and planes likewise.
//
// Both operations have the same parameters, so that one reads them without
// asking which it is.
//
// Chunks of a launch run in any order, and on several devices. So the rows of
// what is written must have no byte in common, which isSound() asks for, nor
// with what is read: areApart() sees that the bytes from first to last are
// apart, or the columns of rows with one pitch.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/MemoryOperation.h"
#include <algorithm>
#include <utility>

namespace gridspan {

static constexpr uint64_t BlockBytes = 4096;

namespace {
/// Parameters of both: (void *Dst, const void *Src, Extent Bytes, uint64_t
/// DstPitch[2], uint64_t SrcPitch[2], int Byte).
enum Parameter { Dst, Src, Bytes, DstPitch, SrcPitch, Byte };

/// Bytes Lo to Hi of rows and planes.
struct Span {
  uint64_t Lo, Hi;
  uint64_t size() const { return Hi - Lo; }
};
} // namespace

template <typename T> static T value(void *const *Args, Parameter P) {
  return *static_cast<const T *>(Args[P]);
}

namespace {

/// An operation's arguments.
class OperationView {
public:
  explicit OperationView(void *const *Args)
      : E(value<MemoryOperation::Extent>(Args, Bytes)),
        To(endOf(Args, Dst, DstPitch)), From(endOf(Args, Src, SrcPitch)),
        Filled(value<int>(Args, Byte)) {}

  static uint64_t rowsPerBlock(const MemoryOperation::Extent &E) {
    return std::max<uint64_t>(1, BlockBytes / E.Width);
  }

  /// The bytes of a row, the rows and the planes of blocks.
  struct Part {
    Span X, Y, Z;
    bool isEmpty() const { return !X.size() || !Y.size() || !Z.size(); }
  };
  Part part(const uint32_t *Lo, const uint32_t *Count) const {
    const auto Clip = [](uint64_t First, uint64_t Number, uint64_t Step,
                         uint64_t All) {
      return Span{std::min(All, First * Step),
                  std::min(All, (First + Number) * Step)};
    };
    return {Clip(Lo[0], Count[0], BlockBytes, E.Width),
            Clip(Lo[1], Count[1], rowsPerBlock(E), E.Height),
            Clip(Lo[2], Count[2], 1, E.Depth)};
  }

  const MemoryOperation::Extent E;
  const MemoryOperation::End To, From;
  const int Filled;

private:
  static MemoryOperation::End endOf(void *const *Args, Parameter At,
                                    Parameter Pitches) {
    const auto *Pitch = static_cast<const uint64_t *>(Args[Pitches]);
    return {value<const std::byte *>(Args, At), Pitch[0], Pitch[1]};
  }
};

} // namespace

/// Returns the offset of the part's first byte.
static uint64_t offsetOf(const MemoryOperation::End &At,
                         const OperationView::Part &P) {
  return P.Z.Lo * At.PlanePitch + P.Y.Lo * At.Pitch + P.X.Lo;
}

/// Returns the range of what is not empty.
static GridspanRange rangeOf(const MemoryOperation::End &At,
                             const OperationView::Part &P) {
  GridspanRange R = {static_cast<int64_t>(offsetOf(At, P)),
                     static_cast<int64_t>(P.X.size()),
                     static_cast<int64_t>(At.Pitch),
                     static_cast<int64_t>(P.Y.size()),
                     static_cast<int64_t>(At.PlanePitch),
                     static_cast<int64_t>(P.Z.size()),
                     GridspanRangeExact,
                     0};
  if (R.RowsPerPlane > 1 && R.Pitch == R.RowBytes) {
    R.RowBytes *= R.RowsPerPlane;
    R.RowsPerPlane = 1;
  }
  if (R.RowsPerPlane == 1 && R.Planes > 1) {
    R.RowsPerPlane = std::exchange(R.Planes, 1);
    R.Pitch = R.PlanePitch;
    if (R.Pitch == R.RowBytes)
      R.RowBytes *= std::exchange(R.RowsPerPlane, 1);
  }
  return R;
}

/// What the blocks of a box touch, relative to the pointers.
static void fillRanges(const GridspanBox *Box, GridspanRange *Out) {
  const OperationView View(Box->Args);
  const OperationView::Part P = View.part(Box->BlockLo, Box->BlockCount);
  Out[0] = {};
  if (!P.isEmpty())
    Out[0] = rangeOf(View.To, P);
}

static void copyRanges(const GridspanBox *Box, GridspanRange *Out) {
  const OperationView View(Box->Args);
  const OperationView::Part P = View.part(Box->BlockLo, Box->BlockCount);
  Out[0] = Out[1] = {};
  if (P.isEmpty())
    return;
  Out[0] = rangeOf(View.To, P);
  Out[1] = rangeOf(View.From, P);
}

const GridspanKernel &MemoryOperation::kernel(bool Fills) {
  static const char FillStub = 0, CopyStub = 0;
  static const GridspanParam Params[] = {{0, 8},   {8, 8},   {16, 24},
                                         {40, 16}, {56, 16}, {72, 4}};
  static const GridspanPointer Pointers[] = {
      {Dst, 0, GridspanWrite, GridspanRedirectable},
      {Src, 0, GridspanRead, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"", nullptr, 0, GridspanWrite, 1, 0},
      {"", nullptr, 1, GridspanRead, 1, 1}};
  static const auto Make = [](const char *Name, const void *Stub,
                              GridspanRangeFn Ranges, uint32_t Count) {
    GridspanKernel K = {};
    K.HostStub = K.TiledStub = Stub;
    K.Name = Name;
    K.Params = Params;
    K.NumParams = std::size(Params);
    K.Pointers = Pointers;
    K.NumPointers = Count;
    K.Accesses = Accesses;
    K.NumAccesses = Count;
    K.Ranges = Ranges;
    K.Flags = GridspanHostInvisible;
    return K;
  };
  static const GridspanKernel Fill =
      Make("cudaMemset", &FillStub, fillRanges, 1);
  static const GridspanKernel Copy =
      Make("cudaMemcpy", &CopyStub, copyRanges, 2);
  return Fills ? Fill : Copy;
}

bool MemoryOperation::isFill(const GridspanKernel &Kernel) {
  return &Kernel == &kernel(true);
}

bool MemoryOperation::isOne(const GridspanKernel &Kernel) {
  return isFill(Kernel) || &Kernel == &kernel(false);
}

bool MemoryOperation::isSound(const End &At, const Extent &E) {
  return (E.Height == 1 || At.Pitch >= E.Width) &&
         (E.Depth == 1 ||
          At.PlanePitch >= (E.Height == 1 ? E.Width : E.Height * At.Pitch));
}

bool MemoryOperation::areApart(const End &Dst, const End &Src,
                               const Extent &E) {
  if (Dst.At + Dst.span(E) <= Src.At || Src.At + Src.span(E) <= Dst.At)
    return true;
  if (Dst.Pitch != Src.Pitch || Dst.Pitch == 0 || E.Height == 1 ||
      (E.Depth > 1 &&
       (Dst.PlanePitch % Dst.Pitch != 0 || Src.PlanePitch % Src.Pitch != 0)))
    return false;
  // All rows of one begin in a column, those of the other in another.
  const bool IsBehind = Dst.At > Src.At;
  const auto Distance =
      static_cast<uint64_t>(IsBehind ? Dst.At - Src.At : Src.At - Dst.At);
  const uint64_t Between = Distance % Dst.Pitch;
  return Between >= E.Width && Between + E.Width <= Dst.Pitch;
}

/// Rows without gaps are made one, so that blocks are parts of it.
MemoryOperation::MemoryOperation(const GridspanKernel &Kernel, Extent E, End To,
                                 End From, int With)
    : Kernel(&Kernel), Shape() {
  const bool Fills = isFill(Kernel);
  if (E.Height > 1 && To.Pitch == E.Width && (Fills || From.Pitch == E.Width))
    E.Width *= std::exchange(E.Height, 1);
  if (E.Height == 1 && E.Depth > 1) {
    E.Height = std::exchange(E.Depth, 1);
    To.Pitch = To.PlanePitch;
    From.Pitch = From.PlanePitch;
    if (To.Pitch == E.Width && (Fills || From.Pitch == E.Width))
      E.Width *= std::exchange(E.Height, 1);
  }
  Given = {To.At,
           From.At,
           E,
           {To.Pitch, To.PlanePitch},
           {From.Pitch, From.PlanePitch},
           With};
  const auto Number = [](uint64_t All, uint64_t PerBlock) {
    return static_cast<unsigned>((All + PerBlock - 1) / PerBlock);
  };
  Shape.Grid = {Number(E.Width, BlockBytes),
                Number(E.Height, OperationView::rowsPerBlock(E)),
                static_cast<unsigned>(E.Depth)};
  Shape.Block = {1, 1, 1};
  Values = {&Given.Dst,      &Given.Src,      &Given.Bytes,
            &Given.DstPitch, &Given.SrcPitch, &Given.Byte};
}

MemoryOperation::MemoryOperation(const End &To, int With, const Extent &E)
    : MemoryOperation(kernel(true), E, To, {}, With) {}

MemoryOperation::MemoryOperation(const End &To, const End &From,
                                 const Extent &E)
    : MemoryOperation(kernel(false), E, To, From, 0) {}

uint64_t MemoryOperation::bytes(void *const *Args) {
  return value<Extent>(Args, Bytes).bytes();
}

uint64_t MemoryOperation::bytes(void *const *Args, const Blocks &What) {
  const OperationView::Part P =
      OperationView(Args).part(What.Lo.data(), What.Count.data());
  return P.X.size() * P.Y.size() * P.Z.size();
}

//===--- Doing it -------------------------------------------------------===//

namespace {

/// Enqueues parts of one plane of an operation.
class OperationRun {
public:
  using Place = MemoryOperation::Place;

  OperationRun(Backend &B, Stream &S, const OperationView &View, bool Fills,
               const Place &To, const Place &From)
      : B(B), S(S), View(View), Fills(Fills), To(To), From(From) {}

  cudaError_t plane(const OperationView::Part &P);

private:
  cudaError_t rows(uint64_t ToAt, uint64_t FromAt, uint64_t Width,
                   uint64_t Count);
  cudaError_t row(uint64_t ToAt, uint64_t FromAt, uint64_t Width);
  cudaError_t fillRows(std::byte *Out, uint64_t Width, uint64_t Count);

  Backend &B;
  Stream &S;
  const OperationView &View;
  const bool Fills;
  const Place &To, &From;
};

} // namespace

/// Returns the bytes from At on that are of one frame.
static uint64_t withinFrame(const MemoryOperation::Place &P, uint64_t At) {
  return P.FrameBytes ? P.FrameBytes - (P.Offset + At) % P.FrameBytes
                      : UINT64_MAX;
}

/// Returns the rows from At on of which each is, with those before, in the
/// frame that the first begins in.
static uint64_t rowsWithinFrame(const MemoryOperation::Place &P, uint64_t At,
                                uint64_t Width, uint64_t Pitch, uint64_t Most) {
  const uint64_t Left = withinFrame(P, At);
  if (Left < Width)
    return 0;
  return Most == 1 ? 1 : std::min(Most, (Left - Width) / Pitch + 1);
}

/// Fills the first row and copies what is filled, twice as much each time:
/// there is one fill for all rows, and one copy for each bit of their number.
cudaError_t OperationRun::fillRows(std::byte *Out, uint64_t Width,
                                   uint64_t Count) {
  const uint64_t Pitch = View.To.Pitch;
  if (Count == 1 || Width == Pitch)
    return B.fill(S, Out, View.Filled, Width * Count);
  if (cudaError_t Error = B.fill(S, Out, View.Filled, Width))
    return Error;
  for (uint64_t Done = 1; Done < Count;) {
    const uint64_t More = std::min(Done, Count - Done);
    if (cudaError_t Error =
            B.copy2D(S, Out + Done * Pitch, Pitch, Out, Pitch, Width, More))
      return Error;
    Done += More;
  }
  return cudaSuccess;
}

/// Does rows that are each within a frame.
cudaError_t OperationRun::rows(uint64_t ToAt, uint64_t FromAt, uint64_t Width,
                               uint64_t Count) {
  auto *const Out = const_cast<std::byte *>(View.To.At) + ToAt;
  if (Fills)
    return fillRows(Out, Width, Count);
  const std::byte *const In = View.From.At + FromAt;
  return Count == 1 ? B.copy(S, Out, In, Width)
                    : B.copy2D(S, Out, View.To.Pitch, In, View.From.Pitch,
                               Width, Count);
}

/// Does a row that is of several frames.
cudaError_t OperationRun::row(uint64_t ToAt, uint64_t FromAt, uint64_t Width) {
  for (uint64_t Lo = 0; Lo < Width;) {
    uint64_t Piece = std::min(Width - Lo, withinFrame(To, ToAt + Lo));
    if (!Fills)
      Piece = std::min(Piece, withinFrame(From, FromAt + Lo));
    if (cudaError_t Error = rows(ToAt + Lo, FromAt + Lo, Piece, 1))
      return Error;
    Lo += Piece;
  }
  return cudaSuccess;
}

cudaError_t OperationRun::plane(const OperationView::Part &P) {
  uint64_t ToAt = offsetOf(View.To, P), FromAt = offsetOf(View.From, P);
  const uint64_t Width = P.X.size();
  for (uint64_t Left = P.Y.size(); Left;) {
    uint64_t Count = rowsWithinFrame(To, ToAt, Width, View.To.Pitch, Left);
    if (!Fills && Count)
      Count = rowsWithinFrame(From, FromAt, Width, View.From.Pitch, Count);
    if (cudaError_t Error =
            Count ? rows(ToAt, FromAt, Width, Count) : row(ToAt, FromAt, Width))
      return Error;
    Count = std::max<uint64_t>(1, Count);
    ToAt += Count * View.To.Pitch;
    FromAt += Count * View.From.Pitch;
    Left -= Count;
  }
  return cudaSuccess;
}

cudaError_t MemoryOperation::run(Backend &B, Stream &S,
                                 const GridspanKernel &Kernel,
                                 void *const *Args, const Blocks &What,
                                 const Place &To, const Place &From) {
  const OperationView View(Args);
  const OperationView::Part All = View.part(What.Lo.data(), What.Count.data());
  if (All.isEmpty())
    return cudaSuccess;
  OperationRun Run(B, S, View, isFill(Kernel), To, From);
  for (uint64_t Z = All.Z.Lo; Z < All.Z.Hi; ++Z)
    if (cudaError_t Error = Run.plane({All.X, All.Y, {Z, Z + 1}}))
      return Error;
  return cudaSuccess;
}

} // namespace gridspan

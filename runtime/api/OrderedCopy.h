//===- OrderedCopy.h - Fills and copies among launches ----------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a fill or copy in its place among launches that wait for each other: it
// waits with them (OperationLegality.h), or has them run first. Entry points
// that use it tell nothing by themselves (Tells::Nothing).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_ORDEREDCOPY_H
#define GRIDSPAN_RUNTIME_API_ORDEREDCOPY_H

#include "runtime/api/ApiCall.h"
#include "runtime/outofcore/OperationLegality.h"
#include "runtime/stream/ProgressWait.h"

namespace gridspan {

inline bool isKind(cudaMemcpyKind Kind) {
  return Kind >= cudaMemcpyHostToHost && Kind <= cudaMemcpyDefault;
}

/// A direction that calls device memory the host's is an error. The other way
/// round cannot be told: host memory may be visible to devices.
inline cudaError_t checkEnds(Runtime &R, const void *Dst, const void *Src,
                             cudaMemcpyKind Kind) {
  if (!Dst || !Src)
    return cudaErrorInvalidValue;
  const bool ToHost =
      Kind == cudaMemcpyHostToHost || Kind == cudaMemcpyDeviceToHost;
  const bool FromHost =
      Kind == cudaMemcpyHostToHost || Kind == cudaMemcpyHostToDevice;
  if ((ToHost && isDeviceOnly(R.memory(), Dst)) ||
      (FromHost && isDeviceOnly(R.memory(), Src)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// Sizes that no address space holds are a program's mistake.
inline constexpr size_t MostBytes = size_t(1) << 48;

/// Returns true if rows, and slices of them, lie within an address space. A
/// pitch that is not used may be any.
inline bool arePitchesSane(size_t Pitch, size_t SlicePitch, size_t Height,
                           size_t Depth = 1) {
  const auto IsSane = [](size_t Step, size_t Count) {
    size_t Bytes = 0;
    return Count <= 1 ||
           (!__builtin_mul_overflow(Step, Count, &Bytes) && Bytes <= MostBytes);
  };
  return IsSane(Pitch, Height) && IsSane(SlicePitch, Depth);
}

/// Returns true if all of a box is the allocation's that it begins in, or if it
/// begins in none of ours. Precondition: it has bytes, and its pitches are
/// sane.
inline bool isWithinOne(Runtime &R, const MemoryOperation::End &Box,
                        const MemoryOperation::Extent &E) {
  const std::shared_ptr<Allocation> A = R.memory().find(Box.At);
  return !A || isWithin(*A, Box.At, Box.span(E));
}

/// A fill or copy of device memory, as the program asks for it.
struct OrderedCopy {
  MemoryOperation::End Dst = {};
  std::optional<MemoryOperation::End> Src = std::nullopt; ///< none: a fill
  MemoryOperation::Extent Bytes = {};
  int Byte = 0;
  NoWaitFor Which = NoWaitFor::DeviceMemory;
  /// The arguments are good: what is wrong with others Now() says.
  bool IsSane = true;
};

/// Does Now(), or has it wait among launches. An operation tells the host
/// nothing; but those of managed memory are done where the host looks.
template <typename Function>
cudaError_t order(Runtime &R, ProgramStream &S, const OrderedCopy &C,
                  const Function &Now) {
  const LaunchReason Why =
      C.IsSane ? whyNoOperation(R.memory(), C.Dst, C.Src ? &*C.Src : nullptr,
                                C.Bytes, C.Which)
               : LaunchReason::DoesNotPay;
  if (Why != LaunchReason::None) {
    if (Why != LaunchReason::DoesNotPay)
      R.launches().noteNotDeferred(/*IsFill=*/!C.Src, Why);
    if (cudaError_t Error = R.launches().finishDeferred())
      return Error;
    if (cudaError_t Error = R.launches().residency().writeBack())
      return Error;
    return Now();
  }
  const bool OnDevicesOnly = isDeviceOnly(R.memory(), C.Dst.At) &&
                             (!C.Src || isDeviceOnly(R.memory(), C.Src->At));
  const auto Alone = [&R, OnDevicesOnly, Now] {
    if (!OnDevicesOnly)
      if (cudaError_t Error = R.launches().residency().writeBack())
        return Error;
    return Now();
  };
  const auto Defer = [&](const MemoryOperation &Op) {
    return R.launches().defer(S, Op, Alone);
  };
  if (const std::optional<cudaError_t> Done =
          C.Src ? Defer(MemoryOperation(C.Dst, *C.Src, C.Bytes))
                : Defer(MemoryOperation(C.Dst, C.Byte, C.Bytes)))
    return *Done;
  if (cudaError_t Error = R.launches().finishDeferred())
    return Error;
  return Alone();
}

/// The same for a call of which Which says whether it is synchronous
/// (DeviceMemory). Then the host waits for what Enqueue() has enqueued, unless
/// it is about memory of devices alone, for which CUDA does not wait either.
template <typename Function>
cudaError_t orderCall(Runtime &R, ProgramStream &S, const OrderedCopy &C,
                      const Function &Enqueue) {
  if (C.Which == NoWaitFor::AnyMemory)
    return order(R, S, C, Enqueue);
  const void *Dst = C.Dst.At, *Src = C.Src ? C.Src->At : C.Dst.At;
  return order(R, S, C, [=, &R, &S] {
    if (isDeviceOnly(R.memory(), Dst) && isDeviceOnly(R.memory(), Src))
      return Enqueue();
    waitWithProgress(R.backend(), R.progress(), S);
    const cudaError_t Error = Enqueue();
    R.memory().noteHostSync();
    return Error ? Error : R.backend().synchronize(S.main());
  });
}

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_API_ORDEREDCOPY_H

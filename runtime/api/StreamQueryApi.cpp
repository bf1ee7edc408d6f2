//===- StreamQueryApi.cpp - Properties of streams -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On GPUs they are those of the stream of device 0; on the CPU device all
// streams are alike, and attributes are hints that nothing heeds.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/backend/cpu/CpuStream.h"

using namespace gridspan;

/// Runs Vendor(native stream), or Own(Runtime &, ProgramStream &).
template <typename VendorFunction, typename OwnFunction>
static cudaError_t queryCall(cudaStream_t Stream, DefaultStream Zero,
                             VendorFunction &&Vendor, OwnFunction &&Own) {
  return observingCall<Tells::Nothing>(
      Stream, Zero, [&](Runtime &R, ProgramStream &S) -> cudaError_t {
        return hasVendorMemory(R) ? Vendor(S.main().native()) : Own(R, S);
      });
}

template <typename T> static cudaError_t give(T *Out, T Value) {
  if (!Out)
    return cudaErrorInvalidValue;
  *Out = Value;
  return cudaSuccess;
}

static cudaError_t getFlags(cudaStream_t Stream, unsigned *Out,
                            DefaultStream Zero) {
  return queryCall(
      Stream, Zero,
      [=](cudaStream_t Native) { return cudaStreamGetFlags(Native, Out); },
      [=](Runtime &, ProgramStream &S) {
        const auto *Own = dynamic_cast<const CpuStream *>(&S.main());
        const bool IsNonBlocking =
            Own && Own->kind() == StreamKind::NonBlocking;
        return give(Out, unsigned(IsNonBlocking ? cudaStreamNonBlocking
                                                : cudaStreamDefault));
      });
}

static cudaError_t getPriority(cudaStream_t Stream, int *Out,
                               DefaultStream Zero) {
  return queryCall(
      Stream, Zero,
      [=](cudaStream_t Native) { return cudaStreamGetPriority(Native, Out); },
      [=](Runtime &, ProgramStream &) { return give(Out, 0); });
}

static cudaError_t getId(cudaStream_t Stream, unsigned long long *Out,
                         DefaultStream Zero) {
  return queryCall(
      Stream, Zero,
      [=](cudaStream_t Native) { return cudaStreamGetId(Native, Out); },
      [=](Runtime &, ProgramStream &S) {
        return give(Out, static_cast<unsigned long long>(
                             reinterpret_cast<uintptr_t>(&S)));
      });
}

static cudaError_t getDevice(cudaStream_t Stream, int *Out,
                             DefaultStream Zero) {
  return queryCall(
      Stream, Zero, [=](cudaStream_t) { return give(Out, 0); },
      [=](Runtime &, ProgramStream &) { return give(Out, 0); });
}

static cudaError_t getAttribute(cudaStream_t Stream, cudaLaunchAttributeID Id,
                                cudaLaunchAttributeValue *Out,
                                DefaultStream Zero) {
  return queryCall(
      Stream, Zero,
      [=](cudaStream_t Native) {
        return cudaStreamGetAttribute(Native, Id, Out);
      },
      [=](Runtime &, ProgramStream &) {
        return give(Out, cudaLaunchAttributeValue{});
      });
}

static cudaError_t setAttribute(cudaStream_t Stream, cudaLaunchAttributeID Id,
                                const cudaLaunchAttributeValue *Value,
                                DefaultStream Zero) {
  return queryCall(
      Stream, Zero,
      [=](cudaStream_t Native) {
        return cudaStreamSetAttribute(Native, Id, Value);
      },
      [=](Runtime &, ProgramStream &) {
        return Value ? cudaSuccess : cudaErrorInvalidValue;
      });
}

static cudaError_t copyAttributes(cudaStream_t Dst, cudaStream_t Src,
                                  DefaultStream Zero) {
  return observingCall<Tells::Nothing>(
      Dst, Zero, [&](Runtime &R, ProgramStream &To) -> cudaError_t {
        const Expected<std::shared_ptr<ProgramStream>> From =
            R.streams().find(Src, Zero);
        if (!From)
          return From.error();
        return hasVendorMemory(R)
                   ? cudaStreamCopyAttributes(To.main().native(),
                                              (*From)->main().native())
                   : cudaSuccess;
      });
}

/// Whoever touches managed memory has it, whatever it is attached to; only
/// CUDA on GPUs is told.
static cudaError_t attach(cudaStream_t Stream, void *Address, size_t Bytes,
                          unsigned Flags, DefaultStream Zero) {
  return queryCall(
      Stream, Zero,
      [=](cudaStream_t Native) {
        ProgramStream::operated();
        return cudaStreamAttachMemAsync(Native, Address, Bytes, Flags);
      },
      [=](Runtime &R, ProgramStream &) {
        const bool IsFlag = Flags == cudaMemAttachGlobal ||
                            Flags == cudaMemAttachHost ||
                            Flags == cudaMemAttachSingle;
        const std::shared_ptr<Allocation> A = R.memory().find(Address);
        return IsFlag && A && A->kind() == AllocationKind::Managed
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
      });
}

#define GRIDSPAN_STREAM_QUERIES(Suffix, Zero)                                  \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamGetFlags##Suffix(            \
      cudaStream_t Stream, unsigned *Out) {                                    \
    return getFlags(Stream, Out, Zero);                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamGetPriority##Suffix(         \
      cudaStream_t Stream, int *Out) {                                         \
    return getPriority(Stream, Out, Zero);                                     \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamGetId##Suffix(               \
      cudaStream_t Stream, unsigned long long *Out) {                          \
    return getId(Stream, Out, Zero);                                           \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamGetDevice##Suffix(           \
      cudaStream_t Stream, int *Out) {                                         \
    return getDevice(Stream, Out, Zero);                                       \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamGetAttribute##Suffix(        \
      cudaStream_t Stream, cudaLaunchAttributeID Id,                           \
      cudaLaunchAttributeValue *Out) {                                         \
    return getAttribute(Stream, Id, Out, Zero);                                \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamSetAttribute##Suffix(        \
      cudaStream_t Stream, cudaLaunchAttributeID Id,                           \
      const cudaLaunchAttributeValue *Value) {                                 \
    return setAttribute(Stream, Id, Value, Zero);                              \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamCopyAttributes##Suffix(      \
      cudaStream_t Dst, cudaStream_t Src) {                                    \
    return copyAttributes(Dst, Src, Zero);                                     \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaStreamAttachMemAsync##Suffix(      \
      cudaStream_t Stream, void *Address, size_t Bytes, unsigned Flags) {      \
    return attach(Stream, Address, Bytes, Flags, Zero);                        \
  }

GRIDSPAN_STREAM_QUERIES(, DefaultStream::Legacy)
GRIDSPAN_STREAM_QUERIES(_ptsz, DefaultStream::PerThread)

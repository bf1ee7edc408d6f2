//===- LaunchApi.cpp - Launches -------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that <<<>>> becomes, and the other ways to launch a kernel. The
// configuration of a launch waits for its stub on a stack of the thread, of
// which the common depth needs no allocation.
//
// Stubs of nvcc 13 ask for a handle of their kernel first and launch that. Here
// the handle is the stub, by which the runtime knows kernels. nvcc 12's, and
// those with __NV_LEGACY_LAUNCH, launch the stub as clang's do.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/backend/Registry.h"
#include "runtime/launch/LaunchLimits.h"
#include "runtime/memory/ManagedVariables.h"
#include <vector>

using namespace gridspan;

namespace {

/// The configuration that <<<>>> leaves for the stub that it calls.
struct CallConfiguration {
  dim3 Grid;
  dim3 Block;
  size_t SharedBytes;
  cudaStream_t Stream;
};

/// The configurations of a thread. They nest only where the arguments of a
/// launch launch something themselves. The common depth is in
/// constant-initialized memory, which a thread finds without asking whether a
/// constructor has run.
constexpr unsigned CommonDepth = 8;
struct CallStack {
  CallConfiguration Common[CommonDepth];
  unsigned Depth;
};

} // namespace

static constinit thread_local CallStack Calls = {};

/// Returns the configurations deeper than CommonDepth.
static std::vector<CallConfiguration> &deeper() {
  thread_local std::vector<CallConfiguration> Stack;
  return Stack;
}

GRIDSPAN_ENTRY unsigned __gridspan___cudaPushCallConfiguration(
    dim3 Grid, dim3 Block, size_t SharedBytes, CUstream_st *Stream) {
  // Field by field here and below: a wider load that finds several stores still
  // on their way waits for them.
  CallConfiguration &New = Calls.Depth < CommonDepth ? Calls.Common[Calls.Depth]
                                                     : deeper().emplace_back();
  New.Grid = Grid;
  New.Block = Block;
  New.SharedBytes = SharedBytes;
  New.Stream = Stream;
  ++Calls.Depth;
  return 0;
}

GRIDSPAN_ENTRY cudaError_t __gridspan___cudaPopCallConfiguration(
    dim3 *Grid, dim3 *Block, size_t *SharedBytes, void *Stream) {
  if (Calls.Depth == 0)
    return lastError() = cudaErrorMissingConfiguration;
  const bool Deep = --Calls.Depth >= CommonDepth;
  const CallConfiguration &C =
      Deep ? deeper().back() : Calls.Common[Calls.Depth];
  *Grid = C.Grid;
  *Block = C.Block;
  *SharedBytes = C.SharedBytes;
  *static_cast<cudaStream_t *>(Stream) = C.Stream;
  if (Deep)
    deeper().pop_back();
  return cudaSuccess;
}

/// Adds a launch to the graph that the stream is captured into.
static cudaError_t captureLaunch(Runtime &R, const void *Function,
                                 const LaunchShape &Shape, void **Args,
                                 ProgramStream &S) {
  const LaunchRequest Request = {
      {Registry::get().kernel(Function), Function}, Shape, Args, S};
  if (!Request.Target.Kernel)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t Error = checkLimits(R.backend(), Request))
    return Error;
  auto Call = KernelCall::copy(Function, Shape, Args);
  if (!Call)
    return Call.error();
  // Another thread may have ended the capture.
  return StreamCapture::get()
      .add(S, kernelTask(std::move(*Call)))
      .value_or(cudaErrorIllegalState);
}

static cudaError_t launch(const void *Function, const LaunchShape &Shape,
                          void **Args, cudaStream_t Stream,
                          DefaultStream Zero) {
  // The engine knows which launches may tell the host something.
  return observingCall<Tells::Nothing>(
      Stream, Zero, [&](Runtime &R, ProgramStream &S) {
        if (!Function)
          return cudaErrorInvalidDeviceFunction;
        if (cudaError_t Error = ManagedVariables::get().install(
                R.backend(), R.memory(), R.symbols()))
          return Error;
        if (StreamCapture::any() && StreamCapture::get().find(S))
          return captureLaunch(R, Function, Shape, Args, S);
        return R.launches().launch(Function, Shape, Args, S);
      });
}

static LaunchShape shapeOf(dim3 Grid, dim3 Block, size_t SharedBytes,
                           bool Cooperative) {
  LaunchShape Shape;
  Shape.Grid = Grid;
  Shape.Block = Block;
  Shape.DynamicSharedBytes = SharedBytes;
  Shape.Cooperative = Cooperative;
  return Shape;
}

/// Returns true for attributes that change when a launch runs or what it finds
/// in caches, but not what it computes.
static bool isHint(cudaLaunchAttributeID Id) {
  return Id == cudaLaunchAttributeIgnore || Id == cudaLaunchAttributePriority ||
         Id == cudaLaunchAttributeProgrammaticStreamSerialization ||
         Id == cudaLaunchAttributeAccessPolicyWindow ||
         Id == cudaLaunchAttributePreferredSharedMemoryCarveout;
}

static cudaError_t launchExC(const cudaLaunchConfig_t *Config,
                             const void *Function, void **Args,
                             DefaultStream Zero) {
  if (!Config || (Config->numAttrs && !Config->attrs))
    return lastError() = cudaErrorInvalidValue;
  LaunchShape Shape = shapeOf(Config->gridDim, Config->blockDim,
                              Config->dynamicSmemBytes, false);
  // Several devices share a launch in order, where hints mean nothing.
  Runtime *Existing = Runtime::existing();
  const bool HasSeveral =
      Existing && Existing->backend().system().numDevices() > 1;
  for (unsigned I = 0; I < Config->numAttrs; ++I) {
    const cudaLaunchAttribute &A = Config->attrs[I];
    if (A.id == cudaLaunchAttributeIgnore || (HasSeveral && isHint(A.id)))
      continue;
    if (A.id == cudaLaunchAttributeCooperative) {
      Shape.Cooperative = A.val.cooperative != 0;
      continue;
    }
    Shape.Attributes = Config->attrs;
    Shape.NumAttributes = Config->numAttrs;
  }
  return launch(Function, Shape, Args, Config->stream, Zero);
}

#define GRIDSPAN_LAUNCHES(Suffix, Zero)                                        \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaLaunchKernel##Suffix(              \
      const void *Function, dim3 Grid, dim3 Block, void **Args,                \
      size_t SharedBytes, cudaStream_t Stream) {                               \
    return launch(Function, shapeOf(Grid, Block, SharedBytes, false), Args,    \
                  Stream, Zero);                                               \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan___cudaLaunchKernel##Suffix(            \
      cudaKernel_t Kernel, dim3 Grid, dim3 Block, void **Args,                 \
      size_t SharedBytes, cudaStream_t Stream) {                               \
    return launch(Kernel, shapeOf(Grid, Block, SharedBytes, false), Args,      \
                  Stream, Zero);                                               \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaLaunchCooperativeKernel##Suffix(   \
      const void *Function, dim3 Grid, dim3 Block, void **Args,                \
      size_t SharedBytes, cudaStream_t Stream) {                               \
    return launch(Function, shapeOf(Grid, Block, SharedBytes, true), Args,     \
                  Stream, Zero);                                               \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaLaunchKernelExC##Suffix(           \
      const cudaLaunchConfig_t *Config, const void *Function, void **Args) {   \
    return launchExC(Config, Function, Args, Zero);                            \
  }

GRIDSPAN_LAUNCHES(, DefaultStream::Legacy)
GRIDSPAN_LAUNCHES(_ptsz, DefaultStream::PerThread)

GRIDSPAN_ENTRY cudaError_t __gridspan___cudaGetKernel(cudaKernel_t *Kernel,
                                                      const void *Stub) {
  if (!Kernel)
    return lastError() = cudaErrorInvalidValue;
  // For an unknown stub too: the stub ignores the error, and it is its launch
  // that must fail.
  *Kernel = static_cast<cudaKernel_t>(const_cast<void *>(Stub));
  if (!Registry::get().knows(Stub))
    return lastError() = cudaErrorInvalidDeviceFunction;
  return cudaSuccess;
}

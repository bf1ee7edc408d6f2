//===- Launcher.cpp - Kernel launches -------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches go to the driver directly: the CUDA runtime would look the stub up
// again, and can launch on the current device only. Questions about kernels go
// to the CUDA runtime, whose answers the program expects.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Launcher.h"
#include <boost/container/small_vector.hpp>
#include <cstring>
#include <cuda_runtime_api.h>

namespace gridspan::cuda {

static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(cudaLaunchAttributeCooperative ==
              static_cast<int>(CU_LAUNCH_ATTRIBUTE_COOPERATIVE));
static_assert(cudaLaunchAttributePriority ==
              static_cast<int>(CU_LAUNCH_ATTRIBUTE_PRIORITY));
static_assert(
    cudaFuncAttributeMaxDynamicSharedMemorySize ==
    static_cast<int>(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
static_assert(
    cudaFuncAttributePreferredSharedMemoryCarveout ==
    static_cast<int>(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT));
static_assert(
    cudaFuncAttributeNonPortableClusterSizeAllowed ==
    static_cast<int>(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));

/// Returns the stub by which the CUDA runtime knows the kernel or its clone.
static const void *stubOf(const LaunchTarget &Target) {
  const GridspanKernel *K = Target.Kernel;
  if (!K)
    return Target.Function;
  if (Target.Tiled)
    return Target.NoAlias && K->TiledNoAliasStub ? K->TiledNoAliasStub
                                                 : K->TiledStub;
  return Target.NoAlias && K->NoAliasStub ? K->NoAliasStub : K->HostStub;
}

Launcher::Launcher(const DeviceList &Devices)
    : Devices(Devices), Functions(Devices), IsOpened(Devices.size()) {
  for (size_t I = 0, E = Devices.size(); I != E; ++I)
    IsOpened[I] = Devices[I]->isOpen();
}

/// Clears an error in the CUDA runtime: the program gets it as the result.
static cudaError_t answered(cudaError_t E) {
  if (E)
    cudaGetLastError();
  return E;
}

cudaError_t Launcher::start(CUfunction F, CUstream S, const LaunchShape &Shape,
                            void **Args) {
  const Driver &D = Devices[0]->driver();
  if (!Shape.Cooperative && Shape.NumAttributes == 0)
    return toError(D.cuLaunchKernel(F, Shape.Grid.x, Shape.Grid.y, Shape.Grid.z,
                                    Shape.Block.x, Shape.Block.y, Shape.Block.z,
                                    Shape.DynamicSharedBytes, S, Args,
                                    nullptr));

  boost::container::small_vector<CUlaunchAttribute, 8> Attributes(
      Shape.NumAttributes);
  if (Shape.NumAttributes)
    std::memcpy(static_cast<void *>(Attributes.data()), Shape.Attributes,
                Shape.NumAttributes * sizeof(CUlaunchAttribute));
  if (Shape.Cooperative) {
    CUlaunchAttribute A = {};
    A.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    A.value.cooperative = 1;
    Attributes.push_back(A);
  }
  CUlaunchConfig Config = {};
  Config.gridDimX = Shape.Grid.x;
  Config.gridDimY = Shape.Grid.y;
  Config.gridDimZ = Shape.Grid.z;
  Config.blockDimX = Shape.Block.x;
  Config.blockDimY = Shape.Block.y;
  Config.blockDimZ = Shape.Block.z;
  Config.sharedMemBytes = Shape.DynamicSharedBytes;
  Config.hStream = S;
  Config.attrs = Attributes.data();
  Config.numAttrs = Attributes.size();
  return toError(D.cuLaunchKernelEx(&Config, F, Args, nullptr));
}

cudaError_t Launcher::launch(Stream &S, const LaunchTarget &Target,
                             const LaunchShape &Shape, void *const *Args,
                             const GridspanTile *Tile) {
  CurrentDevice Scope(Devices, S.device());
  LaunchTarget Asked = Target;
  Asked.Tiled = Tile != nullptr;
  CUfunction F;
  if (!Tile) {
    cudaError_t E = Functions.function(stubOf(Asked), S.device(), F);
    if (E == cudaErrorInvalidDeviceFunction && !Target.Kernel)
      return launchForeign(S, Target.Function, Shape, Args);
    if (E)
      return E;
    return start(F, S.native(), Shape, const_cast<void **>(Args));
  }

  if (cudaError_t E = Functions.function(stubOf(Asked), S.device(), F))
    return E;
  unsigned NumParams = Target.Kernel->NumParams;
  boost::container::small_vector<void *, 32> TiledArgs(Args, Args + NumParams);
  TiledArgs.push_back(const_cast<GridspanTile *>(Tile));
  return start(F, S.native(), Shape, TiledArgs.data());
}

/// The function may be a handle (cudaKernel_t) rather than a stub; the CUDA
/// runtime takes those as well. Errors are those of the call that the program
/// made, which differ between the two.
cudaError_t Launcher::launchForeign(Stream &S, const void *Function,
                                    const LaunchShape &Shape,
                                    void *const *Args) {
  if (!Shape.Cooperative && Shape.NumAttributes == 0)
    return answered(cudaLaunchKernel(Function, Shape.Grid, Shape.Block,
                                     const_cast<void **>(Args),
                                     Shape.DynamicSharedBytes, S.native()));
  boost::container::small_vector<cudaLaunchAttribute, 8> Attributes(
      Shape.Attributes, Shape.Attributes + Shape.NumAttributes);
  if (Shape.Cooperative) {
    cudaLaunchAttribute A = {};
    A.id = cudaLaunchAttributeCooperative;
    A.val.cooperative = 1;
    Attributes.push_back(A);
  }
  cudaLaunchConfig_t Config = {};
  Config.gridDim = Shape.Grid;
  Config.blockDim = Shape.Block;
  Config.dynamicSmemBytes = Shape.DynamicSharedBytes;
  Config.stream = S.native();
  Config.attrs = Attributes.data();
  Config.numAttrs = Attributes.size();
  return answered(
      cudaLaunchKernelExC(&Config, Function, const_cast<void **>(Args)));
}

unsigned Launcher::argumentWords(const LaunchTarget &Target, void *const *Args,
                                 void **Out, unsigned Most) {
  unsigned Count = 0;
  CurrentDevice Scope(Devices, 0);
  const std::vector<size_t> Sizes = Functions.parameterSizes(stubOf(Target));
  for (size_t I = 0; Args && I < Sizes.size(); ++I)
    for (size_t At = 0; At + sizeof(void *) <= Sizes[I] && Count < Most;
         At += sizeof(void *))
      std::memcpy(&Out[Count++], static_cast<const std::byte *>(Args[I]) + At,
                  sizeof(void *));
  return Count;
}

cudaError_t Launcher::attributes(const LaunchTarget &Target,
                                 cudaFuncAttributes &Out) {
  const void *Stub = stubOf(Target);
  {
    ReaderLock Guard(AttributesLock);
    if (auto It = Attributes.find(Stub); It != Attributes.end()) {
      Out = It->second;
      return cudaSuccess;
    }
  }
  CurrentDevice Scope(Devices, 0);
  WriterLock Guard(AttributesLock);
  cudaError_t E = answered(cudaFuncGetAttributes(&Out, Stub));
  if (!E)
    Attributes[Stub] = Out;
  return E;
}

cudaError_t Launcher::setAttribute(const LaunchTarget &Target,
                                   cudaFuncAttribute Attribute, int Value) {
  const GridspanKernel *K = Target.Kernel;
  const void *Stubs[] = {stubOf(Target),
                         K ? K->TiledStub : nullptr,
                         K ? K->NoAliasStub : nullptr,
                         K ? K->TiledNoAliasStub : nullptr,
                         K && K->Packed ? K->Packed->TiledStub : nullptr,
                         K && K->Recording ? K->Recording->HostStub : nullptr,
                         K && K->Formed ? K->Formed->HostStub : nullptr,
                         K && K->Formed ? K->Formed->NoAliasStub : nullptr};
  WriterLock Guard(AttributesLock);
  for (const void *Stub : Stubs)
    Attributes.erase(Stub);
  for (int I = 0, E = Devices.size(); I != E; ++I) {
    if (!IsOpened[I]) {
      for (const void *Stub : Stubs)
        if (Stub)
          SetBefore[{Stub, Attribute}] = Value;
      continue;
    }
    // To wait for a device here would be to wait for opened().
    CurrentDevice Scope(Devices, Devices[I]->ownContext());
    for (const void *Stub : Stubs)
      if (Stub)
        if (cudaError_t Error =
                answered(cudaFuncSetAttribute(Stub, Attribute, Value)))
          return Error;
  }
  return cudaSuccess;
}

void Launcher::opened(int Device) {
  WriterLock Guard(AttributesLock);
  CurrentDevice Scope(Devices, Devices[Device]->ownContext());
  // Of those that have been unloaded since nobody wants to know.
  for (const auto &[What, Value] : SetBefore)
    (void)answered(cudaFuncSetAttribute(What.first, What.second, Value));
  IsOpened[Device] = true;
}

cudaError_t Launcher::occupancy(const LaunchTarget &Target, int BlockThreads,
                                size_t DynamicSharedBytes, unsigned Flags,
                                int &BlocksPerMultiprocessor) {
  CurrentDevice Scope(Devices, 0);
  return answered(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &BlocksPerMultiprocessor, stubOf(Target), BlockThreads,
      DynamicSharedBytes, Flags));
}

} // namespace gridspan::cuda

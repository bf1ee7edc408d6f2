//===- GraphTasks.cpp - What nodes of graphs do ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes functions of a stream from the parameters of nodes. They own what they
// need: a program may reuse the structures that it has passed.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/GraphTasks.h"
#include "runtime/api/BoxCopy.h"
#include "runtime/api/CpuGraph.h"
#include "runtime/backend/Registry.h"
#include <cstring>

namespace gridspan {

Expected<std::shared_ptr<const KernelCall>>
KernelCall::copy(const void *Function, const LaunchShape &Shape,
                 void *const *Arguments) {
  const GridspanKernel *Kernel = Registry::get().kernel(Function);
  if (!Kernel)
    return cudaErrorInvalidDeviceFunction;
  if (Kernel->NumParams && !Arguments)
    return cudaErrorInvalidValue;
  auto Call = std::make_shared<KernelCall>();
  Call->Function = Function;
  Call->Shape = Shape;
  Call->Attributes.assign(Shape.Attributes,
                          Shape.Attributes + Shape.NumAttributes);
  Call->Shape.Attributes =
      Call->Attributes.empty() ? nullptr : Call->Attributes.data();
  size_t Bytes = 0;
  for (uint32_t I = 0; I != Kernel->NumParams; ++I)
    Bytes = std::max<size_t>(Bytes,
                             Kernel->Params[I].Offset + Kernel->Params[I].Size);
  Call->Storage.resize(Bytes);
  for (uint32_t I = 0; I != Kernel->NumParams; ++I) {
    std::byte *At = Call->Storage.data() + Kernel->Params[I].Offset;
    std::memcpy(At, Arguments[I], Kernel->Params[I].Size);
    Call->Arguments.push_back(At);
  }
  return std::shared_ptr<const KernelCall>(std::move(Call));
}

GraphMemory::~GraphMemory() {
  GraphTable::get().forget(*this);
  Runtime *R = Runtime::existing();
  if ((IsFreed || !IsInGraph) && R)
    (void)R->memory().free(Address);
}

GraphTask kernelTask(std::shared_ptr<const KernelCall> Call) {
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeKernel;
  Out.Kernel = Call;
  Out.Work = [Call = std::move(Call)](Runtime &R, ProgramStream &S) {
    return R.launches().launch(Call->Function, Call->Shape,
                               Call->Arguments.data(), S);
  };
  return Out;
}

Expected<GraphTask> kernelTask(const cudaKernelNodeParams &P) {
  if (P.extra)
    return cudaErrorNotSupported; // arguments as one block of bytes
  LaunchShape Shape;
  Shape.Grid = P.gridDim;
  Shape.Block = P.blockDim;
  Shape.DynamicSharedBytes = P.sharedMemBytes;
  auto Call = KernelCall::copy(P.func, Shape, P.kernelParams);
  if (!Call)
    return Call.error();
  return kernelTask(std::move(*Call));
}

Expected<GraphTask> copyTask(const cudaMemcpy3DParms &P) {
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeMemcpy;
  Out.Copy = P;
  Out.Work = [P](Runtime &R, ProgramStream &S) { return copy3D(R, S, &P); };
  return Out;
}

Expected<GraphTask> copyTask(void *Dst, const void *Src, size_t Bytes,
                             cudaMemcpyKind Kind) {
  if (!Dst || !Src || Bytes == 0)
    return cudaErrorInvalidValue;
  if (Kind < cudaMemcpyHostToHost || Kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeMemcpy;
  // The same as a box of one row, for who asks.
  cudaMemcpy3DParms P = {};
  P.srcPtr = {const_cast<void *>(Src), Bytes, Bytes, 1};
  P.dstPtr = {Dst, Bytes, Bytes, 1};
  P.extent = {Bytes, 1, 1};
  P.kind = Kind;
  Out.Copy = P;
  Out.Work = [=](Runtime &R, ProgramStream &S) {
    return R.copies().copy(S, Dst, Src, Bytes);
  };
  return Out;
}

/// Fills with elements of two or four bytes: a copy from the host.
static GraphWork patternWork(const cudaMemsetParams &P) {
  auto Row = std::make_shared<std::vector<std::byte>>(P.width * P.elementSize *
                                                      P.height);
  for (size_t I = 0; I != P.width * P.height; ++I)
    std::memcpy(Row->data() + I * P.elementSize, &P.value, P.elementSize);
  return [Row, P](Runtime &R, ProgramStream &S) {
    const size_t Width = P.width * P.elementSize;
    return R.copies().copy2D(S, P.dst, P.height == 1 ? Width : P.pitch,
                             Row->data(), Width, Width, P.height);
  };
}

Expected<GraphTask> fillTask(const cudaMemsetParams &P) {
  const bool IsSize =
      P.elementSize == 1 || P.elementSize == 2 || P.elementSize == 4;
  if (!P.dst || !IsSize || P.width == 0 || P.height == 0 ||
      (P.height > 1 && P.pitch < P.width * P.elementSize))
    return cudaErrorInvalidValue;
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeMemset;
  Out.Fill = P;
  unsigned char Bytes[sizeof(P.value)];
  std::memcpy(Bytes, &P.value, sizeof(Bytes));
  bool IsBytes = true;
  for (unsigned I = 1; I < P.elementSize; ++I)
    IsBytes &= Bytes[I] == Bytes[0];
  if (!IsBytes) {
    Out.Work = patternWork(P);
    return Out;
  }
  Out.Work = [P, Byte = int(Bytes[0])](Runtime &R, ProgramStream &S) {
    const size_t Width = P.width * P.elementSize;
    return fill2D(R, S, P.dst, P.height == 1 ? Width : P.pitch, Byte, Width,
                  P.height);
  };
  return Out;
}

Expected<GraphTask> hostTask(const cudaHostNodeParams &P) {
  if (!P.fn)
    return cudaErrorInvalidValue;
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeHost;
  Out.Host = P;
  Out.Work = [P](Runtime &R, ProgramStream &S) {
    MutexLock Order(S.lock());
    return R.backend().hostFunction(S.main(), [P] { P.fn(P.userData); });
  };
  return Out;
}

GraphTask childTask(const CpuGraph &Graph) {
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeGraph;
  Out.Child = Graph.clone();
  return Out;
}

Expected<GraphTask> choiceTask(const CpuGraph &Graph,
                               cudaConditionalNodeParams &P) {
  GraphChoice Choice;
  Choice.Type = P.type;
  Choice.Condition = Graph.condition(P.handle);
  const unsigned Most = P.type == cudaGraphCondTypeIf      ? 2
                        : P.type == cudaGraphCondTypeWhile ? 1
                        : P.type == cudaGraphCondTypeSwitch
                            ? std::numeric_limits<unsigned>::max()
                            : 0;
  if (!Choice.Condition || P.size == 0 || P.size > Most)
    return cudaErrorInvalidValue;
  std::vector<cudaGraph_t> Handles;
  for (unsigned I = 0; I != P.size; ++I) {
    Choice.Bodies.push_back(std::make_shared<CpuGraph>());
    Handles.push_back(GraphTable::get().lend(Choice.Bodies.back()));
  }
  Choice.Handles =
      std::make_shared<const std::vector<cudaGraph_t>>(std::move(Handles));
  // CUDA's type says that the program may write there, its text that it is
  // CUDA's.
  P.phGraph_out = const_cast<cudaGraph_t *>(Choice.Handles->data());
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeConditional;
  Out.Choice = std::move(Choice);
  return Out;
}

GraphTask recordTask(cudaEvent_t Handle) {
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeEventRecord;
  Out.Event = Handle;
  Out.Work = [Handle](Runtime &R, ProgramStream &S) {
    const Expected<std::shared_ptr<Event>> E = R.findEvent(Handle);
    if (!E)
      return E.error();
    MutexLock Order(S.lock());
    return R.backend().record(**E, S.main());
  };
  return Out;
}

GraphTask waitTask(cudaEvent_t Handle) {
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeWaitEvent;
  Out.Event = Handle;
  Out.Work = [Handle](Runtime &R, ProgramStream &S) {
    const Expected<std::shared_ptr<Event>> E = R.findEvent(Handle);
    if (!E)
      return E.error();
    MutexLock Order(S.lock());
    return R.backend().wait(S.main(), **E);
  };
  return Out;
}

Expected<GraphTask> allocationTask(Runtime &R, size_t Bytes) {
  if (Bytes == 0)
    return cudaErrorInvalidValue;
  auto Memory = std::make_shared<GraphMemory>();
  const Expected<void *> Address =
      R.memory().allocate(Bytes, AllocationKind::Device);
  if (!Address)
    return Address.error();
  Memory->Address = *Address;
  Memory->Bytes = Bytes;
  GraphTable::get().insert(Memory);
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeMemAlloc;
  Out.Memory = std::move(Memory);
  return Out;
}

Expected<GraphTask> freeTask(void *Address) {
  GraphTask Out;
  Out.Type = cudaGraphNodeTypeMemFree;
  Out.Memory = GraphTable::get().memory(Address);
  if (!Out.Memory)
    return cudaErrorInvalidValue;
  Out.Memory->IsFreed = true;
  return Out;
}

} // namespace gridspan

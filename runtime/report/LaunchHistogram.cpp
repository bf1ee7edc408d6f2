//===- LaunchHistogram.cpp - The commonest launch of a kernel -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two maps, of shapes and of the bytes of scalar arguments, each with a bound.
// Kernels whose launches differ each time fill them once; those whose launches
// repeat, which advice is for, are counted from the beginning.
//
//===----------------------------------------------------------------------===//

#include "runtime/report/LaunchHistogram.h"
#include "runtime/backend/Backend.h"
#include <algorithm>
#include <cstring>

namespace gridspan {

/// The most shapes, and the most arguments of a shape, that are remembered of a
/// kernel.
constexpr size_t MostShapes = 64, MostArguments = 64;
/// The most bytes of a parameter: larger structs say nothing that anybody would
/// type.
constexpr uint32_t MostBytes = 256;

std::vector<ScalarParam> scalarsOf(const GridspanKernel &Kernel) {
  std::vector<ScalarParam> Out;
  for (uint32_t I = 0; I < Kernel.NumParams; ++I) {
    uint32_t InPointers = 0;
    for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
      if (Kernel.Pointers[P].Param == I)
        InPointers += sizeof(void *);
    if (Kernel.Params[I].Size <= MostBytes &&
        Kernel.Params[I].Size > InPointers)
      Out.push_back({I, Kernel.Params[I].Size});
  }
  return Out;
}

std::string scalarBytes(const GridspanKernel &Kernel,
                        const std::vector<ScalarParam> &Scalars,
                        void *const *Args) {
  std::string Out;
  for (const ScalarParam &S : Scalars) {
    const size_t At = Out.size();
    Out.append(static_cast<const char *>(Args[S.Index]), S.Size);
    for (uint32_t P = 0; P < Kernel.NumPointers; ++P)
      if (const GridspanPointer &Pointer = Kernel.Pointers[P];
          Pointer.Param == S.Index)
        std::memset(Out.data() + At + Pointer.Offset, 0, sizeof(void *));
  }
  return Out;
}

void LaunchCounts::count(const GridspanKernel &K, const LaunchShape &S,
                         void *const *Args) {
  const Shape Key = {S.Grid.x,
                     S.Grid.y,
                     S.Grid.z,
                     S.Block.x,
                     S.Block.y,
                     S.Block.z,
                     S.DynamicSharedBytes};
  MutexLock Guard(Lock);
  if (Shapes.empty())
    Scalars = scalarsOf(K);
  auto Found = Shapes.find(Key);
  if (Found == Shapes.end()) {
    if (Shapes.size() == MostShapes)
      return;
    Found = Shapes.emplace(Key, Entry()).first;
  }
  Entry &E = Found->second;
  ++E.Launches;
  std::string Bytes = scalarBytes(K, Scalars, Args);
  if (auto It = E.Arguments.find(Bytes); It != E.Arguments.end())
    ++It->second;
  else if (E.Arguments.size() < MostArguments)
    E.Arguments.emplace(std::move(Bytes), 1);
}

LaunchHistogram LaunchCounts::commonest() const {
  MutexLock Guard(Lock);
  LaunchHistogram Out;
  const Entry *Best = nullptr;
  // Of those that are as common, the largest grid.
  for (const auto &[Key, E] : Shapes) {
    if (E.Launches < Out.Launches)
      continue;
    Best = &E;
    Out.Launches = E.Launches;
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      Out.Grid[Axis] = static_cast<uint32_t>(Key[Axis]);
      Out.Block[Axis] = static_cast<uint32_t>(Key[3 + Axis]);
    }
    Out.SharedBytes = Key[6];
  }
  if (!Best)
    return Out;
  const auto Arguments = std::max_element(
      Best->Arguments.begin(), Best->Arguments.end(),
      [](const auto &A, const auto &B) { return A.second < B.second; });
  size_t At = 0;
  for (const ScalarParam &S : Scalars) {
    ScalarArgument &A = Out.Arguments.emplace_back();
    A.Index = S.Index;
    A.Bytes.resize(S.Size);
    std::memcpy(A.Bytes.data(), Arguments->first.data() + At, S.Size);
    At += S.Size;
  }
  return Out;
}

} // namespace gridspan

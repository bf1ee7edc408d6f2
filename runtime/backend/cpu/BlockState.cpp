//===- BlockState.cpp - A launch and a block while they run ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's shared memory is contiguous: static variables at the offsets that
// the lowering gave them, then the dynamic bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/BlockState.h"
#include "runtime/backend/cpu/LaunchBlocks.h"
#include <cstddef>
#include <cstdio>
#include <fmt/format.h>

using namespace gridspan;

/// Bytes that CUDA reserves for cooperative groups in each block.
constexpr size_t ReservedBytes = 1024;

static_assert(offsetof(BlockState, Abi) == 0,
              "device code's pointer is one to the block");

BlockState &BlockState::of(const GridspanCpuBlock *Abi) {
  return *reinterpret_cast<BlockState *>(const_cast<GridspanCpuBlock *>(Abi));
}

bool BlockState::allocate(LaunchState &L) {
  Launch = &L;
  const CpuLaunch &C = L.Launch;
  const size_t Static = C.Code->StaticSharedBytes;
  Shared = LowMemory(ReservedBytes + Static + C.DynamicSharedBytes);
  if (!Shared.data()) {
    L.fail(cudaErrorMemoryAllocation,
           fmt::format("gridspan: {}: there is no memory below 4 GiB for the "
                       "shared variables of a block",
                       C.Kernel->Name));
    return false;
  }
  Reserved = Shared.data();
  Abi.StaticShared = Reserved + ReservedBytes;
  Abi.DynamicShared = Abi.StaticShared + Static;
  Abi.Image = static_cast<char *>(C.Image);
  Abi.BlockDimX = C.Block.x;
  Abi.BlockDimY = C.Block.y;
  Abi.BlockDimZ = C.Block.z;
  Abi.GridDimX = C.Grid.x;
  Abi.GridDimY = C.Grid.y;
  Abi.GridDimZ = C.Grid.z;
  Abi.DynamicSharedBytes = C.DynamicSharedBytes;
  return true;
}

void BlockState::setBlock(uint64_t NewNumber) {
  Number = NewNumber;
  const dim3 &Grid = Launch->Launch.Grid;
  Abi.BlockIdxX = Number % Grid.x;
  Abi.BlockIdxY = Number / Grid.x % Grid.y;
  Abi.BlockIdxZ = Number / Grid.x / Grid.y;
}

bool BlockState::isShared(const void *Address) const {
  const auto *P = static_cast<const char *>(Address);
  return P >= Reserved && P < Shared.data() + Shared.size();
}

bool BlockState::holdsShared(const void *Address, uint64_t Bytes,
                             bool WithReserved) const {
  const auto *P = static_cast<const char *>(Address);
  const char *End = Abi.DynamicShared + Abi.DynamicSharedBytes;
  return P >= (WithReserved ? Reserved : Abi.StaticShared) && P <= End &&
         Bytes <= static_cast<uint64_t>(End - P);
}

void LaunchState::fail(cudaError_t NewError, std::string Text) {
  if (Error != cudaSuccess)
    return;
  Error = NewError;
  Message = std::move(Text);
}

void LaunchState::noteFailed(uint64_t Block) {
  FailedBlock = Block;
  Blocks.fail(Block);
}

void LaunchState::passOutput() {
  if (Output.empty())
    return;
  if (Blocks.isShared()) {
    Blocks.print(OutputBlock, Output);
    Output.clear();
    return;
  }
  std::fwrite(Output.data(), 1, Output.size(), stdout);
  std::fflush(stdout);
  Output.clear();
}

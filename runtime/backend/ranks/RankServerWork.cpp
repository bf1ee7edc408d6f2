//===- RankServerWork.cpp - Work in the streams of a server ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, fills and launches, and steps for which a stream waits for another
// rank.
//
//===----------------------------------------------------------------------===//

#include "gridspan/ABI.h"
#include "runtime/backend/Reduction.h"
#include "runtime/backend/ranks/KernelNames.h"
#include "runtime/backend/ranks/RankServer.h"
#include "runtime/backend/ranks/ServerStream.h"
#include <cuda_runtime_api.h>

namespace gridspan::ranks {

static void *pointer(uint64_t Address) {
  return reinterpret_cast<void *>(Address);
}

void RankServer::run(uint64_t Number,
                     std::function<cudaError_t(Stream &)> Work) {
  ServerStream *S = stream(Number);
  if (!S)
    return fail(cudaErrorInvalidResourceHandle);
  S->run([this, Native = S->Native.get(), Work = std::move(Work)] {
    if (cudaError_t Error = Work(*Native))
      fail(Error);
  });
}

void RankServer::on(int, const Step &M, const Buffer &Keep) {
  ServerStream *S = stream(M.Stream);
  if (!S || M.Rank < 0 || M.Rank >= Way.numRanks())
    return fail(cudaErrorInvalidResourceHandle);
  S->Queue->push({}, [this, M, Keep, Native = S->Native.get()] {
    // After an error the step is left out, as work on a GPU is.
    if (B->synchronize(*Native))
      return;
    Way.send(M.Rank, {M.Message.begin(), M.Message.end()});
    if (const int32_t Error = Tokens.wait(M.For).Error)
      fail(static_cast<cudaError_t>(Error));
  });
}

void RankServer::on(int, const Copy &M, const Buffer &) {
  const auto Check = [this](uint64_t Address, uint64_t Bytes) {
    return mayTouch(Address, Bytes);
  };
  if (!DataMover::areSane(M.Dst, M.Width, M.Height, Check) ||
      !DataMover::areSane(M.Src, M.Width, M.Height, Check))
    return fail(cudaErrorInvalidValue);
  run(M.Stream, [this, M](Stream &S) {
    return M.Height == 1 ? B->copy(S, pointer(M.Dst.Address),
                                   pointer(M.Src.Address), M.Width)
                         : B->copy2D(S, pointer(M.Dst.Address), M.Dst.Pitch,
                                     pointer(M.Src.Address), M.Src.Pitch,
                                     M.Width, M.Height);
  });
}

void RankServer::on(int, const Write &M, const Buffer &Keep) {
  ServerStream *S = stream(M.Stream);
  const auto Check = [this](uint64_t Address, uint64_t Bytes) {
    return mayTouch(Address, Bytes);
  };
  if (!S || !DataMover::areSane(M.Dst, M.Width, M.Height, Check) ||
      M.Bytes.size() / M.Width != M.Height || M.Bytes.size() % M.Width) {
    settle(M);
    return fail(cudaErrorInvalidValue);
  }
  // Pageable memory: the backend may wait for the stream.
  S->Queue->push({}, [this, M, Keep, Native = S->Native.get()] {
    if (cudaError_t Error =
            B->copy2D(*Native, pointer(M.Dst.Address), M.Dst.Pitch,
                      M.Bytes.data(), M.Width, M.Width, M.Height))
      fail(Error);
    settle(M);
  });
}

/// The bytes of a Write are no longer kept.
void RankServer::settle(const Write &M) {
  if (const uint64_t Bytes = Owed.add(0, M.Bytes.size()))
    send(0, Credit{true, Bytes});
}

void RankServer::on(int, const Fill &M, const Buffer &) {
  if (!mayTouch(M.Address, M.Bytes))
    return fail(cudaErrorInvalidValue);
  run(M.Stream, [this, M](Stream &S) {
    return B->fill(S, pointer(M.Address), M.Byte, M.Bytes);
  });
}

/// Returns true if Bytes each for so many elements are no more than memory.
static bool isCount(uint64_t Count) { return Count <= (uint64_t(1) << 43); }

void RankServer::on(int, const FillIdentity &M, const Buffer &) {
  const auto Kind = static_cast<GridspanReduction>(M.Reduction);
  const uint64_t Size = elementBytes(Kind);
  if (!Size || !isCount(M.Count) ||
      (M.Count && !mayTouch(M.Address, M.Count * Size)) || M.Address % Size)
    return fail(cudaErrorInvalidValue);
  run(M.Stream, [this, M, Kind](Stream &S) {
    return B->fillIdentity(S, Kind, pointer(M.Address), M.Count);
  });
}

void RankServer::on(int, const Combine &M, const Buffer &) {
  const auto Kind = static_cast<GridspanReduction>(M.Reduction);
  const uint64_t Size = elementBytes(Kind);
  if (!Size || !isCount(M.Count) || M.Into % Size || M.From % Size ||
      (M.Count && (!mayTouch(M.Into, M.Count * Size) ||
                   !mayTouch(M.From, M.Count * Size))))
    return fail(cudaErrorInvalidValue);
  run(M.Stream, [this, M, Kind](Stream &S) {
    const void *const From = pointer(M.From);
    return B->combine(S, Kind, pointer(M.Into), {&From, 1}, M.Count);
  });
}

//===--- Launches -------------------------------------------------------===//

static dim3 dim(const std::array<uint32_t, 3> &A) {
  return dim3(A[0], A[1], A[2]);
}

/// Returns true if a block has 1 to 1024 threads, and a grid some blocks.
static bool isShape(const Launch &M) {
  uint64_t Threads = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    if (M.Block[Axis] == 0 || M.Block[Axis] > 1024 || M.Grid[Axis] == 0 ||
        M.Grid[Axis] > INT32_MAX)
      return false;
    Threads *= M.Block[Axis];
  }
  return Threads <= 1024;
}

void RankServer::on(int, const Launch &M, const Buffer &Keep) {
  const auto It = Kernels.find(M.Kernel);
  if (It == Kernels.end())
    return fail(cudaErrorInvalidDeviceFunction);
  const GridspanKernel *K = It->second;
  if (!isShape(M) || M.Arguments.size() != argumentBytes(*K) ||
      M.SharedBytes > (1 << 20))
    return fail(cudaErrorInvalidValue);
  run(M.Stream, [this, M, Keep, K](Stream &S) {
    std::vector<void *> Args;
    for (uint32_t I = 0; I != K->NumParams; ++I)
      Args.push_back(
          const_cast<std::byte *>(M.Arguments.data() + K->Params[I].Offset));
    LaunchTarget Target;
    Target.Kernel = K;
    Target.Function = K->HostStub;
    Target.NoAlias = M.NoAlias;
    LaunchShape Shape;
    Shape.Grid = dim(M.Grid);
    Shape.Block = dim(M.Block);
    Shape.DynamicSharedBytes = M.SharedBytes;
    Shape.Cooperative = M.Cooperative;
    cudaLaunchAttribute Cluster = {};
    Cluster.id = cudaLaunchAttributeClusterDimension;
    Cluster.val.clusterDim = {M.Cluster[0], M.Cluster[1], M.Cluster[2]};
    if (M.Cluster[0]) {
      Shape.Attributes = &Cluster;
      Shape.NumAttributes = 1;
    }
    const GridspanTile Tile = {{M.Tile[0], M.Tile[1], M.Tile[2]},
                               {M.Tile[3], M.Tile[4], M.Tile[5]}};
    return B->launch(S, Target, Shape, Args.data(),
                     M.HasTile ? &Tile : nullptr);
  });
}

//===--- Work for streams of other ranks --------------------------------===//

void RankServer::on(int, const Pull &M, const Buffer &) {
  if (Mover)
    Mover->pull(M);
}

void RankServer::on(int From, const Data &M, const Buffer &Keep) {
  if (Mover)
    Mover->data(From, M, Keep);
}

void RankServer::on(int, const FillAt &M, const Buffer &) {
  if (Mover)
    Mover->fill(M);
}

void RankServer::on(int From, const Credit &M, const Buffer &) {
  if (Mover && !M.OfWrites)
    Mover->credit(From, M.Bytes);
}

} // namespace gridspan::ranks

//===- RankServerMemory.cpp - Memory of a rank, for rank 0 ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank 0 chooses addresses, and a rank reserves them and maps pages there. To
// make and to map pages are questions, so that a rank that has no room is no
// error: its answer says so, and rank 0 does without.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ranks/RankServer.h"
#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace gridspan::ranks {

/// Returns true if the bytes are whole pages, and not too many.
static bool arePages(const Backend &B, uint64_t Address, uint64_t Bytes) {
  const uint64_t Page = B.system().PageSize;
  return Bytes && Bytes % Page == 0 && Address % Page == 0 &&
         Bytes <= (uint64_t(1) << 47) && Address <= (uint64_t(1) << 47);
}

void RankServer::on(int, const CreatePages &M, const Buffer &) {
  const bool IsPlace = isDevice(M.Where) || (B && M.Where == Host);
  if (!IsPlace || !arePages(*B, 0, M.Bytes) || AllPages.contains(M.Pages))
    return reply(M.To, cudaErrorInvalidValue);
  std::unique_ptr<Pages> New;
  const cudaError_t Error = B->createPages(M.Where, M.Bytes, New);
  if (!Error)
    AllPages.emplace(M.Pages, std::move(New));
  reply(M.To, Error);
}

void RankServer::on(int, const DestroyPages &M, const Buffer &) {
  AllPages.erase(M.Pages);
}

void RankServer::on(int, const MapPages &M, const Buffer &) {
  const auto It = AllPages.find(M.Pages);
  if (It == AllPages.end() || !arePages(*B, M.Address, M.Bytes) ||
      M.Offset > It->second->bytes() ||
      M.Bytes > It->second->bytes() - M.Offset ||
      M.Offset % B->system().PageSize)
    return reply(M.To, cudaErrorInvalidValue);
  // Work that needs them goes elsewhere, as if there were no pages.
  if (!Reserved.covers(M.Address, M.Bytes))
    return reply(M.To, cudaErrorMemoryAllocation);
  const cudaError_t Error = B->map(reinterpret_cast<void *>(M.Address),
                                   *It->second, M.Offset, M.Bytes);
  if (!Error) {
    MutexLock Guard(MemoryLock);
    Touchable.set(M.Address, M.Bytes, 0);
  }
  reply(M.To, Error);
}

void RankServer::on(int, const UnmapPages &M, const Buffer &) {
  if (!B || !arePages(*B, M.Address, M.Bytes) || !mayTouch(M.Address, M.Bytes))
    return reply(M.To, cudaErrorInvalidValue);
  {
    MutexLock Guard(MemoryLock);
    Touchable.erase(M.Address, M.Bytes);
  }
  reply(M.To, B->unmap(reinterpret_cast<void *>(M.Address), M.Bytes));
}

void RankServer::on(int, const Reserve &M, const Buffer &) {
  if (!B || !arePages(*B, M.Address, M.Bytes))
    return fail(cudaErrorInvalidValue);
  if (cudaError_t Error =
          B->reserveAt(reinterpret_cast<void *>(M.Address), M.Bytes))
    fail(cudaSuccess, // the reply to what maps pages there is the error
         fmt::format("{} bytes of addresses cannot be had here: {}", M.Bytes,
                     cudaGetErrorName(Error)));
  else
    Reserved.set(M.Address, M.Bytes, M.Bytes);
}

void RankServer::on(int, const Release &M, const Buffer &) {
  const uint64_t *Bytes = Reserved.find(M.Address);
  if (!Bytes || *Bytes != M.Bytes)
    return;
  Reserved.erase(M.Address, M.Bytes);
  B->release(reinterpret_cast<void *>(M.Address), M.Bytes);
}

void RankServer::on(int, const MemoryInfo &M, const Buffer &) {
  size_t Free = 0, Total = 0;
  if (!isDevice(M.Device))
    return reply(M.To, cudaErrorInvalidDevice);
  B->memoryInfo(M.Device, Free, Total);
  reply(M.To, cudaSuccess, Free, Total);
}

} // namespace gridspan::ranks

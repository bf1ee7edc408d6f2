//===- MemorySharing.cpp - Pages that processes share ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuIpcGetMemHandle refuses memory of cuMemCreate, which can be exported as a
// file instead if it was made so (CUDA Driver API, "Virtual Memory Management",
// cuMemExportToShareableHandle). Such pages have one handle for all their
// bytes. They are mapped as a whole, and so never divided.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/Memory.h"
#include <fcntl.h>

namespace gridspan::cuda {

static constexpr CUmemAllocationHandleType FileHandle =
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

cudaError_t Memory::createShareablePages(int Device, size_t Bytes,
                                         std::unique_ptr<Pages> &Out) {
  if (!Devices[Device]->attribute(
          CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
    return cudaErrorNotSupported;
  std::unique_ptr<CudaPages> P;
  if (cudaError_t E = makeRoom(Device, Bytes, P))
    return E;
  CurrentDevice Scope(Devices, Device);
  CudaPages::Segment All;
  All.Bytes = Bytes;
  if (cudaError_t E = createHandle(Device, Bytes, All.Handle, FileHandle))
    return E;
  P->IsShareable = true;
  P->Segments.emplace(0, std::move(All));
  Out = std::move(P);
  return cudaSuccess;
}

cudaError_t Memory::exportPages(const CudaPages &P, SharedPages &Out) const {
  if (!P.IsShareable)
    return cudaErrorNotSupported;
  ReaderLock Guard(Lock);
  CurrentDevice Scope(Devices, P.Where);
  int Number = -1;
  if (CUresult R = D.cuMemExportToShareableHandle(
          &Number, P.Segments.begin()->second.Handle.get(), FileHandle, 0))
    return toError(R);
  Out.File = FileDescriptor(Number);
  fcntl(Number, F_SETFD, FD_CLOEXEC);
  Out.Offset = 0;
  Out.Bytes = P.Bytes;
  Out.Device = Devices[P.Where]->uuidBytes();
  return cudaSuccess;
}

cudaError_t Memory::importPages(const SharedPages &From,
                                std::unique_ptr<Pages> &Out) {
  size_t Number = 0;
  while (Number != Devices.size() &&
         Devices[Number]->uuidBytes() != From.Device)
    ++Number;
  if (Number == Devices.size())
    return cudaErrorInvalidDevice;
  const auto Device = static_cast<int>(Number);
  CurrentDevice Scope(Devices, Device);
  CUmemGenericAllocationHandle Handle;
  // The driver takes the number of a file as a pointer, and does not need the
  // file afterwards.
  void *File =
      reinterpret_cast<void *>(static_cast<uintptr_t>(From.File.get()));
  if (CUresult R = D.cuMemImportFromShareableHandle(&Handle, File, FileHandle))
    return toError(R);
  auto P = std::make_unique<CudaPages>(*this, Device, From.Bytes, false);
  CudaPages::Segment All;
  All.Bytes = From.Bytes;
  All.Handle = MemoryHandle(D, Handle);
  P->Segments.emplace(0, std::move(All));
  Out = std::move(P);
  return cudaSuccess;
}

} // namespace gridspan::cuda

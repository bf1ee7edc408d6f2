//===- RecordConverter.cpp - Records in another order, by kernels ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for each size of words. As many records as fit into shared memory
// are a block's at a time, in whole warps where that is possible.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/RecordConverter.h"
#include "gridspan/WarpSize.h"
#include "runtime/backend/RecordForm.h"
#include <algorithm>
#include <bit>
#include <numeric>

namespace gridspan::cuda {

/// The PTX of RecordKernel.cu.
static const char Ptx[] =
#include "runtime/backend/cuda/RecordKernel.inc"
    ;
static constexpr unsigned BlockThreads = 256;
/// Enough blocks to fill any GPU; they go on with the rest.
static constexpr uint64_t MaxBlocks = 4096;
static constexpr unsigned MostFields = 64;     // of RecordKernel.cu
static constexpr unsigned SharedBytes = 32768; // of RecordKernel.cu
static constexpr unsigned MostRecords = 256;   ///< of a block at a time

namespace {

/// Conversion of RecordKernel.cu.
struct RecordConversion {
  void *Records;
  void *Fields;
  uint64_t Bytes;
  uint64_t Room;
  uint32_t RecordBytes;
  uint32_t PerBlock;
  uint32_t NumFields;
  uint32_t ToFields;
  uint32_t Begins[MostFields + 1];
};

} // namespace

RecordConverter::RecordConverter(const DeviceList &Devices)
    : Devices(Devices),
      Kernels(Devices, Ptx,
              {"gridspan_convert_records_1", "gridspan_convert_records_2",
               "gridspan_convert_records_4", "gridspan_convert_records_8"}) {}

cudaError_t RecordConverter::convert(Stream &S, const RecordForm &Form,
                                     FormDirection Direction, void *Records,
                                     void *Fields, uint64_t Bytes) {
  if (Form.Fields.size() > MostFields || Form.RecordBytes > SharedBytes)
    return cudaErrorNotSupported;
  if (Bytes == 0)
    return cudaSuccess;
  RecordConversion C = {};
  C.Records = Records;
  C.Fields = Fields;
  C.Bytes = Bytes;
  C.Room = Form.roomFor(Bytes);
  C.RecordBytes = Form.RecordBytes;
  C.PerBlock = std::min(MostRecords, SharedBytes / Form.RecordBytes);
  if (C.PerBlock > WarpSize)
    C.PerBlock -= C.PerBlock % WarpSize;
  C.NumFields = static_cast<uint32_t>(Form.Fields.size());
  C.ToFields = Direction == FormDirection::ToFields;
  // The address of the records is aligned as all allocations are.
  uint64_t Word = std::gcd(Bytes, uint64_t(8));
  for (size_t F = 0; F != Form.Fields.size(); ++F) {
    C.Begins[F] = Form.Fields[F];
    Word = std::gcd(Word, uint64_t(Form.fieldBytes(F)));
  }
  C.Begins[C.NumFields] = Form.RecordBytes;
  CurrentDevice Scope(Devices, S.device());
  CUfunction Kernel;
  if (cudaError_t E = Kernels.function(
          static_cast<unsigned>(std::countr_zero(Word)), S.device(), Kernel))
    return E;
  const uint64_t PerBlock = uint64_t(C.PerBlock) * C.RecordBytes;
  const auto Blocks = static_cast<unsigned>(
      std::min((Bytes + PerBlock - 1) / PerBlock, MaxBlocks));
  void *Args[] = {&C};
  return toError(Devices[S.device()]->driver().cuLaunchKernel(
      Kernel, Blocks, 1, 1, BlockThreads, 1, 1, 0, S.native(), Args, nullptr));
}

} // namespace gridspan::cuda

//===- EntryPoints.h - Declarations of all entry points ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the functions of CudaApi.def with the types that CUDA's own headers
// give them, so that a definition with another signature does not compile.
//
// What is defined as __gridspan_<name> has the symbol __gridspan_own_<name>.
// The symbol __gridspan_<name>, which programs call, leads to the one of the
// process's runtime (OneRuntime.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_API_ENTRYPOINTS_H
#define GRIDSPAN_RUNTIME_API_ENTRYPOINTS_H

#include "gridspan/ABI.h"
#include "gridspan/algorithm/Operands.h"
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

/// A function that the host pass redirects a CUDA function to.
#define GRIDSPAN_ENTRY extern "C" __attribute__((visibility("hidden")))

// Called by code that compilers emit; in no public header.
extern "C" {
unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t SharedBytes,
                                     CUstream_st *Stream);
cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block,
                                       size_t *SharedBytes, void *Stream);
cudaError_t __cudaGetKernel(cudaKernel_t *Kernel, const void *Stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                               void **Args, size_t SharedBytes,
                               cudaStream_t Stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                    void **Args, size_t SharedBytes,
                                    cudaStream_t Stream);
void **__cudaRegisterFatBinary(void *FatBinary);
void __cudaRegisterFatBinaryEnd(void **FatBinary);
void __cudaUnregisterFatBinary(void **FatBinary);
void __cudaRegisterFunction(void **FatBinary, const char *Stub, char *Device,
                            const char *DeviceName, int ThreadLimit, uint3 *Tid,
                            uint3 *Bid, dim3 *BlockDim, dim3 *GridDim,
                            int *WarpSize);
void __cudaRegisterManagedVar(void **FatBinary, void **HostVariable,
                              char *DeviceAddress, const char *DeviceName,
                              int External, size_t Bytes, int Constant,
                              int Global);
char __cudaInitModule(void **FatBinary);
void __cudaRegisterVar(void **FatBinary, char *HostVariable,
                       char *DeviceAddress, const char *DeviceName,
                       int External, size_t Bytes, int Constant, int Global);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define GRIDSPAN_API(Name)                                                     \
  GRIDSPAN_ENTRY decltype(::Name) __gridspan_##Name __asm__(                   \
      "__gridspan_own_" #Name);
#define GRIDSPAN_API_PT(Name, Suffix)                                          \
  GRIDSPAN_ENTRY decltype(::Name) __gridspan_##Name##Suffix __asm__(           \
      "__gridspan_own_" #Name #Suffix);
#include "gridspan/CudaApi.def"
#pragma GCC diagnostic pop

GRIDSPAN_ENTRY void __gridspan_register_module(
    const GridspanModule *Module) __asm__("__gridspan_own_register_module");
GRIDSPAN_ENTRY void __gridspan_unregister_module(
    const GridspanModule *Module) __asm__("__gridspan_own_unregister_module");
GRIDSPAN_ENTRY void __gridspan_register_managed(
    void **FatBinary,
    GridspanManaged *Variable) __asm__("__gridspan_own_register_managed");
GRIDSPAN_ENTRY void __gridspan_unregister_managed(
    GridspanManaged *Variable) __asm__("__gridspan_own_unregister_managed");
GRIDSPAN_ENTRY void *__gridspan_managed_address(
    GridspanManaged *Variable) __asm__("__gridspan_own_managed_address");
GRIDSPAN_ENTRY cudaError_t
__gridspan_borrow(GridspanOperand *Operands, unsigned Count,
                  cudaStream_t Stream) __asm__("__gridspan_own_borrow");
GRIDSPAN_ENTRY cudaError_t
__gridspan_give_back(GridspanOperand *Operands, unsigned Count,
                     cudaStream_t Stream) __asm__("__gridspan_own_give_back");
GRIDSPAN_ENTRY unsigned
__gridspan_num_devices() __asm__("__gridspan_own_num_devices");
GRIDSPAN_ENTRY cudaError_t __gridspan_begin_group(
    const GridspanOperand *Operands, unsigned Count,
    cudaStream_t Stream) __asm__("__gridspan_own_begin_group");
GRIDSPAN_ENTRY cudaError_t
__gridspan_end_group() __asm__("__gridspan_own_end_group");
GRIDSPAN_ENTRY int
__gridspan_choose_device(int Device) __asm__("__gridspan_own_choose_device");
GRIDSPAN_ENTRY cudaError_t
__gridspan_vendor_call(const char *Name) __asm__("__gridspan_own_vendor_call");

#endif // GRIDSPAN_RUNTIME_API_ENTRYPOINTS_H

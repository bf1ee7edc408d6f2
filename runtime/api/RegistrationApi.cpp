//===- RegistrationApi.cpp - Modules come and go --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that constructors and destructors of modules make: Gridspan's own,
// and those of the CUDA runtime. The latter get to the CUDA runtime that this
// copy of the runtime has been linked with, which must know the kernels of all
// modules, as it is asked for them when they are launched.
//
// A module that is unloaded takes its host code, its descriptors and the images
// of its variables with it. So its work is finished first, and what is known by
// its addresses is forgotten. A child of fork() has none of this to do.
//
// When the process ends, the program's own modules stay as they are:
// destructors that run later may still launch their kernels. Libraries cannot
// tell the end from a dlclose() that some destructor calls, and are forgotten.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/backend/Registry.h"
#include "runtime/memory/ManagedVariables.h"
#include "runtime/support/ProcessEnd.h"

using namespace gridspan;

/// Returns the runtime if there is one that may be used.
static Runtime *usableRuntime() {
  Runtime *R = Runtime::existing();
  return R && !R->isForked() ? R : nullptr;
}

/// Returns true in a child process, where locks may be held for good.
static bool isForked() {
  Runtime *R = Runtime::existing();
  return R && R->isForked();
}

/// Returns true if what is at the address stays, although it is unregistered.
static bool staysLoaded(const void *Address) {
  return isProcessEnding() && isOfProgram(Address);
}

GRIDSPAN_ENTRY void __gridspan_register_module(const GridspanModule *Module) {
  if (!isForked())
    Registry::get().add(Module);
}

GRIDSPAN_ENTRY void __gridspan_unregister_module(const GridspanModule *Module) {
  if (isForked() || staysLoaded(Module))
    return;
  if (Runtime *R = usableRuntime()) {
    R->finishWork();
    R->forget(Module);
  }
  Registry::get().remove(Module);
}

GRIDSPAN_ENTRY void **__gridspan___cudaRegisterFatBinary(void *FatBinary) {
  return __cudaRegisterFatBinary(FatBinary);
}

GRIDSPAN_ENTRY void __gridspan___cudaRegisterFatBinaryEnd(void **FatBinary) {
  __cudaRegisterFatBinaryEnd(FatBinary);
}

GRIDSPAN_ENTRY void __gridspan___cudaUnregisterFatBinary(void **FatBinary) {
  if (!isForked()) {
    if (staysLoaded(Registry::get().anyOf(FatBinary)))
      return;
    Runtime *R = usableRuntime();
    if (R)
      R->finishWork();
    for (const void *Variable : Registry::get().removeFatBinary(FatBinary))
      if (R)
        R->symbols().forget(Variable);
    if (R)
      R->forget(nullptr);
  }
  __cudaUnregisterFatBinary(FatBinary);
}

GRIDSPAN_ENTRY void __gridspan___cudaRegisterFunction(
    void **FatBinary, const char *Stub, char *Device, const char *DeviceName,
    int ThreadLimit, uint3 *Tid, uint3 *Bid, dim3 *BlockDim, dim3 *GridDim,
    int *WarpSize) {
  if (!isForked())
    Registry::get().addFunction(FatBinary, Stub, DeviceName);
  __cudaRegisterFunction(FatBinary, Stub, Device, DeviceName, ThreadLimit, Tid,
                         Bid, BlockDim, GridDim, WarpSize);
}

GRIDSPAN_ENTRY void __gridspan___cudaRegisterVar(void **FatBinary,
                                                 char *HostVariable,
                                                 char *DeviceAddress,
                                                 const char *DeviceName,
                                                 int External, size_t Bytes,
                                                 int Constant, int Global) {
  if (!isForked())
    Registry::get().addVariable(FatBinary, HostVariable, DeviceName, Bytes,
                                Constant != 0);
  __cudaRegisterVar(FatBinary, HostVariable, DeviceAddress, DeviceName,
                    External, Bytes, Constant, Global);
}

GRIDSPAN_ENTRY void
__gridspan___cudaRegisterManagedVar(void **FatBinary, void **HostVariable,
                                    char *DeviceAddress, const char *DeviceName,
                                    int External, size_t Bytes, int Constant,
                                    int Global) {
  __cudaRegisterManagedVar(FatBinary, HostVariable, DeviceAddress, DeviceName,
                           External, Bytes, Constant, Global);
}

GRIDSPAN_ENTRY void __gridspan_register_managed(void **FatBinary,
                                                GridspanManaged *Variable) {
  // The variable of the device that holds the address is a constant.
  constexpr size_t Bytes = sizeof(Variable->Address);
  auto *Shadow = static_cast<char *>(const_cast<void *>(Variable->Shadow));
  const bool IsKnown = !isForked();
  if (IsKnown)
    Registry::get().addVariable(FatBinary, Shadow, Variable->Name, Bytes, true);
  __cudaRegisterVar(FatBinary, Shadow, const_cast<char *>(Variable->Name),
                    Variable->Name, 0, Bytes, 1, 0);
  if (IsKnown)
    ManagedVariables::get().add(Variable);
}

GRIDSPAN_ENTRY void __gridspan_unregister_managed(GridspanManaged *Variable) {
  if (isForked() || staysLoaded(Variable))
    return;
  if (Runtime *R = usableRuntime())
    R->forget(*Variable);
  else
    ManagedVariables::get().remove(Variable);
}

GRIDSPAN_ENTRY char __gridspan___cudaInitModule(void **FatBinary) {
  return __cudaInitModule(FatBinary);
}

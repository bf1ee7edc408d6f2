//===- HostPass.cpp - The host side of a CUDA file ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the steps, each of which has its own file: read the payloads of the fat
// binary, give managed variables their memory, register the clones, describe
// the kernels, redirect the CUDA runtime API. Without a summary, everything
// still works and the kernels run unsplit; that is worth one warning. The
// device code of a relocatable object is not there yet: the module is described
// to the device link instead.
//
//===----------------------------------------------------------------------===//

#include "passes/host/HostPass.h"
#include "passes/common/Options.h"
#include "passes/common/Warning.h"
#include "passes/cpu/CpuDescriptors.h"
#include "passes/host/ApiRedirect.h"
#include "passes/host/CloneRegistration.h"
#include "passes/host/Descriptors.h"
#include "passes/host/FatbinReader.h"
#include "passes/host/LibraryCalls.h"
#include "passes/host/ManagedAddresses.h"
#include "passes/host/RelocatableUnit.h"
#include "passes/host/UntrackedWork.h"
#include "passes/host/VendorCalls.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gridspan;

/// Marks a module that has been processed.
static constexpr StringLiteral DoneMarker = "gridspan.host";

/// Reads the payloads; an unreadable one, or none for kernels, is a warning.
static DeviceCode readOrWarn(Module &M, bool HasKernels) {
  Expected<DeviceCode> Code = readDeviceCode(M);
  if (!Code) {
    warn(M, toString(Code.takeError()) + "; its kernels run on one device");
    return {};
  }
  if (!Code->Summary && HasKernels)
    warn(M, "the device code carries no kernel summary (was it compiled "
            "without the plugin, or the fat binary compressed?); its "
            "kernels run on one device");
  return std::move(*Code);
}

/// Adds the device code to M as host code, if there is any and it is wanted.
static std::optional<CpuModuleCode> lowerOrWarn(Module &M, StringRef Bitcode) {
  if (Bitcode.empty() || !CpuOption)
    return std::nullopt;
  auto Lower = [&]() -> Expected<CpuModuleCode> {
    Expected<std::unique_ptr<Module>> Device =
        parseBitcodeFile(MemoryBufferRef(Bitcode, "device"), M.getContext());
    if (!Device)
      return Device.takeError();
    return lowerForCpu(std::move(*Device), M, cpuLoweringOptions());
  };
  Expected<CpuModuleCode> Code = Lower();
  if (Code)
    return std::move(*Code);
  warn(M, toString(Code.takeError()) + "; it cannot run on the CPU device");
  return std::nullopt;
}

/// Returns the kernels that M registers, with their summaries; registers their
/// clones.
static std::vector<DescribedKernel>
describeKernels(ArrayRef<RegisteredKernel> Registered, const DeviceCode &Code) {
  StringMap<const KernelSummary *> Summaries;
  if (Code.Summary)
    for (const KernelSummary &Kernel : Code.Summary->Kernels)
      Summaries[Kernel.Name] = &Kernel;
  std::vector<DescribedKernel> Kernels;
  for (const RegisteredKernel &R : Registered) {
    DescribedKernel &Kernel = Kernels.emplace_back();
    Kernel.Name = R.Name;
    Kernel.HostStub = R.Stub;
    Kernel.Summary = Summaries.lookup(R.Name);
    if (Kernel.Summary && Kernel.Summary->Refusals.empty() &&
        !Kernel.Summary->CloneName.empty())
      Kernel.TiledStub = registerClone(R, Kernel.Summary->CloneName);
    if (Kernel.Summary && !Kernel.Summary->NoAliasName.empty())
      Kernel.NoAliasStub = registerClone(R, Kernel.Summary->NoAliasName);
    if (Kernel.TiledStub && !Kernel.Summary->TiledNoAliasName.empty())
      Kernel.TiledNoAliasStub =
          registerClone(R, Kernel.Summary->TiledNoAliasName);
    if (Kernel.TiledStub && !Kernel.Summary->PackedName.empty())
      Kernel.PackedStub = registerClone(R, Kernel.Summary->PackedName);
    if (Kernel.Summary && !Kernel.Summary->RecordingName.empty() &&
        !Kernel.Summary->CloneName.empty() == (Kernel.TiledStub != nullptr))
      Kernel.RecordingStub = registerClone(R, Kernel.Summary->RecordingName);
    if (Kernel.Summary && !Kernel.Summary->FormedName.empty())
      Kernel.FormedStub = registerClone(R, Kernel.Summary->FormedName);
    if (Kernel.FormedStub && !Kernel.Summary->FormedNoAliasName.empty())
      Kernel.FormedNoAliasStub =
          registerClone(R, Kernel.Summary->FormedNoAliasName);
  }
  return Kernels;
}

/// Returns the name of the kernel's code that the CPU device runs: the tiled
/// clone's where there is one.
static StringRef nameOnCpu(const DescribedKernel &Kernel) {
  return Kernel.TiledStub ? Kernel.Summary->CloneName : Kernel.Name;
}

/// Says which kernels are slow on the CPU device, and why: those without
/// optimized code, and those whose threads are fibers.
static void remarkSlowOnCpu(const CpuModuleCode &Code,
                            ArrayRef<DescribedKernel> Kernels) {
  for (const DescribedKernel &Kernel : Kernels) {
    const CpuKernelCode *Cpu = Code.kernel(nameOnCpu(Kernel));
    auto *Stub = dyn_cast<Function>(Kernel.HostStub);
    if (!Cpu || !Stub || Stub->isDeclaration())
      continue;
    OptimizationRemarkEmitter Remarks(Stub);
    const auto Emit = [&](StringRef Reason, StringRef Is, StringRef Because) {
      Remarks.emit(OptimizationRemarkMissed("gridspan-cpu", Reason, Cpu->Where,
                                            &Stub->getEntryBlock())
                   << "kernel " << ore::NV("Kernel", demangle(Kernel.Name))
                   << " has " << Is << " on the CPU device: " << Because);
    };
    if (Cpu->IsUnoptimized)
      Emit("much-code", "no optimized code",
           "kernels of the file have too many instructions together "
           "(-mllvm -gridspan-cpu-limit)");
    else if (Cpu->WhyFibers)
      Emit(refusalName(*Cpu->WhyFibers), "a fiber for each thread",
           refusalText(*Cpu->WhyFibers));
  }
}

/// The CPU device runs clones for distinct arguments too if the device code for
/// it has them.
static void describeForCpu(AbiConstants &Abi, const CpuModuleCode &Code,
                           MutableArrayRef<DescribedKernel> Kernels) {
  for (DescribedKernel &Kernel : Kernels) {
    Kernel.Cpu =
        Abi.global("cpu_kernel_" + Kernel.Name,
                   describeCpuKernel(Abi, Code.kernel(nameOnCpu(Kernel))));
    if (Kernel.PackedStub) {
      const std::string &Packed = Kernel.Summary->PackedName;
      Kernel.PackedCpu = Abi.global(
          "cpu_kernel_" + Packed, describeCpuKernel(Abi, Code.kernel(Packed)));
    }
    if (Kernel.RecordingStub) {
      const std::string &Recording = Kernel.Summary->RecordingName;
      Kernel.RecordingCpu =
          Abi.global("cpu_kernel_" + Recording,
                     describeCpuKernel(Abi, Code.kernel(Recording)));
    }
    if (Kernel.FormedStub) {
      const std::string &Formed = Kernel.Summary->FormedName;
      Kernel.FormedCpu = Abi.global(
          "cpu_kernel_" + Formed, describeCpuKernel(Abi, Code.kernel(Formed)));
    }
    if (Kernel.FormedNoAliasStub)
      if (const CpuKernelCode *Clone =
              Code.kernel(Kernel.Summary->FormedNoAliasName))
        Kernel.FormedCpuNoAlias =
            Abi.global("cpu_noalias_" + Kernel.Summary->FormedName,
                       describeCpuKernel(Abi, Clone));
    Constant *Stub =
        Kernel.TiledStub ? Kernel.TiledNoAliasStub : Kernel.NoAliasStub;
    if (!Stub)
      continue;
    StringRef Name = Kernel.TiledStub ? Kernel.Summary->TiledNoAliasName
                                      : Kernel.Summary->NoAliasName;
    // The original runs in place of a clone without code.
    if (const CpuKernelCode *Clone = Code.kernel(Name))
      Kernel.CpuNoAlias = Abi.global("cpu_noalias_" + Kernel.Name,
                                     describeCpuKernel(Abi, Clone));
  }
}

/// Hands the kernels and variables of M's fat binary to the runtime.
static bool processDeviceCode(Module &M) {
  if (!hasFatbin(M))
    return false;
  std::vector<RegisteredKernel> Registered = findRegisteredKernels(M);
  DeviceCode Code = readOrWarn(M, !Registered.empty());
  AbiConstants Abi(M);
  if (Code.Summary)
    redirectManagedVariables(M, Abi, Code.Summary->Managed);
  checkManagedVariables(M);
  std::vector<DescribedKernel> Kernels = describeKernels(Registered, Code);
  Constant *CpuModule = nullptr;
  if (std::optional<CpuModuleCode> Cpu = lowerOrWarn(M, Code.Bitcode)) {
    describeForCpu(Abi, *Cpu, Kernels);
    remarkSlowOnCpu(*Cpu, Kernels);
    CpuModule = Abi.global("cpu_module", describeCpuModule(Abi, *Cpu));
  }
  emitModuleConstructor(
      M, emitDescriptors(M, Abi, Kernels,
                         Code.Summary ? &*Code.Summary : nullptr, CpuModule));
  registerFatbinEarly(M);
  return true;
}

PreservedAnalyses HostPass::run(Module &M, ModuleAnalysisManager &) {
  if (Triple(M.getTargetTriple()).isNVPTX() || M.getNamedMetadata(DoneMarker))
    return PreservedAnalyses::all();
  bool Changed = processDeviceCode(M);
  Changed |= describeRelocatableUnit(M);
  Changed |= redirectCudaApi(M);
  Changed |= declareUntrackedWork(M);
  Changed |= announceLibraryCalls(M);
  Changed |= guardVendorCalls(M);
  if (!Changed)
    return PreservedAnalyses::all();
  M.getOrInsertNamedMetadata(DoneMarker);
  return PreservedAnalyses::none();
}

//===- DeviceClones.cpp - Makes the clones of kernels ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes these in order, because each step needs the IR as it is then:
//
//   1. tiled clones of the kernels that may be split, from their bodies,
//      clones of both for launches whose arguments do not overlap, clones that
//      record for profiles, and clones for records in other forms;
//   2. a snapshot as bitcode, with the clones in place of their originals, so
//      that the CPU device runs the IR that was analysed;
//   3. atomics and fences of the clones widened to system scope: inline
//      assembly, which the CPU device need not see.
//
//===----------------------------------------------------------------------===//

#include "passes/device/DeviceClones.h"
#include "passes/common/Options.h"
#include "passes/device/DeviceBitcode.h"
#include "passes/device/EmbedPayload.h"
#include "passes/device/PackRows.h"
#include "passes/device/WidenScope.h"
#include "passes/device/clones/FormedClone.h"
#include "passes/device/clones/NoAliasClone.h"
#include "passes/device/clones/RecordingClone.h"
#include "passes/device/clones/TiledClone.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gridspan {

namespace {

class CloneMaker {
public:
  CloneMaker(Module &M, DeviceSummary &Device, FunctionAnalysisManager &FAM)
      : M(M), Device(Device), FAM(FAM), Tiles(M, FAM), Declarer(FAM) {}

  void run();

private:
  void cloneWithPackedRows(DeviceKernel &K);
  void cloneForNoAlias(DeviceKernel &K);
  void cloneForRecording(DeviceKernel &K);
  void cloneForForms(DeviceKernel &K);
  void removeBodies();
  void embedBitcode();
  void widenClones();

  Module &M;
  DeviceSummary &Device;
  FunctionAnalysisManager &FAM;
  TiledCloner Tiles;
  KernelDeclarer Declarer;
  /// Kernels that the CPU device runs another one in place of: originals with a
  /// tiled clone, their no-alias clones with a tiled one, and all no-alias
  /// clones unless it is to have them.
  SmallPtrSet<const Function *, 8> NotForCpu;
  /// Functions that clones with more parameters are made from, until they are.
  SmallVector<Function *, 4> Bodies;
};

} // namespace

/// Gives the kernel its clone with packed rows, if it has pointers for it.
void CloneMaker::cloneWithPackedRows(DeviceKernel &K) {
  SmallVector<unsigned, 4> Packable;
  for (const PointerSummary &P : K.Summary.Pointers)
    if (P.Packable)
      Packable.push_back(P.Param);
  if (Packable.empty())
    return;
  Function &From = K.Body ? *K.Body : *K.Original;
  Bodies.push_back(packRows(From, Packable, FAM));
  Function &Clone = Tiles.clone(*K.Original, Bodies.back(), PackedKind);
  K.Summary.PackedName = Clone.getName().str();
}

/// Gives the kernel and its tiled clone clones for arguments that do not
/// overlap, if the kernel profits.
void CloneMaker::cloneForNoAlias(DeviceKernel &K) {
  if (!K.NoAlias || K.NoAlias->Refusal)
    return;
  Function &Unsplit =
      gridspan::cloneForNoAlias(*K.Original, *K.NoAlias, Declarer);
  K.Summary.NoAliasName = Unsplit.getName().str();
  if (K.IsSplit || !CpuNoAliasOption)
    NotForCpu.insert(&Unsplit);
  if (!K.IsSplit)
    return;
  Function &Tiled = gridspan::cloneForNoAlias(
      *M.getFunction(K.Summary.CloneName), *K.NoAlias, Declarer);
  K.Summary.TiledNoAliasName = Tiled.getName().str();
  if (!CpuNoAliasOption)
    NotForCpu.insert(&Tiled);
}

/// Gives the kernel a clone that records what advice wants to know.
void CloneMaker::cloneForRecording(DeviceKernel &K) {
  Function &From = K.Body ? *K.Body : *K.Original;
  K.Summary.Probes = probesOf(From);
  if (K.Summary.Probes.empty())
    return;
  Function &Recording = recordingBody(From);
  Bodies.push_back(&Recording);
  Function &Clone = K.IsSplit
                        ? Tiles.clone(*K.Original, &Recording, RecordingKind)
                        : recordingKernel(*K.Original, Recording, Declarer);
  K.Summary.RecordingName = Clone.getName().str();
}

/// Gives the kernel a clone for records in other forms, if it has some, and
/// that one for arguments that do not overlap.
void CloneMaker::cloneForForms(DeviceKernel &K) {
  if (!K.Records || !K.Records->hasForms())
    return;
  Function &Clone =
      gridspan::cloneForForms(*K.Original, K.Summary.Pointers, Declarer, FAM);
  K.Summary.FormedName = Clone.getName().str();
  if (!K.NoAlias || K.NoAlias->Refusal)
    return;
  // Fields of different bytes are different bytes of a form.
  Function &Distinct = gridspan::cloneForNoAlias(Clone, *K.NoAlias, Declarer);
  K.Summary.FormedNoAliasName = Distinct.getName().str();
  if (!CpuNoAliasOption)
    NotForCpu.insert(&Distinct);
}

void CloneMaker::removeBodies() {
  for (Function *Body : Bodies)
    Body->eraseFromParent();
  for (DeviceKernel &K : Device.Kernels) {
    if (!K.Body)
      continue;
    FAM.clear(*K.Body, K.Body->getName());
    K.Body->eraseFromParent();
    K.Body = nullptr;
  }
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() &&
        F.getName().starts_with("gridspan.tile."))
      F.eraseFromParent();
}

void CloneMaker::embedBitcode() {
  // Each kernel once: the tiled clone where there is one.
  SmallVector<char, 0> Bitcode = deviceBitcode(
      M, [&](const Function &F) { return !NotForCpu.contains(&F); });
  embedPayload(M, PayloadKind::Bitcode, Device.Id,
               StringRef(Bitcode.data(), Bitcode.size()), /*Compress=*/true);
}

void CloneMaker::widenClones() {
  for (Function *Clone : Tiles.created())
    widenToSystemScope(*Clone);
  for (const DeviceKernel &K : Device.Kernels)
    if (!K.Summary.TiledNoAliasName.empty())
      widenToSystemScope(*M.getFunction(K.Summary.TiledNoAliasName));
}

void CloneMaker::run() {
  for (DeviceKernel &K : Device.Kernels) {
    if (K.IsSplit) {
      assert(K.Refusals.empty() && "a kernel that may not be split");
      NotForCpu.insert(K.Original);
      K.Summary.CloneName = Tiles.clone(*K.Original, K.Body).getName().str();
      cloneWithPackedRows(K);
    }
    cloneForNoAlias(K);
    cloneForRecording(K);
    cloneForForms(K);
  }
  removeBodies();
  if (CpuOption)
    embedBitcode();
  widenClones();
}

void makeClones(Module &M, DeviceSummary &Device,
                FunctionAnalysisManager &FAM) {
  CloneMaker(M, Device, FAM).run();
}

} // namespace gridspan

//===- TiledClone.cpp - Kernels that run a tile of their grid -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clone of a kernel computes what the original computes for the blocks
// origin .. origin + gridDim - 1 of a larger grid:
//
//   ctaid.a   becomes  ctaid.a + tile.origin[a]
//   nctaid.a  becomes  tile.grid[a]
//
// A body whose grid-stride loops have been rewritten (GridStrideRewrite.cpp)
// also asks for its tile: gridspan.tile.origin becomes tile.origin[a], and
// gridspan.tile.count the nctaid.a of the launch, which is one tile.
//
// Nothing else in a kernel that passed checkLegality depends on the position of
// its block, so the union of the tiles is the launch. The original stays as it
// is, for launches that are not split and for other callers.
//
// Some device functions are cloned as well and receive the tile as a last
// argument by value. They are those that read these registers, directly or
// through others, and those with atomics or fences that have to be widened for
// the clone alone.
//
//===----------------------------------------------------------------------===//

#include "passes/device/clones/TiledClone.h"
#include "analysis/legality/Legality.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/SystemScope.h"
#include "analysis/nvptx/TilePosition.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#define DEBUG_TYPE "gridspan-tile"

using namespace llvm;

STATISTIC(NumKernels, "Kernels with a tiled clone");

namespace gridspan {

static constexpr StringLiteral Suffix = "__gridspan";

std::string tiledCloneName(StringRef Name) { return (Name + Suffix).str(); }

bool isTiledClone(const Function &F) { return F.getName().ends_with(Suffix); }

namespace {
/// A read of the block's position: which field of the tile, which axis.
struct PositionRead {
  bool IsGrid; ///< nctaid, else ctaid
  unsigned Axis;
};
} // namespace

static std::optional<PositionRead> positionRead(const Instruction &I) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic)
    return std::nullopt;
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return PositionRead{false, 0};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return PositionRead{false, 1};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return PositionRead{false, 2};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return PositionRead{true, 0};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return PositionRead{true, 1};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return PositionRead{true, 2};
  default:
    return std::nullopt;
  }
}

TiledCloner::TiledCloner(Module &M, FunctionAnalysisManager &FAM)
    : M(M), Declarer(FAM) {
  LLVMContext &C = M.getContext();
  Type *Triple = ArrayType::get(Type::getInt32Ty(C), 3);
  TileTy = StructType::get(C, {Triple, Triple});
}

bool TiledCloner::needsTile(const Function &F) {
  auto [It, IsNew] = Needs.try_emplace(&F, false);
  if (!IsNew)
    return It->second;
  // Whatever F reaches is looked at from F, so that cycles need no care.
  bool Result = any_of(reachableFunctions(F), [](const Function *Reached) {
    return any_of(instructions(Reached), [](const Instruction &I) {
      return positionRead(I) || needsSystemScope(I);
    });
  });
  return Needs[&F] = Result;
}

Function &TiledCloner::declare(Function &F, bool IsKernel, const Function &Body,
                               StringRef Kind) {
  SmallVector<Type *, 8> Params(Body.getFunctionType()->params());
  Params.push_back(
      IsKernel ? static_cast<Type *>(PointerType::getUnqual(M.getContext()))
               : TileTy);
  auto *Ty = FunctionType::get(F.getReturnType(), Params, F.isVarArg());
  std::string Name = tiledCloneName((F.getName() + Kind).str());
  Function *New = IsKernel ? &Declarer.declare(F, Ty, Name)
                           : Function::Create(Ty, GlobalValue::InternalLinkage,
                                              F.getAddressSpace(), Name, &M);
  Created.push_back(New);
  return *(Clones[&F] = New);
}

void TiledCloner::fillBody(Function &Old, Function &New, bool IsKernel) {
  copyCode(Old, New);
  New.getArg(Old.arg_size())->setName("tile");
  New.setVisibility(Old.getVisibility());
  if (!IsKernel)
    New.setVisibility(GlobalValue::DefaultVisibility);
  if (IsKernel) {
    unsigned Index = New.arg_size() - 1;
    AttrBuilder Attributes(M.getContext());
    Attributes.addByValAttr(TileTy);
    Attributes.addAlignmentAttr(Align(4));
    Attributes.addAttribute(Attribute::NoUndef);
    New.addParamAttrs(Index, Attributes);
    // The clone also reads its tile, through a pointer argument.
    New.removeFnAttr(Attribute::Memory);
  }
  rewrite(New, IsKernel);
}

/// Returns the blocks of this launch, which is one tile.
static Value *blocksOfLaunch(Instruction &Before, unsigned Axis) {
  constexpr Intrinsic::ID Ids[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                   Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return IRBuilder<>(&Before).CreateIntrinsic(
      Type::getInt32Ty(Before.getContext()), Ids[Axis], {});
}

void TiledCloner::rewrite(Function &New, bool IsKernel) {
  Argument *Tile = New.getArg(New.arg_size() - 1);
  // At the very beginning each time: the instruction that is first now may be
  // one of those that go.
  IRBuilder<> Entry(New.getContext());
  auto SetToEntry = [&] {
    Entry.SetInsertPoint(&New.getEntryBlock(), New.getEntryBlock().begin());
  };
  Value *Fields[2][3] = {};
  // Fields are read once, at the entry, and only if they are used.
  auto Field = [&](bool IsGrid, unsigned Axis) {
    Value *&Cached = Fields[IsGrid][Axis];
    if (Cached)
      return Cached;
    SetToEntry();
    const std::string Name =
        (Twine(IsGrid ? "grid." : "origin.") + Twine("xyz"[Axis])).str();
    if (!IsKernel)
      return Cached = Entry.CreateExtractValue(Tile, {IsGrid, Axis}, Name);
    Value *Address = Entry.CreateConstInBoundsGEP1_32(
        Entry.getInt8Ty(), Tile, (IsGrid * 3 + Axis) * sizeof(uint32_t));
    return Cached = Entry.CreateAlignedLoad(Entry.getInt32Ty(), Address,
                                            Align(4), Name);
  };
  Value *TileValue = nullptr;
  auto LoadTile = [&]() -> Value * {
    if (!IsKernel)
      return Tile;
    if (TileValue)
      return TileValue;
    SetToEntry();
    return TileValue =
               Entry.CreateAlignedLoad(TileTy, Tile, Align(4), "tile.value");
  };

  for (Instruction &I : make_early_inc_range(instructions(New))) {
    if (std::optional<PositionRead> Read = positionRead(I)) {
      Value *Tiled = Field(Read->IsGrid, Read->Axis);
      if (!Read->IsGrid) {
        IRBuilder<> Here(I.getNextNode());
        Tiled = Here.CreateAdd(&I, Tiled);
        I.replaceUsesWithIf(Tiled,
                            [&](Use &U) { return U.getUser() != Tiled; });
        Tiled->takeName(&I);
        continue;
      }
      I.replaceAllUsesWith(Tiled);
      I.eraseFromParent();
      continue;
    }
    if (std::optional<TilePosition> Position = tilePositionOf(I)) {
      I.replaceAllUsesWith(Position->IsCount ? blocksOfLaunch(I, Position->Axis)
                                             : Field(false, Position->Axis));
      I.eraseFromParent();
      continue;
    }
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->isDeclaration() || !needsTile(*Callee))
      continue;
    Function *Target = Clones.lookup(Callee);
    if (!Target) {
      Target = &declare(*Callee, /*IsKernel=*/false, *Callee, "");
      fillBody(*Callee, *Target, /*IsKernel=*/false);
    }
    SmallVector<Value *, 8> Args(Call->args());
    Args.push_back(LoadTile());
    CallInst *New = CallInst::Create(Target, Args, "", Call->getIterator());
    New->takeName(Call);
    New->setCallingConv(Call->getCallingConv());
    New->setAttributes(Call->getAttributes());
    New->setTailCallKind(Call->getTailCallKind());
    New->copyMetadata(*Call);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
}

Function &TiledCloner::clone(Function &Kernel, Function *Body, StringRef Kind) {
  ++NumKernels;
  Function &From = Body ? *Body : Kernel;
  Function &New = declare(Kernel, /*IsKernel=*/true, From, Kind);
  fillBody(From, New, /*IsKernel=*/true);
  return New;
}

PreservedAnalyses TiledClonePass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  const LegalityFacts &Legality = MAM.getResult<LegalityAnalysis>(M);
  TiledCloner Cloner(M, FAM);
  for (Function *Kernel : kernelsOf(M))
    if (!isTiledClone(*Kernel) &&
        !M.getFunction(tiledCloneName(Kernel->getName())) &&
        Legality.of(*Kernel).empty())
      Cloner.clone(*Kernel);
  if (Cloner.created().empty())
    return PreservedAnalyses::all();
  // Functions are added; those that were there are as they were.
  PreservedAnalyses Preserved;
  Preserved.preserve<FunctionAnalysisManagerModuleProxy>();
  Preserved.preserveSet<AllAnalysesOn<Function>>();
  return Preserved;
}

} // namespace gridspan

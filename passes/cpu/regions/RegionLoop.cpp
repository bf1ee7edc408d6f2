//===- RegionLoop.cpp - Kernels with barriers as loops over threads -------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control flow between regions is the kernel's own between barriers, taken
// once for the whole block: where a region has several outcomes, that of its
// last thread decides, as it is the same for all that have not ended.
//
// Variables that all threads share are stack slots of the block, which the
// host's pipeline makes values again. Others are arrays with an element for
// each thread, in memory that the runtime keeps (__gridspan_cpu_frame).
//
// In kernels where some threads may end early, a region has a second loop, for
// the case that some have. It passes over them.
//
// Between two barriers, threads that touch the same bytes, one of them writing,
// must do it atomically. So loops over threads are parallel, as those of
// kernels without barriers are (CpuThreadLoop.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/regions/RegionLoop.h"
#include "gridspan/ABI.h"
#include "gridspan/CpuCodes.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/RegionFunctions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

namespace {

class RegionLoopBuilder {
public:
  RegionLoopBuilder(RegionFunctions Regions, Function &Run, TileMaker MakeTile)
      : R(std::move(Regions)), Run(Run), Context(Run.getContext()), B(Context),
        MakeTile(MakeTile) {}
  void build(const Function &Kernel);

private:
  void loadParameters(const Function &Kernel);
  Value *loadDimension(uint64_t Offset, const Twine &Name);
  void placeVariables();
  void emitRegion(unsigned Region);
  void copyUniform(ArrayRef<Value *> From, Value *FromCount,
                   ArrayRef<Value *> To, Value *ToCount);
  void emitThreads(unsigned Region, bool SomeHaveEnded);
  Function *tileOf(unsigned Region);
  Value *emitTiles(Function &Tile, Value *Tid[3], Value *FirstOfRow,
                   ArrayRef<Value *> Uniform);
  SmallVector<Value *> arguments(Value *Tid[3], Value *Linear,
                                 ArrayRef<Value *> Uniform, bool SomeHaveEnded);
  void emitThread(unsigned Region, Value *Tid[3], Value *Linear,
                  ArrayRef<Value *> Uniform, bool SomeHaveEnded);
  void emitTransition(unsigned Region);
  BasicBlock *arrivalAt(unsigned Region);
  MDNode *loopId(MDNode *Group);
  BasicBlock *newBlock(const Twine &Name) {
    return BasicBlock::Create(Context, Name, &Run);
  }

  const RegionFunctions R;
  Function &Run;
  LLVMContext &Context;
  IRBuilder<> B;
  TileMaker MakeTile;
  SmallVector<Value *> Params;
  SmallVector<Value *> Variables; ///< pointers, parallel to R.Variables
  /// Stand for uniform variables and Count in calls that are not inlined, so
  /// that these do not have to be in memory.
  SmallVector<Value *> Shadows;
  AllocaInst *ShadowCount = nullptr;
  SmallVector<BasicBlock *> Begins, Arrivals; ///< of regions
  Value *Dim[3] = {};
  Value *NumThreads = nullptr;
  AllocaInst *Next = nullptr, *Count = nullptr, *NumEnded = nullptr;
  Value *Ended = nullptr; ///< a byte for each thread
  BasicBlock *Exit = nullptr;
};

} // namespace

//===--- What regions get -----------------------------------------------===//

void RegionLoopBuilder::loadParameters(const Function &Kernel) {
  const DataLayout &DL = Run.getParent()->getDataLayout();
  for (unsigned I = NumCpuParams, E = Kernel.arg_size(); I != E; ++I) {
    const Argument *Param = Kernel.getArg(I);
    Value *Pointer = B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Run.getArg(1),
                                                  I - NumCpuParams);
    Value *Address = B.CreateLoad(B.getPtrTy(), Pointer);
    if (!Param->hasByValAttr()) {
      Params.push_back(B.CreateAlignedLoad(Param->getType(), Address, Align(1),
                                           Param->getName()));
      continue;
    }
    Type *Ty = Param->getParamByValType();
    AllocaInst *Copy = B.CreateAlloca(Ty);
    Copy->setAlignment(
        std::max(Param->getParamAlign().valueOrOne(), DL.getABITypeAlign(Ty)));
    B.CreateMemCpy(Copy, Copy->getAlign(), Address, MaybeAlign(1),
                   DL.getTypeAllocSize(Ty));
    Params.push_back(
        B.CreatePointerBitCastOrAddrSpaceCast(Copy, Param->getType()));
  }
}

Value *RegionLoopBuilder::loadDimension(uint64_t Offset, const Twine &Name) {
  Value *Address =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Run.getArg(0), Offset);
  LoadInst *Load = B.CreateLoad(B.getInt32Ty(), Address);
  Load->setMetadata(LLVMContext::MD_range, MDBuilder(Context).createRange(
                                               APInt(32, 1), APInt(32, 1025)));
  return B.CreateZExt(Load, B.getInt64Ty(), Name);
}

/// Gives each variable a slot, or an array, which begins at a multiple of 64
/// bytes.
void RegionLoopBuilder::placeVariables() {
  constexpr uint64_t Multiple = 64;
  Value *Rounded = B.CreateAnd(
      B.CreateAdd(NumThreads, B.getInt64(Multiple - 1), "", true, true),
      B.getInt64(~(Multiple - 1)));
  uint64_t Bytes = R.Regions.SomeEnd ? 1 : 0; // of a thread
  SmallVector<uint64_t> Offsets;
  for (const RegionFunctions::Variable &V : R.Variables) {
    Offsets.push_back(Bytes);
    if (!V.IsUniform)
      Bytes += V.Stride;
  }
  Value *Frame = nullptr;
  if (Bytes) {
    FunctionCallee Callee = Run.getParent()->getOrInsertFunction(
        "__gridspan_cpu_frame",
        FunctionType::get(B.getPtrTy(), {B.getPtrTy(), B.getInt64Ty()}, false));
    cast<Function>(Callee.getCallee())->setDoesNotThrow();
    CallInst *Call = B.CreateCall(
        Callee, {Run.getArg(0), B.CreateMul(Rounded, B.getInt64(Bytes))});
    Call->addRetAttr(Attribute::NoAlias);
    Frame = Call;
    Ended = Frame;
  }
  for (auto [V, Offset] : zip(R.Variables, Offsets)) {
    if (V.IsUniform) {
      AllocaInst *Slot = B.CreateAlloca(V.Ty);
      Slot->setAlignment(std::max(Slot->getAlign(), V.Alignment));
      Variables.push_back(Slot);
      Shadows.push_back(B.Insert(Slot->clone()));
    } else {
      Variables.push_back(B.CreateInBoundsGEP(
          B.getInt8Ty(), Frame, B.CreateMul(Rounded, B.getInt64(Offset))));
      Shadows.push_back(Variables.back());
    }
  }
}

//===--- A region -------------------------------------------------------===//

MDNode *RegionLoopBuilder::loopId(MDNode *Group) {
  MDNode *Accesses = MDNode::get(
      Context, {MDString::get(Context, "llvm.loop.parallel_accesses"), Group});
  MDNode *Loop = MDNode::getDistinct(Context, {nullptr, Accesses});
  Loop->replaceOperandWith(0, Loop);
  return Loop;
}

/// Returns what a region's function gets.
SmallVector<Value *> RegionLoopBuilder::arguments(Value *Tid[3], Value *Linear,
                                                  ArrayRef<Value *> Uniform,
                                                  bool SomeHaveEnded) {
  SmallVector<Value *> Args = {Run.getArg(0)};
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Args.push_back(B.CreateTrunc(Tid[Axis], B.getInt32Ty(), "", true, true));
  Args.append(Params);
  Args.append(SomeHaveEnded ? Shadows : Variables);
  Args.push_back(SomeHaveEnded ? ShadowCount : Count);
  Args.push_back(Linear);
  Args.append(Uniform.begin(), Uniform.end());
  return Args;
}

/// Runs the region for a thread and notes where it is then.
void RegionLoopBuilder::emitThread(unsigned Region, Value *Tid[3],
                                   Value *Linear, ArrayRef<Value *> Uniform,
                                   bool SomeHaveEnded) {
  const CpuRegion &Info = R.Regions.Regions[Region];
  CallInst *Call = B.CreateCall(R.Functions[Region],
                                arguments(Tid, Linear, Uniform, SomeHaveEnded));
  if (SomeHaveEnded)
    Call->addFnAttr(Attribute::NoInline);
  if (Info.EndsApart) {
    Value *IsEnd = B.CreateICmpEQ(Call, B.getInt32(0));
    B.CreateStore(B.CreateZExt(IsEnd, B.getInt8Ty()),
                  B.CreateInBoundsGEP(B.getInt8Ty(), Ended, Linear));
    Value *Old = B.CreateLoad(B.getInt64Ty(), NumEnded);
    B.CreateStore(B.CreateAdd(Old, B.CreateZExt(IsEnd, B.getInt64Ty())),
                  NumEnded);
    if (Info.Next.size() > 1)
      B.CreateStore(
          B.CreateSelect(IsEnd, B.CreateLoad(B.getInt32Ty(), Next), Call),
          Next);
  } else if (Info.Next.size() + Info.Ends > 1) {
    B.CreateStore(Call, Next);
  }
}

void RegionLoopBuilder::copyUniform(ArrayRef<Value *> From, Value *FromCount,
                                    ArrayRef<Value *> To, Value *ToCount) {
  B.CreateStore(B.CreateLoad(B.getInt32Ty(), FromCount), ToCount);
  for (auto [V, Source, Target] : zip(R.Variables, From, To))
    if (V.IsUniform)
      B.CreateStore(B.CreateLoad(V.Ty, Source), Target);
}

/// Returns a function that runs the region for several threads, if there is
/// one: where they go on must be known.
Function *RegionLoopBuilder::tileOf(unsigned Region) {
  const CpuRegion &Info = R.Regions.Regions[Region];
  if (Info.EndsApart || Info.Next.size() + Info.Ends > 1)
    return nullptr;
  const unsigned Linear = R.firstVariable(Region) + R.Variables.size() + 1;
  return MakeTile.Make(*R.Functions[Region], {1U, Linear});
}

/// Emits a loop over whole tiles of a row, whose first thread has the linear
/// index FirstOfRow. Returns the threadIdx.x that comes next.
Value *RegionLoopBuilder::emitTiles(Function &Tile, Value *Tid[3],
                                    Value *FirstOfRow,
                                    ArrayRef<Value *> Uniform) {
  Value *End = B.CreateAnd(Dim[0], B.getInt64(-uint64_t(MakeTile.Width)));
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Body = newBlock("tile"), *Rest = newBlock("rest");
  B.CreateCondBr(B.CreateIsNull(End), Rest, Body);
  B.SetInsertPoint(Body);
  PHINode *First = B.CreatePHI(B.getInt64Ty(), 2);
  First->addIncoming(B.getInt64(0), Before);
  Value *Of[3] = {First, Tid[1], Tid[2]};
  B.CreateCall(&Tile,
               arguments(Of, B.CreateAdd(FirstOfRow, First, "", true, true),
                         Uniform, /*SomeHaveEnded=*/false));
  Value *More = B.CreateAdd(First, B.getInt64(MakeTile.Width), "", true, true);
  First->addIncoming(More, Body);
  B.CreateCondBr(B.CreateICmpEQ(More, End), Rest, Body);
  B.SetInsertPoint(Rest);
  return End;
}

/// Emits the loops over threads; the builder is behind them then.
void RegionLoopBuilder::emitThreads(unsigned Region, bool SomeHaveEnded) {
  // Each thread begins with what uniform variables were before the region.
  SmallVector<Value *> Uniform;
  for (auto [V, Slot] : zip(R.Variables, Variables))
    if (V.IsUniform)
      Uniform.push_back(B.CreateLoad(V.Ty, Slot));
  if (!SomeHaveEnded && isForBlock(R, Region)) {
    Value *Zero = B.getInt64(0);
    Value *First[3] = {Zero, Zero, Zero};
    emitThread(Region, First, Zero, Uniform, SomeHaveEnded);
    return;
  }
  if (SomeHaveEnded)
    copyUniform(Variables, Count, Shadows, ShadowCount);
  Function *Tile = SomeHaveEnded ? nullptr : tileOf(Region);
  Value *Tid[3] = {};
  BasicBlock *Latches[3], *Ends[3];
  Value *Row = B.getInt64(0);
  for (int Axis = 2; Axis >= 0; --Axis) {
    const std::string Name(1, static_cast<char>('x' + Axis));
    BasicBlock *Body = newBlock(Name);
    Latches[Axis] = newBlock(Name + ".next");
    Ends[Axis] = newBlock(Name + ".end");
    Value *First = B.getInt64(0);
    if (Axis == 0 && Tile) {
      First = emitTiles(*Tile, Tid, B.CreateMul(Row, Dim[0], "", true, true),
                        Uniform);
      B.CreateCondBr(B.CreateICmpULT(First, Dim[0]), Body, Ends[0]);
    } else {
      B.CreateBr(Body);
    }
    BasicBlock *Before = B.GetInsertBlock();
    B.SetInsertPoint(Body);
    PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, Name);
    Index->addIncoming(First, Before);
    IRBuilder<> L(Latches[Axis]);
    Value *More = L.CreateAdd(Index, L.getInt64(1), "", true, true);
    Index->addIncoming(More, Latches[Axis]);
    BranchInst *Back =
        L.CreateCondBr(L.CreateICmpULT(More, Dim[Axis]), Body, Ends[Axis]);
    if (MDNode *Group = R.Functions[Region]->getMetadata("gridspan.accesses");
        Group && Axis == 0 && !SomeHaveEnded)
      Back->setMetadata(LLVMContext::MD_loop, loopId(Group));
    Tid[Axis] = Index;
    // The linear index of the row's first thread, then of the thread.
    Row = Axis == 2 ? Tid[2]
                    : B.CreateAdd(B.CreateMul(Row, Dim[Axis], "", true, true),
                                  Tid[Axis], "", true, true);
  }
  if (SomeHaveEnded) {
    Value *Flag = B.CreateLoad(B.getInt8Ty(),
                               B.CreateInBoundsGEP(B.getInt8Ty(), Ended, Row));
    BasicBlock *Lives = newBlock("lives");
    B.CreateCondBr(B.CreateIsNull(Flag), Lives, Latches[0]);
    B.SetInsertPoint(Lives);
  }
  emitThread(Region, Tid, Row, Uniform, SomeHaveEnded);
  B.CreateBr(Latches[0]);
  IRBuilder<>(Ends[0]).CreateBr(Latches[1]);
  IRBuilder<>(Ends[1]).CreateBr(Latches[2]);
  B.SetInsertPoint(Ends[2]);
  if (SomeHaveEnded)
    copyUniform(Shadows, ShadowCount, Variables, Count);
}

/// Returns the block that goes on with a region when threads have arrived at
/// its barrier.
BasicBlock *RegionLoopBuilder::arrivalAt(unsigned Region) {
  const auto &Reduction = R.Reductions[Region];
  if (!Reduction || !Reduction->Result)
    return Begins[Region];
  BasicBlock *&Arrival = Arrivals[Region];
  if (Arrival)
    return Arrival;
  Arrival = newBlock("arrival");
  IRBuilder<> A(Arrival);
  Value *Result = A.CreateLoad(A.getInt32Ty(), Count);
  if (Reduction->Kind == unsigned(BarrierReduction::And))
    Result = A.CreateZExt(A.CreateIsNull(Result), A.getInt32Ty());
  else if (Reduction->Kind == unsigned(BarrierReduction::Or))
    Result = A.CreateZExt(A.CreateIsNotNull(Result), A.getInt32Ty());
  A.CreateStore(Result, Variables[*Reduction->Result]);
  A.CreateBr(Begins[Region]);
  return Arrival;
}

void RegionLoopBuilder::emitTransition(unsigned Region) {
  const CpuRegion &Info = R.Regions.Regions[Region];
  if (Info.Next.empty()) {
    B.CreateBr(Exit);
    return;
  }
  bool MayEnd = Info.Ends;
  if (Info.EndsApart) {
    BasicBlock *GoOn = newBlock("go.on");
    Value *All =
        B.CreateICmpEQ(B.CreateLoad(B.getInt64Ty(), NumEnded), NumThreads);
    B.CreateCondBr(All, Exit, GoOn);
    B.SetInsertPoint(GoOn);
    MayEnd = false;
  }
  if (Info.Next.size() == 1 && !MayEnd) {
    B.CreateBr(arrivalAt(*Info.Next.begin()));
    return;
  }
  Value *To = B.CreateLoad(B.getInt32Ty(), Next);
  SwitchInst *Switch = B.CreateSwitch(
      To, MayEnd ? Exit : arrivalAt(*Info.Next.begin()), Info.Next.size());
  for (unsigned Number : Info.Next)
    if (MayEnd || Number != *Info.Next.begin())
      Switch->addCase(B.getInt32(Number), arrivalAt(Number));
}

void RegionLoopBuilder::emitRegion(unsigned Region) {
  B.SetInsertPoint(Begins[Region]);
  B.CreateStore(B.getInt32(0), Count);
  // Nobody has ended before the first region.
  if (!R.Regions.SomeEnd || Region == 0) {
    emitThreads(Region, false);
  } else {
    BasicBlock *All = newBlock("all"), *Some = newBlock("some");
    BasicBlock *Done = newBlock("done");
    Value *None = B.CreateIsNull(B.CreateLoad(B.getInt64Ty(), NumEnded));
    B.CreateCondBr(None, All, Some);
    for (bool SomeHaveEnded : {false, true}) {
      B.SetInsertPoint(SomeHaveEnded ? Some : All);
      emitThreads(Region, SomeHaveEnded);
      B.CreateBr(Done);
    }
    B.SetInsertPoint(Done);
  }
  emitTransition(Region);
}

void RegionLoopBuilder::build(const Function &Kernel) {
  B.SetInsertPoint(newBlock("entry"));
  loadParameters(Kernel);
  Dim[0] = loadDimension(offsetof(GridspanCpuBlock, BlockDimX), "dim.x");
  Dim[1] = loadDimension(offsetof(GridspanCpuBlock, BlockDimY), "dim.y");
  Dim[2] = loadDimension(offsetof(GridspanCpuBlock, BlockDimZ), "dim.z");
  NumThreads = B.CreateMul(B.CreateMul(Dim[0], Dim[1], "", true, true), Dim[2],
                           "threads", true, true);
  Next = B.CreateAlloca(B.getInt32Ty(), nullptr, "next");
  Count = B.CreateAlloca(B.getInt32Ty(), nullptr, "count");
  ShadowCount = B.CreateAlloca(B.getInt32Ty(), nullptr, "shadow.count");
  NumEnded = B.CreateAlloca(B.getInt64Ty(), nullptr, "ended");
  B.CreateStore(B.getInt32(0), Next);
  B.CreateStore(B.getInt64(0), NumEnded);
  placeVariables();
  const unsigned NumRegions = R.Functions.size();
  Arrivals.resize(NumRegions);
  for (unsigned I = 0; I != NumRegions; ++I)
    Begins.push_back(newBlock("region." + Twine(I)));
  Exit = newBlock("exit");
  B.CreateBr(Begins[0]);
  for (unsigned I = 0; I != NumRegions; ++I)
    emitRegion(I);
  B.SetInsertPoint(Exit);
  B.CreateRetVoid();
}

Function *gridspan::makeRegionLoop(Function &Kernel, StringRef Name,
                                   TileMaker MakeTile) {
  Module &M = *Kernel.getParent();
  LLVMContext &Context = M.getContext();
  Type *Ptr = PointerType::get(Context, 0);
  auto *RunType =
      FunctionType::get(Type::getVoidTy(Context), {Ptr, Ptr, Ptr}, false);
  auto *Run = Function::Create(RunType, GlobalValue::ExternalLinkage, Name, M);
  Run->setDoesNotThrow();
  for (unsigned I = 0; I != 3; ++I)
    Run->addParamAttr(I, Attribute::NoAlias);
  Run->addParamAttr(0, Attribute::ReadOnly);
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&Kernel, Map);
  Copy->setName(Kernel.getName());
  RegionLoopBuilder(makeRegionFunctions(*Copy), *Run, MakeTile).build(Kernel);
  return Run;
}

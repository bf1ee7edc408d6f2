//===- CpuThreadLoop.cpp - Kernels as loops over threads ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three nested loops over threadIdx, x innermost, around the inlined kernel.
// Where the kernel has loops that threads take together, most of a row runs in
// tiles (ThreadTile.h).
//
// CUDA gives threads without a barrier between them no order, and two that
// touch the same bytes, one of them writing, must do it atomically. So no
// iteration of the loop over x depends on another through plain accesses, which
// is what llvm.loop.parallel_accesses says; the vectorizer then needs no run
// time checks. Memory of the thread itself is different: after inlining, all
// iterations share the same stack slots. Accesses that may touch it are
// therefore not annotated: a kernel with a stack slot or a by-value parameter
// whose address is not only loaded from or stored to directly annotates
// nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuThreadLoop.h"
#include "gridspan/ABI.h"
#include "passes/cpu/CpuContext.h"
#include "passes/cpu/CpuRowGuard.h"
#include "passes/cpu/tiles/ThreadTile.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace gridspan;

//===--- Annotation -----------------------------------------------------===//

/// True if V is memory of the thread itself.
static bool isOfThread(const Value *V) {
  if (auto *A = dyn_cast<Argument>(V))
    return A->hasByValAttr();
  return isa<AllocaInst>(V);
}

/// True if all accesses to the thread's own memory can be told from others.
static bool knowsPrivateMemory(Function &Thread) {
  auto Escapes = [](const Value &V) {
    return PointerMayBeCaptured(&V, /*ReturnCaptures=*/true,
                                /*StoreCaptures=*/true);
  };
  for (Argument &A : Thread.args())
    if (A.hasByValAttr() && Escapes(A))
      return false;
  for (Instruction &I : instructions(Thread))
    if (isa<AllocaInst>(I) && Escapes(I))
      return false;
  return true;
}

/// Puts the accesses of other threads' memory into a group.
static MDNode *annotateAccesses(Function &Thread) {
  if (!knowsPrivateMemory(Thread))
    return nullptr;
  MDNode *Group = MDNode::getDistinct(Thread.getContext(), {});
  for (Instruction &I : instructions(Thread)) {
    const Value *Address = getLoadStorePointerOperand(&I);
    if (!Address || I.isVolatile() || I.isAtomic())
      continue;
    SmallVector<const Value *> Objects;
    getUnderlyingObjects(Address, Objects);
    if (none_of(Objects, isOfThread))
      I.setMetadata(LLVMContext::MD_access_group, Group);
  }
  return Group;
}

//===--- The loops ------------------------------------------------------===//

namespace {

class LoopBuilder {
public:
  LoopBuilder(Function &Thread, Function &Run, std::optional<RowGuard> Guard,
              bool MakesTiles, raw_ostream *OS)
      : Thread(&Thread), Run(Run), B(Run.getContext()), Guard(std::move(Guard)),
        MakesTiles(MakesTiles), Name(Thread.getName()), OS(OS) {}

  void build(MDNode *Group) {
    BasicBlock *Entry = BasicBlock::Create(Run.getContext(), "entry", &Run);
    B.SetInsertPoint(Entry);
    loadParameters();
    Value *Lo[3], *Hi[3];
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      Lo[Axis] = bound(offsetof(GridspanCpuThreads, LoX) + 4 * Axis, Axis);
      Hi[Axis] = bound(offsetof(GridspanCpuThreads, HiX) + 4 * Axis, Axis);
    }
    openLoop(2, Lo[2], Hi[2], nullptr);
    openLoop(1, Lo[1], Hi[1], nullptr);
    if (Guard)
      openGuardedRow(Lo[0], Hi[0]);
    else
      openRow(Lo[0], Hi[0]);
    openLoop(0, RowBegin, RowEnd, Group);
    callThread();
    B.SetInsertPoint(Outermost);
    B.CreateRetVoid();
  }

private:
  Value *bound(uint64_t Offset, unsigned Axis) {
    Value *Address =
        B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Run.getArg(2), Offset);
    return B.CreateLoad(B.getInt32Ty(), Address);
  }

  /// Parameters are the same for all threads; by-value ones are copied once
  /// here, and by the call for a thread that changes its own.
  void loadParameters() {
    const DataLayout &DL = Run.getParent()->getDataLayout();
    for (unsigned I = NumCpuParams, E = Thread->arg_size(); I != E; ++I) {
      Argument *Param = Thread->getArg(I);
      Value *Pointer = B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Run.getArg(1),
                                                    I - NumCpuParams);
      Value *Address = B.CreateLoad(B.getPtrTy(), Pointer);
      if (!Param->hasByValAttr()) {
        Params.push_back(B.CreateAlignedLoad(Param->getType(), Address,
                                             Align(1), Param->getName()));
        continue;
      }
      Type *Ty = Param->getParamByValType();
      AllocaInst *Copy = B.CreateAlloca(Ty);
      Copy->setAlignment(std::max(Param->getParamAlign().valueOrOne(),
                                  DL.getABITypeAlign(Ty)));
      B.CreateMemCpy(Copy, Copy->getAlign(), Address, MaybeAlign(1),
                     DL.getTypeAllocSize(Ty));
      Params.push_back(
          B.CreatePointerBitCastOrAddrSpaceCast(Copy, Param->getType()));
    }
  }

  /// Opens the loop over an axis; its body is where the builder is afterwards,
  /// its exit where it was told to go on.
  void openLoop(unsigned Axis, Value *Lo, Value *Hi, MDNode *Group) {
    LLVMContext &Context = Run.getContext();
    const std::string Name(1, static_cast<char>('x' + Axis));
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *Body = BasicBlock::Create(Context, Name, &Run);
    BasicBlock *Latch = BasicBlock::Create(Context, Name + ".next", &Run);
    BasicBlock *Exit = BasicBlock::Create(Context, Name + ".end", &Run);
    B.CreateCondBr(B.CreateICmpULT(Lo, Hi), Body, Exit);
    B.SetInsertPoint(Body);
    PHINode *Index = B.CreatePHI(B.getInt32Ty(), 2);
    Index->addIncoming(Lo, Before);
    B.SetInsertPoint(Latch);
    Value *Next = B.CreateAdd(Index, B.getInt32(1), "", /*HasNUW=*/true,
                              /*HasNSW=*/true);
    Index->addIncoming(Next, Latch);
    BranchInst *Back = B.CreateCondBr(B.CreateICmpULT(Next, Hi), Body, Exit);
    if (Group)
      Back->setMetadata(LLVMContext::MD_loop, parallelLoop(Group));
    // The exit of an inner loop goes on in the latch of the outer one.
    B.SetInsertPoint(Exit);
    if (OuterLatch)
      B.CreateBr(OuterLatch);
    else
      Outermost = Exit;
    OuterLatch = Latch;
    Indices[Axis] = Index;
    B.SetInsertPoint(Body);
  }

  /// Emits the loop over x in chunks of threads that run (CpuRowGuard.h).
  void openGuardedRow(Value *Lo, Value *Hi) {
    LLVMContext &Context = Run.getContext();
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *Chunk = BasicBlock::Create(Context, "chunk", &Run);
    BasicBlock *Latch = BasicBlock::Create(Context, "chunk.next", &Run);
    B.CreateCondBr(B.CreateICmpULT(Lo, Hi), Chunk, OuterLatch);
    B.SetInsertPoint(Chunk);
    PHINode *Start = B.CreatePHI(B.getInt32Ty(), 2);
    Start->addIncoming(Lo, Before);
    Indices[0] = Start;
    RowGuard::Bounds Bounds = Guard->emitBounds(arguments(), Start, Hi, B);
    Start->addIncoming(Bounds.Next, Latch);
    IRBuilder<> AtLatch(Latch);
    AtLatch.CreateCondBr(AtLatch.CreateICmpULT(Bounds.Next, Hi), Chunk,
                         OuterLatch);
    OuterLatch = Latch;
    const unsigned Distance = Thread->arg_size();
    Thread = Guard->removeFrom(*Thread);
    First = Bounds.First;
    FirstIndices = Bounds.Indices;
    Growing.push_back(Distance);
    openRow(B.getInt32(0), Bounds.Count);
  }

  /// Returns the arguments of a call of Thread in the loops as they are so far.
  SmallVector<Value *> arguments() {
    SmallVector<Value *> Args = {Run.getArg(0), Indices[0], Indices[1],
                                 Indices[2]};
    Args.append(Params.begin(), Params.end());
    if (!First)
      return Args;
    Args[1] = B.CreateAdd(First, Indices[0], "", true, true);
    Args.push_back(Indices[0]);
    Args.append(FirstIndices);
    return Args;
  }

  /// Runs those threads of a row that are whole tiles, where that is better,
  /// and leaves the others to the loop over x.
  void openRow(Value *Lo, Value *Hi) {
    RowBegin = Lo;
    RowEnd = Hi;
    Function *Tile =
        MakesTiles ? makeThreadTile(*Thread, Growing, Name, OS) : nullptr;
    if (!Tile)
      return;
    LLVMContext &Context = Run.getContext();
    Value *Count = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Hi, Lo);
    RowBegin =
        B.CreateAdd(Lo, B.CreateAnd(Count, B.getInt32(-TileWidth)), "", true);
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *Body = BasicBlock::Create(Context, "tile", &Run);
    BasicBlock *Rest = BasicBlock::Create(Context, "rest", &Run);
    B.CreateCondBr(B.CreateICmpNE(Lo, RowBegin), Body, Rest);
    B.SetInsertPoint(Body);
    PHINode *Index = B.CreatePHI(B.getInt32Ty(), 2);
    Index->addIncoming(Lo, Before);
    Indices[0] = Index;
    B.CreateCall(Tile, arguments());
    Value *Next = B.CreateAdd(Index, B.getInt32(TileWidth), "", true, true);
    Index->addIncoming(Next, Body);
    B.CreateCondBr(B.CreateICmpNE(Next, RowBegin), Body, Rest);
    B.SetInsertPoint(Rest);
  }

  MDNode *parallelLoop(MDNode *Group) {
    LLVMContext &Context = Run.getContext();
    MDNode *Accesses = MDNode::get(
        Context,
        {MDString::get(Context, "llvm.loop.parallel_accesses"), Group});
    MDNode *Loop = MDNode::getDistinct(Context, {nullptr, Accesses});
    Loop->replaceOperandWith(0, Loop);
    return Loop;
  }

  void callThread() {
    CallInst *Call = B.CreateCall(Thread, arguments());
    for (unsigned I = NumCpuParams, E = Thread->arg_size(); I != E; ++I)
      if (Thread->getArg(I)->hasByValAttr())
        for (Attribute::AttrKind Kind :
             {Attribute::ByVal, Attribute::Alignment})
          if (Thread->getArg(I)->hasAttribute(Kind))
            Call->addParamAttr(I, Thread->getArg(I)->getAttribute(Kind));
    B.CreateBr(OuterLatch);
  }

  Function *Thread;
  Function &Run;
  IRBuilder<> B;
  std::optional<RowGuard> Guard;
  const bool MakesTiles;
  const std::string Name;
  raw_ostream *OS; ///< receives what is taken in tiles, if not null
  SmallVector<Value *> Params;
  Value *Indices[3] = {};
  /// Of a guarded row: its first thread, and the indices of the guard's terms
  /// for it. Indices[0] is the distance from there then.
  Value *First = nullptr;
  SmallVector<Value *> FirstIndices;
  SmallVector<unsigned, 2> Growing = {1}; ///< parameters of Thread
  /// What the loop over x is left with.
  Value *RowBegin = nullptr, *RowEnd = nullptr;
  BasicBlock *OuterLatch = nullptr;
  BasicBlock *Outermost = nullptr;
};

} // namespace

Function *gridspan::makeThreadLoop(Function &Thread, StringRef Name,
                                   bool Independent, raw_ostream *OS) {
  assert(Thread.arg_size() >= NumCpuParams && "no thread parameters");
  Module &M = *Thread.getParent();
  LLVMContext &Context = M.getContext();
  Type *Ptr = PointerType::get(Context, 0);
  auto *RunType =
      FunctionType::get(Type::getVoidTy(Context), {Ptr, Ptr, Ptr}, false);
  auto *Run = Function::Create(RunType, GlobalValue::ExternalLinkage, Name, M);
  Run->setDoesNotThrow();
  for (unsigned I = 0; I != 3; ++I)
    Run->addParamAttr(I, Attribute::NoAlias);
  Run->addParamAttr(0, Attribute::ReadOnly);
  if (Thread.hasFnAttribute(Attribute::OptimizeNone)) {
    Run->addFnAttr(Attribute::OptimizeNone);
    Run->addFnAttr(Attribute::NoInline);
  }
  MDNode *Group = nullptr;
  std::optional<RowGuard> Guard;
  if (Independent && !Thread.hasFnAttribute(Attribute::NoInline)) {
    Group = annotateAccesses(Thread);
    Thread.addFnAttr(Attribute::AlwaysInline);
    // A kernel whose address is known elsewhere keeps its shape.
    if (Thread.use_empty())
      Guard = RowGuard::find(Thread);
  }
  const bool MakesTiles = Thread.hasFnAttribute(Attribute::AlwaysInline);
  LoopBuilder(Thread, *Run, std::move(Guard), MakesTiles, OS).build(Group);
  return Run;
}

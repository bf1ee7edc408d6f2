//===- RecordingClone.cpp - Kernels that record requests ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread looks once, at the entry, whether its block and its warp are of the
// sample (GridspanRecorder), and where its records are. The clone has the
// kernel's code twice, and blocks that are not of the sample take the copy
// without probes, so that the launch takes about as long as ever. In front of
// each probe of the other is code for the threads of sampled warps:
//
//   record(record, address, iterations):
//     here    = the lanes that are here (activemask)
//     request = those of them at the probe, in the same iterations (match.any)
//     its first lane counts the request, and all get its number (shfl)
//     if the number is one of those kept, each lane stores its address
//
// Other warps of these blocks pay a comparison for each probe. Threads of a
// block go one way, as their barriers ask. The lanes are those that the
// hardware has together, so that requests are what it makes of a branch on
// data. It is inlined as lanes that part in a loop with a call do not meet
// again at each of its iterations (on an H200, of a loop with a branch on
// data: 1.1 lanes a request with a call, 15.1 without one). Probes and
// iterations are compared since on the CPU device lanes may wait for each other
// that are not at the same place of the kernel. There lanes that a branch in a
// loop has separated do not meet again at its end. So they make more requests
// than on a GPU.
//
// It is sound because nothing is added but code that writes to the records
// only; no value of the kernel changes. Operations of the warp name
// the lanes that are there, so that no lane waits for one that does not come.
//
//===----------------------------------------------------------------------===//

#include "passes/device/clones/RecordingClone.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "analysis/nvptx/MemoryOps.h"
#include "gridspan/ABI.h"
#include "gridspan/WarpSize.h"
#include "passes/common/IterationNumbers.h"
#include "passes/common/ModuleBuild.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

#define DEBUG_TYPE "gridspan-record"

using namespace llvm;

STATISTIC(NumClones, "Kernels cloned to be recorded");

namespace gridspan {

namespace {
/// An access that can be recorded.
struct Probe {
  Instruction *At;
  Value *Address;
  ProbeSummary Summary;
};
} // namespace

/// Returns the probe at I, if it is one. Copies of blocks have no one address.
static std::optional<Probe> probeAt(Instruction &I) {
  if (!I.hasMetadata(RecordMetadata))
    return std::nullopt;
  std::optional<uint32_t> Site = siteOf(I);
  if (!Site)
    return std::nullopt;
  const DataLayout &DL = I.getModule()->getDataLayout();
  auto Made = [&](Value *Address, Type *Ty, GridspanMode Mode) {
    const auto Bytes = uint32_t(DL.getTypeStoreSize(Ty).getFixedValue());
    return Probe{&I, Address, {*Site, uint32_t(Mode), Bytes}};
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Made(Load->getPointerOperand(), Load->getType(), GridspanRead);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Made(Store->getPointerOperand(), Store->getValueOperand()->getType(),
                GridspanWrite);
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Made(Update->getPointerOperand(), Update->getType(), GridspanAtomic);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Made(Exchange->getPointerOperand(),
                Exchange->getNewValOperand()->getType(), GridspanAtomic);
  return std::nullopt;
}

static std::vector<Probe> collectProbes(Function &Body) {
  std::vector<Probe> Out;
  for (Instruction &I : instructions(Body))
    if (std::optional<Probe> P = probeAt(I))
      Out.push_back(*P);
  return Out;
}

std::vector<ProbeSummary> probesOf(const Function &Body) {
  std::vector<ProbeSummary> Out;
  for (const Probe &P : collectProbes(const_cast<Function &>(Body)))
    Out.push_back(P.Summary);
  return Out;
}

static Value *fieldOf(IRBuilder<> &B, Value *Struct, size_t Offset) {
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Struct, Offset);
}

/// Makes a function that notes a request.
static Function &recordFunction(Module &M) {
  LLVMContext &C = M.getContext();
  IRBuilder<> B(C);
  Type *I32 = B.getInt32Ty();
  Type *I64 = B.getInt64Ty();
  auto *F = Function::Create(
      FunctionType::get(B.getVoidTy(), {B.getPtrTy(), I64, I64}, false),
      GlobalValue::InternalLinkage, "gridspan.record", M);
  F->addFnAttr(Attribute::Convergent);
  F->addFnAttr(Attribute::NoUnwind);
  Argument *Record = F->getArg(0);
  Argument *Address = F->getArg(1);
  Argument *Iterations = F->getArg(2);
  BasicBlock *Entry = BasicBlock::Create(C, "entry", F);
  BasicBlock *First = BasicBlock::Create(C, "first", F);
  BasicBlock *Counted = BasicBlock::Create(C, "counted", F);
  BasicBlock *Kept = BasicBlock::Create(C, "kept", F);
  BasicBlock *Mask = BasicBlock::Create(C, "mask", F);
  BasicBlock *End = BasicBlock::Create(C, "end", F);

  B.SetInsertPoint(Entry);
  Value *Here = B.CreateIntrinsic(I32, Intrinsic::nvvm_activemask, {});
  auto Match = [&](Value *Of) {
    return B.CreateIntrinsic(I32, Intrinsic::nvvm_match_any_sync_i64,
                             {Here, Of});
  };
  Value *SameProbe = Match(B.CreatePtrToInt(Record, I64));
  Value *Request = B.CreateAnd(SameProbe, Match(Iterations));
  Value *Lane =
      B.CreateIntrinsic(I32, Intrinsic::nvvm_read_ptx_sreg_laneid, {});
  Value *Leader =
      B.CreateIntrinsic(I32, Intrinsic::cttz, {Request, B.getTrue()});
  Value *IsLeader = B.CreateICmpEQ(Lane, Leader);
  B.CreateCondBr(IsLeader, First, Counted);

  B.SetInsertPoint(First);
  Value *Count =
      B.CreateAtomicRMW(AtomicRMWInst::Add,
                        fieldOf(B, Record, offsetof(GridspanRecord, Requests)),
                        B.getInt32(1), Align(4), AtomicOrdering::Monotonic);
  Value *Lanes =
      B.CreateZExt(B.CreateUnaryIntrinsic(Intrinsic::ctpop, Request), I64);
  B.CreateAtomicRMW(AtomicRMWInst::Add,
                    fieldOf(B, Record, offsetof(GridspanRecord, Lanes)), Lanes,
                    Align(8), AtomicOrdering::Monotonic);
  B.CreateBr(Counted);

  B.SetInsertPoint(Counted);
  PHINode *Mine = B.CreatePHI(I32, 2);
  Mine->addIncoming(B.getInt32(0), Entry);
  Mine->addIncoming(Count, First);
  Value *Number =
      B.CreateIntrinsic(I32, Intrinsic::nvvm_shfl_sync_idx_i32,
                        {Request, Mine, Leader, B.getInt32(WarpSize - 1)});
  static_assert(isPowerOf2_32(GridspanFirstRequests));
  Value *IsFirst =
      B.CreateICmpULT(Number, B.getInt32(GridspanFirstRequests), "is.first");
  Value *Log =
      B.CreateSub(B.getInt32(31), B.CreateIntrinsic(Intrinsic::ctlz, {I32},
                                                    {Number, B.getFalse()}));
  Value *IsPower = B.CreateICmpEQ(
      B.CreateUnaryIntrinsic(Intrinsic::ctpop, Number), B.getInt32(1));
  Value *Later = B.CreateSelect(
      IsPower,
      B.CreateAdd(Log, B.getInt32(GridspanFirstRequests -
                                  Log2_32(GridspanFirstRequests))),
      B.getInt32(GridspanRecordedRequests));
  Value *Slot = B.CreateSelect(IsFirst, Number, Later, "slot");
  B.CreateCondBr(B.CreateICmpULT(Slot, B.getInt32(GridspanRecordedRequests)),
                 Kept, End);

  B.SetInsertPoint(Kept);
  Value *Index = B.CreateZExt(
      B.CreateAdd(B.CreateMul(Slot, B.getInt32(WarpSize)), Lane), I64);
  Value *To = B.CreateGEP(
      I64, fieldOf(B, Record, offsetof(GridspanRecord, Addresses)), Index);
  B.CreateAlignedStore(Address, To, Align(8));
  B.CreateCondBr(IsLeader, Mask, End);

  B.SetInsertPoint(Mask);
  Value *ToMask =
      B.CreateGEP(I32, fieldOf(B, Record, offsetof(GridspanRecord, Masks)),
                  B.CreateZExt(Slot, I64));
  B.CreateAlignedStore(Request, ToMask, Align(4));
  B.CreateBr(End);

  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return *F;
}

/// Reads the special register of an axis.
static Value *sregAt(IRBuilder<> &B, std::array<Intrinsic::ID, 3> Ids,
                     unsigned Axis) {
  return B.CreateIntrinsic(B.getInt32Ty(), Ids[Axis], {});
}

namespace {
struct SampleValues {
  Value *IsBlockIn; ///< true in threads of blocks of the sample
  Value *Records;   ///< of the thread's warp; null if it is not of the sample
};
} // namespace

/// Emits what a thread of New, which has NumProbes, asks of the sample.
static SampleValues emitSample(Function &New, size_t NumProbes,
                               IRBuilder<> &B) {
  constexpr std::array<Intrinsic::ID, 3> Thread = {
      Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
      Intrinsic::nvvm_read_ptx_sreg_tid_z};
  constexpr std::array<Intrinsic::ID, 3> Block = {
      Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  constexpr std::array<Intrinsic::ID, 3> Threads = {
      Intrinsic::nvvm_read_ptx_sreg_ntid_x,
      Intrinsic::nvvm_read_ptx_sreg_ntid_y,
      Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  constexpr std::array<Intrinsic::ID, 3> Blocks = {
      Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  Type *I64 = B.getInt64Ty();
  Argument *Recorder = New.getArg(New.arg_size() - 1);
  auto Number = [&](std::array<Intrinsic::ID, 3> At,
                    std::array<Intrinsic::ID, 3> Of) {
    Value *Sum = B.CreateZExt(sregAt(B, At, 2), I64);
    for (unsigned Axis : {1u, 0u})
      Sum =
          B.CreateAdd(B.CreateMul(Sum, B.CreateZExt(sregAt(B, Of, Axis), I64)),
                      B.CreateZExt(sregAt(B, At, Axis), I64));
    return Sum;
  };
  auto Field = [&](size_t Offset) {
    return B.CreateZExt(B.CreateAlignedLoad(B.getInt32Ty(),
                                            fieldOf(B, Recorder, Offset),
                                            Align(4)),
                        I64);
  };
  // The place of a number in the sample, and if it is in it.
  auto Sampled = [&](Value *Of, Value *Step, Value *Most) {
    Value *Place = B.CreateUDiv(Of, Step);
    Value *IsIn = B.CreateAnd(B.CreateICmpEQ(B.CreateMul(Place, Step), Of),
                              B.CreateICmpULT(Place, Most));
    return std::pair(Place, IsIn);
  };
  Value *Warp = B.CreateUDiv(Number(Thread, Threads), B.getInt64(WarpSize));
  auto [BlockPlace, IsBlock] = Sampled(
      Number(Block, Blocks), Field(offsetof(GridspanRecorder, BlockStep)),
      Field(offsetof(GridspanRecorder, NumBlocks)));
  Value *NumWarps = Field(offsetof(GridspanRecorder, NumWarps));
  auto [WarpPlace, IsWarp] =
      Sampled(Warp, Field(offsetof(GridspanRecorder, WarpStep)), NumWarps);
  Value *Records = B.CreateAlignedLoad(
      B.getPtrTy(), fieldOf(B, Recorder, offsetof(GridspanRecorder, Records)),
      Align(8));
  Value *Place = B.CreateAdd(B.CreateMul(BlockPlace, NumWarps), WarpPlace);
  Value *Mine = B.CreateGEP(
      B.getInt8Ty(), Records,
      B.CreateMul(Place, B.getInt64(NumProbes * sizeof(GridspanRecord))));
  Value *IsBlockIn = B.CreateAnd(IsBlock, B.CreateIsNotNull(Records));
  return {IsBlockIn,
          B.CreateSelect(B.CreateAnd(IsBlockIn, IsWarp), Mine,
                         Constant::getNullValue(B.getPtrTy()), "records")};
}

/// Copies the blocks of F behind its first one, without the marks of probes.
/// Returns the copy of the second one.
static BasicBlock *copyUnmarked(Function &F) {
  SmallVector<BasicBlock *> Old(make_pointer_range(drop_begin(F))), Copies;
  ValueToValueMapTy Map;
  for (BasicBlock *BB : Old) {
    Copies.push_back(CloneBasicBlock(BB, Map, ".unrecorded", &F));
    Map[BB] = Copies.back();
  }
  remapInstructionsInBlocks(Copies, Map);
  for (BasicBlock *BB : Copies)
    for (Instruction &I : *BB)
      I.setMetadata(RecordMetadata, nullptr);
  return Copies.front();
}

/// Returns true if F has code that may be in a function once only, as assembly
/// with registers or labels of its own is, if it has no braces around them.
static bool hasUniqueCode(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return false;
    if (Call->cannotDuplicate())
      return true;
    const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
    const StringRef Text = Asm ? StringRef(Asm->getAsmString()) : StringRef();
    return Text.contains(".reg") || Text.contains("bra");
  });
}

/// Puts what records in front of the probes of New, in a copy of its code that
/// blocks of the sample run. Both copies have the same variables. Code that
/// cannot be copied all blocks run.
static void addCalls(Function &New) {
  const std::vector<Probe> Probes = collectProbes(New);
  const bool IsUnique = hasUniqueCode(New);
  BasicBlock *Recorded = &New.getEntryBlock();
  BasicBlock *Entry =
      BasicBlock::Create(New.getContext(), "sample", &New, Recorded);
  moveAllocas(*Recorded, *Entry);
  BasicBlock *Unrecorded = IsUnique ? nullptr : copyUnmarked(New);
  IRBuilder<> B(Entry);
  const SampleValues Sample = emitSample(New, Probes.size(), B);
  if (Unrecorded)
    B.CreateCondBr(Sample.IsBlockIn, Recorded, Unrecorded)
        ->setMetadata(SampledMetadata, MDNode::get(New.getContext(), {}));
  else
    B.CreateBr(Recorded);
  Function &Record = recordFunction(*New.getParent());
  SmallVector<CallInst *> Calls;
  // Before blocks are split at the calls.
  std::vector<Value *> Iterations;
  IterationNumbers Numbers(New);
  for (const Probe &P : Probes)
    Iterations.push_back(Numbers.at(P.At->getParent()));
  for (size_t I = 0; I != Probes.size(); ++I) {
    const Probe &P = Probes[I];
    B.SetInsertPoint(P.At);
    Instruction *Then = SplitBlockAndInsertIfThen(
        B.CreateIsNotNull(Sample.Records), P.At, /*Unreachable=*/false);
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(P.At->getDebugLoc());
    Value *Generic =
        B.CreatePointerBitCastOrAddrSpaceCast(P.Address, B.getPtrTy());
    CallInst *Call = B.CreateCall(
        &Record, {fieldOf(B, Sample.Records, I * sizeof(GridspanRecord)),
                  B.CreatePtrToInt(Generic, B.getInt64Ty()), Iterations[I]});
    Call->addFnAttr(Attribute::Convergent);
    Call->addFnAttr(Attribute::NoUnwind);
    Calls.push_back(Call);
  }
  for (CallInst *Call : Calls) {
    InlineFunctionInfo Info;
    if (!InlineFunction(*Call, Info).isSuccess())
      report_fatal_error("the code that records is not inlined");
  }
  Record.eraseFromParent();
}

Function &recordingBody(Function &Body) {
  assert(!probesOf(Body).empty() && "nothing to record");
  ++NumClones;
  LLVMContext &C = Body.getContext();
  SmallVector<Type *, 8> Params(Body.getFunctionType()->params());
  Params.push_back(PointerType::getUnqual(C));
  Function &New = *Function::Create(
      FunctionType::get(Body.getReturnType(), Params, false),
      GlobalValue::InternalLinkage, Body.getAddressSpace(),
      (Body.getName() + ".recording").str(), Body.getParent());
  copyCode(Body, New);
  New.setVisibility(GlobalValue::DefaultVisibility);
  Argument &Recorder = *New.getArg(New.arg_size() - 1);
  Recorder.setName("recorder");
  Type *I32 = Type::getInt32Ty(C);
  AttrBuilder Attributes(C);
  Attributes.addByValAttr(
      StructType::get(C, {PointerType::getUnqual(C), I32, I32, I32, I32}));
  Attributes.addAlignmentAttr(Align(8));
  Attributes.addAttribute(Attribute::NoUndef);
  New.addParamAttrs(Recorder.getArgNo(), Attributes);
  // It writes its records, and lanes of a warp tell each other numbers.
  New.removeFnAttr(Attribute::Memory);
  New.removeFnAttr(Attribute::NoSync);
  New.addFnAttr(Attribute::Convergent);
  addCalls(New);
  return New;
}

Function &recordingKernel(Function &Kernel, Function &Recording,
                          KernelDeclarer &Declarer) {
  Function &New = Declarer.declare(Kernel, Recording.getFunctionType(),
                                   (Kernel.getName() + RecordingKind).str());
  copyCode(Recording, New);
  New.setVisibility(Kernel.getVisibility());
  return New;
}

} // namespace gridspan

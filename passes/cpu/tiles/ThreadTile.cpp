//===- ThreadTile.cpp - Threads that run together -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile is made a kernel of its own: threadIdx.x is the number of the thread
// in the tile, and the parameters are those of the first thread. To what cuts
// kernels into regions (RegionFunctions.h) it is one like others, and what the
// threads of a row have in common is the same for all threads of this kernel.
// Here its regions become loops over the tile. What threads keep from region to
// region is in arrays on the stack, of which LLVM makes vectors.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/tiles/ThreadTile.h"
#include "passes/common/CpuNames.h"
#include "passes/cpu/regions/ParameterCopies.h"
#include "passes/cpu/regions/RegionFunctions.h"
#include "passes/cpu/tiles/Quotients.h"
#include "passes/cpu/tiles/TileLoops.h"
#include "passes/cpu/tiles/UnrollTiles.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gridspan;

//===--- The tile as a kernel -------------------------------------------===//

static Function *makeRow(Function &Thread, ArrayRef<unsigned> Growing) {
  LLVMContext &Context = Thread.getContext();
  Type *Int = Type::getInt32Ty(Context);
  SmallVector<Type *> Params = {PointerType::get(Context, 0), Int, Int, Int};
  Params.append(Thread.getFunctionType()->param_begin(),
                Thread.getFunctionType()->param_end());
  auto *Row = Function::Create(
      FunctionType::get(Type::getVoidTy(Context), Params, false),
      GlobalValue::InternalLinkage, Thread.getName() + ".tile",
      Thread.getParent());
  ValueToValueMapTy Map;
  for (Argument &A : Thread.args())
    Map[&A] = Row->getArg(NumCpuParams + A.getArgNo());
  SmallVector<ReturnInst *> Returns;
  CloneFunctionInto(Row, &Thread, Map,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  // Its accesses get a group of the tile's own.
  Row->setMetadata("gridspan.accesses", nullptr);
  for (ReturnInst *Return : Returns) {
    IRBuilder<>(Return).CreateRetVoid();
    Return->eraseFromParent();
  }
  IRBuilder<> B(&Row->getEntryBlock(), Row->getEntryBlock().begin());
  for (const unsigned Number : Growing) {
    Argument *First = Row->getArg(NumCpuParams + Number);
    Value *Number32 = Row->getArg(1);
    auto *Own = cast<Instruction>(
        B.CreateAdd(First, B.CreateZExt(Number32, First->getType()), "",
                    /*HasNUW=*/true, /*HasNSW=*/true));
    First->replaceUsesWithIf(Own, [&](Use &U) { return U.getUser() != Own; });
  }
  copyChangedParameters(*Row);
  return Row;
}

//===--- Loops over the tile --------------------------------------------===//

namespace {

class TileBuilder {
public:
  TileBuilder(const RegionFunctions &R, Function &Tile)
      : R(R), Tile(Tile), Context(Tile.getContext()), B(Context) {}
  void build(BasicBlock *Entry);

private:
  BasicBlock *newBlock(const Twine &Name) {
    return BasicBlock::Create(Context, Name, &Tile);
  }
  void placeVariables();
  void emitCall(unsigned Region, Value *Thread, ArrayRef<Value *> Uniform);
  void emitRegion(unsigned Region);
  void emitTransition(unsigned Region);

  const RegionFunctions &R;
  Function &Tile;
  LLVMContext &Context;
  IRBuilder<> B;
  SmallVector<Value *> Variables; ///< slots or arrays, parallel to R.Variables
  AllocaInst *Next = nullptr, *Count = nullptr;
  SmallVector<BasicBlock *> Begins; ///< of regions
  BasicBlock *Exit = nullptr;
};

} // namespace

/// Memory that is not made in the first block stays memory.
void TileBuilder::placeVariables() {
  constexpr uint64_t VectorBytes = 64;
  BasicBlock &First = Tile.getEntryBlock();
  IRBuilder<> B(&First, First.begin());
  Next = B.CreateAlloca(B.getInt32Ty(), nullptr, "next");
  Count = B.CreateAlloca(B.getInt32Ty(), nullptr, "count");
  for (const RegionFunctions::Variable &V : R.Variables) {
    Type *Ty = V.IsUniform
                   ? V.Ty
                   : ArrayType::get(B.getInt8Ty(), V.Stride * TileWidth);
    AllocaInst *Slot = B.CreateAlloca(Ty);
    Slot->setAlignment(std::max(
        V.IsUniform ? Slot->getAlign() : Align(VectorBytes), V.Alignment));
    Variables.push_back(Slot);
  }
}

/// Runs the region for the thread with this number, and notes where it goes.
void TileBuilder::emitCall(unsigned Region, Value *Thread,
                           ArrayRef<Value *> Uniform) {
  const CpuRegion &Info = R.Regions.Regions[Region];
  Value *Zero = B.getInt32(0);
  SmallVector<Value *> Args = {
      Tile.getArg(0), B.CreateTrunc(Thread, B.getInt32Ty(), "", true, true),
      Zero, Zero};
  for (Argument &A : Tile.args())
    Args.push_back(&A);
  Args.append(Variables);
  Args.push_back(Count);
  Args.push_back(Thread);
  Args.append(Uniform.begin(), Uniform.end());
  Value *To = B.CreateCall(R.Functions[Region], Args);
  if (Info.Next.size() + Info.Ends > 1)
    B.CreateStore(To, Next);
}

void TileBuilder::emitRegion(unsigned Region) {
  B.SetInsertPoint(Begins[Region]);
  SmallVector<Value *> Uniform;
  for (auto [V, Slot] : zip(R.Variables, Variables))
    if (V.IsUniform)
      Uniform.push_back(B.CreateLoad(V.Ty, Slot));
  if (isForBlock(R, Region)) {
    emitCall(Region, B.getInt64(0), Uniform);
    return;
  }
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Body = newBlock("thread"), *Done = newBlock("done");
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  PHINode *Thread = B.CreatePHI(B.getInt64Ty(), 2);
  Thread->addIncoming(B.getInt64(0), Before);
  emitCall(Region, Thread, Uniform);
  Value *More = B.CreateAdd(Thread, B.getInt64(1), "", true, true);
  Thread->addIncoming(More, Body);
  BranchInst *Back =
      B.CreateCondBr(B.CreateICmpULT(More, B.getInt64(TileWidth)), Body, Done);
  Back->setMetadata(LLVMContext::MD_loop,
                    tileLoopId(Context, R.Functions[Region]->getMetadata(
                                            "gridspan.accesses")));
  B.SetInsertPoint(Done);
}

void TileBuilder::emitTransition(unsigned Region) {
  const CpuRegion &Info = R.Regions.Regions[Region];
  if (Info.Next.empty()) {
    B.CreateBr(Exit);
    return;
  }
  const unsigned First = *Info.Next.begin();
  if (Info.Next.size() == 1 && !Info.Ends) {
    B.CreateBr(Begins[First]);
    return;
  }
  SwitchInst *Switch =
      B.CreateSwitch(B.CreateLoad(B.getInt32Ty(), Next),
                     Info.Ends ? Exit : Begins[First], Info.Next.size());
  for (const unsigned Number : Info.Next)
    if (Info.Ends || Number != First)
      Switch->addCase(B.getInt32(Number), Begins[Number]);
}

/// Entry has no end yet.
void TileBuilder::build(BasicBlock *Entry) {
  placeVariables();
  B.SetInsertPoint(Entry);
  for (unsigned I = 0, E = R.Functions.size(); I != E; ++I)
    Begins.push_back(newBlock("region." + Twine(I)));
  Exit = newBlock("exit");
  B.CreateBr(Begins[0]);
  for (unsigned I = 0, E = R.Functions.size(); I != E; ++I) {
    emitRegion(I);
    emitTransition(I);
  }
  B.SetInsertPoint(Exit);
  B.CreateRetVoid();
}

/// Arrays are not to fill the processor's nearest cache.
static bool isTooMuch(const RegionFunctions &R) {
  constexpr uint64_t MostBytes = 4096;
  uint64_t Bytes = 0;
  for (const RegionFunctions::Variable &V : R.Variables)
    Bytes += V.IsUniform ? 0 : V.Stride * TileWidth;
  return Bytes > MostBytes;
}

//===--- The choice -----------------------------------------------------===//

static void print(raw_ostream &OS, StringRef Name, const TileLoops &Loops) {
  const auto Say = [&](StringRef What, std::optional<TileRefusal> Why) {
    OS << Name << What;
    if (Why)
      OS << "one by one: " << refusalName(*Why) << ": " << refusalText(*Why);
    else
      OS << "together";
    OS << '\n';
  };
  if (Loops.Refusal)
    Say(": ", Loops.Refusal);
  for (auto [Number, Why] : enumerate(Loops.Loops))
    Say((": loop " + Twine(Number) + ": ").str(), Why);
}

/// Returns the regions of Row, which it consumes, if threads go through them
/// together; else says so in Loops.
static std::optional<RegionFunctions> takeTogether(Function &Row,
                                                   TileLoops &Loops) {
  Loops = insertTileBarriers(Row);
  if (Loops.Found) {
    const CpuRegions Regions = findRegions(Row);
    if (Regions.Refusal || Regions.SomeEnd)
      Loops.Refusal = TileRefusal::NoRegions;
  }
  if (Loops.Refusal || !Loops.Found) {
    Row.eraseFromParent();
    return std::nullopt;
  }
  RegionFunctions R = makeRegionFunctions(Row);
  if (!isTooMuch(R))
    return R;
  Loops.Refusal = TileRefusal::TooLarge;
  for (Function *F : R.Functions)
    F->eraseFromParent();
  return std::nullopt;
}

/// Emits, at the beginning of Tile, that threads run one by one unless
/// Condition holds. Returns the block where they run together.
static BasicBlock *runApartUnless(Value *Condition, Function &Tile,
                                  Function &Thread, ArrayRef<unsigned> Growing,
                                  IRBuilder<> &B) {
  LLVMContext &Context = Tile.getContext();
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Apart = BasicBlock::Create(Context, "apart", &Tile);
  BasicBlock *Done = BasicBlock::Create(Context, "apart.end", &Tile);
  BasicBlock *Together = BasicBlock::Create(Context, "together", &Tile);
  B.CreateCondBr(Condition, Together, Apart);
  B.SetInsertPoint(Apart);
  PHINode *Number = B.CreatePHI(B.getInt32Ty(), 2);
  Number->addIncoming(B.getInt32(0), Before);
  SmallVector<Value *> Args(make_pointer_range(Tile.args()));
  for (const unsigned I : Growing)
    Args[I] = B.CreateAdd(Args[I], B.CreateZExt(Number, Args[I]->getType()), "",
                          true, true);
  CallInst *Call = B.CreateCall(&Thread, Args);
  Call->addFnAttr(Attribute::NoInline);
  for (const Argument &A : Thread.args())
    if (A.hasByValAttr())
      for (const Attribute::AttrKind Kind :
           {Attribute::ByVal, Attribute::Alignment})
        if (A.hasAttribute(Kind))
          Call->addParamAttr(A.getArgNo(), A.getAttribute(Kind));
  Value *Next = B.CreateAdd(Number, B.getInt32(1), "", true, true);
  Number->addIncoming(Next, Apart);
  B.CreateCondBr(B.CreateICmpULT(Next, B.getInt32(TileWidth)), Apart, Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return Together;
}

Function *gridspan::makeThreadTile(Function &Thread, ArrayRef<unsigned> Growing,
                                   StringRef Name, raw_ostream *OS) {
  if (Thread.hasFnAttribute(Attribute::OptimizeNone))
    return nullptr;
  auto *Tile = Function::Create(
      FunctionType::get(Type::getVoidTy(Thread.getContext()),
                        Thread.getFunctionType()->params(), false),
      GlobalValue::InternalLinkage, Thread.getName() + ".together",
      Thread.getParent());
  Tile->setDoesNotThrow();
  Tile->addFnAttr(Attribute::AlwaysInline);
  Function *Row = makeRow(Thread, Growing);
  IRBuilder<> B(BasicBlock::Create(Thread.getContext(), "entry", Tile));
  // A region's variables are not to be in memory for a call.
  if (Thread.getReturnType()->isVoidTy())
    if (const SmallVector<Quotient> Quotients = findQuotients(*Row);
        !Quotients.empty()) {
      ValueToValueMapTy Parameters;
      Parameters[Row->getArg(0)] = Tile->getArg(0);
      for (Argument &A : Tile->args())
        Parameters[Row->getArg(NumCpuParams + A.getArgNo())] = &A;
      Value *AreSame =
          emitAreSame(Quotients, *Row, Parameters, TileWidth - 1, B);
      B.SetInsertPoint(runApartUnless(AreSame, *Tile, Thread, Growing, B));
      shareQuotients(Quotients, *Row);
    }
  TileLoops Loops;
  std::optional<RegionFunctions> Regions = takeTogether(*Row, Loops);
  if (OS)
    print(*OS, Name, Loops);
  if (!Regions) {
    Tile->eraseFromParent();
    return nullptr;
  }
  TileBuilder(*Regions, *Tile).build(B.GetInsertBlock());
  return Tile;
}

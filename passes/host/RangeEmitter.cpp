//===- RangeEmitter.cpp - Range and work functions of a kernel ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line code: for each node of the expression DAG that some root needs,
// operands before users, one call of its function in RangeOps.h, which fills a
// stack slot. What is one number for all of the box, because it depends on the
// launch only, is computed as that number, and becomes a set where it meets
// one. A stack slot is free again after the last use of its value, so that a
// large kernel needs no large stack. Roots are consumed as soon as they are
// there, in order. The same graph gives the same code.
//
//===----------------------------------------------------------------------===//

#include "passes/host/RangeEmitter.h"
#include "gridspan/RangeOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

static_assert(unsigned(GridspanEQ) == unsigned(CmpInst::ICMP_EQ) &&
              unsigned(GridspanSLE) == unsigned(CmpInst::ICMP_SLE));
static_assert(unsigned(GridspanIterNSW) == unsigned(IterNSW) &&
              unsigned(GridspanIterNUW) == unsigned(IterNUW) &&
              unsigned(GridspanIterToLimit) == unsigned(IterToLimit));

namespace {

/// A value that is wanted, and the node after which it is consumed.
struct Root {
  ExprId Id;
  ExprId ConsumedAt;
};

class Emitter {
public:
  Emitter(Function &F, const ExprGraph &Graph, ArrayRef<Root> Roots);

  /// Emits the needed nodes up to Last, in order.
  void emitUpTo(ExprId Last);

  /// Returns the place of a node's value, from its emission until it is
  /// consumed.
  Value *storage(ExprId Id);
  /// Returns the same, or null for NoExpr.
  Value *storageOrNull(ExprId Id);

  /// Declares and calls a function of the runtime.
  CallInst *call(const Twine &Name, Type *Result, ArrayRef<Value *> Args);

  IRBuilder<> B;

private:
  void findScalars();
  bool isDivisor(ExprId Id) const;
  Value *emitScalar(const ExprNode &Node);
  void emit(ExprId Id);
  Value *takeStorage();
  Value *i32(uint32_t X) { return B.getInt32(X); }

  Function &F;
  const ExprGraph &Graph;
  Value *Box;
  /// Nodes that some root needs.
  std::vector<bool> Needed;
  /// The values that are not used after each node.
  std::vector<SmallVector<ExprId, 2>> Ending;
  std::vector<Value *> Storage;
  /// Nodes that are numbers, and the numbers.
  std::vector<bool> IsScalar;
  std::vector<Value *> Scalars;
  SmallVector<Value *> FreeStorage;
  ExprId Next = 0;
};

} // namespace

Emitter::Emitter(Function &F, const ExprGraph &Graph, ArrayRef<Root> Roots)
    : B(BasicBlock::Create(F.getContext(), "entry", &F)), F(F), Graph(Graph),
      Box(F.getArg(0)), Needed(Graph.size()), Ending(Graph.size()),
      Storage(Graph.size()), IsScalar(Graph.size()), Scalars(Graph.size()) {
  std::vector<ExprId> LastUse(Graph.size());
  SmallVector<ExprId> Ids;
  for (Root R : Roots) {
    Ids.push_back(R.Id);
    LastUse[R.Id] = std::max(LastUse[R.Id], R.ConsumedAt);
  }
  // Users come after operands.
  const SmallVector<ExprId, 16> Below = Graph.below(Ids);
  for (ExprId Id : reverse(Below)) {
    Needed[Id] = true;
    Ending[std::max(Id, LastUse[Id])].push_back(Id);
    for (ExprId Operand : Graph[Id].Ops)
      if (Operand != NoExpr)
        LastUse[Operand] = std::max(LastUse[Operand], Id);
  }
  findScalars();
}

/// Returns true if the value is not zero, nor -1, in any launch.
bool Emitter::isDivisor(ExprId Id) const {
  const ExprNode &Node = Graph[Id];
  switch (Node.Kind) {
  case ExprKind::Const:
    return Node.A != 0 && Node.A != -1;
  case ExprKind::BlockDim:
  case ExprKind::GridDim:
  case ExprKind::TileCount:
    return true;
  case ExprKind::ZExt:
    return isDivisor(Node.Ops[0]);
  default:
    return false;
  }
}

void Emitter::findScalars() {
  for (ExprId Id = 0, E = Graph.size(); Id != E; ++Id) {
    const ExprNode &Node = Graph[Id];
    bool Operands = all_of(Node.Ops, [&](ExprId Operand) {
      return Operand == NoExpr || IsScalar[Operand];
    });
    switch (Node.Kind) {
    case ExprKind::Const:
    case ExprKind::Param:
    case ExprKind::BlockDim:
    case ExprKind::GridDim:
    case ExprKind::TileOrigin:
    case ExprKind::TileCount:
      IsScalar[Id] = true;
      break;
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::And:
    case ExprKind::Or:
    case ExprKind::Xor:
    case ExprKind::UMin:
    case ExprKind::UMax:
    case ExprKind::SMin:
    case ExprKind::SMax:
    case ExprKind::ZExt:
    case ExprKind::SExt:
    case ExprKind::Trunc:
    case ExprKind::ICmp:
    case ExprKind::Select:
      IsScalar[Id] = Operands;
      break;
    case ExprKind::UDiv:
    case ExprKind::SDiv:
    case ExprKind::URem:
    case ExprKind::SRem:
      // Division by zero gives anything.
      IsScalar[Id] = Operands && isDivisor(Node.Ops[1]);
      break;
    case ExprKind::Shl:
    case ExprKind::LShr:
    case ExprKind::AShr: {
      const ExprNode &Amount = Graph[Node.Ops[1]];
      IsScalar[Id] = Operands && Amount.Kind == ExprKind::Const &&
                     Amount.A >= 0 && Amount.A < Node.Width;
      break;
    }
    default:
      break;
    }
  }
}

Value *Emitter::emitScalar(const ExprNode &Node) {
  Type *Ty = B.getIntNTy(Node.Width);
  auto Op = [&](unsigned I) { return Scalars[Node.Ops[I]]; };
  auto Field = [&](size_t Offset) {
    return B.CreateAlignedLoad(
        Ty,
        B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Box,
                                     Offset + Node.A * sizeof(uint32_t)),
        Align(sizeof(uint32_t)));
  };
  switch (Node.Kind) {
  case ExprKind::Const:
    return ConstantInt::getSigned(Ty, Node.A);
  case ExprKind::Param: {
    Value *Args = B.CreateLoad(
        B.getPtrTy(), B.CreateConstInBoundsGEP1_64(
                          B.getInt8Ty(), Box, offsetof(GridspanBox, Args)));
    Value *Arg = B.CreateLoad(
        B.getPtrTy(), B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Args, Node.A));
    Type *Stored = B.getIntNTy(alignTo(Node.Width, 8));
    Value *Bits = B.CreateAlignedLoad(
        Stored, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Arg, Node.B),
        Align(1));
    return B.CreateTrunc(Bits, Ty);
  }
  case ExprKind::BlockDim:
    return Field(offsetof(GridspanBox, BlockDim));
  case ExprKind::GridDim:
    return Field(offsetof(GridspanBox, GridDim));
  case ExprKind::TileOrigin:
    return Field(offsetof(GridspanBox, BlockLo));
  case ExprKind::TileCount:
    return Field(offsetof(GridspanBox, BlockCount));
  case ExprKind::Add:
    return B.CreateAdd(Op(0), Op(1));
  case ExprKind::Sub:
    return B.CreateSub(Op(0), Op(1));
  case ExprKind::Mul:
    return B.CreateMul(Op(0), Op(1));
  case ExprKind::And:
    return B.CreateAnd(Op(0), Op(1));
  case ExprKind::Or:
    return B.CreateOr(Op(0), Op(1));
  case ExprKind::Xor:
    return B.CreateXor(Op(0), Op(1));
  case ExprKind::UDiv:
    return B.CreateUDiv(Op(0), Op(1));
  case ExprKind::SDiv:
    return B.CreateSDiv(Op(0), Op(1));
  case ExprKind::URem:
    return B.CreateURem(Op(0), Op(1));
  case ExprKind::SRem:
    return B.CreateSRem(Op(0), Op(1));
  case ExprKind::Shl:
    return B.CreateShl(Op(0), Op(1));
  case ExprKind::LShr:
    return B.CreateLShr(Op(0), Op(1));
  case ExprKind::AShr:
    return B.CreateAShr(Op(0), Op(1));
  case ExprKind::UMin:
    return B.CreateBinaryIntrinsic(Intrinsic::umin, Op(0), Op(1));
  case ExprKind::UMax:
    return B.CreateBinaryIntrinsic(Intrinsic::umax, Op(0), Op(1));
  case ExprKind::SMin:
    return B.CreateBinaryIntrinsic(Intrinsic::smin, Op(0), Op(1));
  case ExprKind::SMax:
    return B.CreateBinaryIntrinsic(Intrinsic::smax, Op(0), Op(1));
  case ExprKind::ZExt:
    return B.CreateZExt(Op(0), Ty);
  case ExprKind::SExt:
    return B.CreateSExt(Op(0), Ty);
  case ExprKind::Trunc:
    return B.CreateTrunc(Op(0), Ty);
  case ExprKind::ICmp:
    return B.CreateICmp(CmpInst::Predicate(Node.A), Op(0), Op(1));
  case ExprKind::Select:
    return B.CreateSelect(Op(0), Op(1), Op(2));
  default:
    llvm_unreachable("not one number");
  }
}

Value *Emitter::storage(ExprId Id) {
  if (Storage[Id] || !IsScalar[Id])
    return Storage[Id];
  Storage[Id] = takeStorage();
  call("__gridspan_range_Const", B.getVoidTy(),
       {Storage[Id], i32(Graph[Id].Width),
        B.CreateSExt(Scalars[Id], B.getInt64Ty())});
  return Storage[Id];
}

Value *Emitter::takeStorage() {
  if (!FreeStorage.empty())
    return FreeStorage.pop_back_val();
  IRBuilder<> AtEntry(&F.getEntryBlock(), F.getEntryBlock().begin());
  auto *Memory = AtEntry.CreateAlloca(
      ArrayType::get(AtEntry.getInt8Ty(), sizeof(GridspanValue)));
  Memory->setAlignment(Align(alignof(GridspanValue)));
  return Memory;
}

Value *Emitter::storageOrNull(ExprId Id) {
  return Id == NoExpr ? ConstantPointerNull::get(B.getPtrTy()) : storage(Id);
}

CallInst *Emitter::call(const Twine &Name, Type *Result,
                        ArrayRef<Value *> Args) {
  SmallVector<Type *> Types;
  for (Value *Arg : Args)
    Types.push_back(Arg->getType());
  FunctionCallee Callee = F.getParent()->getOrInsertFunction(
      Name.str(), FunctionType::get(Result, Types, false));
  cast<Function>(Callee.getCallee())->setDoesNotThrow();
  return B.CreateCall(Callee, Args);
}

// The arguments after the first of each shape of RangeOps.def.
#define ARGUMENTS_Const i32(Node.Width), B.getInt64(Node.A)
#define ARGUMENTS_Param i32(Node.Width), Box, i32(Node.A), i32(Node.B)
#define ARGUMENTS_Special Box, i32(Node.A)
#define ARGUMENTS_Bounded                                                      \
  i32(Node.Width), B.getInt64(Node.A), B.getInt64(Node.B)
#define ARGUMENTS_Unknown i32(Node.Width)
#define ARGUMENTS_Load                                                         \
  i32(Node.Width), Box, i32(Node.A), i32(Node.B), storageOrNull(Node.Ops[0])
#define ARGUMENTS_Binary storageOrNull(Node.Ops[0]), storageOrNull(Node.Ops[1])
#define ARGUMENTS_Divide                                                       \
  storageOrNull(Node.Ops[0]), storageOrNull(Node.Ops[1]), i32(Node.Ops[0]),    \
      i32(Node.Ops[1])
#define ARGUMENTS_Cast storageOrNull(Node.Ops[0]), i32(Node.Width)
#define ARGUMENTS_Compare                                                      \
  storageOrNull(Node.Ops[0]), storageOrNull(Node.Ops[1]), i32(Node.A)
#define ARGUMENTS_Select                                                       \
  storageOrNull(Node.Ops[0]), storageOrNull(Node.Ops[1]),                      \
      storageOrNull(Node.Ops[2])
#define ARGUMENTS_Iter                                                         \
  storageOrNull(Node.Ops[0]), storageOrNull(Node.Ops[1]),                      \
      storageOrNull(Node.Ops[2]), i32(Node.A), i32(Node.B)

void Emitter::emit(ExprId Id) {
  const ExprNode &Node = Graph[Id];
  if (IsScalar[Id]) {
    Scalars[Id] = emitScalar(Node);
    return;
  }
  // Operands first: they may take storage as well.
  for (ExprId Operand : Node.Ops)
    storageOrNull(Operand);
  Value *Out = Storage[Id] = takeStorage();
  switch (Node.Kind) {
#define GRIDSPAN_RANGE_OP(Kind, Shape)                                         \
  case ExprKind::Kind:                                                         \
    call("__gridspan_range_" #Kind, B.getVoidTy(), {Out, ARGUMENTS_##Shape});  \
    break;
#include "gridspan/RangeOps.def"
  }
}

void Emitter::emitUpTo(ExprId Last) {
  for (; Next <= Last; ++Next) {
    if (Next != 0)
      for (ExprId Ended : Ending[Next - 1])
        if (Storage[Ended])
          FreeStorage.push_back(Storage[Ended]);
    if (Needed[Next])
      emit(Next);
  }
}

//===----------------------------------------------------------------------===//
// Range functions
//===----------------------------------------------------------------------===//

/// Returns true if there is something to compute.
static bool isKnown(const KernelSummary &Kernel, const AccessSummary &Access) {
  return Access.Pointer >= 0 && Access.Offset != NoExpr &&
         Kernel.Exprs[Access.rangeOffset()].Kind != ExprKind::Unknown;
}

/// Returns the node after which an access is complete.
static ExprId completedAt(const AccessSummary &Access) {
  return Access.Length == NoExpr
             ? Access.rangeOffset()
             : std::max(Access.rangeOffset(), Access.Length);
}

static Function *createFunction(Module &M, const Twine &Name, Type *Result,
                                unsigned NumPointers) {
  SmallVector<Type *> Params(NumPointers, PointerType::get(M.getContext(), 0));
  auto *F = Function::Create(FunctionType::get(Result, Params, false),
                             GlobalValue::InternalLinkage, Name, M);
  F->setDoesNotThrow();
  F->setDSOLocal(true);
  return F;
}

Function *gridspan::emitRangeFunction(Module &M, const KernelSummary &Kernel) {
  if (Kernel.Accesses.empty())
    return nullptr;
  SmallVector<unsigned> Known;
  SmallVector<Root> Roots;
  for (auto [Index, Access] : enumerate(Kernel.Accesses)) {
    if (!isKnown(Kernel, Access))
      continue;
    Known.push_back(Index);
    Roots.push_back({Access.rangeOffset(), completedAt(Access)});
    for (ExprId Load : Access.neededLoads(Kernel.Exprs))
      Roots.push_back({Load, completedAt(Access)});
    if (Access.Length != NoExpr)
      Roots.push_back({Access.Length, completedAt(Access)});
  }
  sort(Known, [&](unsigned L, unsigned R) {
    return std::pair(completedAt(Kernel.Accesses[L]), L) <
           std::pair(completedAt(Kernel.Accesses[R]), R);
  });

  Function *F = createFunction(M, "__gridspan_ranges_" + Kernel.Name,
                               Type::getVoidTy(M.getContext()), 2);
  Emitter E(*F, Kernel.Exprs, Roots);
  IRBuilder<> &B = E.B;
  auto FieldOf = [&](size_t Index, size_t Field) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F->getArg(1),
                                        Index * sizeof(GridspanRange) + Field);
  };
  for (unsigned Index : Known) {
    const AccessSummary &Access = Kernel.Accesses[Index];
    E.emitUpTo(completedAt(Access));
    E.call("__gridspan_range_finish", B.getVoidTy(),
           {FieldOf(Index, 0), E.storage(Access.rangeOffset()),
            E.storageOrNull(Access.Length), B.getInt32(Access.ElementSize),
            B.getInt32(Access.ExactIfEvaluated)});
    for (ExprId Load : Access.neededLoads(Kernel.Exprs))
      E.call("__gridspan_range_need", B.getVoidTy(),
             {FieldOf(Index, 0), E.storage(Load)});
  }
  for (auto [Index, Access] : enumerate(Kernel.Accesses))
    if (!isKnown(Kernel, Access))
      B.CreateStore(B.getInt32(GridspanRangeUnknown),
                    FieldOf(Index, offsetof(GridspanRange, State)));
  B.CreateRetVoid();
  return F;
}

//===----------------------------------------------------------------------===//
// Work functions
//===----------------------------------------------------------------------===//

/// Emits a function that returns the sum of the terms' Factor times their trip
/// counts, for all threads of a box; null if there is nothing to sum up.
static Function *emitTermsFunction(Module &M, const KernelSummary &Kernel,
                                   const Twine &Name,
                                   double WorkTerm::*Factor) {
  if (all_of(Kernel.Work, [&](const WorkTerm &T) { return T.*Factor == 0; }))
    return nullptr;
  std::vector<ExprId> Trips;
  for (const WorkTerm &Term : Kernel.Work)
    if (Term.*Factor != 0)
      Trips.insert(Trips.end(), Term.TripCounts.begin(), Term.TripCounts.end());
  erase(Trips, NoExpr);
  sort(Trips);
  Trips.erase(unique(Trips), Trips.end());
  SmallVector<Root> Roots;
  for (ExprId Id : Trips)
    Roots.push_back({Id, Id});

  Type *Double = Type::getDoubleTy(M.getContext());
  Function *F = createFunction(M, Name, Double, 1);
  Emitter E(*F, Kernel.Exprs, Roots);
  IRBuilder<> &B = E.B;
  DenseMap<ExprId, Value *> Means;
  for (ExprId Id : Trips) {
    E.emitUpTo(Id);
    Means[Id] = E.call("__gridspan_range_mean", Double, {E.storage(Id)});
  }
  Value *Sum = ConstantFP::get(Double, 0);
  for (const WorkTerm &Term : Kernel.Work) {
    if (Term.*Factor == 0)
      continue;
    Value *Product = ConstantFP::get(Double, Term.*Factor);
    for (ExprId Id : Term.TripCounts)
      if (Id != NoExpr)
        Product = B.CreateFMul(Product, Means[Id]);
    Sum = B.CreateFAdd(Sum, Product);
  }
  Value *Threads = E.call("__gridspan_range_threads", Double, {F->getArg(0)});
  B.CreateRet(B.CreateFMul(Sum, Threads));
  return F;
}

Function *gridspan::emitWorkFunction(Module &M, const KernelSummary &Kernel) {
  return emitTermsFunction(M, Kernel, "__gridspan_work_" + Kernel.Name,
                           &WorkTerm::IssueCost);
}

Function *gridspan::emitAtomicsFunction(Module &M,
                                        const KernelSummary &Kernel) {
  return emitTermsFunction(M, Kernel, "__gridspan_atomics_" + Kernel.Name,
                           &WorkTerm::Atomics);
}

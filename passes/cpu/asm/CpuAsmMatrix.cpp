//===- CpuAsmMatrix.cpp - Instructions on matrices in PTX -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync becomes a call of the runtime that multiplies for the whole warp
// (CpuMatrix.cpp); which elements a lane has is up to the runtime, too. The
// instructions that move matrices of 8 rows of 16 bytes are shuffles of what
// lanes have, addresses or elements, and ordinary accesses.
//
// Not covered, so that they are reported as instructions without a rule: sparse
// and scaled factors, single bits, mma.m8n8k4 of halves, whose fragments belong
// to a quarter of the warp, and matrices of elements of eight bits or less for
// ldmatrix and stmatrix.
//
// PTX ISA, "Warp Level Matrix Instructions".
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "gridspan/MatrixProduct.h"
#include "gridspan/WarpSize.h"
#include "passes/cpu/CpuMatrix.h"
#include "passes/cpu/CpuRules.h"
#include "passes/cpu/asm/CpuAsmRules.h"

using namespace llvm;
using namespace gridspan;

//===--- Products -------------------------------------------------------===//

/// Returns true if the types of a product are ones that PTX pairs.
static bool areTypesAlike(const MatrixProduct &P) {
  using enum MatrixElement;
  const auto IsOneOf = [](MatrixElement E, MatrixElement X, MatrixElement Y) {
    return E == X || E == Y;
  };
  switch (P.A) {
  case Half:
    return P.B == Half && IsOneOf(P.Addend, Half, Float) &&
           IsOneOf(P.Result, Half, Float);
  case BFloat:
  case TensorFloat:
    return P.B == P.A && P.Addend == Float && P.Result == Float;
  case Double:
    return P.B == Double && P.Addend == Double && P.Result == Double;
  case Signed8:
  case Unsigned8:
    return IsOneOf(P.B, Signed8, Unsigned8) && P.Addend == Signed32 &&
           P.Result == Signed32;
  case Signed4:
  case Unsigned4:
    return IsOneOf(P.B, Signed4, Unsigned4) && P.Addend == Signed32 &&
           P.Result == Signed32;
  case FloatE4M3:
  case FloatE5M2:
    return IsOneOf(P.B, FloatE4M3, FloatE5M2) &&
           IsOneOf(P.Addend, Half, Float) && P.Result == P.Addend;
  default:
    return false;
  }
}

/// Reads mma.sync.aligned.<shape>.row.col{.satfinite}{.rn}.<d>.<a>.<b>.<c>.
static std::optional<MatrixProduct> productOf(const PtxStatement &S) {
  ArrayRef<StringRef> Words = S.Modifiers;
  if (Words.size() < 9 || Words[0] != "sync" || Words[1] != "aligned" ||
      Words[3] != "row" || Words[4] != "col")
    return std::nullopt;
  MatrixProduct P;
  P.Order = FragmentOrder::Ptx;
  if (!parseMatrixShape(Words[2], P) || P.N != 8 || P.M > 16)
    return std::nullopt;
  Words = Words.drop_front(5);
  P.Saturates = Words.front() == "satfinite";
  if (P.Saturates || Words.front() == "rn")
    Words = Words.drop_front();
  MatrixElement *const Types[] = {&P.Result, &P.A, &P.B, &P.Addend};
  if (Words.size() != std::size(Types))
    return std::nullopt;
  for (auto [Word, Type] : zip(Words, Types)) {
    const std::optional<MatrixElement> E = matrixElement(Word);
    if (!E)
      return std::nullopt;
    *Type = *E;
  }
  // Four lanes have a register each of a row of A.
  const unsigned PerRegister = std::max(1U, 32 / bitsOf(P.A));
  if (!areTypesAlike(P) || P.K % (4 * PerRegister) != 0)
    return std::nullopt;
  return P;
}

/// Returns the registers of an operand, of which there may be only one.
static ArrayRef<PtxOperand> registersOf(const PtxOperand &O) {
  return O.K == PtxOperand::Kind::Vector ? ArrayRef(O.Elements) : ArrayRef(O);
}

bool asmrules::lowerMatrixProduct(const PtxStatement &S, AsmState &State) {
  const std::optional<MatrixProduct> P = productOf(S);
  if (!P || S.Operands.size() != 4)
    return false;
  IRBuilder<> &B = State.C.B;
  const auto Bits = [&](unsigned Elements, MatrixElement E) {
    return Elements / WarpSize * bitsOf(E);
  };
  const unsigned Inputs[] = {Bits(P->M * P->K, P->A), Bits(P->K * P->N, P->B),
                             Bits(P->M * P->N, P->Addend)};
  const auto WidthOf = [](MatrixElement E) {
    return E == MatrixElement::Double ? 64U : 32U;
  };
  const unsigned Width = WidthOf(P->Result);
  SmallVector<Value *, 3> Fragments;
  for (auto [I, Size] : enumerate(Inputs)) {
    SmallVector<Value *> Registers;
    for (const PtxOperand &O : registersOf(S.Operands[I + 1])) {
      Value *V = State.read(O, {'b', Width});
      if (!V)
        return false;
      Registers.push_back(V);
    }
    if (Registers.size() * Width != Size)
      return false;
    Fragments.push_back(joinMatrixRegisters(Registers, B));
  }
  const ArrayRef<PtxOperand> Results = registersOf(S.Operands[0]);
  if (Results.size() * Width != Bits(P->M * P->N, P->Result))
    return false;
  auto *Type = FixedVectorType::get(B.getIntNTy(Width), Results.size());
  Value *D = emitMatrixProduct(*P, Fragments, Type, State.C);
  for (auto [I, O] : enumerate(Results))
    if (!State.write(O, B.CreateExtractElement(D, I)))
      return false;
  return true;
}

//===--- Moves ----------------------------------------------------------===//

namespace {

/// The lane's place in a matrix of 8 rows of 16 bytes, of which it has 4.
struct LanePlace {
  explicit LanePlace(CpuContext &C)
      : C(C), Lane(readRegister("laneid", C)), Row(C.B.CreateLShr(Lane, 2)),
        Column(C.B.CreateAnd(Lane, 3)) {}

  /// Returns what another lane of the warp has.
  Value *ofLane(Value *V, Value *Other) {
    IRBuilder<> &B = C.B;
    Value *Packed = C.callWithBlock("warp_shuffle", C.i64(),
                                    {B.getInt32(~0U),
                                     B.getInt32(unsigned(WarpShuffle::Index)),
                                     V, Other, B.getInt32(WarpSize - 1)});
    return B.CreateTrunc(Packed, C.i32());
  }

  /// Returns the row, or the column of a transposed matrix, of one of the two
  /// elements that the lane has.
  Value *across(unsigned Element) {
    return C.B.CreateAdd(C.B.CreateShl(Column, 1), C.B.getInt32(Element));
  }

  CpuContext &C;
  Value *Lane, *Row, *Column;
};

/// What ldmatrix and stmatrix have in common: Matrices matrices, whose rows are
/// where the lanes say, eight lanes for a matrix.
class MatrixRows {
public:
  MatrixRows(Value *Address, bool IsTransposed, CpuContext &C)
      : IsTransposed(IsTransposed),
        Part(IsTransposed ? C.B.getInt16Ty() : C.B.getInt32Ty()), Place(C),
        B(C.B),
        Address(B.CreateTrunc(B.CreatePtrToInt(Address, C.i64()), C.i32())) {}

  /// Calls Access with the address of each part of the lane's elements of a
  /// matrix: its number, and one of 4 bytes, or of 2 bytes each.
  template <typename Fn> void forParts(unsigned Matrix, Fn Access) {
    for (unsigned Number = 0; Number != (IsTransposed ? 2 : 1); ++Number) {
      Value *Row = IsTransposed ? Place.across(Number) : Place.Row;
      Value *Start =
          Place.ofLane(Address, B.CreateAdd(Row, B.getInt32(8 * Matrix)));
      Value *Offset = IsTransposed ? B.CreateShl(Place.Row, 1)
                                   : B.CreateShl(Place.Column, 2);
      Value *At = B.CreateZExt(B.CreateAdd(Start, Offset), B.getInt64Ty());
      Access(Number, B.CreateIntToPtr(At, B.getPtrTy()));
    }
  }
  Type *partType() const { return Part; }

private:
  bool IsTransposed;
  Type *Part;
  LanePlace Place;
  IRBuilder<> &B;
  /// Shared memory is below 4 GiB.
  Value *Address;
};

} // namespace

/// Returns the number of matrices of <op>.sync.aligned.m8n8.<number>{...}.b16,
/// or 0.
static unsigned matricesOf(const PtxStatement &S, const PtxOperand &Registers) {
  if (!S.has("sync") || !S.has("m8n8") || S.type() != "b16")
    return 0;
  const unsigned Count = S.has("x1")   ? 1
                         : S.has("x2") ? 2
                         : S.has("x4") ? 4
                                       : 0;
  return registersOf(Registers).size() == Count ? Count : 0;
}

/// Returns where the matrices are that an instruction moves, whose operands
/// have these numbers; nothing if it is not supported.
static std::optional<MatrixRows> rowsOf(const PtxStatement &S,
                                        unsigned Registers, unsigned Place,
                                        AsmState &State) {
  if (S.Operands.size() != 2 || matricesOf(S, S.Operands[Registers]) == 0)
    return std::nullopt;
  Value *Address = State.address(S.Operands[Place]);
  if (!Address)
    return std::nullopt;
  return MatrixRows(Address, S.has("trans"), State.C);
}

/// ldmatrix.sync.aligned.m8n8.<number>{.trans}{.shared}.b16 r, [p].
bool asmrules::lowerMatrixLoad(const PtxStatement &S, AsmState &State) {
  std::optional<MatrixRows> Rows = rowsOf(S, 0, 1, State);
  if (!Rows)
    return false;
  IRBuilder<> &B = State.C.B;
  for (auto [I, O] : enumerate(registersOf(S.Operands[0]))) {
    Value *All = B.getInt32(0);
    Rows->forParts(I, [&](unsigned Number, Value *At) {
      Value *V =
          B.CreateZExt(B.CreateLoad(Rows->partType(), At), B.getInt32Ty());
      All = B.CreateOr(All, B.CreateShl(V, 16 * Number));
    });
    if (!State.write(O, All))
      return false;
  }
  return true;
}

/// stmatrix.sync.aligned.m8n8.<number>{.trans}{.shared}.b16 [p], r.
bool asmrules::lowerMatrixStore(const PtxStatement &S, AsmState &State) {
  std::optional<MatrixRows> Rows = rowsOf(S, 1, 0, State);
  if (!Rows)
    return false;
  IRBuilder<> &B = State.C.B;
  for (auto [I, O] : enumerate(registersOf(S.Operands[1]))) {
    Value *All = State.read(O, {'b', 32});
    if (!All)
      return false;
    Rows->forParts(I, [&](unsigned Number, Value *At) {
      B.CreateStore(
          B.CreateTrunc(B.CreateLShr(All, 16 * Number), Rows->partType()), At);
    });
  }
  return true;
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a.
bool asmrules::lowerMatrixTranspose(const PtxStatement &S, AsmState &State) {
  if (S.Operands.size() != 2 || !S.has("sync") || !S.has("m8n8") ||
      !S.has("trans") || S.type() != "b16")
    return false;
  Value *A = State.read(S.Operands[1], {'b', 32});
  if (!A)
    return false;
  IRBuilder<> &B = State.C.B;
  LanePlace Place(State.C);
  // Two elements of a row are next to each other in a lane.
  Value *Shift = B.CreateShl(B.CreateAnd(Place.Row, 1), 4);
  Value *All = B.getInt32(0);
  for (unsigned Number = 0; Number != 2; ++Number) {
    Value *Lane = B.CreateAdd(B.CreateShl(Place.across(Number), 2),
                              B.CreateLShr(Place.Row, 1));
    Value *V = B.CreateLShr(Place.ofLane(A, Lane), Shift);
    All = B.CreateOr(All, B.CreateShl(B.CreateAnd(V, 0xffff), 16 * Number));
  }
  return State.write(S.Operands[0], All);
}

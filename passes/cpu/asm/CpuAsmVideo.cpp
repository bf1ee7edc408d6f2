//===- CpuAsmVideo.cpp - Video instructions in PTX ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". All of
// them extend their operands, or two halves or four bytes of each, calculate
// without loss, saturate if they are to, and then merge the results into one
// word or add them up. Operands are whole words in their order; those that
// select other parts of words (a.b0, c.h10) are not translated.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

namespace {

/// A video instruction, taken apart.
struct VideoOp {
  StringRef Name; ///< without the number of lanes
  unsigned Lanes = 1;
  bool IsResultSigned = false;
  bool IsSigned[2] = {false, false}; ///< the operands
  bool Saturates = false;
  CmpInst::Predicate Compare = CmpInst::BAD_ICMP_PREDICATE; ///< of vset
  StringRef Second; ///< what is done with the third operand; empty: nothing
};

} // namespace

static CmpInst::Predicate predicateOf(StringRef Name) {
  return StringSwitch<CmpInst::Predicate>(Name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", CmpInst::ICMP_SLT)
      .Case("le", CmpInst::ICMP_SLE)
      .Case("gt", CmpInst::ICMP_SGT)
      .Case("ge", CmpInst::ICMP_SGE)
      .Default(CmpInst::BAD_ICMP_PREDICATE);
}

static std::optional<VideoOp> parse(const PtxStatement &S) {
  VideoOp Op;
  Op.Name = S.Opcode;
  if (Op.Name.consume_back("4"))
    Op.Lanes = 4;
  else if (Op.Name.consume_back("2"))
    Op.Lanes = 2;
  const bool IsSet = Op.Name == "vset";
  SmallVector<bool, 3> Signed;
  ArrayRef<StringRef> Rest(S.Modifiers);
  for (; !Rest.empty() && (Rest[0] == "s32" || Rest[0] == "u32");
       Rest = Rest.drop_front())
    Signed.push_back(Rest[0] == "s32");
  if (Signed.size() != (IsSet ? 2 : 3))
    return std::nullopt;
  Op.IsResultSigned = !IsSet && Signed[0];
  Op.IsSigned[0] = Signed.end()[-2];
  Op.IsSigned[1] = Signed.back();
  for (StringRef M : Rest) {
    if (M == "sat" && !IsSet)
      Op.Saturates = true;
    else if (IsSet && Op.Compare == CmpInst::BAD_ICMP_PREDICATE)
      Op.Compare = predicateOf(M);
    else if (Op.Second.empty() &&
             (M == "add" || (Op.Lanes == 1 && (M == "min" || M == "max"))))
      Op.Second = M;
    else
      return std::nullopt;
  }
  if (IsSet && Op.Compare == CmpInst::BAD_ICMP_PREDICATE)
    return std::nullopt;
  const bool HasThird = Op.Lanes > 1 || !Op.Second.empty();
  return S.Operands.size() == (HasThird ? 4U : 3U) ? std::optional(Op)
                                                   : std::nullopt;
}

/// Returns the result of one lane; all values have 64 bits.
static Value *calculate(const VideoOp &Op, Value *L, Value *R, IRBuilder<> &B) {
  if (Op.Name == "vset")
    return B.CreateZExt(B.CreateICmp(Op.Compare, L, R), B.getInt64Ty());
  if (Op.Name == "vmin")
    return B.CreateBinaryIntrinsic(Intrinsic::smin, L, R);
  if (Op.Name == "vmax")
    return B.CreateBinaryIntrinsic(Intrinsic::smax, L, R);
  if (Op.Name == "vadd")
    return B.CreateAdd(L, R);
  Value *Difference = B.CreateSub(L, R);
  if (Op.Name == "vsub")
    return Difference;
  if (Op.Name == "vabsdiff")
    return B.CreateIntrinsic(Intrinsic::abs, {B.getInt64Ty()},
                             {Difference, B.getFalse()});
  // vavrg: halves are rounded away from zero.
  Value *Sum = B.CreateAdd(L, R);
  Value *IsNegative = B.CreateICmpSLT(Sum, B.getInt64(0));
  return B.CreateAShr(
      B.CreateSelect(IsNegative, Sum, B.CreateAdd(Sum, B.getInt64(1))), 1);
}

/// Clamps a value of 64 bits to those that the result's lanes have.
static Value *saturate(const VideoOp &Op, Value *V, IRBuilder<> &B) {
  const unsigned Bits = 32 / Op.Lanes;
  const int64_t Low = Op.IsResultSigned ? minIntN(Bits) : 0;
  const auto High =
      Op.IsResultSigned ? maxIntN(Bits) : static_cast<int64_t>(maxUIntN(Bits));
  V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, B.getInt64(Low));
  return B.CreateBinaryIntrinsic(Intrinsic::smin, V, B.getInt64(High));
}

bool asmrules::lowerVideo(const PtxStatement &S, AsmState &State) {
  const std::optional<VideoOp> Op = parse(S);
  if (!Op)
    return false;
  IRBuilder<> &B = State.C.B;
  const unsigned Bits = 32 / Op->Lanes;
  Value *Words[3] = {};
  for (unsigned I = 0; I + 1 < S.Operands.size(); ++I)
    if (!(Words[I] = State.read(S.Operands[I + 1], {'b', 32})))
      return false;
  const auto Extend = [&](Value *V, bool IsSigned) {
    return IsSigned ? B.CreateSExt(V, B.getInt64Ty())
                    : B.CreateZExt(V, B.getInt64Ty());
  };
  Value *Merged = B.getInt32(0), *Sum = B.getInt64(0);
  for (unsigned Lane = 0; Lane != Op->Lanes; ++Lane) {
    Value *Sides[2];
    for (unsigned I = 0; I != 2; ++I)
      Sides[I] = Extend(
          B.CreateTrunc(B.CreateLShr(Words[I], Lane * Bits), B.getIntNTy(Bits)),
          Op->IsSigned[I]);
    Value *V = calculate(*Op, Sides[0], Sides[1], B);
    if (Op->Saturates)
      V = saturate(*Op, V, B);
    Sum = B.CreateAdd(Sum, V);
    Value *Part =
        B.CreateZExt(B.CreateTrunc(V, B.getIntNTy(Bits)), B.getInt32Ty());
    Merged = B.CreateOr(Merged, B.CreateShl(Part, Lane * Bits));
  }
  if (Op->Second.empty())
    return State.write(S.Operands[0], Merged);
  Value *Third = Extend(Words[2], Op->IsResultSigned);
  Value *Result =
      Op->Second == "add"
          ? B.CreateAdd(Sum, Third)
          : B.CreateBinaryIntrinsic(Op->Second == "min" ? Intrinsic::smin
                                                        : Intrinsic::smax,
                                    Sum, Third);
  return State.write(S.Operands[0], B.CreateTrunc(Result, B.getInt32Ty()));
}

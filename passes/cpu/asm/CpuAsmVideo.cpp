//===- CpuAsmVideo.cpp - Video instructions in PTX ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". Scalar
// ones extend a byte, a half or a word of each operand (a.b0, a.h1, a),
// calculate without loss, saturate if they are to, and then combine the result
// with the third operand, or put it into a part of that (d.b2).
//
// SIMD ones do so with two halves or four bytes. Which those are is said by
// digits, the highest lane's first, that count the parts of both operands:
// a.b3210 and b.b7654 are the words as they are. The mask of the result names
// lanes (d.b20); the others are those of the third operand.
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
  bool Wraps = false; ///< counts of vshl and vshr, modulo 32
  CmpInst::Predicate Compare = CmpInst::BAD_ICMP_PREDICATE; ///< of vset
  StringRef Second; ///< what is done with the third operand; empty: nothing
};

/// A part of a word, in bits.
struct WordPart {
  unsigned From = 0, Bits = 32;
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

/// Takes the types in front of the modifiers: "s32" is true.
static SmallVector<bool, 3> takeTypes(ArrayRef<StringRef> &Modifiers) {
  SmallVector<bool, 3> Signed;
  for (; !Modifiers.empty() && (Modifiers[0] == "s32" || Modifiers[0] == "u32");
       Modifiers = Modifiers.drop_front())
    Signed.push_back(Modifiers[0] == "s32");
  return Signed;
}

static std::optional<VideoOp> parse(const PtxStatement &S) {
  VideoOp Op;
  Op.Name = S.Opcode;
  if (Op.Name.consume_back("4"))
    Op.Lanes = 4;
  else if (Op.Name.consume_back("2"))
    Op.Lanes = 2;
  const bool IsSet = Op.Name == "vset";
  const bool IsShift = Op.Name == "vshl" || Op.Name == "vshr";
  ArrayRef<StringRef> Rest(S.Modifiers);
  const SmallVector<bool, 3> Signed = takeTypes(Rest);
  if (Signed.size() != (IsSet ? 2 : 3) || (IsShift && Signed.back()))
    return std::nullopt;
  Op.IsResultSigned = !IsSet && Signed[0];
  Op.IsSigned[0] = Signed.end()[-2];
  Op.IsSigned[1] = Signed.back();
  bool HasMode = !IsShift;
  for (StringRef M : Rest) {
    if (M == "sat" && !IsSet)
      Op.Saturates = true;
    else if (!HasMode && (M == "clamp" || M == "wrap")) {
      HasMode = true;
      Op.Wraps = M == "wrap";
    } else if (IsSet && Op.Compare == CmpInst::BAD_ICMP_PREDICATE)
      Op.Compare = predicateOf(M);
    else if (Op.Second.empty() &&
             (M == "add" || (Op.Lanes == 1 && (M == "min" || M == "max"))))
      Op.Second = M;
    else
      return std::nullopt;
  }
  if (!HasMode || (IsSet && Op.Compare == CmpInst::BAD_ICMP_PREDICATE) ||
      S.Operands.empty())
    return std::nullopt;
  const bool Merges = Op.Lanes == 1 && !S.Operands[0].Part.empty();
  if (Merges && !Op.Second.empty())
    return std::nullopt;
  const bool HasThird = Op.Lanes > 1 || !Op.Second.empty() || Merges;
  return S.Operands.size() == (HasThird ? 4U : 3U) ? std::optional(Op)
                                                   : std::nullopt;
}

/// Reads "b0" ... "b3", "h0", "h1", or "", the word.
static std::optional<WordPart> wordPart(StringRef Name) {
  if (Name.empty())
    return WordPart();
  const unsigned Bits = Name[0] == 'b' ? 8 : 16;
  unsigned Number;
  if ((Name[0] != 'b' && Name[0] != 'h') || Name.size() != 2 ||
      Name.drop_front().getAsInteger(10, Number) || Number >= 32 / Bits)
    return std::nullopt;
  return WordPart{Number * Bits, Bits};
}

/// Reads the digits behind "b" or "h" of an instruction with several lanes,
/// the lowest lane's first. Name is empty for those from First on. Each is
/// less than Limit.
static std::optional<SmallVector<unsigned, 4>>
laneDigits(StringRef Name, unsigned Lanes, unsigned First, unsigned Limit) {
  SmallVector<unsigned, 4> Out;
  if (Name.empty()) {
    for (unsigned I = 0; I != Lanes; ++I)
      Out.push_back(First + I);
    return Out;
  }
  if (Name[0] != (Lanes == 4 ? 'b' : 'h'))
    return std::nullopt;
  for (const char C : reverse(Name.drop_front())) {
    Out.push_back(static_cast<unsigned>(C - '0'));
    if (C < '0' || Out.back() >= Limit)
      return std::nullopt;
  }
  return Out;
}

/// Reads an operand's word, whatever part of it is meant.
static Value *readWord(const PtxOperand &O, AsmState &State) {
  PtxOperand Word = O;
  Word.Part = "";
  Word.IsMinus = false;
  return State.read(Word, {'b', 32});
}

/// Returns a part of a word, extended to 64 bits.
static Value *extend(Value *Word, WordPart Part, bool IsSigned,
                     IRBuilder<> &B) {
  Value *V = B.CreateTrunc(B.CreateLShr(Word, Part.From), //
                           B.getIntNTy(Part.Bits));
  return IsSigned ? B.CreateSExt(V, B.getInt64Ty())
                  : B.CreateZExt(V, B.getInt64Ty());
}

/// Returns Word with a part of it replaced by the low bits of V.
static Value *replace(Value *Word, WordPart Part, Value *V, IRBuilder<> &B) {
  const APInt Mask = APInt::getBitsSet(32, Part.From, Part.From + Part.Bits);
  Value *New = B.CreateShl(B.CreateTrunc(V, B.getInt32Ty()), Part.From);
  return B.CreateOr(B.CreateAnd(Word, B.getInt(~Mask)),
                    B.CreateAnd(New, B.getInt(Mask)));
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
  if (Op.Name == "vshl" || Op.Name == "vshr") {
    // All bits of the operand are gone after 32.
    R = Op.Wraps ? B.CreateAnd(R, 31)
                 : B.CreateBinaryIntrinsic(Intrinsic::umin, R, B.getInt64(32));
    return Op.Name == "vshl" ? B.CreateShl(L, R) : B.CreateAShr(L, R);
  }
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

/// Clamps V to the numbers of so many bits.
static Value *clamp(Value *V, unsigned Bits, bool IsSigned, IRBuilder<> &B) {
  const unsigned Width = V->getType()->getIntegerBitWidth();
  const APInt Low = IsSigned ? APInt::getSignedMinValue(Bits).sext(Width)
                             : APInt::getZero(Width);
  const APInt High = IsSigned ? APInt::getSignedMaxValue(Bits).sext(Width)
                              : APInt::getMaxValue(Bits).zext(Width);
  V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, B.getInt(Low));
  return B.CreateBinaryIntrinsic(Intrinsic::smin, V, B.getInt(High));
}

/// Combines the result V of 64 bits with the third operand.
static Value *combine(const VideoOp &Op, Value *V, Value *Third,
                      IRBuilder<> &B) {
  Third = extend(Third, {}, Op.IsResultSigned, B);
  Value *Result =
      Op.Second == "add"
          ? B.CreateAdd(V, Third)
          : B.CreateBinaryIntrinsic(Op.Second == "min" ? Intrinsic::smin
                                                       : Intrinsic::smax,
                                    V, Third);
  return B.CreateTrunc(Result, B.getInt32Ty());
}

/// Writes a word to the register of O, whatever part of it is meant.
static bool writeWord(const PtxOperand &O, Value *V, AsmState &State) {
  PtxOperand Word = O;
  Word.Part = "";
  return !O.IsMinus && State.write(Word, V);
}

static bool lowerScalar(const VideoOp &Op, const PtxStatement &S,
                        ArrayRef<Value *> Words, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  const std::optional<WordPart> To = wordPart(S.Operands[0].Part);
  Value *Sides[2];
  for (unsigned I = 0; I != 2; ++I) {
    const std::optional<WordPart> Part = wordPart(S.Operands[I + 1].Part);
    if (!Part || !To)
      return false;
    Sides[I] = extend(Words[I], *Part, Op.IsSigned[I], B);
  }
  Value *V = calculate(Op, Sides[0], Sides[1], B);
  if (Op.Saturates)
    V = clamp(V, To->Bits, Op.IsResultSigned, B);
  if (!Op.Second.empty())
    V = combine(Op, V, Words[2], B);
  else
    V = replace(To->Bits == 32 ? B.getInt32(0) : Words[2], *To, V, B);
  return writeWord(S.Operands[0], V, State);
}

static bool lowerLanes(const VideoOp &Op, const PtxStatement &S,
                       ArrayRef<Value *> Words, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  const unsigned Lanes = Op.Lanes, Bits = 32 / Lanes;
  const auto Left = laneDigits(S.Operands[1].Part, Lanes, 0, 2 * Lanes);
  const auto Right = laneDigits(S.Operands[2].Part, Lanes, Lanes, 2 * Lanes);
  const auto Mask = laneDigits(S.Operands[0].Part, Lanes, 0, Lanes);
  if (!Left || !Right || !Mask || Left->size() != Lanes ||
      Right->size() != Lanes)
    return false;
  const auto Part = [&](unsigned Digit, bool IsSigned) {
    return extend(Words[Digit / Lanes], {Digit % Lanes * Bits, Bits}, IsSigned,
                  B);
  };
  Value *Merged = Words[2], *Sum = B.getInt64(0);
  for (const unsigned Lane : *Mask) {
    Value *V = calculate(Op, Part((*Left)[Lane], Op.IsSigned[0]),
                         Part((*Right)[Lane], Op.IsSigned[1]), B);
    if (Op.Saturates)
      V = clamp(V, Bits, Op.IsResultSigned, B);
    Sum = B.CreateAdd(Sum, V);
    Merged = replace(Merged, {Lane * Bits, Bits}, V, B);
  }
  return writeWord(S.Operands[0],
                   Op.Second.empty() ? Merged : combine(Op, Sum, Words[2], B),
                   State);
}

bool asmrules::lowerVideo(const PtxStatement &S, AsmState &State) {
  const std::optional<VideoOp> Op = parse(S);
  if (!Op)
    return false;
  SmallVector<Value *, 3> Words;
  for (unsigned I = 1; I != S.Operands.size(); ++I) {
    Words.push_back(readWord(S.Operands[I], State));
    if (!Words.back() || S.Operands[I].IsMinus ||
        (I == 3 && !S.Operands[I].Part.empty()))
      return false;
  }
  return Op->Lanes == 1 ? lowerScalar(*Op, S, Words, State)
                        : lowerLanes(*Op, S, Words, State);
}

/// vmad: a * b + c in 128 bits, of which one of the product and c may be
/// negative, shifted right and saturated. All is signed where one part is.
bool asmrules::lowerVideoProduct(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  ArrayRef<StringRef> Rest(S.Modifiers);
  const SmallVector<bool, 3> Signed = takeTypes(Rest);
  if (Signed.size() != 3 || S.Operands.size() != 4 || S.Operands[0].IsMinus ||
      !S.Operands[0].Part.empty() || !S.Operands[3].Part.empty())
    return false;
  bool PlusOne = false, Saturates = false;
  unsigned Scale = 0;
  for (StringRef M : Rest) {
    if (M == "po")
      PlusOne = true;
    else if (M == "sat")
      Saturates = true;
    else if (M == "shr7" || M == "shr15")
      Scale = M == "shr7" ? 7 : 15;
    else
      return false;
  }
  const bool NegatesProduct = S.Operands[1].IsMinus != S.Operands[2].IsMinus;
  const bool NegatesThird = S.Operands[3].IsMinus;
  if ((NegatesProduct && NegatesThird) ||
      (PlusOne &&
       any_of(S.Operands, [](const PtxOperand &O) { return O.IsMinus; })))
    return false;
  const bool IsSigned =
      Signed[1] || Signed[2] || NegatesProduct || NegatesThird;
  Type *Wide = B.getInt128Ty();
  Value *Values[3];
  for (unsigned I = 0; I != 3; ++I) {
    Value *Word = readWord(S.Operands[I + 1], State);
    const std::optional<WordPart> Part = wordPart(S.Operands[I + 1].Part);
    if (!Word || !Part)
      return false;
    const bool IsValueSigned = I < 2 ? Signed[I + 1] : IsSigned;
    // Numbers of 64 bits that are not negative, or signed.
    Values[I] = B.CreateSExt(extend(Word, *Part, IsValueSigned, B), Wide);
  }
  Value *Product = B.CreateMul(Values[0], Values[1]);
  if (NegatesProduct)
    Product = B.CreateNeg(Product);
  Value *Sum = NegatesThird ? B.CreateSub(Product, Values[2])
                            : B.CreateAdd(Product, Values[2]);
  if (PlusOne)
    Sum = B.CreateAdd(Sum, ConstantInt::get(Wide, 1));
  Sum = B.CreateAShr(Sum, Scale);
  if (Saturates)
    Sum = clamp(Sum, 32, IsSigned, B);
  return State.write(S.Operands[0], B.CreateTrunc(Sum, B.getInt32Ty()));
}

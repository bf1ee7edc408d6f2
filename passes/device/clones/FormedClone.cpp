//===- FormedClone.cpp - Kernels for records in other forms ---------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access to field F of record I of the memory behind a pointer becomes one
// to
//
//   Base + Begin(F) * Records + I * (Begin(F + 1) - Begin(F))
//
// (GridspanFormed). I is First, the record that the pointer itself leads to,
// and the distance from there in records. That follows from the steps of the
// address: those of whole records count as records, and what remains is a field
// that is known, or chosen among fields of one size. Where an address has been
// chosen on the way (phi, select) the distance is a difference of addresses,
// which is an exact multiple of the record once the field is subtracted.
//
// All that the launch alone decides, First among it, is in the field's base,
// which is computed at the entry. So an access takes as many instructions as
// one to an array of the field.
//
// An access to several fields is done field by field. So are copies and fills
// of constant length, all loads before the first store, as both sides of a copy
// may be the same record.
//
// It is sound because a form is one place for each byte, the same for all
// accesses of the buffer, and the pointer is used for nothing but accesses
// (RecordUses.h). All is found out before anything is changed.
//
//===----------------------------------------------------------------------===//

#include "passes/device/clones/FormedClone.h"
#include "analysis/legality/RecordUses.h"
#include "gridspan/ABI.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <array>
#include <optional>
#include <set>

#define DEBUG_TYPE "gridspan-formed"

using namespace llvm;

STATISTIC(NumClones, "Kernels cloned for records in other forms");

namespace gridspan {

static constexpr StringLiteral Suffix = "__formed";

namespace {

/// A pointer of the clone that is formed.
struct FormedPointer {
  const PointerSummary *Summary = nullptr;
  RecordUses Uses;
  Value *Original = nullptr; ///< the pointer, as the kernel receives it
  Value *Records = nullptr;  ///< the values of its GridspanFormed
  Value *First = nullptr;
  /// Where the fields of the record are that the pointer leads to.
  SmallVector<Value *, 8> Bases;

  const FormSummary &form() const { return Summary->Form; }
  uint32_t fieldBytes(size_t Field) const {
    const std::vector<uint32_t> &Begins = form().Fields;
    return (Field + 1 == Begins.size() ? form().RecordBytes
                                       : Begins[Field + 1]) -
           Begins[Field];
  }
};

/// An access with the way to its address.
struct PlannedAccess {
  FormedPointer *Pointer;
  RecordAccess Access;
  /// The rest of its distance, without steps of whole records, is known to be
  /// within the record.
  bool RestIsField = false;
};

/// The place of an access: the sum of two distances from the pointer's record,
/// in records, and the field that it begins with, if that is known; else which
/// one it is.
struct Place {
  Value *Record = nullptr; ///< none if it is zero
  int64_t MoreRecords = 0;
  size_t Field = 0;
  Value *Chosen = nullptr;
};

class FormWriter {
public:
  FormWriter(Function &New, ArrayRef<PointerSummary> Pointers,
             ScalarEvolution &SE)
      : New(New), SE(SE) {
    for (auto [Number, P] : enumerate(Pointers))
      if (P.Form.RecordBytes) {
        FormedPointer &To = Formed.emplace_back();
        To.Summary = &P;
        To.Uses = recordUsesOf(New, P, Number);
      }
  }
  void run();

private:
  bool isFieldOf(const RecordAccess &A, uint32_t RecordBytes);
  void plan();
  void readForms();
  Place placeOf(const PlannedAccess &P, IRBuilder<> &B);
  Value *addressOf(const FormedPointer &P, const Place &At, size_t Part,
                   IRBuilder<> &B);
  void rewrite(const PlannedAccess &P);
  void rewrite(MemIntrinsic &Transfer);
  Value *loadParts(const PlannedAccess &P, const Place &At, LoadInst &Load,
                   IRBuilder<> &B);
  void storeParts(const PlannedAccess &P, const Place &At, StoreInst &Store,
                  IRBuilder<> &B);

  Value *times(IRBuilder<> &B, Value *V, int64_t Factor);

  Function &New;
  ScalarEvolution &SE;
  SmallVector<FormedPointer, 4> Formed;
  SmallVector<PlannedAccess, 16> Plan;
  /// Copies and fills, by the number of their operands in Plan.
  MapVector<MemIntrinsic *, std::array<std::optional<size_t>, 2>> Transfers;
  /// Loads that are done in parts, and what they became.
  DenseMap<Value *, Value *> Replaced;
  SmallVector<Instruction *, 8> Dead;
};

} // namespace

/// Returns true if what remains of the access's distance, without steps of
/// whole records, is never negative and within the record.
bool FormWriter::isFieldOf(const RecordAccess &A, uint32_t RecordBytes) {
  ConstantRange Sum(APInt(64, A.Distance->Constant, /*isSigned=*/true));
  for (const auto &[Index, Bytes] : A.Distance->Terms) {
    if (Bytes % RecordBytes == 0)
      continue;
    const ConstantRange Range =
        SE.getSignedRange(SE.getSCEV(Index)).sextOrTrunc(64);
    const ConstantRange Way = Range.smul_sat(
        ConstantRange(APInt(64, uint64_t(Bytes), /*isSigned=*/true)));
    Sum = Sum.sadd_sat(Way);
  }
  return !Sum.isEmptySet() && Sum.getSignedMin().isNonNegative() &&
         Sum.getSignedMax().sle(int64_t(RecordBytes) - int64_t(A.Bytes));
}

void FormWriter::plan() {
  for (FormedPointer &P : Formed) {
    assert(!P.Uses.Refusal && P.Uses.RecordBytes == P.form().RecordBytes &&
           "the form is of another kernel");
    for (const RecordAccess &A : P.Uses.Accesses) {
      const bool IsKnown = A.Modulus == P.Uses.RecordBytes;
      if (auto *Transfer = dyn_cast<MemIntrinsic>(A.Address->getUser()))
        Transfers[Transfer][A.Address->getOperandNo()] = Plan.size();
      Plan.push_back(
          {&P, A, !IsKnown && A.Distance && isFieldOf(A, P.Uses.RecordBytes)});
    }
  }
}

/// Reads what the launch says of each pointer, at the entry.
void FormWriter::readForms() {
  IRBuilder<> B(&New.getEntryBlock(), New.getEntryBlock().begin());
  Argument *Last = New.getArg(New.arg_size() - 1);
  for (auto [Number, P] : enumerate(Formed)) {
    auto Read = [&, Number = Number](Type *Ty, size_t Offset) {
      Value *Address = B.CreateConstInBoundsGEP1_32(
          B.getInt8Ty(), Last, Number * sizeof(GridspanFormed) + Offset);
      return B.CreateAlignedLoad(Ty, Address, Align(8));
    };
    Value *Base = Read(B.getPtrTy(), offsetof(GridspanFormed, Base));
    P.Records = Read(B.getInt64Ty(), offsetof(GridspanFormed, Records));
    P.First = Read(B.getInt64Ty(), offsetof(GridspanFormed, First));
    for (auto [Field, Begin] : enumerate(P.form().Fields)) {
      Value *Before = B.CreateMul(P.Records, B.getInt64(Begin));
      Value *Within = B.CreateMul(P.First, B.getInt64(P.fieldBytes(Field)));
      P.Bases.push_back(B.CreateGEP(B.getInt8Ty(), Base,
                                    B.CreateAdd(Before, Within), "field"));
    }
    Argument *Own = New.getArg(P.Summary->Param);
    P.Original = Own->hasByValAttr()
                     ? B.CreateAlignedLoad(
                           B.getPtrTy(),
                           B.CreateConstInBoundsGEP1_32(B.getInt8Ty(), Own,
                                                        P.Summary->ByteOffset),
                           commonAlignment(Own->getParamAlign().valueOrOne(),
                                           P.Summary->ByteOffset))
                     : static_cast<Value *>(Own);
  }
}

/// Returns V, extended with its sign, times Factor.
Value *FormWriter::times(IRBuilder<> &B, Value *V, int64_t Factor) {
  if (Value *Now = Replaced.lookup(V))
    V = Now;
  V = B.CreateSExtOrTrunc(V, B.getInt64Ty());
  return Factor == 1 ? V : B.CreateMul(V, B.getInt64(Factor));
}

/// Returns the quotient, rounded down.
static int64_t floorOf(int64_t Bytes, int64_t By) {
  return Bytes / By - (Bytes % By < 0);
}

Place FormWriter::placeOf(const PlannedAccess &P, IRBuilder<> &B) {
  const FormedPointer &Of = *P.Pointer;
  const RecordAccess &A = P.Access;
  const int64_t RecordBytes = Of.form().RecordBytes;
  const bool IsKnown = A.Modulus == RecordBytes;
  const auto Field =
      size_t(lower_bound(Of.form().Fields, A.At) - Of.form().Fields.begin());
  auto Add = [&](Value *To, Value *What) {
    return To ? B.CreateAdd(To, What) : What;
  };
  const bool StepsByRecords =
      A.Distance && (P.RestIsField ||
                     (IsKnown && all_of(A.Distance->Terms, [&](const auto &T) {
                        return T.second % RecordBytes == 0;
                      })));
  if (StepsByRecords) {
    Value *Record = nullptr, *Rest = nullptr;
    for (const auto &[Index, Bytes] : A.Distance->Terms)
      if (Bytes % RecordBytes == 0)
        Record = Add(Record, times(B, Index, Bytes / RecordBytes));
      else
        Rest = Add(Rest, times(B, Index, Bytes));
    if (IsKnown)
      return {Record, floorOf(A.Distance->Constant, RecordBytes), Field};
    Rest = Add(Rest, B.getInt64(A.Distance->Constant));
    return {Record, 0, 0, B.CreateUDiv(Rest, B.getInt64(Of.fieldBytes(0)))};
  }
  Type *I64 = B.getInt64Ty();
  Value *Distance = B.CreateSub(B.CreatePtrToInt(A.Address->get(), I64),
                                B.CreatePtrToInt(Of.Original, I64));
  if (IsKnown) {
    Value *Steps = B.CreateSub(Distance, B.getInt64(A.At));
    return {B.CreateExactSDiv(Steps, B.getInt64(RecordBytes)), 0, Field};
  }
  // From the first record of the buffer, so that it is not negative.
  Distance =
      B.CreateAdd(Distance, B.CreateMul(Of.First, B.getInt64(RecordBytes)));
  Value *Record = B.CreateUDiv(Distance, B.getInt64(RecordBytes));
  Value *Rest =
      B.CreateSub(Distance, B.CreateMul(Record, B.getInt64(RecordBytes)));
  return {B.CreateSub(Record, Of.First), 0, 0,
          B.CreateUDiv(Rest, B.getInt64(Of.fieldBytes(0)))};
}

/// Returns the address of the access's part of that number.
Value *FormWriter::addressOf(const FormedPointer &P, const Place &At,
                             size_t Part, IRBuilder<> &B) {
  const size_t Field = At.Field + Part;
  Value *Base = P.Bases[Field];
  if (At.Chosen) {
    // All fields are of one size, and begin at multiples of it.
    Value *Which = Part ? B.CreateAdd(At.Chosen, B.getInt64(Part)) : At.Chosen;
    Base =
        B.CreateGEP(B.getInt8Ty(), P.Bases[0],
                    B.CreateMul(B.CreateMul(Which, B.getInt64(P.fieldBytes(0))),
                                P.Records));
  }
  const uint32_t Bytes = P.fieldBytes(Field);
  if (At.Record)
    Base =
        B.CreateGEP(B.getInt8Ty(), Base, times(B, At.Record, Bytes), "formed");
  if (!At.MoreRecords)
    return Base;
  return B.CreateConstGEP1_64(B.getInt8Ty(), Base, At.MoreRecords * Bytes,
                              "formed");
}

/// Returns the largest alignment that all elements of the field have.
static Align alignmentOf(const FormedPointer &P, size_t Field) {
  return commonAlignment(Align(256), P.fieldBytes(Field));
}

/// Returns the sizes of the parts that the access has.
static SmallVector<uint32_t, 4> partsOf(const PlannedAccess &P,
                                        const Place &At) {
  SmallVector<uint32_t, 4> Out;
  for (uint32_t Sum = 0; Sum != P.Access.Bytes; Sum += Out.back())
    Out.push_back(P.Pointer->fieldBytes(At.Field + Out.size()));
  return Out;
}

static Type *partType(IRBuilder<> &B, uint32_t Bytes) {
  return B.getIntNTy(Bytes * 8);
}

Value *FormWriter::loadParts(const PlannedAccess &P, const Place &At,
                             LoadInst &Load, IRBuilder<> &B) {
  Type *Whole = B.getIntNTy(P.Access.Bytes * 8);
  Value *Sum = nullptr;
  uint32_t Bytes = 0;
  for (auto [Part, Size] : enumerate(partsOf(P, At))) {
    Value *One = B.CreateAlignedLoad(partType(B, Size),
                                     addressOf(*P.Pointer, At, Part, B),
                                     alignmentOf(*P.Pointer, At.Field + Part));
    One = B.CreateShl(B.CreateZExt(One, Whole), Bytes * 8);
    Sum = Sum ? B.CreateOr(Sum, One) : One;
    Bytes += Size;
  }
  return B.CreateBitCast(Sum, Load.getType());
}

void FormWriter::storeParts(const PlannedAccess &P, const Place &At,
                            StoreInst &Store, IRBuilder<> &B) {
  Value *Whole =
      B.CreateBitCast(Store.getValueOperand(), B.getIntNTy(P.Access.Bytes * 8));
  uint32_t Bytes = 0;
  for (auto [Part, Size] : enumerate(partsOf(P, At))) {
    Value *One =
        B.CreateTrunc(B.CreateLShr(Whole, Bytes * 8), partType(B, Size));
    B.CreateAlignedStore(One, addressOf(*P.Pointer, At, Part, B),
                         alignmentOf(*P.Pointer, At.Field + Part));
    Bytes += Size;
  }
}

/// Lets the instruction, which is not done in parts, say no more of its address
/// than is true.
static void limitAlignment(Instruction &I, Align Most) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setAlignment(std::min(Load->getAlign(), Most));
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    Store->setAlignment(std::min(Store->getAlign(), Most));
  else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    Atomic->setAlignment(std::min(Atomic->getAlign(), Most));
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    Exchange->setAlignment(std::min(Exchange->getAlign(), Most));
  else // a cached load
    cast<IntrinsicInst>(I).setArgOperand(
        1, ConstantInt::get(
               Type::getInt32Ty(I.getContext()),
               std::min(Most.value(),
                        cast<ConstantInt>(I.getOperand(1))->getZExtValue())));
}

void FormWriter::rewrite(const PlannedAccess &P) {
  auto &I = *cast<Instruction>(P.Access.Address->getUser());
  IRBuilder<> B(&I);
  const Place At = placeOf(P, B);
  if (partsOf(P, At).size() == 1) {
    Value *Address = addressOf(*P.Pointer, At, 0, B);
    P.Access.Address->set(
        B.CreateAddrSpaceCast(Address, P.Access.Address->get()->getType()));
    limitAlignment(I, alignmentOf(*P.Pointer, At.Field));
    return;
  }
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Value *Loaded = loadParts(P, At, *Load, B);
    Load->replaceAllUsesWith(Loaded);
    Loaded->takeName(Load);
    Replaced[Load] = Loaded;
  } else {
    storeParts(P, At, *cast<StoreInst>(&I), B);
  }
  Dead.push_back(&I);
}

namespace {
/// One side of a copy or fill: a record in another form, or memory as it is.
struct TransferSide {
  Value *Plain = nullptr; ///< the address of memory as it is
  Align PlainAlign;
  const PlannedAccess *Formed = nullptr;
  Place At;
  SmallVector<uint32_t, 8> Begins; ///< of the parts, in the transfer
};
} // namespace

/// Returns the pieces of 1, 2, 4 or 8 bytes in which so many bytes are moved,
/// by where they begin: none is in two parts of a side.
static SmallVector<std::pair<uint32_t, uint32_t>, 16>
piecesOf(uint32_t Bytes, const TransferSide &A, const TransferSide &B) {
  std::set<uint32_t> Cuts = {Bytes};
  for (const TransferSide *Side : {&A, &B}) {
    Cuts.insert(Side->Begins.begin(), Side->Begins.end());
    if (Side->Plain)
      for (uint32_t At = 0; At < Bytes; At += Side->PlainAlign.value())
        Cuts.insert(At);
  }
  SmallVector<std::pair<uint32_t, uint32_t>, 16> Out;
  for (uint32_t At = 0; At != Bytes; At += Out.back().second)
    Out.push_back(
        {At, std::min(8u, llvm::bit_floor(*Cuts.upper_bound(At) - At))});
  return Out;
}

/// Does a copy or fill piece by piece.
void FormWriter::rewrite(MemIntrinsic &Transfer) {
  IRBuilder<> B(&Transfer);
  const auto Bytes =
      uint32_t(cast<ConstantInt>(Transfer.getLength())->getZExtValue());
  std::array<TransferSide, 2> Sides;
  for (unsigned Operand : {0u, 1u}) {
    TransferSide &Side = Sides[Operand];
    if (const std::optional<size_t> Of = Transfers[&Transfer][Operand]) {
      Side.Formed = &Plan[*Of];
      Side.At = placeOf(*Side.Formed, B);
      uint32_t Begin = 0;
      for (uint32_t Size : partsOf(*Side.Formed, Side.At)) {
        Side.Begins.push_back(Begin);
        Begin += Size;
      }
    } else if (Operand == 0 || isa<MemTransferInst>(Transfer)) {
      Side.Plain = Transfer.getArgOperand(Operand);
      Side.PlainAlign = Transfer.getParamAlign(Operand).valueOrOne();
    }
  }
  auto Behind = [&](Value *Address, uint32_t Distance) {
    return Distance
               ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, Distance)
               : Address;
  };
  auto AddressIn = [&](const TransferSide &Side,
                       uint32_t At) -> std::pair<Value *, Align> {
    if (Side.Plain)
      return {Behind(Side.Plain, At), commonAlignment(Side.PlainAlign, At)};
    const auto Part =
        size_t(upper_bound(Side.Begins, At) - Side.Begins.begin()) - 1;
    const uint32_t Within = At - Side.Begins[Part];
    const FormedPointer &P = *Side.Formed->Pointer;
    return {Behind(addressOf(P, Side.At, Part, B), Within),
            commonAlignment(alignmentOf(P, Side.At.Field + Part), Within)};
  };
  SmallVector<Value *, 16> Values;
  const auto Pieces = piecesOf(Bytes, Sides[0], Sides[1]);
  for (const auto &[At, Size] : Pieces)
    if (auto *Fill = dyn_cast<MemSetInst>(&Transfer)) {
      Value *Byte = B.CreateZExt(Fill->getValue(), partType(B, Size));
      Values.push_back(
          B.CreateMul(Byte, B.getInt(APInt::getSplat(Size * 8, APInt(8, 1)))));
    } else {
      const auto [Address, Alignment] = AddressIn(Sides[1], At);
      Values.push_back(
          B.CreateAlignedLoad(partType(B, Size), Address, Alignment));
    }
  for (const auto &[Piece, V] : zip(Pieces, Values)) {
    const auto [Address, Alignment] = AddressIn(Sides[0], Piece.first);
    B.CreateAlignedStore(V, Address, Alignment);
  }
  Dead.push_back(&Transfer);
}

void FormWriter::run() {
  plan();
  readForms();
  for (const PlannedAccess &P : Plan)
    if (!isa<MemIntrinsic>(P.Access.Address->getUser()))
      rewrite(P);
  for (const auto &[Transfer, Operands] : Transfers)
    rewrite(*Transfer);
  for (Instruction *I : Dead)
    I->eraseFromParent();
}

Function &cloneForForms(Function &Kernel, ArrayRef<PointerSummary> Pointers,
                        KernelDeclarer &Declarer,
                        FunctionAnalysisManager &FAM) {
  ++NumClones;
  LLVMContext &C = Kernel.getContext();
  SmallVector<Type *, 8> Params(Kernel.getFunctionType()->params());
  Params.push_back(PointerType::getUnqual(C));
  Function &New = Declarer.declare(
      Kernel, FunctionType::get(Kernel.getReturnType(), Params, false),
      (Kernel.getName() + Suffix).str());
  copyCode(Kernel, New);
  New.setVisibility(Kernel.getVisibility());
  Argument &Last = *New.getArg(New.arg_size() - 1);
  Last.setName("formed");
  Type *I64 = Type::getInt64Ty(C);
  AttrBuilder Attributes(C);
  Attributes.addByValAttr(
      ArrayType::get(StructType::get(C, {PointerType::getUnqual(C), I64, I64}),
                     count_if(Pointers, [](const PointerSummary &P) {
                       return P.Form.RecordBytes;
                     })));
  Attributes.addAlignmentAttr(Align(8));
  Attributes.addAttribute(Attribute::NoUndef);
  New.addParamAttrs(Last.getArgNo(), Attributes);
  // It also reads what it has been told, and accesses memory of which no
  // argument is known to be a pointer.
  New.removeFnAttr(Attribute::Memory);
  for (const PointerSummary &P : Pointers)
    if (P.Form.RecordBytes)
      for (Attribute::AttrKind Kind :
           {Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
        New.getArg(P.Param)->removeAttr(Kind);
  FormWriter(New, Pointers, FAM.getResult<ScalarEvolutionAnalysis>(New)).run();
  FAM.clear(New, New.getName());
  return New;
}

} // namespace gridspan

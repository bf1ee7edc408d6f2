//===- RecordForms.cpp - Forms for arrays of records ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of a form begin and end where some access to a record of that type
// does. Where the code has no name for the type, the record counts as that of
// the only one of its size, if there is one whose fields are not smaller than
// what is accessed; else as one of a type of its own, known by its size and
// that of its smallest fields. What is only accessed as a whole is no record.
// So every access is to whole fields: to one, or to several that lie side
// by side, which the clone accesses one by one. Bytes that nobody accesses are
// fields as well, and move with the others.
//
// A kernel gains if lanes of a warp access neighbouring records: each request
// then is for neighbouring bytes. It loses where lanes access records that are
// apart: fields of one record that came in one sector then come in several.
// How much it saves is what memory does not move for fields that nobody uses,
// and what stores do not send as each is alone in its sectors.
//
//===----------------------------------------------------------------------===//

#include "analysis/legality/RecordForms.h"
#include "analysis/expr/LaneStride.h"
#include "analysis/legality/Legality.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/nvptx/MemoryOps.h"
#include "analysis/summary/Access.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace llvm;

namespace gridspan {

/// Fields of a record, and parts of an access, at most. More are no structs
/// that people write, and their addresses cost more than they gain.
static constexpr size_t MostFields = 64;
static constexpr size_t MostParts = 32;
/// Records larger than this are not moved field by field.
static constexpr uint32_t MostRecordBytes = 4096;
/// Records of so few bytes come in one request, if they are aligned.
static constexpr uint32_t VectorBytes = 16;
static constexpr uint32_t SectorBytes = 32;
/// Bytes that go to the second cache while one comes from memory.
static constexpr uint32_t StoresPerByte = 2;

bool KernelRecords::hasForms() const {
  return !Refusal && any_of(Pointers, [](const RecordPointer &P) {
    return P.Form.RecordBytes != 0;
  });
}

KernelRecords findRecords(Function &Kernel, const KernelSummary &Summary,
                          bool Dependent) {
  KernelRecords Out;
  Out.Kernel = &Kernel;
  Out.Summary = &Summary;
  for (auto [Number, P] : enumerate(Summary.Pointers)) {
    if (P.Modes == 0)
      continue;
    RecordUses Uses = recordUsesOf(Kernel, P, Number);
    if (Uses.RecordBytes || Uses.Refusal)
      Out.Pointers.push_back({std::move(Uses), {}});
  }
  if (Dependent)
    Out.Refusal = RecordRefusal::DependentBlocks;
  else if (any_of(Summary.Accesses,
                  [](const AccessSummary &A) { return A.Pointer < 0; }))
    Out.Refusal = RecordRefusal::UnknownPointer;
  return Out;
}

/// Adds where fields begin that the access is to.
static void addBegins(const RecordAccess &A, uint32_t RecordBytes,
                      std::set<uint32_t> &Begins) {
  for (uint32_t At = A.At; At < RecordBytes; At += A.Modulus)
    for (uint32_t Cut : {At, At + A.Bytes})
      if (Cut < RecordBytes)
        Begins.insert(Cut);
}

static uint32_t endOf(const FormSummary &Form, size_t Field) {
  return Field + 1 == Form.Fields.size() ? Form.RecordBytes
                                         : Form.Fields[Field + 1];
}

static bool isUniform(const FormSummary &Form) {
  const uint32_t Bytes = endOf(Form, 0);
  return all_of(seq<size_t>(0, Form.Fields.size()), [&](size_t Field) {
    return endOf(Form, Field) - Form.Fields[Field] == Bytes;
  });
}

/// Returns why the access cannot follow the form, or nothing.
static std::optional<RecordRefusal> whyNot(const RecordAccess &A,
                                           const FormSummary &Form) {
  const auto Parts = size_t(count_if(Form.Fields, [&](uint32_t Begin) {
    return Begin >= A.At && Begin < A.At + A.Bytes;
  }));
  if (A.Modulus != Form.RecordBytes && !isUniform(Form))
    return RecordRefusal::FieldsDiffer;
  if (Parts > 1 && A.IsIndivisible)
    return RecordRefusal::Indivisible;
  if (Parts > MostParts)
    return RecordRefusal::TooManyParts;
  return std::nullopt;
}

namespace {

/// What warps do with the records behind a pointer.
struct WarpAccesses {
  SmallSet<uint32_t, 8> Neighbours; ///< fields of neighbouring records
  SmallSet<uint32_t, 8> Apart;      ///< fields of records that are apart
  std::set<uint32_t> Bytes;         ///< of a record that is accessed
  std::set<uint32_t> Stored;        ///< where stores to neighbours begin
  uint32_t StoreBytes = 0;          ///< of the largest of them
  uint32_t StoreAlign = 1;          ///< of the best aligned of them
};

} // namespace

/// Returns the step from lane to lane, or nothing if it is not the same.
static std::optional<int64_t> laneStep(const KernelSummary &Summary,
                                       unsigned Pointer,
                                       const RecordAccess &Access) {
  const auto &I = *cast<Instruction>(Access.Address->getUser());
  const std::optional<uint32_t> Site = siteOf(I);
  // Both sides of a copy have one number.
  uint32_t Modes = GridspanRead | GridspanWrite | GridspanAtomic;
  if (isa<MemTransferInst>(I))
    Modes = Access.Address->getOperandNo() == 0 ? GridspanWrite : GridspanRead;
  for (const AccessSummary &A : Summary.Accesses) {
    if (!Site || A.Site != *Site || !(A.Mode & Modes) ||
        A.Pointer != int(Pointer) || A.Offset == NoExpr)
      continue;
    ExprGraph Graph = Summary.Exprs;
    const ExprId Step = threadStride(Graph, A.Offset, 0);
    if (Step != NoExpr)
      return Graph.constantValue(Step);
  }
  return std::nullopt;
}

/// Returns where the fields begin that the access is to. Of loads and stores of
/// several only the first one counts, as their bytes come together.
static SmallVector<uint32_t, 8> fieldsOf(const RecordAccess &A,
                                         const FormSummary &Form) {
  SmallVector<uint32_t, 8> Out = {A.At};
  if (isa<MemIntrinsic>(A.Address->getUser()))
    for (const uint32_t Begin : Form.Fields)
      if (Begin > A.At && Begin < A.At + A.Bytes)
        Out.push_back(Begin);
  return Out;
}

/// Returns how well what the access writes is aligned, or nothing if it writes
/// nothing.
static MaybeAlign writtenAlign(const RecordAccess &A) {
  const User *By = A.Address->getUser();
  if (const auto *Store = dyn_cast<StoreInst>(By))
    return Store->getAlign();
  if (const auto *Transfer = dyn_cast<MemIntrinsic>(By);
      Transfer && A.Address->getOperandNo() == 0)
    return Transfer->getDestAlign().valueOrOne();
  return std::nullopt;
}

static WarpAccesses warpAccesses(const KernelSummary &Summary,
                                 const RecordUses &Uses,
                                 const FormSummary &Form) {
  WarpAccesses Out;
  for (const RecordAccess &A : Uses.Accesses) {
    const auto &I = *cast<Instruction>(A.Address->getUser());
    const std::optional<int64_t> Step = laneStep(Summary, Uses.Pointer, A);
    const SmallVector<uint32_t, 8> Fields = fieldsOf(A, Form);
    if (Step && uint64_t(std::abs(*Step)) == Uses.RecordBytes) {
      Out.Neighbours.insert(Fields.begin(), Fields.end());
      if (const MaybeAlign Align = writtenAlign(A)) {
        // Copies and fills store as much at a time as they are aligned.
        const uint32_t Bytes =
            isa<StoreInst>(I) ? A.Bytes
                              : std::min(A.Bytes, uint32_t(Align->value()));
        for (uint32_t At = A.At; At < Uses.RecordBytes; At += A.Modulus)
          for (uint32_t Byte = At; Byte < At + A.Bytes; Byte += Bytes)
            Out.Stored.insert(Byte);
        Out.StoreBytes = std::max(Out.StoreBytes, Bytes);
        Out.StoreAlign = std::max(Out.StoreAlign, uint32_t(Align->value()));
      }
    } else if (!Step || *Step != 0)
      Out.Apart.insert(Fields.begin(), Fields.end());
    for (uint32_t At = A.At; At < Uses.RecordBytes; At += A.Modulus)
      for (uint32_t Byte = At; Byte != At + A.Bytes; ++Byte)
        Out.Bytes.insert(Byte);
  }
  return Out;
}

/// Returns the bytes that come for a record whose neighbours come as well, of
/// which these are accessed: whole sectors.
static uint32_t bytesThatCome(const std::set<uint32_t> &Bytes,
                              uint32_t RecordBytes) {
  if (RecordBytes % SectorBytes == 0) {
    std::set<uint32_t> Sectors;
    for (uint32_t Byte : Bytes)
      Sectors.insert(Byte / SectorBytes);
    return Sectors.size() * SectorBytes;
  }
  // On average: fields lie anywhere in sectors, in steps of 4 bytes.
  uint32_t Sum = 0, Next = 0;
  for (uint32_t Byte : Bytes) {
    if (Sum == 0 || Byte != Next)
      Sum += SectorBytes - 4;
    ++Sum;
    Next = Byte + 1;
  }
  return std::min(Sum, RecordBytes);
}

/// Returns the bytes of a record's way that stores take to neighbouring records
/// and would not take to neighbouring fields. Caches give loads the fields
/// that came with others. But stores go through the first cache, each with all
/// sectors that its lanes are in. These are on the way to the second cache,
/// which takes StoresPerByte of them while memory moves one byte. Aligned
/// stores may go together, so they count as one for each vector.
static uint32_t bytesOfStores(const WarpAccesses &Warp, uint32_t RecordBytes) {
  const uint32_t Unit =
      std::max(Warp.StoreBytes, std::min(Warp.StoreAlign, VectorBytes));
  const uint32_t Taken = std::min(RecordBytes, SectorBytes);
  std::set<uint32_t> Units;
  for (uint32_t At : Warp.Stored)
    Units.insert(At / Unit);
  return Taken <= Unit ? 0 : Units.size() * (Taken - Unit) / StoresPerByte;
}

/// Says in the pointer's form what the kernel gains by it.
static void weigh(const KernelSummary &Summary, RecordPointer &P) {
  const WarpAccesses Warp = warpAccesses(Summary, P.Uses, P.Form);
  const uint32_t Record = P.Form.RecordBytes;
  const auto Accessed = uint32_t(Warp.Bytes.size());
  if (Warp.Apart.size() > std::max<size_t>(1, Warp.Neighbours.size()))
    P.Form.Flags |= GridspanFormLoses;
  else if (!Warp.Neighbours.empty() &&
           (Record > VectorBytes || 2 * Accessed <= Record)) {
    P.Form.Flags |= GridspanFormGains;
    P.Form.SavedBytes = bytesThatCome(Warp.Bytes, Record) - Accessed +
                        bytesOfStores(Warp, Record);
  }
}

namespace {

/// Records that have one form: their size and the name of their type, or, if
/// that is empty, the size of their smallest fields.
using RecordKind = std::tuple<uint32_t, StringRef, uint32_t>;

/// The kinds of records in a module.
class RecordKinds {
public:
  explicit RecordKinds(ArrayRef<KernelRecords> Kernels);
  /// Returns nothing for what is accessed as a whole only.
  std::optional<RecordKind> of(const RecordUses &Uses) const;

private:
  /// The finest field of each type, by size and name.
  std::map<uint32_t, std::map<StringRef, uint32_t>> Named;
};

} // namespace

/// Returns the greatest common divisor of where fields begin and end.
static uint32_t finestField(const RecordUses &Uses) {
  uint32_t Bytes = Uses.RecordBytes;
  for (const RecordAccess &A : Uses.Accesses)
    for (uint32_t Number : {A.At, A.Bytes, A.Modulus})
      Bytes = std::gcd(Bytes, Number);
  return Bytes;
}

RecordKinds::RecordKinds(ArrayRef<KernelRecords> Kernels) {
  for (const KernelRecords &K : Kernels)
    for (const RecordPointer &P : K.Pointers)
      if (!K.Refusal && !P.Uses.Refusal && !P.Uses.Type.empty()) {
        uint32_t &Finest = Named[P.Uses.RecordBytes][P.Uses.Type];
        Finest = std::gcd(Finest, finestField(P.Uses));
      }
}

std::optional<RecordKind> RecordKinds::of(const RecordUses &Uses) const {
  const uint32_t Bytes = Uses.RecordBytes, Finest = finestField(Uses);
  if (!Uses.Type.empty())
    return RecordKind(Bytes, Uses.Type, 0);
  if (Finest == Bytes)
    return std::nullopt;
  auto Same = Named.find(Bytes);
  if (Same != Named.end() && Same->second.size() == 1)
    if (const auto &[Name, Least] = *Same->second.begin(); Finest % Least == 0)
      return RecordKind(Bytes, Name, 0);
  return RecordKind(Bytes, StringRef(), Finest);
}

void chooseForms(MutableArrayRef<KernelRecords> Kernels) {
  const RecordKinds Kinds(Kernels);
  std::map<RecordKind, std::set<uint32_t>> Begins;
  for (const KernelRecords &K : Kernels)
    for (const RecordPointer &P : K.Pointers) {
      if (K.Refusal || P.Uses.Refusal)
        continue;
      const std::optional<RecordKind> Kind = Kinds.of(P.Uses);
      if (!Kind)
        continue;
      Begins[*Kind].insert(0);
      for (const RecordAccess &A : P.Uses.Accesses)
        if (P.Uses.RecordBytes <= MostRecordBytes)
          addBegins(A, P.Uses.RecordBytes, Begins[*Kind]);
    }
  for (KernelRecords &K : Kernels)
    for (RecordPointer &P : K.Pointers) {
      if (K.Refusal || P.Uses.Refusal)
        continue;
      const std::optional<RecordKind> Kind = Kinds.of(P.Uses);
      if (!Kind || Begins[*Kind].size() < 2)
        continue;
      const std::set<uint32_t> &Fields = Begins[*Kind];
      P.Form.RecordBytes = P.Uses.RecordBytes;
      P.Form.Fields.assign(Fields.begin(), Fields.end());
      if (Fields.size() > MostFields || P.Uses.RecordBytes > MostRecordBytes)
        P.Uses.Refusal = RecordRefusal::TooManyParts;
      for (const RecordAccess &A : P.Uses.Accesses)
        if (!P.Uses.Refusal)
          if ((P.Uses.Refusal = whyNot(A, P.Form)))
            P.Uses.Where = cast<Instruction>(A.Address->getUser());
      if (P.Uses.Refusal)
        P.Form = {};
      else
        weigh(*K.Summary, P);
    }
}

//===--- Printing -------------------------------------------------------===//

static void print(raw_ostream &OS, const RecordPointer &P,
                  const KernelSummary &Summary) {
  const PointerSummary &Pointer = Summary.Pointers[P.Uses.Pointer];
  if (!P.Form.RecordBytes && !P.Uses.Refusal)
    return;
  OS << "  pointer " << P.Uses.Pointer << " (parameter " << Pointer.Param
     << ", byte " << Pointer.ByteOffset << "): ";
  if (P.Uses.Refusal) {
    OS << "refused: " << recordRefusalName(*P.Uses.Refusal) << "\n";
    return;
  }
  OS << P.Form.RecordBytes << " bytes, fields at ";
  interleaveComma(P.Form.Fields, OS);
  OS << (P.Form.Flags & GridspanFormGains   ? ", gains"
         : P.Form.Flags & GridspanFormLoses ? ", loses"
                                            : "");
  if (P.Form.SavedBytes)
    OS << ", saves " << P.Form.SavedBytes;
  OS << "\n";
}

PreservedAnalyses RecordsPrinterPass::run(Module &M,
                                          ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  const LegalityFacts &Legality = MAM.getResult<LegalityAnalysis>(M);
  std::vector<KernelRecords> Kernels;
  for (Function *Kernel : kernelsOf(M))
    Kernels.push_back(findRecords(*Kernel,
                                  FAM.getResult<KernelSummaryAnalysis>(*Kernel),
                                  !Legality.of(*Kernel).empty()));
  chooseForms(Kernels);
  for (const KernelRecords &K : Kernels) {
    OS << "kernel " << K.Kernel->getName() << ":\n";
    if (K.Refusal)
      OS << "  refused: " << recordRefusalName(*K.Refusal) << "\n";
    else
      for (const RecordPointer &P : K.Pointers)
        print(OS, P, *K.Summary);
  }
  return PreservedAnalyses::all();
}

} // namespace gridspan

//===- PtxCode.cpp - Instructions of a kernel in PTX ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block begins at a label $L__BB... or at a comment "// %bb.N:", both of
// which have the name of the IR block behind them. Each instruction counts as
// its line of PtxOpcodes.def says; what ptxas joins with others (PtxJoin)
// counts less. Branches around a few instructions become predicates. The number
// of registers is the largest sum of live ranges, found by the usual backward
// iteration.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxCode.h"
#include "analysis/machine/PtxJoin.h"
#include "analysis/machine/PtxUnroll.h"
#include "analysis/ptx/PtxSyntax.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <numeric>

using namespace llvm;

namespace gridspan {

namespace {

class Parser {
public:
  explicit Parser(StringRef Body) : Reader(Body) {}
  PtxKernel run();

private:
  void startBlock(StringRef Label, StringRef Name);
  unsigned registerOf(StringRef Name);
  void addRegisters(const PtxOperand &O, SmallVectorImpl<unsigned> &Out);
  void addConstants(const PtxOperand &O, PtxInstruction &I);
  void addInstruction(const PtxStatement &S);
  void addDirective(const PtxStatement &S);
  void connect();
  void findPredicated();
  unsigned pressure() const;

  PtxReader Reader;
  PtxKernel Out;
  StringMap<unsigned> Numbers;
  std::vector<unsigned> Widths; ///< of each register, in 32-bit units
  std::vector<std::vector<StringRef>> Targets; ///< labels, by block
  std::vector<bool> FallsThrough;
  SmallSet<uint64_t, 8> Doubles; ///< constants of the present block
};

} // namespace

void Parser::startBlock(StringRef Label, StringRef Name) {
  PtxBlock &Block = Out.Blocks.emplace_back();
  Block.Label = Label.str();
  Block.Name = Name.str();
  Targets.emplace_back();
  FallsThrough.push_back(true);
  Doubles.clear();
}

unsigned Parser::registerOf(StringRef Name) {
  auto [It, IsNew] = Numbers.try_emplace(Name, Widths.size());
  if (IsNew)
    Widths.push_back(Name.starts_with("p")                              ? 0
                     : Name.starts_with("rd") || Name.starts_with("fd") ? 2
                                                                        : 1);
  return It->second;
}

/// Adds the registers that O names. Their names end with digits, those of
/// special registers with letters: %tid.x.
void Parser::addRegisters(const PtxOperand &O,
                          SmallVectorImpl<unsigned> &Registers) {
  if (O.K == PtxOperand::Kind::Percent && isDigit(O.Name.back()))
    Registers.push_back(registerOf(O.Name));
  for (const PtxOperand &Element : O.Elements)
    addRegisters(Element, Registers);
}

/// Counts moves of constants: a double whose lower half is not zero is moved
/// into two registers, once in a block.
void Parser::addConstants(const PtxOperand &O, PtxInstruction &I) {
  if (O.K == PtxOperand::Kind::Double && uint32_t(O.Value) != 0 &&
      Doubles.insert(O.Value).second)
    I.Count[unsigned(Pipe::Control)] += 2;
  for (const PtxOperand &Element : O.Elements)
    addConstants(Element, I);
}

static void setKind(PtxInstruction &I, PtxEffect Effect) {
  using T = PtxInstruction;
  StringRef Mnemonic = I.Opcode;
  if (Effect == PtxEffect::Barrier || Effect == PtxEffect::Fence)
    I.Kind = T::Barrier;
  bool IsLoad = Effect == PtxEffect::Load, IsStore = Effect == PtxEffect::Store;
  bool IsAtomic = Effect == PtxEffect::Atomic || Effect == PtxEffect::Reduction;
  if ((!IsLoad && !IsStore && !IsAtomic) || isConstantBankAccess(Mnemonic))
    return;
  I.Kind = IsLoad ? T::Load : IsStore ? T::Store : T::Atomic;
  I.Space = Mnemonic.contains(".shared")  ? T::Shared
            : Mnemonic.contains(".local") ? T::Local
                                          : T::Global;
  I.IsReadOnly = Mnemonic.contains(".nc");
}

/// Replaces the cost of a move from a special register: S2R reads a number of
/// the thread, LDC a size from the constant bank.
static void setSpecialMove(PtxInstruction &I, const PtxStatement &S) {
  if (S.Opcode != "mov" || S.Operands.size() != 2 ||
      S.Operands[1].K != PtxOperand::Kind::Percent)
    return;
  StringRef Name = S.Operands[1].Name;
  bool IsOfThread = Name.starts_with("tid") || Name.starts_with("laneid");
  bool IsSize = Name.starts_with("ntid") || Name.starts_with("nctaid");
  if (!IsSize && !IsOfThread && !Name.starts_with("ctaid"))
    return;
  I.IsOfThread = IsOfThread;
  I.Count[unsigned(Pipe::Control)] = 1;
  I.Latency = IsSize ? LatencyClass::Constant : LatencyClass::Sfu;
  I.Steps = 1;
}

/// Replaces the cost of taking a field out of a register where one instruction
/// does: bytes and halves that are aligned, and fields at either end.
static void setFieldExtract(PtxInstruction &I, const PtxStatement &S) {
  if (S.Opcode != "bfe" || S.Mnemonic.ends_with("64") ||
      S.Operands.size() != 4 || S.Operands[2].K != PtxOperand::Kind::Integer ||
      S.Operands[3].K != PtxOperand::Kind::Integer)
    return;
  const uint64_t Position = S.Operands[2].Value, Length = S.Operands[3].Value;
  const bool IsByte = Length == 8 || Length == 16;
  if (Position != 0 && Position + Length != 32 &&
      !(IsByte && Position % 8 == 0))
    return;
  I.Count[unsigned(Pipe::Int)] = 1;
  I.Steps = 1;
}

/// Operations on floating point numbers of one thread.
static double flopsOf(const PtxStatement &S, const PtxCost &Cost) {
  if (S.Opcode == "fma")
    return 2;
  return Cost.Count[unsigned(Pipe::Fp32)] + Cost.Count[unsigned(Pipe::Fp64)] > 0
             ? 1
             : 0;
}

void Parser::addInstruction(const PtxStatement &S) {
  PtxEffect Effect = ptxEffectOf(S.Opcode);
  if (Effect == PtxEffect::Jump && !S.Operands.empty())
    Targets.back().push_back(S.Operands[0].Name);
  if (Effect == PtxEffect::Jump || Effect == PtxEffect::Leave)
    FallsThrough.back() = S.Guard.has_value();
  const PtxCost Cost = ptxCostOf(S.Mnemonic);
  PtxInstruction I;
  I.Opcode = S.Mnemonic.str();
  I.Count = Cost.Count;
  I.Latency = Cost.Latency;
  I.Steps = Cost.Steps;
  setKind(I, Effect);
  I.IsOfThread = I.Kind == PtxInstruction::Load ||
                 I.Kind == PtxInstruction::Atomic || Effect == PtxEffect::Lane;
  setSpecialMove(I, S);
  setFieldExtract(I, S);
  (S.Mnemonic.contains(".f64") ? I.Flops64 : I.Flops32) = flopsOf(S, Cost);
  if (S.Guard)
    addRegisters(*S.Guard, I.Uses);
  bool HasResult = I.Kind == PtxInstruction::Plain ||
                   I.Kind == PtxInstruction::Load ||
                   Effect == PtxEffect::Atomic;
  for (const PtxOperand &O : S.Operands) {
    bool IsResult = HasResult && &O == &S.Operands.front();
    addRegisters(O, IsResult ? I.Defs : I.Uses);
    if (S.Opcode != "mov")
      addConstants(O, I);
  }
  if (!S.Operands.empty() && S.Operands.back().K == PtxOperand::Kind::Integer)
    I.Immediate = int64_t(S.Operands.back().Value);
  Out.Blocks.back().Instructions.push_back(std::move(I));
}

void Parser::connect() {
  StringMap<unsigned> ByLabel;
  for (unsigned B = 0, E = Out.Blocks.size(); B != E; ++B)
    if (!Out.Blocks[B].Label.empty())
      ByLabel[Out.Blocks[B].Label] = B;
  for (unsigned B = 0, E = Out.Blocks.size(); B != E; ++B) {
    PtxBlock &Block = Out.Blocks[B];
    for (StringRef Label : Targets[B])
      if (auto It = ByLabel.find(Label); It != ByLabel.end())
        Block.Successors.push_back(It->second);
    if (FallsThrough[B] && B + 1 != Out.Blocks.size())
      Block.Successors.push_back(B + 1);
    Block.IsOwnSuccessor = is_contained(Block.Successors, B);
  }
}

/// Notes a directive in the body of the kernel: an array in local memory, or
/// the pragma that forbids to unroll the loop of this block.
void Parser::addDirective(const PtxStatement &S) {
  if (S.Mnemonic == ".pragma" && S.Text.contains("nounroll"))
    Out.Blocks.back().IsUnrollingForbidden = true;
  uint64_t Bytes = 0;
  if (S.Mnemonic == ".local" &&
      !S.Text.split('[').second.split(']').first.getAsInteger(10, Bytes))
    Out.LocalBytes += Bytes;
}

/// The most instructions of a block that ptxas rather predicates than branches
/// around.
static constexpr double MaxPredicated = 7;

void Parser::findPredicated() {
  std::vector<unsigned> Entries(Out.Blocks.size());
  for (const PtxBlock &Block : Out.Blocks)
    for (unsigned S : Block.Successors)
      ++Entries[S];
  for (unsigned B = 1, E = Out.Blocks.size(); B != E; ++B) {
    PtxBlock &Block = Out.Blocks[B];
    const PtxBlock &Before = Out.Blocks[B - 1];
    // Around the block, to where it goes too.
    if (Entries[B] != 1 || Block.Successors.size() != 1 ||
        Block.IsOwnSuccessor || !is_contained(Before.Successors, B) ||
        !is_contained(Before.Successors, Block.Successors.front()))
      continue;
    double Count = 0;
    bool MayBe = true;
    for (const PtxInstruction &I : Block.Instructions) {
      Count += std::accumulate(I.Count.begin(), I.Count.end(), 0.0);
      MayBe &= I.Kind != PtxInstruction::Barrier;
    }
    if (MayBe && Count <= MaxPredicated)
      Block.PredicatedIn =
          Before.PredicatedIn >= 0 ? Before.PredicatedIn : int(B - 1);
  }
}

/// Returns the largest number of registers that are live together.
unsigned Parser::pressure() const {
  size_t Count = Out.Blocks.size();
  std::vector<BitVector> LiveIn(Count, BitVector(Widths.size()));
  unsigned Most = 0;
  auto Width = [&](const BitVector &Live) {
    unsigned Sum = 0;
    for (unsigned R : Live.set_bits())
      Sum += Widths[R];
    return Sum;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t B = Count; B-- != 0;) {
      const PtxBlock &Block = Out.Blocks[B];
      BitVector Live(Widths.size());
      for (unsigned S : Block.Successors)
        Live |= LiveIn[S];
      unsigned Now = Width(Live);
      Most = std::max(Most, Now);
      for (const PtxInstruction &I : reverse(Block.Instructions)) {
        for (unsigned D : I.Defs)
          if (Live.test(D)) {
            Live.reset(D);
            Now -= Widths[D];
          }
        for (unsigned U : I.Uses)
          if (!Live.test(U)) {
            Live.set(U);
            Now += Widths[U];
          }
        Most = std::max(Most, Now);
      }
      if (Live != LiveIn[B]) {
        LiveIn[B] = std::move(Live);
        Changed = true;
      }
    }
  }
  return Most;
}

PtxKernel Parser::run() {
  using Kind = PtxStatement::Kind;
  startBlock("", "");
  // ptxas gives these to every kernel.
  PtxInstruction Prologue;
  Prologue.Count[unsigned(Pipe::Control)] = 2;
  Out.Blocks.back().Instructions.push_back(Prologue);
  unsigned Depth = 0;
  while (std::optional<PtxStatement> S = Reader.next()) {
    StringRef Comment = S->Comment;
    if (S->isInstruction()) {
      addInstruction(*S);
    } else if (S->K == Kind::Directive) {
      addDirective(*S);
    } else if (S->K == Kind::Label && S->Mnemonic.starts_with("$L__BB")) {
      startBlock(S->Mnemonic, Comment.consume_front("%") ? Comment : "");
    } else if (S->K == Kind::Comment && Comment.starts_with("%bb.")) {
      StringRef Name = Comment.rsplit("// %").second;
      if (Comment.starts_with("%bb.0:"))
        Out.Blocks.back().Name = Name.str();
      else
        startBlock("", Name);
    } else if (S->K == Kind::ScopeBegin) {
      ++Depth;
    } else if (S->K == Kind::ScopeEnd && Depth-- == 0) {
      break;
    }
  }
  connect();
  joinInstructions(Out, Widths.size());
  findPredicated();
  findUnrolledLoops(Out);
  // Some are always needed, and loads are moved up.
  Out.Registers = pressure() + 8;
  return std::move(Out);
}

PtxKernel parsePtx(StringRef Text, StringRef Kernel) {
  size_t Begin = Text.find((".entry " + Kernel + "(").str());
  if (Begin == StringRef::npos)
    return {};
  constexpr StringLiteral Open = "\n{";
  size_t Body = Text.find(Open, Begin);
  if (Body == StringRef::npos)
    return {};
  return Parser(Text.substr(Body + Open.size())).run();
}

} // namespace gridspan

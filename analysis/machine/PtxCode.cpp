//===- PtxCode.cpp - Instructions of a kernel in PTX ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line of the back end's output is one instruction; what ptxas joins with
// others (PtxJoin) counts less.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxCode.h"
#include "analysis/machine/PtxJoin.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

using namespace llvm;

namespace gridspan {

StringRef pipeName(Pipe P) {
  static constexpr StringLiteral Names[NumPipes] = {
      "fp32", "fp64", "int", "imad", "sfu", "control", "memory", "shuffle"};
  return Names[unsigned(P)];
}

namespace {

struct Rule {
  StringLiteral Prefix;
  double Fp32, Fp64, Int, Imad, Sfu, Control;
  LatencyClass Latency;
  double Steps;
};

constexpr Rule Rules[] = {
#define GRIDSPAN_PTX(Prefix, Fp32, Fp64, Int, Imad, Sfu, Control, Class,       \
                     Steps)                                                    \
  {Prefix, Fp32, Fp64, Int, Imad, Sfu, Control, LatencyClass::Class, Steps},
#include "analysis/machine/PtxOps.def"
};

class Parser {
public:
  explicit Parser(StringRef Body) : Body(Body) {}
  PtxKernel run();

private:
  unsigned registerOf(StringRef Name);
  void parseLine(StringRef Line);
  void parseOperands(StringRef Operands, PtxInstruction &I, bool HasResult);
  void connect();
  void findPredicated();
  unsigned pressure() const;

  StringRef Body;
  PtxKernel Out;
  StringMap<unsigned> Numbers;
  std::vector<unsigned> Widths; ///< of each register, in 32-bit units
  std::vector<std::vector<std::string>> Targets; ///< labels, by block
  std::vector<bool> FallsThrough;
  StringSet<> Doubles; ///< constants of the present block
};

} // namespace

static const Rule &ruleOf(StringRef Opcode) {
  // What is in no table: one instruction of the integer pipe.
  static constexpr Rule Other = {"", 0, 0, 1, 0, 0, 0, LatencyClass::Int, 1};
  const Rule *Best = &Other;
  for (const Rule &R : Rules)
    if (Opcode.starts_with(R.Prefix) && R.Prefix.size() > Best->Prefix.size())
      Best = &R;
  return *Best;
}

PipeCounts machineInstructionsOf(StringRef Opcode) {
  const Rule &R = ruleOf(Opcode);
  PipeCounts Out = {R.Fp32, R.Fp64, R.Int, R.Imad, R.Sfu, R.Control, 0, 0};
  bool IsAccess = Opcode.starts_with("ld.") || Opcode.starts_with("st.") ||
                  Opcode.starts_with("atom.") || Opcode.starts_with("red.");
  if (IsAccess && !Opcode.contains(".param") && !Opcode.contains(".const"))
    Out[unsigned(Pipe::Memory)] = 1;
  if (Opcode.starts_with("shfl"))
    Out[unsigned(Pipe::Shuffle)] = 1;
  return Out;
}

unsigned Parser::registerOf(StringRef Name) {
  auto [It, IsNew] = Numbers.try_emplace(Name, Widths.size());
  if (IsNew)
    Widths.push_back(Name.starts_with("%p")                               ? 0
                     : Name.starts_with("%rd") || Name.starts_with("%fd") ? 2
                                                                          : 1);
  return It->second;
}

/// Registers in the text, the first of them results if there is one: all in
/// the first pair of braces, or the first.
void Parser::parseOperands(StringRef Operands, PtxInstruction &I,
                           bool HasResult) {
  size_t ResultEnd = 0;
  if (HasResult)
    ResultEnd =
        Operands.starts_with("{") ? Operands.find('}') : Operands.find(',');
  for (size_t At = Operands.find('%'); At != StringRef::npos;
       At = Operands.find('%', At + 1)) {
    StringRef Name = Operands.substr(At).take_while(
        [](char C) { return C == '%' || C == '_' || isAlnum(C); });
    // Special registers have letters only: %tid.x.
    if (!isDigit(Name.back()))
      continue;
    (At < ResultEnd ? I.Defs : I.Uses).push_back(registerOf(Name));
  }
}

static void setKind(PtxInstruction &I, StringRef Opcode) {
  using T = PtxInstruction;
  bool IsLoad = Opcode.starts_with("ld."), IsStore = Opcode.starts_with("st.");
  bool IsAtomic = Opcode.starts_with("atom.") || Opcode.starts_with("red.");
  if (Opcode.starts_with("bar") || Opcode.starts_with("membar") ||
      Opcode.starts_with("fence"))
    I.Kind = T::Barrier;
  else if (Opcode.starts_with("bra") || Opcode.starts_with("ret"))
    I.Kind = T::Branch;
  if (!IsLoad && !IsStore && !IsAtomic)
    return;
  if (Opcode.contains(".param") || Opcode.contains(".const"))
    return;
  I.Kind = IsLoad ? T::Load : IsStore ? T::Store : T::Atomic;
  I.Space = Opcode.contains(".shared")  ? T::Shared
            : Opcode.contains(".local") ? T::Local
                                        : T::Global;
  I.IsReadOnly = Opcode.contains(".nc");
}

void Parser::parseLine(StringRef Line) {
  Line = Line.trim();
  bool IsPredicated = Line.consume_front("@");
  PtxInstruction I;
  if (IsPredicated) {
    StringRef Predicate = Line.take_until(isSpace);
    parseOperands(Predicate, I, false);
    Line = Line.drop_front(Predicate.size()).ltrim();
  }
  StringRef Opcode =
      Line.take_until([](char C) { return isSpace(C) || C == ';'; });
  StringRef Operands = Line.drop_front(Opcode.size()).trim();
  if (Opcode.empty() || Opcode.starts_with(".") || Opcode.starts_with("{") ||
      Opcode.starts_with("}") || Opcode.starts_with("//"))
    return;
  PtxBlock &Block = Out.Blocks.back();
  if (Opcode.starts_with("bra")) {
    Targets.back().push_back(Operands.rtrim(" ;\t").str());
    FallsThrough.back() = IsPredicated;
  } else if (Opcode.starts_with("ret") || Opcode.starts_with("exit")) {
    FallsThrough.back() = IsPredicated;
  }
  const Rule &R = ruleOf(Opcode);
  I.Count = machineInstructionsOf(Opcode);
  I.Latency = R.Latency;
  I.Steps = R.Steps;
  setKind(I, Opcode);
  I.IsOfThread = I.Kind == PtxInstruction::Load ||
                 I.Kind == PtxInstruction::Atomic ||
                 Opcode.starts_with("shfl") || Opcode.starts_with("activemask");
  // S2R reads a number of the thread, LDC a size from the constant bank.
  if (Opcode.starts_with("mov")) {
    bool IsOfThread = Operands.contains("%tid") || Operands.contains("%laneid");
    bool IsSize = Operands.contains("%ntid") || Operands.contains("%nctaid");
    if (IsSize || IsOfThread || Operands.contains("%ctaid")) {
      I.IsOfThread = IsOfThread;
      I.Count[unsigned(Pipe::Control)] = 1;
      I.Latency = IsSize ? LatencyClass::Constant : LatencyClass::Sfu;
      I.Steps = 1;
    }
  }
  // A double whose lower half is not zero is moved into two registers, once in
  // a block.
  for (size_t At = Operands.find("0d"); At != StringRef::npos;
       At = Operands.find("0d", At + 2)) {
    StringRef Bits = Operands.substr(At + 2, 16);
    if (!Bits.ends_with("00000000") && !Opcode.starts_with("mov") &&
        Doubles.insert(Bits).second)
      I.Count[unsigned(Pipe::Control)] += 2;
  }
  double Flops = Opcode.starts_with("fma") ? 2 : R.Fp32 + R.Fp64 > 0 ? 1 : 0;
  (Opcode.contains(".f64") ? I.Flops64 : I.Flops32) = Flops;
  bool HasResult = I.Kind == PtxInstruction::Plain ||
                   I.Kind == PtxInstruction::Load ||
                   Opcode.starts_with("atom.");
  parseOperands(Operands, I, HasResult);
  I.Opcode = Opcode.str();
  int64_t Immediate;
  StringRef Last = Operands.rtrim(" ;\t");
  if (!Last.substr(Last.rfind(',') + 1).trim().getAsInteger(10, Immediate))
    I.Immediate = Immediate;
  Block.Instructions.push_back(std::move(I));
}

void Parser::connect() {
  StringMap<unsigned> ByLabel;
  for (unsigned B = 0; B != Out.Blocks.size(); ++B)
    if (!Out.Blocks[B].Label.empty())
      ByLabel[Out.Blocks[B].Label] = B;
  for (unsigned B = 0; B != Out.Blocks.size(); ++B) {
    PtxBlock &Block = Out.Blocks[B];
    for (const std::string &Label : Targets[B])
      if (auto It = ByLabel.find(Label); It != ByLabel.end())
        Block.Successors.push_back(It->second);
    if (FallsThrough[B] && B + 1 != Out.Blocks.size())
      Block.Successors.push_back(B + 1);
    Block.IsOwnSuccessor = is_contained(Block.Successors, B);
  }
}

/// Instructions of a block that ptxas rather predicates than branches around.
static constexpr double MaxPredicated = 7;

void Parser::findPredicated() {
  std::vector<unsigned> Entries(Out.Blocks.size());
  for (const PtxBlock &Block : Out.Blocks)
    for (unsigned S : Block.Successors)
      ++Entries[S];
  for (unsigned B = 1; B < Out.Blocks.size(); ++B) {
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

/// The largest number of registers that are live together.
unsigned Parser::pressure() const {
  size_t Count = Out.Blocks.size();
  std::vector<BitVector> LiveIn(Count, BitVector(Widths.size()));
  unsigned Most = 0;
  auto width = [&](const BitVector &Live) {
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
      unsigned Now = width(Live);
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
  auto startBlock = [&] {
    Out.Blocks.emplace_back();
    Targets.emplace_back();
    FallsThrough.push_back(true);
    Doubles.clear();
  };
  startBlock();
  // ptxas gives these to every kernel.
  PtxInstruction Prologue;
  Prologue.Count[unsigned(Pipe::Control)] = 2;
  Out.Blocks.back().Instructions.push_back(Prologue);
  while (!Body.empty()) {
    StringRef Line;
    std::tie(Line, Body) = Body.split('\n');
    bool IsLabel = Line.starts_with("$L__BB");
    if (IsLabel || Line.starts_with("// %bb.")) {
      if (!Line.starts_with("// %bb.0:"))
        startBlock();
      if (IsLabel)
        Out.Blocks.back().Label =
            Line.take_until([](char C) { return C == ':'; });
      auto [Before, Name] = Line.rsplit("// %");
      if (!Before.empty())
        Out.Blocks.back().Name = Name.trim().str();
      continue;
    }
    parseLine(Line);
  }
  connect();
  joinInstructions(Out, Widths.size());
  findPredicated();
  // Some are always needed, and loads are moved up.
  Out.Registers = pressure() + 8;
  return std::move(Out);
}

PtxKernel parsePtx(StringRef Text, StringRef Kernel) {
  size_t Begin = Text.find((".entry " + Kernel + "(").str());
  if (Begin == StringRef::npos)
    return {};
  StringRef Rest = Text.substr(Begin);
  size_t Open = Rest.find("\n{");
  if (Open == StringRef::npos)
    return {};
  Rest = Rest.substr(Open + 2);
  return Parser(Rest.substr(0, Rest.find("\n}"))).run();
}

} // namespace gridspan

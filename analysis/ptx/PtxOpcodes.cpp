//===- PtxOpcodes.cpp - Effects and costs of PTX opcodes ------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Effects are found by the whole opcode: legality must not take one opcode for
// another. Costs are found by the longest prefix, so that modifiers that no
// line of the table names do not make a difference.
//
//===----------------------------------------------------------------------===//

#include "analysis/ptx/PtxOpcodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace gridspan {

static constexpr PtxOpcode Opcodes[] = {
#define GRIDSPAN_PTX(Opcode, Effect, Fp32, Fp64, Int, Imad, Sfu, Control,      \
                     Latency, Steps, Rule)                                     \
  {Opcode, PtxEffect::Effect},
#include "analysis/ptx/PtxOpcodes.def"
};

namespace {
struct CostRow {
  StringLiteral Prefix;
  double Fp32, Fp64, Int, Imad, Sfu, Control;
  LatencyClass Latency;
  double Steps;
};
} // namespace

static constexpr CostRow CostRows[] = {
#define GRIDSPAN_PTX(Opcode, Effect, Fp32, Fp64, Int, Imad, Sfu, Control,      \
                     Latency, Steps, Rule)                                     \
  {Opcode, Fp32, Fp64, Int, Imad, Sfu, Control, LatencyClass::Latency, Steps},
#define GRIDSPAN_PTX_FORM(Prefix, Fp32, Fp64, Int, Imad, Sfu, Control,         \
                          Latency, Steps)                                      \
  {Prefix, Fp32, Fp64, Int, Imad, Sfu, Control, LatencyClass::Latency, Steps},
#include "analysis/ptx/PtxOpcodes.def"
};

StringRef pipeName(Pipe P) {
  static constexpr StringLiteral Names[NumPipes] = {
      "fp32", "fp64", "int", "imad", "sfu", "control", "memory", "shuffle"};
  return Names[unsigned(P)];
}

ArrayRef<PtxOpcode> ptxOpcodes() { return Opcodes; }

PtxEffect ptxEffectOf(StringRef Opcode) {
  static const StringMap<PtxEffect> Effects = [] {
    StringMap<PtxEffect> Out;
    for (const PtxOpcode &Row : Opcodes)
      Out[Row.Name] = Row.Effect;
    return Out;
  }();
  auto It = Effects.find(Opcode);
  return It == Effects.end() ? PtxEffect::Unknown : It->second;
}

bool isConstantBankAccess(StringRef Mnemonic) {
  return Mnemonic.contains(".param") || Mnemonic.contains(".const");
}

static bool isMemoryRequest(StringRef Mnemonic) {
  switch (ptxEffectOf(Mnemonic.split('.').first)) {
  case PtxEffect::Load:
  case PtxEffect::Store:
  case PtxEffect::Atomic:
  case PtxEffect::Reduction:
    return !isConstantBankAccess(Mnemonic);
  default:
    return false;
  }
}

/// Returns the mnemonic without what machine instructions do at no cost: to
/// take subnormal numbers for zero, to keep results within 0 and 1, and to
/// round in another direction than to the nearest.
static std::string plainMnemonic(StringRef Mnemonic) {
  std::string Out;
  for (StringRef Part : split(Mnemonic, '.')) {
    if (Part == "ftz" || Part == "sat")
      continue;
    if (!Out.empty())
      Out += '.';
    const bool IsRounding = Part == "rp" || Part == "rm" || Part == "rz";
    Out += IsRounding ? StringRef("rn") : Part;
  }
  return Out;
}

PtxCost ptxCostOf(StringRef Mnemonic) {
  // Of opcodes that the table does not have.
  static constexpr CostRow Other = {"", 0, 0, 1, 0, 0, 0, LatencyClass::Int, 1};
  const CostRow *Best = &Other;
  const std::string Plain = plainMnemonic(Mnemonic);
  for (const CostRow &Row : CostRows)
    if (Row.Prefix.size() > Best->Prefix.size() &&
        (Mnemonic.starts_with(Row.Prefix) ||
         StringRef(Plain).starts_with(Row.Prefix)))
      Best = &Row;
  double Requests = isMemoryRequest(Mnemonic);
  double Shuffles = Best->Latency == LatencyClass::Shuffle;
  return {{Best->Fp32, Best->Fp64, Best->Int, Best->Imad, Best->Sfu,
           Best->Control, Requests, Shuffles},
          Best->Latency,
          Best->Steps};
}

} // namespace gridspan

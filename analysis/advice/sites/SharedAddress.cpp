//===- SharedAddress.cpp - Addresses in shared memory ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows address arithmetic and casts to a variable, adding up the bytes. Each
// step goes to an operand, and phis are not followed, so it ends.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/SharedAddress.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gridspan {

/// Returns the name of the variable without those of the functions and
/// templates that it is in.
static std::string variableName(const GlobalVariable &Variable) {
  std::string Name = demangle(Variable.getName());
  int Depth = 0;
  for (size_t I = Name.size(); I > 1; --I) {
    char C = Name[I - 1];
    Depth += (C == ')' || C == '>') - (C == '(' || C == '<');
    if (Depth == 0 && C == ':' && Name[I - 2] == ':')
      return Name.substr(I);
  }
  return Name;
}

namespace {
/// A pointer as bytes behind another, which is none of address computations.
struct Distance {
  const Value *From;
  ExprId Bytes;
};
} // namespace

/// Returns nothing for steps that are no numbers of at most 64 bits.
static std::optional<Distance> distanceOf(const Value *Pointer,
                                          ExprBuilder &Builder,
                                          ExprGraph &Graph,
                                          const DataLayout &DL) {
  ExprId Sum = Graph.constant(64, 0);
  while (const auto *Op = dyn_cast<Operator>(Pointer)) {
    if (Op->getOpcode() == Instruction::AddrSpaceCast ||
        Op->getOpcode() == Instruction::BitCast) {
      Pointer = Op->getOperand(0);
      continue;
    }
    const auto *GEP = dyn_cast<GEPOperator>(Op);
    if (!GEP)
      break;
    unsigned Width = DL.getIndexTypeSizeInBits(GEP->getType());
    MapVector<Value *, APInt> Variables;
    APInt Constant(Width, 0);
    if (!GEP->collectOffset(DL, Width, Variables, Constant))
      break;
    Sum = Graph.binary(ExprKind::Add, Sum,
                       Graph.constant(64, Constant.getSExtValue()));
    for (const auto &[Index, Scale] : Variables) {
      unsigned IndexWidth = Index->getType()->getScalarSizeInBits();
      if (!Index->getType()->isIntegerTy() || IndexWidth > 64)
        return std::nullopt;
      // Indices wider than the address are cut, narrower ones extended.
      ExprId E = Builder.valueAt(Index, NoContext);
      if (IndexWidth > Width)
        E = Graph.cast(ExprKind::Trunc, E, Width);
      E = Graph.cast(ExprKind::SExt, E, 64);
      Sum =
          Graph.binary(ExprKind::Add, Sum,
                       Graph.binary(ExprKind::Mul, E,
                                    Graph.constant(64, Scale.getSExtValue())));
    }
    Pointer = GEP->getPointerOperand();
  }
  return {{Pointer, Sum}};
}

std::optional<VariableAddress>
sharedAddressOf(const Value *Pointer, ExprBuilder &Builder, ExprGraph &Graph,
                const DataLayout &DL, const ExprBuilder::IsSharedFn &IsShared) {
  const std::optional<Distance> Way = distanceOf(Pointer, Builder, Graph, DL);
  if (!Way || Way->From->getType()->getPointerAddressSpace() != SharedSpace)
    return std::nullopt;
  if (const auto *Variable = dyn_cast<GlobalVariable>(Way->From))
    return {{variableName(*Variable), Way->Bytes}};
  if (IsShared && IsShared(Way->From))
    return {{"shared memory", Way->Bytes}};
  return {
      {"shared memory",
       Graph.unknown(64, "a pointer of unknown origin into shared memory")}};
}

std::optional<VariableAddress> globalAddressOf(const Value *Pointer,
                                               ExprBuilder &Builder,
                                               ExprGraph &Graph,
                                               const DataLayout &DL) {
  const std::optional<Distance> Way = distanceOf(Pointer, Builder, Graph, DL);
  const auto *Variable = Way ? dyn_cast<GlobalVariable>(Way->From) : nullptr;
  if (!Variable || (Variable->getAddressSpace() != GlobalSpace &&
                    Variable->getAddressSpace() != GenericSpace))
    return std::nullopt;
  std::string Name = variableName(*Variable);
  // Not to be taken for a parameter.
  if (StringRef(Name).starts_with("arg"))
    Name.insert(0, "::");
  return {{std::move(Name), Way->Bytes}};
}

} // namespace gridspan

//===- ParameterNames.cpp - Names of the source ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debug information lists the parameters in order, with their types. It is
// used only if it has as many as the kernel: an argument that the ABI divides
// would shift the numbers. Names of the IR are the source's, with a suffix
// where the ABI has changed the type.
//
//===----------------------------------------------------------------------===//

#include "analysis/advice/sites/ParameterNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace gridspan {

/// Adds the members of a struct and of the structs in it, "in" or "grid.width".
/// A struct and its first member begin at the same byte: the member is meant.
static void addFields(const DIType *Type, unsigned Offset,
                      const std::string &Prefix,
                      std::map<unsigned, std::string> &Out) {
  while (const auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    if (Derived->getTag() != dwarf::DW_TAG_typedef &&
        Derived->getTag() != dwarf::DW_TAG_const_type &&
        Derived->getTag() != dwarf::DW_TAG_volatile_type)
      return;
    Type = Derived->getBaseType();
  }
  const auto *Struct = dyn_cast_or_null<DICompositeType>(Type);
  if (!Struct || Struct->getTag() == dwarf::DW_TAG_array_type)
    return;
  for (const DINode *Element : Struct->getElements()) {
    const auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    if (!Member || Member->isStaticMember() ||
        (Member->getTag() != dwarf::DW_TAG_member &&
         Member->getTag() != dwarf::DW_TAG_inheritance))
      continue;
    const auto At = unsigned(Offset + Member->getOffsetInBits() / 8);
    std::string Name = Prefix;
    if (Member->getTag() == dwarf::DW_TAG_member &&
        !Member->getName().empty()) {
      Name += (Prefix.empty() ? "" : ".") + Member->getName().str();
      // Of a union, the first member.
      Out.try_emplace(At, Name);
    }
    std::map<unsigned, std::string> Inner;
    addFields(Member->getBaseType(), At, Name, Inner);
    for (auto &[Byte, Text] : Inner)
      if (Byte != At || Out[At] == Name)
        Out[Byte] = std::move(Text);
  }
}

ParameterNames::ParameterNames(const Function &Kernel)
    : Parameters(Kernel.arg_size()) {
  for (const Argument &A : Kernel.args()) {
    StringRef Name = A.getName();
    Parameters[A.getArgNo()].Name = Name.substr(0, Name.find(".coerce")).str();
  }
  std::map<unsigned, const DILocalVariable *> Declared;
  if (const DISubprogram *SP = Kernel.getSubprogram())
    for (const DINode *Node : SP->getRetainedNodes())
      if (const auto *V = dyn_cast<DILocalVariable>(Node); V && V->getArg())
        Declared[V->getArg() - 1] = V;
  if (Declared.empty() || Declared.size() != Parameters.size() ||
      Declared.rbegin()->first + 1 != Parameters.size())
    return;
  for (auto [Number, Variable] : Declared) {
    Parameter &P = Parameters[Number];
    if (!Variable->getName().empty())
      P.Name = Variable->getName().str();
    addFields(Variable->getType(), 0, "", P.Fields);
  }
}

std::string ParameterNames::nameOf(unsigned Param, unsigned Byte) const {
  if (Param >= Parameters.size() || Parameters[Param].Name.empty())
    return "";
  const Parameter &P = Parameters[Param];
  if (auto It = P.Fields.find(Byte); It != P.Fields.end())
    return P.Name + "." + It->second;
  return Byte ? P.Name + "+" + utostr(Byte) : P.Name;
}

std::string ParameterNames::inText(StringRef Text) const {
  std::string Out;
  while (!Text.empty()) {
    const size_t At = Text.find("arg");
    StringRef Rest = Text.substr(At);
    Out += Text.substr(0, At);
    if (!Rest.consume_front("arg"))
      break;
    const bool IsWord = Out.empty() || (!isAlnum(Out.back()) &&
                                        Out.back() != '_' && Out.back() != ':');
    StringRef Number = Rest.take_while([](char C) { return isDigit(C); });
    StringRef After = Rest.drop_front(Number.size());
    StringRef Byte;
    if (After.starts_with("+")) {
      Byte = After.drop_front().take_while([](char C) { return isDigit(C); });
      if (!Byte.empty())
        After = After.drop_front(1 + Byte.size());
    }
    unsigned Param = 0, Offset = 0;
    std::string Name;
    if (IsWord && !Number.getAsInteger(10, Param) &&
        (Byte.empty() || !Byte.getAsInteger(10, Offset)) &&
        (After.empty() || (!isAlpha(After.front()) && After.front() != '_')))
      Name = nameOf(Param, Offset);
    Out += Name.empty() ? "arg" + Rest.drop_back(After.size()).str() : Name;
    Text = After;
  }
  return Out;
}

} // namespace gridspan

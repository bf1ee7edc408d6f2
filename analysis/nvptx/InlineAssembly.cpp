//===- InlineAssembly.cpp - What PTX inline assembly does -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text is a list of statements "[@[!]p] opcode.modifiers operands" between
// braces, semicolons and line ends. Only the opcode and the names of special
// registers matter here. The list of known opcodes holds those whose effect is
// a register, plus memory operations whose effects are reported; whatever is
// not on it makes the text unknown. (PTX ISA 9.0, section 9.7.)
//
//===----------------------------------------------------------------------===//

#include "analysis/nvptx/InlineAssembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gridspan {

/// Opcodes that read and write registers only, or work within a block.
static const StringSet<> &registerOpcodes() {
  static const StringSet<> Set = {
      // Arithmetic.
      "abs", "add", "addc", "bfe", "bfi", "bfind", "bmsk", "brev", "clz",
      "cnot", "copysign", "cos", "div", "dp2a", "dp4a", "ex2", "fma", "fns",
      "lg2", "lop3", "mad", "mad24", "madc", "max", "min", "mul", "mul24",
      "neg", "not", "or", "and", "xor", "popc", "prmt", "rcp", "rem", "rsqrt",
      "sad", "shf", "shl", "shr", "sin", "sqrt", "sub", "subc", "szext", "tanh",
      "testp", "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr",
      "vmad", "vset", "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2",
      "vset2", "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4",
      "vset4",
      // Comparison, conversion, movement.
      "cvt", "cvta", "isspacep", "mov", "selp", "set", "setp", "slct",
      "createpolicy",
      // Control within the thread or the block.
      "bar", "barrier", "bra", "trap", "nanosleep", "pmevent", "brkpt",
      // Within the warp.
      "activemask", "elect", "match", "redux", "shfl", "vote", "mma", "wmma",
      "ldmatrix", "stmatrix", "movmatrix",
      // Ordering; widened in the clone.
      "fence", "membar",
      // Hints.
      "prefetch", "prefetchu"};
  return Set;
}

/// Special registers that mean the same on every device.
static const StringSet<> &safeRegisters() {
  static const StringSet<> Set = {"%tid",
                                  "%ntid",
                                  "%laneid",
                                  "%warpid",
                                  "%lanemask_eq",
                                  "%lanemask_le",
                                  "%lanemask_lt",
                                  "%lanemask_ge",
                                  "%lanemask_gt",
                                  "%clock",
                                  "%clock_hi",
                                  "%clock64",
                                  "%globaltimer",
                                  "%globaltimer_lo",
                                  "%globaltimer_hi",
                                  "%total_smem_size",
                                  "%dynamic_smem_size",
                                  "%aggr_smem_size",
                                  "%pm0",
                                  "%pm1",
                                  "%pm2",
                                  "%pm3"};
  return Set;
}

/// The statements of Text without braces around blocks, labels, declarations,
/// predicates. Braces after an opcode are operand lists and stay.
static SmallVector<StringRef, 4> statements(StringRef Text) {
  SmallVector<StringRef, 4> Out;
  while (!Text.empty()) {
    Text = Text.ltrim("{} \t;\n");
    size_t End = Text.find_first_of(";\n");
    StringRef Piece = Text.take_front(End);
    Text = End == StringRef::npos ? "" : Text.drop_front(End + 1);
    Piece = Piece.take_front(Piece.find("//")).trim();
    if (Piece.consume_front("@")) // a predicate
      Piece = Piece.drop_until([](char C) { return C == ' ' || C == '\t'; })
                  .ltrim();
    if (Piece.empty() || Piece.starts_with(".") || Piece.ends_with(":") ||
        Piece.starts_with("$") || Piece.starts_with("%") ||
        Piece.starts_with(",") || Piece.starts_with("["))
      continue;
    Out.push_back(Piece);
  }
  return Out;
}

static StringRef opcodeOf(StringRef Statement) {
  return Statement.take_until(
      [](char C) { return C == ' ' || C == '\t' || C == '['; });
}

/// Records what the special registers named in Text mean.
static void readSpecialRegisters(StringRef Text, AssemblyEffects &Out) {
  for (size_t At = Text.find('%'); At != StringRef::npos;
       At = Text.find('%', At + 1)) {
    StringRef Name = Text.drop_front(At).take_while(
        [](char C) { return C == '%' || C == '_' || isAlnum(C); });
    if (Name.starts_with("%envreg")) {
      // %envreg1 and 2 hold the address of the grid group's workspace.
      Out.GridBarrier = true;
      continue;
    }
    if (Name.contains("cluster")) {
      Out.BlockCluster = true;
      continue;
    }
    if (Name == "%smid" || Name == "%nsmid" || Name == "%gridid" ||
        Name == "%nwarpid") {
      Out.MultiprocessorIdentity = true;
      continue;
    }
    // Names that the text declares itself; %ctaid and %nctaid would have to be
    // renumbered inside the text.
    bool IsDeclared =
        Text.contains(".reg") && Name != "%ctaid" && Name != "%nctaid";
    if (!safeRegisters().contains(Name) && !IsDeclared)
      Out.Known = false;
  }
}

AssemblyEffects assemblyEffects(StringRef Text) {
  AssemblyEffects Out;
  readSpecialRegisters(Text, Out);
  for (StringRef Statement : statements(Text)) {
    StringRef Opcode = opcodeOf(Statement);
    StringRef Base = Opcode.take_until([](char C) { return C == '.'; });
    if (Opcode.contains("cluster") || Base == "mapa" || Base == "getctarank" ||
        Opcode.starts_with("cp.async.bulk")) {
      Out.BlockCluster |= !Opcode.starts_with("cp.async.bulk");
      Out.Known &= !Opcode.starts_with("cp.async.bulk");
      continue;
    }
    if (Base == "tex" || Base == "tld4" || Base == "txq" || Base == "suld" ||
        Base == "sust" || Base == "sured" || Base == "suq") {
      Out.TextureOrSurface = true;
      continue;
    }
    if (Base == "atom" || Base == "red") {
      Out.Atomics |= !Opcode.contains(".shared");
      continue;
    }
    if (Base == "ld" || Base == "ldu") {
      Out.Loads |= !Opcode.contains(".shared") && !Opcode.contains(".param") &&
                   !Opcode.contains(".const") && !Opcode.contains(".local");
      continue;
    }
    if (Base == "st") {
      Out.Stores |= !Opcode.contains(".shared") && !Opcode.contains(".local");
      continue;
    }
    if (Opcode.starts_with("cp.async")) {
      Out.Loads = true;
      continue;
    }
    Out.Known &= registerOpcodes().contains(Base);
  }
  return Out;
}

/// The opcode at system scope.
static std::string widenOpcode(StringRef Opcode) {
  StringRef Base = Opcode.take_until([](char C) { return C == '.'; });
  SmallVector<StringRef, 8> Parts;
  Opcode.split(Parts, '.');
  if (Base == "membar") {
    for (StringRef &Part : Parts)
      if (Part == "gl")
        Part = "sys";
    return join(Parts, ".");
  }
  bool IsScoped = Base == "atom" || Base == "red" || Base == "fence" ||
                  Base == "ld" || Base == "st";
  if (!IsScoped || Opcode.contains(".shared"))
    return Opcode.str();
  for (StringRef &Part : Parts)
    if (Part == "gpu") {
      Part = "sys";
      return join(Parts, ".");
    }
  bool HasScope = is_contained(Parts, "cta") || is_contained(Parts, "sys") ||
                  is_contained(Parts, "cluster");
  if (HasScope || (Base != "atom" && Base != "red"))
    return Opcode.str();
  // The scope follows the optional semantics.
  auto IsSemantics = [](StringRef Part) {
    return Part == "relaxed" || Part == "acquire" || Part == "release" ||
           Part == "acq_rel";
  };
  unsigned At = Parts.size() > 1 && IsSemantics(Parts[1]) ? 2 : 1;
  Parts.insert(Parts.begin() + At, "sys");
  return join(Parts, ".");
}

std::string widenAssemblyScope(StringRef Text) {
  std::string Out;
  size_t Done = 0;
  for (StringRef Statement : statements(Text)) {
    StringRef Opcode = opcodeOf(Statement);
    size_t At = Opcode.data() - Text.data();
    Out += Text.slice(Done, At);
    Out += widenOpcode(Opcode);
    Done = At + Opcode.size();
  }
  Out += Text.drop_front(Done);
  return Out;
}

} // namespace gridspan

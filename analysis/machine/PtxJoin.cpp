//===- PtxJoin.cpp - Instructions that ptxas joins ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX of LLVM assigns most registers once; the others, which are carried around
// loops, are neither known to be narrow nor joined. In order: narrow values
// first, as they decide which products are wide; then products with sums, sums
// with sums, logic, predicates. An instruction takes part in one join.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/PtxJoin.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridspan {

namespace {

class Joiner {
public:
  Joiner(PtxKernel &Kernel, unsigned NumRegisters);
  void run();

private:
  using Place = std::pair<unsigned, PtxInstruction *>; ///< block number first

  void findNarrow();
  void narrow(PtxInstruction &I) const;
  bool makesNarrow(const PtxInstruction &I) const;
  void joinProducts();
  void joinSums(StringRef Opcode);
  void joinLogic();
  void joinPredicates();
  void findUniform();
  void moveUniformAddresses();
  bool areNarrow(ArrayRef<unsigned> Registers) const {
    return all_of(Registers, [&](unsigned R) { return IsNarrow.test(R); });
  }
  /// The only instruction that writes Register, or null.
  PtxInstruction *writerOf(unsigned Register) const {
    return Writes[Register] == 1 ? Writer[Register].second : nullptr;
  }
  bool isUsedOnce(const PtxInstruction &I) const {
    return I.Defs.size() == 1 && Writes[I.Defs[0]] == 1 &&
           Readers[I.Defs[0]].size() == 1;
  }
  bool areAllReaders(const PtxInstruction &I, StringRef Opcode) const;

  PtxKernel &Kernel;
  std::vector<Place> Writer;
  std::vector<unsigned> Writes;
  std::vector<SmallVector<Place, 2>> Readers;
  /// 64-bit registers whose upper half is zero.
  BitVector IsNarrow;
  /// Registers that may differ between the threads of a warp.
  BitVector IsVarying;
};

} // namespace

static void give(PtxInstruction &I, Pipe P, double Count, double Steps) {
  I.Count = {};
  I.Count[unsigned(P)] = Count;
  I.Steps = Steps;
}

static void drop(PtxInstruction &I) {
  I.Count = {};
  I.Steps = 0;
}

static bool isLogic(StringRef Opcode) {
  return Opcode.ends_with(".b32") || Opcode.ends_with(".b64")
             ? Opcode.starts_with("and.") || Opcode.starts_with("or.") ||
                   Opcode.starts_with("xor.") || Opcode.starts_with("not.")
             : false;
}

static bool fits32(int64_t Value) { return isUInt<32>(uint64_t(Value)); }

Joiner::Joiner(PtxKernel &Kernel, unsigned NumRegisters)
    : Kernel(Kernel), Writer(NumRegisters), Writes(NumRegisters),
      Readers(NumRegisters), IsNarrow(NumRegisters), IsVarying(NumRegisters) {
  for (unsigned B = 0; B != Kernel.Blocks.size(); ++B)
    for (PtxInstruction &I : Kernel.Blocks[B].Instructions) {
      for (unsigned D : I.Defs) {
        assert(D < NumRegisters && "a register without a number");
        ++Writes[D];
        Writer[D] = {B, &I};
      }
      for (unsigned U : I.Uses)
        Readers[U].push_back({B, &I});
    }
}

bool Joiner::areAllReaders(const PtxInstruction &I, StringRef Opcode) const {
  return all_of(I.Defs, [&](unsigned D) {
    return Writes[D] == 1 && !Readers[D].empty() &&
           all_of(Readers[D],
                  [&](Place P) { return P.second->Opcode == Opcode; });
  });
}

bool Joiner::makesNarrow(const PtxInstruction &I) const {
  StringRef Opcode = I.Opcode;
  if (Opcode == "cvt.u64.u32" || Opcode == "cvt.u64.u16")
    return true;
  if (Opcode == "mov.u64" || Opcode == "mov.b64")
    return I.Uses.empty() && I.Immediate && fits32(*I.Immediate);
  if (Opcode == "and.b64")
    return (I.Immediate && fits32(*I.Immediate)) ||
           any_of(I.Uses, [&](unsigned U) { return IsNarrow.test(U); });
  if (Opcode == "or.b64" || Opcode == "xor.b64" || Opcode == "selp.b64")
    return areNarrow(I.Uses) && (!I.Immediate || fits32(*I.Immediate));
  if (Opcode == "shr.u64")
    return areNarrow(I.Uses) || (I.Immediate && *I.Immediate >= 32);
  return false;
}

void Joiner::findNarrow() {
  for (bool IsChanged = true; IsChanged;) {
    IsChanged = false;
    for (PtxBlock &Block : Kernel.Blocks)
      for (PtxInstruction &I : Block.Instructions)
        if (I.Defs.size() == 1 && Writes[I.Defs[0]] == 1 &&
            !IsNarrow.test(I.Defs[0]) && makesNarrow(I)) {
          IsNarrow.set(I.Defs[0]);
          IsChanged = true;
        }
  }
}

/// Reduces the count of I alone, by the known halves of its operands.
void Joiner::narrow(PtxInstruction &I) const {
  StringRef Opcode = I.Opcode;
  bool IsFitting = !I.Immediate || fits32(*I.Immediate);
  bool AreNarrow = !I.Uses.empty() && areNarrow(I.Uses);
  bool IsLogic = isLogic(Opcode) && Opcode.ends_with(".b64");
  if (IsLogic || Opcode == "selp.b64" || Opcode == "shr.u64") {
    // ptxas does compute the upper half where one operand has one.
    if ((I.Defs.size() == 1 && IsNarrow.test(I.Defs[0])) ||
        (IsLogic && I.Immediate && IsFitting))
      give(I, Pipe::Int, 1, 1);
  } else if (Opcode == "mul.lo.s64" && IsFitting) {
    if (AreNarrow)
      give(I, Pipe::Imad, 1, 1);
    else if (I.Immediate) {
      give(I, Pipe::Imad, 2, 2);
      I.Count[unsigned(Pipe::Int)] = 1;
    }
  } else if (Opcode.starts_with("setp.") && Opcode.ends_with("64") &&
             !Opcode.ends_with("f64") && AreNarrow && IsFitting) {
    give(I, Pipe::Int, 1, 2);
  }
}

/// Joins IMAD, LEA, IMAD.WIDE, and sums with an extension of sign.
void Joiner::joinProducts() {
  // Products by the sum that takes each of them along.
  DenseMap<const PtxInstruction *, unsigned> Taken;
  auto IsProduct = [&](const PtxInstruction &I) {
    StringRef Opcode = I.Opcode;
    return Opcode.starts_with("mul.wide") || Opcode == "cvt.s64.s32" ||
           (Opcode == "shl.b64" && I.Immediate) ||
           (Opcode == "mul.lo.s64" && I.Immediate && fits32(*I.Immediate) &&
            areNarrow(I.Uses));
  };
  for (PtxBlock &Block : Kernel.Blocks)
    for (PtxInstruction &I : Block.Instructions) {
      if (I.Opcode != "add.s64" && I.Opcode != "add.s32")
        continue;
      for (unsigned U : I.Uses) {
        const PtxInstruction *From = writerOf(U);
        if (!From)
          continue;
        if (I.Opcode == "add.s32") {
          if (From->Opcode != "shl.b32" || !From->Immediate)
            continue;
          give(I, Pipe::Int, 1, 1);
        } else {
          if (!IsProduct(*From))
            continue;
          bool IsWide = From->Opcode.starts_with("mul") ||
                        (From->Opcode == "shl.b64" && areNarrow(From->Uses));
          if (IsWide)
            give(I, Pipe::Imad, 1, 1);
        }
        ++Taken[From];
        I.IsJoined = true;
        break;
      }
    }
  for (PtxBlock &Block : Kernel.Blocks)
    for (PtxInstruction &I : Block.Instructions)
      if (auto It = Taken.find(&I);
          It != Taken.end() && It->second == Readers[I.Defs[0]].size())
        drop(I);
}

/// Joins IADD3: a sum that is used once, by another one of the same block.
void Joiner::joinSums(StringRef Opcode) {
  for (PtxBlock &Block : Kernel.Blocks)
    for (PtxInstruction &I : Block.Instructions) {
      if (I.Opcode != Opcode || I.IsJoined || !isUsedOnce(I))
        continue;
      Place User = Readers[I.Defs[0]].front();
      if (User.second->Opcode != Opcode || User.second->IsJoined ||
          &Kernel.Blocks[User.first] != &Block ||
          (I.Immediate && User.second->Immediate))
        continue;
      drop(I);
      I.IsJoined = User.second->IsJoined = true;
    }
}

/// Joins LOP3: logic of at most three different inputs.
void Joiner::joinLogic() {
  for (PtxBlock &Block : Kernel.Blocks)
    for (PtxInstruction &I : Block.Instructions) {
      if (!isLogic(I.Opcode) || I.IsJoined || !isUsedOnce(I))
        continue;
      PtxInstruction &User = *Readers[I.Defs[0]].front().second;
      if (!isLogic(User.Opcode) || User.IsJoined)
        continue;
      SmallVector<unsigned, 4> Inputs(I.Uses);
      for (unsigned U : User.Uses)
        if (U != I.Defs[0] && !is_contained(Inputs, U))
          Inputs.push_back(U);
      unsigned Immediates = bool(I.Immediate) + bool(User.Immediate);
      if (Immediates > 1 || Inputs.size() + Immediates > 3)
        continue;
      drop(I);
      I.IsJoined = User.IsJoined = true;
    }
}

/// A comparison joins its result with another predicate.
void Joiner::joinPredicates() {
  for (PtxBlock &Block : Kernel.Blocks)
    for (PtxInstruction &I : Block.Instructions) {
      if (I.Opcode == "not.pred")
        drop(I);
      if (I.Opcode != "and.pred" && I.Opcode != "or.pred" &&
          I.Opcode != "xor.pred")
        continue;
      for (unsigned U : I.Uses) {
        const PtxInstruction *From = writerOf(U);
        if (!From || !StringRef(From->Opcode).starts_with("setp") ||
            !isUsedOnce(*From))
          continue;
        drop(I);
        break;
      }
    }
}

void Joiner::findUniform() {
  for (bool IsChanged = true; IsChanged;) {
    IsChanged = false;
    for (const PtxBlock &Block : Kernel.Blocks)
      for (const PtxInstruction &I : Block.Instructions) {
        if (!I.IsOfThread &&
            none_of(I.Uses, [&](unsigned U) { return IsVarying.test(U); }))
          continue;
        for (unsigned D : I.Defs)
          if (!IsVarying.test(D)) {
            IsVarying.set(D);
            IsChanged = true;
          }
      }
  }
}

/// Counts moves of addresses: values that are the same in all threads are
/// computed in uniform registers, and loads have their addresses in others. A
/// pointer that a loop only increments stays in those.
void Joiner::moveUniformAddresses() {
  for (PtxBlock &Block : Kernel.Blocks) {
    if (!Block.IsOwnSuccessor)
      continue;
    DenseSet<unsigned> Sums, Moved;
    for (const PtxInstruction &I : Block.Instructions)
      for (unsigned D : I.Defs)
        if (I.Opcode == "add.s64" && !IsVarying.test(D) && !I.Immediate)
          Sums.insert(D);
    // True if it is a term of another address.
    auto IsTerm = [&](unsigned Register) {
      return any_of(Readers[Register], [&](Place P) {
        return &Kernel.Blocks[P.first] == &Block &&
               P.second->Opcode == "add.s64" && !P.second->Immediate;
      });
    };
    for (PtxInstruction &I : Block.Instructions) {
      if (I.Kind != PtxInstruction::Load || I.Space != PtxInstruction::Global ||
          I.Uses.size() != 1)
        continue;
      unsigned Address = I.Uses[0];
      bool IsCarried = Writes[Address] > 1 && IsTerm(Address);
      if (!IsVarying.test(Address) && (Sums.contains(Address) || IsCarried) &&
          Moved.insert(Address).second)
        I.Count[unsigned(Pipe::Control)] += 2;
    }
  }
}

void Joiner::run() {
  findUniform();
  findNarrow();
  for (PtxBlock &Block : Kernel.Blocks)
    for (PtxInstruction &I : Block.Instructions)
      narrow(I);
  joinProducts();
  joinSums("add.s32");
  joinSums("add.s64");
  joinLogic();
  joinPredicates();
  moveUniformAddresses();
}

void joinInstructions(PtxKernel &Kernel, unsigned NumRegisters) {
  Joiner(Kernel, NumRegisters).run();
}

} // namespace gridspan

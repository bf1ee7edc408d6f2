//===- CpuRegisters.cpp - Special registers on the CPU --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and meanings: PTX ISA, "Special Registers". The CPU device is one
// multiprocessor whose warps have 32 lanes; warps are numbered in linear thread
// order; each block is a cluster of its own.
//
//===----------------------------------------------------------------------===//

#include "gridspan/ABI.h"
#include "passes/cpu/CpuRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

constexpr unsigned WarpSize = 32;

/// Reads one of three consecutive fields; Register ends in .x, .y or .z.
static Value *readTriple(StringRef Register, uint64_t FirstOffset, uint64_t Lo,
                         uint64_t Hi, CpuContext &C) {
  return C.numberField(FirstOffset + 4 * (Register.back() - 'x'), Lo, Hi);
}

static Value *readLane(CpuContext &C) {
  return C.B.CreateAnd(C.linearThread(), WarpSize - 1);
}

static Value *readWarps(CpuContext &C) {
  Value *Threads = C.B.getInt32(1);
  for (uint64_t Offset : {offsetof(GridspanCpuBlock, BlockDimX),
                          offsetof(GridspanCpuBlock, BlockDimY),
                          offsetof(GridspanCpuBlock, BlockDimZ)})
    Threads = C.B.CreateMul(Threads, C.numberField(Offset, 1, 1025));
  return C.B.CreateLShr(C.B.CreateAdd(Threads, C.B.getInt32(WarpSize - 1)), 5);
}

/// Returns the mask of the lanes that compare with this one as the register's
/// name says.
static Value *readLaneMask(StringRef Which, CpuContext &C) {
  IRBuilder<> &B = C.B;
  Value *Equal = B.CreateShl(B.getInt32(1), readLane(C));
  Value *Below = B.CreateSub(Equal, B.getInt32(1));
  if (Which == "eq")
    return Equal;
  if (Which == "lt")
    return Below;
  if (Which == "le")
    return B.CreateOr(Below, Equal);
  if (Which == "ge")
    return B.CreateNot(Below);
  if (Which == "gt")
    return B.CreateNot(B.CreateOr(Below, Equal));
  return nullptr;
}

/// %envreg1 and %envreg2 are the halves of the address of the workspace that
/// grid barriers use (cooperative_groups/details/helpers.h).
static Value *readEnvironment(StringRef Number, CpuContext &C) {
  if (Number != "1" && Number != "2")
    return C.B.getInt32(0);
  Value *Address = C.callWithBlock("grid_workspace", C.i64(), {});
  if (Number == "2")
    return C.B.CreateTrunc(Address, C.i32());
  return C.B.CreateTrunc(C.B.CreateLShr(Address, 32), C.i32());
}

static Value *readIndex(StringRef Register, CpuContext &C) {
  auto [Name, Axis] = Register.rsplit('.');
  if (Axis == "w")
    return C.B.getInt32(Name.starts_with("n") ? 1 : 0);
  if (Axis != "x" && Axis != "y" && Axis != "z")
    return nullptr;
  if (Name == "tid")
    return C.tid(Axis[0] - 'x');
  if (Name == "ntid")
    return readTriple(Register, offsetof(GridspanCpuBlock, BlockDimX), 1, 1025,
                      C);
  if (Name == "ctaid" || Name == "clusterid")
    return readTriple(Register, offsetof(GridspanCpuBlock, BlockIdxX), 0,
                      0x7fffffff, C);
  if (Name == "nctaid" || Name == "nclusterid")
    return readTriple(Register, offsetof(GridspanCpuBlock, GridDimX), 1,
                      0x80000000, C);
  if (Name == "cluster.ctaid" || Name == "cluster_ctaid")
    return C.B.getInt32(0);
  if (Name == "cluster.nctaid" || Name == "cluster_nctaid")
    return C.B.getInt32(1);
  return nullptr;
}

Value *gridspan::readRegister(StringRef Register, CpuContext &C) {
  if (Value *Index = readIndex(Register, C))
    return Index;
  if (Register == "laneid")
    return readLane(C);
  if (Register == "warpid")
    return C.B.CreateLShr(C.linearThread(), 5);
  if (Register == "nwarpid")
    return readWarps(C);
  if (Register == "warpsize" || Register == "WARP_SZ")
    return C.B.getInt32(WarpSize);
  if (Register.consume_front("lanemask"))
    return readLaneMask(Register.drop_front(), C);
  if (Register == "clock64" || Register == "clock") {
    Value *Cycles = C.B.CreateIntrinsic(Intrinsic::readcyclecounter, {}, {});
    return Register == "clock" ? C.B.CreateTrunc(Cycles, C.i32()) : Cycles;
  }
  if (Register == "globaltimer")
    return C.call("nanoseconds", C.i64(), {});
  if (Register == "dynamic_smem_size")
    return C.numberField(offsetof(GridspanCpuBlock, DynamicSharedBytes));
  if (Register == "nsmid" || Register == "cluster.nctarank")
    return C.B.getInt32(1);
  if (Register == "smid" || Register == "cluster.ctarank" ||
      Register == "cluster_ctarank")
    return C.B.getInt32(0);
  if (Register == "gridid")
    return C.B.getInt64(0);
  if (Register.consume_front("envreg"))
    return readEnvironment(Register, C);
  return nullptr;
}

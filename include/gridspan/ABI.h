//===- ABI.h - The ABI of programs and the runtime --------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C view of ABI.def, and the values of its flag fields. Included by the host
// pass (for the constants and flags) and by the runtime (for the structs).
// Everything a descriptor points to lives as long as the module that registered
// it, and is constant, but for GridspanManaged::Address.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_ABI_H
#define GRIDSPAN_ABI_H

#include <cstdint>

#define GRIDSPAN_ABI_VERSION 12

extern "C" {

/// The ways in which a site touches memory. Bits, so that they can be
/// collected.
enum GridspanMode : uint32_t {
  GridspanRead = 1,
  GridspanWrite = 2,
  GridspanAtomic = 4, ///< a read-modify-write; implies neither of the others
};

enum GridspanPointerFlags : uint32_t {
  /// The kernel uses the pointer for nothing but the addresses of its own
  /// loads: it is not compared, stored, converted or passed on. Only then may a
  /// launch receive another address with the same contents in its place.
  GridspanReplicable = 1,
  /// Replicable, with stores and atomics besides loads: another address will do
  /// when what is written there is brought to where it belongs.
  GridspanRedirectable = 2,
  /// Each iteration of the repartitioned loops accesses its own element only,
  /// and the same one through all pointers with this flag.
  GridspanOwnElement = 8,
  /// The clone with packed rows (GridspanKernel::Packed) takes a
  /// GridspanPacking for it. Implies GridspanReplicable.
  GridspanPackable = 16,
  /// Bits 8 to 15: a GridspanReduction. The kernel uses the pointer for nothing
  /// but atomics of that operation, and does not use what they return. So
  /// another address will do, if memory there that holds the operation's
  /// identity is combined into the pointer's own behind the launch. No access
  /// of
  /// the kernel has a base that is no pointer parameter.
  GridspanReductionShift = 8,
};

/// The operations of Reductions.def.
enum class GridspanReduction : uint8_t {
  None,
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined) Kind,
#include "gridspan/Reductions.def"
};

enum GridspanKernelFlags : uint32_t {
  GridspanHasAtomics = 1,   ///< some global memory atomic
  GridspanUnknownRead = 2,  ///< a read whose base is no pointer parameter
  GridspanUnknownWrite = 4, ///< a write or atomic whose base is none
  GridspanGridBarrier = 8,  ///< must be launched cooperatively
  GridspanNotAnalysed = 16, ///< no summary was found (for example at -O0)
  /// Work is no bound of the bytes that are touched, at the element size of the
  /// largest access for each instruction. A trip count is a guess, or an
  /// instruction touches as many bytes as the launch says (memcpy).
  GridspanWorkIsGuess = 32,
  /// The clone gives each tile contiguous iterations of loops that stride over
  /// the grid. So the ranges of a box are those of a tile that is just this
  /// box. It may be launched in several tiles only if no memory that is written
  /// through one pointer is accessed through another, unless the two are equal
  /// and have GridspanOwnElement both.
  GridspanRepartitioned = 64,
  /// Repartitioned, and does the same in a grid of any length along the axis.
  /// It may be launched in a longer one if the grid has no more than 2^26
  /// threads, and no scalar parameter of 4 or 8 bytes is near the ends of its
  /// signed or unsigned range. That holds if its upper five bits are none of
  /// 01111, 10000 and 11111 (isExtensible in runtime/plan/GridExtension.h).
  GridspanElasticX = 128,
  GridspanElasticY = 256,
  GridspanElasticZ = 512,
  /// Some range is unknown unless GridspanBox::Indices is given.
  GridspanInspectable = 1024,
  /// Cannot let the host know how far it is before the program waits for it,
  /// but by atomics that are among its accesses
  /// (analysis/legality/HostVisibility.h).
  GridspanHostInvisible = 2048,
  /// A trip count that Work multiplies with has a value in it that launches do
  /// not know, as one that comes from memory.
  GridspanWorkIsUnknown = 4096,
};

enum GridspanCpuKernelFlags : uint32_t {
  /// Threads of a block wait for each other: run them as fibers.
  GridspanCpuNeedsFibers = 1,
  /// A thread may wait in a loop for what another block does.
  GridspanCpuSpins = 2,
  /// Run always runs all threads of a block, also those that wait for each
  /// other; RunTraced does not.
  GridspanCpuHasRegions = 4,
};

/// The last parameter of a tiled clone: the tile of the grid that a launch is.
struct GridspanTile {
  uint32_t Origin[3]; ///< added to the hardware's blockIdx
  uint32_t Grid[3];   ///< gridDim of the program's launch
};

/// The place where the clone with packed rows finds the memory of a pointer.
/// For the byte at address X of the pointer's own memory, in 32 bits but for
/// the last sum,
///   row = mulhi((X - Base) >> Before, Magic) >> After = (X - Base) / Pitch,
/// it reads X + Move + row * Step. All zero but Pitch: at X itself.
struct GridspanPacking {
  uint64_t Base;
  uint64_t Move;
  uint64_t Pitch;  ///< not 0
  uint32_t Before; ///< less than 64
  uint32_t Magic;
  uint32_t After; ///< less than 32
  int32_t Step;
};

enum GridspanFormFlags : uint32_t {
  /// The kernel gains: lanes of a warp access neighbouring records.
  GridspanFormGains = 1,
  /// The kernel loses: lanes access several fields of records that are apart.
  GridspanFormLoses = 2,
  /// Only where what launches save pays for converting.
  GridspanFormIfItPays = 4,
};

/// The memory in which the clone for records finds what is behind a pointer.
struct GridspanFormed {
  void *Base;       ///< of the fields
  uint64_t Records; ///< a multiple of 256, so that all fields are aligned
  uint64_t First;   ///< the record that the pointer itself leads to
};

/// The warps of which a recording clone records requests, and where to. Of the
/// blocks of the whole grid, numbered with x fastest, these are the first of
/// each BlockStep, NumBlocks at most; and of their warps the first of each
/// WarpStep, NumWarps at most.
struct GridspanRecorder {
  /// GridspanRecord[NumBlocks][NumWarps][probes], zero before; null: none.
  void *Records;
  uint32_t BlockStep; ///< not 0
  uint32_t NumBlocks;
  uint32_t WarpStep; ///< not 0
  uint32_t NumWarps;
};

enum : uint32_t {
  /// Requests of a warp at a probe whose addresses are kept.
  GridspanRecordedRequests = 16,
  /// The first ones, each of which is kept; then those whose number, counted
  /// from 0, is a power of two. So the last kept one of long loops is far into
  /// them.
  GridspanFirstRequests = 8,
};

/// What a warp did at a probe. A request is made by the lanes that are there
/// together, in the same iterations of the loops around.
struct GridspanRecord {
  uint32_t Requests;
  uint32_t Reserved;
  uint64_t Lanes; ///< of all requests
  uint32_t Masks[GridspanRecordedRequests];
  uint64_t Addresses[GridspanRecordedRequests][32]; ///< by lane
};

/// The contents, when a launch begins, of arrays of integers in which it finds
/// indices.
struct GridspanIndices {
  /// Bounds the signed integers of Bytes bytes (1, 2, 4 or 8) at Pointer + Lo
  /// to Pointer + Last inclusive, Bytes apart. Each is in [Min[0], Max[0]] or
  /// in [Min[1], Max[1]], which is behind it or equal. Those outside of
  /// Pointer's allocation do not count. Returns 0 if they are not known. For
  /// range functions.
  uint32_t (*Bound)(const GridspanIndices *Self, const void *Pointer,
                    int64_t Lo, int64_t Last, uint32_t Bytes, int64_t *Min,
                    int64_t *Max);
};

/// A box of blocks of a launch, for which ranges and work are asked.
struct GridspanBox {
  void *const *Args;   ///< as cudaLaunchKernel receives them
  uint32_t GridDim[3]; ///< of the program's launch
  uint32_t BlockDim[3];
  uint32_t BlockLo[3];    ///< first block of the box
  uint32_t BlockCount[3]; ///< blocks along each axis, at least 1
  /// Bounds of loaded indices; null: none is known.
  const GridspanIndices *Indices = nullptr;
};

enum GridspanRangeState : uint32_t {
  GridspanRangeEmpty = 0,   ///< provably nothing is touched
  GridspanRangeMay = 1,     ///< nothing outside is touched
  GridspanRangeExact = 2,   ///< every byte is touched, and nothing outside
  GridspanRangeUnknown = 3, ///< the whole allocation
};

/// Bytes touched by one site for a box: Planes planes, PlanePitch apart, of
/// RowsPerPlane rows of RowBytes bytes, Pitch apart, the first at base pointer
/// + Lo. Lo may be negative. Not yet clipped to the allocation. No byte is in
/// two rows. Fields but State are meaningless when Empty or Unknown.
struct GridspanRange {
  int64_t Lo;
  int64_t RowBytes;     ///< at least 1
  int64_t Pitch;        ///< more than RowBytes; meaningless with one row
  int64_t RowsPerPlane; ///< at least 1
  int64_t PlanePitch;   ///< more than a plane; meaningless with one plane
  int64_t Planes;       ///< at least 1
  uint32_t State;       ///< GridspanRangeState
  uint32_t Reserved;
};

/// Fills Out[0 .. NumAccesses). Pure, thread-safe, does not allocate.
typedef void (*GridspanRangeFn)(const GridspanBox *Box, GridspanRange *Out);

/// Estimated issue slots that the threads of the box take together: a
/// multiprocessor has one for each lane of its schedulers in a cycle. An access
/// of up to 16 bytes takes one at least.
typedef double (*GridspanWorkFn)(const GridspanBox *Box);
/// Estimated atomics on global memory that the threads of the box execute.
typedef double (*GridspanAtomicsFn)(const GridspanBox *Box);

#define GRIDSPAN_STRUCT(Name) struct Name {
#define GRIDSPAN_FIELD(Kind, CType, Name) CType Name;
#define GRIDSPAN_STRUCT_END(Name)                                              \
  }                                                                            \
  ;
#include "gridspan/ABI.def"

/// Runs threads of a block. Args has a pointer to each parameter; a tiled
/// clone's last one is a GridspanTile.
typedef void (*GridspanCpuRunFn)(const GridspanCpuBlock *Block,
                                 void *const *Args,
                                 const GridspanCpuThreads *Threads);

/// Makes a module's kernels and variables known. The constructor that the host
/// pass adds calls it, before main. If the version does not match, the runtime
/// says so and the module runs unsplit. Thread-safe.
void __gridspan_register_module(const GridspanModule *Module);

/// Undoes __gridspan_register_module(), from the module's destructor.
void __gridspan_unregister_module(const GridspanModule *Module);

/// Makes a __managed__ variable known, in place of __cudaRegisterVar.
void __gridspan_register_managed(void **FatBinary, GridspanManaged *Variable);

/// Undoes it. The variable's memory stays.
void __gridspan_unregister_managed(GridspanManaged *Variable);

/// Returns the address of a __managed__ variable, which never changes. Makes
/// the runtime if there is none yet.
void *__gridspan_managed_address(GridspanManaged *Variable);

} // extern "C"

#endif // GRIDSPAN_ABI_H

//===- AccessCheck.cpp - Checks the accesses of kernels -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not an allocation of the program may still be the code's own: the
// launch's parameters, variables of devices, memory of the device's heap, and
// constants, which are in read-only segments of the program.
//
// Of each access in the source the first wrong one is printed, up to a limit;
// all are counted.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cpu/AccessCheck.h"
#include "runtime/backend/MemoryLookup.h"
#include "runtime/backend/cpu/CpuImages.h"
#include "runtime/support/Demangle.h"
#include "runtime/support/ThreadSafety.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <fmt/format.h>
#include <link.h>
#include <map>
#include <set>

using namespace gridspan;

/// The most messages of a process.
static constexpr unsigned MostMessages = 20;

static std::atomic<bool> Enabled = false;
static std::atomic<bool> ChecksContents = false;
static std::atomic<uint64_t> NumErrors = 0;
static std::atomic<uint64_t> NumLaunches = 0;

namespace {

/// What the checks of all launches share.
struct CheckTable {
  Mutex Lock;
  std::set<std::string> Uncheckable GUARDED_BY(Lock);
  /// Kernels and places of which a wrong access was printed.
  std::set<std::string> Printed GUARDED_BY(Lock);
  /// The device's heap.
  std::map<uintptr_t, uint64_t> Heap GUARDED_BY(Lock);

  static CheckTable &get() {
    static auto *Table = new CheckTable;
    return *Table;
  }
};

} // namespace

void AccessChecker::enable(bool On, bool Contents) {
  Enabled = On;
  ChecksContents = Contents;
}
bool AccessChecker::enabled() { return Enabled; }

uint64_t AccessChecker::summarize(FILE *To) {
  const auto Count = [](uint64_t Number, const char *One, const char *More) {
    return fmt::format("{} {}", Number, Number == 1 ? One : More);
  };
  fmt::print(To, "gridspan: checked {}: {}\n",
             Count(NumLaunches, "launch", "launches"),
             Count(NumErrors, "wrong access", "wrong accesses"));
  return NumErrors;
}

std::unique_ptr<AccessChecker> AccessChecker::create(const CpuLaunch &Launch) {
  if (!Enabled)
    return nullptr;
  if (!Launch.Code->RunTraced) {
    CheckTable &Table = CheckTable::get();
    MutexLock Guard(Table.Lock);
    if (Table.Uncheckable.insert(Launch.Kernel->Name).second)
      fmt::print(stderr,
                 "gridspan: {} was compiled without code to check accesses\n",
                 demangled(Launch.Kernel->Name));
    return nullptr;
  }
  ++NumLaunches;
  return std::unique_ptr<AccessChecker>(new AccessChecker(Launch));
}

//===--- Memory ---------------------------------------------------------===//

void gridspan::noteDeviceHeap(void *Address, uint64_t Bytes) {
  if (!Enabled || !Address)
    return;
  CheckTable &Table = CheckTable::get();
  MutexLock Guard(Table.Lock);
  Table.Heap[reinterpret_cast<uintptr_t>(Address)] = Bytes;
}

void gridspan::forgetDeviceHeap(void *Address) {
  if (!Enabled)
    return;
  CheckTable &Table = CheckTable::get();
  MutexLock Guard(Table.Lock);
  Table.Heap.erase(reinterpret_cast<uintptr_t>(Address));
}

static bool isOnDeviceHeap(uintptr_t Address, uint64_t Bytes) {
  CheckTable &Table = CheckTable::get();
  MutexLock Guard(Table.Lock);
  auto It = Table.Heap.upper_bound(Address);
  if (It == Table.Heap.begin())
    return false;
  --It;
  const uint64_t At = Address - It->first;
  return At < It->second && Bytes <= It->second - At;
}

namespace {
struct Segment {
  uintptr_t Address;
  uintptr_t Code; ///< in the same program or library
  bool IsReadOnly;
};
} // namespace

static int findSegment(dl_phdr_info *Object, size_t, void *Data) {
  auto &Asked = *static_cast<Segment *>(Data);
  bool IsInside = false, IsRelocated = false, HasCode = false;
  for (unsigned I = 0; I != Object->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Header = Object->dlpi_phdr[I];
    HasCode |= Header.p_type == PT_LOAD &&
               Asked.Code - Object->dlpi_addr - Header.p_vaddr < Header.p_memsz;
    if (Asked.Address - Object->dlpi_addr - Header.p_vaddr >= Header.p_memsz)
      continue;
    IsInside |= Header.p_type == PT_LOAD && !(Header.p_flags & PF_W);
    IsRelocated |= Header.p_type == PT_GNU_RELRO;
  }
  Asked.IsReadOnly = HasCode && (IsInside || IsRelocated);
  return HasCode;
}

/// Returns true if Address is in constants beside the kernel's code. Those of
/// other libraries may be beside an allocation.
static bool isConstant(const CpuLaunch &Launch, uintptr_t Address) {
  Segment Asked = {Address, reinterpret_cast<uintptr_t>(Launch.Code->RunTraced),
                   false};
  dl_iterate_phdr(findSegment, &Asked);
  return Asked.IsReadOnly;
}

static bool isParameter(const CpuLaunch &Launch, uintptr_t Address,
                        uint64_t Bytes) {
  const auto Lo = reinterpret_cast<uintptr_t>(Launch.Parameters.data());
  const uint64_t Size = Launch.Parameters.size();
  return Address - Lo < Size && Bytes <= Size - (Address - Lo);
}

//===--- Messages -------------------------------------------------------===//

std::string gridspan::threadText(const CpuLaunch &Launch, uint64_t Block,
                                 std::optional<uint32_t> Thread) {
  const dim3 &Grid = Launch.Grid, &Dim = Launch.Block;
  std::string Out = demangled(Launch.Kernel->Name) + ": ";
  if (Thread)
    Out += fmt::format("thread ({}, {}, {}) of ", *Thread % Dim.x,
                       *Thread / Dim.x % Dim.y, *Thread / Dim.x / Dim.y);
  const GridspanTile &Tile = Launch.Tile;
  return Out + fmt::format("block ({}, {}, {})",
                           Block % Grid.x + Tile.Origin[0],
                           Block / Grid.x % Grid.y + Tile.Origin[1],
                           Block / Grid.x / Grid.y + Tile.Origin[2]);
}

/// Returns the place of the access in the source, or "".
static std::string placeOf(const CpuLaunch &Launch,
                           const DeviceAccess &Access) {
  if (Access.Where)
    return Access.Where;
  const GridspanKernel &Kernel = *Launch.Kernel;
  for (uint32_t I = 0; Access.Site && I != Kernel.NumAccesses; ++I)
    if (Kernel.Accesses[I].Site == *Access.Site)
      return Kernel.Accesses[I].Where;
  return "";
}

std::string gridspan::accessText(const CpuLaunch &Launch,
                                 const DeviceAccess &Access) {
  const char *Verb = Access.Mode == GridspanRead    ? "reads"
                     : Access.Mode == GridspanWrite ? "writes"
                                                    : "changes atomically";
  std::string Place = placeOf(Launch, Access);
  if (Place.empty())
    Place = Access.Site
                ? fmt::format("access {}; -g tells the line", *Access.Site)
                : "-g tells the line";
  return fmt::format("{} {} bytes at {:#x} ({})", Verb, Access.Bytes,
                     Access.Address, Place);
}

void AccessChecker::report(const BlockState &Block, const DeviceAccess &Access,
                           const std::string &Problem) {
  ++NumErrors;
  std::string Key = fmt::format(
      "{} {} {}", Launch.Kernel->Name, placeOf(Launch, Access),
      Access.Site ? static_cast<int64_t>(*Access.Site) : int64_t(-1));
  CheckTable &Table = CheckTable::get();
  MutexLock Guard(Table.Lock);
  if (Table.Printed.size() > MostMessages ||
      !Table.Printed.insert(std::move(Key)).second)
    return;
  if (Table.Printed.size() > MostMessages) {
    fmt::print(stderr, "gridspan: further wrong accesses are only counted\n");
    return;
  }
  fmt::print(stderr, "gridspan: {} {}: {}\n",
             threadText(Launch, Block.Number, Access.Thread),
             accessText(Launch, Access), Problem);
}

//===--- Checking -------------------------------------------------------===//

/// Returns the alignment without which a GPU would refuse the access: that of
/// its type, but not beyond its bytes, and for no more than 16 at a time. CUB
/// lays types over storage that is aligned to less than they ask for.
static uint64_t neededAlignment(const DeviceAccess &Access) {
  constexpr uint64_t Widest = 16;
  return std::min({static_cast<uint64_t>(Access.Alignment),
                   std::bit_floor(static_cast<uint64_t>(Access.Bytes)),
                   Widest});
}

/// A read of which some bytes were written may be of a structure with padding.
bool AccessChecker::readsWritten(const BlockState &Block,
                                 const DeviceAccess &Access) {
  const GridspanCpuBlock &Abi = Block.Abi;
  const auto Lo = reinterpret_cast<uintptr_t>(Abi.StaticShared);
  if (Access.Address < Lo) // reserved
    return true;
  auto [It, IsNew] = Shared.try_emplace(&Block);
  WrittenBytes &Known = It->second;
  if (IsNew || Known.Block != Block.Number) {
    Known.Block = Block.Number;
    Known.IsWritten.assign(
        Abi.DynamicShared - Abi.StaticShared + Abi.DynamicSharedBytes, false);
  }
  const auto Begin = Known.IsWritten.begin() + (Access.Address - Lo);
  const auto End = Begin + Access.Bytes;
  const bool IsFine =
      Access.Mode == GridspanWrite || std::find(Begin, End, true) != End;
  if (Access.Mode != GridspanRead)
    std::fill(Begin, End, true);
  return IsFine;
}

bool AccessChecker::check(const BlockState &Block, const DeviceAccess &Access,
                          bool ToShared) {
  if (Access.Bytes == 0)
    return true;
  const auto *At = reinterpret_cast<const void *>(Access.Address);
  if (const uint64_t Needed = neededAlignment(Access);
      Access.Address % Needed) {
    Error = cudaErrorMisalignedAddress;
    report(Block, Access, fmt::format("not aligned to {} bytes", Needed));
    return false;
  }
  if (ToShared) {
    // A variable's name leads to no more than variables.
    if (Block.holdsShared(At, Access.Bytes, /*WithReserved=*/!Access.Where)) {
      if (ChecksContents && !readsWritten(Block, Access))
        report(Block, Access,
               "shared memory that no thread of the block has written");
      return true;
    }
    Error = cudaErrorIllegalAddress;
    const auto Lo = reinterpret_cast<uintptr_t>(Block.Abi.StaticShared);
    const auto End = reinterpret_cast<uintptr_t>(Block.Abi.DynamicShared) +
                     Block.Abi.DynamicSharedBytes;
    report(Block, Access,
           fmt::format("byte {} of the block's {} bytes of shared memory",
                       static_cast<int64_t>(Access.Address - Lo), End - Lo));
    return false;
  }
  const MemoryLookup *Memory = MemoryLookup::get();
  if (!Memory || Memory->holds(At, Access.Bytes) ||
      (Launch.Images && Launch.Images->contains(At, Access.Bytes)) ||
      isParameter(Launch, Access.Address, Access.Bytes) ||
      isOnDeviceHeap(Access.Address, Access.Bytes) ||
      (Access.Mode == GridspanRead && isConstant(Launch, Access.Address)))
    return true;
  Error = cudaErrorIllegalAddress;
  report(Block, Access, Memory->describe(At, Access.Bytes));
  return false;
}

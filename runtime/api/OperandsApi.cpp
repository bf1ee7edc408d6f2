//===- OperandsApi.cpp - Memory that primitives work on -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that gridspan/algorithm.h makes around its kernels. Memory of
// devices, and managed memory, is left as it is. The host's becomes paged
// memory for the time of the call, where it is (MemoryManager::borrow); what is
// too little for that is copied to the devices, and back.
//
// Operands that overlap, as those of a primitive that works in place do, are
// parts of one memory, so that they overlap on the devices as well.
//
// A copy is divided at the first and the last bound between pages, since other
// threads may have lent, and so pinned, what is beside it, and drivers refuse
// copies of which only one end is pinned.
//
//===----------------------------------------------------------------------===//

#include "gridspan/algorithm/Operands.h"
#include "runtime/api/ApiCall.h"
#include "runtime/support/ChosenDevice.h"
#include "runtime/support/HostMemoryOps.h"
#include <algorithm>
#include <utility>

using namespace gridspan;

namespace {

/// Operands that overlap, by number, and the bytes that they cover.
struct Group {
  std::vector<unsigned> Members; ///< the first is the one that stands for it
  std::byte *Lo;
  std::byte *Hi;
  uint32_t Use = 0;

  uint64_t bytes() const { return static_cast<uint64_t>(Hi - Lo); }
  bool isWritten() const {
    return Use & (GridspanOperandWrites | GridspanOperandOverwrites);
  }
  /// Returns true if old contents are wanted.
  bool isRead() const {
    return Members.size() > 1 || Use != GridspanOperandOverwrites;
  }
};

} // namespace

static std::byte *begin(const GridspanOperand &O) {
  return static_cast<std::byte *>(O.Address);
}

/// Puts operands that overlap into one group each.
static std::vector<Group> groupsOf(const GridspanOperand *Operands,
                                   unsigned Count) {
  std::vector<unsigned> Order;
  for (unsigned I = 0; I != Count; ++I)
    if (Operands[I].Bytes)
      Order.push_back(I);
  std::sort(Order.begin(), Order.end(), [&](unsigned L, unsigned R) {
    return begin(Operands[L]) < begin(Operands[R]);
  });
  std::vector<Group> Out;
  for (unsigned I : Order) {
    std::byte *const Lo = begin(Operands[I]);
    if (Out.empty() || Lo >= Out.back().Hi)
      Out.push_back({{}, Lo, Lo});
    Group &G = Out.back();
    G.Members.push_back(I);
    G.Hi = std::max(G.Hi, Lo + Operands[I].Bytes);
    G.Use |= Operands[I].Use;
  }
  return Out;
}

/// Copies between the host and a device, in parts of which each is of pages
/// that the same memory has for itself.
static cudaError_t copyHost(std::byte *Host, std::byte *Device, uint64_t Bytes,
                            bool ToHost, cudaStream_t Stream) {
  const auto At = reinterpret_cast<uintptr_t>(Host);
  const uint64_t Head = std::min(Bytes, (HostPage - At % HostPage) % HostPage);
  const uint64_t Tail =
      std::max(Head, Bytes - std::min(Bytes, (At + Bytes) % HostPage));
  const uint64_t Bounds[] = {0, Head, Tail, Bytes};
  for (unsigned I = 0; I != 3; ++I) {
    const uint64_t Lo = Bounds[I], Part = Bounds[I + 1] - Lo;
    if (!Part)
      continue;
    const cudaError_t Error =
        ToHost ? __gridspan_cudaMemcpyAsync(Host + Lo, Device + Lo, Part,
                                            cudaMemcpyDeviceToHost, Stream)
               : __gridspan_cudaMemcpyAsync(Device + Lo, Host + Lo, Part,
                                            cudaMemcpyHostToDevice, Stream);
    if (Error)
      return Error;
  }
  return cudaSuccess;
}

/// Returns true if the memory is the host's and nothing of the runtime's.
static bool isOfHost(Runtime &R, const Group &G) {
  if (const std::shared_ptr<Allocation> A = R.memory().find(G.Lo))
    return A->Paged && A->Paged->Adopted;
  return R.backend().isPinned(G.Lo, 1) || R.backend().isPageable(G.Lo, 1);
}

/// The frames of memory that is paged: where the first one begins, and the
/// bytes of each; 0: it is not.
struct FramesOfGroup {
  const std::byte *Base = nullptr;
  uint64_t Bytes = 0;
};

/// Makes the memory of a group one that kernels may use. Returns its address
/// for kernels.
static Expected<void *> borrowGroup(const Group &G, uint32_t &Kind,
                                    FramesOfGroup &Frames,
                                    cudaStream_t Stream) {
  bool IsOfHost = false, IsLent = false;
  const cudaError_t Looking = apiCall<Tells::Nothing>([&](Runtime &R) {
    IsOfHost = isOfHost(R, G);
    IsLent = IsOfHost && R.memory().borrow(G.Lo, G.bytes(), G.isWritten());
    if (const auto A = R.memory().find(G.Lo); A && A->Paged)
      Frames = {A->base(), A->Paged->FrameBytes};
    return cudaSuccess;
  });
  if (Looking)
    return Looking;
  Kind = !IsOfHost ? GridspanOperandAsIs : GridspanOperandLent;
  if (!IsOfHost || IsLent)
    return static_cast<void *>(G.Lo);
  Kind = GridspanOperandCopied;
  void *Copy = nullptr;
  if (cudaError_t Error = __gridspan_cudaMalloc(&Copy, G.bytes()))
    return Error;
  if (G.isRead())
    if (cudaError_t Error = copyHost(G.Lo, static_cast<std::byte *>(Copy),
                                     G.bytes(), false, Stream)) {
      (void)__gridspan_cudaFree(Copy);
      return Error;
    }
  return Copy;
}

/// Runs launches that wait, and gives the memory back whatever comes of them,
/// also when nothing works any more: it is the program's.
static cudaError_t giveBackLent(std::byte *Lo) {
  const cudaError_t Error = apiCall([](Runtime &) { return cudaSuccess; });
  const cudaError_t Saving = Runtime::get().memory().giveBack(Lo);
  if (Error || !Saving)
    return Error;
  return lastError() = Runtime::get().note(Saving);
}

/// Ends what borrowGroup() did. Copies back if the group was written.
static cudaError_t giveBackGroup(const GridspanOperand &First, bool IsWritten,
                                 cudaStream_t Stream) {
  std::byte *const Lo = begin(First) - First.Lo;
  if (First.Kind == GridspanOperandAsIs)
    return cudaSuccess;
  if (First.Kind == GridspanOperandLent)
    return giveBackLent(Lo);
  auto *const Copy = static_cast<std::byte *>(First.OnDevice) - First.Lo;
  cudaError_t Error = cudaSuccess;
  if (IsWritten)
    Error = copyHost(Lo, Copy, First.AllBytes, true, Stream);
  const cudaError_t Waiting = __gridspan_cudaStreamSynchronize(Stream);
  const cudaError_t Freeing = __gridspan_cudaFree(Copy);
  return Error ? Error : Waiting ? Waiting : Freeing;
}

/// Calls Work, of which no exception leaves. Returns its error.
template <typename Function> static cudaError_t caught(Function &&Work) {
  try {
    return Work();
  } catch (const std::bad_alloc &) {
    return lastError() = cudaErrorMemoryAllocation;
  }
}

cudaError_t __gridspan_borrow(GridspanOperand *Operands, unsigned Count,
                              cudaStream_t Stream) {
  for (unsigned I = 0; I != Count; ++I) {
    Operands[I].Kind = GridspanOperandAsIs;
    Operands[I].OnDevice = Operands[I].Address;
  }
  return caught([&]() -> cudaError_t {
    const std::vector<Group> Groups = groupsOf(Operands, Count);
    for (size_t N = 0; N != Groups.size(); ++N) {
      const Group &G = Groups[N];
      uint32_t Kind = GridspanOperandAsIs;
      FramesOfGroup Frames;
      const Expected<void *> Whole = borrowGroup(G, Kind, Frames, Stream);
      if (!Whole) {
        while (N-- > 0)
          (void)giveBackGroup(Operands[Groups[N].Members.front()], false,
                              Stream);
        return Whole.error();
      }
      for (unsigned I : G.Members) {
        GridspanOperand &O = Operands[I];
        O.Kind = I == G.Members.front() ? Kind : GridspanOperandOfOther;
        O.Lo = static_cast<uint64_t>(begin(O) - G.Lo);
        O.AllBytes = G.bytes();
        O.FrameBytes = Frames.Bytes;
        O.FrameOffset =
            Frames.Bytes
                ? static_cast<uint64_t>(begin(O) - Frames.Base) % Frames.Bytes
                : 0;
        O.OnDevice = static_cast<std::byte *>(*Whole) + O.Lo;
      }
    }
    return cudaSuccess;
  });
}

cudaError_t __gridspan_give_back(GridspanOperand *Operands, unsigned Count,
                                 cudaStream_t Stream) {
  return caught([&] {
    cudaError_t First = cudaSuccess;
    for (const Group &G : groupsOf(Operands, Count)) {
      const cudaError_t Error =
          giveBackGroup(Operands[G.Members.front()], G.isWritten(), Stream);
      First = First ? First : Error;
    }
    return First;
  });
}

unsigned __gridspan_num_devices() {
  unsigned Count = 0;
  (void)apiCall<Tells::Nothing>([&](Runtime &R) {
    Count = R.launches().mayUseAll() ? R.backend().system().numDevices() : 1;
    return cudaSuccess;
  });
  return Count;
}

cudaError_t __gridspan_begin_group(const GridspanOperand *Operands,
                                   unsigned Count, cudaStream_t Stream) {
  return observingCall<Tells::Nothing>(
      Stream, DefaultStream::Legacy,
      [=](Runtime &R, ProgramStream &S) -> cudaError_t {
        if (Count > OpaqueOperation::MostOperands)
          return cudaErrorInvalidValue;
        std::vector<LaunchGroup::Operand> Of;
        for (unsigned I = 0; I != Count; ++I)
          if (Operands[I].Bytes)
            Of.push_back({begin(Operands[I]), Operands[I].Bytes});
        return R.launches().beginGroup(S, std::move(Of));
      });
}

cudaError_t __gridspan_end_group() {
  return apiCall<Tells::Nothing>(
      [](Runtime &R) { return R.launches().endGroup(); });
}

static_assert(NoChosenDevice == GridspanAnyDevice &&
              EveryDevice == GridspanEveryDevice);

int __gridspan_choose_device(int Device) {
  return std::exchange(chosenDevice(), Device);
}

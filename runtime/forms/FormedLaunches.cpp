//===- FormedLaunches.cpp - Launches on records in other orders -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation is converted when a launch gains by that, and all pointers of
// the launch that lead to it agree. Every other use brings it home first. A
// program that uses it in both ways again and again would pay for a conversion
// each time: so one that was converted often, for few launches each, is given
// up for good.
//
// With GridspanFormIfItPays launches are timed before a conversion and behind
// it (FormTimes.h), where times tell. An allocation whose launches it has made
// slower comes home, and stays as the program made it.
//
// The other order is a copy: the allocation's own memory stays. So whatever
// fails, there is a place to bring the contents to.
//
//===----------------------------------------------------------------------===//

#include "runtime/forms/FormedLaunches.h"
#include "runtime/plan/LaunchArguments.h"
#include "runtime/report/Tracing.h"
#include <algorithm>

namespace gridspan {

/// Smaller allocations are not worth memory of their own.
static constexpr uint64_t LeastBytes = uint64_t(1) << 16;
/// The conversions after which an allocation must have had as many launches for
/// each, or it is given up.
static constexpr uint64_t TriedConversions = 4;
static constexpr uint64_t LaunchesPerConversion = 4;
/// Bytes that a conversion there and back moves, for each byte.
static constexpr double BytesOfConversions = 4;

bool FormedLaunch::has(const Allocation &A) const {
  return std::any_of(Parts.begin(), Parts.end(),
                     [&](const Part &P) { return P.Of == &A; });
}

bool FormedLaunches::isFormable(const LaunchRequest &R) const {
  return Enabled && R.Target.Kernel && R.Target.Kernel->Formed &&
         B.system().numDevices() == 1 && !R.Target.RecordAs && !R.Device &&
         !R.Shape.Cooperative && R.Shape.NumAttributes == 0;
}

/// Returns true if the pointer may be the end of the memory before, whose
/// records the kernel reaches backwards.
bool FormedLaunches::mayBeAnothersEnd(uint32_t Pointer, const void *Address,
                                      const LaunchRequest &R) const {
  const GridspanKernel &Kernel = R.kernel();
  if (!Memory.find(static_cast<const std::byte *>(Address) - 1))
    return false;
  if (!Kernel.Ranges)
    return true;
  const GridspanBox Box = boxOf(R.Shape, R.Arguments);
  std::vector<GridspanRange> Ranges(Kernel.NumAccesses);
  Kernel.Ranges(&Box, Ranges.data());
  for (uint32_t I = 0; I != Kernel.NumAccesses; ++I)
    if (Kernel.Accesses[I].Pointer == static_cast<int>(Pointer) &&
        Ranges[I].State == GridspanRangeUnknown)
      return true;
  return false;
}

/// Adds what the clone finds behind the form's pointer.
LaunchReason FormedLaunches::addForm(const GridspanRecordForm &Form,
                                     const LaunchedOn &On,
                                     const LaunchRequest &R,
                                     FormedLaunch &Out) const {
  const GridspanKernel &Kernel = R.kernel();
  const GridspanPointer &Pointer = Kernel.Pointers[Form.Pointer];
  auto *Address =
      static_cast<std::byte *>(pointerArgument(Kernel, Pointer, R.Arguments));
  if (!Address) {
    // The kernel does not use it in this launch.
    Out.Forms.push_back({});
    Out.PartOf.push_back(-1);
    return LaunchReason::None;
  }
  const int Index = On.Pointers[Form.Pointer].Allocation;
  Allocation *A = Index < 0 ? nullptr : On.Allocations[Index].get();
  if (!A || !A->holds(reinterpret_cast<uintptr_t>(Address)))
    return LaunchReason::FormForeign;
  if ((A->kind() != AllocationKind::Device &&
       A->kind() != AllocationKind::SubPage) ||
      A->Paged || A->Unified || A->IsShared || A->IsImported || A->first() != 0)
    return LaunchReason::FormForeign;
  if (A->bytes() < LeastBytes)
    return LaunchReason::FormTooSmall;
  if (A->Forms.IsGivenUp)
    return LaunchReason::FormGivenUp;
  const auto Offset = static_cast<uint64_t>(Address - A->base());
  if (Offset == 0 && mayBeAnothersEnd(Form.Pointer, Address, R))
    return LaunchReason::FormForeign;
  if (Offset % Form.RecordBytes != 0)
    return LaunchReason::FormWithinRecord;
  for (uint32_t Other = 0; Other != Kernel.NumPointers; ++Other)
    if (On.Pointers[Other].Allocation == Index &&
        Kernel.Pointers[Other].Modes &&
        std::none_of(
            Kernel.Forms, Kernel.Forms + Kernel.NumForms,
            [&](const GridspanRecordForm &F) { return F.Pointer == Other; }))
      return LaunchReason::FormNotForAll;
  RecordForm Order = formOf(Form);
  const bool Written = Pointer.Modes & (GridspanWrite | GridspanAtomic);
  auto Known = std::find_if(Out.Parts.begin(), Out.Parts.end(),
                            [&](const auto &P) { return P.Of == A; });
  if (Known != Out.Parts.end() && Known->Form != Order)
    return LaunchReason::FormsDiffer;
  if (A->Formed && A->Formed->Form != Order)
    return LaunchReason::FormsDiffer;
  const uint64_t Room = Order.roomFor(A->bytes());
  Out.Forms.push_back({nullptr, Room, Offset / Form.RecordBytes});
  Out.PartOf.push_back(static_cast<int>(Known - Out.Parts.begin()));
  if (Known != Out.Parts.end()) {
    Known->Written |= Written;
    Known->SavedBytes = std::max(Known->SavedBytes, Form.SavedBytes);
  } else {
    Out.Parts.push_back({A, std::move(Order), Form.SavedBytes, Written});
  }
  return LaunchReason::None;
}

/// Returns the bytes that a launch saves if it finds the part formed.
static double savedBy(const FormedLaunch::Part &P) {
  return static_cast<double>(P.Of->bytes()) /
         static_cast<double>(P.Form.RecordBytes) * P.SavedBytes;
}

static FormTimes::Key keyOf(const LaunchRequest &R) {
  return {&R.kernel(),
          uint64_t(R.Shape.Grid.x) * R.Shape.Grid.y * uint64_t(R.Shape.Grid.z)};
}

/// Returns true if launches save, or have saved, more than a conversion costs,
/// and it is known how long they take without one.
bool FormedLaunches::pays(const FormedLaunch::Part &P,
                          const LaunchRequest &R) const {
  const FormHistory &Past = P.Of->Forms;
  if (B.system().TimesTell && !(Past.Times && Past.Times->isKnown(keyOf(R))))
    return false;
  // Each conversion doubles what the next one has to save.
  const double Cost =
      BytesOfConversions * static_cast<double>(P.Of->bytes()) *
      static_cast<double>(uint64_t(1)
                          << std::min<uint64_t>(Past.Conversions, 40));
  return Past.Saved + savedBy(P) > Cost;
}

LaunchReason FormedLaunches::plan(const LaunchedOn &On, const LaunchRequest &R,
                                  const VersionOf &Present,
                                  FormedLaunch &Out) const {
  const GridspanKernel &Kernel = R.kernel();
  if (On.How.TouchesAnywhere || On.How.WritesAnywhere ||
      On.Pointers.size() != Kernel.NumPointers)
    return LaunchReason::FormForeign;
  bool Gains = false, Loses = false;
  for (uint32_t I = 0; I != Kernel.NumForms; ++I) {
    const GridspanRecordForm &Form = Kernel.Forms[I];
    if (const LaunchReason Why = addForm(Form, On, R, Out);
        Why != LaunchReason::None)
      return Why;
    Gains |= (Form.Flags & GridspanFormGains) != 0;
    Loses |= (Form.Flags & GridspanFormLoses) != 0;
    Out.OnlyIfItPays |= (Form.Flags & GridspanFormIfItPays) != 0;
  }
  if (Out.Parts.empty())
    return LaunchReason::FormDoesNotGain;
  const bool AreFormed =
      std::all_of(Out.Parts.begin(), Out.Parts.end(), [&](const auto &P) {
        return P.Of->Formed && P.Of->Formed->Of == Present(*P.Of);
      });
  if (Loses || (!Gains && !AreFormed))
    return LaunchReason::FormDoesNotGain;
  if (Out.OnlyIfItPays &&
      std::any_of(Out.Parts.begin(), Out.Parts.end(), [&](const auto &P) {
        return P.Of->Forms.Times && P.Of->Forms.Times->isSlower();
      }))
    return LaunchReason::FormSlower;
  if (Out.OnlyIfItPays && !AreFormed &&
      !std::all_of(Out.Parts.begin(), Out.Parts.end(),
                   [&](const auto &P) { return pays(P, R); }))
    return LaunchReason::FormDoesNotPay;
  LaunchTarget Clone;
  Clone.Kernel = Kernel.Formed;
  Clone.Function = Kernel.Formed->HostStub;
  Clone.Profiled = R.Target.Profiled;
  Clone.IsTimed = R.Target.IsTimed;
  // Arguments that do not overlap do not in another form, which is one place
  // for each byte.
  Clone.NoAlias = R.Target.NoAlias && Kernel.Formed->NoAliasStub;
  Out.Target = Clone;
  return LaunchReason::None;
}

void FormedLaunches::noteKept(const FormedLaunch &L) const {
  for (const FormedLaunch::Part &P : L.Parts)
    P.Of->Forms.Saved += savedBy(P);
}

FormTiming FormedLaunches::timing(const FormedLaunch &L, const LaunchRequest &R,
                                  RecordOrder In) const {
  FormTiming Out = {keyOf(R), In, {}};
  if (!L.OnlyIfItPays || !B.system().TimesTell)
    return Out;
  for (const FormedLaunch::Part &P : L.Parts) {
    std::shared_ptr<FormTimes> &Times = P.Of->Forms.Times;
    if (!Times)
      Times = std::make_shared<FormTimes>();
    if (Times->wants(Out.Of, In))
      Out.For.push_back(Times);
  }
  return Out;
}

/// Makes memory for the other order, if there is none. Returns false without
/// room.
bool FormedLaunches::createMemory(FormedLaunch::Part &P) {
  Allocation &A = *P.Of;
  if (A.Formed)
    return true;
  const uint64_t Room = P.Form.roomFor(A.bytes());
  Expected<std::unique_ptr<Replica>> Made =
      Memory.createReplica(Room * P.Form.RecordBytes, 0);
  if (!Made)
    return false;
  A.Formed = std::make_unique<FormedCopy>();
  A.Formed->Form = P.Form;
  A.Formed->Memory = std::move(**Made);
  return true;
}

cudaError_t FormedLaunches::begin(
    FormedLaunch &L, const LaunchRequest &R, const VersionOf &Present,
    const std::function<cudaError_t()> &AwaitOthers) NO_THREAD_SAFETY_ANALYSIS {
  const TraceScope Scope(Activity::Replica);
  Stream &S = R.Stream.main();
  bool Awaited = false;
  for (FormedLaunch::Part &P : L.Parts) {
    Allocation &A = *P.Of;
    if (!createMemory(P)) {
      A.Forms.IsGivenUp = true;
      return cudaErrorMemoryAllocation;
    }
    FormedCopy &To = *A.Formed;
    if (cudaError_t Error = B.wait(S, *To.Memory.Ready))
      return Error;
    const ContentsVersion Now = Present(A);
    if (To.Of == Now)
      continue;
    if (!Awaited)
      if (cudaError_t Error = AwaitOthers())
        return Error;
    Awaited = true;
    To.Of.reset();
    cudaError_t Error = Memory.owned().form(A, S);
    // Other streams wait for that, also if this launch is not made.
    if (!Error)
      Error = B.record(*To.Memory.Ready, S);
    if (Error) {
      (void)B.synchronize(S);
      A.Forms.IsGivenUp = true;
      return Error;
    }
    To.Of = Now;
    A.Forms.Saved = 0;
    ++A.Forms.Conversions;
  }
  for (size_t I = 0; I != L.Forms.size(); ++I)
    if (L.PartOf[I] >= 0)
      L.Forms[I].Base = L.Parts[L.PartOf[I]].Of->Formed->Memory.Base;
  return cudaSuccess;
}

cudaError_t FormedLaunches::end(const FormedLaunch &L, Stream &S) {
  cudaError_t First = cudaSuccess;
  for (const FormedLaunch::Part &P : L.Parts) {
    const cudaError_t Error = B.record(*P.Of->Formed->Memory.Ready, S);
    First = First ? First : Error;
    FormHistory &Past = P.Of->Forms;
    ++Past.Launches;
    if (Past.Conversions >= TriedConversions &&
        Past.Launches < LaunchesPerConversion * Past.Conversions)
      Past.IsGivenUp = true;
  }
  return First;
}

void FormedLaunches::noteWritten(
    const FormedLaunch &L, const VersionOf &Present) NO_THREAD_SAFETY_ANALYSIS {
  for (const FormedLaunch::Part &P : L.Parts) {
    if (!P.Written)
      continue;
    P.Of->Formed->Of = Present(*P.Of);
    P.Of->Formed->IsOwner = true;
    Memory.owned().noteAway(*P.Of);
  }
}

} // namespace gridspan

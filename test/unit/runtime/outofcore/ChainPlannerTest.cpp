//===- ChainPlannerTest.cpp - Chains larger than made-up devices ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ChainPlanner.h"
#include "runtime/outofcore/ChunkCandidates.h"
#include "test/unit/runtime/FakeKernels.h"
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace gridspan;

namespace {

constexpr uint64_t Frame = 4096;
constexpr uint32_t Frames = 64; ///< of each buffer
constexpr uint64_t Pass = Frames * Frame;

constexpr double Link = 3.7e11; ///< bytes a second between devices

SystemInfo machine(unsigned Devices, double Peers = Link) {
  SystemInfo S;
  for (unsigned I = 0; I < Devices; ++I)
    S.Devices.push_back({"test", 1ull << 30, 4e12, 3e13, 5.5e10, 5.5e10, 132});
  S.PeerBandwidth.assign(Devices, std::vector<double>(Devices, Peers));
  S.FanOutSeconds.assign(Devices + 1, 0);
  S.PageSize = Frame;
  S.PeerAtomics = Peers > 0;
  return S;
}

/// out[i] from in[i - halo .. i + halo], of N floats: (in, out, n, halo).
GridspanKernel window() {
  static const GridspanAccess Accesses[] = {
      {"", nullptr, 0, GridspanRead, 4, 0},
      {"", nullptr, 1, GridspanWrite, 4, 1}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable | GridspanRedirectable},
      {1, 0, GridspanWrite, GridspanRedirectable}};
  GridspanKernel K = fake::saxpy();
  K.Accesses = Accesses;
  K.NumAccesses = 2;
  K.Pointers = Pointers;
  K.NumPointers = 2;
  K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    const int64_t N = *static_cast<const int *>(B->Args[2]);
    const int64_t Halo = *static_cast<const int *>(B->Args[3]);
    const int64_t Lo = std::min<int64_t>(N, 256 * int64_t(B->BlockLo[0]));
    const int64_t Hi =
        std::min<int64_t>(N, Lo + 256 * int64_t(B->BlockCount[0]));
    const int64_t From = std::max<int64_t>(0, Lo - Halo);
    const int64_t To = std::min<int64_t>(N, Hi + Halo);
    Out[0] = {4 * From, 4 * (To - From), 0, 1, 0, 1, GridspanRangeExact, 0};
    Out[1] = {4 * Lo, 4 * (Hi - Lo), 0, 1, 0, 1, GridspanRangeExact, 0};
  };
  return K;
}

/// Launches over buffers of Frames frames.
struct Chain {
  explicit Chain(unsigned Buffers) {
    In.Paged.resize(Buffers);
    for (PagedView &V : In.Paged) {
      V.FrameBytes = Frame;
      V.Frames.assign(Frames, {Frame, Host, false, true, false});
    }
  }
  Chain &launch(unsigned From, unsigned To, int Halo = 0) {
    Scalars.push_back({static_cast<int>(Pass / 4), Halo});
    Args.push_back({nullptr, nullptr, &Scalars.back()[0], &Scalars.back()[1]});
    PlanInput L;
    L.Kernel = &Kernel;
    const uint32_t Blocks = Pass / 1024;
    L.Box = {Args.back().data(),
             {Blocks, 1, 1},
             {256, 1, 1},
             {0, 0, 0},
             {Blocks, 1, 1}};
    L.Pointers = {{static_cast<int>(From), 0}, {static_cast<int>(To), 0}};
    PlacedAllocation A;
    A.Bytes = Pass;
    A.Paged = true;
    L.Allocations.assign(In.Paged.size(), A);
    In.Launches.push_back(std::move(L));
    return *this;
  }
  /// The buffer is in the devices' memory.
  void unpage(unsigned Buffer) {
    In.Paged[Buffer] = {};
    for (PlanInput &L : In.Launches)
      L.Allocations[Buffer].Paged = false;
  }
  OutOfCorePlan plan(unsigned Devices, uint64_t Room, double Bus = 5.5e10) {
    System = machine(Devices);
    for (DeviceInfo &D : System.Devices)
      D.HostToDevice = D.DeviceToHost = Bus;
    In.Budget.assign(Devices, Room * Frame);
    return ChainPlanner(In, System, Schedule::Static).plan(In.Budget);
  }

  GridspanKernel Kernel = window();
  SystemInfo System;
  std::deque<std::array<int, 2>> Scalars;
  std::deque<std::array<void *, 4>> Args;
  ChainInput In;
};

/// A launch of such a kernel on buffers of 64 frames as a member.
ChainMember member(const GridspanKernel &Kernel, unsigned Devices,
                   double Peers = Link, uint64_t Room = 40,
                   bool OthersOpen = true) {
  static int Size = 256;
  static void *Args[] = {&Size, &Size, &Size, &Size};
  OutOfCoreInput In;
  In.Launch.Kernel = &Kernel;
  In.Launch.Box = {Args, {16, 1, 1}, {16, 1, 1}, {0, 0, 0}, {16, 1, 1}};
  for (unsigned P = 0; P < Kernel.NumPointers; ++P) {
    PlacedAllocation A;
    A.Bytes = 64 * Frame;
    A.Paged = true;
    In.Launch.Allocations.push_back(A);
    In.Launch.Pointers.push_back({static_cast<int>(P), 0});
    PagedView V;
    V.FrameBytes = Frame;
    V.Frames.assign(64, {Frame, Host, false, true, false});
    In.Paged.push_back(V);
  }
  In.Budget.assign(Devices, Room * Frame);
  In.OthersOpen = OthersOpen;
  return asMember(In, machine(Devices, Peers), Schedule::Static);
}

/// Why it is none, or stays no member without what is in place.
LaunchReason why(const GridspanKernel &Kernel, unsigned Devices,
                 double Peers = Link, uint64_t Room = 40) {
  const ChainMember M = member(Kernel, Devices, Peers, Room);
  EXPECT_TRUE(M.InPlace.empty());
  return M.WhyNot;
}

/// What is in place of a member, as a text: "allocation:why ...".
std::string inPlace(const ChainMember &M) {
  EXPECT_EQ(M.WhyNot, LaunchReason::None);
  std::string Out;
  for (const InPlaceArgument &I : M.InPlace)
    Out += (Out.empty() ? "" : " ") + std::to_string(I.Allocation) + ":" +
           nameOf(I.Why);
  return Out;
}

/// Blocks read one of four parts of a buffer, in turn: (in, out).
GridspanKernel inTurn() {
  GridspanKernel K = window();
  K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    constexpr int64_t Part = 16 * Frame;
    const int64_t Lo = B->BlockLo[0], Count = B->BlockCount[0];
    const int64_t First = Count > 3 || Lo % 4 + Count > 4 ? 0 : Lo % 4;
    const int64_t Parts = First == 0 && Count > 1 ? 4 : Count;
    Out[0] = {First * Part, Parts * Part, 0, 1, 0, 1, GridspanRangeMay, 0};
    constexpr auto Bytes = static_cast<int64_t>(Frame);
    Out[1] = {Lo * Bytes, Count * Bytes, 0, 1, 0, 1, GridspanRangeExact, 0};
  };
  return K;
}

} // namespace

TEST(ChainPlanner, PointwiseChainsPassMemoryOnce) {
  Chain C(2);
  for (int I = 0; I < 5; ++I)
    C.launch(0, 1).launch(1, 0);
  const OutOfCorePlan P = C.plan(1, 16);
  EXPECT_EQ(P.Steps.size(), 10u * Frames);
  EXPECT_EQ(P.BytesIn, Pass);
  EXPECT_LE(P.BytesOut, 2 * Pass);
  EXPECT_EQ(P.Depth, 10u);
}

TEST(ChainPlanner, WhatIsOverwrittenIsNotWrittenBack) {
  // Buffer 1 is written by the first and by the third launch.
  Chain C(3);
  C.launch(0, 1).launch(1, 2).launch(0, 1);
  const OutOfCorePlan P = C.plan(1, 16);
  EXPECT_EQ(P.BytesIn, Pass);
  EXPECT_LE(P.BytesOut, 2 * Pass);
}

TEST(ChainPlanner, StencilsGoAsDeepAsThereIsRoom) {
  Chain C(2);
  for (int I = 0; I < 8; ++I)
    C.launch(I % 2, 1 - I % 2, 1);
  const OutOfCorePlan Deep = C.plan(1, 32);
  EXPECT_EQ(Deep.Depth, 8u);
  EXPECT_LE(Deep.BytesIn, Pass + Pass / 10);
  const OutOfCorePlan Tight = C.plan(1, 10);
  EXPECT_LT(Tight.BytesIn, 3 * Pass);
  // Even one by one it may use what the launch before has left.
  const OutOfCorePlan Least = C.plan(1, 8);
  EXPECT_LT(Least.BytesIn, 8 * Pass);
}

TEST(ChainPlanner, PartsOfFramesLetMoreLaunchesGoTogether) {
  Chain C(2);
  for (int I = 0; I < 24; ++I)
    C.launch(I % 2, 1 - I % 2, 1);
  // A frame takes no longer than a chunk begins, and a thousand times as long.
  const OutOfCorePlan Whole = C.plan(1, 16);
  const OutOfCorePlan Parts = C.plan(1, 16, 1e5);
  EXPECT_GT(Parts.Steps.size(), Whole.Steps.size());
  EXPECT_LT(Parts.BytesIn, Whole.BytesIn);
  EXPECT_GT(Parts.Depth, Whole.Depth);
}

TEST(ChainPlanner, LaunchesOnOtherMemoryGoAlong) {
  Chain C(4);
  C.launch(0, 2).launch(2, 3, 1).launch(3, 1);
  C.unpage(2);
  C.unpage(3);
  for (unsigned Devices : {1U, 2U}) {
    const OutOfCorePlan P = C.plan(Devices, 8);
    EXPECT_EQ(P.BytesIn, Pass);
    EXPECT_EQ(P.Depth, 3u);
    // The last launch is under way before the first has ended.
    size_t First = 0, Last = P.Steps.size();
    for (size_t I = 0; I < P.Steps.size(); ++I) {
      First = P.Steps[I].Launch == 0 ? I : First;
      Last = P.Steps[I].Launch == 2 ? std::min(Last, I) : Last;
    }
    EXPECT_LT(Last, First / 4);
  }
}

/// With room for two chunks of twelve buffers, or for three frames of each.
TEST(ChainPlanner, ManyBuffersDoNotMakeChunksSmall) {
  constexpr unsigned Buffers = 12;
  static GridspanAccess Accesses[Buffers];
  static GridspanPointer Pointers[Buffers];
  GridspanKernel K = fake::saxpy();
  OutOfCoreInput In;
  for (unsigned A = 0; A < Buffers; ++A) {
    Accesses[A] = {"", nullptr, static_cast<int>(A), GridspanRead, 4, A};
    Pointers[A] = {A, 0, GridspanRead, GridspanRedirectable};
    PlacedAllocation Placed;
    Placed.Bytes = Pass;
    Placed.Paged = true;
    In.Launch.Allocations.push_back(Placed);
    In.Launch.Pointers.push_back({static_cast<int>(A), 0});
    PagedView V;
    V.FrameBytes = Frame;
    V.Frames.assign(Frames, {Frame, Host, false, true, false});
    In.Paged.push_back(V);
  }
  K.Accesses = Accesses;
  K.Pointers = Pointers;
  K.NumAccesses = K.NumPointers = Buffers;
  K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    for (unsigned A = 0; A < Buffers; ++A)
      Out[A] = {64 * int64_t(B->BlockLo[0]),
                64 * int64_t(B->BlockCount[0]),
                0,
                1,
                0,
                1,
                GridspanRangeExact,
                0};
  };
  const uint32_t Blocks = Pass / 64;
  In.Launch.Kernel = &K;
  In.Launch.Box = {
      nullptr, {Blocks, 1, 1}, {16, 1, 1}, {0, 0, 0}, {Blocks, 1, 1}};
  for (uint64_t Room : {26, 36, 100}) {
    In.Budget = {Room * Frame};
    const SystemInfo System = machine(1);
    const std::optional<OutOfCorePlan> P = ChunkCandidates(In, System).sweep(1);
    ASSERT_TRUE(P);
    EXPECT_LE(P->Steps.size(), 8u * Frames) << Room;
    EXPECT_EQ(P->BytesIn, Buffers * Pass);
  }
}

TEST(ChainPlanner, DevicesWaitForEachOtherAtTheirSeams) {
  Chain C(2);
  for (int I = 0; I < 4; ++I)
    C.launch(I % 2, 1 - I % 2, 1);
  const OutOfCorePlan P = C.plan(2, 24);
  EXPECT_LE(P.BytesIn, Pass + Pass / 8);
  size_t Waits = 0;
  for (size_t I = 0; I < P.Steps.size(); ++I)
    for (uint32_t J : P.Steps[I].After) {
      EXPECT_LT(J, I);
      EXPECT_NE(P.Steps[J].Device, P.Steps[I].Device);
      ++Waits;
    }
  EXPECT_GT(Waits, 0u);
  EXPECT_LE(Waits, 4u * 4u);
}

TEST(ChainPlanner, FramesStayInRingsThatAreThere) {
  // Four buffers, each of which is read again two launches later.
  Chain C(4);
  for (unsigned I = 0; I < 4; ++I)
    C.launch(I, (I + 1) % 4, 300);
  C.System = machine(1);
  C.In.Budget = {24 * Frame};
  ChainPlanner Planner(C.In, C.System, Schedule::Static);
  RingPlan Mapped;
  Mapped.Plan = Planner.plan(C.In.Budget);
  ASSERT_FALSE(Mapped.Plan.Steps.empty());
  Mapped.Rings.Slots.assign(4, {0});
  RingViews Present(4, {RingView()});
  const std::optional<RingPlan> Within =
      Planner.planWithin(C.In.Budget, Present, Mapped);
  ASSERT_TRUE(Within);
  EXPECT_TRUE(Within->HasRings);
  EXPECT_LE(Within->Rings.Bytes[0], C.In.Budget[0]);
  EXPECT_LE(Within->Plan.BytesIn, 2 * Mapped.Plan.BytesIn);
  EXPECT_EQ(Within->Plan.Least.size(), 4u);
  // Nothing is to be gained beside rings that are there.
  for (unsigned A = 0; A < 4; ++A)
    Present[A][0].Slots = Within->Rings.Slots[A][0];
  EXPECT_FALSE(Planner.planWithin(C.In.Budget, Present, *Within));
  // Nor are others where there are none yet, but they are if the plan would
  // replace some.
  RingPlan Other = *Within;
  for (std::vector<uint32_t> &Slots : Other.Rings.Slots)
    --Slots[0];
  EXPECT_FALSE(
      Planner.planWithin(C.In.Budget, RingViews(4, {RingView()}), Other));
  const std::optional<RingPlan> Kept =
      Planner.planWithin(C.In.Budget, Present, Other);
  ASSERT_TRUE(Kept);
  for (size_t A = 0; A < Present.size(); ++A)
    EXPECT_EQ(Kept->Rings.Slots[A][0], Present[A][0].Slots);
  // Few slots are no reason to give up many, which are unmapped for them.
  for (std::vector<uint32_t> &Slots : Other.Rings.Slots)
    Slots[0] = 1;
  Other.Plan.PredictedSeconds = 0.08;
  EXPECT_TRUE(Planner.planWithin(C.In.Budget, Present, Other));
}

TEST(ChainPlanner, AStepThatNeedsTooMuchHasNoPlan) {
  Chain C(2);
  C.launch(0, 1).launch(1, 0);
  EXPECT_FALSE(C.plan(1, 16).Steps.empty());
  ChainPlanner Planner(C.In, C.System, Schedule::Static);
  EXPECT_TRUE(Planner.plan({Frame}).Steps.empty());
}

TEST(ChainPlanner, ReasonsToRunAlone) {
  EXPECT_EQ(why(window(), 2), LaunchReason::None);
  EXPECT_EQ(why(window(), 2, /*Peers=*/0), LaunchReason::NoPeerAccess);
  EXPECT_EQ(why(window(), 1, /*Peers=*/0), LaunchReason::None);
  GridspanKernel K = window();
  K.TiledStub = nullptr;
  EXPECT_EQ(why(K, 1), LaunchReason::NoTiledClone);
  EXPECT_EQ(why(inTurn(), 1), LaunchReason::ChunksLoadAgain);
  EXPECT_EQ(why(fake::matmul(), 1, Link, 80), LaunchReason::None);
  // Chunks of both devices read all of it, of which each has a part: the link
  // is as fast as the bus, or much faster.
  EXPECT_EQ(why(fake::matmul(), 2, 5e10, 96), LaunchReason::ChunksWantCopies);
  EXPECT_EQ(why(fake::matmul(), 2, Link, 96), LaunchReason::None);
  K = window();
  K.Ranges = [](const GridspanBox *, GridspanRange *Out) {
    Out[0] = Out[1] = {-4096, 64, 0, 1, 0, 1, GridspanRangeExact, 0};
  };
  EXPECT_EQ(why(K, 1), LaunchReason::PointerOutside);
}

TEST(ChainPlanner, MembersAccessInPlaceWhatTheyWouldAlone) {
  GridspanKernel K = window();
  const GridspanPointer Escaping[] = {
      {0, 0, GridspanRead, 0}, {1, 0, GridspanWrite, GridspanRedirectable}};
  K.Pointers = Escaping;
  EXPECT_EQ(inPlace(member(K, 2)), "0:pointer-escapes");
  // B does not fit, and every block reads all of it.
  EXPECT_EQ(inPlace(member(fake::matmul(), 1)), "2:block-needs-too-much");
  EXPECT_EQ(inPlace(member(fake::matmul(), 1, Link, 80)), "");
  // The same where nothing is known of it.
  K = window();
  K.Ranges = [](const GridspanBox *B, GridspanRange *Out) {
    Out[0] = {0, 0, 0, 0, 0, 0, GridspanRangeUnknown, 0};
    Out[1] = {4096 * int64_t(B->BlockLo[0]),
              4096 * int64_t(B->BlockCount[0]),
              0,
              1,
              0,
              1,
              GridspanRangeExact,
              0};
  };
  EXPECT_EQ(inPlace(member(K, 1)), "0:unknown-range");
  // But no atomics.
  const GridspanAccess Adds[] = {{"", nullptr, 0, GridspanAtomic, 4, 0},
                                 {"", nullptr, 1, GridspanWrite, 4, 1}};
  K.Accesses = Adds;
  EXPECT_EQ(member(K, 1).WhyNot, LaunchReason::AtomicsOnHostPages);
  EXPECT_EQ(why(K, 1, Link, 80), LaunchReason::None);
}

TEST(ChainPlanner, WhatIsInPlaceHasNoFrames) {
  Chain C(3);
  C.launch(0, 1).launch(1, 2).launch(2, 0);
  C.In.InPlace = {{1, LaunchReason::PointerEscapes}};
  const OutOfCorePlan P = C.plan(2, 16);
  ASSERT_FALSE(P.Steps.empty());
  EXPECT_EQ(P.InPlace, C.In.InPlace);
  std::set<unsigned> Launches;
  for (size_t I = 0; I < P.Steps.size(); ++I) {
    const OutOfCoreStep &Step = P.Steps[I];
    Launches.insert(Step.Launch);
    for (const FrameUse &U : Step.Uses)
      EXPECT_NE(U.Allocation, 1u);
    for (const FrameLoad &L : Step.Load)
      EXPECT_NE(L.Ref.Allocation, 1u);
  }
  EXPECT_EQ(Launches.size(), 3u);
  // What one launch writes there the next one reads in order.
  std::vector<std::pair<uint32_t, size_t>> Written;
  for (size_t I = 0; I < P.Steps.size(); ++I) {
    const OutOfCoreStep &Step = P.Steps[I];
    if (Step.Launch == 0)
      Written.emplace_back(Step.Lo[0] + Step.Count[0], I);
    if (Step.Launch != 1)
      continue;
    uint32_t Blocks = 0;
    for (const auto &[Hi, At] : Written)
      if (Hi == Step.Lo[0] + Step.Count[0])
        ++Blocks;
    EXPECT_EQ(Blocks, 1u);
  }
  EXPECT_LT(P.BytesIn, 2 * Pass);
}

TEST(ChainPlanner, DevicesThatAreNotOpenGetNothing) {
  Chain C(2);
  for (int I = 0; I < 4; ++I)
    C.launch(I % 2, 1 - I % 2, 1);
  C.In.OthersOpen = false;
  for (const OutOfCoreStep &Step : C.plan(2, 24).Steps)
    EXPECT_EQ(Step.Device, 0);
  // Nor is anything said of links between them.
  EXPECT_EQ(member(window(), 2, /*Peers=*/0, 40, /*OthersOpen=*/false).WhyNot,
            LaunchReason::None);
}

TEST(ChainPlanner, ALaunchOfTheFirstDeviceKeepsItsChainThere) {
  Chain C(2);
  for (int I = 0; I < 4; ++I)
    C.launch(I % 2, 1 - I % 2, 1);
  std::set<int> Devices;
  for (const OutOfCoreStep &Step : C.plan(2, 24).Steps)
    Devices.insert(Step.Device);
  EXPECT_EQ(Devices.size(), 2U) << "left alone";
  C.In.Launches[2].OnlyDevice = 0;
  for (const OutOfCoreStep &Step : C.plan(2, 24).Steps)
    EXPECT_EQ(Step.Device, 0);
}

TEST(ChainPlanner, LaunchesOfDevicesOfTheirChoiceShareNoFrames) {
  Chain C(2);
  for (int I = 0; I < 4; ++I) {
    C.launch(I % 2, 1 - I % 2, 1);
    C.In.Launches.back().OnlyDevice = I % 2;
  }
  const auto Check = [](const OutOfCorePlan &P) {
    ASSERT_FALSE(P.Steps.empty());
    std::map<FrameRef, int> Where;
    for (const OutOfCoreStep &Step : P.Steps) {
      EXPECT_EQ(Step.Device, static_cast<int>(Step.Launch) % 2);
      for (const FrameRef &R : Step.Evict)
        Where.erase(R);
      for (const FrameLoad &L : Step.Load)
        EXPECT_TRUE(Where.emplace(L.Ref, Step.Device).second);
      for (const FrameUse &U : Step.Uses)
        for (uint32_t F = U.Lo; F < U.Hi; ++F)
          EXPECT_EQ(Where.at({U.Allocation, F}), Step.Device);
    }
  };
  C.System = machine(2);
  C.In.Budget.assign(2, 24 * Frame);
  ChainPlanner Planner(C.In, C.System, Schedule::Static);
  RingPlan Mapped;
  Mapped.Plan = Planner.plan(C.In.Budget);
  Check(Mapped.Plan);
  // Nor do they in rings.
  Mapped.Rings.Slots.assign(2, {0, 0});
  const std::optional<RingPlan> Within = Planner.planWithin(
      C.In.Budget, RingViews(2, {RingView(), RingView()}), Mapped);
  ASSERT_TRUE(Within);
  EXPECT_TRUE(Within->HasRings);
  Check(Within->Plan);
  // There is no such device.
  C.In.Launches[1].OnlyDevice = 2;
  EXPECT_TRUE(C.plan(2, 24).Steps.empty());
}

TEST(ChainPlanner, ALaunchWithoutChunksHasNoPlan) {
  // The second launch's blocks read all of a buffer, which does not fit.
  Chain C(2);
  C.launch(0, 1).launch(1, 0, 1 << 20);
  EXPECT_TRUE(C.plan(1, 16).Steps.empty());
}

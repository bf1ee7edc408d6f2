//===- OutOfCoreReplicasTest.cpp - Copies for chunks ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streamed launches out[i] = table[index[i]] on several devices: every chunk
// needs the whole table.
//
//===----------------------------------------------------------------------===//

#include "runtime/outofcore/ReplicaPlanner.h"
#include "test/unit/runtime/TestRuntime.h"
#include "test/unit/runtime/backend/FaultyBackend.h"
#include <numeric>

using namespace gridspan;

namespace {

constexpr uint64_t Memory = uint64_t(2) << 20; ///< of each device
constexpr int N = 5 << 19;
constexpr int TableSize = 5 << 16;
constexpr uint64_t TableBytes = TableSize * sizeof(float);

/// Has no room for pages as large as the table's on any device.
class FullForTables final : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t createPages(Location Where, size_t Bytes,
                          std::unique_ptr<Pages> &Out) override {
    if (Where != Host && Bytes == TableBytes)
      return cudaErrorMemoryAllocation;
    return ForwardingBackend::createPages(Where, Bytes, Out);
  }
};

class Replicas : public testing::TestWithParam<unsigned> {
protected:
  explicit Replicas(bool Peers = true)
      : R(GetParam(), Schedule::Static, Memory, Peers) {}

  /// Index and result larger than all devices; a table in paged memory or not.
  void allocate(bool Paged) {
    Table.resize(TableSize);
    std::iota(Table.begin(), Table.end(), 1.0f);
    std::vector<int> Values(N);
    for (int I = 0; I < N; ++I)
      Values[I] = static_cast<int>((I * 7919LL + 13) % TableSize);
    // A table for which there is no room at first is paged for good.
    void *Filler = nullptr;
    const uint64_t Most = (GetParam() - 1) * Memory + Memory / 2;
    if (Paged)
      ASSERT_EQ(__gridspan_cudaMalloc(&Filler, Most), cudaSuccess);
    DTable = toDevice(Table);
    ASSERT_EQ(R->memory().find(DTable)->Paged != nullptr, Paged);
    if (Paged)
      ASSERT_EQ(__gridspan_cudaFree(Filler), cudaSuccess);
    Index = toDevice(Values);
    Out = toDevice(std::vector<float>(N));
  }

  void runOnce() {
    ASSERT_EQ(launch(fake::gather(), N / 256, 256, 0, nullptr,
                     static_cast<const int *>(Index),
                     static_cast<const float *>(DTable), Out, N),
              cudaSuccess);
    const std::vector<float> Got = fromDevice(Out, N);
    for (int I = 0; I < N; ++I)
      ASSERT_EQ(Got[I], Table[(I * 7919LL + 13) % TableSize]);
  }

  uint64_t copied() { return R->record().Replicas.Bytes; }

  TestRuntime R;
  std::vector<float> Table;
  float *DTable = nullptr, *Out = nullptr;
  int *Index = nullptr;
};

/// Devices that do not reach each other's memory.
class ReplicasApart : public Replicas {
protected:
  ReplicasApart() : Replicas(false) {}
};

} // namespace

TEST_P(Replicas, OfPagedMemoryAreFilledOnce) {
  allocate(true);
  runOnce();
  KernelRecord K = R.kernel("gather");
  EXPECT_EQ(K.OutOfCoreLaunches, 1u);
  EXPECT_EQ(K.DevicesMax, GetParam());
  EXPECT_EQ(K.ReplicaParam, 1);
  EXPECT_EQ(K.WhyLinked, "");
  EXPECT_EQ(copied(), GetParam() * TableBytes);
  // What remains is a frame at the border of two devices' parts, for a chunk.
  EXPECT_LT(K.RemoteBytes, TableBytes);
  EXPECT_GT(K.LocalBytes, 32 * TableBytes);
  const uint64_t In = K.OutOfCoreBytesIn;
  runOnce();
  EXPECT_EQ(copied(), GetParam() * TableBytes);
  EXPECT_LE(R.kernel("gather").OutOfCoreBytesIn, 2 * In - TableBytes);
}

TEST_P(Replicas, OfOtherMemoryAreFilledOnce) {
  // Pages of the table are spread over the devices.
  Table.resize(4096);
  std::vector<int> Values(N);
  for (int I = 0; I < N; ++I)
    Values[I] = I * 31 & 4095;
  std::iota(Table.begin(), Table.end(), 1.0f);
  DTable = toDevice(Table);
  Index = toDevice(Values);
  Out = toDevice(std::vector<float>(N));
  for (int Round = 0; Round < 2; ++Round) {
    ASSERT_EQ(launch(fake::gather(), N / 256, 256, 0, nullptr,
                     static_cast<const int *>(Index),
                     static_cast<const float *>(DTable), Out, N),
              cudaSuccess);
    const std::vector<float> Got = fromDevice(Out, N);
    for (int I = 0; I < N; ++I)
      ASSERT_EQ(Got[I], Table[I * 31 & 4095]);
    EXPECT_EQ(R.kernel("gather").ReplicaParam, 1);
    EXPECT_EQ(copied(), GetParam() * 4096 * sizeof(float));
  }
}

TEST_P(Replicas, WhatWasWrittenIsCopiedAgain) {
  allocate(true);
  runOnce();
  for (float &Value : Table)
    Value = -Value;
  ASSERT_EQ(__gridspan_cudaMemcpy(DTable, Table.data(), TableBytes,
                                  cudaMemcpyHostToDevice),
            cudaSuccess);
  runOnce();
  // By a kernel, which leaves it dirty on devices.
  for (float &Value : Table)
    Value *= 2;
  ASSERT_EQ(launch(fake::saxpy(), TableSize / 256, 256, 0, nullptr, 1.0f,
                   static_cast<const float *>(DTable), DTable, TableSize),
            cudaSuccess);
  runOnce();
  EXPECT_EQ(copied(), 3 * GetParam() * TableBytes);
}

TEST_P(Replicas, WithoutRoomTheTableIsReadOverTheLink) {
  R.wrapBackend<FullForTables>();
  allocate(true);
  runOnce();
  const KernelRecord K = R.kernel("gather");
  EXPECT_EQ(K.ReplicaParam, -1);
  EXPECT_EQ(K.LinkedParam, 1);
  EXPECT_EQ(K.WhyLinked, "no-room-for-copies");
  EXPECT_EQ(K.OutOfCoreLaunches, 1u);
  EXPECT_GT(K.RemoteBytes, TableBytes);
  EXPECT_EQ(copied(), 0u);
}

TEST_P(Replicas, GiveWayToAllocations) {
  allocate(true);
  runOnce();
  void *All = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&All, Memory), cudaSuccess);
  runOnce();
  ASSERT_EQ(__gridspan_cudaFree(All), cudaSuccess);
  runOnce();
  EXPECT_EQ(__gridspan_cudaFree(DTable), cudaSuccess);
}

TEST_P(ReplicasApart, ComeFromTheHost) {
  Table.resize(TableSize);
  std::iota(Table.begin(), Table.end(), 1.0f);
  std::vector<int> Values(N);
  for (int I = 0; I < N; ++I)
    Values[I] = static_cast<int>((I * 7919LL + 13) % TableSize);
  // Device 0 alone holds allocations, so that after this one all are paged.
  float *Filler = toDevice(std::vector<float>(Memory / 8));
  DTable = toDevice(Table);
  ASSERT_NE(R->memory().find(DTable)->Paged, nullptr);
  Index = toDevice(Values);
  Out = toDevice(std::vector<float>(N));
  ASSERT_EQ(__gridspan_cudaFree(Filler), cudaSuccess);
  for (int Round = 1; Round <= 3; ++Round) {
    runOnce();
    const KernelRecord K = R.kernel("gather");
    EXPECT_EQ(K.DevicesMax, GetParam());
    EXPECT_EQ(K.ReplicaParam, 1);
    EXPECT_EQ(K.RemoteBytes, 0u);
    EXPECT_EQ(copied(), (Round + 1) / 2 * GetParam() * TableBytes);
    if (Round == 2) // leaves its frames dirty on devices
      ASSERT_EQ(launch(fake::saxpy(), TableSize / 256, 256, 0, nullptr, 0.0f,
                       static_cast<const float *>(DTable), DTable, TableSize),
                cudaSuccess);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ReplicasApart, testing::Values(2U, 3U));

INSTANTIATE_TEST_SUITE_P(Devices, Replicas, testing::Values(2U, 3U, 4U));

TEST(ReplicaFaults, AnyCallMayFailOnce) {
  // Calls are many, so a few of them stand for all.
  constexpr int64_t Tries = 24;
  FaultPlan Plan;
  int64_t Calls = 0;
  for (int64_t Try = 0; Try <= Tries; ++Try) {
    fake::module();
    Config C;
    C.Kind = DeviceKind::Cpu;
    C.NumCpuDevices = 2;
    C.DeviceMemory = Memory;
    C.Sched = Schedule::Static;
    std::string Message;
    Plan.Calls = 0;
    Plan.FailAt = Try == 0 ? -1 : Calls * (Try - 1) / Tries;
    Runtime::replace(std::make_unique<Runtime>(
        C, std::make_unique<FaultyBackend>(createBackend(C, Message), Plan)));
    (void)__gridspan_cudaGetLastError();
    constexpr int Count = 3 << 19, Size = 4096;
    std::vector<float> Got(Count), Values(Size);
    std::iota(Values.begin(), Values.end(), 1.0f);
    void *T = nullptr, *I = nullptr, *O = nullptr;
    auto Good = [&](cudaError_t Error) { return Error == cudaSuccess; };
    const bool Done =
        Good(__gridspan_cudaMalloc(&T, 4 * Size)) &&
        Good(__gridspan_cudaMalloc(&I, 4 * Count)) &&
        Good(__gridspan_cudaMalloc(&O, 4 * Count)) &&
        Good(__gridspan_cudaMemcpy(T, Values.data(), 4 * Size,
                                   cudaMemcpyHostToDevice)) &&
        Good(__gridspan_cudaMemset(I, 0, 4 * Count)) &&
        Good(launch(fake::gather(), Count / 256, 256, 0, nullptr,
                    static_cast<const int *>(I), static_cast<const float *>(T),
                    static_cast<float *>(O), Count)) &&
        Good(__gridspan_cudaMemcpy(Got.data(), O, 4 * Count,
                                   cudaMemcpyDeviceToHost));
    if (Done)
      EXPECT_EQ(Got, std::vector<float>(Count, 1.0f)) << Plan.Failed.load();
    if (Try == 0) {
      EXPECT_TRUE(Done);
      Calls = Plan.Calls;
    }
    Plan.FailAt = -1;
    for (void *P : {T, I, O})
      if (P)
        EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
    Runtime::replace(nullptr);
    EXPECT_EQ(Plan.Reserved, 0);
    EXPECT_EQ(Plan.Mapped, 0);
  }
}

//===- FormedCopyTest.cpp - Arrays of records in another order ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation whose contents are in another order only, as after a launch,
// and everybody who may ask for them.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <cstring>
#include <numeric>

using namespace gridspan;

namespace {

using Bytes = std::vector<unsigned char>;

const RecordForm Seven = {28, {0, 4, 12, 13, 14, 16}};

Bytes numbered(size_t Count, unsigned From) {
  Bytes Out(Count);
  for (size_t I = 0; I != Count; ++I)
    Out[I] = static_cast<unsigned char>((I * 7 + I / 251 + From) % 256);
  return Out;
}

/// Fields as the program would write them by hand.
Bytes formed(const Bytes &Records, const RecordForm &Form) {
  const uint64_t Room = Form.roomFor(Records.size());
  Bytes Out(Room * Form.RecordBytes);
  for (size_t At = 0; At != Records.size(); ++At) {
    const size_t Record = At / Form.RecordBytes, Byte = At % Form.RecordBytes;
    size_t Field = Form.Fields.size() - 1;
    while (Form.Fields[Field] > Byte)
      --Field;
    Out[Form.Fields[Field] * Room + Record * Form.fieldBytes(Field) + Byte -
        Form.Fields[Field]] = Records[At];
  }
  return Out;
}

/// Lets A have the contents in the other order only.
void leaveFormed(Runtime &R, void *Address, const Bytes &Contents) {
  const std::shared_ptr<Allocation> A = R.memory().find(Address);
  ASSERT_TRUE(A);
  MutexLock Guard(R.memory().owned().lock());
  if (!A->Formed) {
    Expected<std::unique_ptr<Replica>> Memory = R.memory().createReplica(
        Seven.roomFor(A->bytes()) * Seven.RecordBytes, 0);
    ASSERT_TRUE(static_cast<bool>(Memory));
    A->Formed = std::make_unique<FormedCopy>();
    A->Formed->Form = Seven;
    A->Formed->Memory = std::move(**Memory);
  }
  const Bytes Fields = formed(Contents, Seven);
  std::memcpy(A->Formed->Memory.Base, Fields.data(), Fields.size());
  A->Formed->IsOwner = true;
  R.memory().owned().noteAway(*A);
}

class FormedCopies : public testing::Test {
protected:
  // The last record is a part of one.
  static constexpr size_t Size = 28 * 700 + 15;

  void SetUp() override {
    Device = toDevice(numbered(Size, 1));
    leaveFormed(*Runtime::existing(), Device, Want);
  }
  void TearDown() override {
    EXPECT_EQ(__gridspan_cudaFree(Device), cudaSuccess);
  }
  bool isAway() { return Runtime::existing()->memory().owned().any(); }

  TestRuntime R{1};
  Bytes Want = numbered(Size, 99);
  unsigned char *Device = nullptr;
};

} // namespace

TEST(RecordForm, ConvertsThereAndBack) {
  for (const size_t Count : {1, 15, 27, 28, 28 * 300, 28 * 513 + 13}) {
    const Bytes Records = numbered(Count, 5);
    Bytes Fields(Seven.roomFor(Count) * Seven.RecordBytes), Back(Count);
    auto *At = reinterpret_cast<std::byte *>(Fields.data());
    Bytes From = Records;
    convertRecordsOnHost(Seven, FormDirection::ToFields,
                         reinterpret_cast<std::byte *>(From.data()), At, Count);
    EXPECT_EQ(Fields, formed(Records, Seven));
    convertRecordsOnHost(Seven, FormDirection::ToRecords,
                         reinterpret_cast<std::byte *>(Back.data()), At, Count);
    EXPECT_EQ(Back, Records);
  }
}

TEST_F(FormedCopies, CopiesOfAPartFindIt) {
  Bytes Got(1000);
  ASSERT_EQ(__gridspan_cudaMemcpy(Got.data(), Device + 77, Got.size(),
                                  cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Got, Bytes(Want.begin() + 77, Want.begin() + 1077));
  EXPECT_EQ(R->record().Conversions.Count, 1U);
  EXPECT_EQ(R->record().Conversions.Bytes, Size);
  EXPECT_EQ(fromDevice(Device, Size), Want);
  EXPECT_EQ(R->record().Conversions.Count, 1U);
  EXPECT_FALSE(isAway());
}

TEST_F(FormedCopies, RowsFindIt) {
  Bytes Got(4 * 700);
  ASSERT_EQ(__gridspan_cudaMemcpy2D(Got.data(), 4, Device + 16, 28, 4, 700,
                                    cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (size_t I = 0; I != Got.size(); ++I)
    ASSERT_EQ(Got[I], Want[16 + I / 4 * 28 + I % 4]) << I;
}

TEST_F(FormedCopies, WritesOfAPartKeepTheRest) {
  ASSERT_EQ(__gridspan_cudaMemset(Device + 30, 7, 100), cudaSuccess);
  std::fill_n(Want.begin() + 30, 100, 7);
  ASSERT_EQ(__gridspan_cudaMemset2D(Device + 1000, 28, 9, 4, 50), cudaSuccess);
  for (size_t Row = 0; Row != 50; ++Row)
    std::fill_n(Want.begin() + 1000 + Row * 28, 4, 9);
  EXPECT_EQ(fromDevice(Device, Size), Want);
}

TEST_F(FormedCopies, WhatIsOverwrittenIsNotConverted) {
  Want = numbered(Size, 3);
  ASSERT_EQ(
      __gridspan_cudaMemcpy(Device, Want.data(), Size, cudaMemcpyHostToDevice),
      cudaSuccess);
  EXPECT_EQ(fromDevice(Device, Size), Want);
  EXPECT_EQ(R->record().Conversions.Count, 0U);
  EXPECT_FALSE(isAway());
}

TEST_F(FormedCopies, CopiesBetweenAllocationsFindIt) {
  unsigned char *Other = toDevice(Bytes(Size));
  leaveFormed(*Runtime::existing(), Other, numbered(Size, 200));
  ASSERT_EQ(__gridspan_cudaMemcpy(Other + 5, Device + 9, 5000,
                                  cudaMemcpyDeviceToDevice),
            cudaSuccess);
  Bytes Wanted = numbered(Size, 200);
  std::copy_n(Want.begin() + 9, 5000, Wanted.begin() + 5);
  EXPECT_EQ(fromDevice(Other, Size), Wanted);
  EXPECT_EQ(fromDevice(Device, Size), Want);
  EXPECT_EQ(__gridspan_cudaFree(Other), cudaSuccess);
}

TEST_F(FormedCopies, LaunchesFindIt) {
  // 4905 numbers, of which the kernel reads and writes 4096.
  static_assert(Size / 4 > 4096);
  constexpr int N = 4096;
  std::vector<float> Floats(Size / 4);
  std::iota(Floats.begin(), Floats.end(), 1.0F);
  std::memcpy(Want.data(), Floats.data(), Floats.size() * 4);
  leaveFormed(*Runtime::existing(), Device, Want);
  ASSERT_EQ(launch(fake::saxpy(), N / 64, 64, 0, nullptr, 2.0F,
                   reinterpret_cast<float *>(Device),
                   reinterpret_cast<float *>(Device), N),
            cudaSuccess);
  for (int I = 0; I != N; ++I)
    Floats[I] = 2.0F * Floats[I] + Floats[I];
  std::memcpy(Want.data(), Floats.data(), Floats.size() * 4);
  EXPECT_EQ(fromDevice(Device, Size), Want);
}

TEST_F(FormedCopies, AllComesHomeAtOnce) {
  Runtime &Now = *Runtime::existing();
  ASSERT_EQ(Now.memory().owned().bringNow(Now.memory().all()), cudaSuccess);
  EXPECT_FALSE(isAway());
  EXPECT_EQ(std::memcmp(Device, Want.data(), Size), 0);
}

TEST_F(FormedCopies, FreedMemoryForgetsIt) {
  unsigned char *Freed = toDevice(Bytes(Size));
  leaveFormed(*Runtime::existing(), Freed, numbered(Size, 200));
  ASSERT_EQ(__gridspan_cudaFree(Freed), cudaSuccess);
  const Bytes New = numbered(Size, 42);
  unsigned char *Again = toDevice(New);
  EXPECT_EQ(fromDevice(Again, Size), New);
  const std::shared_ptr<Allocation> A =
      Runtime::existing()->memory().find(Again);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->Formed, nullptr);
  EXPECT_EQ(__gridspan_cudaFree(Again), cudaSuccess);
}

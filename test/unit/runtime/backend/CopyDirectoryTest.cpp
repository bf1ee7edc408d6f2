//===- CopyDirectoryTest.cpp - Who has which bytes ------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single changes, and random ones against a model that keeps every byte of
// every place: a byte that the directory calls good must have the contents that
// the last write gave it, wherever it is copied from.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/CopyDirectory.h"
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>

using namespace gridspan;

static const Place Home = Place::home();
static Place on(int Device) { return Place::replicaOn(Device); }

static std::vector<LackedBytes> lacked(const CopyDirectory &D, Place At,
                                       uint64_t Lo, uint64_t Hi) {
  const ByteSpan Span = {Lo, Hi};
  return D.lackedBy(At, {&Span, 1});
}

static void write(CopyDirectory &D, Place At, uint64_t Lo, uint64_t Hi,
                  bool BroughtHome = false) {
  const ByteRows Rows = {Lo, Hi - Lo, Hi - Lo, 1};
  D.written(At, {&Rows, 1}, BroughtHome);
}

TEST(CopyDirectory, BeginsWithAllAtHome) {
  const CopyDirectory D;
  EXPECT_EQ(D.state(), nullptr);
  EXPECT_TRUE(lacked(D, Home, 0, 100).empty());
  EXPECT_EQ(lacked(D, on(1), 0, 100),
            (std::vector<LackedBytes>{{0, 100, Home}}));
  EXPECT_EQ(D.bytesAway(), 0U);
}

TEST(CopyDirectory, WriterOwnsWhatItWrote) {
  CopyDirectory D;
  write(D, on(1), 40, 60);
  EXPECT_EQ(lacked(D, Home, 0, 100),
            (std::vector<LackedBytes>{{40, 60, on(1)}}));
  EXPECT_EQ(lacked(D, on(2), 30, 50),
            (std::vector<LackedBytes>{{30, 40, Home}, {40, 50, on(1)}}));
  EXPECT_TRUE(D.holdsAll(Home, 40));
  EXPECT_FALSE(D.holdsAll(Home, 41));
  EXPECT_EQ(D.bytesAway(), 20U);
  D.fetched(Home, lacked(D, Home, 0, 100));
  EXPECT_EQ(D.bytesAway(), 0U);
  EXPECT_TRUE(lacked(D, on(1), 40, 60).empty());
  write(D, Home, 0, 100);
  EXPECT_EQ(D.state(), nullptr);
}

TEST(CopyDirectory, JoinsNeighbours) {
  CopyDirectory D;
  for (uint64_t At = 0; At < 1000; At += 10)
    write(D, on(0), At, At + 10);
  ASSERT_EQ(D.state()->size(), 1U);
  EXPECT_EQ(D.state()->front(), (HeldBytes{0, 1000, on(0), on(0).bit()}));
  write(D, on(1), 500, 510);
  EXPECT_EQ(D.state()->size(), 3U);
  write(D, on(0), 500, 510);
  EXPECT_EQ(D.state()->size(), 1U);
}

TEST(CopyDirectory, OnlyOwnersSurviveUnknownWrites) {
  CopyDirectory D;
  write(D, on(1), 0, 50);
  D.fetched(on(2), lacked(D, on(2), 0, 100));
  EXPECT_TRUE(D.holdsAll(on(2), 100));
  D.see({7, 1});
  EXPECT_EQ(lacked(D, on(2), 0, 100),
            (std::vector<LackedBytes>{{0, 50, on(1)}, {50, 100, Home}}));
  EXPECT_EQ(lacked(D, on(1), 0, 100),
            (std::vector<LackedBytes>{{50, 100, Home}}));
  const auto Before = D.state();
  D.see({7, 1});
  EXPECT_EQ(D.state(), Before);
}

TEST(CopyDirectory, ForgetsAPlace) {
  CopyDirectory D;
  D.fetched(on(3), lacked(D, on(3), 10, 20));
  D.fetched(on(4), lacked(D, on(4), 0, 20));
  D.forget(on(4));
  EXPECT_EQ(D.state()->size(), 1U);
  D.forget(on(3));
  EXPECT_EQ(D.state(), nullptr);
}

TEST(CopyDirectory, KeepsTheLastDeviceApart) {
  CopyDirectory D;
  write(D, on(63), 0, 4);
  EXPECT_EQ(lacked(D, on(0), 0, 4), (std::vector<LackedBytes>{{0, 4, on(63)}}));
}

TEST(CopyDirectory, RowsAreFoundAgain) {
  EXPECT_EQ(
      rowsOf(std::vector<ByteSpan>{
          {0, 4}, {10, 14}, {20, 24}, {25, 29}, {40, 50}, {60, 70}}),
      (std::vector<ByteRows>{{0, 4, 10, 3}, {25, 4, 4, 1}, {40, 10, 20, 2}}));
  EXPECT_TRUE(rowsOf({}).empty());
  EXPECT_EQ(rowsOf(std::vector<ByteSpan>{
                       {0, 4}, {uint64_t(1) << 33, (uint64_t(1) << 33) + 4}})
                .size(),
            2U);
}

TEST(CopyDirectory, ManyRowsThatAreWrittenBackAreNotListed) {
  CopyDirectory D;
  write(D, on(1), 0, 100);
  const uint64_t Many = CopyDirectory::MaxRows + 1;
  const std::vector<PlaceUse> Uses = {{on(1), {{0, 50}}, {{0, 4, 8, Many}}},
                                      {Home, {{100, 200}}, {}}};
  const CopyStep Step = stepOf(D, Uses, false);
  EXPECT_EQ(Step.After, nullptr);
  ASSERT_EQ(Step.Fetches.size(), 2U);
  EXPECT_TRUE(Step.Fetches[0].empty());
}

TEST(CopyDirectory, RowsBesideEachOtherAreJoined) {
  // All members of 5 structs of 16 bytes, and then of 5 more.
  EXPECT_EQ(joinRows({{8, 4, 16, 5},
                      {0, 4, 16, 5},
                      {12, 4, 16, 5},
                      {4, 4, 16, 5},
                      {84, 12, 16, 5},
                      {80, 4, 16, 5}}),
            (std::vector<ByteRows>{{0, 160, 160, 1}}));
  // Not the last member.
  EXPECT_EQ(joinRows({{4, 8, 16, 5}, {0, 4, 16, 5}}),
            (std::vector<ByteRows>{{0, 12, 16, 5}}));
  // Other numbers of rows, other distances, a gap, and from one row to the next.
  const std::vector<ByteRows> Apart = {
      {4, 4, 16, 4}, {12, 4, 16, 5}, {20, 4, 16, 5}, {28, 4, 32, 5}};
  EXPECT_EQ(joinRows(Apart), Apart);
  EXPECT_TRUE(joinRows({}).empty());
}

/// The tiles of a stencil on rows of 100 bytes, of which the first and the last
/// byte stay as they are.
static std::vector<PlaceUse> stencilReads() {
  return {{on(1), {{900, 2000}}, {}}, {Home, {{0, 1100}}, {}}};
}
static std::vector<PlaceUse> stencilWrites() {
  return {{on(1), {}, {{1001, 98, 100, 9}}}, {Home, {}, {{101, 98, 100, 9}}}};
}

TEST(CopyDirectory, SwappedBuffersComeBackToTheSameStates) {
  CopyDirectory A;
  std::vector<CopyStep> Steps;
  for (int Step = 0; Step < 6; ++Step) {
    Steps.push_back(stepOf(A, stencilReads(), true));
    A.set(Steps.back().After);
    A.set(stepOf(A, stencilWrites(), true).After);
  }
  EXPECT_EQ(Steps[0].Fetches[0], (std::vector<LackedBytes>{{900, 2000, Home}}));
  // The seam, to either side: a row without the bytes that nobody writes.
  for (int Step = 2; Step < 6; ++Step) {
    EXPECT_EQ(Steps[Step].Fetches[0],
              (std::vector<LackedBytes>{{901, 999, Home}}));
    EXPECT_EQ(Steps[Step].Fetches[1],
              (std::vector<LackedBytes>{{1001, 1099, on(1)}}));
    EXPECT_EQ(*Steps[Step].Before, *Steps[1].Before);
    EXPECT_EQ(*Steps[Step].After, *Steps[1].After);
  }
}

TEST(CopyDirectory, WhatGoesHomeLeavesCopies) {
  CopyDirectory A;
  const CopyStep Step = stepOf(A, stencilWrites(), false);
  A.set(Step.After);
  EXPECT_EQ(A.bytesAway(), 0U);
  EXPECT_TRUE(lacked(A, on(1), 1001, 1099).empty());
  EXPECT_EQ(lacked(A, on(1), 1099, 1101),
            (std::vector<LackedBytes>{{1099, 1101, Home}}));
}

//===--- Against a model ------------------------------------------------===//

namespace {

constexpr int Devices = 4;
constexpr uint64_t Bytes = 120;

/// Every byte of every place, as the number of the write that it is from.
class Model {
public:
  explicit Model(unsigned Seed) : Random(Seed) {}

  void step();
  void check() const;

  CopyDirectory D;
  unsigned Closed = 0; ///< launches in which gaps were closed

private:
  unsigned &at(Place P, uint64_t Byte) {
    return Contents[P.isHome() ? 0 : P.device() + 1][Byte];
  }
  uint64_t number(uint64_t Below) { return Random() % Below; }
  Place place() {
    const uint64_t I = number(Devices + 1);
    return I == 0 ? Home : on(static_cast<int>(I) - 1);
  }
  ByteSpan span() {
    const uint64_t Lo = number(Bytes), Hi = number(Bytes + 1);
    return {std::min(Lo, Hi), std::max(Lo, Hi)};
  }
  std::vector<ByteRows> rows();
  void copy(Place To, const std::vector<LackedBytes> &From);
  void launch();

  std::mt19937 Random;
  unsigned Writes = 0;
  std::array<std::array<unsigned, Bytes>, Devices + 1> Contents = {};
  std::array<unsigned, Bytes> Truth = {};
};

} // namespace

std::vector<ByteRows> Model::rows() {
  const uint64_t RowBytes = 1 + number(6), Rows = 1 + number(4);
  const uint64_t Pitch = Rows == 1 ? RowBytes : RowBytes + 1 + number(8);
  const uint64_t Span = (Rows - 1) * Pitch + RowBytes;
  return {{number(Bytes - Span + 1), RowBytes, Pitch, Rows}};
}

void Model::copy(Place To, const std::vector<LackedBytes> &From) {
  for (const LackedBytes &L : From)
    for (uint64_t I = L.Lo; I != L.Hi; ++I)
      at(To, I) = at(L.From, I);
}

/// A launch as ExecutorCopies.cpp runs it: tiles read and write their rows.
void Model::launch() {
  std::vector<PlaceUse> Uses;
  std::array<bool, Bytes> Taken = {};
  for (int I = 0; I <= Devices; ++I) {
    PlaceUse U = {I == 0 ? Home : on(I - 1), {}, {}};
    if (number(2))
      U.Reads = {span()};
    for (const ByteRows &R : number(2) ? rows() : std::vector<ByteRows>()) {
      bool IsFree = true;
      for (uint64_t Row = 0; Row != R.Rows; ++Row)
        for (uint64_t B = R.row(Row).Lo; B != R.row(Row).Hi; ++B)
          IsFree &= !Taken[B];
      for (uint64_t Row = 0; Row != R.Rows && IsFree; ++Row)
        std::fill(Taken.begin() + R.row(Row).Lo, Taken.begin() + R.row(Row).Hi,
                  true);
      if (IsFree)
        U.Writes.push_back(R);
    }
    Uses.push_back(U);
  }
  const bool Stays = number(2);
  std::vector<PlaceUse> Planned = Uses;
  if (Stays && number(2))
    if (std::optional<std::vector<PlaceUse>> Found = closeGaps(Uses, 3)) {
      Planned = std::move(*Found);
      ++Closed;
    }
  const CopyStep Step = stepOf(D, Planned, Stays);
  ++Writes;
  for (size_t I = 0; I != Uses.size(); ++I)
    copy(Uses[I].At, Step.Fetches[I]);
  for (const PlaceUse &U : Uses)
    for (const ByteSpan &S : U.Reads)
      for (uint64_t I = S.Lo; I != S.Hi; ++I)
        ASSERT_EQ(at(U.At, I), Truth[I]) << "a tile reads a stale byte";
  for (const PlaceUse &U : Uses)
    for (const ByteRows &R : U.Writes)
      for (uint64_t Row = 0; Row != R.Rows; ++Row)
        for (uint64_t I = R.row(Row).Lo; I != R.row(Row).Hi; ++I) {
          at(U.At, I) = Truth[I] = Writes;
          if (!Stays)
            at(Home, I) = Writes;
        }
  D.set(Step.After);
}

void Model::step() {
  switch (number(5)) {
  case 0: { // a place is given what it lacks
    const Place To = place();
    const ByteSpan S = span();
    const std::vector<LackedBytes> Lacked = D.lackedBy(To, {&S, 1});
    copy(To, Lacked);
    D.fetched(To, Lacked);
    break;
  }
  case 1: { // something writes at home what it has asked for
    const ByteSpan S = span();
    const std::vector<LackedBytes> Lacked = D.lackedBy(Home, {&S, 1});
    copy(Home, Lacked);
    D.fetched(Home, Lacked);
    ++Writes;
    for (uint64_t I = S.Lo; I != S.Hi; ++I)
      at(Home, I) = Truth[I] = Writes;
    D.see({Writes, 0});
    break;
  }
  case 2: { // a replica goes
    const Place Gone = on(static_cast<int>(number(Devices)));
    const CopyDirectory::State All =
        D.state() ? *D.state() : CopyDirectory::State();
    if (std::ranges::find(All, Gone, &HeldBytes::Owner) != All.end())
      break;
    D.forget(Gone);
    Contents[Gone.device() + 1].fill(0);
    break;
  }
  default:
    launch();
  }
}

void Model::check() const {
  uint64_t Last = 0;
  for (size_t I = 0; D.state() && I != D.state()->size(); ++I) {
    const HeldBytes &H = (*D.state())[I];
    ASSERT_TRUE(Last <= H.Lo && H.Lo < H.Hi && H.Hi <= Bytes);
    ASSERT_TRUE(H.Holders & H.Owner.bit());
    ASSERT_TRUE(H.Owner.isHome() || !(H.Holders & Home.bit()));
    if (I > 0) {
      const HeldBytes &Before = (*D.state())[I - 1];
      ASSERT_FALSE(Before.Hi == H.Lo && Before.Owner == H.Owner &&
                   Before.Holders == H.Holders)
          << "neighbours are alike";
    }
    Last = H.Hi;
  }
  for (int P = 0; P <= Devices; ++P) {
    const Place At = P == 0 ? Home : on(P - 1);
    const ByteSpan All = {0, Bytes};
    std::array<bool, Bytes> Lacks = {};
    for (const LackedBytes &L : D.lackedBy(At, {&All, 1}))
      for (uint64_t I = L.Lo; I != L.Hi; ++I) {
        Lacks[I] = true;
        ASSERT_NE(L.From, At);
      }
    for (uint64_t I = 0; I != Bytes; ++I)
      if (!Lacks[I])
        ASSERT_EQ(Contents[P][I], Truth[I]) << "place " << P << ", byte " << I;
  }
}

TEST(CopyDirectory, AgreesWithAModel) {
  unsigned Closed = 0;
  for (unsigned Seed = 1; Seed <= 60; ++Seed) {
    Model M(Seed);
    for (int Step = 0; Step < 400; ++Step) {
      M.step();
      M.check();
      if (HasFatalFailure())
        FAIL() << "seed " << Seed << ", step " << Step;
    }
    EXPECT_LE(M.D.state() ? M.D.state()->size() : 0, Bytes);
    Closed += M.Closed;
  }
  EXPECT_GT(Closed, 100U);
}

//===--- Many rows ------------------------------------------------------===//

/// Two places that write rows of 12 bytes of structs of 16, which Pitch apart.
static std::vector<PlaceUse> membersWritten(uint64_t Rows, uint64_t Pitch) {
  return {{on(1), {{0, 4}}, {{Rows * Pitch, 12, Pitch, Rows}}},
          {Home, {}, {{0, 12, Pitch, Rows}}}};
}

TEST(CopyDirectory, ClosesGapsOfManyRows) {
  const uint64_t Rows = CopyDirectory::MaxRows;
  const auto Found = closeGaps(membersWritten(Rows, 16));
  ASSERT_TRUE(Found);
  const std::vector<PlaceUse> &Closed = *Found;
  const uint64_t Bytes = (Rows - 1) * 16 + 12;
  ASSERT_EQ(rowsWritten(Closed), 2U);
  EXPECT_EQ(Closed[0].Writes,
            (std::vector<ByteRows>{{Rows * 16, Bytes, Bytes, 1}}));
  EXPECT_EQ(Closed[0].Reads,
            (std::vector<ByteSpan>{{0, 4}, {Rows * 16, Rows * 16 + Bytes}}));
  EXPECT_EQ(Closed[1].Writes, (std::vector<ByteRows>{{0, Bytes, Bytes, 1}}));
  EXPECT_EQ(Closed[1].Reads, (std::vector<ByteSpan>{{0, Bytes}}));
  // What lies between its rows is fetched once, and stays.
  const CopyDirectory Before;
  const CopyStep First = stepOf(Before, Closed, true);
  EXPECT_EQ(First.Fetches[0].size(), 2U);
  CopyDirectory Then;
  Then.set(First.After);
  const CopyStep Second = stepOf(Then, Closed, true);
  EXPECT_EQ(Second.Fetches[0], (std::vector<LackedBytes>{{0, 4, Home}}));
  EXPECT_TRUE(Second.Fetches[1].empty());
  EXPECT_EQ(*Second.After, *First.After);
}

TEST(CopyDirectory, KeepsRowsApartThatAreFew) {
  const auto Uses = membersWritten(CopyDirectory::MaxRows / 2, 16);
  EXPECT_FALSE(closeGaps(Uses));
}

TEST(CopyDirectory, KeepsRowsApartThatAreFarApart) {
  const auto Uses = membersWritten(CopyDirectory::MaxRows, 128);
  EXPECT_FALSE(closeGaps(Uses));
}

TEST(CopyDirectory, KeepsRowsApartBetweenWhichOthersWrite) {
  const uint64_t Rows = CopyDirectory::MaxRows;
  const std::vector<PlaceUse> Uses = {{on(1), {}, {{0, 8, 16, Rows}}},
                                      {on(2), {}, {{8, 8, 16, Rows}}}};
  EXPECT_FALSE(closeGaps(Uses));
}

//===- ReservationUnitsTest.cpp - Addresses at chosen places --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/ReservationUnits.h"
#include "runtime/backend/Backend.h"
#include <gtest/gtest.h>

using namespace gridspan;
using Range = ReservationUnits::Range;

static constexpr size_t Unit = Backend::ReservationUnit;
static constexpr size_t Page = 2 << 20;
static constexpr uintptr_t Base = 100 * Unit;

TEST(ReservationUnits, AreThoseThatTheRangeTouches) {
  EXPECT_EQ(ReservationUnits::around({Base, Page}), (Range{Base, Unit}));
  EXPECT_EQ(ReservationUnits::around({Base + Page, Unit}),
            (Range{Base, 2 * Unit}));
  EXPECT_EQ(ReservationUnits::around({Base, 3 * Unit}),
            (Range{Base, 3 * Unit}));
}

TEST(ReservationUnits, AreReservedOnceAndGivenBackWithTheLastRange) {
  ReservationUnits U;
  EXPECT_EQ(U.find({Base, Page}), ReservationUnits::Place::Outside);
  U.add({Base, Page});
  EXPECT_EQ(U.find({Base + Page, Page}), ReservationUnits::Place::Inside);
  U.add({Base + Page, Page});
  EXPECT_TRUE(U.isKnown(Base));
  EXPECT_EQ(U.remove(Base), std::nullopt);
  EXPECT_FALSE(U.isKnown(Base));
  EXPECT_EQ(U.find({Base, Page}), ReservationUnits::Place::Inside);
  EXPECT_EQ(U.remove(Base + Page), (Range{Base, Unit}));
  EXPECT_EQ(U.find({Base, Page}), ReservationUnits::Place::Outside);
}

TEST(ReservationUnits, KnowWhatIsInUse) {
  ReservationUnits U;
  U.add({Base + 2 * Page, 2 * Page});
  EXPECT_EQ(U.find({Base + 2 * Page, 2 * Page}),
            ReservationUnits::Place::Taken);
  EXPECT_EQ(U.find({Base + 3 * Page, Page}), ReservationUnits::Place::Taken);
  EXPECT_EQ(U.find({Base + Page, 2 * Page}), ReservationUnits::Place::Taken);
  EXPECT_EQ(U.find({Base + Page, Page}), ReservationUnits::Place::Inside);
  EXPECT_EQ(U.find({Base + 4 * Page, Page}), ReservationUnits::Place::Inside);
  // Its units begin with one that is reserved without the others.
  EXPECT_EQ(U.find({Base + 4 * Page, Unit}), ReservationUnits::Place::Taken);
  EXPECT_EQ(U.find({Base + Unit, Unit}), ReservationUnits::Place::Outside);
}

TEST(ReservationUnits, ShareTheEndOfALongRange) {
  ReservationUnits U;
  U.add({Base, Unit + Page});
  EXPECT_EQ(U.find({Base + Unit + Page, Page}),
            ReservationUnits::Place::Inside);
  U.add({Base + Unit + Page, Page});
  EXPECT_EQ(U.remove(Base), std::nullopt);
  EXPECT_EQ(U.remove(Base + Unit + Page), (Range{Base, 2 * Unit}));
}

TEST(ReservationUnits, DoNotKnowOtherAddresses) {
  ReservationUnits U;
  U.add({Base, Page});
  EXPECT_FALSE(U.isKnown(Base + Page));
  EXPECT_EQ(U.remove(Base + Page), std::nullopt);
  EXPECT_EQ(U.find({Base, Page}), ReservationUnits::Place::Taken);
}

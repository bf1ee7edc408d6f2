//===- SpinningCondition.cpp - Waits that look before they sleep ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No notice is lost: notices are counted from before the lock is given back,
// and who has seen none looks at its condition again, with the lock, before it
// sleeps.
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/SpinningCondition.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gridspan {

static std::atomic<std::chrono::nanoseconds> SpinTime{};
static std::atomic<unsigned> MostSpinners{0}, Spinners{0};

void setSpinning(std::chrono::nanoseconds Time, unsigned MostThreads) {
  SpinTime = Time;
  MostSpinners = MostThreads;
}
std::chrono::nanoseconds spinTime() { return SpinTime; }

void relaxProcessor() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool SpinningCondition::spin(MutexLock &Guard,
                             std::optional<Clock::time_point> &End) {
  constexpr unsigned LooksPerTime = 32;
  const std::chrono::nanoseconds Time = SpinTime;
  if (Time.count() == 0)
    return false;
  if (!End)
    End = Clock::now() + Time;
  const unsigned Known = Notices;
  Guard.unlock();
  bool Noticed = false;
  if (++Spinners <= MostSpinners)
    while (!Noticed && Clock::now() < *End)
      for (unsigned I = 0; !Noticed && I != LooksPerTime; ++I) {
        relaxProcessor();
        Noticed = Notices != Known;
      }
  --Spinners;
  Guard.lock();
  return Noticed;
}

} // namespace gridspan

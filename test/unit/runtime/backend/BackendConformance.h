//===- BackendConformance.h - The contract of every backend -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One suite, run on whatever backend it is instantiated with:
//
//   INSTANTIATE_TEST_SUITE_P(Cpu, BackendConformance,
//                            testing::Values(BackendUnderTest{"cpu2", make}));
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_BACKENDCONFORMANCE_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_BACKENDCONFORMANCE_H

#include "runtime/backend/Backend.h"
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace gridspan {

struct BackendUnderTest {
  std::string Name;
  /// Returns null, which skips the tests, if the machine has no such devices.
  std::function<std::unique_ptr<Backend>()> Make;
  /// The GPU of each device, where one may stand for several.
  std::vector<int> Gpus = {};
};

inline void PrintTo(const BackendUnderTest &B, std::ostream *OS) {
  *OS << B.Name;
}

class BackendConformance : public testing::TestWithParam<BackendUnderTest> {
protected:
  void SetUp() override;
  void TearDown() override;

  unsigned numDevices() const { return B->system().numDevices(); }
  uint64_t page() const { return B->system().PageSize; }

  /// Maps Count pages of Where at new addresses.
  std::byte *allocate(Location Where, uint64_t Count = 1);
  std::unique_ptr<Stream> stream(int Device,
                                 StreamKind Kind = StreamKind::NonBlocking);
  std::unique_ptr<Event> event(int Device, unsigned Flags = cudaEventDefault);
  /// Keeps S busy until release() is called, which must precede its end.
  void block(Stream &S);
  void release();

  /// Reads memory of a device by a copy in S.
  std::vector<unsigned char> read(Stream &S, const void *Address, size_t Bytes);

  std::unique_ptr<Backend> B;

private:
  struct Mapping {
    void *Address;
    std::unique_ptr<Pages> Memory;
  };
  std::vector<Mapping> Mappings;
  struct Gate;
  std::shared_ptr<Gate> Blocker;
};

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_BACKEND_BACKENDCONFORMANCE_H

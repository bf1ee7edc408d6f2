// A version of CUB that Gridspan does not know stays as it is, and the compiler
// says so once.
//
// RUN: %gridspan++ -O2 -Werror -I%S/Inputs/other-cub %s -o %t 2> %t.err
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=NONE < %t.json
// SAID: warning: "Gridspan does not know this version of CUB
// SAID-NOT: warning:
// CHECK: PASS
// NONE: "calls": []

#include "Inputs/calls.h"
#include <cub/device/device_reduce.cuh>

int main() {
  constexpr int Count = 400009;
  Array<int> In(OnDevices, std::vector<int>(Count, 1)), Sum(OnDevices, 1);
  twice([&](void *S, size_t &Bytes) {
    return cub::DeviceReduce::Sum(S, Bytes, In.begin(), Sum.begin(), Count);
  });
  EXPECT(Sum.contents()[0] == Count);
  return finish();
}

// With GRIDSPAN_CHECK=1 data larger than devices are accessed where they are,
// and nothing is split on devices that do not reach each other's memory: frames
// and copies of data have addresses that belong to no allocation of the program.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_CHECK=1 GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=64KiB GRIDSPAN_REPORT=%t.json %t right 2>&1 \
// RUN:   | FileCheck --check-prefix RIGHT %s
// RUN: FileCheck --check-prefix REPORT %s < %t.json
// RUN: env GRIDSPAN_CHECK=1 GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_DEVICE_MEMORY=64KiB %t right 2>&1 \
// RUN:   | FileCheck --check-prefix RIGHT %s
// RUN: env GRIDSPAN_CHECK=1 GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 GRIDSPAN_DEVICE_MEMORY=64KiB %t right 2>&1 \
// RUN:   | FileCheck --check-prefix RIGHT %s
// RUN: not env GRIDSPAN_CHECK=1 GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=64KiB %t host 2>&1 \
// RUN:   | FileCheck --check-prefix HOST %s
//
// RIGHT-NOT: gridspan: {{[^c]}}
// RIGHT: PASS
// RIGHT: gridspan: checked {{[0-9]+}} launches: 0 wrong accesses
// REPORT: "why": "addresses-checked"
// HOST: reads 4 bytes at {{.*}}: memory of the host that is neither managed nor registered
// HOST: gridspan: checked {{.*}} wrong access

#include "../Inputs/check.h"
#include <cstring>
#include <vector>

__global__ void addRow(const int *Matrix, int *Sums, int Rows, int Width) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Rows)
    return;
  int Sum = 0;
  for (int J = 0; J < Width; ++J)
    Sum += Matrix[I * Width + J];
  Sums[I * Width] += Sum;
}

int main(int, char **Argv) {
  const int Width = 256, Rows = 256, Count = Rows * Width;
  std::vector<int> Matrix(Count), Sums(Count, 1);
  for (int I = 0; I < Count; ++I)
    Matrix[I] = I % 7 - I % 3;
  const int *From = toDevice(Matrix.data(), Count);
  int *To = toDevice(Sums.data(), Count);
  if (!strcmp(Argv[1], "host"))
    From = Matrix.data();
  for (int Step = 0; Step < 3; ++Step)
    addRow<<<Rows / 32, 32>>>(From, To, Rows, Width);
  toHost(Sums.data(), To, Count);
  for (int I = 0; I < Rows; ++I) {
    int Sum = 0;
    for (int J = 0; J < Width; ++J)
      Sum += Matrix[I * Width + J];
    EXPECT(Sums[I * Width] == 1 + 3 * Sum);
  }
  return finish();
}

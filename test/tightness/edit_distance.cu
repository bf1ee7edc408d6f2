// Edit distances by antidiagonals of the table: a launch computes one.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split diagonal \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void diagonal(int m, int n, int d, const char *a, const char *b,
                         int *table) {
  int i = max(1, d - n) + blockIdx.x * blockDim.x + threadIdx.x;
  int j = d - i;
  if (i > m || j < 1)
    return;
  int columns = n + 1;
  int change = table[(i - 1) * columns + j - 1] + (a[i - 1] != b[j - 1]);
  int less = min(table[(i - 1) * columns + j], table[i * columns + j - 1]) + 1;
  table[i * columns + j] = min(change, less);
}

int main(int argc, char **argv) {
  int root = rootOf(scaleOf(argc, argv));
  int m = 90 * root, n = 70 * root;
  Buffer<char> a(pattern<char>(m, 1, 4)), b(pattern<char>(n, 2, 4));
  std::vector<int> start((m + 1) * (n + 1));
  for (int i = 0; i <= m; ++i)
    start[i * (n + 1)] = i;
  for (int j = 0; j <= n; ++j)
    start[j] = j;
  Buffer<int> table(start);
  for (int d = 2; d <= m + n; ++d) {
    int cells = min(m, d - 1) - max(1, d - n) + 1;
    diagonal<<<divideUp(cells, 8), 8>>>(m, n, d, a, b, table);
  }
  return finish(table);
}

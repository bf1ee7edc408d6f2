// Tridiagonal systems, interleaved: a thread solves one, forward and back.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split solve \
// RUN:   %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// CHECK: checksum {{[0-9a-f]+}}

#include "Inputs/program.h"

__global__ void solve(int n, int systems, const double *lower,
                      const double *diagonal, double *upper, double *x) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems)
    return;
  upper[s] /= diagonal[s];
  x[s] /= diagonal[s];
  for (int i = 1; i < n; ++i) {
    int at = i * systems + s;
    double scale = 1 / (diagonal[at] - lower[at] * upper[at - systems]);
    upper[at] *= scale;
    x[at] = (x[at] - lower[at] * x[at - systems]) * scale;
  }
  for (int i = n - 2; i >= 0; --i)
    x[i * systems + s] -= upper[i * systems + s] * x[(i + 1) * systems + s];
}

int main(int argc, char **argv) {
  int scale = scaleOf(argc, argv);
  int n = 12, systems = 4096 * scale;
  std::vector<double> middle(n * systems, 1000);
  Buffer<double> lower(pattern<double>(n * systems)), diagonal(middle);
  Buffer<double> upper(pattern<double>(n * systems, 2));
  Buffer<double> x(pattern<double>(n * systems, 3));
  solve<<<systems / 64, 64>>>(n, systems, lower, diagonal, upper, x);
  return finish(x);
}

// Heat spreads along a bar. Prints a checksum and PASS or FAIL.
#include "kernels.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

int main(int Argc, char **Argv) {
  const int N = Argc > 1 ? std::atoi(Argv[1]) : 1 << 20;
  const int Steps = Argc > 2 ? std::atoi(Argv[2]) : 10;
  const float Conductivity = 0.2f, Limit = 0.75f;
  std::vector<float> Expected(N), Next(N), Cells(N);
  for (int I = 0; I < N; ++I)
    Expected[I] = I % 100 < 50;

  float *Before, *After;
  cudaMalloc(&Before, N * sizeof(float));
  cudaMalloc(&After, N * sizeof(float));
  cudaMemcpy(Before, Expected.data(), N * sizeof(float),
             cudaMemcpyHostToDevice);
  setConductivity(Conductivity);
  for (int S = 0; S < Steps; ++S) {
    step(Before, After, N);
    std::swap(Before, After);
  }
  cudaMemcpy(Cells.data(), Before, N * sizeof(float), cudaMemcpyDeviceToHost);
  const unsigned long long Melted = countMelted(Before, N, Limit);

  for (int S = 0; S < Steps; ++S) {
    for (int I = 0; I < N; ++I) {
      float Left = I > 0 ? Expected[I - 1] : Expected[I];
      float Right = I + 1 < N ? Expected[I + 1] : Expected[I];
      Next[I] = Expected[I] + Conductivity * (Left - Expected[I]) -
                Conductivity * (Expected[I] - Right);
    }
    std::swap(Expected, Next);
  }
  unsigned long long Hot = 0;
  double Sum = 0, Difference = 0;
  for (int I = 0; I < N; ++I) {
    Hot += Cells[I] > Limit;
    Sum += Cells[I];
    Difference = std::fmax(Difference, std::fabs(Cells[I] - Expected[I]));
  }
  cudaFree(Before);
  cudaFree(After);
  const bool Right =
      Difference < 1e-5 && Hot == Melted && cudaGetLastError() == cudaSuccess;
  std::printf("checksum %.1f, hot %llu: %s\n", Sum, Melted,
              Right ? "PASS" : "FAIL");
  return Right ? 0 : 1;
}

// A packed lower triangular matrix times a vector: row i has i + 1 elements, so
// the work of a thread grows with its row.
//
// Usage: triangular [rows]

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(Error));                                      \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void lowerTimesVector(int n, const double *L, const double *x,
                                 double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double *row = L + (size_t)i * (i + 1) / 2;
  double sum = 0;
  for (int j = 0; j <= i; ++j)
    sum += row[j] * x[j];
  y[i] = sum;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2048;
  size_t elements = (size_t)n * (n + 1) / 2;
  std::vector<double> L(elements), x(n), y(n);
  for (size_t i = 0; i < elements; ++i)
    L[i] = (double)(i % 11) - 5;
  for (int i = 0; i < n; ++i)
    x[i] = (double)(i % 13) - 6;
  double *dL, *dx, *dy;
  CHECK(cudaMalloc(&dL, elements * sizeof(double)));
  CHECK(cudaMalloc(&dx, n * sizeof(double)));
  CHECK(cudaMalloc(&dy, n * sizeof(double)));
  CHECK(cudaMemcpy(dL, L.data(), elements * sizeof(double),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  lowerTimesVector<<<(n + 63) / 64, 64>>>(n, dL, dx, dy);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost));

  // Small integers: double sums are exact.
  double sum = 0;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    double expected = 0;
    for (int j = 0; j <= i; ++j)
      expected += L[(size_t)i * (i + 1) / 2 + j] * x[j];
    wrong += y[i] != expected;
    sum += y[i] * (i % 7);
  }
  printf("triangular: n %d, checksum %.17g, wrong %d\n", n, sum, wrong);
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(dL));
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
  return wrong != 0;
}

// Loops that stride over the grid: each device gets a contiguous part of the
// iterations where that cannot be seen in the results, and all keep their
// results. With few blocks, so that each thread runs many iterations.
//
// RUN: %gridspan++ -O2 -Rpass-missed=gridspan %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT
// RUN: %compare --split saxpy --split smooth --split scale --split rowSums \
// RUN:   --split count --split reversed --split columns --local saxpy=95 \
// RUN:   --local smooth=95 --local reversed=95 \
// RUN:   %t | FileCheck %s
// RUN: %compare --devices 3 %t shifted | FileCheck %s
// CHECK: PASS
// KEPT-NOT: keeps its distribution
// KEPT: columns{{.*}} keeps its distribution: what its index starts from
// KEPT-NOT: keeps its distribution

#include "../Inputs/check.h"
#include <cstring>
#include <vector>

constexpr int N = 6000011, Rows = 1501, Columns = 999;

__global__ void saxpy(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

__global__ void smooth(size_t n, const float *x, float *y) {
  size_t step = size_t(blockDim.x) * gridDim.x;
  for (size_t i = 1 + blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n - 1;
       i += step)
    y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

__global__ void scale(int rows, int columns, float *a) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows;
       r += blockDim.y * gridDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns;
         c += blockDim.x * gridDim.x)
      a[r * columns + c] *= 0.5f;
}

__global__ void rowSums(int rows, int columns, const float *a, float *sums) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows;
       r += blockDim.x * gridDim.x) {
    float s = 0;
    for (int c = 0; c < columns; ++c)
      s += a[r * columns + c];
    sums[r] = s;
  }
}

__global__ void count(unsigned n, const float *x, int *bins) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    atomicAdd(&bins[int(x[i]) & 63], 1);
}

__global__ void reversed(int n, const float *x, float *y) {
  for (int i = n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x); i >= 0;
       i -= int(blockDim.x * gridDim.x))
    y[i] = x[i] + i;
}

// A thread's iterations depend on each other: it keeps them.
__global__ void columns(int n, float *a) {
  int step = blockDim.x * gridDim.x;
  for (int i = step + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    a[i] = a[i - step] * 0.5f + a[i];
}

// With y and x a grid apart, this is such a kernel.
__global__ void addShifted(int n, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    y[i] += x[i];
}

static std::vector<float> values(size_t Count) {
  std::vector<float> V(Count);
  for (size_t I = 0; I < Count; ++I)
    V[I] = float((I * 2654435761u >> 9) & 255);
  return V;
}

static void expectSame(const char *What, const std::vector<float> &Expected,
                       const float *Device) {
  std::vector<float> Found(Expected.size());
  toHost(Found.data(), Device, Found.size());
  for (size_t I = 0; I < Found.size(); ++I)
    if (Found[I] != Expected[I]) {
      printf("%s: [%zu] is %g, not %g\n", What, I, Found[I], Expected[I]);
      ++Failures;
      return;
    }
}

static void testShifted() {
  constexpr int Threads = 8 * 128;
  std::vector<float> A = values(N);
  float *D = toDevice(A.data(), N);
  addShifted<<<8, 128>>>(N - Threads, D, D + Threads);
  for (int I = 0; I < N - Threads; ++I)
    A[I + Threads] += A[I];
  expectSame("addShifted", A, D);
}

int main(int Argc, char **Argv) {
  if (Argc > 1 && !strcmp(Argv[1], "shifted")) {
    testShifted();
    return finish();
  }
  std::vector<float> X = values(N), Y = values(N);
  float *DX = toDevice(X.data(), N), *DY = toDevice(Y.data(), N);

  saxpy<<<12, 128>>>(N, 3, DX, DY);
  for (int I = 0; I < N; ++I)
    Y[I] = 3 * X[I] + Y[I];
  expectSame("saxpy", Y, DY);
  // The same elements through two pointers.
  saxpy<<<12, 128>>>(N, 1, DY, DY);
  for (float &V : Y)
    V = V + V;
  expectSame("saxpy in place", Y, DY);

  smooth<<<16, 64>>>(N, DX, DY);
  for (int I = 1; I < N - 1; ++I)
    Y[I] = (X[I - 1] + X[I] + X[I + 1]) / 3;
  expectSame("smooth", Y, DY);

  scale<<<dim3(3, 8), dim3(32, 4)>>>(Rows, Columns, DY);
  for (int I = 0; I < Rows * Columns; ++I)
    Y[I] *= 0.5f;
  expectSame("scale", Y, DY);

  reversed<<<8, 96>>>(N, DX, DY);
  for (int I = 0; I < N; ++I)
    Y[I] = X[I] + I;
  expectSame("reversed", Y, DY);

  columns<<<8, 128>>>(N, DY);
  for (int I = 1024; I < N; ++I)
    Y[I] = Y[I - 1024] * 0.5f + Y[I];
  expectSame("columns", Y, DY);

  rowSums<<<7, 32>>>(Rows, Columns, DX, DY);
  for (int R = 0; R < Rows; ++R) {
    Y[R] = 0;
    for (int C = 0; C < Columns; ++C)
      Y[R] += X[R * Columns + C];
  }
  expectSame("rowSums", Y, DY);

  std::vector<int> Bins(64), Found(64);
  int *DBins = toDevice(Bins.data(), 64);
  count<<<10, 64>>>(N, DX, DBins);
  for (float V : X)
    ++Bins[int(V) & 63];
  toHost(Found.data(), DBins, 64);
  EXPECT(Found == Bins);
  return finish();
}

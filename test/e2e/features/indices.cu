// Accesses through arrays of indices, which are inspected between launches:
// results are those of one device whatever the arrays hold, however they change
// from launch to launch, and wherever memory is.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split gather --split scatter --split count --split multiply \
// RUN:   --split below --split last --local gather=60 %t | FileCheck %s
// RUN: %compare --devices 1,2,3 --memory 64KiB,512KiB,4MiB %t | FileCheck %s
// RUN: %compare --devices 1,2 --memory 256KiB %t managed | FileCheck %s
// With what was decided before, which needs no report.
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 %t | FileCheck %s
// Launches that stay on the device write indices of those that do not.
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=1536KiB %t numbered | FileCheck %s
// CHECK: PASS
//
// A banded array that does not fit is streamed.
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=512KiB \
// RUN:   GRIDSPAN_REPORT=%t.json %t banded
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=STREAMED
// STREAMED: "name": "gather(
// STREAMED: "streamed_launches": 3
// STREAMED: "in_place": []
// STREAMED: "inspected": true
// STREAMED: "name": "scatter(
// STREAMED: "in_place": []
// STREAMED: "inspected": true
//
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_REPORT=%t.json %t written
// RUN: %python -m json.tool %t.json | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: "name": "follow(
// WRITTEN: "why_not_inspected": "index-written"

#include "../Inputs/check.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

constexpr int N = 200003, Band = 700, Rows = 30011;

__global__ void gather(int n, const int *index, const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[index[i]] + 1;
}

__global__ void scatter(int n, const unsigned *index, const float *in,
                        float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[index[i]] = in[i];
}

__global__ void count(int n, const unsigned short *key, unsigned *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[key[i]], 1u);
}

// Lanes whose index is negative touch nothing.
__global__ void below(int n, const long long *index, const float *a,
                      float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && index[i] >= 0)
    out[i] = a[2 * index[i] + 1];
}

// y = A x, A in compressed rows.
__global__ void multiply(int rows, const int *row, const int *column,
                         const float *value, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = row[i]; j < row[i + 1]; ++j)
    sum += value[j] * x[column[j]];
  y[i] = sum;
}

// The index of the last iteration is used behind the loop.
__global__ void last(int n, const int *index, const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int k = 0;
  for (int j = i; j < n && j < i + 3; ++j)
    k = index[j];
  out[i] = a[k];
}

__global__ void number(int n, int from, int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    index[i] = (i + from) % n;
}

__global__ void shift(int n, int by, int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    index[i] = (index[i] + by) % n;
}

// Index and data are parts of one buffer, so the launch writes its indices.
__global__ void follow(int n, const int *index, int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[index[i]] = i;
}

static bool Managed;

template <class T> T *allocate(const std::vector<T> &Data) {
  T *Device = nullptr;
  if (!Managed)
    return toDevice(Data.data(), Data.size());
  CHECK(cudaMallocManaged(&Device, Data.size() * sizeof(T)));
  std::copy(Data.begin(), Data.end(), Device);
  return Device;
}

template <class T> std::vector<T> contents(const T *Device, size_t Count) {
  std::vector<T> Out(Count);
  toHost(Out.data(), Device, Count);
  return Out;
}

static unsigned blocks(int n) { return (n + 127) / 128; }

/// Any of the Band elements around each.
static std::vector<int> banded(int n) {
  std::vector<int> Out(n);
  for (int i = 0; i < n; ++i)
    Out[i] = std::clamp<long>(i + (i * 7919L) % Band - Band / 2, 0, n - 1);
  return Out;
}

static std::vector<float> ramp(int n) {
  std::vector<float> Out(n);
  for (int i = 0; i < n; ++i)
    Out[i] = float(i % 8191);
  return Out;
}

static void expectGathered(const std::vector<int> &Index,
                           const std::vector<float> &A, const float *Out) {
  std::vector<float> Got = contents(Out, Index.size());
  for (size_t i = 0; i < Index.size(); ++i)
    if (Got[i] != A[Index[i]] + 1) {
      EXPECT(!"gathered");
      return;
    }
}

/// The same launch while its indices change in all ways that there are.
static void changing() {
  std::vector<int> Index = banded(N);
  const std::vector<float> A = ramp(N);
  int *I = allocate(Index);
  float *DA = allocate(A), *Out = allocate(std::vector<float>(N));
  auto Run = [&](int Times) {
    for (int K = 0; K < Times; ++K)
      gather<<<blocks(N), 128>>>(N, I, DA, Out);
    CHECK(cudaDeviceSynchronize());
    expectGathered(Index, A, Out);
  };
  Run(6);
  // Values that move far away.
  std::reverse(Index.begin(), Index.end());
  CHECK(cudaMemcpy(I, Index.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  Run(1);
  Run(5);
  // By a kernel, in the middle of launches.
  for (int K = 0; K < 3; ++K) {
    shift<<<blocks(N), 128>>>(N, N / 3, I);
    for (int &X : Index)
      X = (X + N / 3) % N;
    Run(K + 1);
  }
  // One element of them.
  Index[N / 2] = N - 1;
  CHECK(cudaMemcpy(I + N / 2, &Index[N / 2], sizeof(int),
                   cudaMemcpyHostToDevice));
  Run(4);
  CHECK(cudaMemset(I, 0, N / 2 * sizeof(int)));
  std::fill(Index.begin(), Index.begin() + N / 2, 0);
  Run(4);
  // Others at the same address.
  CHECK(cudaFree(I));
  Index = banded(N);
  for (int &X : Index)
    X = N - 1 - X;
  I = allocate(Index);
  Run(4);
  if (Managed) {
    for (int i = 0; i < N; ++i)
      I[i] = Index[i] = (i + 5) % N;
    Run(3);
  }
  CHECK(cudaFree(I));
  CHECK(cudaFree(DA));
  CHECK(cudaFree(Out));
}

static void written() {
  std::vector<int> Data(2 * N);
  for (int i = 0; i < N; ++i)
    Data[i] = N - 1 - i;
  int *D = allocate(Data);
  for (int K = 0; K < 4; ++K)
    follow<<<blocks(N), 128>>>(N, D, D + N);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> Got = contents(D + N, N);
  bool Right = true;
  for (int i = 0; i < N; ++i)
    Right &= Got[N - 1 - i] == i;
  EXPECT(Right);
  CHECK(cudaFree(D));
}

static void scattered() {
  // Each element once, within its band.
  std::vector<unsigned> Index(N);
  for (int i = 0; i < N; ++i)
    Index[i] = i;
  for (int i = 0; i + Band <= N; i += Band)
    std::reverse(Index.begin() + i, Index.begin() + i + Band);
  const std::vector<float> In = ramp(N);
  unsigned *I = allocate(Index);
  float *DIn = allocate(In), *Out = allocate(std::vector<float>(N, -1));
  for (int K = 0; K < 5; ++K)
    scatter<<<blocks(N), 128>>>(N, I, DIn, Out);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> Got = contents(Out, N);
  bool Right = true;
  for (int i = 0; i < N; ++i)
    Right &= Got[Index[i]] == In[i];
  EXPECT(Right);
  CHECK(cudaFree(I));
  CHECK(cudaFree(DIn));
  CHECK(cudaFree(Out));
}

static void counted() {
  std::vector<unsigned short> Key(N);
  for (int i = 0; i < N; ++i)
    Key[i] = (unsigned short)(long(i) * 60000 / N);
  unsigned short *K = allocate(Key);
  unsigned *Bins = allocate(std::vector<unsigned>(60000));
  for (int T = 0; T < 5; ++T)
    count<<<blocks(N), 128>>>(N, K, Bins);
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> Want(60000), Got = contents(Bins, 60000);
  for (unsigned short X : Key)
    Want[X] += 5;
  EXPECT(Got == Want);
  CHECK(cudaFree(K));
  CHECK(cudaFree(Bins));
}

static void guarded() {
  std::vector<long long> Index(N);
  for (int i = 0; i < N; ++i)
    Index[i] = i % 5 == 0 ? -1000000000000LL : i / 2;
  const std::vector<float> A = ramp(N + 2);
  long long *I = allocate(Index);
  float *DA = allocate(A), *Out = allocate(std::vector<float>(N, -1));
  for (int K = 0; K < 5; ++K)
    below<<<blocks(N), 128>>>(N, I, DA, Out);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> Got = contents(Out, N);
  bool Right = true;
  for (int i = 0; i < N; ++i)
    Right &= Got[i] == (Index[i] < 0 ? -1 : A[2 * Index[i] + 1]);
  EXPECT(Right);
  CHECK(cudaFree(I));
  CHECK(cudaFree(DA));
  CHECK(cudaFree(Out));
}

static void multiplied() {
  std::vector<int> Row = {0}, Column;
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < 1 + i % 9; ++j)
      Column.push_back(std::clamp(i + 5 * j - 20, 0, Rows - 1));
    Row.push_back(int(Column.size()));
  }
  std::vector<float> Value(Column.size()), X = ramp(Rows);
  for (size_t i = 0; i < Value.size(); ++i)
    Value[i] = float(i % 13);
  int *R = allocate(Row), *C = allocate(Column);
  float *V = allocate(Value), *DX = allocate(X),
        *Y = allocate(std::vector<float>(Rows));
  for (int K = 0; K < 9; ++K)
    multiply<<<blocks(Rows), 128>>>(Rows, R, C, V, DX, Y);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> Got = contents(Y, Rows);
  bool Right = true;
  for (int i = 0; i < Rows; ++i) {
    float Sum = 0;
    for (int j = Row[i]; j < Row[i + 1]; ++j)
      Sum += Value[j] * X[Column[j]];
    Right &= Got[i] == Sum;
  }
  EXPECT(Right);
  for (void *P : {(void *)R, (void *)C, (void *)V, (void *)DX, (void *)Y})
    CHECK(cudaFree(P));
}

static void lastOnes() {
  const std::vector<int> Index = banded(N);
  const std::vector<float> A = ramp(N);
  int *I = allocate(Index);
  float *DA = allocate(A), *Out = allocate(std::vector<float>(N));
  for (int K = 0; K < 5; ++K)
    last<<<blocks(N), 128>>>(N, I, DA, Out);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> Got = contents(Out, N);
  bool Right = true;
  for (int i = 0; i < N; ++i)
    Right &= Got[i] == A[Index[std::min(i + 2, N - 1)]];
  EXPECT(Right);
  CHECK(cudaFree(I));
  CHECK(cudaFree(DA));
  CHECK(cudaFree(Out));
}

static void bandedOnly() {
  const std::vector<int> Index = banded(N);
  const std::vector<float> A = ramp(N);
  int *I = allocate(Index);
  float *DA = allocate(A), *Out = allocate(std::vector<float>(N));
  for (int K = 0; K < 3; ++K)
    gather<<<blocks(N), 128>>>(N, I, DA, Out);
  CHECK(cudaDeviceSynchronize());
  expectGathered(Index, A, Out);
  scattered();
}

/// Indices that launches make from nothing.
static void numbered() {
  const int n = 1 << 17;
  std::vector<float> a(n), out(n);
  for (int i = 0; i < n; ++i)
    a[i] = i;
  int *index = allocate(std::vector<int>(n));
  float *dA = allocate(a), *dOut = allocate(out);
  // What makes the rest too large for the device.
  float *more = allocate(std::vector<float>(4 * n));
  for (int round = 0; round < 4; ++round) {
    number<<<n / 256, 256>>>(n, round * 15000, index);
    gather<<<n / 256, 256>>>(n, index, dA, dOut);
    toHost(out.data(), dOut, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      wrong += out[i] != (i + round * 15000) % n + 1;
    EXPECT(wrong == 0);
  }
  for (void *memory : {(void *)index, (void *)dA, (void *)dOut, (void *)more})
    CHECK(cudaFree(memory));
}

int main(int argc, char **argv) {
  const std::string What = argc > 1 ? argv[1] : "";
  Managed = What == "managed";
  if (What == "banded") {
    bandedOnly();
    return finish();
  }
  if (What == "numbered") {
    numbered();
    return finish();
  }
  if (What != "written") {
    changing();
    scattered();
    counted();
    guarded();
    multiplied();
    lastOnes();
  }
  written();
  return finish();
}

// Rows that the threads of a block share: a thread that has its part of a row
// goes on to the next one, which others begin later. Their loops may only be
// taken together where all make the same turns.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_SCHEDULE=static %t | FileCheck %s
#include <cstdio>
#include <vector>

// CHECK: each block its rows: 0 wrong
__global__ void ofBlock(int Width, int Rows, int *Out) {
  for (int Row = 0; Row < Rows; ++Row)
    for (int C = threadIdx.x; C < Width; C += blockDim.x)
      Out[(blockIdx.x * Rows + Row) * Width + C] += Row * 100 + C;
}

// CHECK: rows in turn: 0 wrong
__global__ void inTurn(int Width, int Rows, int *Out) {
  for (int Row = blockIdx.x; Row < Rows; Row += gridDim.x)
    for (int C = threadIdx.x; C < Width; C += blockDim.x)
      Out[Row * Width + C] += Row % 10 * 100 + C;
}

// CHECK: rows of other lengths: 0 wrong
__global__ void triangle(int Width, int Rows, int *Out) {
  for (int Row = 0; Row < Rows; ++Row)
    for (int C = threadIdx.x; C <= Row && C < Width; C += blockDim.x)
      Out[(blockIdx.x * Rows + Row) * Width + C] += Row * 100 + C;
}

// CHECK: sums of rows: 0 wrong
__global__ void sums(int Width, int Rows, int *Out) {
  __shared__ int Parts[32];
  for (int Row = blockIdx.x; Row < Rows; Row += gridDim.x) {
    int Sum = 0, Turns = 0;
    for (int C = threadIdx.x; C < Width; C += blockDim.x, ++Turns)
      Sum += Row % 10 * 100 + C;
    Parts[threadIdx.x] = Sum;
    __syncthreads();
    int Total = 0;
    for (int T = 0; T < blockDim.x; ++T)
      Total += Parts[T];
    // How often each thread was in the first loop is its own.
    for (int C = threadIdx.x; C < Width; C += blockDim.x)
      Out[Row * Width + C] += Total + Turns;
    __syncthreads();
  }
}

// CHECK: one row: 0 wrong
__global__ void oneRow(int Width, int *Out) {
  for (int C = threadIdx.x; C < Width; C += blockDim.x)
    Out[blockIdx.x * Width + C] += C;
}

static constexpr int Blocks = 13, RowsOfBlock = 10, Width = 45;
static constexpr int Rows = Blocks * RowsOfBlock;

template <typename Launch, typename Wanted>
static void test(const char *Name, Launch Do, Wanted Of) {
  int *Out = nullptr;
  cudaMalloc(&Out, Rows * Width * sizeof(int));
  cudaMemset(Out, 0, Rows * Width * sizeof(int));
  Do(Out);
  std::vector<int> Got(Rows * Width);
  cudaMemcpy(Got.data(), Out, Got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int Wrong = 0;
  for (int Row = 0; Row < Rows; ++Row)
    for (int C = 0; C < Width; ++C)
      Wrong += Got[Row * Width + C] != Of(Row, C);
  printf("%s: %d wrong\n", Name, Wrong);
  cudaFree(Out);
}

int main() {
  auto Value = [](int Row, int C) { return Row % RowsOfBlock * 100 + C; };
  test(
      "each block its rows",
      [](int *Out) { ofBlock<<<Blocks, 7>>>(Width, RowsOfBlock, Out); }, Value);
  test(
      "rows in turn", [](int *Out) { inTurn<<<5, 7>>>(Width, Rows, Out); },
      Value);
  test(
      "rows of other lengths",
      [](int *Out) { triangle<<<Blocks, 4>>>(Width, RowsOfBlock, Out); },
      [&](int Row, int C) {
        return C <= Row % RowsOfBlock ? Value(Row, C) : 0;
      });
  test(
      "sums of rows", [](int *Out) { sums<<<5, 7>>>(Width, Rows, Out); },
      [](int Row, int C) {
        const int Turns = (Width - C % 7 + 6) / 7;
        return Width * (Row % 10 * 100) + Width * (Width - 1) / 2 + Turns;
      });
  test(
      "one row", [](int *Out) { oneRow<<<Rows, 7>>>(Width, Out); },
      [](int, int C) { return C; });
}

// Products of matrices by warps, nvcuda::wmma: each shape and type, from rows and
// columns, in global and shared memory. The numbers are small, so that results are
// exact in every type.
//
// RUN: %gridspan++ -O2 -arch=sm_80 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:2 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <mma.h>
#include <vector>

using namespace nvcuda;

/// D = A * B + C, with C in D's place. Each warp has matrices of its own.
template <int M, int N, int K, typename In, typename Out, typename LayoutA,
          typename LayoutB, typename Element>
__global__ void multiply(const Element *A, const Element *B, Out *D,
                         bool ByColumns) {
  __shared__ alignas(32) Element Staged[M * K];
  for (int I = threadIdx.x; I < M * K; I += 32)
    Staged[I] = A[blockIdx.x * M * K + I];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, In, LayoutA> FA;
  wmma::fragment<wmma::matrix_b, M, N, K, In, LayoutB> FB;
  wmma::fragment<wmma::accumulator, M, N, K, Out> FC;
  const bool RowsA = std::is_same<LayoutA, wmma::row_major>::value;
  const bool RowsB = std::is_same<LayoutB, wmma::row_major>::value;
  const auto Layout = ByColumns ? wmma::mem_col_major : wmma::mem_row_major;
  const int Stride = ByColumns ? M : N;
  Out *Mine = D + blockIdx.x * M * N;
  wmma::load_matrix_sync(FA, Staged, RowsA ? K : M);
  wmma::load_matrix_sync(FB, B + blockIdx.x * K * N, RowsB ? N : K);
  wmma::load_matrix_sync(FC, Mine, Stride, Layout);
  wmma::mma_sync(FC, FA, FB, FC);
  for (int I = 0; I < FC.num_elements; ++I)
    FC.x[I] = FC.x[I] + FC.x[I];
  wmma::store_matrix_sync(Mine, FC, Stride, Layout);
}

template <int M, int N, int K, typename In, typename Out, typename LayoutA,
          typename LayoutB>
static void check(bool ByColumns) {
  using Element = typename wmma::fragment<wmma::matrix_a, M, N, K, In,
                                          LayoutA>::storage_element_type;
  constexpr int Warps = 3;
  const bool RowsA = std::is_same<LayoutA, wmma::row_major>::value;
  const bool RowsB = std::is_same<LayoutB, wmma::row_major>::value;
  Element *A, *B;
  Out *D;
  CHECK(cudaMallocManaged(&A, Warps * M * K * sizeof(Element)));
  CHECK(cudaMallocManaged(&B, Warps * K * N * sizeof(Element)));
  CHECK(cudaMallocManaged(&D, Warps * M * N * sizeof(Out)));
  std::vector<int> HA(Warps * M * K), HB(Warps * K * N), HC(Warps * M * N);
  for (size_t I = 0; I < HA.size(); ++I)
    A[I] = Element(float(HA[I] = I * 7 % 5));
  for (size_t I = 0; I < HB.size(); ++I)
    B[I] = Element(float(HB[I] = I * 5 % 7));
  for (size_t I = 0; I < HC.size(); ++I)
    D[I] = Out(float(HC[I] = I % 9));
  multiply<M, N, K, In, Out, LayoutA, LayoutB>
      <<<Warps, 32>>>(A, B, D, ByColumns);
  CHECK(cudaDeviceSynchronize());
  bool Same = true;
  for (int W = 0; W < Warps; ++W)
    for (int I = 0; I < M; ++I)
      for (int J = 0; J < N; ++J) {
        const int At = W * M * N + (ByColumns ? J * M + I : I * N + J);
        int Sum = HC[At];
        for (int L = 0; L < K; ++L)
          Sum += HA[W * M * K + (RowsA ? I * K + L : L * M + I)] *
                 HB[W * K * N + (RowsB ? L * N + J : J * K + L)];
        Same &= float(D[At]) == float(2 * Sum);
      }
  EXPECT(Same);
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(D));
}

template <int M, int N, int K, typename In, typename Out>
static void checkLayouts() {
  check<M, N, K, In, Out, wmma::row_major, wmma::col_major>(false);
  check<M, N, K, In, Out, wmma::col_major, wmma::row_major>(true);
}

template <typename In, typename Out> static void checkShapes() {
  checkLayouts<16, 16, 16, In, Out>();
  checkLayouts<32, 8, 16, In, Out>();
  checkLayouts<8, 32, 16, In, Out>();
}

int main() {
  checkShapes<half, float>();
  checkShapes<half, half>();
  checkShapes<__nv_bfloat16, float>();
  checkShapes<signed char, int>();
  checkShapes<unsigned char, int>();
  checkLayouts<16, 16, 8, wmma::precision::tf32, float>();
  checkLayouts<8, 8, 4, double, double>();
  return finish();
}

// Launches that get tables of pointers, another one each time, among launches
// that may be split, copies, and frees of what tables led to. What such a
// kernel touches is not known, and with learned times one decision serves many
// tables. The same contents wherever they run. A program is a seed: %t SEED.
//
// RUN: %gridspan++ -O2 -ffp-contract=off %s -o %t 2>&1 | count 0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 1 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CPU_SPEEDS=1,0.3 %t 1 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_CPU_SPEEDS=1,0.3 GRIDSPAN_PEER=0 %t 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_CPU_SPEEDS=1,0.5,0.3 %t 3 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t 1 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t 4 | FileCheck %s
//
// CHECK: PASS

#include "../Inputs/check.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

constexpr int MostTensors = 24, Arrays = 16, Steps = 600;

struct Tensors {
  int Count; // a power of two
  float *Out[MostTensors];
  const float *In[MostTensors];
  int Length[MostTensors];
};

/// The blocks take turns at the tensors.
__global__ void updateAll(Tensors T, float A) {
  const int t = blockIdx.x % T.Count;
  const int Blocks = gridDim.x / T.Count;
  for (int i = blockIdx.x / T.Count * blockDim.x + threadIdx.x; i < T.Length[t];
       i += blockDim.x * Blocks)
    T.Out[t][i] = T.Out[t][i] * 0.5f + T.In[t][i] * A;
}

__global__ void update(float *Out, const float *In, int n, float A) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    Out[i] = Out[i] * 0.5f + In[n - 1 - i] * A;
}

/// An array of the device, and what it is to hold.
struct Array {
  float *Device = nullptr;
  std::vector<float> Model;

  size_t bytes() const { return Model.size() * sizeof(float); }
  void allocate(std::mt19937 &Random) {
    Model.resize((256 << Random() % 9) + Random() % 7);
    for (float &X : Model)
      X = float(Random() % 64);
    CHECK(cudaMalloc(&Device, bytes()));
    copyIn(Model.size());
  }
  void copyIn(size_t n) {
    CHECK(cudaMemcpy(Device, Model.data(), n * sizeof(float),
                     cudaMemcpyHostToDevice));
  }
  bool isRight() const {
    std::vector<float> Now(Model.size());
    CHECK(cudaMemcpy(Now.data(), Device, bytes(), cudaMemcpyDeviceToHost));
    return std::memcmp(Now.data(), Model.data(), bytes()) == 0;
  }
  /// Returns the number of elements.
  int update(const Array &In, float A, bool IsReversed) {
    const size_t n = std::min(Model.size(), In.Model.size());
    for (size_t i = 0; i != n; ++i)
      Model[i] = Model[i] * 0.5f + In.Model[IsReversed ? n - 1 - i : i] * A;
    return int(n);
  }
};

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  std::mt19937 Random(atoi(argv[1]));
  Array All[Arrays];
  for (Array &X : All)
    X.allocate(Random);
  bool IsRight = true;
  for (int Step = 0; Step != Steps && IsRight; ++Step) {
    const unsigned What = Random() % 100;
    const float A = float(Random() % 4);
    Array &Some = All[Random() % Arrays];
    if (What < 70) {
      int Order[Arrays];
      std::iota(Order, Order + Arrays, 0);
      std::shuffle(Order, Order + Arrays, Random);
      Tensors T = {};
      T.Count = 1 << Random() % 4;
      for (int t = 0; t != T.Count; ++t) {
        Array &Out = All[Order[t]];
        const Array &In = All[Order[8 + Random() % 8]];
        T.Out[t] = Out.Device;
        T.In[t] = In.Device;
        T.Length[t] = Out.update(In, A, false);
      }
      updateAll<<<128, 128>>>(T, A);
    } else if (What < 90) {
      const Array &In =
          All[(&Some - All + 1 + Random() % (Arrays - 1)) % Arrays];
      const int n = Some.update(In, A, true);
      update<<<(n + 127) / 128, 128>>>(Some.Device, In.Device, n, A);
    } else if (What < 94) {
      CHECK(cudaFree(Some.Device));
      Some.allocate(Random);
    } else if (What < 97) {
      const size_t n = 1 + Random() % Some.Model.size();
      std::fill_n(Some.Model.begin(), n, A);
      Some.copyIn(n);
    } else {
      IsRight = Some.isRight();
    }
  }
  for (Array &X : All) {
    IsRight &= X.isRight();
    CHECK(cudaFree(X.Device));
  }
  puts(IsRight ? "PASS" : "FAIL");
}

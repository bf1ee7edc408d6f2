// Threads that launch, each in a stream of its own and on managed arrays of its
// own, and read one array that all kernels read. Each touches what its kernels
// leave alone right behind its launches, waits for its stream only, and then
// finds in its arrays what it has computed.
// Arguments: the first seed, rounds, threads. With -DFACTOR=64 the arrays are
// large enough for GPUs.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 1 10 3 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 2 30 3 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 3 30 3 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=auto GRIDSPAN_CHAIN=0 %t 4 30 2 | FileCheck %s
//
// CHECK: touches: {{[1-9][0-9]+}}, wrong: 0
// CHECK: PASS

#include "../Inputs/check.h"
#include "Inputs/managed-kernels.h"
#include <atomic>
#include <random>
#include <thread>
#include <vector>

static unsigned *sharedData;
static std::atomic<long> touches, wrong;

class Launcher {
public:
  explicit Launcher(unsigned seed) : random(seed) {
    for (Array &a : arrays) {
      CHECK(cudaMallocManaged(&a.data, N * sizeof(unsigned)));
      for (int i = 0; i < N; ++i)
        a.data[i] = a.expected[i] = random();
    }
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&end));
  }
  ~Launcher() {
    for (Array &a : arrays)
      CHECK(cudaFree(a.data));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(end));
  }
  void run(int rounds) {
    for (int r = 0; r < rounds; ++r) {
      for (Array &a : arrays)
        a.isUsed.assign(N, false);
      for (int l = 1 + below(5); l > 0; --l) {
        launch();
        CHECK(cudaGetLastError());
        touch();
      }
      wait();
      for (const Array &a : arrays)
        for (int i = 0; i < N; ++i)
          wrong += a.data[i] != a.expected[i];
    }
  }

private:
  struct Array {
    unsigned *data = nullptr;
    std::vector<unsigned> expected = std::vector<unsigned>(N);
    std::vector<bool> isUsed = std::vector<bool>(N); ///< by kernels
    unsigned &use(int i) {
      isUsed[i] = true;
      return expected[i];
    }
  };
  int below(int n) { return int(random() % unsigned(n)); }

  /// Launches something, and computes what it leaves.
  void launch() {
    Array &in = arrays[below(2)], &out = &in == arrays ? arrays[1] : arrays[0];
    const int lo = below(3) ? below(N) : 0;
    const int n = below(3) ? 1 + below(N - lo) : N - lo;
    const int blocks = (n + Block - 1) / Block, kind = below(7);
    for (int i = lo; i < lo + n; ++i) {
      if (kind == 0)
        out.use(i) = mixed(out.use(i));
      else if (kind == 1)
        out.use(i) = mixed(in.use(i));
      else if (kind == 2)
        out.use(i) = mixed(sharedValue(i));
      else if (kind == 3 && (in.use(i) & 64))
        out.use(i) = in.use(i) + 5;
      else if (kind == 4)
        out.use(i) = 0x07070707;
      else if (kind == 5)
        out.use(i) = in.use(i);
      else if (kind == 6 && (out.use(i) & 1))
        out.use(i) += 5;
    }
    unsigned *const from = in.data, *const to = out.data;
    switch (kind) {
    case 0:
      return update<<<blocks, Block, 0, stream>>>(to, lo, n);
    case 1:
      return transform<<<blocks, Block, 0, stream>>>(from, to, lo, n);
    case 2:
      return transform<<<blocks, Block, 0, stream>>>(sharedData, to, lo, n);
    case 3:
      return chosen<<<blocks, Block, 0, stream>>>(from, to, lo, n);
    case 4:
      CHECK(cudaMemsetAsync(to + lo, 7, n * sizeof(unsigned), stream));
      return;
    case 5:
      CHECK(cudaMemcpyAsync(to + lo, from + lo, n * sizeof(unsigned),
                            cudaMemcpyDefault, stream));
      return;
    default:
      return oddOnes<<<blocks, Block, 0, stream>>>(to, lo, n);
    }
  }

  /// Touches what no kernel has used since this thread last waited.
  void touch() {
    for (int t = 0; t < 200; ++t) {
      Array &a = arrays[below(2)];
      const int i = below(N), s = below(N);
      wrong += sharedData[s] != sharedValue(s);
      if (a.isUsed[i])
        continue;
      wrong += a.data[i] != a.expected[i];
      a.data[i] = a.expected[i] = random();
      ++touches;
    }
  }

  void wait() {
    cudaError_t error = cudaErrorNotReady;
    switch (below(3)) {
    case 0:
      CHECK(cudaStreamSynchronize(stream));
      break;
    case 1:
      CHECK(cudaEventRecord(end, stream));
      CHECK(cudaEventSynchronize(end));
      break;
    default:
      while (error == cudaErrorNotReady)
        error = cudaStreamQuery(stream);
      CHECK(error);
      (void)cudaGetLastError(); // what was not ready
    }
  }

public:
  static unsigned sharedValue(int i) { return i * 2654435761u; }

private:
  std::mt19937 random;
  Array arrays[2];
  cudaStream_t stream = nullptr;
  cudaEvent_t end = nullptr;
};

int main(int argc, char **argv) {
  const unsigned seed = argc > 1 ? std::atoi(argv[1]) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  CHECK(cudaMallocManaged(&sharedData, N * sizeof(unsigned)));
  for (int i = 0; i < N; ++i)
    sharedData[i] = Launcher::sharedValue(i);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] { Launcher(seed * 100 + t).run(rounds); });
  for (std::thread &t : all)
    t.join();
  std::printf("touches: %ld, wrong: %ld\n", touches.load(), wrong.load());
  Failures += wrong != 0;
  CHECK(cudaFree(sharedData));
  return finish();
}

// Threads of the host, each with streams and buffers of its own and one buffer
// that all read, launch larger than memory at the same time: over halves of
// buffers, in two streams that wait for each other by events, between copies of
// rows within a buffer and frees. Each computes the same on devices with plenty
// of memory and on small ones, whatever the others do meanwhile.
// %t FIRST COUNT [THREADS].
//
// RUN: %gridspan++ -O2 %s -o %t -lpthread 2>&1 | count 0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 1 6 > %t.plain
// RUN: FileCheck %s < %t.plain
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB %t 1 6 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=128KiB GRIDSPAN_SCHEDULE=static %t 1 6 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=192KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_CHAIN=0 %t 1 6 | diff %t.plain -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=192KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t 1 6 | diff %t.plain -
//
// CHECK: 1.0: {{[0-9a-f]+}}
// CHECK: 6.2: {{[0-9a-f]+}}

#include "../Inputs/check.h"
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

constexpr int Width = 128, Height = 131, N = Width * Height;

__global__ void mix(int *out, const int *in, const int *shared, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by * in[i] + (out[i] ^ shared[i]);
}
__global__ void smooth(int *out, const int *in, int reach, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= reach && i < n - reach)
    out[i] = in[i - reach] + 2 * in[i] + in[i + reach];
}
__global__ void pick(int *out, const int *in, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[(unsigned)at[i] % (unsigned)n];
}
__global__ void total(int *sum, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, in[i]);
}

class Worker {
public:
  Worker(unsigned seed, const int *shared) : random(seed), shared(shared) {
    for (cudaStream_t &s : streams)
      CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    for (int *&buffer : buffers)
      buffer = fresh();
    CHECK(cudaDeviceSynchronize());
  }
  ~Worker() {
    for (int *buffer : buffers)
      CHECK(cudaFree(buffer));
    CHECK(cudaFree(sum));
    CHECK(cudaEventDestroy(event));
    for (cudaStream_t s : streams)
      CHECK(cudaStreamDestroy(s));
  }

  void step() {
    // What the other stream has done is waited for, or the host waits for it.
    if (below(3) == 0) {
      if (below(2)) {
        CHECK(cudaEventRecord(event, streams[current]));
        CHECK(cudaStreamWaitEvent(streams[1 - current], event, 0));
      } else {
        CHECK(cudaStreamSynchronize(streams[current]));
      }
      current = 1 - current;
    }
    cudaStream_t s = streams[current];
    const unsigned a = below(Buffers),
                   b = (a + 1 + below(Buffers - 1)) % Buffers;
    int *out = buffers[a], *in = buffers[b];
    const int from = below(2) ? N / 2 : 0, n = below(2) ? N / 2 : N - from;
    const int blocks = (n + 127) / 128;
    switch (below(9)) {
    case 0:
      mix<<<blocks, 128, 0, s>>>(out + from, in + from, shared + from,
                                 (int)below(9), n);
      break;
    case 1:
      mix<<<blocks, 128, 0, s>>>(out, in + from, shared, 3, n);
      break;
    case 2:
      smooth<<<blocks, 128, 0, s>>>(out + from, in + from, 1 + (int)below(300),
                                    n);
      break;
    case 3:
      pick<<<blocks, 128, 0, s>>>(out, in, shared + from, n);
      break;
    case 4:
      total<<<blocks, 128, 0, s>>>(sum, in + from, n);
      break;
    case 5: // the second half to the first, and columns to others
      CHECK(cudaMemcpyAsync(out, out + N / 2, N / 2 * sizeof(int),
                            cudaMemcpyDeviceToDevice, s));
      break;
    case 6: {
      const size_t width = 1 + below(Width * 2);
      CHECK(cudaMemcpy2DAsync(out, Width * 4, (char *)out + Width * 2,
                              Width * 4, width, Height,
                              cudaMemcpyDeviceToDevice, s));
      break;
    }
    case 7:
      CHECK(cudaMemset2DAsync(out + from, Width * 4, (int)below(256),
                              1 + below(Width * 4), Height / 2, s));
      break;
    case 8: // launches in it may wait still
      if (below(3) == 0) {
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaFree(out));
        buffers[a] = fresh();
      }
      break;
    }
    CHECK(cudaGetLastError());
  }

  uint64_t hash() {
    uint64_t h = 14695981039346656037u;
    std::vector<int> values(N);
    for (cudaStream_t s : streams)
      CHECK(cudaStreamSynchronize(s));
    for (int *buffer : buffers) {
      CHECK(cudaMemcpyAsync(values.data(), buffer, N * sizeof(int),
                            cudaMemcpyDeviceToHost, streams[0]));
      CHECK(cudaStreamSynchronize(streams[0]));
      for (int v : values)
        h = (h ^ (unsigned)v) * 1099511628211u;
    }
    CHECK(cudaMemcpy(values.data(), sum, sizeof(int), cudaMemcpyDeviceToHost));
    return (h ^ (unsigned)values[0]) * 1099511628211u;
  }
  unsigned below(unsigned n) { return random() % n; }

private:
  static constexpr unsigned Buffers = 4;

  int *fresh() {
    int *buffer;
    std::vector<int> values(N);
    for (int &v : values)
      v = (int)random() >> 8;
    CHECK(cudaMalloc(&buffer, N * sizeof(int)));
    CHECK(cudaMemcpyAsync(buffer, values.data(), N * sizeof(int),
                          cudaMemcpyHostToDevice, streams[current]));
    CHECK(cudaStreamSynchronize(streams[current]));
    return buffer;
  }

  std::mt19937 random;
  const int *shared;
  cudaStream_t streams[2] = {};
  cudaEvent_t event = nullptr;
  unsigned current = 0;
  int *sum = nullptr;
  int *buffers[Buffers] = {};
};

int main(int argc, char **argv) {
  const unsigned first = argc > 1 ? atoi(argv[1]) : 1;
  const unsigned many = argc > 2 ? atoi(argv[2]) : 1;
  const unsigned threads = argc > 3 ? atoi(argv[3]) : 3;
  int *shared;
  CHECK(cudaMalloc(&shared, N * sizeof(int)));
  std::vector<int> values(N);
  for (int i = 0; i < N; ++i)
    values[i] = i * 2654435761u >> 5;
  CHECK(cudaMemcpy(shared, values.data(), N * sizeof(int),
                   cudaMemcpyHostToDevice));
  for (unsigned seed = first; seed < first + many; ++seed) {
    std::vector<uint64_t> hashes(threads);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        Worker worker(seed * 100 + t, shared);
        for (unsigned steps = 5 + worker.below(40); steps > 0; --steps)
          worker.step();
        hashes[t] = worker.hash();
      });
    for (std::thread &t : running)
      t.join();
    for (unsigned t = 0; t < threads; ++t)
      printf("%u.%u: %llx\n", seed, t, (unsigned long long)hashes[t]);
  }
  CHECK(cudaFree(shared));
}

// Threads of the host that write and read managed memory larger than the
// devices while kernels run: every element that no kernel of the round touches,
// and reads of what kernels only read, as CUDA lets them. A round is some
// launches and a wait. Afterwards all memory is what the host has computed.
// Arguments: the first seed, the number of seeds, threads. With -DFACTOR=64 the
// arrays are large enough for GPUs.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 1 2 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 1 3 2 | FileCheck %s
// RUN: FileCheck --check-prefix=IN-PLACE %s < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 4 3 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_CHAIN=0 %t 4 3 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_DEVICE_MEMORY=192KiB GRIDSPAN_SCHEDULE=static %t 7 2 3 | FileCheck %s
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=auto %t 9 10 2 | FileCheck %s %}
//
// CHECK: touches: {{[1-9][0-9]+}}, wrong: 0
// CHECK: PASS
//
// What is written under a condition cannot be told from what the host writes.
// IN-PLACE: "name": "chosen({{.*}}
// IN-PLACE: host-may-write

#include "../Inputs/check.h"
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#ifndef FACTOR
#define FACTOR 1
#endif
constexpr int Width = 300, Height = 270 * FACTOR, N = Width * Height + 13;
constexpr int Arrays = 4, Rounds = 25, MostLaunches = 4;

__host__ __device__ static unsigned mixed(unsigned v) { return 3 * v + 1; }

__global__ void update(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[lo + i] = mixed(p[lo + i]);
}
__global__ void transform(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i] = mixed(in[lo + i]);
}
__global__ void interior(const unsigned *in, unsigned *out, int x0, int x1,
                         int y0, int y1) {
  int x = x0 + blockIdx.x * blockDim.x + threadIdx.x;
  int y = y0 + blockIdx.y;
  if (x < x1 && y < y1)
    out[y * Width + x] = in[y * Width + x - 1] + in[y * Width + x + 1] +
                         mixed(in[y * Width + x]);
}
__global__ void strided(unsigned *out, int lo, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i * s] = mixed(i + s);
}
__global__ void chosen(const unsigned *in, unsigned *out, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[lo + i] & 64))
    out[lo + i] = in[lo + i] + 5;
}
__global__ void oddOnes(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (p[lo + i] & 1))
    p[lo + i] += 5;
}

enum Use : char { Free, Read, Written };

/// A managed array, what it is to hold, and what kernels do with it in this
/// round.
struct Array {
  unsigned *data = nullptr;
  std::vector<unsigned> expected = std::vector<unsigned>(N);
  std::vector<char> use = std::vector<char>(N);
  unsigned read(int i) {
    use[i] = std::max<char>(use[i], Read);
    return expected[i];
  }
  void write(int i, unsigned value) {
    use[i] = Written;
    expected[i] = value;
  }
};

static Array arrays[Arrays];
static std::atomic<bool> launched;
static std::atomic<long> touches, wrong;

/// Touches what the host may until the round is over; each thread writes
/// elements of its own.
static void touchMeanwhile(unsigned seed, int thread, int threads) {
  std::mt19937 random(seed);
  long count = 0;
  // Something is touched in each round, however short.
  for (int most = 0; most < 20000; ++most) {
    if (launched && most > 2000)
      break;
    Array &a = arrays[random() % Arrays];
    const int i = int(random() % (N / threads)) * threads + thread;
    if (a.use[i] == Free && random() % 2) {
      const unsigned value = random();
      *(volatile unsigned *)&a.data[i] = a.expected[i] = value;
      ++count;
    } else if (a.use[i] != Written) {
      wrong += *(volatile unsigned *)&a.data[i] != a.expected[i];
      ++count;
    }
  }
  touches += count;
}

struct Launch {
  int kernel;
  Array *in, *out;
  int lo, n, s, y0, y1;
};

static Launch choose(std::mt19937 &random) {
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  Launch l = {};
  l.kernel = below(6);
  l.in = &arrays[below(Arrays)];
  do
    l.out = &arrays[below(Arrays)];
  while (l.out == l.in);
  l.lo = below(4) ? below(N) : 0;
  l.n = below(3) ? 1 + below(N - l.lo) : N - l.lo;
  if (l.kernel == 2) {
    l.lo = 1 + below(100);
    l.n = Width - 1 - below(100) - l.lo;
    l.y0 = below(Height / 2);
    l.y1 = l.y0 + 1 + below(Height - l.y0);
  } else if (l.kernel == 3) {
    l.s = 2 + below(9);
    l.n = 1 + (N - l.lo - 1) / l.s;
  }
  return l;
}

static void model(const Launch &l) {
  for (int i = 0; i < l.n && l.kernel != 2; ++i) {
    const int at = l.lo + i;
    if (l.kernel == 0)
      l.out->write(at, mixed(l.out->read(at)));
    else if (l.kernel == 1)
      l.out->write(at, mixed(l.in->read(at)));
    else if (l.kernel == 3)
      l.out->write(l.lo + i * l.s, mixed(i + l.s));
    else if (l.kernel == 4 && (l.in->read(at) & 64))
      l.out->write(at, l.in->expected[at] + 5);
    else if (l.kernel == 5 && (l.out->read(at) & 1))
      l.out->write(at, l.out->expected[at] + 5);
  }
  for (int y = l.y0; y < l.y1; ++y)
    for (int x = l.lo; x < l.lo + l.n; ++x) {
      const int i = y * Width + x;
      const unsigned left = l.in->read(i - 1), right = l.in->read(i + 1);
      l.out->write(i, left + right + mixed(l.in->read(i)));
    }
}

static void run(const Launch &l) {
  const int blocks = (l.n + 127) / 128;
  switch (l.kernel) {
  case 0:
    return update<<<blocks, 128>>>(l.out->data, l.lo, l.n);
  case 1:
    return transform<<<blocks, 128>>>(l.in->data, l.out->data, l.lo, l.n);
  case 2:
    return interior<<<dim3(blocks, l.y1 - l.y0), 128>>>(
        l.in->data, l.out->data, l.lo, l.lo + l.n, l.y0, l.y1);
  case 3:
    return strided<<<blocks, 128>>>(l.out->data, l.lo, l.n, l.s);
  case 4:
    return chosen<<<blocks, 128>>>(l.in->data, l.out->data, l.lo, l.n);
  default:
    return oddOnes<<<blocks, 128>>>(l.out->data, l.lo, l.n);
  }
}

int main(int argc, char **argv) {
  const unsigned first = argc > 1 ? std::atoi(argv[1]) : 1;
  const unsigned count = argc > 2 ? std::atoi(argv[2]) : 1;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  for (Array &a : arrays)
    CHECK(cudaMallocManaged(&a.data, N * sizeof(unsigned)));
  for (unsigned seed = first; seed < first + count; ++seed) {
    std::mt19937 random(seed);
    for (Array &a : arrays)
      for (int i = 0; i < N; ++i)
        a.data[i] = a.expected[i] = random();
    for (int round = 0; round < Rounds; ++round) {
      for (Array &a : arrays)
        std::fill(a.use.begin(), a.use.end(), Free);
      std::vector<Launch> launches(1 + random() % MostLaunches);
      for (Launch &l : launches) {
        l = choose(random);
        model(l);
      }
      launched = false;
      std::vector<std::thread> others;
      for (int t = 0; t < threads; ++t)
        others.emplace_back(touchMeanwhile, (unsigned)random(), t, threads);
      for (const Launch &l : launches)
        run(l);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      launched = true;
      for (std::thread &t : others)
        t.join();
      for (int a = 0; a < Arrays; ++a)
        for (int i = 0; i < N; ++i)
          if (arrays[a].data[i] != arrays[a].expected[i] && wrong++ < 5)
            std::printf("seed %u round %d: array %d element %d is %u, not %u\n",
                        seed, round, a, i, arrays[a].data[i],
                        arrays[a].expected[i]);
    }
  }
  std::printf("touches: %ld, wrong: %ld\n", touches.load(), wrong.load());
  Failures += wrong != 0;
  for (Array &a : arrays)
    CHECK(cudaFree(a.data));
  return finish();
}

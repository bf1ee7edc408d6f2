// Threads of the host that write and read managed memory larger than the
// devices while kernels run: every byte that no kernel of the round touches,
// and reads of what kernels only read, as CUDA lets them. A round is some
// launches, fills, copies and graphs, and a wait of some kind. Meanwhile
// threads ask CUDA for what may have the runtime write memory back. Afterwards
// all memory is what the host has computed.
// Arguments: the first seed, the number of seeds, threads, and the only kind of
// launch, if not all. With -DFACTOR=64 the arrays are large enough for GPUs.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t 1 2 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 1 3 2 | FileCheck %s
// RUN: FileCheck --check-prefix=IN-PLACE %s < %t.json
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 4 3 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_CHAIN=0 %t 4 3 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_DEVICE_MEMORY=192KiB GRIDSPAN_SCHEDULE=static %t 7 2 3 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t 9 2 2 | FileCheck %s
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=auto %t 9 10 2 | FileCheck %s %}
//
// CHECK: touches: {{[1-9][0-9]+}}, wrong: 0
// CHECK: PASS
//
// What is written under a condition cannot be told from what the host writes.
// IN-PLACE: "name": "chosen({{.*}}
// IN-PLACE: host-may-write

#include "../Inputs/check.h"
#include "Inputs/managed-kernels.h"
#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

constexpr int Arrays = 4, Rounds = 25, MostLaunches = 4;

//===--- The model ------------------------------------------------------===//

enum Use : char { Free, Read, Written };

/// A managed array, what it is to hold, and what kernels do with each byte of
/// it in this round.
struct Array {
  unsigned *data = nullptr;
  std::vector<unsigned> expected = std::vector<unsigned>(N);
  std::vector<char> use = std::vector<char>(4 * size_t(N));
  cudaTextureObject_t texture = 0;
  template <typename T> T read(size_t i) {
    for (size_t b = i * sizeof(T); b < (i + 1) * sizeof(T); ++b)
      use[b] = std::max<char>(use[b], Read);
    return reinterpret_cast<T *>(expected.data())[i];
  }
  unsigned read(int i) { return read<unsigned>(i); }
  template <typename T> void write(size_t i, T value) {
    std::fill_n(use.begin() + i * sizeof(T), sizeof(T), Written);
    reinterpret_cast<T *>(expected.data())[i] = value;
  }
};

static Array arrays[Arrays];
static std::vector<int> whereTo;
static int *whereOnDevice;
static std::atomic<bool> launched;
static std::atomic<long> touches, wrong;

/// Touches what the host may until the round is over; each thread writes bytes
/// of its own.
static void touchMeanwhile(unsigned seed, int thread, int threads) {
  std::mt19937 random(seed);
  long count = 0;
  // Something is touched in each round, however short.
  for (int most = 0; most < 20000; ++most) {
    if (launched && most > 2000)
      break;
    Array &a = arrays[random() % Arrays];
    const size_t i = size_t(random() % (4 * N / threads)) * threads + thread;
    auto *const data = reinterpret_cast<unsigned char *>(a.data) + i;
    auto *const expected =
        reinterpret_cast<unsigned char *>(a.expected.data()) + i;
    if (a.use[i] == Free && random() % 2) {
      const auto value = static_cast<unsigned char>(random());
      __atomic_store_n(data, *expected = value, __ATOMIC_RELAXED);
      ++count;
    } else if (a.use[i] != Written) {
      // What is free, another thread may not write: it is this one's.
      wrong += __atomic_load_n(data, __ATOMIC_RELAXED) != *expected;
      ++count;
    }
  }
  touches += count;
}

/// Calls what tells the program of its kernels, or might, while others launch.
static void askMeanwhile(unsigned seed) {
  std::mt19937 random(seed);
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  while (!launched) {
    size_t free, total;
    switch (random() % 8) {
    case 0:
      CHECK(cudaMemGetInfo(&free, &total));
      break;
    case 1:
      CHECK(cudaEventRecord(event));
      break;
    case 2:
      (void)cudaEventQuery(event);
      break;
    case 3:
      (void)cudaStreamQuery(nullptr);
      break;
    default:
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    }
  }
  CHECK(cudaEventDestroy(event));
}

//===--- Launches -------------------------------------------------------===//

/// What is done in a round: each has computed what it leaves when it is made.
using Work = std::function<void(cudaStream_t)>;

static std::mt19937 random_;
static int below(int n) { return int(random_() % unsigned(n)); }
static int blocksFor(int n) { return (n + Block - 1) / Block; }

/// A part [lo, lo + n) of so many elements.
struct Part {
  int lo, n;
};
static Part part(int all) {
  Part p;
  p.lo = below(4) ? below(all) : 0;
  p.n = below(3) ? 1 + below(all - p.lo) : all - p.lo;
  return p;
}

/// Makes a launch of a kernel with those parameters, for each of which the
/// model computes something.
template <typename Kernel, typename Model, typename... Args>
static Work overPart(Kernel *kernel, const Part &p, Model &&model,
                     Args... args) {
  for (int i = 0; i < p.n; ++i)
    model(p.lo + i, i);
  const int blocks = blocksFor(p.n);
  return [=](cudaStream_t s) {
    kernel<<<blocks, Block, 0, s>>>(args..., p.lo, p.n);
  };
}

static Work makeWindow(Array &in, Array &out, bool narrow) {
  Window w;
  w.x0 = 1 + below(100);
  w.x1 = narrow ? w.x0 + 1 + below(40) : Width - 1 - below(100);
  w.y0 = below(Height / 2);
  w.y1 = w.y0 + 1 + below(Height - w.y0);
  for (int y = w.y0; y < w.y1; ++y)
    for (int x = w.x0; x < w.x1; ++x) {
      const int i = y * Width + x;
      const unsigned left = in.read(i - 1), right = in.read(i + 1);
      out.write(i, left + right + mixed(in.read(i)));
    }
  const dim3 blocks(blocksFor(w.x1 - w.x0), w.y1 - w.y0);
  return [=, &in, &out](cudaStream_t s) {
    interior<<<blocks, Block, 0, s>>>(in.data, out.data, w);
  };
}

static Work makeStrided(Array &out) {
  Part p = part(N);
  const int stride = 2 + below(9);
  p.n = 1 + (N - p.lo - 1) / stride;
  for (int i = 0; i < p.n; ++i)
    out.write(p.lo + i * stride, mixed(i + stride));
  return [=, &out](cudaStream_t s) {
    strided<<<blocksFor(p.n), Block, 0, s>>>(out.data, p.lo, p.n, stride);
  };
}

static Work makeBytes(Array &out) {
  Part p = part(4 * N);
  const int stride = 1 + below(5);
  p.n = 1 + (p.n - 1) / stride;
  for (int i = 0; i < p.n; ++i)
    out.write<unsigned char>(size_t(p.lo) + size_t(i) * stride, i * 7 + stride);
  return [=, &out](cudaStream_t s) {
    bytes<<<blocksFor(p.n), Block, 0, s>>>(
        reinterpret_cast<unsigned char *>(out.data), p.lo, p.n, stride);
  };
}

static Work makeSums(Array &in, Array &out) {
  const Part p = part(N);
  std::vector<unsigned> sum(blocksFor(p.n));
  for (int i = 0; i < p.n; ++i)
    sum[i / Block] += in.read(p.lo + i);
  for (size_t b = 0; b < sum.size(); ++b)
    out.write(b, sum[b]);
  return [=, &in, &out](cudaStream_t s) {
    sums<<<blocksFor(p.n), Block, 0, s>>>(in.data, out.data, p.lo, p.n);
  };
}

static Work makeScatter(Array &out, bool computed) {
  const int n = int(whereTo.size()), lo = below(N - n), all = 1 + below(n);
  for (int i = 0; i < all; ++i)
    out.write(lo + (computed ? place(i, n) : whereTo[i]), mixed(i));
  return [=, &out](cudaStream_t s) {
    if (computed)
      scatterComputed<<<blocksFor(all), Block, 0, s>>>(out.data, lo, n, all);
    else
      scatter<<<blocksFor(all), Block, 0, s>>>(whereOnDevice, out.data, lo,
                                               all);
  };
}

static Work makePrefixes(Array &in, Array &out) {
  Part p = part(N / RunLength);
  p.lo = std::min(p.lo, N - p.n * RunLength);
  for (int i = 0; i < p.n; ++i)
    for (int j = 0, e = in.read(p.lo + i) % RunLength; j < e; ++j)
      out.write(p.lo + i * RunLength + j, mixed(i + j));
  return [=, &in, &out](cudaStream_t s) {
    prefixes<<<blocksFor(p.n), Block, 0, s>>>(in.data, out.data, p.lo, p.n);
  };
}

/// Fills and copies of bytes, which may begin and end within elements.
static Work makeFill(Array &out) {
  const Part p = part(4 * N);
  const auto value = static_cast<unsigned char>(below(256));
  for (int i = 0; i < p.n; ++i)
    out.write<unsigned char>(p.lo + i, value);
  return [=, &out](cudaStream_t s) {
    CHECK(cudaMemsetAsync(reinterpret_cast<char *>(out.data) + p.lo, value, p.n,
                          s));
  };
}

static Work makeCopy(Array &in, Array &out) {
  const Part p = part(4 * N);
  const int shift = below(4 * N - p.n + 1);
  for (int i = 0; i < p.n; ++i)
    out.write<unsigned char>(p.lo + i, in.read<unsigned char>(shift + i));
  return [=, &in, &out](cudaStream_t s) {
    CHECK(cudaMemcpyAsync(reinterpret_cast<char *>(out.data) + p.lo,
                          reinterpret_cast<char *>(in.data) + shift, p.n,
                          cudaMemcpyDeviceToDevice, s));
  };
}

static std::vector<cudaGraphExec_t> graphs;

/// Makes the work a graph, once it runs.
static Work asGraph(const Work &work) {
  return [=](cudaStream_t s) {
    cudaStream_t recorder;
    cudaGraph_t graph;
    CHECK(cudaStreamCreateWithFlags(&recorder, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(recorder, cudaStreamCaptureModeRelaxed));
    work(recorder);
    CHECK(cudaStreamEndCapture(recorder, &graph));
    CHECK(cudaGraphInstantiate(&graphs.emplace_back(), graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(recorder));
    CHECK(cudaGraphLaunch(graphs.back(), s));
  };
}

constexpr int Kinds = 28;

static Work make(int kind) {
  Array &in = arrays[below(Arrays)];
  Array *other;
  do
    other = &arrays[below(Arrays)];
  while (other == &in);
  Array &out = *other;
  const unsigned *const from = in.data;
  unsigned *const to = out.data;
  auto *const cells = reinterpret_cast<Cell *>(to);
  const auto transformed = [&](int at, int) {
    out.write(at, mixed(in.read(at)));
  };
  switch (kind) {
  case 0:
    return overPart(
        update, part(N),
        [&](int at, int) { out.write(at, mixed(out.read(at))); }, to);
  case 1:
    return overPart(transform, part(N), transformed, from, to);
  case 2:
  case 3:
    return makeWindow(in, out, kind == 3);
  case 4:
    return makeStrided(out);
  case 5: {
    const Part p = part(N);
    return overPart(
        reversed, p,
        [&](int at, int i) {
          out.write(p.lo + p.n - 1 - i, mixed(in.read(at)));
        },
        from, to);
  }
  case 6: {
    const Part p = part(N);
    const int blocks = 1 + below(40);
    for (int i = 0; i < p.n; ++i)
      transformed(p.lo + i, i);
    return [=](cudaStream_t s) {
      gridStride<<<blocks, Block, 0, s>>>(from, to, p.lo, p.n);
    };
  }
  case 7:
    return overPart(
        bothOf, part(N),
        [&](int at, int) {
          const unsigned v = in.read(at);
          in.write(at, out.read(at));
          out.write(at, mixed(v));
        },
        in.data, to);
  case 8:
    return overPart(
        fields, part(N / Fields),
        [&](int at, int i) {
          out.write(at * Fields + 1, mixed(i));
          out.write(at * Fields + 3, mixed(out.read(at * Fields + 2)));
        },
        cells);
  case 9:
    return makeBytes(out);
  case 10:
    return overPart(
        halves, part(N - 1),
        [&, first = -1](int at, int i) mutable {
          first = i ? first : at;
          const size_t h = first + 2 * size_t(i);
          out.write<unsigned short>(h, out.read<unsigned short>(h) * 3 + 1);
        },
        reinterpret_cast<unsigned short *>(to));
  case 11:
    return makeSums(in, out);
  case 12: {
    const Part p = part(N);
    return overPart(
        counted, p,
        [&](int, int i) {
          out.write(p.lo + i / 3, out.read(p.lo + i / 3) + 2 * i + 1);
        },
        to);
  }
  case 13:
    return overPart(
        chosen, part(N),
        [&](int at, int) {
          if (const unsigned v = in.read(at); v & 64)
            out.write(at, v + 5);
        },
        from, to);
  case 14:
    return overPart(
        oddOnes, part(N),
        [&](int at, int) {
          if (const unsigned v = out.read(at); v & 1)
            out.write(at, v + 5);
        },
        to);
  case 15: {
    const Part p = part(N);
    return overPart(
        chosenAtomics, p,
        [&](int at, int i) {
          const int sum = p.lo + i / 2;
          if (const unsigned v = in.read(at); v & 32)
            out.write(sum, out.read(sum) + v);
        },
        from, to);
  }
  case 16:
    return overPart(
        chosenField, part(N / Fields),
        [&](int at, int i) {
          if (in.read(at) & 4)
            out.write(at * Fields + 4, mixed(i));
        },
        from, cells);
  case 17:
    return makePrefixes(in, out);
  case 18:
  case 19:
    return makeScatter(out, kind == 19);
  case 20:
    return overPart(unsplit, part(N), transformed, from, to);
  case 21:
    return overPart(fetched, part(N), transformed, in.texture, to);
  case 22:
    return makeFill(out);
  case 23:
    return makeCopy(in, out);
  case 24: {
    const Part p = part(N);
    for (int i = 0; i < p.n; ++i)
      transformed(p.lo + i, i);
    return [=](cudaStream_t s) {
      int lo = p.lo, n = p.n;
      const unsigned *first = from;
      unsigned *second = to;
      void *args[] = {&first, &second, &lo, &n};
      CHECK(cudaLaunchCooperativeKernel(gridStride, dim3(4), dim3(Block), args,
                                        0, s));
    };
  }
  case 25:
    return asGraph(make(below(14)));
  case 26:
    return asGraph(make(22 + below(2)));
  default: {
    // The same launch twice, in and out of turn.
    const Part p = part(N);
    const Work once = overPart(transform, p, transformed, from, to);
    const Work again = overPart(
        transform, p, [&](int at, int) { in.write(at, mixed(out.read(at))); },
        static_cast<const unsigned *>(to), in.data);
    return [=](cudaStream_t s) {
      once(s);
      again(s);
    };
  }
  }
}

static unsigned *flag;       ///< in pinned memory
static unsigned *flagSource; ///< on a device

static void waitForFlag(unsigned value) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value)
    std::this_thread::yield();
}

static void sayDone(void *value) {
  __atomic_store_n(flag, static_cast<unsigned>(reinterpret_cast<size_t>(value)),
                   __ATOMIC_RELEASE);
}

/// Ways to wait. The last ones are by what devices write, which
/// ThreadSanitizer does not see.
#if __has_feature(thread_sanitizer)
constexpr int Ways = 6;
#else
constexpr int Ways = 8;
#endif

/// Waits until the stream has done all, in one of the ways in which a program
/// may learn that.
static void waitFor(cudaStream_t stream, cudaEvent_t end) {
  static unsigned next = 0;
  const unsigned value = ++next;
  cudaError_t error = cudaErrorNotReady;
  switch (below(Ways)) {
  case 0:
    CHECK(cudaStreamSynchronize(stream));
    break;
  case 1:
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    break;
  case 2:
    CHECK(cudaEventRecord(end, stream));
    while (error == cudaErrorNotReady)
      error = cudaEventQuery(end);
    CHECK(error);
    (void)cudaGetLastError(); // what was not ready
    break;
  case 3:
    while (error == cudaErrorNotReady)
      error = cudaStreamQuery(stream);
    CHECK(error);
    (void)cudaGetLastError(); // what was not ready
    break;
  case 4:
    CHECK(cudaDeviceSynchronize());
    break;
  case 5:
    CHECK(cudaLaunchHostFunc(stream, sayDone,
                             reinterpret_cast<void *>(size_t(value))));
    waitForFlag(value);
    break;
  case 6:
    tells<<<1, 1, 0, stream>>>(flag, value);
    waitForFlag(value);
    break;
  default:
    tells<<<1, 1, 0, stream>>>(flagSource, value);
    CHECK(cudaMemcpyAsync(flag, flagSource, sizeof(unsigned),
                          cudaMemcpyDeviceToHost, stream));
    waitForFlag(value);
    break;
  }
}

/// Does the work of a round in one stream, or in two of which each waits for
/// the other where they take turns.
static void run(const std::vector<Work> &all, const cudaStream_t (&streams)[2],
                cudaEvent_t between) {
  const bool both = below(4) == 0;
  cudaStream_t last = nullptr;
  for (const Work &work : all) {
    const cudaStream_t stream = both ? streams[below(2)] : nullptr;
    if (stream != last) {
      CHECK(cudaEventRecord(between, last));
      CHECK(cudaStreamWaitEvent(stream, between, 0));
    }
    work(stream);
    last = stream;
    if (below(3) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(below(12)));
  }
  CHECK(cudaGetLastError());
  waitFor(last, between);
}

static void compare(unsigned seed, int round) {
  for (int a = 0; a < Arrays; ++a)
    for (int i = 0; i < N; ++i)
      if (arrays[a].data[i] != arrays[a].expected[i] && wrong++ < 5)
        std::printf("seed %u round %d: array %d element %d is %x, not %x\n",
                    seed, round, a, i, arrays[a].data[i],
                    arrays[a].expected[i]);
}

int main(int argc, char **argv) {
  const unsigned first = argc > 1 ? std::atoi(argv[1]) : 1;
  const unsigned count = argc > 2 ? std::atoi(argv[2]) : 1;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  const int only = argc > 4 ? std::atoi(argv[4]) : -1;
  for (Array &a : arrays) {
    CHECK(cudaMallocManaged(&a.data, N * sizeof(unsigned)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = a.data;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = N * sizeof(unsigned);
    cudaTextureDesc how = {};
    CHECK(cudaCreateTextureObject(&a.texture, &resource, &how, nullptr));
  }
  int places = 1;
  while (2 * places < N)
    places *= 2;
  whereTo.resize(places);
  for (int i = 0; i < places; ++i)
    whereTo[i] = i ^ (places / 3);
  whereOnDevice = toDevice(whereTo.data(), whereTo.size());
  CHECK(cudaHostAlloc(&flag, sizeof(unsigned), cudaHostAllocDefault));
  *flag = 0;
  CHECK(cudaMalloc(&flagSource, sizeof(unsigned)));
  cudaStream_t streams[2];
  for (cudaStream_t &s : streams)
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t between;
  CHECK(cudaEventCreateWithFlags(&between, cudaEventDisableTiming));

  for (unsigned seed = first; seed < first + count; ++seed) {
    random_.seed(seed);
    for (Array &a : arrays)
      for (int i = 0; i < N; ++i)
        a.data[i] = a.expected[i] = random_();
    for (int round = 0; round < Rounds; ++round) {
      for (Array &a : arrays)
        std::fill(a.use.begin(), a.use.end(), Free);
      std::vector<Work> all;
      for (int l = 1 + below(MostLaunches); l > 0; --l)
        all.push_back(make(only < 0 ? below(Kinds) : only));
      launched = false;
      std::vector<std::thread> others;
      for (int t = 0; t < threads; ++t)
        others.emplace_back(touchMeanwhile, (unsigned)random_(), t, threads);
      if (below(2))
        others.emplace_back(askMeanwhile, (unsigned)random_());
      run(all, streams, between);
      launched = true;
      for (std::thread &t : others)
        t.join();
      compare(seed, round);
    }
  }
  std::printf("touches: %ld, wrong: %ld\n", touches.load(), wrong.load());
  Failures += wrong != 0;
  CHECK(cudaEventDestroy(between));
  for (cudaStream_t s : streams)
    CHECK(cudaStreamDestroy(s));
  for (cudaGraphExec_t g : graphs)
    CHECK(cudaGraphExecDestroy(g));
  for (Array &a : arrays) {
    CHECK(cudaDestroyTextureObject(a.texture));
    CHECK(cudaFree(a.data));
  }
  CHECK(cudaFree(whereOnDevice));
  CHECK(cudaFree(flagSource));
  CHECK(cudaFreeHost(flag));
  return finish();
}

//===- ordering.cu - Costs of ordering work across devices ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times driver calls one by one on the host, and steps of which each runs a
// kernel on every device behind all, or the neighbouring, kernels of the step
// before. The order of split launches in runtime/ was chosen by these numbers.
//
//   gridspan++ -fno-gridspan -O2 -std=c++20 -arch=sm_90 ordering.cu -o ordering
//   ./ordering [steps]
//
// "host" is the time that enqueuing a step takes, "empty" the time of a step
// whose kernels do nothing, "over 100" the time of a step of kernels of 100 us
// beyond them. All in microseconds.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    int Error = static_cast<int>(Call);                                        \
    if (Error) {                                                               \
      fprintf(stderr, "line %d: error %d\n", __LINE__, Error);                 \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void spin(long long Nanoseconds) {
  long long Begin, Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  while (Now - Begin < Nanoseconds);
}
__global__ void empty() {}
__global__ void five(float *, const float *, size_t, float, int) {}

static double now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <typename T> static void find(const char *Name, T &Out) {
  void *Function = nullptr;
  cudaDriverEntryPointQueryResult Result;
  CHECK(cudaGetDriverEntryPointByVersion(Name, &Function, 12000,
                                         cudaEnableDefault, &Result));
  Out = reinterpret_cast<T>(Function);
  if (!Out) {
    fprintf(stderr, "no %s\n", Name);
    exit(1);
  }
}

static decltype(&cuCtxGetCurrent) CtxGetCurrent;
static decltype(&cuCtxSetCurrent) CtxSetCurrent;
static CUresult (*CtxSynchronize)();
static decltype(&cuStreamIsCapturing) StreamIsCapturing;
static decltype(&cuStreamSynchronize) StreamSynchronize;
static decltype(&cuStreamQuery) StreamQuery;
static decltype(&cuEventQuery) EventQuery;
static decltype(&cuEventRecord) EventRecord;
static decltype(&cuStreamWaitEvent) StreamWaitEvent;
static decltype(&cuLaunchKernel) LaunchKernel;
static decltype(&cuStreamWaitValue32) WaitValue;
static decltype(&cuStreamWriteValue32) WriteValue;
static decltype(&cuStreamBatchMemOp) BatchMemOp;

constexpr int Most = 8;
constexpr int FlagStride = 32; // words: a line each

struct Gpu {
  CUcontext Context;
  cudaStream_t Main, Own;
  CUevent Done[2], Fork;
  CUfunction Spin, Empty, Five;
  CUdeviceptr Flags; // in its own memory
  CUdeviceptr HostFlags;
};
static Gpu G[Most];
static int Count;
static long long SpinFor;

static void use(int I) { CHECK(CtxSetCurrent(G[I].Context)); }
static CUdeviceptr flag(int Owner, int Which) {
  return G[Owner].Flags + 4ull * FlagStride * Which;
}

static void kernel(int I, cudaStream_t S) {
  long long Nanoseconds = SpinFor;
  void *Args[] = {&Nanoseconds};
  CUfunction F = SpinFor ? G[I].Spin : G[I].Empty;
  CHECK(LaunchKernel(F, 1, 1, 1, 32, 1, 1, 0, S, SpinFor ? Args : nullptr,
                     nullptr));
}
static void record(CUevent E, cudaStream_t S) { CHECK(EventRecord(E, S)); }
static void wait(cudaStream_t S, CUevent E) { CHECK(StreamWaitEvent(S, E, 0)); }

//===--- Schemes ---------------------------------------------------------===//
// K counts steps from 1 and never starts again.

/// The streams of the others wait for device 0's, and it for them.
static void starEvents(int N, unsigned) {
  use(0);
  record(G[0].Fork, G[0].Main);
  for (int I = N - 1; I > 0; --I) {
    use(I);
    wait(G[I].Own, G[0].Fork);
    kernel(I, G[I].Own);
    record(G[I].Done[0], G[I].Own);
  }
  use(0);
  kernel(0, G[0].Main);
  for (int I = 1; I < N; ++I)
    wait(G[0].Main, G[I].Done[0]);
}

/// The same, with waits and launches in two rounds.
static void starEventsRounds(int N, unsigned) {
  use(0);
  record(G[0].Fork, G[0].Main);
  kernel(0, G[0].Main);
  for (int I = 1; I < N; ++I) {
    use(I);
    wait(G[I].Own, G[0].Fork);
    kernel(I, G[I].Own);
    record(G[I].Done[0], G[I].Own);
  }
  use(0);
  for (int I = 1; I < N; ++I)
    wait(G[0].Main, G[I].Done[0]);
}

/// Without changing the current context.
static void starEventsOneContext(int N, unsigned) {
  use(0);
  record(G[0].Fork, G[0].Main);
  for (int I = N - 1; I > 0; --I) {
    wait(G[I].Own, G[0].Fork);
    kernel(I, G[I].Own);
    record(G[I].Done[0], G[I].Own);
  }
  kernel(0, G[0].Main);
  for (int I = 1; I < N; ++I)
    wait(G[0].Main, G[I].Done[0]);
}

/// Every stream waits for all others' kernels of the step before.
static void allEvents(int N, unsigned K) {
  for (int I = 0; I < N; ++I) {
    use(I);
    for (int J = 0; J < N; ++J)
      if (J != I)
        wait(G[I].Own, G[J].Done[(K + 1) % 2]);
    kernel(I, G[I].Own);
    record(G[I].Done[K % 2], G[I].Own);
  }
}

/// Waits for the neighbours' kernels only.
static void neighbourEvents(int N, unsigned K) {
  for (int I = 0; I < N; ++I) {
    use(I);
    for (int J : {I - 1, I + 1})
      if (J >= 0 && J < N)
        wait(G[I].Own, G[J].Done[(K + 1) % 2]);
    kernel(I, G[I].Own);
    record(G[I].Done[K % 2], G[I].Own);
  }
}

/// The same, and device 0's main stream waits for all of them, as it must when
/// others may use it.
static void neighbourEventsJoined(int N, unsigned K) {
  neighbourEvents(N, K);
  use(0);
  for (int I = 0; I < N; ++I)
    wait(G[0].Main, G[I].Done[K % 2]);
}

static CUstreamBatchMemOpParams waitFor(CUdeviceptr Flag, unsigned K) {
  CUstreamBatchMemOpParams P = {};
  P.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  P.waitValue.address = Flag;
  P.waitValue.value = K;
  P.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  return P;
}
static CUstreamBatchMemOpParams write(CUdeviceptr Flag, unsigned K) {
  CUstreamBatchMemOpParams P = {};
  P.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  P.writeValue.address = Flag;
  P.writeValue.value = K;
  return P;
}
using Batch = std::vector<CUstreamBatchMemOpParams>;
static void submit(cudaStream_t S, Batch &B) {
  if (!B.empty())
    CHECK(BatchMemOp(S, B.size(), B.data(), 0));
}

/// Orders like starEvents, by counters in the memory of the waiting device.
static void starFlags(int N, unsigned K) {
  Batch B;
  use(0);
  for (int I = 1; I < N; ++I)
    B.push_back(write(flag(I, 0), K));
  submit(G[0].Main, B);
  for (int I = N - 1; I > 0; --I) {
    use(I);
    CHECK(WaitValue(G[I].Own, flag(I, 0), K, CU_STREAM_WAIT_VALUE_GEQ));
    kernel(I, G[I].Own);
    CHECK(WriteValue(G[I].Own, flag(0, I), K, 0));
  }
  use(0);
  kernel(0, G[0].Main);
  B.clear();
  for (int I = 1; I < N; ++I)
    B.push_back(waitFor(flag(0, I), K));
  submit(G[0].Main, B);
}

static void peerFlags(int N, unsigned K, bool All) {
  Batch B;
  for (int I = 0; I < N; ++I) {
    use(I);
    auto Meets = [&](int J) { return J != I && (All || std::abs(I - J) == 1); };
    B.clear();
    for (int J = 0; J < N; ++J)
      if (Meets(J))
        B.push_back(waitFor(flag(I, J), K - 1));
    submit(G[I].Own, B);
    kernel(I, G[I].Own);
    B.clear();
    for (int J = 0; J < N; ++J)
      if (Meets(J))
        B.push_back(write(flag(J, I), K));
    submit(G[I].Own, B);
  }
}
static void allFlags(int N, unsigned K) { peerFlags(N, K, true); }
static void neighbourFlags(int N, unsigned K) { peerFlags(N, K, false); }

/// One kernel on every device and no order between them.
static void unordered(int N, unsigned) {
  for (int I = 0; I < N; ++I) {
    use(I);
    kernel(I, G[I].Own);
  }
}

//===--- Measuring -------------------------------------------------------===//

static void finish() {
  for (int I = 0; I < Count; ++I) {
    use(I);
    CHECK(CtxSynchronize());
  }
  use(0);
}

static unsigned NextStep = 1;

/// Microseconds of a step, all and on the host only; best of 3.
static void timeSteps(const std::function<void(int, unsigned)> &Step, int N,
                      int Steps, double &All, double &OnHost) {
  All = OnHost = 1e30;
  for (int R = 0; R < 3; ++R) {
    finish();
    double Begin = now();
    for (int K = 0; K < Steps; ++K)
      Step(N, NextStep++);
    double Enqueued = now();
    finish();
    All = std::min(All, (now() - Begin) / Steps);
    OnHost = std::min(OnHost, (Enqueued - Begin) / Steps);
  }
}

static void scheme(const char *Name, int N, int Steps,
                   const std::function<void(int, unsigned)> &Step) {
  // Counters begin where steps do.
  for (int I = 0; I < Count; ++I)
    for (int J = 0; J < Count; ++J) {
      unsigned Before = NextStep - 1;
      CHECK(cudaMemcpy(reinterpret_cast<void *>(flag(I, J)), &Before, 4,
                       cudaMemcpyHostToDevice));
    }
  double Empty, Spun, Host, Ignored;
  SpinFor = 0;
  timeSteps(Step, N, std::min(Steps, 100), Ignored, Host);
  timeSteps(Step, N, Steps, Empty, Ignored);
  SpinFor = 100000;
  timeSteps(Step, N, Steps, Spun, Ignored);
  printf("%-24s %d GPUs  host %6.2f  empty %6.2f  over 100 %6.2f\n", Name, N,
         Host, Empty, Spun - 100);
}

static void call(const char *Name, int Calls, const std::function<void()> &Do) {
  double Best = 1e30;
  for (int R = 0; R < 5; ++R) {
    finish();
    double Begin = now();
    for (int I = 0; I < Calls; ++I)
      Do();
    Best = std::min(Best, (now() - Begin) / Calls);
  }
  printf("%-44s %7.3f\n", Name, Best);
}

int main(int Argc, char **Argv) {
  int Steps = Argc > 1 ? atoi(Argv[1]) : 300;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  CHECK(cudaGetDeviceCount(&Count));
  Count = std::min(Count, Most);
  find("cuCtxGetCurrent", CtxGetCurrent);
  find("cuCtxSetCurrent", CtxSetCurrent);
  find("cuCtxSynchronize", CtxSynchronize);
  find("cuStreamIsCapturing", StreamIsCapturing);
  find("cuStreamSynchronize", StreamSynchronize);
  find("cuStreamQuery", StreamQuery);
  find("cuEventQuery", EventQuery);
  find("cuEventRecord", EventRecord);
  find("cuStreamWaitEvent", StreamWaitEvent);
  find("cuLaunchKernel", LaunchKernel);
  find("cuStreamWaitValue32", WaitValue);
  find("cuStreamWriteValue32", WriteValue);
  find("cuStreamBatchMemOp", BatchMemOp);
  for (int I = 0; I < Count; ++I) {
    CHECK(cudaSetDevice(I));
    CHECK(cudaFree(nullptr));
    CHECK(CtxGetCurrent(&G[I].Context));
    for (int J = 0; J < Count; ++J)
      if (I != J)
        CHECK(cudaDeviceEnablePeerAccess(J, 0));
    CHECK(cudaStreamCreateWithFlags(&G[I].Main, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&G[I].Own, cudaStreamNonBlocking));
    cudaEvent_t E[3];
    for (auto &Event : E)
      CHECK(cudaEventCreateWithFlags(&Event, cudaEventDisableTiming));
    G[I].Done[0] = E[0], G[I].Done[1] = E[1], G[I].Fork = E[2];
    void *Flags;
    CHECK(cudaMalloc(&Flags, 4 * FlagStride * Most));
    CHECK(cudaMemset(Flags, 0, 4 * FlagStride * Most));
    G[I].Flags = reinterpret_cast<CUdeviceptr>(Flags);
    CHECK(cudaGetFuncBySymbol(&G[I].Spin, reinterpret_cast<void *>(spin)));
    CHECK(cudaGetFuncBySymbol(&G[I].Empty, reinterpret_cast<void *>(empty)));
    CHECK(cudaGetFuncBySymbol(&G[I].Five, reinterpret_cast<void *>(five)));
  }
  finish();

  printf("host calls, one device current\n");
  CUcontext Current;
  CUstreamCaptureStatus Status;
  Gpu &A = G[0];
  call("cuCtxGetCurrent", 10000, [&] { CtxGetCurrent(&Current); });
  call("cuCtxSetCurrent, the same", 10000, [&] { CtxSetCurrent(A.Context); });
  call("cuStreamIsCapturing, legacy stream", 10000,
       [&] { StreamIsCapturing(CU_STREAM_LEGACY, &Status); });
  call("cuStreamIsCapturing, other stream", 10000,
       [&] { StreamIsCapturing(A.Main, &Status); });
  call("cuStreamQuery, idle", 10000, [&] { StreamQuery(A.Main); });
  call("cuStreamSynchronize, idle, legacy stream", 2000,
       [&] { StreamSynchronize(CU_STREAM_LEGACY); });
  call("cuStreamSynchronize, idle, other stream", 2000,
       [&] { StreamSynchronize(A.Main); });
  call("cuCtxSynchronize, idle", 2000, [&] { CtxSynchronize(); });
  call("cuEventRecord", 300, [&] { record(A.Done[0], A.Main); });
  call("cuEventQuery, done", 2000, [&] { EventQuery(A.Done[0]); });
  call("cuStreamWaitEvent, done, same stream", 300,
       [&] { wait(A.Main, A.Done[0]); });
  call("cuStreamWaitEvent, done, other stream", 300,
       [&] { wait(A.Own, A.Done[0]); });
  call("cuStreamWriteValue32", 300,
       [&] { CHECK(WriteValue(A.Own, flag(0, 7), 1, 0)); });
  call("cuStreamWaitValue32, satisfied", 300, [&] {
    CHECK(WaitValue(A.Own, flag(0, 7), 1, CU_STREAM_WAIT_VALUE_GEQ));
  });
  float *P = nullptr;
  const float *Q = nullptr;
  size_t N = 1;
  float F = 1;
  int X = 1;
  void *FiveArgs[] = {&P, &Q, &N, &F, &X};
  int Launches = 20000;
  call("cudaLaunchKernel, 5 arguments, legacy", Launches, [&] {
    cudaLaunchKernel(reinterpret_cast<void *>(five), 16, 256, FiveArgs, 0,
                     nullptr);
  });
  call("cuLaunchKernel, 5 arguments, legacy", Launches, [&] {
    LaunchKernel(A.Five, 16, 1, 1, 256, 1, 1, 0, CU_STREAM_LEGACY, FiveArgs,
                 nullptr);
  });
  call("cuLaunchKernel, 5 arguments, other stream", Launches, [&] {
    LaunchKernel(A.Five, 16, 1, 1, 256, 1, 1, 0, A.Main, FiveArgs, nullptr);
  });
  call("cuLaunchKernel, empty, legacy", Launches, [&] {
    LaunchKernel(A.Empty, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr,
                 nullptr);
  });
  call("launch + cuCtxSynchronize", 2000, [&] {
    LaunchKernel(A.Empty, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr,
                 nullptr);
    CtxSynchronize();
  });
  call("launch + cuStreamSynchronize, legacy", 2000, [&] {
    LaunchKernel(A.Empty, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr,
                 nullptr);
    StreamSynchronize(CU_STREAM_LEGACY);
  });
  if (Count < 2)
    return 0;
  Gpu &B = G[1];
  call("cuCtxSetCurrent, there and back", 10000, [&] {
    CtxSetCurrent(B.Context);
    CtxSetCurrent(A.Context);
  });
  call("cuEventRecord, other device's context", 300,
       [&] { record(B.Done[0], B.Own); });
  call("cuStreamWaitEvent, done, other device's event", 300,
       [&] { wait(A.Main, B.Done[0]); });
  SpinFor = 20000000;
  finish();
  kernel(1, B.Own);
  record(B.Done[0], B.Own);
  double Begin = now();
  for (int I = 0; I < 300; ++I)
    wait(A.Main, B.Done[0]);
  printf("%-44s %7.3f\n", "cuStreamWaitEvent, pending, other device's",
         (now() - Begin) / 300);
  call("cuLaunchKernel, empty, other device's context", 2000, [&] {
    LaunchKernel(B.Empty, 1, 1, 1, 1, 1, 1, 0, B.Own, nullptr, nullptr);
  });

  printf("steps\n");
  for (int Gpus = 2; Gpus <= Count; Gpus *= 2) {
    scheme("unordered", Gpus, Steps, unordered);
    scheme("star, events", Gpus, Steps, starEvents);
    scheme("star, device 0 first", Gpus, Steps, starEventsRounds);
    scheme("star, one context", Gpus, Steps, starEventsOneContext);
    scheme("all, events", Gpus, Steps, allEvents);
    scheme("neighbours, events", Gpus, Steps, neighbourEvents);
    scheme("neighbours, joined", Gpus, Steps, neighbourEventsJoined);
    scheme("star, flags", Gpus, Steps, starFlags);
    scheme("all, flags", Gpus, Steps, allFlags);
    scheme("neighbours, flags", Gpus, Steps, neighbourFlags);
  }
  finish();
}

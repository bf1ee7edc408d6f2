//===- machine.cu - Measures the machine model of a GPU -------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   machine > measured.json
//   merge.py analysis/machine/sm_90.json measured.json
//
// Writes what it measures on the first GPU in the format of analysis/machine/:
// names, units and meaning of the fields are in
// analysis/machine/MachineModel.def. Takes seconds and 5 GiB.
//
//===----------------------------------------------------------------------===//

#include "bench/model/GpuProbes.h"
#include "bench/model/HostProbes.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t Error, const char *What) {
  if (Error == cudaSuccess)
    return;
  fprintf(stderr, "machine: %s: %s\n", What, cudaGetErrorString(Error));
  exit(1);
}

static const char *Separator = "";
static void field(const char *Name, double Value, const char *Source) {
  printf("%s\n    \"%s\": {\"value\": %.6g, \"source\": \"%s\"}", Separator,
         Name, Value, Source);
  Separator = ",";
}

namespace {
struct Machine {
  cudaDeviceProp Properties;
  char *Data;
  size_t Bytes = size_t(4) << 30;
  long long *Cycles;
  uint64_t *Sink;
  unsigned Sms;

  Machine();
  double cycles(unsigned Blocks) const;
  template <class F> double seconds(F Launch, int Count) const;
  template <class F> double secondsOfOne(F Launch) const;
};
} // namespace

Machine::Machine() {
  check(cudaGetDeviceProperties(&Properties, 0), "no GPU");
  Sms = Properties.multiProcessorCount;
  check(cudaMalloc(&Data, Bytes), "cudaMalloc");
  check(cudaMalloc(&Cycles, 4096 * sizeof(long long)), "cudaMalloc");
  check(cudaMalloc(&Sink, 4096 * 1024 * sizeof(uint64_t)), "cudaMalloc");
  check(cudaMemset(Data, 0, Bytes), "cudaMemset");
}

/// The median over blocks of what the last kernel wrote.
double Machine::cycles(unsigned Blocks) const {
  check(cudaDeviceSynchronize(), "kernel");
  std::vector<long long> All(Blocks);
  check(cudaMemcpy(All.data(), Cycles, Blocks * sizeof(long long),
                   cudaMemcpyDefault),
        "cudaMemcpy");
  std::sort(All.begin(), All.end());
  return double(All[Blocks / 2]);
}

/// Returns the time between events around one launch.
template <class F> double Machine::secondsOfOne(F Launch) const {
  cudaEvent_t Begin, End;
  cudaEventCreate(&Begin);
  cudaEventCreate(&End);
  cudaEventRecord(Begin);
  Launch();
  cudaEventRecord(End);
  check(cudaEventSynchronize(End), "kernel");
  float Milliseconds = 0;
  cudaEventElapsedTime(&Milliseconds, Begin, End);
  cudaEventDestroy(Begin);
  cudaEventDestroy(End);
  return Milliseconds * 1e-3;
}

/// Returns the median of five of the time of one launch among Count in a row.
template <class F> double Machine::seconds(F Launch, int Count) const {
  cudaEvent_t Begin, End;
  cudaEventCreate(&Begin);
  cudaEventCreate(&End);
  std::vector<double> Times;
  for (int I = 0; I != 6; ++I) {
    cudaEventRecord(Begin);
    for (int K = 0; K != Count; ++K)
      Launch();
    cudaEventRecord(End);
    check(cudaEventSynchronize(End), "kernel");
    float Milliseconds = 0;
    cudaEventElapsedTime(&Milliseconds, Begin, End);
    if (I)
      Times.push_back(Milliseconds * 1e-3 / Count);
  }
  cudaEventDestroy(Begin);
  cudaEventDestroy(End);
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

static const char *Measured = "bench/model/machine.cu";
static const char *Driver = "cudaGetDeviceProperties";

template <Op O> static double rateOf(const Machine &M) {
  pipe<O, 8><<<M.Sms, 1024>>>(M.Cycles, M.Sink);
  pipe<O, 8><<<M.Sms, 1024>>>(M.Cycles, M.Sink);
  return 32.0 * 8 * Rounds * Unroll / M.cycles(M.Sms);
}

template <Op O> static double latencyOf(const Machine &M) {
  pipe<O, 1><<<1, 32>>>(M.Cycles, M.Sink);
  pipe<O, 1><<<1, 32>>>(M.Cycles, M.Sink);
  return M.cycles(1) / (Rounds * Unroll);
}

template <Level L>
static double chaseLatency(const Machine &M, size_t Lines, size_t LineBytes,
                           int Steps) {
  makeChain<<<1024, 256>>>(M.Data, Lines, LineBytes, 4 * (Lines / 11) + 1,
                           (Lines / 3) | 1);
  chase<L><<<1, 1>>>(reinterpret_cast<uint64_t>(M.Data),
                     Lines <= 65536 ? int(Lines) : 64, Steps, M.Cycles, M.Sink);
  return M.cycles(1) / Steps;
}

static double properties(const Machine &M) {
  const cudaDeviceProp &P = M.Properties;
  for (int I = 0; I != 40; ++I)
    pipe<Op::Fma, 8><<<M.Sms * 8, 1024>>>(M.Cycles, M.Sink);
  clocks<<<1, 1>>>(M.Cycles);
  check(cudaDeviceSynchronize(), "clocks");
  long long Clock[2];
  cudaMemcpy(Clock, M.Cycles, sizeof Clock, cudaMemcpyDefault);
  field("multiprocessors", M.Sms, Driver);
  field("clock_ghz", double(Clock[0]) / Clock[1], Measured);
  field("max_warps", P.maxThreadsPerMultiProcessor / 32, Driver);
  field("max_blocks", P.maxBlocksPerMultiProcessor, Driver);
  field("registers", P.regsPerMultiprocessor, Driver);
  field("shared_bytes", double(P.sharedMemPerMultiprocessor), Driver);
  field("shared_bytes_reserved", double(P.reservedSharedMemPerBlock), Driver);
  // The largest of some sizes in which pointers are followed as fast as in
  // the smallest.
  double Fast = chaseLatency<Level::L1>(M, 128, 128, 1024);
  unsigned Kilobytes = 16;
  for (unsigned Next : {32u, 64u, 128u, 192u, 256u})
    if (chaseLatency<Level::L1>(M, Next * 8, 128, 4096) < 1.3 * Fast)
      Kilobytes = Next;
  field("l1_bytes", Kilobytes * 1024.0, Measured);
  field("l2_bytes", P.l2CacheSize, Driver);
  return double(Clock[0]) / Clock[1];
}

static void latencies(const Machine &M) {
  field("fp32_latency", latencyOf<Op::Fma>(M), Measured);
  field("fp64_latency", latencyOf<Op::Dfma>(M), Measured);
  // Two instructions a step.
  field("int32_latency", latencyOf<Op::Add>(M) / 2, Measured);
  field("sfu_latency", latencyOf<Op::Ex2>(M), Measured);
  field("shuffle_latency", latencyOf<Op::Shuffle>(M), Measured);
  chaseShared<<<1, 32>>>(1024, M.Cycles, M.Sink);
  field("shared_latency", M.cycles(1) / 1024, Measured);
  field("l1_latency", chaseLatency<Level::L1>(M, 128, 128, 1024), Measured);
  barriers<<<1, 256>>>(M.Cycles);
  field("barrier_latency", M.cycles(1) / (Rounds * Unroll), Measured);
  // Each line of L2 is near or far for a multiprocessor.
  std::vector<double> Lines;
  for (int I = 0; I != 64; ++I) {
    makeChain<<<1, 32>>>(M.Data + I * 8320, 1, 128, 1, 0);
    chase<Level::L2><<<1, 1>>>(reinterpret_cast<uint64_t>(M.Data + I * 8320),
                               16, 256, M.Cycles, M.Sink);
    Lines.push_back(M.cycles(1) / 256);
  }
  std::sort(Lines.begin(), Lines.end());
  field("l2_near_latency", Lines[8], Measured);
  field("l2_far_latency", Lines[56], Measured);
  field("l2_latency", chaseLatency<Level::L2>(M, 65536, 128, 8192), Measured);
  field("dram_latency", chaseLatency<Level::L2>(M, size_t(1) << 22, 512, 8192),
        Measured);
}

static void rates(const Machine &M) {
  field("schedulers", std::round(rateOf<Op::Mixed>(M) * 2), Measured);
  field("fp32_lanes", 32 * rateOf<Op::Fma>(M), Measured);
  field("fp64_lanes", 32 * rateOf<Op::Dfma>(M), Measured);
  field("int32_lanes", 64 * rateOf<Op::Add>(M), Measured);
  field("imad_lanes", 32 * rateOf<Op::Mad>(M), Measured);
  field("sfu_lanes", 32 * rateOf<Op::Ex2>(M), Measured);
  field("shuffle_lanes", 32 * rateOf<Op::Shuffle>(M), Measured);
  double Requests = 32.0 * Rounds * Unroll;
  auto requestCycles = [&](int LaneBytes) {
    hitL1<<<M.Sms, 1024>>>(M.Data, LaneBytes, M.Cycles, M.Sink);
    return M.cycles(M.Sms) / Requests;
  };
  // 132 bytes apart: 33 lines, and no two lanes in one bank.
  double One = requestCycles(4), All = requestCycles(132);
  field("l1_request_cycles", One - (All - One) / 32, Measured);
  field("l1_line_cycles", (All - One) / 32, Measured);
  hitShared<<<M.Sms, 1024>>>(1, M.Cycles, M.Sink);
  field("shared_lanes", 32 * Requests / M.cycles(M.Sms), Measured);
  addShared<<<M.Sms, 1024>>>(0, M.Cycles, M.Sink);
  field("shared_atomic_cycles", M.cycles(M.Sms) / (32.0 * Rounds), Measured);
}

static void streams(const Machine &M, double ClockHz) {
  size_t Floats = size_t(1) << 28, Bytes = Floats * 4;
  auto *In = reinterpret_cast<float *>(M.Data);
  float *Out = In + 2 * Floats;
  unsigned Wide = M.Sms * 2;
  auto *Vectors = reinterpret_cast<uint4 *>(M.Data);
  size_t Small = size_t(16) << 20;
  double T = M.seconds(
      [&] { readAll<<<Wide, 1024>>>(Vectors, Small / 16, 20, M.Sink); }, 5);
  field("l2_gbs", 20e-9 * Small / T, Measured);
  T = M.seconds(
      [&] { readAll<<<Wide, 1024>>>(Vectors, M.Bytes / 16, 1, M.Sink); }, 3);
  field("dram_read_gbs", 1e-9 * M.Bytes / T, Measured);
  auto *From = reinterpret_cast<float4 *>(In);
  auto *To = reinterpret_cast<float4 *>(Out);
  T = M.seconds([&] { fillAll<<<Wide, 1024>>>(To, Floats / 4); }, 5);
  field("dram_write_gbs", 1e-9 * Bytes / T, Measured);
  // Few blocks for long, or a thread for each element, whichever is faster.
  T = M.seconds([&] { copyAll<<<Wide, 1024>>>(From, To, Floats / 4); }, 5);
  T = std::min(T, M.seconds(
                      [&] {
                        copyAll<<<unsigned(Floats / 1024), 256>>>(From, To,
                                                                  Floats / 4);
                      },
                      5));
  field("dram_copy_gbs", 2e-9 * Bytes / T, Measured);
  unsigned Threads = 1u << 24;
  auto sectors = [&](size_t Range) {
    return M.seconds(
        [&] {
          readSectors<<<Threads / 256, 256>>>(M.Data, Range / 32, M.Sink);
        },
        5);
  };
  field("l2_gsectors", 1e-9 * Threads / sectors(Small), Measured);
  field("dram_gsectors", 1e-9 * Threads / sectors(M.Bytes), Measured);
  T = M.seconds(
      [&] { writeSectors<<<Threads / 256, 256>>>(M.Data, Small / 32); }, 5);
  field("l2_write_gsectors", 1e-9 * Threads / T, Measured);
  auto *Counts = reinterpret_cast<unsigned *>(M.Data);
  auto add = [&](unsigned Step) {
    double Time = M.seconds(
        [&] { addEach<<<Threads / 256, 256>>>(Counts, Step, Small / 4 - 1); },
        3);
    return Threads / Time / ClockHz;
  };
  field("atomics_per_cycle", add(1), Measured);
  field("atomic_sectors_per_cycle", add(8), Measured);
  T = M.seconds([&] { addOne<<<Threads / 256, 256>>>(Counts); }, 3);
  field("atomics_one_per_cycle", Threads / T / ClockHz, Measured);
  unsigned *Other = Counts + 1024;
  T = M.seconds([&] { maxOne<<<Threads / 1024, 256>>>(Counts, Other); }, 3);
  field("atomics_return_per_cycle", Threads / 4 / T / ClockHz, Measured);
  T = M.seconds([&] { nothing<<<1, 32>>>(); }, 500);
  field("launch_us", 1e6 * T, Measured);
  // Each in a stream that has come to its end.
  std::vector<double> Alone;
  for (int I = 0; I != 101; ++I) {
    check(cudaDeviceSynchronize(), "kernel");
    Alone.push_back(M.secondsOfOne([] { nothing<<<1, 32>>>(); }));
  }
  std::sort(Alone.begin(), Alone.end());
  field("event_us", 1e6 * Alone[Alone.size() / 2], Measured);
  unsigned Many = 1u << 20;
  for (unsigned Size : {32u, 64u, 128u, 512u, 1024u})
    fprintf(stderr, "block of %u threads: %.3g ns\n", Size,
            1e9 * M.seconds([&] { nothing<<<Many, Size>>>(); }, 3) / Many);
  double U = M.seconds([&] { nothing<<<Many, 256>>>(); }, 3);
  field("block_ns", 1e9 * (U - T) / Many, Measured);
}

static void host(const Machine &M) {
  HostNumbers H = measureHost(M.Data);
  field("host_cores", H.Cores, Measured);
  field("host_core_gbs", H.CoreGBs, Measured);
  field("host_gbs", H.AllGBs, Measured);
  field("host_call_us", H.CallMicroseconds, Measured);
  field("host_link_gbs", H.LinkGBs, Measured);
}

int main() {
  Machine M;
  printf("{\n  \"arch\": \"sm_%d%d\",\n  \"name\": \"%s\",\n  \"fields\": {",
         M.Properties.major, M.Properties.minor, M.Properties.name);
  double Clock = properties(M);
  latencies(M);
  rates(M);
  streams(M, Clock * 1e9);
  host(M);
  printf("\n  }\n}\n");
  return 0;
}

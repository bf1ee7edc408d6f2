//===- peer_copies.cu - Copies between GPUs without peer access -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   peer_copies > copies.txt
//
// Copies from GPU 0 to GPU 1 and back at the same time, as the two sides of a
// seam: cudaMemcpyPeerAsync, which the driver stages where neither may reach
// the other, against two copies each through a pinned buffer. "bytes driver
// staged": microseconds for both directions, the median of 50. The last line
// says whether the driver takes memory that is mapped by address (cuMemMap)
// with rights for its own device alone.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

static void check(cudaError_t Error, const char *What) {
  if (Error == cudaSuccess)
    return;
  fprintf(stderr, "peer_copies: %s: %s\n", What, cudaGetErrorString(Error));
  exit(1);
}

/// What a direction needs. Pinned: a buffer of the host of as many bytes.
struct Way {
  int From, To;
  char *Source, *Target, *Pinned;
  cudaStream_t Out, In;
  cudaEvent_t Filled;
};

static constexpr size_t Most = size_t(256) << 20;
static constexpr size_t Piece = size_t(4) << 20;

static void open(Way &W, int From, int To) {
  W.From = From;
  W.To = To;
  check(cudaSetDevice(From), "device");
  check(cudaMalloc(&W.Source, Most), "memory");
  check(cudaStreamCreateWithFlags(&W.Out, cudaStreamNonBlocking), "stream");
  check(cudaEventCreateWithFlags(&W.Filled, cudaEventDisableTiming), "event");
  check(cudaHostAlloc(&W.Pinned, Most, cudaHostAllocPortable), "pinned");
  check(cudaSetDevice(To), "device");
  check(cudaMalloc(&W.Target, Most), "memory");
  check(cudaStreamCreateWithFlags(&W.In, cudaStreamNonBlocking), "stream");
}

static void byDriver(Way &W, size_t Bytes) {
  check(cudaSetDevice(W.From), "device");
  check(cudaMemcpyPeerAsync(W.Target, W.To, W.Source, W.From, Bytes, W.Out),
        "cudaMemcpyPeerAsync");
}

static void staged(Way &W, size_t Bytes) {
  for (size_t At = 0; At < Bytes; At += Piece) {
    const size_t Part = std::min(Piece, Bytes - At);
    check(cudaSetDevice(W.From), "device");
    check(cudaMemcpyAsync(W.Pinned + At, W.Source + At, Part,
                          cudaMemcpyDeviceToHost, W.Out),
          "copy");
    check(cudaEventRecord(W.Filled, W.Out), "record");
    check(cudaSetDevice(W.To), "device");
    check(cudaStreamWaitEvent(W.In, W.Filled), "wait");
    check(cudaMemcpyAsync(W.Target + At, W.Pinned + At, Part,
                          cudaMemcpyHostToDevice, W.In),
          "copy");
  }
}

template <typename Copy> static double median(Way *Ways, Copy Give) {
  std::vector<double> Times;
  for (int I = 0; I != 50; ++I) {
    const auto Begin = std::chrono::steady_clock::now();
    Give(Ways[0]);
    Give(Ways[1]);
    for (int W = 0; W != 2; ++W) {
      check(cudaStreamSynchronize(Ways[W].Out), "wait");
      check(cudaStreamSynchronize(Ways[W].In), "wait");
    }
    Times.push_back(std::chrono::duration<double, std::micro>(
                        std::chrono::steady_clock::now() - Begin)
                        .count());
  }
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

/// Returns memory of the device that no other one may reach.
static CUdeviceptr mapped(int Device, size_t Bytes) {
  CUmemAllocationProp Prop = {};
  Prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, Device};
  CUmemGenericAllocationHandle Handle = 0;
  CUdeviceptr At = 0;
  CUmemAccessDesc Access = {Prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (cuMemCreate(&Handle, Bytes, &Prop, 0) ||
      cuMemAddressReserve(&At, Bytes, 0, 0, 0) ||
      cuMemMap(At, Bytes, 0, Handle, 0) ||
      cuMemSetAccess(At, Bytes, &Access, 1)) {
    fprintf(stderr, "peer_copies: memory cannot be mapped\n");
    exit(1);
  }
  return At;
}

int main() {
  Way Ways[2];
  open(Ways[0], 0, 1);
  open(Ways[1], 1, 0);
  for (size_t Bytes = 4096; Bytes <= Most; Bytes *= 4) {
    const double Driver = median(Ways, [&](Way &W) { byDriver(W, Bytes); });
    const double Staged = median(Ways, [&](Way &W) { staged(W, Bytes); });
    printf("%zu %.1f %.1f\n", Bytes, Driver, Staged);
  }
  constexpr size_t Bytes = size_t(4) << 20;
  const CUdeviceptr Source = mapped(0, Bytes), Target = mapped(1, Bytes);
  check(cudaSetDevice(0), "device");
  cudaError_t Error =
      cudaMemcpyPeer(reinterpret_cast<void *>(Target), 1,
                     reinterpret_cast<void *>(Source), 0, Bytes);
  if (!Error)
    Error = cudaDeviceSynchronize();
  printf("mapped by address: %s\n", cudaGetErrorString(Error));
}

//===- TestRuntime.h - A runtime on CPU devices for one test ----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a runtime with the given devices in the place of the process's, so that
// the entry points work on it, and takes it away again.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TEST_UNIT_RUNTIME_TESTRUNTIME_H
#define GRIDSPAN_TEST_UNIT_RUNTIME_TESTRUNTIME_H

#include "runtime/Runtime.h"
#include "runtime/api/EntryPoints.h"
#include "runtime/backend/ForwardingBackend.h"
#include "test/unit/runtime/FakeKernels.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace gridspan {

/// Devices whose managed memory is always paged.
class BackendWithoutUnifiedMemory : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  cudaError_t unifiedAlloc(size_t, void *&) override {
    return cudaErrorNotSupported;
  }
};

class TestRuntime {
public:
  explicit TestRuntime(unsigned Devices, Schedule Sched = Schedule::Static,
                       uint64_t Memory = 0, bool Peer = true) {
    fake::module();
    C.Kind = DeviceKind::Cpu;
    C.NumCpuDevices = Devices;
    C.Sched = Sched;
    C.DeviceMemory = Memory;
    C.Peer = Peer;
    C.KeepsFreed = true;  // as on GPUs
    C.ChainIdle = {};     // tests see what waits
    C.ReportTable = true; // so that bytes are counted
    use(backend());
  }
  ~TestRuntime() { Runtime::replace(nullptr); }
  TestRuntime(const TestRuntime &) = delete;
  TestRuntime &operator=(const TestRuntime &) = delete;

  /// Goes on with devices of the same kind, for streams that do not end.
  void losePatience() {
    C.Patience = std::chrono::milliseconds(20);
    use(backend());
  }
  /// From the next backend on, decisions hold without their bytes.
  void countNoBytes() { C.ReportTable = false; }
  /// The same, with launches that never wait for others.
  void withoutChains() {
    C.Chains = false;
    use(backend());
  }
  /// The same, with launches that wait no longer than that for others.
  void runIdleAfter(std::chrono::milliseconds Idle) {
    C.ChainIdle = Idle;
    use(backend());
  }
  /// The same, behind a Wrapper.
  template <typename Wrapper> void wrapBackend() {
    use(std::make_unique<Wrapper>(backend()));
  }

  Runtime *operator->() { return Runtime::existing(); }

  /// The report's line for the kernel with this mangled name's prefix.
  KernelRecord kernel(const std::string &Name) {
    for (const KernelRecord &K : Runtime::existing()->record().Kernels)
      if (K.Name.starts_with(Name))
        return K;
    ADD_FAILURE() << "no kernel " << Name;
    return {};
  }

private:
  std::unique_ptr<Backend> backend() const {
    std::string Message;
    return createBackend(C, Message);
  }
  void use(std::unique_ptr<Backend> B) {
    Runtime::replace(std::make_unique<Runtime>(C, std::move(B)));
    (void)__gridspan_cudaGetLastError();
  }

  Config C;
};

/// Keeps a stream busy until it is opened.
class Gate {
public:
  void close(cudaStream_t S) {
    EXPECT_EQ(__gridspan_cudaLaunchHostFunc(
                  S,
                  [](void *Self) {
                    while (!static_cast<Gate *>(Self)->Open)
                      std::this_thread::yield();
                  },
                  this),
              cudaSuccess);
  }
  void open() { Open = true; }

private:
  std::atomic<bool> Open{false};
};

/// Device memory with the contents of a vector.
template <typename T> T *toDevice(const std::vector<T> &Values) {
  void *Out = nullptr;
  EXPECT_EQ(__gridspan_cudaMalloc(&Out, Values.size() * sizeof(T)),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy(Out, Values.data(), Values.size() * sizeof(T),
                                  cudaMemcpyHostToDevice),
            cudaSuccess);
  return static_cast<T *>(Out);
}

template <typename T>
std::vector<T> fromDevice(const T *Address, size_t Count) {
  std::vector<T> Out(Count);
  EXPECT_EQ(__gridspan_cudaMemcpy(Out.data(), Address, Count * sizeof(T),
                                  cudaMemcpyDeviceToHost),
            cudaSuccess);
  return Out;
}

/// Launches as <<<Grid, Block, Shared, Stream>>>(Args...) would.
template <typename... T>
cudaError_t launch(const GridspanKernel &Kernel, dim3 Grid, dim3 Block,
                   size_t Shared, cudaStream_t Stream, T... Args) {
  void *Pointers[] = {&Args...};
  return __gridspan_cudaLaunchKernel(Kernel.HostStub, Grid, Block, Pointers,
                                     Shared, Stream);
}

} // namespace gridspan

#endif // GRIDSPAN_TEST_UNIT_RUNTIME_TESTRUNTIME_H

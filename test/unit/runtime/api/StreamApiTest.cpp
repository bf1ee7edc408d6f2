//===- StreamApiTest.cpp - Order of work around split launches ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include <atomic>
#include <thread>

using namespace gridspan;

namespace {

class StreamApi : public testing::Test {
protected:
  static constexpr int N = 40000;

  void addOnce(cudaStream_t S, const float *X, float *Y) {
    ASSERT_EQ(launch(fake::saxpy(), N / 100, 100, 0, S, 1.0f, X, Y, N),
              cudaSuccess);
  }
  cudaStream_t stream(unsigned Flags = cudaStreamDefault) {
    cudaStream_t S = nullptr;
    EXPECT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, Flags), cudaSuccess);
    return S;
  }

  TestRuntime R{3};
  float *Ones = toDevice(std::vector<float>(N, 1));
  float *Y = toDevice(std::vector<float>(N, 0));
};

} // namespace

TEST_F(StreamApi, AllPartsOfASplitLaunchWaitForTheStream) {
  cudaStream_t S = stream();
  Gate G;
  G.close(S);
  addOnce(S, Ones, Y);
  EXPECT_EQ(__gridspan_cudaStreamQuery(S), cudaErrorNotReady);
  (void)__gridspan_cudaGetLastError();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int I = 0; I < N; I += 100)
    ASSERT_EQ(Y[I], 0); // devices' memory is the host's too
  G.open();
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 1));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_F(StreamApi, EventsStandBehindAllParts) {
  cudaStream_t A = stream(cudaStreamNonBlocking),
               B = stream(cudaStreamNonBlocking);
  cudaEvent_t E;
  ASSERT_EQ(__gridspan_cudaEventCreateWithFlags(&E, cudaEventDisableTiming),
            cudaSuccess);
  float *Z = toDevice(std::vector<float>(N, 0));
  Gate G;
  G.close(A);
  addOnce(A, Ones, Y);
  ASSERT_EQ(__gridspan_cudaEventRecord(E, A), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaStreamWaitEvent(B, E, 0), cudaSuccess);
  addOnce(B, Y, Z);
  EXPECT_EQ(__gridspan_cudaEventQuery(E), cudaErrorNotReady);
  (void)__gridspan_cudaGetLastError();
  G.open();
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(B), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventQuery(E), cudaSuccess);
  EXPECT_EQ(fromDevice(Z, N), std::vector<float>(N, 1));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(A), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(B), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
}

TEST_F(StreamApi, TheDefaultStreamOrdersBlockingStreams) {
  cudaStream_t S = stream();
  for (int I = 0; I < 30; ++I)
    addOnce(I % 2 ? S : nullptr, Ones, Y);
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 30));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_F(StreamApi, ThePerThreadStreamOfAnotherThreadIsAnother) {
  Gate G;
  G.close(cudaStreamPerThread);
  EXPECT_EQ(__gridspan_cudaStreamQuery_ptsz(nullptr), cudaErrorNotReady);
  std::thread([] {
    EXPECT_EQ(__gridspan_cudaStreamQuery_ptsz(nullptr), cudaSuccess);
    EXPECT_EQ(__gridspan_cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
  }).join();
  G.open();
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  (void)__gridspan_cudaGetLastError();
}

TEST_F(StreamApi, DestroyedStreamsFinishTheirWork) {
  cudaStream_t S = stream(cudaStreamNonBlocking);
  Gate G;
  G.close(S);
  addOnce(S, Ones, Y);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess); // does not wait
  G.open();
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 1));
}

TEST_F(StreamApi, AsynchronousCopiesAndFillsAreInOrder) {
  cudaStream_t S = stream();
  void *Pinned = nullptr;
  ASSERT_EQ(__gridspan_cudaMallocHost(&Pinned, 4 * N), cudaSuccess);
  auto *Out = static_cast<float *>(Pinned);
  for (int Round = 1; Round <= 5; ++Round) {
    ASSERT_EQ(__gridspan_cudaMemsetAsync(Y, 0, 4 * N, S), cudaSuccess);
    for (int I = 0; I < Round; ++I)
      addOnce(S, Ones, Y);
    ASSERT_EQ(
        __gridspan_cudaMemcpyAsync(Out, Y, 4 * N, cudaMemcpyDeviceToHost, S),
        cudaSuccess);
    ASSERT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
    for (int I = 0; I < N; ++I)
      ASSERT_EQ(Out[I], Round);
  }
  EXPECT_EQ(__gridspan_cudaFreeHost(Pinned), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_F(StreamApi, AReplicaIsMadeBehindWritesOfOtherStreams) {
  // B is written in one stream and read as a replica in another, which is
  // ordered behind it by an event.
  const int M = 64;
  cudaStream_t A = stream(cudaStreamNonBlocking),
               B = stream(cudaStreamNonBlocking);
  cudaEvent_t E;
  ASSERT_EQ(__gridspan_cudaEventCreate(&E), cudaSuccess);
  std::vector<float> Identity(M * M, 0);
  for (int I = 0; I < M; ++I)
    Identity[I * M + I] = 1;
  float *Left = toDevice(Identity),
        *Right = toDevice(std::vector<float>(M * M)),
        *Out = toDevice(std::vector<float>(M * M)),
        *One = toDevice(std::vector<float>(M * M, 1));
  for (int Round = 1; Round <= 20; ++Round) {
    ASSERT_EQ(launch(fake::saxpy(), M * M / 64, 64, 0, A, 1.0f,
                     static_cast<const float *>(One), Right, M * M),
              cudaSuccess);
    ASSERT_EQ(__gridspan_cudaEventRecord(E, A), cudaSuccess);
    ASSERT_EQ(__gridspan_cudaStreamWaitEvent(B, E, 0), cudaSuccess);
    ASSERT_EQ(launch(fake::matmul(), M / 4, 4, 0, B, Out,
                     static_cast<const float *>(Left),
                     static_cast<const float *>(Right), M),
              cudaSuccess);
    ASSERT_EQ(__gridspan_cudaStreamSynchronize(B), cudaSuccess);
    ASSERT_EQ(fromDevice(Out, M * M), std::vector<float>(M * M, Round));
  }
  EXPECT_EQ(__gridspan_cudaStreamDestroy(A), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(B), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventDestroy(E), cudaSuccess);
}

TEST_F(StreamApi, ManyThreads) {
  std::vector<std::thread> Threads;
  std::atomic<int> Failures{0};
  for (int T = 0; T < 6; ++T)
    Threads.emplace_back([&, T] {
      cudaStream_t S = T % 2 ? stream(cudaStreamNonBlocking) : nullptr;
      for (int Round = 0; Round < 15; ++Round) {
        const int Count = 3000 + 977 * T + 100 * Round;
        void *P = nullptr, *Q = nullptr;
        std::vector<float> In(Count, static_cast<float>(T)), Out(Count);
        bool Good = !__gridspan_cudaMalloc(&P, 4 * Count) &&
                    !__gridspan_cudaMallocAsync(&Q, 4 * Count, S) &&
                    !__gridspan_cudaMemcpyAsync(P, In.data(), 4 * Count,
                                                cudaMemcpyHostToDevice, S) &&
                    !__gridspan_cudaMemsetAsync(Q, 0, 4 * Count, S) &&
                    !launch(fake::saxpy(), (Count + 31) / 32, 32, 0, S, 2.0f,
                            static_cast<const float *>(P),
                            static_cast<float *>(Q), Count) &&
                    !__gridspan_cudaMemcpyAsync(Out.data(), Q, 4 * Count,
                                                cudaMemcpyDeviceToHost, S) &&
                    !__gridspan_cudaFreeAsync(Q, S) &&
                    !__gridspan_cudaStreamSynchronize(S) &&
                    !__gridspan_cudaFree(P);
        for (float Value : Out)
          Good &= Value == 2 * static_cast<float>(T);
        Failures += !Good;
      }
      if (S)
        Failures += __gridspan_cudaStreamDestroy(S) != cudaSuccess;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Failures, 0);
}

TEST_F(StreamApi, ThreadsSharingOneStreamAndOneBuffer) {
  cudaStream_t S = stream();
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([&] {
      for (int I = 0; I < 20; ++I)
        addOnce(S, Ones, Y);
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(fromDevice(Y, N), std::vector<float>(N, 80));
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_F(StreamApi, Callbacks) {
  cudaStream_t S = stream();
  int Called = 0;
  ASSERT_EQ(__gridspan_cudaStreamAddCallback(
                S,
                [](cudaStream_t, cudaError_t Status, void *Data) {
                  *static_cast<int *>(Data) += Status == cudaSuccess;
                },
                &Called, 0),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(Called, 1);
  EXPECT_EQ(__gridspan_cudaStreamAddCallback(S, nullptr, nullptr, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

TEST_F(StreamApi, CapturedStreamsCannotBeWaitedFor) {
  cudaStream_t S = stream();
  ASSERT_EQ(__gridspan_cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(S),
            cudaErrorStreamCaptureUnsupported);
  cudaGraph_t Graph = nullptr;
  EXPECT_EQ(__gridspan_cudaStreamEndCapture(S, &Graph),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(Graph, nullptr);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
}

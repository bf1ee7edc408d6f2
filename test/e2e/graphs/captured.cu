// Streams that are captured: nothing runs before the launch, streams fork and
// join by events, graphs are updated by capturing again, errors.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,3 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

__global__ void add(int *Data, int N, int Term) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += Term;
}

__global__ void sum(int *Out, const int *A, const int *B, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = A[I] + B[I];
}

static constexpr int N = 1 << 14;
static constexpr size_t Bytes = N * sizeof(int);

struct Program {
  int *A = nullptr, *B = nullptr, *C = nullptr;
  int *Host = nullptr;
  cudaStream_t First = nullptr, Second = nullptr;
  cudaEvent_t Forked = nullptr, Joined = nullptr;
  int Calls = 0;

  Program() {
    CHECK(cudaMalloc(&A, Bytes));
    CHECK(cudaMalloc(&B, Bytes));
    CHECK(cudaMalloc(&C, Bytes));
    CHECK(cudaMallocHost(&Host, Bytes));
    CHECK(cudaStreamCreate(&First));
    CHECK(cudaStreamCreateWithFlags(&Second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&Forked));
    CHECK(cudaEventCreate(&Joined));
  }

  void enqueue(int Term) {
    CHECK(cudaMemsetAsync(A, 0, Bytes, First));
    CHECK(cudaEventRecord(Forked, First));
    CHECK(cudaStreamWaitEvent(Second, Forked, 0));
    add<<<N / 128, 128, 0, First>>>(A, N, Term);
    CHECK(cudaMemsetAsync(B, 1, Bytes, Second));
    add<<<N / 128, 128, 0, Second>>>(B, N, 2 * Term);
    CHECK(cudaEventRecord(Joined, Second));
    CHECK(cudaStreamWaitEvent(First, Joined, 0));
    sum<<<N / 128, 128, 0, First>>>(C, A, B, N);
    CHECK(cudaMemcpyAsync(Host, C, Bytes, cudaMemcpyDeviceToHost, First));
    CHECK(cudaLaunchHostFunc(
        First, [](void *P) { ++static_cast<Program *>(P)->Calls; }, this));
  }

  cudaGraph_t capture(int Term) {
    CHECK(cudaStreamBeginCapture(First, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus Status;
    CHECK(cudaStreamIsCapturing(First, &Status));
    EXPECT(Status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamIsCapturing(Second, &Status));
    EXPECT(Status == cudaStreamCaptureStatusNone);
    enqueue(Term);
    CHECK(cudaStreamIsCapturing(Second, &Status));
    EXPECT(Status == cudaStreamCaptureStatusActive);
    cudaGraph_t G = nullptr;
    CHECK(cudaStreamEndCapture(First, &G));
    CHECK(cudaStreamIsCapturing(Second, &Status));
    EXPECT(Status == cudaStreamCaptureStatusNone);
    return G;
  }

  bool holds(int Value) const {
    for (int I = 0; I < N; ++I)
      if (Host[I] != Value)
        return false;
    return true;
  }
};

static void testGraph(Program &P) {
  std::fill_n(P.Host, N, -1);
  cudaGraph_t G = P.capture(5);
  CHECK(cudaDeviceSynchronize());
  EXPECT(P.holds(-1) && P.Calls == 0);
  size_t Nodes = 0;
  CHECK(cudaGraphGetNodes(G, nullptr, &Nodes));
  EXPECT(Nodes == 7);
  cudaGraphExec_t Exec = nullptr;
  CHECK(cudaGraphInstantiate(&Exec, G, 0));
  CHECK(cudaGraphDestroy(G));
  for (int Run = 1; Run <= 3; ++Run) {
    CHECK(cudaGraphLaunch(Exec, P.First));
    CHECK(cudaStreamSynchronize(P.First));
    EXPECT(P.holds(0x01010101 + 15) && P.Calls == Run);
  }
  cudaGraph_t Other = P.capture(7);
  cudaGraphExecUpdateResultInfo Info = {};
  CHECK(cudaGraphExecUpdate(Exec, Other, &Info));
  CHECK(cudaGraphLaunch(Exec, P.Second));
  CHECK(cudaStreamSynchronize(P.Second));
  EXPECT(P.holds(0x01010101 + 21) && P.Calls == 4);
  CHECK(cudaGraphDestroy(Other));
  CHECK(cudaGraphExecDestroy(Exec));
}

static void testMemory(Program &P) {
  CHECK(cudaStreamBeginCapture(P.First, cudaStreamCaptureModeRelaxed));
  int *Own = nullptr;
  CHECK(cudaMallocAsync(&Own, Bytes, P.First));
  CHECK(cudaMemsetAsync(Own, 0, Bytes, P.First));
  add<<<N / 128, 128, 0, P.First>>>(Own, N, 9);
  CHECK(cudaMemcpyAsync(P.Host, Own, Bytes, cudaMemcpyDeviceToHost, P.First));
  CHECK(cudaFreeAsync(Own, P.First));
  cudaGraph_t G = nullptr;
  CHECK(cudaStreamEndCapture(P.First, &G));
  cudaGraphExec_t Exec = nullptr;
  CHECK(cudaGraphInstantiate(&Exec, G, 0));
  CHECK(cudaGraphLaunch(Exec, P.First));
  CHECK(cudaGraphLaunch(Exec, P.First));
  CHECK(cudaStreamSynchronize(P.First));
  EXPECT(P.holds(9));
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(G));
}

/// Streams and events may be made and destroyed while they are captured.
static void testDestroyed(Program &P) {
  for (const bool Joins : {true, false}) {
    CHECK(cudaStreamBeginCapture(P.First, cudaStreamCaptureModeGlobal));
    cudaStream_t Side = nullptr;
    cudaEvent_t Forked = nullptr, Joined = nullptr;
    CHECK(cudaStreamCreateWithFlags(&Side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&Forked));
    CHECK(cudaEventCreate(&Joined));
    CHECK(cudaMemsetAsync(P.A, 0, Bytes, P.First));
    CHECK(cudaEventRecord(Forked, P.First));
    CHECK(cudaStreamWaitEvent(Side, Forked, 0));
    add<<<N / 128, 128, 0, Side>>>(P.A, N, 4);
    CHECK(cudaEventRecord(Joined, Side));
    if (Joins)
      CHECK(cudaStreamWaitEvent(P.First, Joined, 0));
    CHECK(cudaStreamDestroy(Side));
    CHECK(cudaEventDestroy(Forked));
    CHECK(cudaEventDestroy(Joined));
    CHECK(cudaMemcpyAsync(P.Host, P.A, Bytes, cudaMemcpyDeviceToHost, P.First));
    cudaGraph_t G = nullptr;
    const cudaError_t Ended = cudaStreamEndCapture(P.First, &G);
    if (!Joins) {
      EXPECT(Ended == cudaErrorStreamCaptureUnjoined);
      (void)cudaGetLastError();
      continue;
    }
    CHECK(Ended);
    cudaGraphExec_t Exec = nullptr;
    CHECK(cudaGraphInstantiate(&Exec, G, 0));
    CHECK(cudaGraphLaunch(Exec, P.First));
    CHECK(cudaStreamSynchronize(P.First));
    EXPECT(P.holds(4));
    CHECK(cudaGraphExecDestroy(Exec));
    CHECK(cudaGraphDestroy(G));
  }
}

static void testErrors(Program &P) {
  EXPECT(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
  cudaGraph_t G = nullptr;
  EXPECT(cudaStreamEndCapture(P.First, &G) == cudaErrorIllegalState);
  // The host cannot wait for what does not run.
  CHECK(cudaStreamBeginCapture(P.First, cudaStreamCaptureModeRelaxed));
  EXPECT(cudaStreamSynchronize(P.First) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(P.First, &G) ==
         cudaErrorStreamCaptureInvalidated);
  EXPECT(G == nullptr);
  // A stream that does not come back.
  CHECK(cudaStreamBeginCapture(P.First, cudaStreamCaptureModeRelaxed));
  CHECK(cudaEventRecord(P.Forked, P.First));
  CHECK(cudaStreamWaitEvent(P.Second, P.Forked, 0));
  add<<<1, 32, 0, P.Second>>>(P.A, 32, 1);
  EXPECT(cudaStreamEndCapture(P.First, &G) == cudaErrorStreamCaptureUnjoined);
  (void)cudaGetLastError();
  // Afterwards all is as before.
  P.enqueue(1);
  CHECK(cudaStreamSynchronize(P.First));
  EXPECT(P.holds(0x01010101 + 3));
}

int main() {
  Program P;
  testGraph(P);
  testMemory(P);
  testDestroyed(P);
  testErrors(P);
  return finish();
}

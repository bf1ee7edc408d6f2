//===- ApiErrorsTest.cpp - CUDA's own error codes -------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The codes were read off CUDA 13.0 on an H200.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/UntrackedCode.h"
#include "test/unit/runtime/TestRuntime.h"
#include <climits>

using namespace gridspan;

static constexpr size_t Huge = size_t(1) << 60;

namespace {
class ApiErrors : public testing::Test {
protected:
  /// The call failed with this code, and left it for cudaGetLastError.
  void expectLeft(cudaError_t Got, cudaError_t Expected) {
    EXPECT_EQ(Got, Expected);
    EXPECT_EQ(__gridspan_cudaPeekAtLastError(), Expected);
    EXPECT_EQ(__gridspan_cudaGetLastError(), Expected);
    EXPECT_EQ(__gridspan_cudaGetLastError(), cudaSuccess);
  }

  TestRuntime R{2};
};
} // namespace

TEST_F(ApiErrors, LastErrorIsPerThreadAndTaken) {
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaSetDevice(5), cudaErrorInvalidDevice);
  std::thread([] {
    EXPECT_EQ(__gridspan_cudaGetLastError(), cudaSuccess);
  }).join();
  int Count = 0; // a success leaves it
  EXPECT_EQ(__gridspan_cudaGetDeviceCount(&Count), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaSuccess);
}

TEST_F(ApiErrors, Texts) {
  EXPECT_STREQ(__gridspan_cudaGetErrorName(cudaErrorMemoryAllocation),
               "cudaErrorMemoryAllocation");
  EXPECT_STREQ(__gridspan_cudaGetErrorString(cudaErrorMemoryAllocation),
               "out of memory");
}

TEST_F(ApiErrors, BadLaunches) {
  const GridspanKernel K = fake::saxpy();
  const int N = 64;
  float *P = toDevice(std::vector<float>(N, 1));
  const float *X = P;
  auto Launch = [&](dim3 Grid, dim3 Block, size_t Shared) {
    return launch(K, Grid, Block, Shared, nullptr, 1.0f, X, P, N);
  };
  expectLeft(Launch(1, 2048, 0), cudaErrorInvalidValue);
  expectLeft(Launch(0, 64, 0), cudaErrorInvalidValue);
  expectLeft(Launch({1, 0, 1}, 64, 0), cudaErrorInvalidValue);
  expectLeft(Launch(1, {64, 0, 1}, 0), cudaErrorInvalidValue);
  expectLeft(Launch(1, {1, 1, 65}, 0), cudaErrorInvalidValue);
  expectLeft(Launch({1, 65536, 1}, 64, 0), cudaErrorInvalidValue);
  expectLeft(Launch(1, 64, 49 << 10), cudaErrorInvalidValue);
  // Later work is fine.
  EXPECT_EQ(Launch(1, 64, 0), cudaSuccess);
  EXPECT_EQ(fromDevice(P, N), std::vector<float>(N, 2));
}

TEST_F(ApiErrors, DynamicSharedMemoryByAttribute) {
  const GridspanKernel K = fake::saxpy();
  const int N = 64;
  float *P = toDevice(std::vector<float>(N, 1));
  const float *X = P;
  auto Launch = [&](size_t Shared) {
    return launch(K, 1, 64, Shared, nullptr, 1.0f, X, P, N);
  };
  const auto Attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(Launch(60 << 10), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaFuncSetAttribute(K.HostStub, Attribute, 64 << 10),
            cudaSuccess);
  EXPECT_EQ(Launch(60 << 10), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFuncSetAttribute(K.HostStub, Attribute, 50 << 10),
            cudaSuccess);
  EXPECT_EQ(Launch(60 << 10), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaFuncSetAttribute(K.HostStub, Attribute, 1 << 20),
            cudaErrorInvalidValue);
}

TEST_F(ApiErrors, LaunchBounds) {
  static GridspanKernel K = fake::saxpy();
  static const char Stub = 0;
  K.HostStub = &Stub;
  K.MaxThreads = 128;
  static const GridspanModule Module = {
      "bounds.cu", &K, nullptr, GRIDSPAN_ABI_VERSION, 1, nullptr, nullptr};
  __gridspan_register_module(&Module);
  const int N = 64;
  float *P = toDevice(std::vector<float>(N, 1));
  const float *X = P;
  expectLeft(launch(K, 1, 256, 0, nullptr, 1.0f, X, P, N),
             cudaErrorInvalidValue);
  EXPECT_EQ(launch(K, 1, 128, 0, nullptr, 1.0f, X, P, N), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
  __gridspan_unregister_module(&Module);
}

TEST_F(ApiErrors, UnknownFunctions) {
  static const char NotAKernel = 0;
  expectLeft(
      __gridspan_cudaLaunchKernel(&NotAKernel, 1, 1, nullptr, 0, nullptr),
      cudaErrorInvalidDeviceFunction);
  cudaFuncAttributes A;
  EXPECT_EQ(__gridspan_cudaFuncGetAttributes(&A, &NotAKernel),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(
      __gridspan_cudaFuncSetCacheConfig(&NotAKernel, cudaFuncCachePreferL1),
      cudaErrorInvalidDeviceFunction);
}

TEST_F(ApiErrors, TooMuchMemory) {
  void *P = &P;
  size_t Pitch = 0;
  expectLeft(__gridspan_cudaMalloc(&P, Huge), cudaErrorMemoryAllocation);
  EXPECT_EQ(__gridspan_cudaMallocPitch(&P, &Pitch, Huge, 1),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(__gridspan_cudaMallocPitch(&P, &Pitch, Huge, Huge),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(__gridspan_cudaMallocHost(&P, Huge), cudaErrorMemoryAllocation);
  EXPECT_EQ(__gridspan_cudaMallocManaged(&P, Huge, cudaMemAttachGlobal),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(__gridspan_cudaMallocAsync(&P, Huge, nullptr),
            cudaErrorMemoryAllocation);
}

TEST_F(ApiErrors, NothingIsNull) {
  void *P = &P;
  EXPECT_EQ(__gridspan_cudaMalloc(&P, 0), cudaSuccess);
  EXPECT_EQ(P, nullptr);
  EXPECT_EQ(__gridspan_cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaFreeHost(nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
}

TEST_F(ApiErrors, Freeing) {
  void *P = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&P, 100000), cudaSuccess);
  std::vector<char> FromTheHeap(100);
  expectLeft(__gridspan_cudaFree(static_cast<char *>(P) + 4),
             cudaErrorInvalidValue);
  expectLeft(__gridspan_cudaFree(FromTheHeap.data()), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaFree(P), cudaSuccess);
  expectLeft(__gridspan_cudaFree(P), cudaErrorInvalidValue);
  expectLeft(__gridspan_cudaFreeHost(FromTheHeap.data()),
             cudaErrorInvalidValue);
}

TEST_F(ApiErrors, Registering) {
  std::vector<char> Memory(8192);
  expectLeft(__gridspan_cudaHostUnregister(Memory.data()),
             cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(__gridspan_cudaHostRegister(Memory.data(), Memory.size(), 0),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaHostRegister(Memory.data(), Memory.size(), 0),
            cudaErrorHostMemoryAlreadyRegistered);
  void *Device = nullptr;
  EXPECT_EQ(__gridspan_cudaHostGetDevicePointer(&Device, Memory.data(), 0),
            cudaSuccess);
  EXPECT_EQ(Device, Memory.data());
  EXPECT_EQ(__gridspan_cudaHostUnregister(Memory.data()), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaHostGetDevicePointer(&Device, Memory.data(), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaHostRegister(Memory.data(), 0, 0),
            cudaErrorInvalidValue);
}

TEST_F(ApiErrors, Copies) {
  void *P = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&P, 100), cudaSuccess);
  char Buffer[200] = {};
  for (int Kind : {-1, 5, 1000})
    expectLeft(
        __gridspan_cudaMemcpy(P, Buffer, 10, static_cast<cudaMemcpyKind>(Kind)),
        cudaErrorInvalidMemcpyDirection);
  expectLeft(__gridspan_cudaMemcpy(P, Buffer, 101, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemcpy(P, Buffer, 10, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemcpy(P, nullptr, 10, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemset(P, 0, 101), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemset(Buffer, 0, 10), cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemset(nullptr, 0, 10), cudaErrorInvalidValue);
}

TEST_F(ApiErrors, Copies2D) {
  void *P = nullptr;
  size_t Pitch = 0;
  ASSERT_EQ(__gridspan_cudaMallocPitch(&P, &Pitch, 10, 10), cudaSuccess);
  EXPECT_GE(Pitch, 10u);
  char Buffer[100] = {};
  expectLeft(__gridspan_cudaMemcpy2D(P, Pitch, Buffer, 9, 10, 10,
                                     cudaMemcpyHostToDevice),
             cudaErrorInvalidPitchValue);
  EXPECT_EQ(__gridspan_cudaMemcpy2D(P, Pitch, Buffer, 10, 10, 10,
                                    cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemcpy2D(P, Pitch, Buffer, 10, 10, 10,
                                    static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
}

TEST_F(ApiErrors, Symbols) {
  float Value = 0;
  static const int NotASymbol = 0;
  void *Address = nullptr;
  size_t Size = 0;
  EXPECT_EQ(__gridspan_cudaMemcpyToSymbol(&NotASymbol, &Value, 4, 0,
                                          cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(__gridspan_cudaGetSymbolAddress(&Address, &NotASymbol),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(__gridspan_cudaGetSymbolSize(&Size, &NotASymbol),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(__gridspan_cudaMemcpyToSymbol(&fake::Coefficient, &Value, 4, 2,
                                          cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemcpyToSymbol(&fake::Coefficient, &Value, 4, 0,
                                          cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(__gridspan_cudaGetSymbolSize(&Size, &fake::Coefficient),
            cudaSuccess);
  EXPECT_EQ(Size, 4u);
}

TEST_F(ApiErrors, Devices) {
  int Value = -1;
  EXPECT_EQ(__gridspan_cudaGetDeviceCount(&Value), cudaSuccess);
  EXPECT_EQ(Value, 1);
  EXPECT_EQ(__gridspan_cudaGetDevice(&Value), cudaSuccess);
  EXPECT_EQ(Value, 0);
  EXPECT_EQ(__gridspan_cudaSetDevice(0), cudaSuccess);
  expectLeft(__gridspan_cudaSetDevice(-1), cudaErrorInvalidDevice);
  expectLeft(__gridspan_cudaSetDevice(1), cudaErrorInvalidDevice);
  cudaDeviceProp P;
  EXPECT_EQ(__gridspan_cudaGetDeviceProperties(&P, 1), cudaErrorInvalidDevice);
  ASSERT_EQ(__gridspan_cudaGetDeviceProperties(&P, 0), cudaSuccess);
  size_t Free = 0, Total = 0;
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&Free, &Total), cudaSuccess);
  EXPECT_EQ(P.totalGlobalMem, Total);
  EXPECT_EQ(__gridspan_cudaDeviceGetAttribute(&Value, cudaDevAttrWarpSize, 0),
            cudaSuccess);
  EXPECT_EQ(Value, 32);
  EXPECT_EQ(__gridspan_cudaDeviceGetAttribute(&Value, cudaDevAttrWarpSize, 1),
            cudaErrorInvalidDevice);
  EXPECT_EQ(__gridspan_cudaRuntimeGetVersion(&Value), cudaSuccess);
  EXPECT_EQ(Value, CUDART_VERSION);
}

TEST_F(ApiErrors, StreamsAndEvents) {
  cudaEvent_t A, B;
  float Ms = 0;
  ASSERT_EQ(__gridspan_cudaEventCreate(&A), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaEventCreate(&B), cudaSuccess);
  expectLeft(__gridspan_cudaEventElapsedTime(&Ms, A, B),
             cudaErrorInvalidResourceHandle);
  EXPECT_EQ(__gridspan_cudaEventRecord(A, nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventRecord(B, nullptr), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventSynchronize(B), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventElapsedTime(&Ms, A, B), cudaSuccess);
  EXPECT_GE(Ms, 0);
  EXPECT_EQ(__gridspan_cudaEventDestroy(A), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaEventDestroy(A), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(__gridspan_cudaEventRecord(A, nullptr),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(__gridspan_cudaEventCreateWithFlags(&A, 0x100),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaEventDestroy(B), cudaSuccess);

  cudaStream_t S;
  EXPECT_EQ(__gridspan_cudaStreamCreateWithFlags(&S, 0x100),
            cudaErrorInvalidValue);
  ASSERT_EQ(__gridspan_cudaStreamCreate(&S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamQuery(S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(S), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(__gridspan_cudaStreamSynchronize(S),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(__gridspan_cudaStreamDestroy(nullptr),
            cudaErrorInvalidResourceHandle);
}

TEST_F(ApiErrors, PointerAttributes) {
  void *Device = nullptr, *Pinned = nullptr, *Managed = nullptr;
  int OnTheStack = 0;
  ASSERT_EQ(__gridspan_cudaMalloc(&Device, 10), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocHost(&Pinned, 10), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Managed, 10, cudaMemAttachGlobal),
            cudaSuccess);
  cudaPointerAttributes A;
  auto TypeOf = [&](const void *P) {
    EXPECT_EQ(__gridspan_cudaPointerGetAttributes(&A, P), cudaSuccess);
    return A.type;
  };
  EXPECT_EQ(TypeOf(static_cast<char *>(Device) + 5), cudaMemoryTypeDevice);
  EXPECT_EQ(A.devicePointer, static_cast<char *>(Device) + 5);
  EXPECT_EQ(A.hostPointer, nullptr);
  EXPECT_EQ(A.device, 0);
  EXPECT_EQ(TypeOf(Managed), cudaMemoryTypeManaged);
  EXPECT_EQ(A.hostPointer, Managed);
  EXPECT_EQ(TypeOf(Pinned), cudaMemoryTypeHost);
  EXPECT_EQ(A.devicePointer, Pinned);
  EXPECT_EQ(TypeOf(&OnTheStack), cudaMemoryTypeUnregistered);
  EXPECT_EQ(A.devicePointer, nullptr);
  EXPECT_EQ(__gridspan_cudaFreeHost(Pinned), cudaSuccess);
}

TEST_F(ApiErrors, HintsAreForManagedMemory) {
  void *Device = nullptr, *Managed = nullptr;
  ASSERT_EQ(__gridspan_cudaMalloc(&Device, 10000), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMallocManaged(&Managed, 10000, cudaMemAttachGlobal),
            cudaSuccess);
  const cudaMemLocation Here = {cudaMemLocationTypeDevice, 0};
  const cudaMemLocation Elsewhere = {cudaMemLocationTypeDevice, 3};
  EXPECT_EQ(__gridspan_cudaMemPrefetchAsync(Managed, 10000, Here, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemPrefetchAsync(Managed, 10001, Here, 0, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      __gridspan_cudaMemPrefetchAsync(Managed, 10000, Elsewhere, 0, nullptr),
      cudaErrorInvalidDevice);
  EXPECT_EQ(__gridspan_cudaMemPrefetchAsync(Device, 10000, Here, 0, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(__gridspan_cudaMemAdvise(Managed, 10000, cudaMemAdviseSetReadMostly,
                                     Here),
            cudaSuccess);
  EXPECT_EQ(__gridspan_cudaMemAdvise(Managed, 10000,
                                     static_cast<cudaMemoryAdvise>(77), Here),
            cudaErrorInvalidValue);
}

TEST_F(ApiErrors, AFaultStays) {
  EXPECT_EQ(R->note(cudaErrorIllegalAddress), cudaErrorIllegalAddress);
  void *P = nullptr;
  EXPECT_EQ(__gridspan_cudaMalloc(&P, 10), cudaErrorIllegalAddress);
  EXPECT_EQ(__gridspan_cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(__gridspan_cudaGetLastError(), cudaErrorIllegalAddress);
}

TEST_F(ApiErrors, ResettingFreesEverything) {
  void *P = nullptr;
  size_t Free = 0, After = 0, Total = 0;
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&Free, &Total), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMalloc(&P, 1 << 20), cudaSuccess);
  EXPECT_EQ(__gridspan_cudaDeviceReset(), cudaSuccess);
  ASSERT_EQ(__gridspan_cudaMemGetInfo(&After, &Total), cudaSuccess);
  EXPECT_EQ(After, Free);
  EXPECT_EQ(__gridspan_cudaFree(P), cudaErrorInvalidValue);
}

TEST_F(ApiErrors, CallConfigurations) {
  dim3 Grid, Block;
  size_t Shared = 0;
  cudaStream_t Stream = nullptr;
  EXPECT_EQ(
      __gridspan___cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream),
      cudaErrorMissingConfiguration);
  EXPECT_EQ(__gridspan___cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7,
                                                   cudaStreamPerThread),
            0u);
  EXPECT_EQ(
      __gridspan___cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream),
      cudaSuccess);
  EXPECT_EQ(Grid.y, 2u);
  EXPECT_EQ(Block.z, 6u);
  EXPECT_EQ(Shared, 7u);
  EXPECT_EQ(Stream, cudaStreamPerThread);
}

TEST(EntryPoints, AllAreThere) {
  const void *const All[] = {
#define GRIDSPAN_API(Name) reinterpret_cast<const void *>(&__gridspan_##Name),
#define GRIDSPAN_API_PT(Name, Suffix)                                          \
  reinterpret_cast<const void *>(&__gridspan_##Name##Suffix),
#include "gridspan/CudaApi.def"
  };
  for (const void *Entry : All)
    EXPECT_NE(Entry, nullptr);
}

//===--- Contexts of the program -------------------------------------------===//

namespace {
class BackendInForeignContext : public ForwardingBackend {
public:
  using ForwardingBackend::ForwardingBackend;
  static inline bool IsForeign;
  bool isInForeignContext() const override { return IsForeign; }
};
} // namespace

TEST(Contexts, OfTheProgramAreRefusedIfTheDriverIsGivenWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto Run = [] {
    TestRuntime R(2);
    R.wrapBackend<BackendInForeignContext>();
    BackendInForeignContext::IsForeign = true;
    void *P = nullptr;
    // Work of the runtime alone goes to Gridspan's contexts anyway.
    bool Right = __gridspan_cudaMalloc(&P, 1000) == cudaSuccess;
    __gridspan_unseen_work("cudaMemcpyToArray");
    Right &= __gridspan_cudaFree(P) == cudaSuccess;
    __gridspan_unseen_work("cuLaunchKernel");
    Right &=
        __gridspan_cudaMalloc(&P, 1000) == cudaErrorIncompatibleDriverContext;
    Right &= __gridspan_cudaDeviceSynchronize() ==
             cudaErrorIncompatibleDriverContext;
    BackendInForeignContext::IsForeign = false;
    Right &= __gridspan_cudaMalloc(&P, 1000) == cudaSuccess;
    _exit(Right ? 0 : 1);
  };
  EXPECT_EXIT(Run(), testing::ExitedWithCode(0),
              "the program has made a context current");
}

// As programs call them.
extern "C" {
cudaError_t calledMalloc(void **, size_t) __asm__("__gridspan_cudaMalloc");
cudaError_t calledFree(void *) __asm__("__gridspan_cudaFree");
cudaError_t calledMemset(void *, int, size_t) __asm__("__gridspan_cudaMemset");
cudaError_t calledReset() __asm__("__gridspan_cudaDeviceReset");
cudaError_t
    calledStreamQuery(cudaStream_t) __asm__("__gridspan_cudaStreamQuery_ptsz");
}
extern "C" cudaError_t cudaStreamQuery_ptsz(cudaStream_t);

TEST(Contexts, OfTheProgramAreForTheRuntimeOfCuda) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto Run = [] {
    TestRuntime R(2);
    R.wrapBackend<BackendInForeignContext>();
    void *Own = nullptr, *P = nullptr, *Q = nullptr;
    bool Right = calledMalloc(&Own, 1000) == cudaSuccess &&
                 R->memory().find(Own) != nullptr;
    BackendInForeignContext::IsForeign = true;
    // Without work of the driver all calls are Gridspan's.
    Right &= calledMalloc(&P, 1000) == cudaSuccess && R->memory().find(P);
    __gridspan_unseen_work("cuLaunchKernel");
    // These are CUDA's, which has no driver here, or allocates itself.
    Right &=
        calledMalloc(&Q, 1000) == cudaMalloc(&Q, 1000) && !R->memory().find(Q);
    Right &= calledStreamQuery(nullptr) == cudaStreamQuery_ptsz(nullptr);
    Right &= calledMalloc(nullptr, 1) == cudaMalloc(nullptr, 1);
    // Gridspan's memory is Gridspan's everywhere.
    Right &= calledMemset(Own, 1, 1000) == cudaSuccess;
    Right &= calledFree(Own) == cudaSuccess && !R->memory().find(Own);
    Right &= calledReset() == cudaErrorIncompatibleDriverContext;
    BackendInForeignContext::IsForeign = false;
    Right &= calledFree(P) == cudaSuccess && !R->memory().find(P);
    _exit(Right ? 0 : 1);
  };
  EXPECT_EXIT(Run(), testing::ExitedWithCode(0), "");
}

//===- FaultTest.cpp - Programs on devices of which a call fails ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that checks its errors runs again and again, and each time the next
// of all calls into the backend fails once. Either the program does not notice
// and its results are right, or it sees an error; it never sees wrong results.
// Later work succeeds as before, and nothing leaks.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/TestRuntime.h"
#include "test/unit/runtime/backend/FaultyBackend.h"
#include <algorithm>
#include <cstring>

using namespace gridspan;

namespace {

enum class Outcome { Right, Error, Wrong };

/// Frees its memory, whatever happens before.
class DeviceBuffer {
public:
  ~DeviceBuffer() {
    if (Address)
      EXPECT_EQ(__gridspan_cudaFree(Address), cudaSuccess);
  }
  cudaError_t allocate(size_t Count) {
    void *Out = nullptr;
    const cudaError_t E = __gridspan_cudaMalloc(&Out, Count * sizeof(float));
    Address = static_cast<float *>(Out);
    return E;
  }
  float *get() const { return Address; }
  float *release() { return std::exchange(Address, nullptr); }

private:
  float *Address = nullptr;
};

#define TRY(Call)                                                              \
  do {                                                                         \
    if ((Call) != cudaSuccess)                                                 \
      return Outcome::Error;                                                   \
  } while (0)

/// Computes Y = X + Y over an array spread over the devices, with pageable
/// copies and some rounds on the second half only: as many as it takes until
/// pages move, which they do not where memory is small.
Outcome addRepeatedly() {
  constexpr int N = 1 << 16, Half = N / 2;
  const bool IsSmall = Runtime::existing()->memory().info().Total <= 8 * N;
  const int Rounds = IsSmall ? 2 : 12;
  const std::vector<float> X(N, 1);
  std::vector<float> Y(N, 2);
  DeviceBuffer DX, DY, Small;
  TRY(DX.allocate(N));
  TRY(DY.allocate(N));
  TRY(Small.allocate(10));
  TRY(__gridspan_cudaMemcpy(DX.get(), X.data(), N * 4, cudaMemcpyDefault));
  TRY(__gridspan_cudaMemcpy(DY.get(), Y.data(), N * 4, cudaMemcpyDefault));
  TRY(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
             static_cast<const float *>(DX.get()), DY.get(), N));
  for (int I = 0; I < Rounds; ++I)
    TRY(launch(fake::saxpy(), Half / 128, 128, 0, nullptr, 1.0f,
               static_cast<const float *>(DX.get() + Half), DY.get() + Half,
               Half));
  TRY(__gridspan_cudaMemset(Small.get(), 0, 40));
  TRY(__gridspan_cudaMemcpy(DY.get(), Small.get(), 40, cudaMemcpyDefault));
  TRY(__gridspan_cudaMemcpy(Y.data(), DY.get(), N * 4, cudaMemcpyDefault));
  for (int I = 0; I < N; ++I)
    if (Y[I] != (I < 10 ? 0 : I < Half ? 3 : 3 + Rounds))
      return Outcome::Wrong;
  return Outcome::Right;
}

/// Computes C = A B with replicas of B, which is written in between.
Outcome multiply() {
  constexpr int N = 96;
  std::vector<float> A(N * N, 1), B(N * N, 2), C(N * N);
  DeviceBuffer DA, DB, DC;
  TRY(DA.allocate(N * N));
  TRY(DB.allocate(N * N));
  TRY(DC.allocate(N * N));
  TRY(__gridspan_cudaMemcpy(DA.get(), A.data(), N * N * 4, cudaMemcpyDefault));
  for (float Value : {2.0f, 5.0f}) {
    std::fill(B.begin(), B.end(), Value);
    TRY(__gridspan_cudaMemcpy(DB.get(), B.data(), N * N * 4,
                              cudaMemcpyDefault));
    for (int I = 0; I < 2; ++I)
      TRY(launch(fake::matmul(), (N + 3) / 4, 4, 0, nullptr, DC.get(),
                 static_cast<const float *>(DA.get()),
                 static_cast<const float *>(DB.get()), N));
    TRY(__gridspan_cudaMemcpy(C.data(), DC.get(), N * N * 4,
                              cudaMemcpyDefault));
    if (C != std::vector<float>(N * N, N * Value))
      return Outcome::Wrong;
  }
  return Outcome::Right;
}

/// Uses streams of the program, memory in stream order, and 2-D copies.
Outcome useStreams() {
  constexpr int N = 1 << 16;
  struct OwnStream {
    ~OwnStream() {
      if (Handle)
        EXPECT_EQ(__gridspan_cudaStreamDestroy(Handle), cudaSuccess);
    }
    cudaStream_t Handle = nullptr;
  } S;
  std::vector<float> X(N, 1), Y(N, 0);
  TRY(__gridspan_cudaStreamCreate(&S.Handle));
  for (int Round = 0; Round < 3; ++Round) {
    void *Memory = nullptr;
    TRY(__gridspan_cudaMallocAsync(&Memory, N * 4, S.Handle));
    auto *D = static_cast<float *>(Memory);
    const Outcome Result = [&] {
      TRY(__gridspan_cudaMemcpy2DAsync(D, 1024, X.data(), 1024, 1024, N / 256,
                                       cudaMemcpyDefault, S.Handle));
      TRY(launch(fake::saxpy(), N / 256, 256, 0, S.Handle, 1.0f,
                 static_cast<const float *>(D), D, N));
      TRY(__gridspan_cudaMemcpyAsync(Y.data(), D, N * 4, cudaMemcpyDefault,
                                     S.Handle));
      return Outcome::Right;
    }();
    // The program gives its memory back also after an error.
    const cudaError_t Freed = __gridspan_cudaFreeAsync(D, S.Handle);
    EXPECT_EQ(Freed, cudaSuccess);
    if (Result != Outcome::Right)
      return Result;
    TRY(__gridspan_cudaStreamSynchronize(S.Handle));
    if (Y != std::vector<float>(N, 2))
      return Outcome::Wrong;
  }
  return Outcome::Right;
}

/// Allocates and frees in a loop, so that ranges are reused: by allocations of
/// the same size, of one that is another number of bytes in as many pages, by
/// small ones, and by more memory than was freed.
Outcome allocateInALoop() {
  constexpr int N = 1 << 15, Rounds = 5;
  for (int Round = 0; Round < Rounds; ++Round) {
    const int Count = Round < 3 ? N : N - Round;
    const std::vector<float> X(Count, static_cast<float>(Round));
    std::vector<float> Y(Count, 2);
    DeviceBuffer DX, DY, Small, Large;
    TRY(DX.allocate(Count));
    TRY(DY.allocate(Count));
    TRY(Small.allocate(10));
    if (Round == Rounds - 1)
      TRY(Large.allocate(4 * N));
    TRY(__gridspan_cudaMemcpy(DX.get(), X.data(), Count * sizeof(float),
                              cudaMemcpyDefault));
    TRY(__gridspan_cudaMemcpy(DY.get(), Y.data(), Count * sizeof(float),
                              cudaMemcpyDefault));
    TRY(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 2.0f,
               static_cast<const float *>(DX.get()), DY.get(), Count));
    TRY(__gridspan_cudaMemset(Small.get(), 0, 40));
    TRY(__gridspan_cudaMemcpy(DY.get(), Small.get(), 40, cudaMemcpyDefault));
    TRY(__gridspan_cudaMemcpy(Y.data(), DY.get(), Count * sizeof(float),
                              cudaMemcpyDefault));
    for (int I = 0; I < Count; ++I)
      if (Y[I] != (I < 10 ? 0 : 2 + 2 * static_cast<float>(Round)))
        return Outcome::Wrong;
  }
  return Outcome::Right;
}

/// Has the host read and write managed memory between launches, also after one
/// that failed.
Outcome shareWithHost() {
  constexpr int N = 1 << 15;
  struct Managed {
    Managed() {
      void *Out = nullptr;
      if (!__gridspan_cudaMallocManaged(&Out, N * 4, cudaMemAttachGlobal))
        Data = static_cast<float *>(Out);
    }
    ~Managed() {
      if (Data)
        EXPECT_EQ(__gridspan_cudaFree(Data), cudaSuccess);
    }
    float *Data = nullptr;
  } X, Y;
  if (!X.Data || !Y.Data)
    return Outcome::Error;
  auto Add = [&](float To) {
    std::fill_n(Y.Data, N, To);
    TRY(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
               static_cast<const float *>(X.Data), Y.Data, N));
    TRY(__gridspan_cudaDeviceSynchronize());
    return std::count(Y.Data, Y.Data + N, To + 1) == N ? Outcome::Right
                                                       : Outcome::Wrong;
  };
  std::fill_n(X.Data, N, 1.0f);
  Outcome Last = Outcome::Right;
  for (float To : {3.0f, 5.0f}) {
    const Outcome This = Add(To);
    // The call works at the second time, with the host's new values.
    if (This == Outcome::Wrong || (This == Outcome::Error && Last == This))
      return Outcome::Wrong;
    Last = This;
  }
  return Last;
}

/// Computes C = A B in blocks that walk down the columns of B, so that a device
/// that is too small gets packed rows.
Outcome multiplyPacked() {
  constexpr int N = 136;
  std::vector<float> A(N * N, 1), B(N * N, 2), C(N * N);
  for (int I = 0; I < N; ++I)
    B[I * N + I] = 3;
  DeviceBuffer DA, DB, DC;
  TRY(DA.allocate(N * N));
  TRY(DB.allocate(N * N));
  TRY(DC.allocate(N * N));
  TRY(__gridspan_cudaMemcpy(DA.get(), A.data(), N * N * 4, cudaMemcpyDefault));
  TRY(__gridspan_cudaMemcpy(DB.get(), B.data(), N * N * 4, cudaMemcpyDefault));
  TRY(launch(fake::product(), dim3(N / 8, N / 8), dim3(8, 8), 0, nullptr,
             DC.get(), static_cast<const float *>(DA.get()),
             static_cast<const float *>(DB.get()), N));
  TRY(__gridspan_cudaMemcpy(C.data(), DC.get(), N * N * 4, cudaMemcpyDefault));
  return C == std::vector<float>(N * N, 2 * N + 1) ? Outcome::Right
                                                   : Outcome::Wrong;
}

/// Runs steps over managed memory without waiting, so that it stays resident as
/// far as it fits; then the host reads and changes it.
Outcome iterateManaged() {
  constexpr int N = 1 << 15;
  struct Managed {
    explicit Managed(float Value) {
      void *Out = nullptr;
      if (__gridspan_cudaMallocManaged(&Out, N * 4, cudaMemAttachGlobal))
        return;
      Data = static_cast<float *>(Out);
      std::fill_n(Data, N, Value);
    }
    ~Managed() {
      if (Data)
        EXPECT_EQ(__gridspan_cudaFree(Data), cudaSuccess);
    }
    float *Data = nullptr;
  } X(1), Y(0);
  if (!X.Data || !Y.Data)
    return Outcome::Error;
  float Wanted[2] = {1, 0};
  for (int Round = 0; Round < 2; ++Round) {
    for (int Step = 0; Step < 4; ++Step) {
      const bool Back = Step % 2;
      TRY(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                 static_cast<const float *>(Back ? Y.Data : X.Data),
                 Back ? X.Data : Y.Data, N));
      Wanted[!Back] += Wanted[Back];
    }
    // A failing call says nothing about the data.
    TRY(__gridspan_cudaDeviceSynchronize());
    if (std::count(X.Data, X.Data + N, Wanted[0]) != N ||
        std::count(Y.Data, Y.Data + N, Wanted[1]) != N)
      return Outcome::Wrong;
    std::fill_n(X.Data, N, 3.0f);
    Wanted[0] = 3;
  }
  return Outcome::Right;
}

/// Counts into bins that tiles have private copies of, first a few, then more.
Outcome reduce() {
  constexpr int N = 1 << 12, Bins = 1 << 12;
  std::vector<float> In(N), Counts(Bins);
  std::vector<int> Want(Bins);
  auto *Keys = reinterpret_cast<int *>(In.data());
  for (int I = 0; I < N; ++I)
    Want[Keys[I] = I * I % Bins] += 3;
  DeviceBuffer DIn, DCounts;
  TRY(DIn.allocate(N));
  TRY(DCounts.allocate(Bins));
  TRY(__gridspan_cudaMemcpy(DIn.get(), Keys, N * 4, cudaMemcpyDefault));
  TRY(__gridspan_cudaMemset(DCounts.get(), 0, Bins * 4));
  for (int Round = 0; Round < 3; ++Round)
    TRY(launch(fake::count(), N / 64, 64, 0, nullptr,
               reinterpret_cast<const int *>(DIn.get()),
               reinterpret_cast<int *>(DCounts.get()), N));
  TRY(__gridspan_cudaMemcpy(Counts.data(), DCounts.get(), Bins * 4,
                            cudaMemcpyDefault));
  return std::memcmp(Counts.data(), Want.data(), Bins * 4) == 0
             ? Outcome::Right
             : Outcome::Wrong;
}

/// Reads an array through a texture, which each device has copies of, before and
/// after the array changes.
Outcome readTextures() {
  constexpr int N = 1 << 12;
  struct Objects {
    ~Objects() {
      if (Texture)
        EXPECT_EQ(__gridspan_cudaDestroyTextureObject(Texture), cudaSuccess);
      if (Array)
        EXPECT_EQ(__gridspan_cudaFreeArray(Array), cudaSuccess);
    }
    cudaArray_t Array = nullptr;
    cudaTextureObject_t Texture = 0;
  } O;
  DeviceBuffer Out;
  TRY(Out.allocate(N));
  const cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  TRY(__gridspan_cudaMallocArray(&O.Array, &Float, N, 0, 0));
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypeArray;
  Resource.res.array.array = O.Array;
  cudaTextureDesc Desc = {};
  Desc.addressMode[0] = cudaAddressModeClamp;
  TRY(__gridspan_cudaCreateTextureObject(&O.Texture, &Resource, &Desc,
                                         nullptr));
  for (float First : {1.0f, 5000.0f}) {
    std::vector<float> Texels(N), Host(N);
    for (int I = 0; I < N; ++I)
      Texels[I] = First + static_cast<float>(I);
    TRY(__gridspan_cudaMemcpy2DToArray(O.Array, 0, 0, Texels.data(), N * 4,
                                       N * 4, 1, cudaMemcpyHostToDevice));
    for (int I = 0; I < 2; ++I)
      TRY(launch(fake::lookUp(), N / 64, 64, 0, nullptr, O.Texture, Out.get(),
                 N));
    TRY(__gridspan_cudaMemcpy(Host.data(), Out.get(), N * 4,
                              cudaMemcpyDefault));
    if (Host != Texels)
      return Outcome::Wrong;
  }
  return Outcome::Right;
}

/// Has kernels work on memory of the host, twice, so that the second launch
/// finds frames of the first.
Outcome lendHostMemory() {
  constexpr int N = 1 << 15;
  std::vector<float> X(N + 1, 1), Y(N + 1, 2);
  struct Lent {
    ~Lent() { EXPECT_TRUE(Done || !Borrowed); }
    cudaError_t borrow() {
      const cudaError_t Error = __gridspan_borrow(Operands, 2, nullptr);
      Borrowed = !Error;
      return Error;
    }
    cudaError_t giveBack() {
      Done = true;
      return __gridspan_give_back(Operands, 2, nullptr);
    }
    GridspanOperand Operands[2] = {};
    bool Borrowed = false, Done = false;
  } L;
  // What the devices left is the program's again after an error, too.
  L.Operands[0].Address = X.data() + 1;
  L.Operands[1].Address = Y.data() + 1;
  L.Operands[0].Bytes = L.Operands[1].Bytes = N * sizeof(float);
  L.Operands[0].Use = GridspanOperandReads;
  L.Operands[1].Use = GridspanOperandWrites;
  TRY(L.borrow());
  const Outcome Result = [&] {
    for (int I = 0; I < 2; ++I)
      TRY(launch(fake::saxpy(), N / 256, 256, 0, nullptr, 1.0f,
                 static_cast<const float *>(L.Operands[0].OnDevice),
                 static_cast<float *>(L.Operands[1].OnDevice), N));
    return Outcome::Right;
  }();
  const cudaError_t Error = L.giveBack();
  if (Result != Outcome::Right)
    return Result;
  TRY(Error);
  if (Y[0] != 2 || std::count(Y.begin() + 1, Y.end(), 4.0f) != N)
    return Outcome::Wrong;
  return Outcome::Right;
}

/// Has pieces of memory come to a work space, go through what stands for a
/// library's function, and leave (LaunchGroups.cpp): on each device a half of
/// them, where there are two.
Outcome callLibrary() {
  constexpr int Piece = 1 << 12, Pieces = 8, N = Piece * Pieces;
  const std::vector<float> X(N, 1);
  std::vector<float> Y(N);
  const int Devices = __gridspan_num_devices() > 1 ? 2 : 1;
  // Errors leave the thread's choice as it was.
  struct Chosen {
    ~Chosen() { __gridspan_choose_device(GridspanAnyDevice); }
  } AtEnd;
  DeviceBuffer Work[2][3], DX, DY;
  for (int D = 0; D < Devices; ++D) {
    __gridspan_choose_device(D);
    for (DeviceBuffer &W : Work[D])
      TRY(W.allocate(Piece));
  }
  __gridspan_choose_device(GridspanAnyDevice);
  TRY(DX.allocate(N));
  TRY(DY.allocate(N));
  TRY(__gridspan_cudaMemcpy(DX.get(), X.data(), N * 4, cudaMemcpyDefault));
  const auto Move = [&](const float *From, float *To) {
    return launch(fake::beyond(), Piece / 64, 64, 0, nullptr, From, To, Piece,
                  0);
  };
  const auto Call = [&](float *In, float *Out) {
    GridspanOperand Of[2] = {};
    Of[0].Address = In;
    Of[1].Address = Out;
    Of[0].Bytes = Of[1].Bytes = Piece * 4;
    if (cudaError_t Error = __gridspan_begin_group(Of, 2, nullptr))
      return Error;
    cudaError_t Error = __gridspan_cudaMemsetAsync(Out, 0, Piece * 4, nullptr);
    if (!Error)
      Error = launch(fake::lookBack(), Piece / 64, 64, 0, nullptr,
                     static_cast<const float *>(In), Out, Piece);
    const cudaError_t Ending = __gridspan_end_group();
    return Error ? Error : Ending;
  };
  for (int I = 0; I < Pieces; ++I) {
    const int D = I % Devices, P = (D * Pieces + I) / Devices;
    const int First = 2 * (I / Devices);
    const auto Part = [&](int Of) { return Work[D][(First + Of) % 3].get(); };
    float *const W[] = {Part(0), Part(1)};
    __gridspan_choose_device(D);
    TRY(Move(DX.get() + P * Piece, W[0]));
    TRY(Call(W[0], W[1]));
    TRY(Move(W[1], DY.get() + P * Piece));
  }
  __gridspan_choose_device(GridspanAnyDevice);
  TRY(__gridspan_cudaMemcpy(Y.data(), DY.get(), N * 4, cudaMemcpyDefault));
  return std::count(Y.begin(), Y.end(), 5.0f) == N ? Outcome::Right
                                                   : Outcome::Wrong;
}

/// Adds on devices that do not reach each other, which keep what they wrote,
/// between fills, copies and a launch on one of them.
Outcome exchange() {
  constexpr int N = 1 << 14, Rounds = 2;
  const std::vector<float> X(N, 1);
  std::vector<float> Y(N), Z(N);
  DeviceBuffer DX, DY, DZ, More;
  TRY(DX.allocate(N));
  TRY(DY.allocate(N));
  TRY(DZ.allocate(N));
  TRY(__gridspan_cudaMemcpy(DX.get(), X.data(), N * 4, cudaMemcpyDefault));
  TRY(__gridspan_cudaMemset(DY.get(), 0, N * 4));
  auto Add = [&](const float *From, float *To) {
    return launch(fake::saxpy(), N / 64, 64, 0, nullptr, 1.0f, From, To, N);
  };
  float Expected = 0;
  for (int I = 0; I < Rounds; ++I) {
    TRY(Add(DX.get(), DY.get()));
    TRY(Add(DX.get(), DY.get()));
    // Z = 2 Y, on one device.
    TRY(launch(fake::lookBack(), N / 64, 64, 0, nullptr,
               static_cast<const float *>(DY.get()), DZ.get(), N));
    TRY(Add(DZ.get(), DY.get()));
    Expected = 3 * (Expected + 2);
    TRY(__gridspan_cudaMemset(DY.get() + N - 8, 0, 32));
    TRY(Add(DX.get(), DY.get()));
    ++Expected;
  }
  // Takes the place of replicas where memory is small.
  TRY(More.allocate(N));
  TRY(__gridspan_cudaMemcpy(Y.data(), DY.get(), N * 4, cudaMemcpyDefault));
  for (int I = 0; I < N; ++I)
    if (Y[I] != (I < N - 8 ? Expected : 1))
      return Outcome::Wrong;
  return Outcome::Right;
}

struct Scenario {
  const char *Name;
  Outcome (*Run)();
  uint64_t SmallMemory; ///< bytes of a device that is too small, or nearly
  Schedule Sched = Schedule::Static;
  bool Peers = true;
};
constexpr Scenario Scenarios[] = {
    {"addRepeatedly", addRepeatedly, 1 << 18},
    {"multiply", multiply, 1 << 20},
    {"useStreams", useStreams, 1 << 20},
    {"addHandedOut", addRepeatedly, 1 << 18, Schedule::Dynamic},
    {"allocateInALoop", allocateInALoop, 1 << 20},
    {"shareWithHost", shareWithHost, 1 << 18},
    {"iterateManaged", iterateManaged, 1 << 17},
    {"multiplyPacked", multiplyPacked, 1 << 16},
    {"reduce", reduce, 1 << 20},
    {"lendHostMemory", lendHostMemory, 1 << 17},
    {"callLibrary", callLibrary, 1 << 17},
    {"readTextures", readTextures, 1 << 20},
    {"exchange", exchange, 1 << 18, Schedule::Static, false}};

/// Tests that share the calls of a scenario: shards get tests in turn, and some
/// scenarios take far longer than others.
constexpr unsigned NumShards = 4;

class Faults : public testing::TestWithParam<
                   std::tuple<unsigned, bool, size_t, unsigned>> {
protected:
  unsigned devices() const { return std::get<0>(GetParam()); }
  /// Bytes of each device; 0: enough for everything.
  uint64_t memory() const {
    return std::get<1>(GetParam()) ? scenario().SmallMemory : 0;
  }
  const Scenario &scenario() const {
    return Scenarios[std::get<2>(GetParam())];
  }
  unsigned shard() const { return std::get<3>(GetParam()); }

  void start() {
    fake::module();
    Config C;
    C.Kind = DeviceKind::Cpu;
    C.KeepsFreed = true;
    C.NumCpuDevices = devices();
    C.DeviceMemory = memory();
    C.Sched = scenario().Sched;
    C.Peer = scenario().Peers;
    C.Privates = PrivateCopyUse::Always;
    C.CopyThreads = 2;
    C.CopyBufferBytes = 1 << 15;
    std::string Message;
    Runtime::replace(std::make_unique<Runtime>(
        C, std::make_unique<FaultyBackend>(createBackend(C, Message), Plan)));
    (void)__gridspan_cudaGetLastError();
  }

  /// Checks that at most a page for small allocations remains.
  void expectAllGiven() {
    ASSERT_EQ(__gridspan_cudaDeviceSynchronize(), cudaSuccess);
    const MemoryManager::DeviceBytes Bytes =
        Runtime::existing()->memory().info();
    EXPECT_LE(Bytes.Total - Bytes.Free,
              Runtime::existing()->backend().system().PageSize);
  }

  void TearDown() override {
    Runtime::replace(nullptr);
    EXPECT_EQ(Plan.Reserved, 0);
    EXPECT_EQ(Plan.Mapped, 0);
    EXPECT_EQ(Plan.Unified, 0);
    EXPECT_EQ(Plan.Pinned, 0);
    EXPECT_EQ(Plan.Registered, 0);
  }

  /// Checks that launches were out-of-core, unless the memory fits.
  void expectOutOfCore(const ReportRecord &Done) {
    uint64_t Streamed = 0, Packed = 0;
    for (const KernelRecord &K : Done.Kernels) {
      Streamed += K.OutOfCoreLaunches;
      Packed += K.Packed.size();
    }
    if (scenario().Run == addRepeatedly || scenario().Run == shareWithHost ||
        scenario().Run == iterateManaged || scenario().Run == multiplyPacked ||
        scenario().Run == lendHostMemory || scenario().Run == callLibrary)
      EXPECT_GT(Streamed, 0U);
    if (scenario().Run == iterateManaged)
      EXPECT_GT(Done.ManagedWriteBacks.Bytes, 0U);
    if (scenario().Run == multiplyPacked)
      EXPECT_GT(Packed, 0U);
  }

  FaultPlan Plan;
};

/// Returns the number of the next call that shall fail: all of the first ones,
/// in which everything is made, and a sample of the later ones, which repeat.
int64_t callAfter(int64_t At, int64_t Calls) {
  constexpr int64_t All = 150, Sample = 50;
  return At + 1 + (At < All ? 0 : (Calls - All) / Sample);
}

} // namespace

TEST_P(Faults, AnyCallMayFailOnce) {
  start();
  ASSERT_EQ(scenario().Run(), Outcome::Right);
  expectAllGiven();
  // The scenario reaches the code that it is about.
  const ReportRecord Done = Runtime::existing()->record();
  if (devices() > 1 && memory() == 0 && scenario().Run == addRepeatedly)
    EXPECT_GT(Done.Moves.Bytes, 0U);
  if (devices() > 1 &&
      (scenario().Run == multiply || scenario().Run == readTextures))
    EXPECT_GT(Done.Replicas.Bytes, 0U);
  if (devices() > 1 && memory() == 0 && scenario().Run == exchange)
    EXPECT_GT(Done.WriteBacks.Bytes, 0U);
  if (devices() > 1 && scenario().Run == reduce)
    EXPECT_GT(Done.Combinations.Bytes, 0U);
  if (memory() != 0 && devices() == 1)
    expectOutOfCore(Done);
  const int64_t Calls = Plan.Calls;
  ASSERT_GT(Calls, 10);
  unsigned Unnoticed = 0;
  unsigned Tried = 0;
  unsigned Number = 0;
  for (int64_t At = 0; At < Calls && !HasFailure(); At = callAfter(At, Calls)) {
    if (Number++ % NumShards != shard())
      continue;
    ++Tried;
    SCOPED_TRACE(testing::Message() << "call " << At << " of " << Calls);
    Runtime::replace(nullptr);
    Plan.Calls = 0;
    Plan.FailAt = At;
    Plan.Failed = nullptr;
    start();
    const Outcome First = scenario().Run();
    SCOPED_TRACE(Plan.Failed ? Plan.Failed.load() : "nothing failed");
    EXPECT_NE(First, Outcome::Wrong);
    if (Plan.Failed && std::string_view(Plan.Failed) == "prefetch")
      EXPECT_EQ(First, Outcome::Right); // the call is only for speed
    Unnoticed += First == Outcome::Right;
    Plan.FailAt = -1;
    EXPECT_EQ(scenario().Run(), Outcome::Right);
    expectAllGiven();
  }
  // Some failures only cost time; but not all, where there are several.
  constexpr unsigned Several = 4;
  if (Tried >= Several)
    EXPECT_LT(Unnoticed, Tried);
}

INSTANTIATE_TEST_SUITE_P(
    Devices, Faults,
    testing::Combine(testing::Values(1U, 2U, 3U, 4U), testing::Bool(),
                     testing::Range(size_t(0), std::size(Scenarios)),
                     testing::Range(0U, NumShards)),
    [](const auto &Info) {
      return std::string(Scenarios[std::get<2>(Info.param)].Name) + "On" +
             std::to_string(std::get<0>(Info.param)) +
             (std::get<1>(Info.param) ? "Small" : "") + "Part" +
             std::to_string(std::get<3>(Info.param));
    });

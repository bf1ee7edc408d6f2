// Random operations on arrays of records that launches keep in another form:
// kernels that know the records and kernels that do not, copies and fills of
// parts, from the middle of records on, pointers into the middle of arrays,
// several streams, and frees. A model on the host says what must come out.
//
// RUN: %gridspan++ -O2 -mllvm -gridspan-layout=apply %s -o %t
// RUN: %t 1 12 | FileCheck %s
// RUN: env GRIDSPAN_LAYOUT=0 %t 1 2 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 %t 1 3 | FileCheck %s
// RUN: env GRIDSPAN_DEVICE_MEMORY=2MiB %t 1 2 | FileCheck %s
// RUN: env GRIDSPAN_REPORT=1 %t 1 3 2>&1 | FileCheck --check-prefix=FORMED %s
// CHECK: PASS
// FORMED: launches found arrays of records as an array for each field
// FORMED: records converted

#include "../Inputs/check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

struct Record {
  unsigned A;
  unsigned short B, C;
  unsigned long long D;
  unsigned char E[4];
  unsigned F;
  unsigned G[2];
};
static_assert(sizeof(Record) == 32);

constexpr unsigned N = 3000;
constexpr unsigned Words = N * sizeof(Record) / 4;

// Each is a device function of one element, so that the model is the same code.
__host__ __device__ inline void bumpOne(Record *P, unsigned I, unsigned K) {
  P[I].A += K;
  P[I].B = (unsigned short)(P[I].B * 3 + P[I].C);
  P[I].D ^= (unsigned long long)P[I].F << 7;
}
__host__ __device__ inline void bytesOne(Record *P, unsigned I, unsigned K) {
  P[I].E[0] += K;
  P[I].E[3] ^= P[I].E[1];
  P[I].G[1] = P[I].G[0] + K;
}
__host__ __device__ inline void mixOne(Record *Out, const Record *In,
                                       unsigned I, unsigned K) {
  Out[I].F = In[N - 1 - I].A * 5 + K;
  Out[I].D += In[I].C;
}
__host__ __device__ inline void wholeOne(Record *Out, const Record *In,
                                         unsigned I, unsigned K) {
  Out[I] = In[(I + K) % N];
}
__host__ __device__ inline void walkOne(Record *P, unsigned I, unsigned K) {
  Record *At = P + I;
  for (unsigned Left = 0; Left < 3 && I + Left * 1000 < N; ++Left) {
    At->A ^= K + Left;
    At->G[0] += At->F;
    At += 1000;
  }
}
__host__ __device__ inline void rawOne(unsigned *P, unsigned I, unsigned K) {
  P[I] = P[I] * 7 + K;
}

__global__ void bump(Record *P, unsigned Count, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    bumpOne(P, I, K);
}
__global__ void bytes(Record *P, unsigned Count, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    bytesOne(P, I, K);
}
__global__ void mix(Record *Out, const Record *In, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    mixOne(Out, In, I, K);
}
__global__ void whole(Record *Out, const Record *In, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    wholeOne(Out, In, I, K);
}
__global__ void walk(Record *P, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < 1000)
    walkOne(P, I, K);
}
__global__ void count(Record *P, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    atomicAdd(&P[I % 100].A, K + P[I].F);
}
__global__ void raw(unsigned *P, unsigned Count, unsigned K) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    rawOne(P, I, K);
}

struct Random {
  unsigned long long State;
  unsigned operator()(unsigned Most) {
    State ^= State << 13;
    State ^= State >> 7;
    State ^= State << 17;
    return unsigned(State >> 20) % Most;
  }
};

constexpr unsigned Arrays = 3, Streams = 2;

struct Program {
  Random Next;
  Record *Device[Arrays] = {};
  std::vector<Record> Model[Arrays];
  cudaStream_t S[Streams];
  cudaEvent_t Done;
  unsigned Last = 0; ///< the stream of the last operation

  unsigned blocks(unsigned Threads) { return (Threads + 127) / 128; }

  /// Returns the stream of the next operation, which is behind the last one.
  cudaStream_t stream() {
    unsigned Which = Next(4) ? Last : Next(Streams);
    if (Which != Last) {
      CHECK(cudaEventRecord(Done, S[Last]));
      CHECK(cudaStreamWaitEvent(S[Which], Done, 0));
    }
    Last = Which;
    return S[Which];
  }
  void create(unsigned A) {
    CHECK(cudaMalloc(&Device[A], N * sizeof(Record)));
    Model[A].resize(N);
    for (unsigned I = 0; I < Words; ++I)
      ((unsigned *)Model[A].data())[I] = Next(1u << 30);
    CHECK(cudaMemcpy(Device[A], Model[A].data(), N * sizeof(Record),
                     cudaMemcpyHostToDevice));
  }
  void check(unsigned A, unsigned Lo, unsigned Hi, const char *Got) {
    if (memcmp(Got + Lo, (char *)Model[A].data() + Lo, Hi - Lo)) {
      unsigned At = Lo;
      while (Got[At] == ((char *)Model[A].data())[At])
        ++At;
      printf("FAIL: byte %u of array %u\n", At, A);
      exit(1);
    }
  }
  void step();
  void run(unsigned Steps);
};

void Program::step() {
  unsigned A = Next(Arrays), B = Next(Arrays), K = Next(1000);
  unsigned Lo = Next(N), Count = 1 + Next(N - Lo);
  unsigned LoByte = Next(N * sizeof(Record) - 1);
  unsigned HiByte = LoByte + 1 + Next(N * sizeof(Record) - LoByte - 1);
  char *At = (char *)Device[A], *Host = (char *)Model[A].data();
  std::vector<char> Buffer(N * sizeof(Record));
  cudaStream_t On = stream();
  switch (Next(24)) {
  case 0:
  case 1:
  case 2:
  case 3:
    bump<<<blocks(N), 128, 0, On>>>(Device[A], N, K);
    for (unsigned I = 0; I < N; ++I)
      bumpOne(Model[A].data(), I, K);
    break;
  case 4:
  case 5:
    bump<<<blocks(Count), 128, 0, On>>>(Device[A] + Lo, Count, K);
    for (unsigned I = 0; I < Count; ++I)
      bumpOne(Model[A].data() + Lo, I, K);
    break;
  case 6:
  case 7:
    bytes<<<blocks(N), 128, 0, On>>>(Device[A], N, K);
    for (unsigned I = 0; I < N; ++I)
      bytesOne(Model[A].data(), I, K);
    break;
  case 8:
  case 9:
    if (A == B)
      break;
    mix<<<blocks(N), 128, 0, On>>>(Device[A], Device[B], K);
    for (unsigned I = 0; I < N; ++I)
      mixOne(Model[A].data(), Model[B].data(), I, K);
    break;
  case 10:
    if (A == B)
      break;
    whole<<<blocks(N), 128, 0, On>>>(Device[A], Device[B], K);
    for (unsigned I = 0; I < N; ++I)
      wholeOne(Model[A].data(), Model[B].data(), I, K);
    break;
  case 11:
    walk<<<blocks(1000), 128, 0, On>>>(Device[A], K);
    for (unsigned I = 0; I < 1000; ++I)
      walkOne(Model[A].data(), I, K);
    break;
  case 12:
    count<<<blocks(N), 128, 0, On>>>(Device[A], K);
    for (unsigned I = 0; I < N; ++I)
      Model[A][I % 100].A += K + Model[A][I].F;
    break;
  case 13:
    raw<<<blocks(Words / 2), 128, 0, On>>>((unsigned *)Device[A] + 5, Words / 2,
                                           K);
    for (unsigned I = 0; I < Words / 2; ++I)
      rawOne((unsigned *)Model[A].data() + 5, I, K);
    break;
  case 14: // a part to the host
    CHECK(cudaMemcpyAsync(Buffer.data() + LoByte, At + LoByte, HiByte - LoByte,
                          cudaMemcpyDeviceToHost, On));
    CHECK(cudaStreamSynchronize(On));
    check(A, LoByte, HiByte, Buffer.data());
    break;
  case 15: // a part from the host
    for (char &C : Buffer)
      C = char(Next(256));
    CHECK(cudaMemcpyAsync(At + LoByte, Buffer.data() + LoByte, HiByte - LoByte,
                          cudaMemcpyHostToDevice, On));
    CHECK(cudaStreamSynchronize(On));
    memcpy(Host + LoByte, Buffer.data() + LoByte, HiByte - LoByte);
    break;
  case 16: // all of it
    CHECK(cudaMemcpyAsync(At, Model[B].data(), N * sizeof(Record),
                          cudaMemcpyHostToDevice, On));
    CHECK(cudaStreamSynchronize(On));
    Model[A] = std::vector<Record>(Model[B]);
    break;
  case 17:
    CHECK(cudaMemsetAsync(At + LoByte, int(K), HiByte - LoByte, On));
    memset(Host + LoByte, int(K), HiByte - LoByte);
    break;
  case 18: // between arrays
    if (A == B)
      break;
    CHECK(cudaMemcpyAsync(At + LoByte, (char *)Device[B] + LoByte,
                          HiByte - LoByte, cudaMemcpyDeviceToDevice, On));
    memcpy(Host + LoByte, (char *)Model[B].data() + LoByte, HiByte - LoByte);
    break;
  case 19: // one field of some records
    CHECK(cudaMemcpy2DAsync(Buffer.data(), 8, &Device[A][Lo].D, sizeof(Record),
                            8, Count, cudaMemcpyDeviceToHost, On));
    CHECK(cudaStreamSynchronize(On));
    for (unsigned I = 0; I < Count; ++I)
      if (memcmp(&Buffer[8 * I], &Model[A][Lo + I].D, 8)) {
        printf("FAIL: field of record %u\n", Lo + I);
        exit(1);
      }
    break;
  case 20:
    for (char &C : Buffer)
      C = char(Next(256));
    CHECK(cudaMemcpy2DAsync(&Device[A][Lo].A, sizeof(Record), Buffer.data(), 4,
                            4, Count, cudaMemcpyHostToDevice, On));
    CHECK(cudaStreamSynchronize(On));
    for (unsigned I = 0; I < Count; ++I)
      memcpy(&Model[A][Lo + I].A, &Buffer[4 * I], 4);
    break;
  case 21:
    CHECK(cudaLaunchHostFunc(On, [](void *) {}, nullptr));
    break;
  case 22:
    CHECK(cudaDeviceSynchronize());
    break;
  case 23:
    if (Next(2))
      break;
    CHECK(cudaStreamSynchronize(On));
    CHECK(cudaFree(Device[A]));
    create(A);
    break;
  }
  CHECK(cudaGetLastError());
}

void Program::run(unsigned Steps) {
  for (cudaStream_t &One : S)
    CHECK(cudaStreamCreateWithFlags(&One, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&Done, cudaEventDisableTiming));
  for (unsigned A = 0; A < Arrays; ++A)
    create(A);
  for (unsigned I = 0; I < Steps; ++I)
    step();
  CHECK(cudaDeviceSynchronize());
  std::vector<char> Buffer(N * sizeof(Record));
  for (unsigned A = 0; A < Arrays; ++A) {
    CHECK(cudaMemcpy(Buffer.data(), Device[A], Buffer.size(),
                     cudaMemcpyDeviceToHost));
    check(A, 0, unsigned(Buffer.size()), Buffer.data());
    CHECK(cudaFree(Device[A]));
  }
  for (cudaStream_t One : S)
    CHECK(cudaStreamDestroy(One));
  CHECK(cudaEventDestroy(Done));
}

int main(int, char **Args) {
  for (int Seed = atoi(Args[1]); Seed <= atoi(Args[2]); ++Seed) {
    auto P = std::make_unique<Program>();
    P->Next.State = 0x9e3779b97f4a7c15ull * unsigned(Seed) + 1;
    P->run(60);
  }
  printf("PASS\n");
}

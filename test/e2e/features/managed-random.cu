// Random launches on managed memory larger than the devices, of which many are
// not waited for. In between the host reads what no kernel has written since it
// last waited, and writes what no kernel has touched, as CUDA lets it; after
// each wait all memory is compared with what the host has computed itself.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_SCHEDULE=single %t 1 12 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=64KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=%t.json %t 1 6 | FileCheck %s
// RUN: %python -c "import json; c = json.load(open('%t.json'))['copies']['managed_write_back']; assert c['bytes'] > 0, c"
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_DEVICE_MEMORY=512KiB GRIDSPAN_SCHEDULE=static %t 7 12 | FileCheck %s %}
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 1 6 | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_DEVICE_MEMORY=128KiB GRIDSPAN_SCHEDULE=auto %t 7 12 | FileCheck %s
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static %t 13 18 | FileCheck %s %}
// RUN: %if thorough %{ env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=4MiB GRIDSPAN_SCHEDULE=static %t 19 22 | FileCheck %s %}
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_DEVICE_MEMORY=256KiB GRIDSPAN_SCHEDULE=static GRIDSPAN_PEER=0 %t 1 4 | FileCheck %s
//
// CHECK: PASS

#include "../Inputs/check.h"
#include <random>
#include <vector>

constexpr int N = 80000, Width = 250, Arrays = 5, Bins = 16;

__host__ __device__ static unsigned mixed(unsigned V) { return 3 * V + 1; }

__global__ void update(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[lo + i] = mixed(p[lo + i]);
}
__global__ void blend(const unsigned *in, unsigned *out, int lo, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i] = in[lo + i - d] + mixed(in[lo + i + d]);
}
__global__ void interior(const unsigned *in, unsigned *out, int x0, int x1,
                         int y0, int y1) {
  int x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y;
  if (x < x1 && y < y1)
    out[y * Width + x] = in[y * Width + x - 1] + in[y * Width + x + 1] +
                         mixed(in[y * Width + x]);
}
__global__ void strided(unsigned *out, int lo, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[lo + i * s] = mixed(i + s);
}
__global__ void oddOnes(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (p[lo + i] & 1))
    p[lo + i] += 5;
}
__global__ void gather(const unsigned *index, const unsigned *in, unsigned *out,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i] % N];
}
__global__ void ordered(unsigned *p, int lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[lo + i] = mixed(p[lo + i]);
    __threadfence_system();
  }
}
__global__ void count(const unsigned *p, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[p[i] % Bins], 1);
}
__global__ void copy(const unsigned *from, unsigned *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}

__global__ void announce(volatile unsigned *flag, unsigned turn) {
  *flag = turn;
}

/// A managed array, what it should hold, and what kernels have done with it
/// since the host last waited.
struct Array {
  unsigned *Data;
  std::vector<unsigned> Expected;
  std::vector<char> Written, Touched;
  unsigned read(int I) {
    Touched[I] = 1;
    return Expected[I];
  }
  void write(int I, unsigned V) {
    Touched[I] = Written[I] = 1;
    Expected[I] = V;
  }
};

class Program {
public:
  explicit Program(unsigned Seed) : Random(Seed) {
    for (Array &A : All) {
      CHECK(cudaMallocManaged(&A.Data, N * sizeof(unsigned)));
      A.Expected.resize(N);
      for (int I = 0; I < N; ++I)
        A.Data[I] = A.Expected[I] = Random();
    }
    CHECK(cudaMalloc(&OnDevice, Small * sizeof(unsigned)));
    CHECK(cudaMallocHost(&Pinned, Small * sizeof(unsigned)));
    CHECK(cudaMallocHost(&Flag, sizeof(unsigned)));
    *Flag = 0;
    CHECK(cudaStreamCreate(&Other));
    CHECK(cudaEventCreate(&Mark));
    forget();
  }
  ~Program() {
    for (Array &A : All)
      CHECK(cudaFree(A.Data));
    CHECK(cudaFree(OnDevice));
    CHECK(cudaFreeHost(Pinned));
    CHECK(cudaFreeHost((void *)Flag));
    CHECK(cudaStreamDestroy(Other));
    CHECK(cudaEventDestroy(Mark));
  }
  void run() {
    for (int Step = 0; Step < 120 && !Failures; ++Step) {
      launchSome();
      CHECK(cudaGetLastError());
      touchSome();
      if (below(10) == 0) {
        wait();
        compare();
      }
    }
    wait();
    compare();
  }

private:
  static constexpr int Small = 1000;
  int below(int Bound) { return int(Random() % unsigned(Bound)); }
  Array &any() { return All[below(Arrays)]; }
  Array &anyBut(const Array &Not) {
    for (;;)
      if (Array &A = any(); &A != &Not)
        return A;
  }
  static unsigned blocks(int Threads) { return (Threads + 127) / 128; }

  void launchSome();
  /// What the host may do without waiting.
  void touchSome() {
    for (int I = 0; I < 300; ++I) {
      Array &A = any();
      // Also where kernels seldom come: at the ends.
      const int At = I % 3 == 0   ? below(40)
                     : I % 3 == 1 ? N - 1 - below(40)
                                  : below(N);
      if (!A.Written[At])
        EXPECT(A.Data[At] == A.Expected[At]);
      if (!A.Touched[At])
        A.Data[At] = A.Expected[At] = Random();
    }
  }
  void wait() {
    switch (below(5)) {
    case 0:
      CHECK(cudaDeviceSynchronize());
      break;
    case 1:
      CHECK(cudaStreamSynchronize(nullptr));
      break;
    case 2:
      CHECK(cudaEventRecord(Mark));
      while (cudaEventQuery(Mark) == cudaErrorNotReady)
        (void)cudaGetLastError();
      break;
    case 3:
      CHECK(cudaEventRecord(Mark));
      CHECK(cudaEventSynchronize(Mark));
      break;
    case 4: // without any call
      announce<<<1, 1>>>(Flag, ++Turn);
      while (*Flag != Turn) {
      }
      break;
    }
    forget();
  }
  void forget() {
    for (Array &A : All) {
      A.Written.assign(N, 0);
      A.Touched.assign(N, 0);
    }
  }
  void compare() {
    for (Array &A : All)
      for (int I = 0; I < N; ++I)
        if (A.Data[I] != A.Expected[I]) {
          printf("array %d, element %d\n", int(&A - All), I);
          ++Failures;
          return;
        }
  }

  std::mt19937 Random;
  Array All[Arrays];
  unsigned *OnDevice, *Pinned, Turn = 0;
  volatile unsigned *Flag;
  cudaStream_t Other;
  cudaEvent_t Mark;
};

void Program::launchSome() {
  Array &In = any(), &Out = anyBut(In);
  // Often all of it, or nearly.
  const int Lo = below(2) ? below(3) : below(N / 2);
  const int Count = below(2) ? N - Lo - below(3) : 1 + below(N - Lo - 1);
  switch (below(12)) {
  case 0:
  case 1:
    update<<<blocks(Count), 128>>>(Out.Data, Lo, Count);
    for (int I = Lo; I < Lo + Count; ++I)
      Out.write(I, mixed(Out.read(I)));
    break;
  case 2:
  case 3: {
    const int D = below(4), From = std::max(Lo, D);
    const int To = std::min(Lo + Count, N - D);
    if (From >= To)
      break;
    blend<<<blocks(To - From), 128>>>(In.Data, Out.Data, From, To - From, D);
    for (int I = From; I < To; ++I)
      Out.write(I, In.read(I - D) + mixed(In.read(I + D)));
    break;
  }
  case 4:
  case 5: {
    const int X0 = 1 + below(3), X1 = Width - 1 - below(3);
    const int Y0 = below(3), Y1 = N / Width - below(3);
    interior<<<dim3(blocks(X1 - X0), Y1 - Y0), 128>>>(In.Data, Out.Data, X0, X1,
                                                      Y0, Y1);
    for (int Y = Y0; Y < Y1; ++Y)
      for (int X = X0; X < X1; ++X) {
        const int I = Y * Width + X;
        Out.write(I, In.read(I - 1) + In.read(I + 1) + mixed(In.read(I)));
      }
    break;
  }
  case 6: {
    const int S = 1 + below(3), Some = (N - Lo) / S;
    strided<<<blocks(Some), 128>>>(Out.Data, Lo, Some, S);
    for (int I = 0; I < Some; ++I)
      Out.write(Lo + I * S, mixed(I + S));
    break;
  }
  case 7:
    oddOnes<<<blocks(Count), 128>>>(Out.Data, Lo, Count);
    for (int I = Lo; I < Lo + Count; ++I)
      if (Out.read(I) & 1)
        Out.write(I, Out.read(I) + 5);
    break;
  case 8: {
    Array *Index = &any();
    if (Index == &Out)
      break;
    gather<<<blocks(Count), 128>>>(Index->Data, In.Data, Out.Data, Count);
    for (int I = 0; I < Count; ++I)
      Out.write(I, In.read(int(Index->read(I) % N)));
    break;
  }
  case 9:
    ordered<<<blocks(Count), 128>>>(Out.Data, Lo, Count);
    for (int I = Lo; I < Lo + Count; ++I)
      Out.write(I, mixed(Out.read(I)));
    break;
  case 10:
    count<<<blocks(Count), 128>>>(In.Data, Out.Data + Lo % (N - Bins), Count);
    for (int I = 0; I < Count; ++I) {
      const int At = Lo % (N - Bins) + int(In.read(I) % Bins);
      Out.write(At, Out.read(At) + 1);
    }
    break;
  case 11:
    if (below(2)) {
      // Memory of the device only, in another stream.
      update<<<blocks(Small), 128, 0, Other>>>(OnDevice, 0, Small);
      break;
    }
    copy<<<blocks(Small), 128>>>(In.Data, Pinned, Small);
    for (int I = 0; I < Small; ++I)
      In.read(I);
    break;
  }
}

int main(int Argc, char **Argv) {
  const int First = Argc > 1 ? atoi(Argv[1]) : 1;
  const int Last = Argc > 2 ? atoi(Argv[2]) : First;
  for (int Seed = First; Seed <= Last && !Failures; ++Seed) {
    Program(Seed).run();
    if (Failures)
      printf("seed %d\n", Seed);
  }
  return finish();
}

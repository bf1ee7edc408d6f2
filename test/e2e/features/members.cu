// Kernels that write members of structs, more of them than are listed one by
// one: devices without peer access keep what lies between as well, whoever else
// writes there, in whatever stream.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t > %t.expected
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_PEER=0 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2> %t.report > %t.out
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.report
// RUN: env GRIDSPAN_DEVICES=cpu:3 GRIDSPAN_PEER=0 GRIDSPAN_SCHEDULE=static %t | diff %t.expected -
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_SCHEDULE=static %t | diff %t.expected -
// Not while a second thread uses memory.
// RUN: env GRIDSPAN_DEVICES=cpu:2 GRIDSPAN_PEER=0 GRIDSPAN_SCHEDULE=static GRIDSPAN_REPORT=1 %t 2 2> %t.report2 > %t.out2
// RUN: diff %t.expected %t.out2
// RUN: FileCheck --check-prefix=THREADS %s < %t.report2
//
// What moves is not brought home behind each launch, which were 18 MiB.
// CHECK: brought home {{[0-9]\.[0-9]}} MiB

// THREADS: brought home {{[2-9][0-9]\.[0-9]}} MiB

#include "../Inputs/check.h"
#include <thread>
#include <vector>

struct Particle {
  float X, Y, Z;
  unsigned Weight;
};

constexpr int N = 1 << 17, Threads = 256;

__global__ void place(Particle *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = {float(i & 1023), float(i >> 10), 1, unsigned(i)};
}

__global__ void move(Particle *p, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].X += by;
  p[i].Y -= by;
  p[i].Z *= 2;
}

__global__ void weigh(Particle *p, unsigned by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].Weight = p[i].Weight * by + 1;
}

// All of them, from each of them: a neighbour far away.
__global__ void pull(const Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Particle Other = p[N - 1 - i];
  out[i] = out[i] / 2 + p[i].X - Other.Y + Other.Z +
           float(Other.Weight & 4095) - float(p[i].Weight & 63);
}

int main(int argc, char **) {
  Particle *p;
  float *out;
  CHECK(cudaMalloc(&p, N * sizeof(Particle)));
  CHECK(cudaMalloc(&out, N * sizeof(float)));
  CHECK(cudaMemset(out, 0, N * sizeof(float)));
  cudaStream_t a, b;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  place<<<N / Threads, Threads>>>(p);
  CHECK(cudaDeviceSynchronize());
  if (argc > 1)
    std::thread([&] { CHECK(cudaMemset(out, 0, 4)); }).join();
  std::vector<unsigned> weights(N, 5);
  for (int step = 0; step < 12; ++step) {
    // Other members, without any order between them.
    move<<<N / Threads, Threads, 0, a>>>(p, float(step));
    if (step % 3 != 1)
      weigh<<<N / Threads, Threads, 0, b>>>(p, step + 3);
    else
      CHECK(cudaMemcpy2DAsync(&p->Weight, sizeof(Particle), weights.data(), 4,
                              4, N, cudaMemcpyHostToDevice, b));
    if (step == 5) // few enough rows to be listed, in a gap that was closed
      CHECK(cudaMemcpy2DAsync(&p[N / 3].Weight, sizeof(Particle), &weights[7],
                              4, 4, N / 3, cudaMemcpyHostToDevice, b));
    move<<<N / Threads, Threads, 0, a>>>(p, 2);
    if (step == 6) // other parts of it for each device
      move<<<N / 4 * 3 / Threads, Threads, 0, a>>>(p + N / 4, 1);
    if (step % 4 == 3)
      continue;
    CHECK(cudaStreamSynchronize(b));
    pull<<<N / Threads, Threads, 0, a>>>(p, out);
    CHECK(cudaStreamSynchronize(a));
  }
  CHECK(cudaDeviceSynchronize());
  std::vector<Particle> host(N);
  std::vector<float> sums(N);
  CHECK(
      cudaMemcpy(host.data(), p, N * sizeof(Particle), cudaMemcpyDeviceToHost));
  CHECK(
      cudaMemcpy(sums.data(), out, N * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i += 997)
    printf("%d: %g %g %g %u %g\n", i, host[i].X, host[i].Y, host[i].Z,
           host[i].Weight, sums[i]);
  return finish();
}

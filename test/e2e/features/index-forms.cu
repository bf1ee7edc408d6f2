// The forms of index that kernels have, one to a kernel: all are followed, each
// with the tightness that its name says, and split runs print what plain ones
// do.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:4 GRIDSPAN_SCHEDULE=static \
// RUN:   GRIDSPAN_TRACE_ACCESS=%t.trace %t
// RUN: gridspan-check-ranges %t %t.trace
// RUN: gridspan-check-ranges --arguments %t %t.trace \
// RUN:   | %python %S/Inputs/tight.py | FileCheck %s --check-prefix=TIGHT
// CHECK: sum {{[0-9a-f]+}}
// TIGHT: 0 wrong

#include "../Inputs/check.h"
#include <cstdint>
#include <vector>

struct Part {
  float x, y, z;
  int id;
};
struct Arguments {
  float *out;
  const float *in;
  int n, pitch;
  long long first;
};

#define THREAD int i = blockIdx.x * blockDim.x + threadIdx.x
#define KERNEL extern "C" __global__ void

// Division, remainder, shifts and masks.
KERNEL near_signed_division(float *p, int n, int w) {
  THREAD;
  if (i < n)
    p[(i / w) * (w + 1) + i % w] = 1;
}
KERNEL exact_shift_and_mask(float *p, int n) {
  THREAD;
  if (i < n)
    p[(i >> 5) * 64 + (i & 31)] = 1;
}
KERNEL exact_division_of_negative(float *p, int n) {
  THREAD;
  if (i < n)
    p[(i - 10) / 4 + 5] = 1;
}
KERNEL exact_shift_of_negative(float *p, int n) {
  THREAD;
  if (i < n)
    p[((i - 10) >> 2) + 5] = 1;
}
KERNEL exact_shift_by_argument(float *p, int n, int s) {
  THREAD;
  if (i < n)
    p[i << s] = 1;
}
KERNEL exact_wrap_around(float *p, int n) {
  THREAD;
  if (i < n)
    p[(i + n - 1) % n] = 1;
}
KERNEL exact_thirds(unsigned short *p, unsigned n) {
  uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
  if (i < n)
    p[(uint32_t)i / 3u * 3u] = 1;
}
KERNEL within_digits(float *p, int w, int h, int c) {
  THREAD;
  if (i < w * h * c)
    p[(i / (w * h) * h + i / w % h) * (w + 2) + i % w] = 1;
}

// Choices.
KERNEL exact_select(float *p, int n) {
  THREAD;
  int j = i < n - 1 ? i + 1 : n - 1;
  if (i < n)
    p[j] = 1;
}
KERNEL exact_minimum_and_maximum(float *p, int n) {
  THREAD;
  p[min(max(i - 3, 0), n - 1)] = 1;
}
KERNEL exact_mirror(float *p, int w) {
  THREAD;
  int j = i - 4;
  j = j < 0 ? -j : j;
  j = j >= w ? 2 * w - 2 - j : j;
  if (i < w + 8)
    p[j] = 1;
}
KERNEL near_absolute(float *p, int n) {
  THREAD;
  p[abs(i - n)] = 1;
}

// Widths.
KERNEL near_short(float *p, short n) {
  short i = (short)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    p[i] = 1;
}
KERNEL exact_byte(float *p) {
  unsigned char i = (unsigned char)threadIdx.x;
  p[i] = 1;
}
KERNEL exact_wide(float *p, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i * 2] = 1;
}
KERNEL exact_unsigned_bounds(float *p, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i - 3u < n)
    p[i - 3u] = 1;
}
KERNEL exact_mul24(float *p, int n) {
  int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
  if (i < n)
    p[i] = 1;
}
KERNEL exact_upper_half(float *p, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[__umulhi(i, 0x40000000u)] = 1;
}

// Loops.
KERNEL within_triangle(float *p, int n) {
  THREAD;
  if (i < n)
    for (int j = 0; j <= i; ++j)
      p[(size_t)i * n + j] = 1;
}
KERNEL within_upper_triangle(float *p, int n) {
  THREAD;
  if (i < n)
    for (int j = i; j < n; ++j)
      p[(size_t)i * n + j] = 1;
}
KERNEL exact_strided(float *p, int n, int pitch, int s) {
  THREAD;
  if (i < n)
    for (int j = 0; j < n; j += s)
      p[i * pitch + j] = 1;
}
KERNEL exact_downward(float *p, int n) {
  THREAD;
  if (i < n)
    for (int j = n - 1; j >= 0; --j)
      p[i * n + j] = 1;
}
KERNEL exact_downward_unsigned(float *p, int n) {
  THREAD;
  if (i < n)
    for (unsigned j = n; j-- > 0;)
      p[i * n + j] = 1;
}
KERNEL exact_do_while(float *p, int n) {
  THREAD;
  int j = 0;
  do {
    p[i * 8 + j] = 1;
    ++j;
  } while (j < n);
}
KERNEL exact_two_counters(float *p, int n, int m) {
  THREAD;
  for (int j = 0, k = 0; j < n; ++j, k += 2)
    p[i * m + k] = 1;
}
KERNEL exact_window(float *p, int n) {
  THREAD;
  for (int k = max(0, i - 2); k <= min(n - 1, i + 2); ++k)
    p[k] = 1;
}
KERNEL within_break(float *p, int n, int m) {
  THREAD;
  if (i < n)
    for (int j = 0; j < m; ++j) {
      if (j * j > i)
        break;
      p[i * m + j] = 1;
    }
}
KERNEL exact_shared_out(float *p, int n) {
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    p[blockIdx.x * n + j] = 1;
}
KERNEL exact_tiles(float *p, int n) {
  for (int b = 0; b < (n + 31) / 32; ++b) {
    int j = b * 32 + (int)threadIdx.x;
    if (j < n)
      p[blockIdx.x * n + j] = 1;
  }
}
KERNEL exact_grid_stride(float *p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    p[i] = 1;
}

// Guards.
KERNEL exact_early_exits(float *p, int n) {
  THREAD;
  if (i >= n)
    return;
  if (i < 2)
    return;
  p[i - 2] = 1;
}
KERNEL exact_nested_guards(float *p, int n, int m) {
  THREAD;
  if (i < n)
    if (i >= m)
      if (i != n - 1)
        p[i] = 1;
}
KERNEL exact_either_guard(float *p, int n, int m) {
  THREAD;
  if (i < m || i >= n)
    return;
  p[i] = 1;
}
KERNEL within_switch(float *p, int n, int m) {
  THREAD;
  switch (i & 3) {
  case 0:
    p[i] = 1;
    break;
  case 1:
    p[i + n] = 1;
    break;
  default:
    p[i + m] = 1;
  }
}

// Pointers, structs, vectors, copies, atomics.
KERNEL exact_pointer_phi(float *p, float *q, int n, int c) {
  THREAD;
  float *r;
  if (c)
    r = p;
  else
    r = q + 5;
  if (i < n)
    r[i] = 1;
}
KERNEL within_pointer_select(float *p, float *q, int n) {
  THREAD;
  float *r = i < n / 2 ? p : q;
  if (i < n)
    r[i] = 1;
}
KERNEL exact_walk(float *p, int n, int m) {
  THREAD;
  if (i < n) {
    float *q = p + i * m;
    for (int k = 0; k < m; ++k)
      *q++ = k;
  }
}
KERNEL exact_walk_back(float *p, int n, int m) {
  THREAD;
  if (i < n) {
    float *q = p + i * m + m;
    for (int k = 0; k < m; ++k)
      *--q = k;
  }
}
KERNEL exact_struct(Part *p, int n) {
  THREAD;
  if (i < n)
    p[i].z = p[i].x;
}
KERNEL exact_by_value(Arguments a) {
  THREAD;
  if (i < a.n)
    a.out[i * a.pitch] = a.in[i + a.first];
}
KERNEL exact_array(float (*p)[16], int n) {
  THREAD;
  if (i < n)
    for (int k = 0; k < 16; ++k)
      p[i][k] = k;
}
KERNEL exact_vector(float4 *p, int n) {
  THREAD;
  if (i < n)
    p[i] = make_float4(1, i, 2, 3);
}
KERNEL exact_read_only(const float *__restrict__ p, float *q, int n) {
  THREAD;
  if (i < n)
    q[i] = __ldg(p + i);
}
KERNEL exact_copy(Part *p, const Part *q, int n) {
  THREAD;
  if (i < n)
    memcpy(&p[i], &q[i], sizeof(Part));
}
KERNEL exact_fill(char *p, int n, int length) {
  THREAD;
  if (i < n)
    memset(p + (size_t)i * 64, 1, length);
}
KERNEL exact_atomic(int *p, int n, int bins) {
  THREAD;
  if (i < n)
    atomicAdd(&p[i % bins], 1);
}
KERNEL exact_exchange(unsigned long long *p, int n) {
  THREAD;
  if (i < n)
    atomicCAS(&p[i], 0ull, 1ull);
}

// Planes.
KERNEL exact_rows_reversed(float *p, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  p[y * w + (w - 1 - x)] = 1;
}
KERNEL exact_interior(float *p, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx - 1 && x > 0 && y < ny - 1 && y > 0 && z < nz - 1 && z > 0)
    p[(z * ny + y) * nx + x] = 1;
}

static const size_t Bytes = 1 << 20;
static char *buffers[2];

/// Empties the buffers in front of a launch, adds up what is in them behind it.
static uint64_t fold(uint64_t sum) {
  std::vector<unsigned> host(Bytes / sizeof(unsigned));
  for (char *buffer : buffers) {
    CHECK(cudaMemcpy(host.data(), buffer, Bytes, cudaMemcpyDeviceToHost));
    for (unsigned value : host)
      sum = sum * 31 + value;
    CHECK(cudaMemset(buffer, 0, Bytes));
  }
  return sum;
}

int main() {
  uint64_t sum = 0;
  for (char *&buffer : buffers) {
    CHECK(cudaMalloc(&buffer, Bytes));
    CHECK(cudaMemset(buffer, 0, Bytes));
  }
  auto *p = reinterpret_cast<float *>(buffers[0]);
  auto *q = reinterpret_cast<float *>(buffers[1]);
  const int n = 4000; // of 4096 threads
#define RUN(...) __VA_ARGS__, sum = fold(sum)
  RUN(near_signed_division<<<64, 64>>>(p, n, 37));
  RUN(exact_shift_and_mask<<<64, 64>>>(p, n));
  RUN(exact_division_of_negative<<<64, 64>>>(p, n));
  RUN(exact_shift_of_negative<<<64, 64>>>(p, n));
  RUN(exact_shift_by_argument<<<64, 64>>>(p, n, 2));
  RUN(exact_wrap_around<<<64, 64>>>(p, n));
  RUN(exact_thirds<<<64, 64>>>(reinterpret_cast<unsigned short *>(p), n));
  RUN(within_digits<<<64, 64>>>(p, 20, 20, 10));
  RUN(exact_select<<<64, 64>>>(p, n));
  RUN(exact_minimum_and_maximum<<<64, 64>>>(p, n));
  RUN(exact_mirror<<<64, 64>>>(p, n));
  RUN(near_absolute<<<64, 64>>>(p, 1000));
  RUN(near_short<<<64, 64>>>(p, n));
  RUN(exact_byte<<<64, 64>>>(p));
  RUN(exact_wide<<<64, 64>>>(p, n));
  RUN(exact_unsigned_bounds<<<64, 64>>>(p, n));
  RUN(exact_mul24<<<64, 64>>>(p, n));
  RUN(exact_upper_half<<<64, 64>>>(p, n));
  RUN(within_triangle<<<16, 16>>>(p, 250));
  RUN(within_upper_triangle<<<16, 16>>>(p, 250));
  RUN(exact_strided<<<16, 16>>>(p, 250, 256, 3));
  RUN(exact_downward<<<16, 16>>>(p, 250));
  RUN(exact_downward_unsigned<<<16, 16>>>(p, 250));
  RUN(exact_do_while<<<64, 64>>>(p, 5));
  RUN(exact_two_counters<<<16, 16>>>(p, 20, 64));
  RUN(exact_window<<<64, 64>>>(p, n));
  RUN(within_break<<<16, 16>>>(p, 250, 30));
  RUN(exact_shared_out<<<64, 32>>>(p, 100));
  RUN(exact_tiles<<<64, 32>>>(p, 100));
  RUN(exact_grid_stride<<<64, 64>>>(p, 100000));
  RUN(exact_early_exits<<<64, 64>>>(p, n));
  RUN(exact_nested_guards<<<64, 64>>>(p, n, 100));
  RUN(exact_either_guard<<<64, 64>>>(p, n, 10));
  RUN(within_switch<<<64, 64>>>(p, 5000, 10000));
  RUN(exact_pointer_phi<<<64, 64>>>(p, q, n, 1));
  RUN(within_pointer_select<<<64, 64>>>(p, q, n));
  RUN(exact_walk<<<64, 64>>>(p, n, 8));
  RUN(exact_walk_back<<<64, 64>>>(p, n, 8));
  RUN(exact_struct<<<64, 64>>>(reinterpret_cast<Part *>(p), n));
  RUN(exact_by_value<<<64, 64>>>(Arguments{p, q, n, 3, 7}));
  RUN(exact_array<<<64, 64>>>(reinterpret_cast<float(*)[16]>(p), n));
  RUN(exact_vector<<<64, 64>>>(reinterpret_cast<float4 *>(p), n));
  RUN(exact_read_only<<<64, 64>>>(p, q, n));
  RUN(exact_copy<<<64, 64>>>(reinterpret_cast<Part *>(p),
                             reinterpret_cast<Part *>(q), n));
  RUN(exact_fill<<<64, 64>>>(buffers[0], n, 40));
  RUN(exact_atomic<<<64, 64>>>(reinterpret_cast<int *>(p), n, 100));
  RUN(exact_exchange<<<64, 64>>>(reinterpret_cast<unsigned long long *>(p), n));
  RUN(exact_rows_reversed<<<dim3(4, 16), dim3(32, 8)>>>(p, 120, 120));
  RUN(exact_interior<<<dim3(1, 8, 8), dim3(32, 2, 2)>>>(p, 30, 14, 14));
  CHECK(cudaDeviceSynchronize());
  printf("sum %016llx\n", (unsigned long long)sum);
}

// Arithmetic that the CPU device computes with doubles, so that it can be
// vectorized: sums of floats that are not rounded to nearest, powers of two,
// logarithms, sines, and integer division. Beside the host's own, for numbers of
// all kinds. And indices that wrap within a vector, in kernels and on the host.
//
// RUN: %gridspan++ -O2 %s -o %t -lm
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: env GRIDSPAN_DEVICES=cpu:1 GRIDSPAN_CPU_WIDE=0 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0 -lm
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

constexpr int Count = 1 << 16;

__global__ void sums(float *out, const float *a, const float *b,
                     const float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *o = out + i * 9;
  o[0] = __fmaf_rd(a[i], b[i], c[i]);
  o[1] = __fmaf_ru(a[i], b[i], c[i]);
  o[2] = __fmaf_rz(a[i], b[i], c[i]);
  o[3] = __fadd_rd(a[i], c[i]);
  o[4] = __fadd_ru(a[i], c[i]);
  o[5] = __fadd_rz(a[i], c[i]);
  o[6] = __fsub_rd(a[i], c[i]);
  o[7] = __fsub_ru(a[i], c[i]);
  o[8] = __fsub_rz(a[i], c[i]);
}

__global__ void powers(float *out, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = exp2f(x[i]);
  out[2 * i + 1] = expf(x[i]);
}

__global__ void logarithms(float *out, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = __log2f(x[i]);
  out[2 * i + 1] = __powf(x[i], 0.5f);
}

__global__ void waves(float *out, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = __sinf(x[i]);
  out[2 * i + 1] = __cosf(x[i]);
}

template <typename T>
__global__ void quotients(T *out, const T *l, const T *r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = l[i] / r[i];
  out[2 * i + 1] = l[i] % r[i];
}

static uint64_t state = 88172645463325252u;
static uint64_t next() {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static float anyFloat() {
  const float special[] = {
      0.0f,       -0.0f,     1.0f,        -1.0f,
      INFINITY,   -INFINITY, NAN,         0x1p-149f,
      -0x1p-149f, 0x1p-126f, -0x1p-126f,  0x1.fffffep127f,
      0x1p24f,    -0x1p-24f, 12582913.0f, -0x1.fffffep127f};
  uint64_t bits = next();
  if (bits % 5 == 0)
    return special[(bits >> 8) % 16];
  // Of similar size, so that sums are close to ties and to 0.
  if (bits % 5 < 3)
    return std::ldexp(float(int32_t(bits >> 32) >> 8),
                      int((bits >> 8) % 60) - 30);
  float out;
  uint32_t low = bits >> 16;
  memcpy(&out, &low, 4);
  return out;
}

static bool same(float l, float r) {
  return (std::isnan(l) && std::isnan(r)) || memcmp(&l, &r, 4) == 0;
}

static float rounded(int kind, float a, float b, float c) {
  const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  std::fesetround(modes[kind % 3]);
  volatile float x = a, y = b, z = c;
  volatile float out = kind < 3   ? std::fma(float(x), float(y), float(z))
                       : kind < 6 ? x + z
                                  : x - z;
  std::fesetround(FE_TONEAREST);
  return out;
}

static void checkSums() {
  std::vector<float> a(Count), b(Count), c(Count), out(9 * Count);
  for (int i = 0; i < Count; ++i) {
    a[i] = anyFloat();
    b[i] = anyFloat();
    c[i] = i % 7 ? anyFloat() : -a[i] * b[i];
  }
  float *deviceOut = toDevice(out.data(), 9 * Count);
  sums<<<Count / 128, 128>>>(deviceOut, toDevice(a.data(), Count),
                             toDevice(b.data(), Count),
                             toDevice(c.data(), Count));
  toHost(out.data(), deviceOut, 9 * Count);
  int wrong = 0;
  for (int i = 0; i < Count; ++i)
    for (int k = 0; k < 9; ++k)
      if (!same(out[9 * i + k], rounded(k, a[i], b[i], c[i])) && ++wrong < 5)
        printf("%d: %a %a %a: %a\n", k, a[i], b[i], c[i], out[9 * i + k]);
  EXPECT(wrong == 0);
}

static void checkPowers() {
  std::vector<float> x(Count), out(2 * Count);
  for (int i = 0; i < Count; ++i)
    x[i] = i < 400 ? i - 200 : anyFloat();
  float *deviceOut = toDevice(out.data(), 2 * Count);
  powers<<<Count / 128, 128>>>(deviceOut, toDevice(x.data(), Count));
  toHost(out.data(), deviceOut, 2 * Count);
  int wrong = 0;
  auto isNear = [](float v, double exact) {
    if (std::isnan(exact) || std::isinf(float(exact)))
      return same(v, float(exact));
    // CUDA's guide: 2 units in the last place.
    return std::fabs(v - exact) <= std::fmax(0x1p-22 * exact, 0x1p-148);
  };
  for (int i = 0; i < Count; ++i)
    if ((!isNear(out[2 * i], std::exp2(double(x[i]))) ||
         !isNear(out[2 * i + 1], std::exp(double(x[i])))) &&
        ++wrong < 5)
      printf("%a: %a %a\n", x[i], out[2 * i], out[2 * i + 1]);
  for (int i = 74; i < 328; ++i)
    EXPECT(out[2 * i] == std::ldexp(1.0f, i - 200));
  EXPECT(wrong == 0);
}

/// Runs a kernel that makes two numbers of each.
static std::vector<float> pairsOf(void (*kernel)(float *, const float *),
                                  const std::vector<float> &x) {
  std::vector<float> out(2 * Count);
  float *deviceOut = toDevice(out.data(), 2 * Count);
  kernel<<<Count / 128, 128>>>(deviceOut, toDevice(x.data(), Count));
  toHost(out.data(), deviceOut, 2 * Count);
  return out;
}

static void checkLogarithms() {
  std::vector<float> x(Count);
  for (int i = 0; i < Count; ++i)
    x[i] = i < 277 ? std::ldexp(1.0f, i - 149)
           : i % 3 ? anyFloat()
                   : 1 + (i - Count / 2) * 0x1p-18f;
  const std::vector<float> out = pairsOf(logarithms, x);
  int wrong = 0;
  auto isNear = [](float v, double exact, double error) {
    if (std::isnan(exact) || std::isinf(float(exact)))
      return same(v, float(exact));
    return std::fabs(v - exact) <= std::fabs(error * exact);
  };
  for (int i = 0; i < Count; ++i)
    if ((!isNear(out[2 * i], std::log2(double(x[i])), 0x1.2p-24) ||
         (x[i] > 0 && x[i] < 1e30f &&
          !isNear(out[2 * i + 1], std::sqrt(double(x[i])), 0x1p-17))) &&
        ++wrong < 5)
      printf("%a: %a %a\n", x[i], out[2 * i], out[2 * i + 1]);
  for (int i = 0; i < 277; ++i)
    EXPECT(out[2 * i] == i - 149);
  EXPECT(wrong == 0);
}

static void checkWaves() {
  std::vector<float> x(Count);
  for (int i = 0; i < Count; ++i)
    x[i] = i % 3 ? anyFloat() : (i - Count / 2) * 0x1p-12f;
  const std::vector<float> out = pairsOf(waves, x);
  int wrong = 0;
  auto isNear = [](float v, double exact, float x) {
    if (std::isnan(exact))
      return std::isnan(v);
    return std::fabs(x) < 0x1p26 ? std::fabs(v - exact) <= 0x1p-24
                                 : std::fabs(v) <= 1;
  };
  for (int i = 0; i < Count; ++i)
    if ((!isNear(out[2 * i], std::sin(double(x[i])), x[i]) ||
         !isNear(out[2 * i + 1], std::cos(double(x[i])), x[i])) &&
        ++wrong < 5)
      printf("%a: %a %a\n", x[i], out[2 * i], out[2 * i + 1]);
  EXPECT(wrong == 0);
}

template <typename T> static void checkQuotients(T least) {
  const T special[] = {0, 1, T(-1), 2, 7, least, T(least + 1), T(least - 1)};
  std::vector<T> l(Count), r(Count), out(2 * Count);
  for (int i = 0; i < Count; ++i) {
    l[i] = i % 3 ? T(next()) : special[next() % 8];
    r[i] =
        i % 5 ? T(T(next()) >> next() % (8 * sizeof(T))) : special[next() % 8];
    // Next to multiples of the divisor.
    if (i % 4 == 0)
      l[i] = T(T(uint64_t(l[i]) / 2) / (r[i] == 0 || r[i] == T(-1) ? 1 : r[i]) *
                   uint64_t(r[i]) +
               next() % 3 - 1);
  }
  T *deviceOut = toDevice(out.data(), 2 * Count);
  quotients<T><<<Count / 128, 128>>>(deviceOut, toDevice(l.data(), Count),
                                     toDevice(r.data(), Count));
  toHost(out.data(), deviceOut, 2 * Count);
  int wrong = 0;
  for (int i = 0; i < Count; ++i) {
    if (r[i] == 0)
      continue; // some number
    const bool overflows = T(-1) < 0 && r[i] == T(-1) && l[i] == least;
    const T quotient = overflows ? l[i] : T(l[i] / r[i]);
    const T rest = overflows ? T(0) : T(l[i] % r[i]);
    if ((out[2 * i] != quotient || out[2 * i + 1] != rest) && ++wrong < 5)
      printf("%lld / %lld: %lld %lld\n", (long long)l[i], (long long)r[i],
             (long long)out[2 * i], (long long)out[2 * i + 1]);
  }
  EXPECT(wrong == 0);
}

__global__ void goAround(int *out, const int *in) {
  __shared__ int table[64];
  table[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = table[threadIdx.x * 5 % 64];
}

__attribute__((noinline)) static void
goAroundHere(int *__restrict__ out, const int *__restrict__ table) {
  for (int i = 0; i < 64; ++i)
    out[i] = table[i * 5 & 63];
}

static void checkIndices() {
  int in[64], there[64], here[64];
  for (int i = 0; i < 64; ++i)
    in[i] = int(next());
  int *out = toDevice(there, 64);
  goAround<<<1, 64>>>(out, toDevice(in, 64));
  toHost(there, out, 64);
  goAroundHere(here, in);
  // This loop is not vectorized.
  int wrong = 0;
  for (volatile int i = 0; i < 64; i = i + 1)
    wrong += there[i] != in[i * 5 % 64] || here[i] != in[i * 5 % 64];
  EXPECT(wrong == 0);
}

int main() {
  checkIndices();
  checkSums();
  checkPowers();
  checkLogarithms();
  checkWaves();
  checkQuotients<int32_t>(INT32_MIN);
  checkQuotients<uint32_t>(0);
  checkQuotients<int64_t>(INT64_MIN);
  checkQuotients<uint64_t>(0);
  checkQuotients<int16_t>(INT16_MIN);
  return finish();
}

// Mathematical functions, against the host's within CUDA's documented error.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split singles --split doubles --split integers --devices 1,3 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// Name, device expression of x and y, host expression in higher precision (or
// the same for double), and the greatest error in units in the last place.
#define FUNCTIONS(F)                                                           \
  F(sin(x), 2)                                                                 \
  F(cos(x), 2)                                                                 \
  F(tan(x), 4)                                                                 \
  F(asin(x / 9), 4)                                                            \
  F(acos(x / 9), 4)                                                            \
  F(atan(x), 2)                                                                \
  F(atan2(y, x), 3)                                                            \
  F(sinh(x), 3)                                                                \
  F(cosh(x), 2)                                                                \
  F(tanh(x), 2)                                                                \
  F(asinh(x), 3)                                                               \
  F(acosh(x + 9), 4)                                                           \
  F(atanh(x / 9), 3)                                                           \
  F(exp(x), 2)                                                                 \
  F(exp2(x), 2)                                                                \
  F(expm1(x), 2)                                                               \
  F(log(y), 2)                                                                 \
  F(log2(y), 3)                                                                \
  F(log10(y), 3)                                                               \
  F(log1p(y), 2)                                                               \
  F(pow(y, x), 8)                                                              \
  F(sqrt(y), 1)                                                                \
  F(cbrt(x), 2)                                                                \
  F(hypot(x, y), 3)                                                            \
  F(erf(x), 3)                                                                 \
  F(erfc(x / 4), 6)                                                            \
  F(tgamma(y), 11)                                                             \
  F(lgamma(y + 4), 6)                                                          \
  F(fma(x, y, x), 1)                                                           \
  F(fmod(x, y), 0)                                                             \
  F(remainder(x, y), 0)                                                        \
  F(floor(x), 0)                                                               \
  F(ceil(x), 0)                                                                \
  F(trunc(x), 0)                                                               \
  F(round(x), 0)                                                               \
  F(rint(x), 0)                                                                \
  F(fabs(x), 0)                                                                \
  F(fmin(x, y), 0)                                                             \
  F(fmax(x, y), 0)                                                             \
  F(copysign(y, x), 0)                                                         \
  F(ldexp(x, 5), 0)                                                            \
  F(x / y, 1)

constexpr int Count =
#define F(Expression, Ulp) +1
    FUNCTIONS(F);
#undef F

template <class T> __host__ __device__ void evaluate(T x, T y, T *out) {
  int k = 0;
#define F(Expression, Ulp) out[k++] = Expression;
  FUNCTIONS(F)
#undef F
}

__global__ void singles(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    evaluate(x[i], y[i], out + i * Count);
}
__global__ void doubles(const double *x, const double *y, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    evaluate(x[i], y[i], out + i * Count);
}

__global__ void integers(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int v = in[i], *o = out + i * 12;
  o[0] = __popc(v);
  o[1] = __clz(v);
  o[2] = __ffs(v);
  o[3] = __brev(v);
  o[4] = __umulhi(v, 77777);
  o[5] = __mulhi(v, -77777);
  o[6] = __byte_perm(v, ~v, 0x5140);
  o[7] = __funnelshift_l(v, ~v, 9);
  o[8] = __float2int_rn(v * 0.3f);
  o[9] = __float_as_int((float)v);
  o[10] = __clzll((long long)v << 9) + __popcll(v) + __ffsll(v);
  o[11] = min(v, 5) + max(v, 7) + abs(v);
}

// Distance in units in the last place; the same infinities and NaNs are 0.
template <class T, class Bits> double distance(T a, T b) {
  if (a == b || (a != a && b != b))
    return 0;
  Bits p, q;
  memcpy(&p, &a, sizeof(a));
  memcpy(&q, &b, sizeof(b));
  return (p < 0) != (q < 0) ? 1e30 : std::fabs((double)(p - q));
}

static const char *const Names[] = {
#define F(Expression, Ulp) #Expression,
    FUNCTIONS(F)
#undef F
};
static const double Limits[] = {
#define F(Expression, Ulp) Ulp,
    FUNCTIONS(F)
#undef F
};

template <class T, class Bits, class Kernel>
void testFloating(const char *Type, Kernel kernel, double Slack) {
  const int n = 333;
  std::vector<T> x(n), y(n), out(n * Count), expected(Count);
  for (int i = 0; i < n; ++i) {
    x[i] = T(-8 + 16.0 * i / n + 0.001);
    y[i] = T(0.01 + 7.0 * (i * 37 % n) / n);
  }
  T *dX = toDevice(x.data(), n), *dY = toDevice(y.data(), n);
  T *dOut = toDevice(out.data(), out.size());
  kernel<<<(n + 63) / 64, 64>>>(dX, dY, dOut, n);
  CHECK(cudaGetLastError());
  toHost(out.data(), dOut, out.size());
  std::vector<double> worst(Count);
  for (int i = 0; i < n; ++i) {
    evaluate<T>(x[i], y[i], expected.data());
    for (int k = 0; k < Count; ++k)
      worst[k] = std::fmax(worst[k],
                           distance<T, Bits>(out[i * Count + k], expected[k]));
  }
  for (int k = 0; k < Count; ++k)
    if (worst[k] > Limits[k] + (Limits[k] > 0 ? Slack : 0)) {
      printf("%s %s: off by %g ulp\n", Type, Names[k], worst[k]);
      ++Failures;
    }
}

int main() {
  // The host's own functions may be off by one.
  testFloating<float, int32_t>("float", singles, 1);
  testFloating<double, int64_t>("double", doubles, 1);

  const int n = 200;
  static int in[n], out[n * 12];
  for (int i = 0; i < n; ++i)
    in[i] = i < 3 ? i : i * 2654435761u;
  int *dIn = toDevice(in, n), *dOut = toDevice(out, n * 12);
  integers<<<4, 50>>>(dIn, dOut, n);
  CHECK(cudaGetLastError());
  toHost(out, dOut, n * 12);
  for (int i = 0; i < n; ++i) {
    int v = in[i];
    const int *o = out + i * 12;
    unsigned reversed = 0;
    for (int b = 0; b < 32; ++b)
      reversed |= ((unsigned)v >> b & 1) << (31 - b);
    EXPECT(o[0] == __builtin_popcount(v));
    EXPECT(o[1] == (v ? __builtin_clz(v) : 32));
    EXPECT(o[2] == __builtin_ffs(v));
    EXPECT(o[3] == (int)reversed);
    EXPECT(o[4] == (int)((uint64_t)(unsigned)v * 77777 >> 32));
    EXPECT(o[5] == (int)((int64_t)v * -77777 >> 32));
    unsigned a = v, b = ~v;
    EXPECT((unsigned)o[6] == ((a & 0xff) | (b & 0xff) << 8 |
                              (a >> 8 & 0xff) << 16 | (b >> 8 & 0xff) << 24));
    EXPECT((unsigned)o[7] == (b << 9 | a >> 23));
    EXPECT(o[8] == (int)std::nearbyint(v * 0.3f));
    float f = v;
    EXPECT(o[9] == *(int *)&f);
    EXPECT(o[10] == (v ? __builtin_clzll((long long)v << 9) : 64) +
                        __builtin_popcountll(v) + __builtin_ffsll(v));
    EXPECT(o[11] == (v < 5 ? v : 5) + (v > 7 ? v : 7) + (v < 0 ? -v : v));
  }
  CHECK(cudaGetLastError());
  return finish();
}

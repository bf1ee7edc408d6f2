// Half precision, bfloat16 and numbers of eight bits, whose headers are inline
// assembly.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t | FileCheck %s
// RUN: %gridspan++ -O0 %s -o %t.O0
// RUN: env GRIDSPAN_DEVICES=cpu:1 %t.O0 | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

constexpr int Results = 6;

__global__ void halves(const float *in, float *out) {
  float x = in[threadIdx.x], *o = out + threadIdx.x * Results;
  __half a = __float2half(x), b = __float2half(x * 0.5f + 1);
  __half2 p = __halves2half2(a, b);
  p = __hfma2(p, p, __float2half2_rn(0.25f));
  o[0] = __half2float(__hadd(a, b));
  o[1] = __low2float(p) + __high2float(p);
  o[2] = __half2float(hexp(a));
  o[3] = __hlt(a, b) ? __half2float(hsqrt(b)) : -1;
  o[4] = __bfloat162float(__float2bfloat16(x));
  o[5] = __half2float(__hmax(a, b)) + __half2float(__hdiv(a, b));
}

__global__ void sums(__half *sum, __half2 *pair) {
  atomicAdd(sum, __float2half(0.5f));
  atomicAdd(pair, __floats2half2_rn(1, 2));
}

// Conversions, which the headers have for the host as well.
constexpr int Floats = 1 << 16;
struct Converted {
  __nv_fp8_storage_t E4M3, E5M2, HalfE4M3, HalfE5M2;
  __half_raw FromE4M3, FromE5M2, Zero, Down, Up;
  __nv_bfloat16_raw BZero, BDown, BUp;
};

__host__ __device__ Converted convert(float X, uint16_t Bits) {
  Converted C;
  const __half_raw H = __ushort_as_half(Bits);
  C.E4M3 = __nv_cvt_float_to_fp8(X, __NV_SATFINITE, __NV_E4M3);
  C.E5M2 = __nv_cvt_float_to_fp8(X, __NV_SATFINITE, __NV_E5M2);
  C.HalfE4M3 = __nv_cvt_halfraw_to_fp8(H, __NV_SATFINITE, __NV_E4M3);
  C.HalfE5M2 = __nv_cvt_halfraw_to_fp8(H, __NV_SATFINITE, __NV_E5M2);
  C.FromE4M3 = __nv_cvt_fp8_to_halfraw(Bits & 0xff, __NV_E4M3);
  C.FromE5M2 = __nv_cvt_fp8_to_halfraw(Bits & 0xff, __NV_E5M2);
  C.Zero = __float2half_rz(X);
  C.Down = __float2half_rd(X);
  C.Up = __float2half_ru(X);
  C.BZero = __float2bfloat16_rz(X);
  C.BDown = __float2bfloat16_rd(X);
  C.BUp = __float2bfloat16_ru(X);
  return C;
}

__global__ void conversions(const float *In, Converted *Out) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = convert(In[I], I);
}

// NaN is NaN: headers keep a sign of it that devices drop.
bool same(__half_raw A, __half_raw B) {
  return A.x == B.x || ((A.x & 0x7fff) > 0x7c00 && (B.x & 0x7fff) > 0x7c00);
}
bool same(__nv_bfloat16_raw A, __nv_bfloat16_raw B) {
  return A.x == B.x || ((A.x & 0x7fff) > 0x7f80 && (B.x & 0x7fff) > 0x7f80);
}
bool same(__nv_fp8_storage_t A, __nv_fp8_storage_t B) {
  return A == B || ((A & 0x7f) >= 0x7e && (B & 0x7f) == 0x7f);
}

void checkConversions() {
  std::vector<float> In(Floats);
  for (uint32_t I = 0; I < Floats; ++I) {
    // All signs, exponents and upper bits; below: halves, and others.
    const uint32_t Low[] = {0, 0x8000, 1, 0xffff};
    const uint32_t Bits = I << 16 | Low[I * 7 / 3 % 4];
    memcpy(&In[I], &Bits, 4);
  }
  std::vector<Converted> Out(Floats);
  float *DeviceIn = toDevice(In.data(), Floats);
  Converted *Device = toDevice(Out.data(), Floats);
  conversions<<<Floats / 128, 128>>>(DeviceIn, Device);
  toHost(Out.data(), Device, Floats);
  int Wrong = 0;
  for (int I = 0; I < Floats; ++I) {
    const Converted E = convert(In[I], I), &C = Out[I];
    const bool Right =
        same(C.E4M3, E.E4M3) && same(C.E5M2, E.E5M2) &&
        same(C.HalfE4M3, E.HalfE4M3) && same(C.HalfE5M2, E.HalfE5M2) &&
        same(C.FromE4M3, E.FromE4M3) && same(C.FromE5M2, E.FromE5M2) &&
        same(C.Zero, E.Zero) && same(C.Down, E.Down) && same(C.Up, E.Up) &&
        same(C.BZero, E.BZero) && same(C.BDown, E.BDown) && same(C.BUp, E.BUp);
    if (!Right && Wrong++ < 5)
      printf("%a, %x: %x %x %x %x %x %x %x %x %x %x %x %x, not "
             "%x %x %x %x %x %x %x %x %x %x %x %x\n",
             In[I], I, C.E4M3, C.E5M2, C.HalfE4M3, C.HalfE5M2, C.FromE4M3.x,
             C.FromE5M2.x, C.Zero.x, C.Down.x, C.Up.x, C.BZero.x, C.BDown.x,
             C.BUp.x, E.E4M3, E.E5M2, E.HalfE4M3, E.HalfE5M2, E.FromE4M3.x,
             E.FromE5M2.x, E.Zero.x, E.Down.x, E.Up.x, E.BZero.x, E.BDown.x,
             E.BUp.x);
  }
  EXPECT(Wrong == 0);
}

constexpr int Integers = 13;

// Integers of more bits than a half, and than a float.
__global__ void fromIntegers(int Zero, uint16_t *Out) {
  Out[0] = __half_as_ushort(__int2half_rz(2051 + Zero));
  Out[1] = __half_as_ushort(__int2half_rd(-2049 + Zero));
  Out[2] = __half_as_ushort(__int2half_rn(2051 + Zero));
  Out[3] = __half_as_ushort(__short2half_rz(short(2051 + Zero)));
  Out[4] = __half_as_ushort(__uint2half_ru(2049u + Zero));
  Out[5] = __half_as_ushort(__ll2half_rd(4099ll + Zero));
  Out[6] = __half_as_ushort(__ull2half_rz(~0ull - Zero));
  Out[7] = __bfloat16_as_ushort(__int2bfloat16_rz(511 + Zero));
  // Just above halves between two numbers, where a float would be on them.
  Out[8] = __bfloat16_as_ushort(__int2bfloat16_rn(0x2020001 + Zero));
  Out[9] = __bfloat16_as_ushort(
      __ll2bfloat16_rn((1ll << 40) + (1ll << 32) + 1 + Zero));
  Out[10] = __bfloat16_as_ushort(
      __ll2bfloat16_rn(-(1ll << 50) - (1ll << 42) - 1 - Zero));
  const uint16_t H = __half_as_ushort(__float2half_rn(1 + 3 / 256.f + Zero));
  asm("cvt.rz.bf16.f16 %0, %1;" : "=h"(Out[11]) : "h"(H));
  asm("cvt.rn.bf16.f16 %0, %1;" : "=h"(Out[12]) : "h"(H));
}

void checkIntegers() {
  const uint16_t Expected[Integers] = {0x6801, 0xe801, 0x6802, 0x6801, 0x6801,
                                       0x6c00, 0x7bff, 0x43ff, 0x4c01, 0x5381,
                                       0xd881, 0x3f81, 0x3f82};
  uint16_t Out[Integers] = {};
  uint16_t *Device = toDevice(Out, Integers);
  fromIntegers<<<1, 1>>>(0, Device);
  toHost(Out, Device, Integers);
  for (int I = 0; I < Integers; ++I) {
    if (Out[I] != Expected[I])
      printf("%d: %x, not %x\n", I, Out[I], Expected[I]);
    EXPECT(Out[I] == Expected[I]);
  }
}

int main() {
  checkConversions();
  checkIntegers();
  float in[32], out[32 * Results];
  for (int i = 0; i < 32; ++i)
    in[i] = i * 0.1f - 1;
  float *deviceIn = toDevice(in, 32), *device = toDevice(out, 32 * Results);
  halves<<<1, 32>>>(deviceIn, device);
  toHost(out, device, 32 * Results);
  for (int i = 0; i < 32; ++i) {
    float a = in[i], b = a * 0.5f + 1;
    float expected[Results] = {a + b,   a * a + b * b + 0.5f,
                               expf(a), a < b ? sqrtf(b) : -1,
                               a,       fmaxf(a, b) + a / b};
    for (int k = 0; k < Results; ++k)
      EXPECT(fabsf(out[i * Results + k] - expected[k]) <=
             0.005f * fmaxf(1, fabsf(expected[k])));
  }

  unsigned zeros[2] = {}, *bits = toDevice(zeros, 2);
  sums<<<2, 20>>>((__half *)bits, (__half2 *)(bits + 1));
  toHost(zeros, bits, 2);
  EXPECT(__half2float(*(__half *)zeros) == 20);
  EXPECT(__low2float(*(__half2 *)(zeros + 1)) == 40);
  EXPECT(__high2float(*(__half2 *)(zeros + 1)) == 80);
  return finish();
}

// Texture lookups against values of the programming guide's formulas, worked
// out by hand: address modes, filters, read modes.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,3 %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <cmath>

__global__ void along(cudaTextureObject_t T, const float *X, float *Out,
                      int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = tex1D<float>(T, X[I]);
}

__global__ void plane(cudaTextureObject_t T, const float *X, const float *Y,
                      float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = tex2D<float>(T, X[I], Y[I]);
}

__global__ void volume(cudaTextureObject_t T, const float *X, float *Out,
                       int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = tex3D<float>(T, X[3 * I], X[3 * I + 1], X[3 * I + 2]);
}

__global__ void fetch(cudaTextureObject_t T, const int *X, float4 *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = tex1Dfetch<float4>(T, X[I]);
}

__global__ void bytes(cudaTextureObject_t Whole, cudaTextureObject_t Part,
                      int *Integers, float *Fractions) {
  int I = threadIdx.x;
  char2 C = tex2D<char2>(Whole, I + 0.5f, 0.5f);
  Integers[2 * I] = C.x;
  Integers[2 * I + 1] = C.y;
  float2 F = tex2D<float2>(Part, I + 0.5f, 0.5f);
  Fractions[2 * I] = F.x;
  Fractions[2 * I + 1] = F.y;
}

__global__ void gathers(cudaTextureObject_t T, float4 *Out) {
  Out[0] = tex2Dgather<float4>(T, 1.0f, 1.0f);
}

static cudaTextureObject_t
texture(cudaArray_t A, cudaTextureAddressMode Mode,
        cudaTextureFilterMode Filter, bool Normalized,
        cudaTextureReadMode Read = cudaReadModeElementType) {
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = A;
  cudaTextureDesc D = {};
  D.addressMode[0] = D.addressMode[1] = D.addressMode[2] = Mode;
  D.filterMode = Filter;
  D.readMode = Read;
  D.normalizedCoords = Normalized;
  D.borderColor[0] = 7;
  cudaTextureObject_t T = 0;
  CHECK(cudaCreateTextureObject(&T, &R, &D, nullptr));
  return T;
}

static bool near(float A, float B) { return std::fabs(A - B) < 1e-5f; }

/// Looks up X in {10, 20, 30, 40} and compares with Expected.
template <int N>
static void lookUp(cudaArray_t A, cudaTextureAddressMode Mode,
                   cudaTextureFilterMode Filter, bool Normalized,
                   const float (&X)[N], const float (&Expected)[N]) {
  cudaTextureObject_t T = texture(A, Mode, Filter, Normalized);
  float *At = toDevice(X, N), *Out = nullptr, Host[N];
  CHECK(cudaMalloc(&Out, sizeof(Host)));
  along<<<1, 32>>>(T, At, Out, N);
  CHECK(cudaGetLastError());
  toHost(Host, Out, N);
  for (int I = 0; I < N; ++I)
    if (!near(Host[I], Expected[I])) {
      printf("mode %d filter %d normalized %d: at %g: %g, not %g\n", Mode,
             Filter, Normalized, X[I], Host[I], Expected[I]);
      ++Failures;
    }
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaFree(At));
  CHECK(cudaFree(Out));
}

static void testLines() {
  const float Values[] = {10, 20, 30, 40};
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<float>();
  cudaArray_t A = nullptr;
  CHECK(cudaMallocArray(&A, &Desc, 4));
  CHECK(cudaMemcpy2DToArray(A, 0, 0, Values, sizeof(Values), sizeof(Values), 1,
                            cudaMemcpyHostToDevice));
  // The element whose index is the floor.
  lookUp(A, cudaAddressModeClamp, cudaFilterModePoint, false,
         {-3, 0, 0.99f, 1, 3.5f, 4, 9}, {10, 10, 10, 20, 40, 40, 40});
  lookUp(A, cudaAddressModeBorder, cudaFilterModePoint, false,
         {-0.5f, 0.5f, 3.5f, 4}, {7, 10, 40, 7});
  lookUp(A, cudaAddressModeClamp, cudaFilterModePoint, true,
         {-1, 0.3f, 0.8f, 1.5f}, {10, 20, 40, 40});
  lookUp(A, cudaAddressModeWrap, cudaFilterModePoint, true,
         {-0.125f, 0.125f, 1.375f, 2.875f}, {40, 10, 20, 40});
  // 1.375 is mirrored to 0.625, -0.125 to 0.125.
  lookUp(A, cudaAddressModeMirror, cudaFilterModePoint, true,
         {-0.125f, 1.375f, 1.875f, 2.375f}, {10, 30, 10, 20});
  // Element centres are at 0.5, 1.5 and so on.
  lookUp(A, cudaAddressModeClamp, cudaFilterModeLinear, false,
         {0, 0.5f, 1, 1.75f, 3.5f, 8}, {10, 10, 15, 22.5f, 40, 40});
  // The border is above and below a line as well, and y is 0, between two rows.
  lookUp(A, cudaAddressModeBorder, cudaFilterModeLinear, false, {0, 1, 4, -1},
         {7.75f, 11, 15.25f, 7});
  lookUp(A, cudaAddressModeWrap, cudaFilterModeLinear, true, {0, 0.25f, 1},
         {25, 15, 25});
  lookUp(A, cudaAddressModeMirror, cudaFilterModeLinear, true, {0, 1, 1.25f},
         {10, 40, 35});
  // The fraction 0.001 becomes 0/256, and 0.003 becomes 1/256.
  lookUp(A, cudaAddressModeClamp, cudaFilterModeLinear, false,
         {0.501f, 0.503f, 1.499f}, {10, 10 + 10.0f / 256, 20});
  CHECK(cudaFreeArray(A));
}

static void testPlanes() {
  const float Values[] = {0, 1, 2, 10, 11, 12, 20, 21, 22};
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<float>();
  cudaArray_t A = nullptr;
  CHECK(cudaMallocArray(&A, &Desc, 3, 3, cudaArrayTextureGather));
  CHECK(
      cudaMemcpy2DToArray(A, 0, 0, Values, 12, 12, 3, cudaMemcpyHostToDevice));
  cudaTextureObject_t T =
      texture(A, cudaAddressModeClamp, cudaFilterModeLinear, false);
  const float X[] = {0.5f, 1, 2.5f, 1.75f, -4};
  const float Y[] = {0.5f, 1, 1, 2.25f, 9};
  const float Expected[] = {0, 5.5f, 7, 18.75f, 20};
  float *Dx = toDevice(X, 5), *Dy = toDevice(Y, 5), *Out = nullptr, Host[5];
  CHECK(cudaMalloc(&Out, sizeof(Host)));
  plane<<<1, 32>>>(T, Dx, Dy, Out, 5);
  toHost(Host, Out, 5);
  for (int I = 0; I < 5; ++I)
    EXPECT(near(Host[I], Expected[I]));
  float4 *Four = nullptr, Gathered;
  CHECK(cudaMalloc(&Four, sizeof(float4)));
  gathers<<<1, 1>>>(T, Four);
  toHost(&Gathered, Four, 1);
  EXPECT(Gathered.x == 10 && Gathered.y == 11 && Gathered.z == 1 &&
         Gathered.w == 0);
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaFreeArray(A));
}

static void testVolume() {
  float Values[8];
  for (int I = 0; I < 8; ++I)
    Values[I] = (I & 1) + 10 * (I >> 1 & 1) + 100 * (I >> 2);
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<float>();
  cudaArray_t A = nullptr;
  CHECK(cudaMalloc3DArray(&A, &Desc, make_cudaExtent(2, 2, 2)));
  cudaMemcpy3DParms P = {};
  P.srcPtr = make_cudaPitchedPtr(Values, 8, 2, 2);
  P.dstArray = A;
  P.extent = make_cudaExtent(2, 2, 2);
  P.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&P));
  cudaTextureObject_t T =
      texture(A, cudaAddressModeClamp, cudaFilterModeLinear, false);
  const float X[] = {1, 1, 1, 0.5f, 1.5f, 0.5f, 0.75f, 0.5f, 1.25f};
  float *At = toDevice(X, 9), *Out = nullptr, Host[3];
  CHECK(cudaMalloc(&Out, sizeof(Host)));
  volume<<<1, 32>>>(T, At, Out, 3);
  toHost(Host, Out, 3);
  EXPECT(near(Host[0], 55.5f));
  EXPECT(near(Host[1], 10));
  EXPECT(near(Host[2], 75.25f));
  // Back again, a part of it.
  float Back[2] = {};
  cudaMemcpy3DParms Q = {};
  Q.srcArray = A;
  Q.srcPos = make_cudaPos(1, 0, 1);
  Q.dstPtr = make_cudaPitchedPtr(Back, 4, 1, 2);
  Q.extent = make_cudaExtent(1, 2, 1);
  Q.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&Q));
  EXPECT(Back[0] == 101 && Back[1] == 111);
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaFreeArray(A));
}

static void testLinearMemory() {
  float4 Values[3];
  for (int I = 0; I < 3; ++I)
    Values[I] = make_float4(I, I + 0.25f, I + 0.5f, I + 0.75f);
  float4 *Memory = toDevice(Values, 3);
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeLinear;
  R.res.linear.devPtr = Memory;
  R.res.linear.desc = cudaCreateChannelDesc<float4>();
  R.res.linear.sizeInBytes = sizeof(Values);
  cudaTextureDesc D = {};
  D.readMode = cudaReadModeElementType;
  cudaTextureObject_t T = 0;
  CHECK(cudaCreateTextureObject(&T, &R, &D, nullptr));
  cudaResourceDesc Again = {};
  CHECK(cudaGetTextureObjectResourceDesc(&Again, T));
  EXPECT(Again.res.linear.devPtr == Memory);
  const int X[] = {2, 0, 3};
  int *At = toDevice(X, 3);
  float4 *Out = nullptr, Host[3];
  CHECK(cudaMalloc(&Out, sizeof(Host)));
  fetch<<<1, 32>>>(T, At, Out, 3);
  toHost(Host, Out, 3);
  EXPECT(Host[0].x == 2 && Host[0].w == 2.75f && Host[1].z == 0.5f);
  EXPECT(Host[2].x == 0 && Host[2].y == 0); // outside
  CHECK(cudaDestroyTextureObject(T));
}

static void testBytes() {
  const signed char Values[] = {-128, 127, -127, 0, 1, -1, 64, -64};
  char2 *Memory = nullptr;
  size_t Pitch = 0;
  CHECK(cudaMallocPitch(&Memory, &Pitch, 8, 1));
  CHECK(cudaMemcpy2D(Memory, Pitch, Values, 8, 8, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypePitch2D;
  R.res.pitch2D.devPtr = Memory;
  R.res.pitch2D.desc = cudaCreateChannelDesc<char2>();
  R.res.pitch2D.width = 4;
  R.res.pitch2D.height = 1;
  R.res.pitch2D.pitchInBytes = Pitch;
  cudaTextureDesc D = {};
  D.readMode = cudaReadModeElementType;
  cudaTextureObject_t Whole = 0, Part = 0;
  CHECK(cudaCreateTextureObject(&Whole, &R, &D, nullptr));
  D.readMode = cudaReadModeNormalizedFloat;
  CHECK(cudaCreateTextureObject(&Part, &R, &D, nullptr));
  int *Integers = nullptr, HostIntegers[8];
  float *Fractions = nullptr, HostFractions[8];
  CHECK(cudaMalloc(&Integers, sizeof(HostIntegers)));
  CHECK(cudaMalloc(&Fractions, sizeof(HostFractions)));
  bytes<<<1, 4>>>(Whole, Part, Integers, Fractions);
  toHost(HostIntegers, Integers, 8);
  toHost(HostFractions, Fractions, 8);
  for (int I = 0; I < 8; ++I) {
    EXPECT(HostIntegers[I] == Values[I]);
    EXPECT(near(HostFractions[I], fmaxf(-1, Values[I] / 127.0f)));
  }
  CHECK(cudaDestroyTextureObject(Whole));
  CHECK(cudaDestroyTextureObject(Part));
}

static void testErrors() {
  cudaChannelFormatDesc Desc =
      cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t A = nullptr;
  EXPECT(cudaMallocArray(&A, &Desc, 4) == cudaErrorInvalidChannelDescriptor);
  EXPECT(cudaGetLastError() == cudaErrorInvalidChannelDescriptor);
  Desc = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&A, &Desc, 4));
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = A;
  cudaSurfaceObject_t S = 0; // CUDA does not say that the array is not for them
  CHECK(cudaCreateSurfaceObject(&S, &R));
  CHECK(cudaDestroySurfaceObject(S));
  float *Linear = nullptr;
  CHECK(cudaMalloc(&Linear, 1024));
  R = {};
  R.resType = cudaResourceTypeLinear;
  R.res.linear.devPtr = Linear;
  R.res.linear.desc = Desc;
  R.res.linear.sizeInBytes = 1024;
  EXPECT(cudaCreateSurfaceObject(&S, &R) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFree(Linear));
  cudaExtent Extent = {};
  unsigned Flags = 1;
  CHECK(cudaArrayGetInfo(&Desc, &Extent, &Flags, A));
  EXPECT(Desc.x == 32 && Extent.width == 4 && Extent.height == 0 && Flags == 0);
  CHECK(cudaFreeArray(A));
}

int main() {
  testLines();
  testPlanes();
  testVolume();
  testLinearMemory();
  testBytes();
  testErrors();
  return finish();
}

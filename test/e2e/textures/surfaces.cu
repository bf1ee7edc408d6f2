// Surfaces: reads and writes by byte, boundaries, and textures of what was
// written.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --devices 1,3 --refused halve=surface %t \
// RUN:   | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

// The instructions themselves, as headers of several versions wrap them.
__device__ float4 load2D(cudaSurfaceObject_t S, int X, int Y) {
  float4 V;
  asm volatile("suld.b.2d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=f"(V.x), "=f"(V.y), "=f"(V.z), "=f"(V.w)
               : "l"(S), "r"(X), "r"(Y)
               : "memory");
  return V;
}
__device__ void store2D(float4 V, cudaSurfaceObject_t S, int X, int Y) {
  asm volatile(
      "sust.b.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(S),
      "r"(X), "r"(Y), "f"(V.x), "f"(V.y), "f"(V.z), "f"(V.w)
      : "memory");
}
__device__ unsigned short byteAt(cudaSurfaceObject_t S, int X, bool Clamp) {
  unsigned short V;
  if (Clamp)
    asm volatile("suld.b.1d.b8.clamp {%0}, [%1, {%2}];"
                 : "=h"(V)
                 : "l"(S), "r"(X)
                 : "memory");
  else
    asm volatile("suld.b.1d.b8.zero {%0}, [%1, {%2}];"
                 : "=h"(V)
                 : "l"(S), "r"(X)
                 : "memory");
  return V;
}
__device__ void storeLayer(unsigned long long V, cudaSurfaceObject_t S, int X,
                           int Y, int Layer) {
  asm volatile("sust.b.a2d.b64.trap [%0, {%1, %2, %3, %3}], {%4};" ::"l"(S),
               "r"(Layer), "r"(X), "r"(Y), "l"(V)
               : "memory");
}

__global__ void halve(cudaSurfaceObject_t In, cudaSurfaceObject_t Out, int W,
                      int H) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= W || Y >= H)
    return;
  float4 V = load2D(In, X * 16, Y);
  store2D(make_float4(V.x / 2, V.y / 2, V.z / 2, V.w / 2), Out, X * 16, Y);
  store2D(V, Out, (X + W) * 16, Y); // outside: nothing
}

__global__ void edges(cudaSurfaceObject_t S, unsigned short *Out) {
  Out[0] = byteAt(S, -1, false);
  Out[1] = byteAt(S, 5, false);
  Out[2] = byteAt(S, 16, false);
  Out[3] = byteAt(S, -1, true);
  Out[4] = byteAt(S, 99, true);
}

__global__ void layers(cudaSurfaceObject_t S) {
  storeLayer(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z, S,
             threadIdx.x * 8, threadIdx.y, threadIdx.z);
}

__global__ void read(cudaTextureObject_t T, int W, float *Out) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = tex2D<float4>(T, I % W + 0.5f, I / W + 0.5f).y;
}

static cudaSurfaceObject_t surface(cudaArray_t A) {
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = A;
  cudaSurfaceObject_t S = 0;
  CHECK(cudaCreateSurfaceObject(&S, &R));
  return S;
}

static void testPlane() {
  constexpr int W = 64, H = 16;
  std::vector<float4> Host(W * H);
  for (int I = 0; I < W * H; ++I)
    Host[I] = make_float4(I, 2 * I, 3 * I, 4 * I);
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<float4>();
  cudaArray_t In = nullptr, Out = nullptr;
  CHECK(cudaMallocArray(&In, &Desc, W, H, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&Out, &Desc, W, H, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(In, 0, 0, Host.data(), W * 16, W * 16, H,
                            cudaMemcpyHostToDevice));
  cudaSurfaceObject_t A = surface(In), B = surface(Out);
  halve<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(A, B, W, H);
  CHECK(cudaGetLastError());
  std::vector<float4> Back(W * H);
  CHECK(cudaMemcpy2DFromArray(Back.data(), W * 16, Out, 0, 0, W * 16, H,
                              cudaMemcpyDeviceToHost));
  bool Same = true;
  for (int I = 0; I < W * H; ++I)
    Same &= Back[I].x == Host[I].x / 2 && Back[I].w == Host[I].w / 2;
  EXPECT(Same);

  // A texture of the array sees what the surface wrote.
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = Out;
  cudaTextureDesc D = {};
  cudaTextureObject_t T = 0;
  CHECK(cudaCreateTextureObject(&T, &R, &D, nullptr));
  float *Read = nullptr;
  CHECK(cudaMalloc(&Read, W * H * sizeof(float)));
  read<<<W * H / 64, 64>>>(T, W, Read);
  std::vector<float> Seen(W * H);
  toHost(Seen.data(), Read, W * H);
  Same = true;
  for (int I = 0; I < W * H; ++I)
    Same &= Seen[I] == float(I);
  EXPECT(Same);

  // Array to array, and by bytes that go on in the next row.
  CHECK(cudaMemcpy2DArrayToArray(In, 16, 1, Out, 0, 0, 32, 2,
                                 cudaMemcpyDeviceToDevice));
  float4 Four[2] = {};
  CHECK(cudaMemcpy2DFromArray(Four, 16, In, 32, 1, 16, 2,
                              cudaMemcpyDeviceToHost));
  EXPECT(Four[0].x == 0.5f && Four[1].x == (W + 1) / 2.0f);
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaDestroySurfaceObject(A));
  CHECK(cudaDestroySurfaceObject(B));
  CHECK(cudaFreeArray(In));
  CHECK(cudaFreeArray(Out));
}

static void testEdges() {
  const unsigned char Host[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                  9, 10, 11, 12, 13, 14, 15, 16};
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t A = nullptr;
  CHECK(cudaMallocArray(&A, &Desc, 16, 0, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(A, 0, 0, Host, 16, 16, 1, cudaMemcpyHostToDevice));
  cudaSurfaceObject_t S = surface(A);
  unsigned short *Out = nullptr, Seen[5];
  CHECK(cudaMalloc(&Out, sizeof(Seen)));
  edges<<<1, 1>>>(S, Out);
  toHost(Seen, Out, 5);
  EXPECT(Seen[0] == 0 && Seen[1] == 6 && Seen[2] == 0);
  EXPECT(Seen[3] == 1 && Seen[4] == 16);
  CHECK(cudaDestroySurfaceObject(S));
  CHECK(cudaFreeArray(A));
}

static void testLayers() {
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<int2>();
  cudaArray_t A = nullptr;
  CHECK(cudaMalloc3DArray(&A, &Desc, make_cudaExtent(4, 2, 3),
                          cudaArrayLayered | cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t S = surface(A);
  layers<<<1, dim3(4, 2, 3)>>>(S);
  unsigned long long Host[24] = {};
  cudaMemcpy3DParms P = {};
  P.srcArray = A;
  P.dstPtr = make_cudaPitchedPtr(Host, 32, 4, 2);
  P.extent = make_cudaExtent(4, 2, 3);
  P.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&P));
  bool Same = true;
  for (unsigned I = 0; I < 24; ++I)
    Same &= Host[I] == I % 4 + 10 * (I / 4 % 2) + 100 * (I / 8);
  EXPECT(Same);
  CHECK(cudaDestroySurfaceObject(S));
  CHECK(cudaFreeArray(A));
}

__global__ void fill(cudaSurfaceObject_t S, float Value) {
  surf2Dwrite(Value, S, threadIdx.x * 4, threadIdx.y);
}

/// Levels of a mipmapped array are written without its flag for surfaces.
static void testLevels() {
  cudaChannelFormatDesc Desc = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t M = nullptr;
  CHECK(cudaMallocMipmappedArray(&M, &Desc, make_cudaExtent(8, 4, 0), 2));
  cudaArray_t Level = nullptr;
  CHECK(cudaGetMipmappedArrayLevel(&Level, M, 1));
  cudaSurfaceObject_t S = surface(Level);
  fill<<<1, dim3(4, 2)>>>(S, 7);
  float Host[8] = {};
  CHECK(cudaMemcpy2DFromArray(Host, 16, Level, 0, 0, 16, 2,
                              cudaMemcpyDeviceToHost));
  for (float X : Host)
    EXPECT(X == 7);
  CHECK(cudaDestroySurfaceObject(S));
  CHECK(cudaFreeMipmappedArray(M));
}

int main() {
  testPlane();
  testEdges();
  testLayers();
  testLevels();
  return finish();
}

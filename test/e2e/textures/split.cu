// Kernels that read textures are split: devices have copies of arrays, which
// follow the array, and read memory where it is.
//
// RUN: %gridspan++ -O2 %s -o %t
// RUN: %compare --split along --split plane --split volume --split layers \
// RUN:   --split cube --split fetch --split pitched --split both \
// RUN:   --split either --split levels --refused fill=surface \
// RUN:   --refused fromArray=texture-handle-from-memory \
// RUN:   --refused kept=texture-handle-computed %t | FileCheck %s
// CHECK: PASS

#include "../Inputs/check.h"
#include <vector>

constexpr int W = 64, H = 48, D = 8;

struct Two {
  int Scale;
  cudaTextureObject_t First;
  float Weight;
  cudaTextureObject_t Second;
};

__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void along(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex1D<float>(T, I * 0.37f / W);
}
__global__ void plane(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex2D<float>(T, I % W + 0.25f, I / W + 0.75f);
}
__global__ void volume(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex3D<float>(T, I % W + 0.5f, I / W % H + 0.5f, I / (W * H) + 0.5f);
}
__global__ void layers(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex2DLayered<float>(T, I % W + 0.5f, I / W % H + 0.5f, I / (W * H));
}
__global__ void cube(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = texCubemap<float>(T, I % 7 - 3.1f, I % 5 - 2.2f, I % 3 - 1.3f);
}
__global__ void fetch(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex1Dfetch<float>(T, W * H - 1 - I);
}
__global__ void pitched(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex2D<float>(T, (I % W + 0.5f) / W, (I / W + 0.5f) / H);
}
__global__ void both(Two In, float *Out) {
  int I = at();
  Out[I] = In.Scale * tex2D<float>(In.First, I % W + 0.5f, I / W + 0.5f) +
           In.Weight * tex1Dfetch<float>(In.Second, I);
}
__global__ void either(cudaTextureObject_t A, cudaTextureObject_t B,
                       float *Out) {
  int I = at();
  Out[I] = tex2D<float>(I % 3 ? A : B, I % W + 0.5f, I / W + 0.5f);
}
__global__ void levels(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex2DLod<float>(T, I % W / float(W), I / W / float(H), I % 3);
}
__global__ void fill(cudaSurfaceObject_t S, float Value) {
  int I = at();
  surf2Dwrite(Value + I, S, I % W * sizeof(float), I / W);
}
__global__ void fromArray(const cudaTextureObject_t *T, float *Out) {
  int I = at();
  Out[I] = tex2D<float>(T[0], I % W + 0.5f, I / W + 0.5f);
}
__global__ void kept(cudaTextureObject_t T, float *Out,
                     cudaTextureObject_t *Handle) {
  int I = at();
  Out[I] = tex2D<float>(T, I % W + 0.5f, I / W + 0.5f);
  if (I == W * H - 1)
    *Handle = T;
}
__global__ void inPlace(cudaTextureObject_t T, float *Out) {
  int I = at();
  Out[I] = tex1Dfetch<float>(T, I) + 1;
}

static std::vector<float> numbers(int Count, float First) {
  std::vector<float> Out(Count);
  for (int I = 0; I < Count; ++I)
    Out[I] = First + I * 7 % 101;
  return Out;
}

static float *Out;

/// Prints what the launch before has written.
static void show(const char *What, int Count = W * H) {
  CHECK(cudaGetLastError());
  std::vector<float> Host(Count);
  toHost(Host.data(), Out, Count);
  double Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += Host[I] * (I % 89 + 1);
  printf("%s: %.3f, %g ... %g ... %g\n", What, Sum, Host[0], Host[Count / 2],
         Host[Count - 1]);
}

static cudaTextureObject_t
texture(const cudaResourceDesc &R,
        cudaTextureFilterMode Filter = cudaFilterModePoint,
        bool Normalized = false) {
  cudaTextureDesc Desc = {};
  Desc.addressMode[0] = Desc.addressMode[1] = Desc.addressMode[2] =
      Normalized ? cudaAddressModeWrap : cudaAddressModeClamp;
  Desc.filterMode = Filter;
  Desc.normalizedCoords = Normalized;
  Desc.maxMipmapLevelClamp = 8;
  cudaTextureObject_t T = 0;
  CHECK(cudaCreateTextureObject(&T, &R, &Desc, nullptr));
  return T;
}
static cudaResourceDesc over(cudaArray_t A) {
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = A;
  return R;
}
static cudaResourceDesc over(float *Memory, int Count) {
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeLinear;
  R.res.linear.devPtr = Memory;
  R.res.linear.desc = cudaCreateChannelDesc<float>();
  R.res.linear.sizeInBytes = Count * sizeof(float);
  return R;
}
static void set(cudaArray_t A, int Width, int Height, float First) {
  const std::vector<float> V = numbers(Width * Height, First);
  CHECK(cudaMemcpy2DToArray(A, 0, 0, V.data(), Width * 4, Width * 4, Height,
                            cudaMemcpyHostToDevice));
}
static void set3D(cudaArray_t A, int Width, int Height, int Depth,
                  float First) {
  std::vector<float> V = numbers(Width * Height * Depth, First);
  cudaMemcpy3DParms P = {};
  P.srcPtr = make_cudaPitchedPtr(V.data(), Width * 4, Width, Height);
  P.dstArray = A;
  P.extent = make_cudaExtent(Width, Height, Depth);
  P.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&P));
}

static const cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();

static void testShapes() {
  cudaArray_t Line, Box, Stack, Sides;
  CHECK(cudaMallocArray(&Line, &Float, W));
  set(Line, W, 1, 3);
  cudaTextureObject_t T = texture(over(Line), cudaFilterModeLinear, true);
  along<<<W * H / 64, 64>>>(T, Out);
  show("along");
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaMalloc3DArray(&Box, &Float, make_cudaExtent(W, H, D)));
  set3D(Box, W, H, D, 1);
  T = texture(over(Box));
  volume<<<W * H * D / 64, 64>>>(T, Out);
  show("volume", W * H * D);
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaMalloc3DArray(&Stack, &Float, make_cudaExtent(W, H, D),
                          cudaArrayLayered));
  set3D(Stack, W, H, D, 5);
  T = texture(over(Stack));
  layers<<<W * H * D / 64, 64>>>(T, Out);
  show("layers", W * H * D);
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaMalloc3DArray(&Sides, &Float, make_cudaExtent(16, 16, 6),
                          cudaArrayCubemap));
  set3D(Sides, 16, 16, 6, 2);
  T = texture(over(Sides), cudaFilterModePoint, true);
  cube<<<W * H / 64, 64>>>(T, Out);
  show("cube");
  CHECK(cudaDestroyTextureObject(T));
  for (cudaArray_t A : {Line, Box, Stack, Sides})
    CHECK(cudaFreeArray(A));
}

static void testLevels() {
  cudaMipmappedArray_t M;
  CHECK(cudaMallocMipmappedArray(&M, &Float, make_cudaExtent(W, H, 0), 3));
  cudaArray_t Levels[3];
  for (int I = 0; I < 3; ++I) {
    CHECK(cudaGetMipmappedArrayLevel(&Levels[I], M, I));
    set(Levels[I], W >> I, H >> I, 100 * I);
  }
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeMipmappedArray;
  R.res.mipmap.mipmap = M;
  cudaTextureObject_t T = texture(R, cudaFilterModePoint, true);
  levels<<<W * H / 64, 64>>>(T, Out);
  show("levels");
  set(Levels[1], W / 2, H / 2, 5000);
  levels<<<W * H / 64, 64>>>(T, Out);
  show("levels, one written");
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaFreeMipmappedArray(M));
}

static void testUpdates() {
  cudaArray_t A, B;
  CHECK(cudaMallocArray(&A, &Float, W, H, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&B, &Float, W, H));
  set(A, W, H, 1);
  set(B, W, H, 1000);
  cudaTextureObject_t T = texture(over(A), cudaFilterModeLinear);
  cudaTextureObject_t U = texture(over(B));
  plane<<<W * H / 64, 64>>>(T, Out);
  show("plane");
  plane<<<W * H / 64, 64>>>(T, Out);
  show("plane, the same");
  set(A, W, H, 50);
  plane<<<W * H / 64, 64>>>(T, Out);
  show("plane, copied to");
  either<<<W * H / 64, 64>>>(T, U, Out);
  show("either");
  CHECK(cudaMemcpy2DArrayToArray(A, 0, 0, B, 0, 0, W * 4, H / 2,
                                 cudaMemcpyDeviceToDevice));
  plane<<<W * H / 64, 64>>>(T, Out);
  show("plane, half of another");
  cudaSurfaceObject_t S;
  const cudaResourceDesc R = over(A);
  CHECK(cudaCreateSurfaceObject(&S, &R));
  cudaStream_t Stream;
  CHECK(cudaStreamCreate(&Stream));
  for (int Round = 0; Round < 3; ++Round) {
    fill<<<W * H / 64, 64, 0, Stream>>>(S, 10000 * Round);
    plane<<<W * H / 64, 64, 0, Stream>>>(T, Out);
    CHECK(cudaStreamSynchronize(Stream));
    show("plane, written by a kernel");
  }
  CHECK(cudaStreamDestroy(Stream));
  // The handles and arrays of later objects may be those of earlier ones.
  for (int Round = 0; Round < 4; ++Round) {
    CHECK(cudaDestroyTextureObject(T));
    if (Round % 2) {
      CHECK(cudaFreeArray(A));
      CHECK(cudaMallocArray(&A, &Float, W, H));
      set(A, W, H, 70000 * Round);
    }
    T = texture(over(Round == 2 ? B : A));
    plane<<<W * H / 64, 64>>>(T, Out);
    show("plane, another object");
  }
  const cudaTextureObject_t Handles[] = {U};
  cudaTextureObject_t *Array = toDevice(Handles, 1);
  fromArray<<<W * H / 64, 64>>>(Array, Out);
  show("fromArray");
  kept<<<W * H / 64, 64>>>(T, Out, Array);
  fromArray<<<W * H / 64, 64>>>(Array, Out);
  show("kept");
  CHECK(cudaDestroySurfaceObject(S));
  CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaDestroyTextureObject(U));
  CHECK(cudaFreeArray(A));
  CHECK(cudaFreeArray(B));
}

static void testMemory() {
  const std::vector<float> V = numbers(W * H, 9);
  float *Linear = toDevice(V.data(), W * H), *Rows;
  size_t Pitch;
  CHECK(cudaMallocPitch(&Rows, &Pitch, W * 4, H));
  CHECK(cudaMemcpy2D(Rows, Pitch, V.data(), W * 4, W * 4, H,
                     cudaMemcpyHostToDevice));
  cudaTextureObject_t L = texture(over(Linear, W * H));
  fetch<<<W * H / 64, 64>>>(L, Out);
  show("fetch");
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypePitch2D;
  R.res.pitch2D.devPtr = Rows;
  R.res.pitch2D.desc = Float;
  R.res.pitch2D.width = W;
  R.res.pitch2D.height = H;
  R.res.pitch2D.pitchInBytes = Pitch;
  cudaTextureObject_t P = texture(R, cudaFilterModeLinear, true);
  pitched<<<W * H / 64, 64>>>(P, Out);
  show("pitched");
  cudaArray_t A;
  CHECK(cudaMallocArray(&A, &Float, W, H));
  set(A, W, H, 4);
  const Two In = {3, texture(over(A)), 0.5f, L};
  both<<<W * H / 64, 64>>>(In, Out);
  show("both");
  // The launch writes what the texture reads: it runs whole.
  for (int Round = 0; Round < 2; ++Round) {
    inPlace<<<W * H / 64, 64>>>(L, Linear);
    fetch<<<W * H / 64, 64>>>(L, Out);
    show("inPlace");
  }
  for (cudaTextureObject_t T : {L, P, In.First})
    CHECK(cudaDestroyTextureObject(T));
  CHECK(cudaFreeArray(A));
}

int main() {
  CHECK(cudaMalloc(&Out, W * H * D * sizeof(float)));
  testShapes();
  testLevels();
  testUpdates();
  testMemory();
  return finish();
}

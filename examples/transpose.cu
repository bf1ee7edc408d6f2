// Matrix transpose, naive and through a padded tile in shared memory.
//
// Usage: transpose [width] [height]

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(Error));                                      \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

constexpr int Tile = 32;
constexpr int Rows = 8;

__global__ void transposeNaive(const float *in, float *out, int width,
                               int height) {
  int x = blockIdx.x * Tile + threadIdx.x;
  int y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < width && y + j < height)
      out[x * height + y + j] = in[(y + j) * width + x];
}

__global__ void transposeTiled(const float *in, float *out, int width,
                               int height) {
  __shared__ float tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x;
  int y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < height && y + j < width)
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
  int width = argc > 1 ? atoi(argv[1]) : 1024;
  int height = argc > 2 ? atoi(argv[2]) : width;
  size_t cells = (size_t)width * height, bytes = cells * sizeof(float);
  std::vector<float> in(cells), out(cells);
  for (size_t i = 0; i < cells; ++i)
    in[i] = (float)(i & 0xffffff);
  float *din, *dout;
  CHECK(cudaMalloc(&din, bytes));
  CHECK(cudaMalloc(&dout, bytes));
  CHECK(cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(Tile, Rows);
  dim3 grid((width + Tile - 1) / Tile, (height + Tile - 1) / Tile);
  int failures = 0;
  for (int version = 0; version < 2; ++version) {
    CHECK(cudaMemset(dout, 0xff, bytes));
    if (version == 0)
      transposeNaive<<<grid, block>>>(din, dout, width, height);
    else
      transposeTiled<<<grid, block>>>(din, dout, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
    double sum = 0;
    size_t wrong = 0;
    for (int x = 0; x < width; ++x)
      for (int y = 0; y < height; ++y) {
        float value = out[(size_t)x * height + y];
        wrong += value != in[(size_t)y * width + x];
        sum += value * (double)(((size_t)x * height + y) % 1009);
      }
    printf("transpose %s: %d x %d, checksum %.17g, wrong %zu\n",
           version == 0 ? "naive" : "tiled", width, height, sum, wrong);
    failures += wrong != 0;
  }
  puts(failures ? "FAIL" : "PASS");
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return failures != 0;
}

// Five-point smoothing of a 2-D field, iterated with swapped pointers. The
// border keeps its values.
//
// Usage: smooth2d [width] [height] [steps]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
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

__global__ void smooth(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int i = y * width + x;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    out[i] = 0.5f * in[i] +
             0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  else
    out[i] = in[i];
}

int main(int argc, char **argv) {
  int width = argc > 1 ? atoi(argv[1]) : 1024;
  int height = argc > 2 ? atoi(argv[2]) : width;
  int steps = argc > 3 ? atoi(argv[3]) : 10;
  size_t cells = (size_t)width * height, bytes = cells * sizeof(float);
  std::vector<float> field(cells), result(cells), next(cells);
  for (size_t i = 0; i < cells; ++i)
    field[i] = (float)((i * 2654435761u >> 16) & 255);

  float *in, *out;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemcpy(in, field.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  for (int s = 0; s < steps; ++s) {
    smooth<<<grid, block>>>(in, out, width, height);
    std::swap(in, out);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), in, bytes, cudaMemcpyDeviceToHost));

  for (int s = 0; s < steps; ++s) {
    next = field;
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x) {
        size_t i = (size_t)y * width + x;
        next[i] =
            0.5f * field[i] + 0.125f * (field[i - 1] + field[i + 1] +
                                        field[i - width] + field[i + width]);
      }
    std::swap(field, next);
  }
  double sum = 0;
  int wrong = 0;
  for (size_t i = 0; i < cells; ++i) {
    sum += result[i];
    wrong += std::fabs(result[i] - field[i]) > 1e-3f;
  }
  printf("smooth2d: %d x %d, steps %d, checksum %.17g, wrong %d\n", width,
         height, steps, sum, wrong);
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return wrong != 0;
}

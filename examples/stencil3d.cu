// Seven-point stencil on a 3-D grid of doubles, iterated with swapped pointers.
//
// Usage: stencil3d [nx] [ny] [nz] [steps]

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

struct Extent {
  int nx, ny, nz;
};

__global__ void diffuse(Extent e, const double *in, double *out, double c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (x >= e.nx - 1 || y >= e.ny - 1 || z >= e.nz - 1)
    return;
  size_t plane = (size_t)e.nx * e.ny;
  size_t i = z * plane + (size_t)y * e.nx + x;
  out[i] = in[i] + c * (in[i - 1] + in[i + 1] + in[i - e.nx] + in[i + e.nx] +
                        in[i - plane] + in[i + plane] - 6.0 * in[i]);
}

int main(int argc, char **argv) {
  Extent e;
  e.nx = argc > 1 ? atoi(argv[1]) : 96;
  e.ny = argc > 2 ? atoi(argv[2]) : e.nx;
  e.nz = argc > 3 ? atoi(argv[3]) : e.nx;
  int steps = argc > 4 ? atoi(argv[4]) : 6;
  if (e.nx < 3 || e.ny < 3 || e.nz < 3) {
    fprintf(stderr, "stencil3d: every extent must be at least 3\n");
    return 2;
  }
  const double c = 0.125;
  size_t cells = (size_t)e.nx * e.ny * e.nz, bytes = cells * sizeof(double);
  std::vector<double> field(cells), result(cells), next;
  for (size_t i = 0; i < cells; ++i)
    field[i] = (double)((i * 2654435761u >> 16) & 255);

  double *in, *out;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemcpy(in, field.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(out, in, bytes, cudaMemcpyDeviceToDevice));
  dim3 block(16, 4, 4);
  dim3 grid((e.nx - 2 + block.x - 1) / block.x,
            (e.ny - 2 + block.y - 1) / block.y,
            (e.nz - 2 + block.z - 1) / block.z);
  for (int s = 0; s < steps; ++s) {
    diffuse<<<grid, block>>>(e, in, out, c);
    std::swap(in, out);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), in, bytes, cudaMemcpyDeviceToHost));

  size_t plane = (size_t)e.nx * e.ny;
  for (int s = 0; s < steps; ++s) {
    next = field;
    for (int z = 1; z < e.nz - 1; ++z)
      for (int y = 1; y < e.ny - 1; ++y)
        for (int x = 1; x < e.nx - 1; ++x) {
          size_t i = z * plane + (size_t)y * e.nx + x;
          next[i] =
              field[i] + c * (field[i - 1] + field[i + 1] + field[i - e.nx] +
                              field[i + e.nx] + field[i - plane] +
                              field[i + plane] - 6.0 * field[i]);
        }
    std::swap(field, next);
  }
  double sum = 0;
  int wrong = 0;
  for (size_t i = 0; i < cells; ++i) {
    sum += result[i];
    wrong += std::fabs(result[i] - field[i]) > 1e-9;
  }
  printf("stencil3d: %d x %d x %d, steps %d, checksum %.17g, wrong %d\n", e.nx,
         e.ny, e.nz, steps, sum, wrong);
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return wrong != 0;
}

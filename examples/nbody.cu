// All-pairs gravity: one thread a body reads every body, then a second kernel
// moves them.
//
// Usage: nbody [bodies] [steps]

#include <cmath>
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

constexpr float Softening = 0.01f;

__global__ void forces(int n, const float4 *position, float4 *velocity,
                       float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 p = position[i];
  float3 a = make_float3(0, 0, 0);
  for (int j = 0; j < n; ++j) {
    float4 q = position[j];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + Softening);
    float s = q.w * r * r * r;
    a.x += s * dx;
    a.y += s * dy;
    a.z += s * dz;
  }
  velocity[i].x += a.x * dt;
  velocity[i].y += a.y * dt;
  velocity[i].z += a.z * dt;
}

__global__ void move(int n, float4 *position, const float4 *velocity,
                     float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  position[i].x += velocity[i].x * dt;
  position[i].y += velocity[i].y * dt;
  position[i].z += velocity[i].z * dt;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4096;
  int steps = argc > 2 ? atoi(argv[2]) : 2;
  const float dt = 0.01f;
  std::vector<float4> p(n), v(n, make_float4(0, 0, 0, 0)), rp(n);
  for (int i = 0; i < n; ++i)
    p[i] = make_float4((float)(i * 37 % 101) / 101, (float)(i * 53 % 103) / 103,
                       (float)(i * 71 % 107) / 107, 1.0f / n);

  float4 *dp, *dv;
  size_t bytes = sizeof(float4) * n;
  CHECK(cudaMalloc(&dp, bytes));
  CHECK(cudaMalloc(&dv, bytes));
  CHECK(cudaMemcpy(dp, p.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dv, v.data(), bytes, cudaMemcpyHostToDevice));
  int block = 128, grid = (n + block - 1) / block;
  for (int s = 0; s < steps; ++s) {
    forces<<<grid, block>>>(n, dp, dv, dt);
    move<<<grid, block>>>(n, dp, dv, dt);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(rp.data(), dp, bytes, cudaMemcpyDeviceToHost));

  // The same in double on the host.
  std::vector<double> x(3 * (size_t)n), u(3 * (size_t)n, 0.0);
  for (int i = 0; i < n; ++i) {
    x[3 * i] = p[i].x;
    x[3 * i + 1] = p[i].y;
    x[3 * i + 2] = p[i].z;
  }
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double d[3], r2 = Softening;
        for (int k = 0; k < 3; ++k) {
          d[k] = x[3 * j + k] - x[3 * i + k];
          r2 += d[k] * d[k];
        }
        double f = p[j].w / (r2 * std::sqrt(r2)) * dt;
        for (int k = 0; k < 3; ++k)
          u[3 * i + k] += f * d[k];
      }
    for (size_t i = 0; i < x.size(); ++i)
      x[i] += u[i] * dt;
  }
  double sum = 0, worst = 0;
  for (int i = 0; i < n; ++i) {
    sum += (double)rp[i].x + rp[i].y + rp[i].z;
    worst = std::fmax(worst, std::fabs(rp[i].x - x[3 * i]));
    worst = std::fmax(worst, std::fabs(rp[i].y - x[3 * i + 1]));
    worst = std::fmax(worst, std::fabs(rp[i].z - x[3 * i + 2]));
  }
  bool wrong = !(worst < 1e-5);
  printf(
      "nbody: n %d, steps %d, checksum %.17g, largest error below 1e-5: %s\n",
      n, steps, sum, wrong ? "no" : "yes");
  puts(wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(dp));
  CHECK(cudaFree(dv));
  return wrong;
}

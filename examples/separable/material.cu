#include "material.h"

__constant__ float Conductivity = 0.25f;
__device__ unsigned long long Melted = 0;

__device__ float flow(float From, float To) {
  return Conductivity * (From - To);
}

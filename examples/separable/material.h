// What the material is made of: defined in material.cu, used by kernels.
#pragma once

extern __constant__ float Conductivity;
extern __device__ unsigned long long Melted;

// Heat that flows from one cell to its neighbour in one step.
__device__ float flow(float From, float To);

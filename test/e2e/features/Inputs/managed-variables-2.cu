// A variable of the same name as in the other file, and another value.
static __managed__ int same = 10;

__global__ void increment() { same += 2; }

int incremented() {
  increment<<<1, 1>>>();
  cudaDeviceSynchronize();
  return same;
}

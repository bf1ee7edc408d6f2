// Host min and max as nvcc has them, which yield to everything else.
//
// RUN: %gridspan++ -fno-gridspan %s -o %t
// RUN: %t
// RUN: %gridspan++ -fno-gridspan -DOWN_TEMPLATE %s -o %t
// RUN: %t
// RUN: %gridspan++ -fno-gridspan -DOWN_FUNCTION %s -o %t
// RUN: %t
// RUN: %gridspan++ -fno-gridspan -DUSING_STD %s -o %t
// RUN: %t

#if defined(OWN_TEMPLATE)
template <class T, class U> auto min(T a, U b) { return a < b ? a : b; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
#elif defined(OWN_FUNCTION)
static int min(int a, int b) { return a < b ? a : b; }
inline float max(float a, float b) { return a < b ? b : a; }
#elif defined(USING_STD)
#include <algorithm>
using namespace std;
#endif

__host__ __device__ int both(int a, int b) { return min(a, b) + max(a, b); }

__global__ void kernel(int *p, float *f) {
  p[0] = both(p[1], p[2]) + min(p[3], p[4]);
  f[0] = max(f[1], f[2]) + min(f[3], f[4]);
}

template <class T> T generic(T a, T b) { return max(a, b); }

int main() {
  size_t size = 3;
  int sum = min(1, 2) + max(3, 4) + both(1, 2) + generic(5, 6);
  sum += int(min(size, size_t(7))) + int(max(1.5f, 2.5f) * 2);
#ifdef USING_STD
  sum += min({4, 2, 3}) - 2;
#else
  sum += int(min(2u, 1u) + max(1, 2.5) * 2) - 6;
#endif
  return sum - (1 + 4 + 3 + 6 + 3 + 5);
}

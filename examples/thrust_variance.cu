// Mean and variance with Thrust, whose kernels are compiled with the program.
//
// Usage: thrust_variance [elements]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct Residue {
  __host__ __device__ long long operator()(long long i) const {
    return i * 37 % 1001;
  }
};

struct Square {
  __host__ __device__ long long operator()(long long x) const { return x * x; }
};

int main(int argc, char **argv) {
  long long n = argc > 1 ? atoll(argv[1]) : 1 << 22;

  thrust::device_vector<long long> values(n);
  thrust::sequence(values.begin(), values.end());
  thrust::transform(values.begin(), values.end(), values.begin(), Residue());
  long long sum = thrust::reduce(values.begin(), values.end(), 0ll);
  long long squares = thrust::transform_reduce(
      values.begin(), values.end(), Square(), 0ll, thrust::plus<long long>());

  // Integers, so that the order of the sums does not matter.
  long long expectedSum = 0, expectedSquares = 0;
  for (long long i = 0; i < n; ++i) {
    long long value = Residue()(i);
    expectedSum += value;
    expectedSquares += value * value;
  }
  bool wrong = sum != expectedSum || squares != expectedSquares;
  double mean = (double)sum / n;
  printf("thrust_variance: n %lld, mean %.6f, variance %.6f\n", n, mean,
         (double)squares / n - mean * mean);
  puts(wrong ? "FAIL" : "PASS");
  return wrong;
}

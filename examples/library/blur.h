// A shared library with kernels of its own: a row of numbers, smoothed.

#ifndef EXAMPLES_BLUR_H
#define EXAMPLES_BLUR_H

/// Writes to out the mean of each element of in and its neighbours. Both are
/// n floats in device memory. Returns false if CUDA does.
bool blur(const float *in, float *out, int n);

#endif

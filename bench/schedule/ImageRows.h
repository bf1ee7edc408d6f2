//===- ImageRows.h - Images whose blocks are shared by rows -----*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A square image of which a thread computes a pixel, from the place of its
// block alone. Shares are whole rows of blocks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_SCHEDULE_IMAGEROWS_H
#define GRIDSPAN_BENCH_SCHEDULE_IMAGEROWS_H

#include "bench/common/DeviceData.h"

constexpr int ImageSide = 16;

/// Kernel gets the first row of blocks, the image's side in pixels, and the
/// image.
template <class T, void (*Kernel)(unsigned, int, T *)> class ImageRows {
public:
  explicit ImageRows(size_t Size) : Size(int(Size)) {
    CHECK(cudaMalloc(&Out, Size * Size * sizeof(T)));
  }
  unsigned blocks() const { return (Size + ImageSide - 1) / ImageSide; }
  void launch(unsigned First, unsigned Count, cudaStream_t S) {
    Kernel<<<dim3(blocks(), Count), dim3(ImageSide, ImageSide), 0, S>>>(
        First, Size, Out);
  }
  unsigned long long sum(unsigned First, unsigned Count) const {
    size_t Begin = size_t(First) * ImageSide;
    size_t End = std::min(size_t(Size), Begin + size_t(Count) * ImageSide);
    return checksum(Out + Begin * Size, (End - Begin) * Size, Begin * Size);
  }

private:
  int Size;
  T *Out;
};

#endif // GRIDSPAN_BENCH_SCHEDULE_IMAGEROWS_H

//===- Layouts.h - One array of records in several layouts ------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of Count records of NumFields fields of type T. Kernels are templates
// over the view, so that each program has one source for all layouts:
//
//   Aos      struct { T V[NumFields]; }: fields of a record side by side
//   Aligned  the same, padded and aligned to 16 bytes or the next power of two,
//            so that neighbouring fields are one vector access
//   Soa      an array for each field
//   Tiled    records in groups of Tile, a struct of arrays in each group
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_BENCH_LAYOUT_LAYOUTS_H
#define GRIDSPAN_BENCH_LAYOUT_LAYOUTS_H

#include <cstddef>

#define DEVICE __host__ __device__ __forceinline__

template <class T, int NumFields> struct Aos {
  struct Record {
    T V[NumFields];
  };
  using Type = T;
  static constexpr int Fields = NumFields;
  static constexpr const char *Name = "aos";
  Record *Data;
  size_t Count;

  static size_t bytes(size_t Count) { return Count * sizeof(Record); }
  DEVICE T get(size_t I, int Field) const { return Data[I].V[Field]; }
  DEVICE void set(size_t I, int Field, T Value) const {
    Data[I].V[Field] = Value;
  }
};

constexpr size_t alignmentFor(size_t Bytes) {
  size_t Alignment = 1;
  while (Alignment < Bytes && Alignment < 16)
    Alignment *= 2;
  return Alignment;
}

template <class T, int NumFields> struct Aligned {
  static constexpr size_t Alignment = alignmentFor(NumFields * sizeof(T));
  struct alignas(Alignment) Record {
    T V[NumFields];
  };
  using Type = T;
  static constexpr int Fields = NumFields;
  static constexpr const char *Name = "aligned";
  Record *Data;
  size_t Count;

  static size_t bytes(size_t Count) { return Count * sizeof(Record); }
  /// Clang knows the alignment of named members; for an element of an array it
  /// has to be told.
  DEVICE Record &at(size_t I) const {
    return *(Record *)__builtin_assume_aligned(Data + I, Alignment);
  }
  DEVICE T get(size_t I, int Field) const { return at(I).V[Field]; }
  DEVICE void set(size_t I, int Field, T Value) const {
    at(I).V[Field] = Value;
  }
};

template <class T, int NumFields> struct Soa {
  using Type = T;
  static constexpr int Fields = NumFields;
  static constexpr const char *Name = "soa";
  T *Data;
  size_t Count;

  static size_t bytes(size_t Count) { return Count * sizeof(T) * NumFields; }
  DEVICE T get(size_t I, int Field) const { return Data[Field * Count + I]; }
  DEVICE void set(size_t I, int Field, T Value) const {
    Data[Field * Count + I] = Value;
  }
};

template <class T, int NumFields, int Tile> struct TiledBy {
  using Type = T;
  static constexpr int Fields = NumFields;
  T *Data;
  size_t Count;

  static size_t bytes(size_t Count) {
    return (Count + Tile - 1) / Tile * Tile * sizeof(T) * NumFields;
  }
  DEVICE size_t at(size_t I, int Field) const {
    return I / Tile * (Tile * NumFields) + Field * Tile + I % Tile;
  }
  DEVICE T get(size_t I, int Field) const { return Data[at(I, Field)]; }
  DEVICE void set(size_t I, int Field, T Value) const {
    Data[at(I, Field)] = Value;
  }
};

template <class T, int NumFields> struct Tiled8 : TiledBy<T, NumFields, 8> {
  static constexpr const char *Name = "tiled8";
};
template <class T, int NumFields> struct Tiled32 : TiledBy<T, NumFields, 32> {
  static constexpr const char *Name = "tiled32";
};
template <class T, int NumFields> struct Tiled128 : TiledBy<T, NumFields, 128> {
  static constexpr const char *Name = "tiled128";
};

#endif // GRIDSPAN_BENCH_LAYOUT_LAYOUTS_H

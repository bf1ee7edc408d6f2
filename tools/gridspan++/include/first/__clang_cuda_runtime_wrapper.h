//===- __clang_cuda_runtime_wrapper.h - clang's, shielded -------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang includes a header of this name before everything else in a CUDA source;
// gridspan++ lets it find this one first. It includes clang's own while macros
// of short names that a program is likely to be given (-DN=1024, -DT=float) are
// out of the way: clang's header includes more of CUDA's than nvcc does, and
// these use such names for parameters. Afterwards the macros are as before.
//
// Before it come the variables threadIdx, blockIdx, blockDim and gridDim, whose
// types clang's header defines otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_FIRST_CLANG_CUDA_RUNTIME_WRAPPER_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_FIRST_CLANG_CUDA_RUNTIME_WRAPPER_H

#pragma GCC system_header

// clang-format off
#pragma push_macro("A")
#undef A
#pragma push_macro("B")
#undef B
#pragma push_macro("C")
#undef C
#pragma push_macro("D")
#undef D
#pragma push_macro("E")
#undef E
#pragma push_macro("F")
#undef F
#pragma push_macro("G")
#undef G
#pragma push_macro("H")
#undef H
#pragma push_macro("I")
#undef I
#pragma push_macro("J")
#undef J
#pragma push_macro("K")
#undef K
#pragma push_macro("L")
#undef L
#pragma push_macro("M")
#undef M
#pragma push_macro("N")
#undef N
#pragma push_macro("O")
#undef O
#pragma push_macro("P")
#undef P
#pragma push_macro("Q")
#undef Q
#pragma push_macro("R")
#undef R
#pragma push_macro("S")
#undef S
#pragma push_macro("T")
#undef T
#pragma push_macro("U")
#undef U
#pragma push_macro("V")
#undef V
#pragma push_macro("W")
#undef W
#pragma push_macro("X")
#undef X
#pragma push_macro("Y")
#undef Y
#pragma push_macro("Z")
#undef Z
#pragma push_macro("a")
#undef a
#pragma push_macro("b")
#undef b
#pragma push_macro("c")
#undef c
#pragma push_macro("d")
#undef d
#pragma push_macro("e")
#undef e
#pragma push_macro("f")
#undef f
#pragma push_macro("g")
#undef g
#pragma push_macro("h")
#undef h
#pragma push_macro("i")
#undef i
#pragma push_macro("j")
#undef j
#pragma push_macro("k")
#undef k
#pragma push_macro("l")
#undef l
#pragma push_macro("m")
#undef m
#pragma push_macro("n")
#undef n
#pragma push_macro("o")
#undef o
#pragma push_macro("p")
#undef p
#pragma push_macro("q")
#undef q
#pragma push_macro("r")
#undef r
#pragma push_macro("s")
#undef s
#pragma push_macro("t")
#undef t
#pragma push_macro("u")
#undef u
#pragma push_macro("v")
#undef v
#pragma push_macro("w")
#undef w
#pragma push_macro("x")
#undef x
#pragma push_macro("y")
#undef y
#pragma push_macro("z")
#undef z
#pragma push_macro("IN")
#undef IN
#pragma push_macro("OUT")
#undef OUT
#pragma push_macro("MAX")
#undef MAX
#pragma push_macro("MIN")
#undef MIN
#pragma push_macro("SIZE")
#undef SIZE
#pragma push_macro("LEN")
#undef LEN
#pragma push_macro("NUM")
#undef NUM
#pragma push_macro("TYPE")
#undef TYPE
#pragma push_macro("BLOCK_SIZE")
#undef BLOCK_SIZE
#pragma push_macro("THREADS")
#undef THREADS
#pragma push_macro("BLOCKS")
#undef BLOCKS
#pragma push_macro("M1")
#undef M1
#pragma push_macro("N1")
#undef N1
#pragma push_macro("Real")
#undef Real
#pragma push_macro("real")
#undef real
#pragma push_macro("T1")
#undef T1
#pragma push_macro("T2")
#undef T2
#pragma push_macro("size")
#undef size
#pragma push_macro("len")
#undef len
#pragma push_macro("num")
#undef num
#pragma push_macro("type")
#undef type
#pragma push_macro("count")
#undef count
#pragma push_macro("index")
#undef index
#pragma push_macro("flags")
#undef flags
#pragma push_macro("value")
#undef value
#pragma push_macro("mode")
#undef mode
#pragma push_macro("key")
#undef key
#pragma push_macro("data")
#undef data
#pragma push_macro("name")
#undef name
#pragma push_macro("width")
#undef width
#pragma push_macro("height")
#undef height
#pragma push_macro("depth")
#undef depth
#pragma push_macro("stream")
#undef stream
#pragma push_macro("device")
#undef device
#pragma push_macro("src")
#undef src
#pragma push_macro("dst")
#undef dst
#pragma push_macro("ptr")
#undef ptr
#pragma push_macro("add")
#undef add
#pragma push_macro("sub")
#undef sub
#pragma push_macro("max")
#undef max
#pragma push_macro("min")
#undef min
#pragma push_macro("mod")
#undef mod
#pragma push_macro("res")
#undef res
#pragma push_macro("ret")
#undef ret
#pragma push_macro("result")
#undef result
// clang-format on

#if defined(__CUDA__)
#include "gridspan_builtin_vars.h"
#endif
// Not the program's header of that name; see ../quoted.
#include_next <cuda.h>
// With this macro CUDA's headers include <functional>, and so clang's operator
// new for devices, before clang's header declares what that calls.
#pragma push_macro("__CUDACC_EXTENDED_LAMBDA__")
#undef __CUDACC_EXTENDED_LAMBDA__
#define __GRIDSPAN_CLANGS_HEADER
// clang's header includes this one so that its declarations of threadIdx get
// clang's types. Here they agree.
#ifdef __GRIDSPAN__
#define CURAND_MTGP32_KERNEL_H
#endif
#include_next <__clang_cuda_runtime_wrapper.h>
#ifdef __GRIDSPAN__
#undef CURAND_MTGP32_KERNEL_H
#endif
#undef __GRIDSPAN_CLANGS_HEADER
#pragma pop_macro("__CUDACC_EXTENDED_LAMBDA__")
// Named by -include as well, for sources that are not CUDA.
#include "../gridspan_nvcc_compat.h"

// clang-format off
#pragma pop_macro("A")
#pragma pop_macro("B")
#pragma pop_macro("C")
#pragma pop_macro("D")
#pragma pop_macro("E")
#pragma pop_macro("F")
#pragma pop_macro("G")
#pragma pop_macro("H")
#pragma pop_macro("I")
#pragma pop_macro("J")
#pragma pop_macro("K")
#pragma pop_macro("L")
#pragma pop_macro("M")
#pragma pop_macro("N")
#pragma pop_macro("O")
#pragma pop_macro("P")
#pragma pop_macro("Q")
#pragma pop_macro("R")
#pragma pop_macro("S")
#pragma pop_macro("T")
#pragma pop_macro("U")
#pragma pop_macro("V")
#pragma pop_macro("W")
#pragma pop_macro("X")
#pragma pop_macro("Y")
#pragma pop_macro("Z")
#pragma pop_macro("a")
#pragma pop_macro("b")
#pragma pop_macro("c")
#pragma pop_macro("d")
#pragma pop_macro("e")
#pragma pop_macro("f")
#pragma pop_macro("g")
#pragma pop_macro("h")
#pragma pop_macro("i")
#pragma pop_macro("j")
#pragma pop_macro("k")
#pragma pop_macro("l")
#pragma pop_macro("m")
#pragma pop_macro("n")
#pragma pop_macro("o")
#pragma pop_macro("p")
#pragma pop_macro("q")
#pragma pop_macro("r")
#pragma pop_macro("s")
#pragma pop_macro("t")
#pragma pop_macro("u")
#pragma pop_macro("v")
#pragma pop_macro("w")
#pragma pop_macro("x")
#pragma pop_macro("y")
#pragma pop_macro("z")
#pragma pop_macro("IN")
#pragma pop_macro("OUT")
#pragma pop_macro("MAX")
#pragma pop_macro("MIN")
#pragma pop_macro("SIZE")
#pragma pop_macro("LEN")
#pragma pop_macro("NUM")
#pragma pop_macro("TYPE")
#pragma pop_macro("BLOCK_SIZE")
#pragma pop_macro("THREADS")
#pragma pop_macro("BLOCKS")
#pragma pop_macro("M1")
#pragma pop_macro("N1")
#pragma pop_macro("Real")
#pragma pop_macro("real")
#pragma pop_macro("T1")
#pragma pop_macro("T2")
#pragma pop_macro("size")
#pragma pop_macro("len")
#pragma pop_macro("num")
#pragma pop_macro("type")
#pragma pop_macro("count")
#pragma pop_macro("index")
#pragma pop_macro("flags")
#pragma pop_macro("value")
#pragma pop_macro("mode")
#pragma pop_macro("key")
#pragma pop_macro("data")
#pragma pop_macro("name")
#pragma pop_macro("width")
#pragma pop_macro("height")
#pragma pop_macro("depth")
#pragma pop_macro("stream")
#pragma pop_macro("device")
#pragma pop_macro("src")
#pragma pop_macro("dst")
#pragma pop_macro("ptr")
#pragma pop_macro("add")
#pragma pop_macro("sub")
#pragma pop_macro("max")
#pragma pop_macro("min")
#pragma pop_macro("mod")
#pragma pop_macro("res")
#pragma pop_macro("ret")
#pragma pop_macro("result")
// clang-format on

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_INCLUDE_FIRST_CLANG_CUDA_RUNTIME_WRAPPER_H

//===- NvccFormsTest.cpp - Tests of source text that only nvcc takes ------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/clang-plugin/NvccForms.h"
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Returns the new text, or the old one. The size stays the same.
std::string rewritten(const std::string &Text) {
  const std::optional<std::string> New = rewriteNvccForms(Text);
  if (!New)
    return Text;
  EXPECT_NE(*New, Text);
  EXPECT_EQ(New->size(), Text.size());
  return *New;
}

void expectSame(const std::string &Text) { EXPECT_EQ(rewritten(Text), Text); }

TEST(NvccFormsTest, NamesInAssembly) {
  EXPECT_EQ(rewritten("  asm volatile(\"mov.u64 %0, %globaltimer;\" : "
                      "\"=l\"(T));"),
            " asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(T));");
  EXPECT_EQ(
      rewritten("    asm(\"mov.u32 %0, %tid.x; add.u32 %0, %0, %laneid;\" "
                ":\"=r\"(T));"),
      "  asm(\"mov.u32 %0, %%tid.x; add.u32 %0, %0, %%laneid;\" "
      ":\"=r\"(T));");
  // Over several lines, of which each pays for its own.
  EXPECT_EQ(rewritten("asm (\n  \"mov.u32 %0, %smid;\\n\"\n  \"mov.u32 %1, "
                      "%clock;\"\n  : \"=r\"(A), \"=r\"(B));"),
            "asm (\n \"mov.u32 %0, %%smid;\\n\"\n \"mov.u32 %1, "
            "%%clock;\"\n  : \"=r\"(A), \"=r\"(B));");
  // A blank behind a comma will do.
  EXPECT_EQ(rewritten("asm(\"mov.u32 %0, %laneid;\" : \"=r\"(L));"),
            "asm(\"mov.u32 %0,%%laneid;\" : \"=r\"(L));");
  EXPECT_EQ(rewritten("#define LANE(L) \\\n  asm(\"mov.u32 %0, %laneid;\" : "
                      "\"=r\"(L))"),
            "#define LANE(L) \\\n asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(L))");
  EXPECT_EQ(rewritten("  __asm__ __volatile__(R\"(mov.u32 %0, %warpid;)\" : "
                      "\"=r\"(L));"),
            " __asm__ __volatile__(R\"(mov.u32 %0, %%warpid;)\" : "
            "\"=r\"(L));");
}

TEST(NvccFormsTest, WhatClangTakesStays) {
  expectSame("  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(L));");
  expectSame("  asm(\"mov.u32 %[L], %c1;\" : [L] \"=r\"(L) : \"n\"(3));");
  // Without operands % is itself.
  expectSame("  asm(\"{ .reg .u32 %lane; mov.u32 %lane, %laneid; }\");");
  expectSame("  asm volatile(\"bar.sync 0;\");");
  expectSame("  printf(\"%lane asm %d\", 1); // asm(\"%laneid\" : )");
  expectSame("  /* asm(\"%laneid\" :) */ const char *S = \"asm(%laneid:)\";");
  expectSame("  R\"x(asm(\"%laneid\" : )x\"; 1'000'000; 'a'; '\\''");
  expectSame("alignas(16) __shared__ float A[4]; struct alignas(8) B {};");
  expectSame("  asm(\"mov.u32 %0, %laneid;\" : \"=r\"(L)"); // ends too early
  expectSame("asm");
  expectSame("");
}

TEST(NvccFormsTest, WithoutABlankNothingChanges) {
  expectSame("asm(\"%laneid\":\"=r\"(L));");
}

TEST(NvccFormsTest, BlanksOfLiteralsStay) {
  // The line begins within the literal.
  expectSame("  // template\n  f(R\"(a\n            b)\"); X.f<4>(T);");
  expectSame("  // template\n  f(\"c\\\n            d\"); X.f<4>(T);");
  expectSame("  // template\n  f(\"c\\ \r\n            d\"); X.f<4>(T);");
  expectSame("asm(R\"(\n    mov.u32 %0 ,  %laneid;)\":\"=r\"(L):\"r\"(\"\"));");
  EXPECT_EQ(rewritten("          // template\n  f(R\"(a\n   b)\"); X.f<4>(T);"),
            "   // template\nf(R\"(a\n   b)\"); X.template f<4>(T);");
}

TEST(NvccFormsTest, BlanksBehindContinuedLinesKeepTokensApart) {
  expectSame("#define TEMPLATE template\\\n         X.f<4>(3)");
  EXPECT_EQ(rewritten("#define RET return\\\n          X.f<4>(3) // template"),
            "#define RET return\\\n X.template f<4>(3) // template");
  EXPECT_EQ(
      rewritten("#define RET return\\\r\n          X.f<4>(3) // template"),
      "#define RET return\\\r\n X.template f<4>(3) // template");
}

TEST(NvccFormsTest, WordsAreInsertedWholeOrNot) {
  expectSame("// template\nX.\n   f<4>(1);");
  expectSame("k<<<\n  {4}, 1>>>();");
  EXPECT_EQ(rewritten("// template\nX.\n         f<4>(1);"),
            "// template\nX.\ntemplate f<4>(1);");
  // Blanks that one form has used are no room for the next.
  EXPECT_EQ(rewritten("  // template\nk<<<1,\n      {32}>>>(X.f<4>(1));"),
            "  // template\nk<<<1,\n  dim3{32}>>>(X.f<4>(1));");
}

TEST(NvccFormsTest, CommasBetweenOperands) {
  // Names come before operands, also in one line.
  EXPECT_EQ(
      rewritten("   asm(\"%laneid %0 %1\" ::\"r\"(V) \"l\"(P) \"r\"(Q));"),
      "asm(\"%%laneid %0 %1\" ::\"r\"(V) ,\"l\"(P) ,\"r\"(Q));");

  EXPECT_EQ(rewritten("  asm(\"st.u8 [%1], %0;\" ::\"r\"(V) \"l\"(P) : "
                      "\"memory\");"),
            " asm(\"st.u8 [%1], %0;\" ::\"r\"(V) ,\"l\"(P) : \"memory\");");
  EXPECT_EQ(rewritten("asm(\"st.u8 [%1], %0;\" ::\"r\"(V) \"l\"(P));"),
            "asm(\"st.u8 [%1], %0;\" ::\"r\"(V),\"l\"(P));");
  expectSame("  asm(\"add.u32 %0, %1;\" : \"=r\"(A) : \"r\"(f(\"x\") + 1));");
}

TEST(NvccFormsTest, BlanksInLaunches) {
  EXPECT_EQ(rewritten("k << < Grid, Block >> > (A, B);"),
            "k  <<< Grid, Block  >>> (A, B);");
  EXPECT_EQ(rewritten("k<T> < < <f(1 > 2), (A >> 3) >>>(A);"),
            "k<T>   <<<f(1 > 2), (A >> 3) >>>(A);");
  EXPECT_EQ(rewritten("k< <<G, B, 0, S> >>();\nX<Y<Z<int>> > V;"),
            "k <<<G, B, 0, S >>>();\nX<Y<Z<int>> > V;");
  // Two in one line.
  EXPECT_EQ(rewritten("a<< <1, 2>> >(); b<< <3, 4>> >(5);"),
            "a <<<1, 2 >>>(); b <<<3, 4 >>>(5);");
  expectSame("k<<<Grid, Block>>>(A); // k<< <1, 1>> >()");
  expectSame("std::vector<std::vector<X<int>> > V; A << B < C;");
  expectSame("a<< <1, 2>> >;");
  expectSame("a<< <1, 2");
}

TEST(NvccFormsTest, AlignmentOfSharedVariables) {
  EXPECT_EQ(rewritten("__shared__ alignas(alignof(float4)) float A[4];"),
            "alignas(alignof(float4)) __shared__ float A[4];");
  EXPECT_EQ(rewritten("  static __shared__ alignas(16) char A[4];"),
            "  alignas(16) static __shared__ char A[4];");
  EXPECT_EQ(rewritten("extern __shared__ alignas(T) unsigned char Raw[];"),
            "alignas(T) extern __shared__ unsigned char Raw[];");
  expectSame("__shared__ float A[4];\nstruct alignas(16) S {};");
  expectSame("__shared__ alignas(16\n) float A[4];");
}

TEST(NvccFormsTest, GridsInBraces) {
  EXPECT_EQ(rewritten("    k<<<{4, 4}, {32}>>>(P);").substr(0, 31),
            "k<<<dim3{4, 4}, {32}>>>(P);"); // no room for a second one
  EXPECT_EQ(rewritten("        k<<<{4, 4}, {f({1}, 2)}, 0>>>({});"),
            "k<<<dim3{4, 4}, dim3{f({1}, 2)}, 0>>>({});");
  EXPECT_EQ(rewritten("    k<<<N,\n      {32}>>>(P);"),
            "    k<<<N,\n  dim3{32}>>>(P);");
  // Lines before pay where this one has no blanks, but no literals of theirs.
  EXPECT_EQ(rewritten("{\n  int N;\n  f(R\"(\n    )\");\nk<<<{N}, 1>>>(P);"),
            "{\nint N;\nf(R\"(\n    )\");\nk<<<dim3{N}, 1>>>(P);");
  expectSame("    k<<<dim3{4, 4}, N>>>({}, {1});");
  expectSame("    k<<<N, M, {1}>>>();");
  expectSame("    k<<<f({1}), M>>>();");
  expectSame("k<<<{4}, 1>>>();"); // no room
}

TEST(NvccFormsTest, MembersThatAreTemplates) {
  EXPECT_EQ(rewritten("template <class T> {\n            X<T>::f<N>(A);"),
            "template <class T> {\n   X<T>::template f<N>(A);");
  EXPECT_EQ(rewritten("template <typename T, int N> {\n            T::f<N, "
                      "2 * N>();"),
            "template <typename T, int N> {\n   T::template f<N, "
            "2 * N>();");
  EXPECT_EQ(
      rewritten("// template\n            X<T &&, (M > N)>::f<g(N, 1)>(A);"),
      "// template\n   X<T &&, (M > N)>::template f<g(N, 1)>(A);");
  EXPECT_EQ(rewritten("template <class T> {\n            X.f<4>(A) + "
                      "Y->f<(N)>(A);"),
            "template <class T> {\n   X.template f<4>(A) + Y->f<(N)>(A);");
  EXPECT_EQ(rewritten("// template\n                    X->f<4>(A) + "
                      "Y.f<ns::N>(A);"),
            "// template\n  X->template f<4>(A) + Y.template f<ns::N>(A);");
  for (const char *Same : {"X<T>::template f<N>(A);",
                           "ns::f<N>(A);",
                           "ns::\n f<N>(A);",
                           "f<N>(A);",
                           "T2::f<N>(A);",
                           "X.f < N > (A);",
                           "X.f<N && Y.g>(A);",
                           "X.f<N>::g;",
                           "g(X.f<N, M>(A));",
                           "X<T>::f<float &>(A);",
                           "X.f<N>;",
                           "g(X<T>::f<N, M>(A));",
                           "up?X.f<B.k:B.k>(A);",
                           "up?X.f<B:B>(A);",
                           "X.f<B.k>(A);",
                           "X >::f<2>(A);",
                           "X>::f<2>(A);",
                           "(A<B && X>::f<2>(A));",
                           "(A<B)>::f<2>(A);",
                           "f(A<(B, X)>::f<2, 3>(A));",
                           "1 ...f<4>(1);",
                           "// Why.\n f<N>(A);",
                           "/* X-> */ f<N>(A); // X.\n // X::\nf<2>(A);",
                           "other::T::f<N>(A);",
                           "X<T>::f<N> A;",
                           "template <> int X<int>::f<2>(int);",
                           "template int X<int>::f<2>(int);",
                           "friend int X<T>::f<2>(int);"})
    expectSame("template <class T, class... U> {\n            " +
               std::string(Same));
  expectSame("template <class T> {\n X<T>::f<N>(A);"); // no room
}

TEST(NvccFormsTest, MembersThatAreTemplatesWithSeveralArguments) {
  for (const char *Before :
       {"void f() {", "void f() const {", "auto F = [&]() {", "g([&](int I) {",
        "void f() { for (;; ++I) {", "void f() { if (", "void f() { return (",
        "void f() { if (A) B = (", "void f() { {", "void f() { f(1); (",
        "void f() { int A = ", "void f() { int A[] = {1}; return "}) {
    const std::string Begin = "template <class T>\n            ";
    const std::string Call = "X.f<2, N>(A);";
    EXPECT_EQ(rewritten(Begin + Before + Call), "template <class T>\n   " +
                                                    std::string(Before) +
                                                    "X.template f<2, N>(A);")
        << Before;
  }
  EXPECT_EQ(rewritten("template <class T>\n            void f() {f(1);\n"
                      "k< <<1, 2>> >(X.f<2, N>(A));"),
            "template <class T>\n            void f() {f(1);\n"
            "k <<<1, 2 >>>(X.f<2, N>(A));");
  for (const char *Before :
       {"void f() { g(", "void f() { g<1>(", "void f() { int A[] = {",
        "void f() { int A[2][2] = {{", "void f() { P[", "void f() { g({",
        "void f() { V{", "int B = ", "#define B "})
    expectSame("template <class T>\n            " + std::string(Before) +
               "X.f<2, N>(A);");
}

TEST(NvccFormsTest, UnrolledIsWhatMayBeALoop) {
  EXPECT_EQ(rewritten("#pragma unroll\n  int X = 2;\n  for (;;)"),
            "//ragma unroll\n  int X = 2;\n  for (;;)");
  EXPECT_EQ(rewritten("  # pragma unroll 4\n  // all\n  P[I] = 0;"),
            "  //pragma unroll 4\n  // all\n  P[I] = 0;");
  EXPECT_EQ(rewritten("#pragma unroll\n{ for (;;) }"),
            "//ragma unroll\n{ for (;;) }");
  EXPECT_EQ(rewritten("#pragma unroll\n  float4 V;"),
            "//ragma unroll\n  float4 V;");
  EXPECT_EQ(rewritten("#pragma unroll\n  std::swap(A, B);"),
            "//ragma unroll\n  std::swap(A, B);");
  for (const char *Loop :
       {"for (;;)", "while (N)", "do {", "LOOP(I, N) {", "FOREVER {",
        "INLINE for (;;)", "label: for (;;)", "#if N\n", "[[likely]]"})
    expectSame(std::string("#pragma unroll 8 // loops\n\n  /* */ ") + Loop);
  expectSame("#pragma unroll \\\n 4\n int X;");
  expectSame("#pragma once\nint X;");
  expectSame("// #pragma unroll\nint X;");
}

} // namespace

//===- FakeKernels.cpp - Descriptors of kernels written by hand -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/FakeKernels.h"
#include "runtime/backend/Registry.h"
#include "runtime/backend/cpu/CpuTexture.h"
#include "test/unit/runtime/FakeKernelTools.h"
#include <bit>
#include <thread>

namespace gridspan::fake {

float Coefficient, Total;

GridspanKernel saxpy() {
  static const GridspanParam Params[] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {1, 0, GridspanRead, GridspanReplicable},
      {2, 0, GridspanRead | GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"saxpy.cu:3", nullptr, 0, GridspanRead, 4, 0},
      {"saxpy.cu:3", nullptr, 1, GridspanRead, 4, 1},
      {"saxpy.cu:3", nullptr, 1, GridspanWrite, 4, 2}};
  return make(
      0, "_Z5saxpyfPKfPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 3));
        std::fill_n(Out, 3, bytes(4 * Lo, 4 * Hi));
      },
      [](const GridspanBox *B) {
        return 10.0 * B->BlockCount[0] * B->BlockDim[0];
      },
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 4, T, [&](Thread I) {
          if (I.X < static_cast<unsigned>(arg<int>(A, 3)))
            arg<float *>(A, 2)[I.X] +=
                arg<float>(A, 0) * arg<float *>(A, 1)[I.X];
        });
      });
}

GridspanKernel stencil() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, GridspanRedirectable},
      {1, 0, GridspanRead, GridspanReplicable}};
  static const GridspanAccess Accesses[] = {
      {"stencil.cu:9", nullptr, 1, GridspanRead, 4, 0},
      {"stencil.cu:9", nullptr, 0, GridspanWrite, 4, 1}};
  return make(
      1, "_Z7stencilPfPKfii", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        const int64_t Width = arg<int>(B, 2), Height = arg<int>(B, 3);
        auto [XLo, XHi] = threads(B, 0, Width);
        auto [YLo, YHi] = threads(B, 1, Height);
        Out[0] = Out[1] = bytes(0, 0);
        if (XLo >= XHi || YLo >= YHi)
          return;
        int64_t X0 = std::max<int64_t>(XLo - 1, 0),
                X1 = std::min(XHi + 1, Width);
        int64_t Y0 = std::max<int64_t>(YLo - 1, 0),
                Y1 = std::min(YHi + 1, Height);
        Out[0] = {4 * (Y0 * Width + X0),
                  4 * (X1 - X0),
                  4 * Width,
                  Y1 - Y0,
                  0,
                  1,
                  GridspanRangeMay,
                  0};
        Out[1] = {4 * (YLo * Width + XLo),
                  4 * (XHi - XLo),
                  4 * Width,
                  YHi - YLo,
                  0,
                  1,
                  GridspanRangeExact,
                  0};
        for (int I = 0; I < 2; ++I)
          if (Out[I].RowBytes == Out[I].Pitch)
            Out[I] = bytes(Out[I].Lo,
                           Out[I].Lo + Out[I].RowsPerPlane * Out[I].Pitch);
      },
      [](const GridspanBox *B) {
        return 20.0 * B->BlockCount[0] * B->BlockDim[0] * B->BlockCount[1] *
               B->BlockDim[1];
      },
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        const unsigned Width = arg<int>(A, 2), Height = arg<int>(A, 3);
        float *Out = arg<float *>(A, 0), *In = arg<float *>(A, 1);
        forThreads(B, A, 4, T, [&](Thread I) {
          if (I.X >= Width || I.Y >= Height)
            return;
          const unsigned At = I.Y * Width + I.X;
          float Sum = In[At];
          if (I.X > 0)
            Sum += In[At - 1];
          if (I.X + 1 < Width)
            Sum += In[At + 1];
          if (I.Y > 0)
            Sum += In[At - Width];
          if (I.Y + 1 < Height)
            Sum += In[At + Width];
          Out[At] = Sum / 5;
        });
      });
}

GridspanKernel matmul() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, GridspanRedirectable},
      {1, 0, GridspanRead, GridspanReplicable},
      {2, 0, GridspanRead, GridspanReplicable}};
  static const GridspanAccess Accesses[] = {
      {"matmul.cu:7", nullptr, 0, GridspanWrite, 4, 0},
      {"matmul.cu:5", nullptr, 1, GridspanRead, 4, 1},
      {"matmul.cu:5", nullptr, 2, GridspanRead, 4, 2}};
  return make(
      2, "_Z6matmulPfPKfS1_i", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        const int64_t N = arg<int>(B, 3);
        auto [Lo, Hi] = threads(B, 0, N);
        Out[0] = Out[1] = bytes(4 * N * Lo, 4 * N * Hi);
        Out[2] = Lo < Hi ? bytes(0, 4 * N * N) : bytes(0, 0);
      },
      [](const GridspanBox *B) {
        const double N = arg<int>(B, 3);
        return 4.0 * N * N * B->BlockCount[0] * B->BlockDim[0];
      },
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        const unsigned N = arg<int>(A, 3);
        float *C = arg<float *>(A, 0), *L = arg<float *>(A, 1),
              *R = arg<float *>(A, 2);
        forThreads(B, A, 4, T, [&](Thread I) {
          for (unsigned J = 0; I.X < N && J < N; ++J) {
            float Sum = 0;
            for (unsigned K = 0; K < N; ++K)
              Sum += L[I.X * N + K] * R[K * N + J];
            C[I.X * N + J] = Sum;
          }
        });
      });
}

GridspanKernel triangular() {
  static const GridspanParam Params[] = {{0, 8}, {8, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"triangular.cu:5", nullptr, 0, GridspanWrite, 4, 0}};
  return make(
      3, "_Z10triangularPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 1));
        Out[0] = bytes(4 * Lo, 4 * Hi);
      },
      [](const GridspanBox *B) {
        const double Lo = B->BlockLo[0], N = B->BlockCount[0];
        return 1e4 * B->BlockDim[0] * (N * (N + 1) / 2 + Lo * N);
      },
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 2, T, [&](Thread I) {
          float Sum = 0;
          for (unsigned K = 0; K <= I.X; ++K)
            Sum += 1;
          if (I.X < static_cast<unsigned>(arg<int>(A, 1)))
            arg<float *>(A, 0)[I.X] = Sum;
        });
      });
}

GridspanKernel histogram() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable},
      {1, 0, GridspanAtomic, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"histogram.cu:4", nullptr, 0, GridspanRead, 4, 0},
      {"histogram.cu:4", "the index is loaded", 1, GridspanAtomic, 4, 1}};
  GridspanKernel K = make(
      4, "_Z9histogramPKiPii", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 2));
        Out[0] = bytes(4 * Lo, 4 * Hi);
        Out[1] = Lo < Hi ? unknown() : bytes(0, 0);
      },
      [](const GridspanBox *B) {
        return 10.0 * B->BlockCount[0] * B->BlockDim[0];
      },
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 3, T, [&](Thread I) {
          if (I.X < static_cast<unsigned>(arg<int>(A, 2)))
            __atomic_fetch_add(&arg<int *>(A, 1)[arg<int *>(A, 0)[I.X]], 1,
                               __ATOMIC_RELAXED);
        });
      });
  K.Flags = GridspanHasAtomics;
  return K;
}

GridspanKernel count() {
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable},
      {1, 0, GridspanAtomic,
       GridspanRedirectable | uint32_t(GridspanReduction::AddU32)
                                  << GridspanReductionShift}};
  GridspanKernel K = histogram();
  K.Name = "_Z5countPKiPii";
  K.HostStub = &Stubs[28];
  K.TiledStub = &Stubs[29];
  K.Pointers = Pointers;
  K.Atomics = [](const GridspanBox *B) {
    return 1.0 * B->BlockCount[0] * B->BlockDim[0];
  };
  return K;
}

GridspanKernel readConstant() {
  static const GridspanParam Params[] = {{0, 8}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"constant.cu:3", nullptr, 0, GridspanWrite, 4, 0}};
  return make(
      5, "_Z12readConstantPf", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        Out[0] = bytes(4 * B->BlockLo[0],
                       4 * (int64_t(B->BlockLo[0]) + B->BlockCount[0]));
      },
      nullptr,
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 1, T, [&](Thread I) {
          arg<float *>(A, 0)[I.BlockX] =
              *reinterpret_cast<const float *>(B->Image);
        });
      });
}

GridspanKernel waitForFlag() {
  static const GridspanParam Params[] = {{0, 8}};
  static const GridspanPointer Pointers[] = {{0, 0, GridspanAtomic, 0}};
  static const GridspanAccess Accesses[] = {
      {"flag.cu:3", nullptr, 0, GridspanAtomic, 4, 0}};
  GridspanKernel K = make(
      6, "_Z11waitForFlagPi", Params, Pointers, Accesses,
      [](const GridspanBox *, GridspanRange *Out) { Out[0] = bytes(0, 4); },
      nullptr,
      [](const GridspanCpuBlock *, void *const *A, const GridspanCpuThreads *) {
        int *Flag = arg<int *>(A, 0);
        while (__atomic_load_n(Flag, __ATOMIC_ACQUIRE) == 0)
          std::this_thread::yield();
        __atomic_fetch_add(Flag, 1, __ATOMIC_RELEASE);
      });
  K.TiledStub = nullptr;
  K.Refusal = "waits-on-other-block";
  K.RefusalText = "flag.cu:3: a loop waits for global memory";
  K.Flags = GridspanHasAtomics;
  return K;
}

GridspanKernel distinctSaxpy() {
  GridspanKernel K = saxpy();
  K.Name = "_Z8distinctfPKfPfi";
  K.HostStub = &Stubs[24];
  K.TiledStub = &Stubs[25];
  K.NoAliasStub = &Stubs[26];
  K.TiledNoAliasStub = &Stubs[27];
  return K;
}

GridspanKernel gather() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  static const GridspanPointer Pointers[] = {
      {0, 0, GridspanRead, GridspanReplicable},
      {1, 0, GridspanRead, GridspanReplicable},
      {2, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanAccess Accesses[] = {
      {"gather.cu:4", nullptr, 0, GridspanRead, 4, 0},
      {"gather.cu:4", "loaded from memory", 1, GridspanRead, 4, 1},
      {"gather.cu:4", nullptr, 2, GridspanWrite, 4, 2}};
  GridspanKernel K = make(
      7, "_Z6gatherPKiPKfPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 3));
        Out[0] = Out[2] = bytes(4 * Lo, 4 * Hi);
        Out[1] = unknown();
        int64_t Min[2], Max[2];
        if (Lo < Hi && B->Indices &&
            B->Indices->Bound(B->Indices, arg<const int *>(B, 0), 4 * Lo,
                              4 * (Hi - 1), 4, Min, Max)) {
          const int64_t Row =
              4 * (std::max(Max[0] - Min[0], Max[1] - Min[1]) + 1);
          const int64_t Pitch = 4 * (Min[1] - Min[0]);
          Out[1] = bytes(4 * Min[0], 4 * (Max[1] + 1));
          if (Pitch > Row)
            Out[1] = {4 * Min[0], Row, Pitch, 2, 0, 1, 0, 0};
          Out[1].State = GridspanRangeMay;
        }
      },
      [](const GridspanBox *B) {
        return 10.0 * B->BlockCount[0] * B->BlockDim[0];
      },
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 4, T, [&](Thread I) {
          if (I.X < static_cast<unsigned>(arg<int>(A, 3)))
            arg<float *>(A, 2)[I.X] =
                arg<const float *>(A, 1)[arg<const int *>(A, 0)[I.X]];
        });
      });
  K.Flags = GridspanInspectable;
  return K;
}

GridspanKernel lookUp() {
  static const GridspanParam Params[] = {{0, 8}, {8, 8}, {16, 4}};
  static const GridspanPointer Pointers[] = {
      {1, 0, GridspanWrite, GridspanRedirectable}};
  static const GridspanTexture Textures[] = {{0, 0}};
  static const GridspanAccess Accesses[] = {
      {"texture.cu:3", "texture", -1, GridspanRead, 0, 0},
      {"texture.cu:3", nullptr, 0, GridspanWrite, 4, 1}};
  GridspanKernel K = make(
      8, "_Z6lookUpyPfi", Params, Pointers, Accesses,
      [](const GridspanBox *B, GridspanRange *Out) {
        auto [Lo, Hi] = threads(B, 0, arg<int>(B, 2));
        Out[0] = unknown();
        Out[1] = bytes(4 * Lo, 4 * Hi);
      },
      nullptr,
      [](const GridspanCpuBlock *B, void *const *A,
         const GridspanCpuThreads *T) {
        forThreads(B, A, 3, T, [&](Thread I) {
          if (I.X >= static_cast<unsigned>(arg<int>(A, 2)))
            return;
          TexturePoint At;
          At.At[0] = static_cast<float>(I.X) + 0.5f;
          arg<float *>(A, 1)[I.X] =
              std::bit_cast<float>(arg<const CpuTexture *>(A, 0)->read(At)[0]);
        });
      });
  K.Textures = Textures;
  K.NumTextures = 1;
  K.Flags = GridspanUnknownRead;
  return K;
}

const GridspanModule &module() {
  static const float Image[] = {1, 0};
  static const GridspanCpuVariable Variables[] = {{"Coefficient", 0, 4},
                                                  {"Total", 4, 4}};
  static const GridspanCpuModule Cpu = {Image, nullptr, Variables, 8, 4, 2, 0};
  static const GridspanKernel Kernels[] = {
      saxpy(),     stencil(),      matmul(),      triangular(),
      histogram(), readConstant(), waitForFlag(), distinctSaxpy(),
      gather(),    product(),      follow(),      lookBack(),
      shift(),     beyond(),       count(),       lookUp()};
  static const GridspanModule Module = {
      "fake.cu",          Kernels, &Cpu, GRIDSPAN_ABI_VERSION,
      std::size(Kernels), {},      {}};
  static const bool Registered = [] {
    __gridspan_register_module(&Module);
    Registry::get().addVariable(nullptr, &Coefficient, "Coefficient", 4, true);
    Registry::get().addVariable(nullptr, &Total, "Total", 4, false);
    return true;
  }();
  (void)Registered;
  return Module;
}

} // namespace gridspan::fake

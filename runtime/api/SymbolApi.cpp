//===- SymbolApi.cpp - Device variables -----------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's one variable is one per device: writing writes those in use,
// and the others before they are; reading reads device 0's. A __managed__
// variable is one for all, as any memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiCall.h"
#include "runtime/api/GraphCall.h"
#include "runtime/backend/Registry.h"
#include "runtime/memory/ManagedVariables.h"
#include <cstdlib>
#include <fmt/format.h>

using namespace gridspan;

//===--- Managed variables ----------------------------------------------===//

/// Gives the variable memory, or ends the program with a message.
static void allocateManaged(GridspanManaged &Variable) {
  cudaError_t Error;
  try {
    Runtime &R = Runtime::get();
    Error = R.broken();
    if (!Error)
      Error = ManagedVariables::get().allocate(Variable, R.memory());
  } catch (...) {
    Error = cudaErrorMemoryAllocation;
  }
  if (!Error)
    return;
  fmt::print(stderr,
             "gridspan: no memory for the __managed__ variable {} ({} bytes): "
             "{}\n",
             Variable.Name, Variable.Size, cudaGetErrorString(Error));
  std::exit(1);
}

GRIDSPAN_ENTRY void *__gridspan_managed_address(GridspanManaged *Variable) {
  const std::atomic_ref<void *> Address(Variable->Address);
  if (!Address.load(std::memory_order_acquire))
    allocateManaged(*Variable);
  return Address.load(std::memory_order_acquire);
}

//===--- Copies by symbol -----------------------------------------------===//

/// Returns the memory of a managed variable, or nothing.
static std::optional<SymbolTable::Copies> managed(const void *Symbol) {
  const auto Found = ManagedVariables::get().find(Symbol);
  if (!Found)
    return std::nullopt;
  return SymbolTable::Copies{{static_cast<std::byte *>(Found->Address)},
                             Found->Bytes};
}

Expected<SymbolTable::Copies> gridspan::copiesOf(Runtime &R,
                                                 const void *Symbol) {
  if (auto Managed = managed(Symbol))
    return std::move(*Managed);
  return R.symbols().copiesOf(Symbol);
}

Expected<SymbolTable::Copies> gridspan::firstOf(Runtime &R,
                                                const void *Symbol) {
  if (auto Managed = managed(Symbol))
    return std::move(*Managed);
  return R.symbols().firstOf(Symbol);
}

/// Returns the address of the part on device 0, or an error if it is not inside
/// of the variable.
static Expected<std::byte *> locate(Runtime &R, const void *Symbol,
                                    size_t Bytes, size_t Offset) {
  const Expected<SymbolTable::Copies> First = firstOf(R, Symbol);
  if (!First)
    return First.error();
  if (Offset > First->Bytes || Bytes > First->Bytes - Offset)
    return cudaErrorInvalidValue;
  return First->Addresses[0] + Offset;
}

static cudaError_t toSymbol(Runtime &R, ProgramStream &S, const void *Symbol,
                            const void *Src, size_t Bytes, size_t Offset,
                            cudaMemcpyKind Kind) {
  if (Kind != cudaMemcpyHostToDevice && Kind != cudaMemcpyDeviceToDevice &&
      Kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const Expected<std::byte *> First = locate(R, Symbol, Bytes, Offset);
  if (!First)
    return First.error();
  if (Bytes == 0)
    return cudaSuccess;
  if (!Src)
    return cudaErrorInvalidValue;
  const auto Write = [&](std::byte *Dst) {
    return R.copies().copy(S, Dst, Src, Bytes);
  };
  const cudaError_t Error = Write(*First);
  return Error || managed(Symbol)
             ? Error
             : R.symbols().writeOthers(Symbol, Offset, S.main(), Write);
}

static cudaError_t fromSymbol(Runtime &R, ProgramStream &S, void *Dst,
                              const void *Symbol, size_t Bytes, size_t Offset,
                              cudaMemcpyKind Kind) {
  if (Kind != cudaMemcpyDeviceToHost && Kind != cudaMemcpyDeviceToDevice &&
      Kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const Expected<std::byte *> First = locate(R, Symbol, Bytes, Offset);
  if (!First)
    return First.error();
  if (Bytes == 0)
    return cudaSuccess;
  if (!Dst)
    return cudaErrorInvalidValue;
  return R.copies().copy(S, Dst, *First, Bytes);
}

#define GRIDSPAN_SYMBOLS(SyncSuffix, AsyncSuffix, Zero)                        \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyToSymbol##SyncSuffix(        \
      const void *Symbol, const void *Src, size_t Bytes, size_t Offset,        \
      cudaMemcpyKind Kind) {                                                   \
    return streamCall<CapturedAs::Refused>(                                    \
        nullptr, Zero, [=](Runtime &R, ProgramStream &S) {                     \
          cudaError_t Error =                                                  \
              toSymbol(R, S, Symbol, Src, Bytes, Offset, Kind);                \
          return Error ? Error : R.backend().synchronize(S.main());            \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyToSymbolAsync##AsyncSuffix(  \
      const void *Symbol, const void *Src, size_t Bytes, size_t Offset,        \
      cudaMemcpyKind Kind, cudaStream_t Stream) {                              \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return toSymbol(R, S, Symbol, Src, Bytes, Offset, Kind);                 \
    });                                                                        \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t __gridspan_cudaMemcpyFromSymbol##SyncSuffix(      \
      void *Dst, const void *Symbol, size_t Bytes, size_t Offset,              \
      cudaMemcpyKind Kind) {                                                   \
    return streamCall<CapturedAs::Refused>(                                    \
        nullptr, Zero, [=](Runtime &R, ProgramStream &S) {                     \
          cudaError_t Error =                                                  \
              fromSymbol(R, S, Dst, Symbol, Bytes, Offset, Kind);              \
          return Error ? Error : R.backend().synchronize(S.main());            \
        });                                                                    \
  }                                                                            \
  GRIDSPAN_ENTRY cudaError_t                                                   \
      __gridspan_cudaMemcpyFromSymbolAsync##AsyncSuffix(                       \
          void *Dst, const void *Symbol, size_t Bytes, size_t Offset,          \
          cudaMemcpyKind Kind, cudaStream_t Stream) {                          \
    return streamCall(Stream, Zero, [=](Runtime &R, ProgramStream &S) {        \
      return fromSymbol(R, S, Dst, Symbol, Bytes, Offset, Kind);               \
    });                                                                        \
  }

GRIDSPAN_SYMBOLS(, , DefaultStream::Legacy)
GRIDSPAN_SYMBOLS(_ptds, _ptsz, DefaultStream::PerThread)

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetSymbolAddress(void **Out,
                                                           const void *Symbol) {
  return apiCall([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (const auto Managed = ManagedVariables::get().find(Symbol))
      return give(Expected<void *>(Managed->Address), Out);
    return give(R.symbols().handOut(Symbol), Out);
  });
}

GRIDSPAN_ENTRY cudaError_t __gridspan_cudaGetSymbolSize(size_t *Out,
                                                        const void *Symbol) {
  return apiCall([=](Runtime &R) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (const auto Managed = ManagedVariables::get().find(Symbol)) {
      *Out = Managed->Bytes;
      return cudaSuccess;
    }
    void *Address = nullptr;
    return R.backend().symbol(0, Symbol, Address, *Out);
  });
}

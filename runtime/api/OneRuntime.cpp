//===- OneRuntime.cpp - One runtime in a process --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each function that compiled code calls, a copy of the runtime has a jump
// through a slot, as a procedure linkage table does. The first call through any
// slot finds the owner and fills all of them, so that nothing depends on the
// order of constructors.
//
// The owner is the first copy in the order in which the dynamic linker loaded
// the modules. Copies are found by an ELF note, which needs no exported symbol:
// it is seen whatever the linker's options, RTLD_LOCAL or a debugger's view.
// The answer is the same for every copy and at all times:
//   - modules that are loaded later come later in the order;
//   - modules before the owner cannot appear, and the owner cannot be unloaded,
//     as whoever finds it keeps it (RTLD_NODELETE).
// So slots are filled without a lock, by several threads with the same values,
// and there is none to be held while the dynamic linker waits for its own. Code
// of a copy runs only when the modules before it have been relocated.
//
// While a context that the program has made with cuCtxCreate is current, and
// the program gives the driver work, calls of the CUDA runtime go to CUDA's
// own, for which the current context is the one to work in. Those that are
// given memory of Gridspan stay: it is in the primary contexts, which they make
// current.
//
// If the owner's functions are not those that this copy has been compiled for,
// each call is refused with an error, and one message says why.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/OneRuntime.h"
#include "runtime/api/ApiCall.h"
#include "runtime/support/Fnv.h"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <iterator>
#include <link.h>
#include <string>
#include <string_view>

using namespace gridspan;

// None returns more than a pointer.
#define GRIDSPAN_CALL(Name)                                                    \
  extern "C"                                                                   \
      __attribute__((visibility("hidden"))) void *__gridspan_own_##Name();
#include "gridspan/RuntimeCalls.def"

//===--- This copy ------------------------------------------------------===//

// CUDA's functions for per-thread default streams, which its headers declare
// under the names without a suffix.
#define GRIDSPAN_API_PT(Name, Suffix) extern "C" decltype(::Name) Name##Suffix;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "gridspan/CudaApi.def"

/// Returns true if a function is Gridspan's whatever the context is: what code
/// registers and launches with handles of Gridspan, errors, and what would take
/// Gridspan's own context away.
static constexpr bool isAlwaysOwn(std::string_view Name) {
  return Name.starts_with("__cuda") || Name.starts_with("cudaGetError") ||
         Name == "cudaGetLastError" || Name == "cudaPeekAtLastError" ||
         Name == "cudaDeviceReset" || Name.starts_with("cudaIpc");
}

template <typename T> static bool namesOwnMemory(T Argument) {
  if constexpr (std::is_same_v<T, void *> || std::is_same_v<T, const void *>)
    return isOwnMemory(Argument);
  return false;
}

/// One function of the CUDA runtime, Gridspan's or CUDA's by the context.
template <auto Own, auto Cuda> struct ByContext;
template <typename... Args, cudaError_t (*Own)(Args...),
          cudaError_t (*Cuda)(Args...)>
struct ByContext<Own, Cuda> {
  static cudaError_t call(Args... Arguments) {
    if (!givesDriverWork() || !isInOwnContextOfProgram())
      return Own(Arguments...);
    if (!(namesOwnMemory(Arguments) || ...))
      return Cuda(Arguments...);
    const PrimaryContextScope Scope;
    return Own(Arguments...);
  }
};

template <bool IsAlwaysOwn, auto Own, auto Cuda> struct Entry {
  static constexpr auto Function = Own;
};
template <auto Own, auto Cuda> struct Entry<false, Own, Cuda> {
  static constexpr auto Function = &ByContext<Own, Cuda>::call;
};

#define GRIDSPAN_BY_CONTEXT(Name)                                              \
  reinterpret_cast<void *>(                                                    \
      Entry<isAlwaysOwn(#Name), &__gridspan_##Name, &::Name>::Function),
#define GRIDSPAN_API(Name) GRIDSPAN_BY_CONTEXT(Name)
#define GRIDSPAN_API_PT(Name, Suffix) GRIDSPAN_BY_CONTEXT(Name##Suffix)
#define GRIDSPAN_CALL(Name) reinterpret_cast<void *>(&__gridspan_own_##Name),
static void *const OwnEntries[] = {
#include "gridspan/CudaApi.def"
#include "gridspan/RuntimeCalls.def"
};
#pragma GCC diagnostic pop

static constexpr std::string_view EntryNames[] = {
#define GRIDSPAN_API(Name) #Name,
#define GRIDSPAN_API_PT(Name, Suffix) #Name #Suffix,
#define GRIDSPAN_CALL(Name) #Name,
#include "gridspan/CudaApi.def"
#include "gridspan/RuntimeCalls.def"
};

/// Hashes the names in their order.
static constexpr uint64_t hashNames() {
  Fnv Names;
  for (std::string_view Name : EntryNames)
    Names.addWhole(Name);
  return Names.hash();
}

extern "C" {
__attribute__((
    visibility("hidden"))) extern const RuntimeCopy __gridspan_this_copy;
__attribute__((used)) const RuntimeCopy __gridspan_this_copy = {
    GRIDSPAN_ABI_VERSION, std::size(OwnEntries), hashNames(), OwnEntries};

/// The addresses that this copy's jumps lead to.
__attribute__((visibility("hidden"))) extern void *__gridspan_slots[];

/// Fills the slots.
__attribute__((visibility("hidden"))) void __gridspan_fill_slots();
}

// The note: its name is Gridspan, its type 1, its contents the distance to
// __gridspan_this_copy.
asm(".pushsection .note.gridspan,\"a\",@note\n"
    ".p2align 2\n"
    ".long 9\n"
    ".long 8\n"
    ".long 1\n"
    ".asciz \"Gridspan\"\n"
    ".p2align 2\n"
    ".Lgridspan_distance:\n"
    ".quad __gridspan_this_copy - .Lgridspan_distance\n"
    ".popsection\n"
    // Until slots are filled, they lead here, with the slot in r11. All
    // registers that may hold arguments are kept.
    ".pushsection .text.gridspan_entries,\"ax\",@progbits\n"
    ".Lgridspan_first_call:\n"
    "pushq %rdi\n"
    "pushq %rsi\n"
    "pushq %rdx\n"
    "pushq %rcx\n"
    "pushq %r8\n"
    "pushq %r9\n"
    "pushq %rax\n"
    "pushq %r11\n"
    "subq $136, %rsp\n"
    "movaps %xmm0, (%rsp)\n"
    "movaps %xmm1, 16(%rsp)\n"
    "movaps %xmm2, 32(%rsp)\n"
    "movaps %xmm3, 48(%rsp)\n"
    "movaps %xmm4, 64(%rsp)\n"
    "movaps %xmm5, 80(%rsp)\n"
    "movaps %xmm6, 96(%rsp)\n"
    "movaps %xmm7, 112(%rsp)\n"
    "call __gridspan_fill_slots\n"
    "movaps (%rsp), %xmm0\n"
    "movaps 16(%rsp), %xmm1\n"
    "movaps 32(%rsp), %xmm2\n"
    "movaps 48(%rsp), %xmm3\n"
    "movaps 64(%rsp), %xmm4\n"
    "movaps 80(%rsp), %xmm5\n"
    "movaps 96(%rsp), %xmm6\n"
    "movaps 112(%rsp), %xmm7\n"
    "addq $136, %rsp\n"
    "popq %r11\n"
    "popq %rax\n"
    "popq %r9\n"
    "popq %r8\n"
    "popq %rcx\n"
    "popq %rdx\n"
    "popq %rsi\n"
    "popq %rdi\n"
    "jmp *(%r11)\n"
    ".popsection\n"
    ".pushsection .data.gridspan_slots,\"aw\",@progbits\n"
    ".p2align 4\n"
    ".hidden __gridspan_slots\n"
    ".globl __gridspan_slots\n"
    "__gridspan_slots:\n"
    ".popsection\n");

// Function and slot of an entry, in the order of OwnEntries.
#define GRIDSPAN_ENTRY_CODE(Name)                                              \
  asm(".pushsection .text.gridspan_entries,\"ax\",@progbits\n"                 \
      ".p2align 4\n"                                                           \
      ".globl __gridspan_" Name "\n"                                           \
      ".type __gridspan_" Name ",@function\n"                                  \
      "__gridspan_" Name ":\n"                                                 \
      "jmp *.Lgridspan_slot_" Name "(%rip)\n"                                  \
      ".Lgridspan_unbound_" Name ":\n"                                         \
      "leaq .Lgridspan_slot_" Name "(%rip), %r11\n"                            \
      "jmp .Lgridspan_first_call\n"                                            \
      ".size __gridspan_" Name ", . - __gridspan_" Name "\n"                   \
      ".popsection\n"                                                          \
      ".pushsection .data.gridspan_slots,\"aw\",@progbits\n"                   \
      ".Lgridspan_slot_" Name ":\n"                                            \
      ".quad .Lgridspan_unbound_" Name "\n"                                    \
      ".popsection\n");
#define GRIDSPAN_API(Name) GRIDSPAN_ENTRY_CODE(#Name)
#define GRIDSPAN_API_PT(Name, Suffix) GRIDSPAN_ENTRY_CODE(#Name #Suffix)
#define GRIDSPAN_CALL(Name) GRIDSPAN_ENTRY_CODE(#Name)
#include "gridspan/CudaApi.def"
#include "gridspan/RuntimeCalls.def"

//===--- The owner ------------------------------------------------------===//

namespace {

/// A copy of the runtime, and the path of its module; empty for the program.
struct FoundCopy {
  const RuntimeCopy *Copy = nullptr;
  std::string Path;
};

} // namespace

static size_t roundedUp(size_t Bytes) { return (Bytes + 3) & ~size_t(3); }

/// Returns the copy that a segment of notes tells of, or null.
static const RuntimeCopy *copyInNotes(const std::byte *At, size_t Bytes) {
  while (Bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) Head;
    std::memcpy(&Head, At, sizeof(Head));
    const size_t Name = roundedUp(Head.n_namesz);
    const size_t Length = sizeof(Head) + Name + roundedUp(Head.n_descsz);
    if (Length > Bytes)
      return nullptr;
    constexpr char Wanted[] = "Gridspan";
    if (Head.n_type == 1 && Head.n_namesz == sizeof(Wanted) &&
        Head.n_descsz == sizeof(ptrdiff_t) &&
        std::memcmp(At + sizeof(Head), Wanted, sizeof(Wanted)) == 0) {
      const std::byte *Contents = At + sizeof(Head) + Name;
      ptrdiff_t Distance;
      std::memcpy(&Distance, Contents, sizeof(Distance));
      return reinterpret_cast<const RuntimeCopy *>(Contents + Distance);
    }
    At += Length;
    Bytes -= Length;
  }
  return nullptr;
}

/// Ends the walk over the modules at the first one with a copy.
static int lookForCopy(dl_phdr_info *Info, size_t, void *Data) {
  for (unsigned I = 0; I != Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Segment = Info->dlpi_phdr[I];
    if (Segment.p_type != PT_NOTE)
      continue;
    const auto *At =
        reinterpret_cast<const std::byte *>(Info->dlpi_addr + Segment.p_vaddr);
    if (const RuntimeCopy *Copy = copyInNotes(At, Segment.p_memsz)) {
      *static_cast<FoundCopy *>(Data) = {Copy, Info->dlpi_name};
      return 1;
    }
  }
  return 0;
}

/// Returns the owner, which from now on stays loaded.
static FoundCopy findOwner() {
  FoundCopy Owner;
  // One that was being unloaded when it was found cannot be kept any more.
  for (unsigned Tries = 0; Tries != 100; ++Tries) {
    dl_iterate_phdr(lookForCopy, &Owner);
    if (Owner.Path.empty() ||
        dlopen(Owner.Path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
      break;
  }
  return Owner;
}

//===--- Versions that do not fit together ------------------------------===//

/// Answers every call of the function Own in a way that its callers take for a
/// failure, as CUDA does when a shared object cannot be initialized.
template <typename Result, typename... Args> struct Refused {
  static Result call(Args...) {
    if constexpr (std::is_same_v<Result, cudaError_t>)
      return cudaErrorSharedObjectInitFailed;
    else if constexpr (std::is_same_v<Result, unsigned>)
      return cudaErrorSharedObjectInitFailed; // __cudaPushCallConfiguration
    else if constexpr (std::is_same_v<Result, void **>) {
      static void *Handle; // __cudaRegisterFatBinary
      return &Handle;
    } else if constexpr (!std::is_void_v<Result>)
      return Result();
  }
};

template <typename Result, typename... Args>
static void *refusalOf(Result (*Own)(Args...)) {
  // Texts of errors are the same in all versions.
  if constexpr (std::is_same_v<Result, const char *>)
    return reinterpret_cast<void *>(Own);
  else
    return reinterpret_cast<void *>(&Refused<Result, Args...>::call);
}

/// Makes all slots lead to functions that refuse.
static void refuseCalls() {
  void *const Refusals[] = {
#define GRIDSPAN_API(Name) refusalOf(&__gridspan_##Name),
#define GRIDSPAN_API_PT(Name, Suffix) refusalOf(&__gridspan_##Name##Suffix),
#define GRIDSPAN_CALL(Name) refusalOf(&__gridspan_own_##Name),
#include "gridspan/CudaApi.def"
#include "gridspan/RuntimeCalls.def"
  };
  for (size_t I = 0; I != std::size(Refusals); ++I)
    __atomic_store_n(&__gridspan_slots[I], Refusals[I], __ATOMIC_RELAXED);
}

static std::string nameOfModule(const std::string &Path) {
  return Path.empty() ? program_invocation_name : Path;
}

static void explainRefusal(const FoundCopy &Owner) {
  static std::atomic<bool> Said{false};
  if (Said.exchange(true))
    return;
  Dl_info Self = {};
  dladdr(&__gridspan_this_copy, &Self);
  fmt::print(stderr,
             "gridspan: {} has version {} of the runtime ({} functions), and "
             "{}, which was loaded before, has version {} ({} functions). A "
             "process can have one version only: compile both with the same "
             "Gridspan. CUDA calls of the former fail\n",
             Self.dli_fname ? Self.dli_fname : "a module",
             __gridspan_this_copy.Version, __gridspan_this_copy.NumEntries,
             nameOfModule(Owner.Path), Owner.Copy->Version,
             Owner.Copy->NumEntries);
}

__attribute__((used)) void __gridspan_fill_slots() {
  const int Errno = errno;
  const FoundCopy Owner = findOwner();
  const RuntimeCopy &Copy = Owner.Copy ? *Owner.Copy : __gridspan_this_copy;
  if (Copy.Version == __gridspan_this_copy.Version &&
      Copy.NumEntries == __gridspan_this_copy.NumEntries &&
      Copy.Names == __gridspan_this_copy.Names) {
    for (size_t I = 0; I != std::size(OwnEntries); ++I)
      __atomic_store_n(&__gridspan_slots[I], Copy.Entries[I], __ATOMIC_RELAXED);
  } else {
    refuseCalls();
    explainRefusal(Owner);
  }
  errno = Errno;
}

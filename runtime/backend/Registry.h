//===- Registry.h - Modules that the program registered ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules register themselves from constructors, before main and before there
// is a runtime, so the table is apart from it. Thread-safe.
//
// Variables come twice: by their host address, from the registration that clang
// emits (__cudaRegisterVar), and by name, in the image that a module has for
// the CPU device. Names alone are ambiguous (static variables of two files),
// but both kinds of constructors of a file run in the order of the files: the
// N-th host address of a name belongs to the N-th module that has it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_REGISTRY_H
#define GRIDSPAN_RUNTIME_BACKEND_REGISTRY_H

#include "gridspan/ABI.h"
#include "runtime/support/ThreadSafety.h"
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace gridspan {

/// A variable of the device that the host knows by an address.
struct DeviceVariable {
  std::string Name;
  size_t Bytes = 0;
  bool Constant = false; ///< __constant__
  /// The module whose image has it, and its entry; null if there is none.
  const GridspanCpuModule *Module = nullptr;
  const GridspanCpuVariable *InImage = nullptr;
};

class Registry {
public:
  /// Returns the registry of the process. Never destroyed, as static
  /// destructors may use it.
  static Registry &get();

  void add(const GridspanModule *Module);
  void remove(const GridspanModule *Module);

  // What clang or nvcc registers with the CUDA runtime for a fat binary.
  void addFunction(void **FatBinary, const void *HostStub, const char *Name);
  void addVariable(void **FatBinary, const void *HostAddress, const char *Name,
                   size_t Bytes, bool Constant);
  /// Returns the host address of a kernel or variable of a fat binary; null if
  /// it has none.
  const void *anyOf(void **FatBinary) const;
  /// Removes both again. Returns the host addresses of the variables.
  std::vector<const void *> removeFatBinary(void **FatBinary);

  /// Returns true if a module has registered a kernel with this host stub.
  bool knows(const void *HostStub) const;
  /// Returns the device name of a kernel that was registered with the CUDA
  /// runtime; empty if none was.
  std::string nameOfFunction(const void *HostStub) const;

  /// Returns the descriptor of the kernel with this host stub, or null. Takes
  /// no lock when the thread has asked for it before.
  const GridspanKernel *kernel(const void *HostStub) const;
  std::optional<DeviceVariable> variable(const void *HostAddress) const;
  /// Returns the module of a descriptor; null after it was removed.
  const GridspanModule *moduleOf(const GridspanKernel *Kernel) const;
  /// Returns the place of a module among those that are registered now, in
  /// their order; nothing if it is not among them.
  std::optional<unsigned> numberOf(const GridspanModule *Module) const;
  /// Returns the module at a place; null if there is none.
  const GridspanModule *module(unsigned Number) const;

  /// Returns true if some kernel of the program may be split.
  bool anySplittable() const;
  /// Returns true if some kernel may be split before any launch of it was
  /// timed: how much it does is known.
  bool anySplitsAtOnce() const;
  /// Returns true if some kernel loads indices that may be inspected.
  bool anyInspectable() const;
  /// Returns true if some kernel that may be split has ever reduced into an
  /// argument.
  bool anyReducing() const;
  /// Returns true if some kernel has a clone for records in other forms.
  bool anyFormed() const;

private:
  const GridspanKernel *find(const void *HostStub) const;
  void noteUse() const;

  struct HostFunction {
    void **FatBinary;
    std::string Name;
  };
  struct HostVariable {
    void **FatBinary;
    std::string Name;
    size_t Bytes;
    bool Constant;
    unsigned Ordinal; ///< among the host addresses of this name
  };

  mutable SharedMutex Lock;
  std::vector<const GridspanModule *> Modules GUARDED_BY(Lock);
  std::unordered_map<const void *, const GridspanKernel *>
      Kernels GUARDED_BY(Lock);
  std::unordered_map<const void *, HostFunction> Functions GUARDED_BY(Lock);
  std::unordered_map<const void *, HostVariable> Variables GUARDED_BY(Lock);
  std::map<std::string, unsigned> NameCounts GUARDED_BY(Lock);
  std::atomic<bool> Splittable{false};
  std::atomic<bool> SplitsAtOnce{false};
  std::atomic<bool> Inspectable{false};
  /// Set if a module has been registered that nobody has used since.
  mutable std::atomic<bool> HasNewModules{false};
  std::atomic<bool> Reducing{false};
  std::atomic<bool> Formed{false};
  /// A number that is new whenever Kernels changes, and in every registry.
  /// Lookups that threads remember of other generations are void.
  std::atomic<uint64_t> Generation{NextGeneration++};
  static inline std::atomic<uint64_t> NextGeneration{1};
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_BACKEND_REGISTRY_H

//===- Architecture.h - GPU architectures to compile for --------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc's spellings of architectures (-arch, -code, -gencode) reduced to what
// clang can be asked for: a set of sm_NN, each with or without PTX.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_ARCHITECTURE_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace gridspan {

/// An architecture to compile for.
struct Architecture {
  std::string Name; ///< "sm_90"
  bool Ptx = false; ///< with PTX beside the machine code

  /// Returns what fatbinary is told of a file with its machine code, or PTX.
  std::string cubinImage(llvm::StringRef File) const;
  std::string ptxImage(llvm::StringRef File) const;
};

class ArchitectureSet {
public:
  /// A value of -arch. Returns why it is wrong, or nothing. "native" is
  /// remembered only; detection happens when flags are made.
  std::string addArch(llvm::StringRef Value);
  /// A value of -code: sm_NN and compute_NN, separated by commas.
  std::string addCode(llvm::StringRef Value);
  /// A value of -gencode: arch=compute_NN,code=sm_NN or code=[sm_NN,...].
  std::string addGencode(llvm::StringRef Value);

  bool isDefault() const { return Arches.empty(); }
  /// True when the GPUs of this machine are wanted: by default or by name.
  bool wantsNative() const { return Native || isDefault(); }

  /// Returns what clang is asked for. Detected are the architectures of the
  /// GPUs present, for native; none means sm_90. Notes receives what had to be
  /// replaced.
  std::vector<Architecture> targets(llvm::ArrayRef<unsigned> Detected,
                                    std::vector<std::string> &Notes) const;
  /// Returns clang's options for them.
  static std::vector<std::string>
  flags(llvm::ArrayRef<Architecture> Architectures);
  /// The value of nvcc's macro __CUDA_ARCH_LIST__: 800,900.
  static std::string macroList(llvm::ArrayRef<Architecture> Architectures);
  /// Returns what there is, a line for each: sm_NN for Codes, compute_NN for
  /// Virtual, and options of -gencode for both.
  static std::string list(bool Codes, bool Virtual);

private:
  struct Wanted {
    bool Binary = false;
    bool Ptx = false;
  };
  std::string addOne(llvm::StringRef Name, bool Binary, bool Ptx);
  std::map<std::string, Wanted> Arches; ///< "90", "90a", ...
  bool Native = false;
  bool FromArch = false; ///< -arch was given; a -code refines it
};

/// Compute capabilities (90 for 9.0) of the GPUs present, each once, in device
/// order. Empty without a driver. Asks the driver library in this process.
std::vector<unsigned> detectGpus();

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_ARCHITECTURE_H

//===- RequestBuilder.h - What options add to a request ---------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words in which nvcc's options are translated: an option for both
// compilations or for one, an input, a library, an error that names the option.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_TOOLS_GRIDSPANXX_REQUESTBUILDER_H
#define GRIDSPAN_TOOLS_GRIDSPANXX_REQUESTBUILDER_H

#include "tools/gridspan++/Options.h"
#include "llvm/ADT/Twine.h"

namespace gridspan {

class RequestBuilder {
protected:
  Request R;
  llvm::StringRef Spelling; ///< of the option being handled
  llvm::StringRef Language; ///< the last -x
  bool DeviceDebug = false; ///< -G

  void option(const llvm::Twine &Text);
  void deviceOption(const llvm::Twine &Text);
  void hostOption(const llvm::Twine &Text);
  /// Adds an option of clang's, and notes what it means for the job.
  void clangOption(llvm::StringRef Text);
  /// Adds an option under clang's name To.
  void renamed(llvm::StringRef To, llvm::StringRef V, bool HasValue);
  /// Adds To for each part of a value of nvcc's that may be a list.
  void listed(llvm::StringRef To, llvm::StringRef List);
  void input(llvm::StringRef Path);
  void linkInput(const llvm::Twine &Text);

  /// Makes the handled option the error of the request.
  void fail(const llvm::Twine &Why);
  /// Says Text once.
  void note(const llvm::Twine &Text);
  /// Reads true or false, or fails.
  bool flagValue(llvm::StringRef Text);

  /// Checks what only all options together say.
  void finish();

private:
  /// The CUDA runtime that -l names.
  std::optional<CudartKind> NamedCudart;

  void library(llvm::StringRef Name);
};

} // namespace gridspan

#endif // GRIDSPAN_TOOLS_GRIDSPANXX_REQUESTBUILDER_H

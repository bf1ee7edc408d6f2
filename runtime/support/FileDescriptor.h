//===- FileDescriptor.h - An open file, owned -------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closes a file descriptor at the end of its life.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_FILEDESCRIPTOR_H
#define GRIDSPAN_RUNTIME_SUPPORT_FILEDESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace gridspan {

class FileDescriptor {
public:
  FileDescriptor() = default;
  /// Takes a descriptor over; a negative number is none.
  explicit FileDescriptor(int Number) : Number(Number) {}
  FileDescriptor(FileDescriptor &&Other) noexcept
      : Number(std::exchange(Other.Number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&Other) noexcept {
    std::swap(Number, Other.Number);
    return *this;
  }
  ~FileDescriptor() {
    if (Number >= 0)
      close(Number);
  }

  explicit operator bool() const { return Number >= 0; }
  int get() const { return Number; }
  int release() { return std::exchange(Number, -1); }

private:
  int Number = -1;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_FILEDESCRIPTOR_H

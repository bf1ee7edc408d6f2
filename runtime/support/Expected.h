//===- Expected.h - A value, or the error instead ---------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of a function that may fail. It replaces an error code beside an
// out-parameter, which can be read although the function failed.
//
//   Expected<void *> Address = allocate(Bytes);
//   if (!Address)
//     return Address.error();
//   use(*Address);
//
// C++20 has no std::expected. boost::outcome would do, but takes 0.9 s of
// compile time in each source that includes it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_EXPECTED_H
#define GRIDSPAN_RUNTIME_SUPPORT_EXPECTED_H

#include <cassert>
#include <concepts>
#include <driver_types.h>
#include <optional>
#include <type_traits>
#include <utility>

namespace gridspan {

template <typename T> class [[nodiscard]] Expected {
public:
  /// Holds an error, which is not cudaSuccess.
  Expected(cudaError_t Error) : Error(Error) {
    assert(Error != cudaSuccess && "success needs a value");
  }
  /// Holds a value.
  template <typename U = T>
    requires(std::convertible_to<U &&, T> &&
             !std::same_as<std::remove_cvref_t<U>, cudaError_t> &&
             !std::same_as<std::remove_cvref_t<U>, Expected>)
  Expected(U &&Value) : Value(std::forward<U>(Value)) {}

  /// Returns true if there is a value. For Expected<bool>, this is not it.
  bool hasValue() const { return Value.has_value(); }
  explicit operator bool() const
    requires(!std::same_as<T, bool>)
  {
    return hasValue();
  }

  /// Returns the error; cudaSuccess with a value.
  cudaError_t error() const { return Error; }

  T &operator*() & { return *checked(); }
  const T &operator*() const & { return *checked(); }
  T &&operator*() && { return std::move(*checked()); }
  T *operator->() { return &*checked(); }
  const T *operator->() const { return &*checked(); }

private:
  std::optional<T> &checked() {
    assert(Value && "an error has no value");
    return Value;
  }
  const std::optional<T> &checked() const {
    assert(Value && "an error has no value");
    return Value;
  }

  std::optional<T> Value;
  cudaError_t Error = cudaSuccess;
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_EXPECTED_H

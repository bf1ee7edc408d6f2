//===- Wire.h - Bytes of a message ------------------------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads the fields of messages between ranks. All ranks run the same
// executable on the same kind of processor, so that numbers travel as they are.
// A reader never reads beyond its bytes, whatever they are: once something does
// not fit, it has failed, and every later read fails as well.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_BACKEND_RANKS_WIRE_H
#define GRIDSPAN_RUNTIME_BACKEND_RANKS_WIRE_H

#include "runtime/backend/ranks/MessageMemory.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gridspan::ranks {

/// The bytes of a message, which what was read from it may refer to.
using Buffer = std::shared_ptr<const MessageBytes>;

/// Bytes at the end of a message. They belong to its Buffer.
using Payload = std::span<const std::byte>;

class WireWriter {
public:
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void operator()(const T &Value) {
    raw(&Value, sizeof(T));
  }
  template <typename T>
    requires requires(T V, WireWriter &Out) { V.fields(Out); }
  void operator()(const T &Value) {
    const_cast<T &>(Value).fields(*this); // writers change nothing
  }
  void operator()(const std::string &Text) { sized(Text.data(), Text.size()); }
  void operator()(const Payload &Bytes) { sized(Bytes.data(), Bytes.size()); }
  template <typename T> void operator()(const std::vector<T> &Values) {
    (*this)(static_cast<uint64_t>(Values.size()));
    for (const T &Value : Values)
      (*this)(Value);
  }

  MessageBytes take() { return std::move(Bytes); }

private:
  void raw(const void *From, size_t Size) {
    const size_t At = Bytes.size();
    Bytes.resize(At + Size);
    if (Size)
      std::memcpy(Bytes.data() + At, From, Size);
  }
  void sized(const void *From, size_t Size) {
    (*this)(static_cast<uint64_t>(Size));
    raw(From, Size);
  }

  MessageBytes Bytes;
};

class WireReader {
public:
  explicit WireReader(Payload Bytes) : Rest(Bytes) {}

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void operator()(T &Value) {
    const Payload From = take(sizeof(T));
    if (!From.empty())
      std::memcpy(&Value, From.data(), sizeof(T));
  }
  template <typename T>
    requires requires(T V, WireReader &In) { V.fields(In); }
  void operator()(T &Value) {
    Value.fields(*this);
  }
  /// A byte that is neither 0 nor 1 is no bool.
  void operator()(bool &Value) {
    uint8_t Byte = 0;
    (*this)(Byte);
    Failed |= Byte > 1;
    Value = Byte == 1;
  }
  void operator()(std::string &Text) {
    const Payload From = sized();
    Text.assign(reinterpret_cast<const char *>(From.data()), From.size());
  }
  void operator()(Payload &Bytes) { Bytes = sized(); }
  template <typename T> void operator()(std::vector<T> &Values) {
    uint64_t Count = 0;
    (*this)(Count);
    // Every element takes a byte at least: a wild count is no allocation.
    Failed |= Count > Rest.size();
    for (uint64_t I = 0; I != Count && !Failed; ++I) {
      T Value{};
      (*this)(Value);
      Values.push_back(std::move(Value));
    }
  }

  /// Returns true if all has been read, and nothing was missing.
  bool isComplete() const { return !Failed && Rest.empty(); }

private:
  Payload take(uint64_t Size) {
    Failed |= Size > Rest.size();
    if (Failed)
      return {};
    const Payload Out = Rest.first(Size);
    Rest = Rest.subspan(Size);
    return Out;
  }
  Payload sized() {
    uint64_t Size = 0;
    (*this)(Size);
    return take(Size);
  }

  Payload Rest;
  bool Failed = false;
};

} // namespace gridspan::ranks

#endif // GRIDSPAN_RUNTIME_BACKEND_RANKS_WIRE_H

//===- FileServer.h - Open files for other processes ------------*- C++ -*-===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives open files of this process to other processes of the same user that
// know their numbers. Numbers can be passed on in any way, such as the handles
// of cudaIpcGetMemHandle, which have no room for a file.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDSPAN_RUNTIME_SUPPORT_FILESERVER_H
#define GRIDSPAN_RUNTIME_SUPPORT_FILESERVER_H

#include "runtime/support/FileDescriptor.h"
#include "runtime/support/ThreadSafety.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace gridspan {

/// A file, and a few bytes that say what it is.
struct NotedFile {
  FileDescriptor File;
  std::array<std::byte, 40> Note = {};
};

/// The name of an offered file in all processes of the machine.
struct FileAddress {
  uint64_t Process = 0; ///< its id
  uint64_t Server = 0;  ///< a random number, as ids of processes come again
  uint64_t Number = 0;  ///< of the file

  friend auto operator<=>(const FileAddress &, const FileAddress &) = default;
};

/// Thread-safe.
class FileServer {
public:
  /// Returns the server of the process, which is never destroyed.
  static FileServer &get();

  /// Offers a file until withdraw(). Returns nothing if there can be no server.
  std::optional<FileAddress> offer(NotedFile File);
  void withdraw(const FileAddress &Address);
  /// Returns true if the address is one of this process.
  bool isOwn(const FileAddress &Address) const;

  /// Asks another process for a file. Blocks until it answers. Returns nothing
  /// if it does not: it has ended, is another user's, or has no such file.
  static std::optional<NotedFile> fetch(const FileAddress &Address);

private:
  FileServer();
  bool startLocked() REQUIRES(Lock);
  void serve(int Socket);
  void answer(int Connection);

  const uint64_t Name; ///< FileAddress::Server
  Mutex Lock;
  bool IsRunning GUARDED_BY(Lock) = false;
  uint64_t LastNumber GUARDED_BY(Lock) = 0;
  std::map<uint64_t, std::shared_ptr<const NotedFile>> Files GUARDED_BY(Lock);
};

} // namespace gridspan

#endif // GRIDSPAN_RUNTIME_SUPPORT_FILESERVER_H

//===- FileServer.cpp - Open files for other processes --------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread listens at a socket with an abstract name and answers each request,
// a number, with a file (unix(7), SCM_RIGHTS). Both sides ask the kernel who
// the other one is: files go from and to processes of the same user only.
// pidfd_getfd(2) would need no thread, but the right to trace the process,
// which most systems give to its ancestors only.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/FileServer.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace gridspan {

static uint64_t randomNumber() {
  uint64_t Out = 0;
  // Without random numbers, ids of processes alone tell servers apart.
  (void)!getrandom(&Out, sizeof(Out), 0);
  return Out;
}

FileServer::FileServer() : Name(randomNumber()) {}

FileServer &FileServer::get() {
  static auto *Server = new FileServer;
  return *Server;
}

/// Writes the socket's name of a server. Returns its length.
static socklen_t nameOf(const FileAddress &Address, sockaddr_un &Out) {
  Out = {};
  Out.sun_family = AF_UNIX;
  // The first character stays 0: names that are in no file system.
  const auto End =
      fmt::format_to_n(Out.sun_path + 1, sizeof(Out.sun_path) - 1,
                       "gridspan-{}-{:016x}", Address.Process, Address.Server);
  return static_cast<socklen_t>(End.out - reinterpret_cast<char *>(&Out));
}

static bool isOfSameUser(int Socket) {
  ucred Peer = {};
  socklen_t Length = sizeof(Peer);
  return getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Peer, &Length) == 0 &&
         Peer.uid == geteuid();
}

/// Keeps a peer that says nothing from being waited for.
static void limitWaiting(int Socket) {
  const timeval Patience = {5, 0};
  setsockopt(Socket, SOL_SOCKET, SO_RCVTIMEO, &Patience, sizeof(Patience));
  setsockopt(Socket, SOL_SOCKET, SO_SNDTIMEO, &Patience, sizeof(Patience));
}

/// The space for one descriptor beside a message.
union OneDescriptor {
  cmsghdr Header;
  char Space[CMSG_SPACE(sizeof(int))];
};

void FileServer::answer(int Connection) {
  uint64_t Number = 0;
  if (!isOfSameUser(Connection) ||
      recv(Connection, &Number, sizeof(Number), 0) != sizeof(Number))
    return;
  std::shared_ptr<const NotedFile> File;
  {
    MutexLock Guard(Lock);
    const auto It = Files.find(Number);
    if (It == Files.end())
      return;
    File = It->second;
  }
  iovec Text = {const_cast<std::byte *>(File->Note.data()), File->Note.size()};
  OneDescriptor Beside = {};
  msghdr Message = {};
  Message.msg_iov = &Text;
  Message.msg_iovlen = 1;
  Message.msg_control = &Beside;
  Message.msg_controllen = sizeof(Beside);
  Beside.Header.cmsg_level = SOL_SOCKET;
  Beside.Header.cmsg_type = SCM_RIGHTS;
  Beside.Header.cmsg_len = CMSG_LEN(sizeof(int));
  const int Descriptor = File->File.get();
  std::memcpy(CMSG_DATA(&Beside.Header), &Descriptor, sizeof(Descriptor));
  (void)sendmsg(Connection, &Message, MSG_NOSIGNAL);
}

void FileServer::serve(int Socket) {
  for (;;) {
    const FileDescriptor Connection(
        accept4(Socket, nullptr, nullptr, SOCK_CLOEXEC));
    if (!Connection) {
      if (errno == EINTR || errno == ECONNABORTED)
        continue;
      return;
    }
    limitWaiting(Connection.get());
    answer(Connection.get());
  }
}

bool FileServer::startLocked() {
  if (IsRunning)
    return true;
  FileDescriptor Socket(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un At;
  const socklen_t Length =
      nameOf({static_cast<uint64_t>(getpid()), Name, 0}, At);
  constexpr int Waiting = 64;
  if (!Socket ||
      bind(Socket.get(), reinterpret_cast<sockaddr *>(&At), Length) != 0 ||
      listen(Socket.get(), Waiting) != 0)
    return false;
  // Signals are the program's threads'.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  std::thread([this, Number = Socket.release()] { serve(Number); }).detach();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  IsRunning = true;
  return true;
}

std::optional<FileAddress> FileServer::offer(NotedFile File) {
  MutexLock Guard(Lock);
  if (!startLocked())
    return std::nullopt;
  const FileAddress Out = {static_cast<uint64_t>(getpid()), Name, ++LastNumber};
  Files.emplace(Out.Number, std::make_shared<const NotedFile>(std::move(File)));
  return Out;
}

void FileServer::withdraw(const FileAddress &Address) {
  MutexLock Guard(Lock);
  Files.erase(Address.Number);
}

bool FileServer::isOwn(const FileAddress &Address) const {
  return Address.Server == Name &&
         Address.Process == static_cast<uint64_t>(getpid());
}

std::optional<NotedFile> FileServer::fetch(const FileAddress &Address) {
  const FileDescriptor Socket(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un At;
  const socklen_t Length = nameOf(Address, At);
  if (!Socket)
    return std::nullopt;
  limitWaiting(Socket.get());
  if (connect(Socket.get(), reinterpret_cast<sockaddr *>(&At), Length) != 0 ||
      !isOfSameUser(Socket.get()) ||
      send(Socket.get(), &Address.Number, sizeof(Address.Number),
           MSG_NOSIGNAL) != sizeof(Address.Number))
    return std::nullopt;
  NotedFile Out;
  iovec Text = {Out.Note.data(), Out.Note.size()};
  OneDescriptor Beside = {};
  msghdr Message = {};
  Message.msg_iov = &Text;
  Message.msg_iovlen = 1;
  Message.msg_control = &Beside;
  Message.msg_controllen = sizeof(Beside);
  const ssize_t Received = recvmsg(Socket.get(), &Message, MSG_CMSG_CLOEXEC);
  const cmsghdr *Header = CMSG_FIRSTHDR(&Message);
  if (!Header || Header->cmsg_type != SCM_RIGHTS ||
      Header->cmsg_len != CMSG_LEN(sizeof(int)))
    return std::nullopt;
  int Descriptor;
  std::memcpy(&Descriptor, CMSG_DATA(Header), sizeof(Descriptor));
  Out.File = FileDescriptor(Descriptor);
  if (Received != static_cast<ssize_t>(Out.Note.size()))
    return std::nullopt;
  return Out;
}

} // namespace gridspan

//===- borrowed_pages.cpp - Can a copy share the source's pages? ----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to memory that lives on the host need not move a byte if it could keep
// the source's pages until the program writes them. Tries what Linux has for
// that, and prints whether it works and what it costs:
//
//   mprotect(2)      a write by a system call must not fail
//   userfaultfd(2)   write-protect mode, as an ordinary user
//   memfd_create(2)  the source is a shared mapping from the beginning, and
//                    becomes a private one of the same file
//
// Build: clang++ -std=c++20 -O2 -pthread borrowed_pages.cpp. Usage: [GiB]
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void check(bool Good, const char *What) {
  if (Good)
    return;
  perror(What);
  exit(1);
}

static char *mapped(size_t Bytes, int Flags, int File, bool Huge) {
  void *At = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, Flags, File, 0);
  check(At != MAP_FAILED, "mmap");
  if (Huge)
    madvise(At, Bytes, MADV_HUGEPAGE);
  return static_cast<char *>(At);
}

/// Returns the answer of read(2) from /dev/zero into the memory.
static const char *readInto(char *At, size_t Bytes) {
  int Zero = open("/dev/zero", O_RDONLY);
  ssize_t Got = read(Zero, At, Bytes);
  int Error = errno;
  close(Zero);
  return Got == ssize_t(Bytes) ? "works" : strerror(Error);
}

static char *Protected;
static void unprotect(int, siginfo_t *, void *) {
  mprotect(Protected, 4096, PROT_READ | PROT_WRITE);
}

static void tryProtection() {
  Protected = mapped(4096, MAP_PRIVATE | MAP_ANONYMOUS, -1, false);
  Protected[0] = 1;
  struct sigaction Action = {};
  Action.sa_sigaction = unprotect;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &Action, nullptr);
  mprotect(Protected, 4096, PROT_READ);
  Protected[0] = 2;
  printf("mprotect: a store calls the handler: %s\n",
         Protected[0] == 2 ? "works" : "fails");
  mprotect(Protected, 4096, PROT_READ);
  printf("mprotect: read(2) into protected memory: %s\n",
         readInto(Protected, 4096));
  signal(SIGSEGV, SIG_DFL);
}

static void tryUserFault(const char *Who, int Flags) {
  int File = syscall(SYS_userfaultfd, O_CLOEXEC | Flags);
  printf("userfaultfd as %s%s: ", Who,
         Flags ? ", faults of user mode only" : "");
  if (File < 0) {
    printf("%s\n", strerror(errno));
    return;
  }
  uffdio_api Api = {UFFD_API, UFFD_FEATURE_PAGEFAULT_FLAG_WP, 0};
  if (ioctl(File, UFFDIO_API, &Api) != 0) {
    printf("no write protection: %s\n", strerror(errno));
    close(File);
    return;
  }
  char *At = mapped(4096, MAP_PRIVATE | MAP_ANONYMOUS, -1, false);
  At[0] = 1;
  uffdio_register Register = {
      {reinterpret_cast<unsigned long>(At), 4096}, UFFDIO_REGISTER_MODE_WP, 0};
  uffdio_writeprotect Protect = {{reinterpret_cast<unsigned long>(At), 4096},
                                 UFFDIO_WRITEPROTECT_MODE_WP};
  if (ioctl(File, UFFDIO_REGISTER, &Register) ||
      ioctl(File, UFFDIO_WRITEPROTECT, &Protect)) {
    printf("cannot protect: %s\n", strerror(errno));
    close(File);
    return;
  }
  std::thread Handler([&] {
    uffd_msg Message;
    if (read(File, &Message, sizeof(Message)) != sizeof(Message))
      return;
    Protect.mode = 0;
    ioctl(File, UFFDIO_WRITEPROTECT, &Protect);
  });
  if (!Flags) {
    printf("read(2) into protected memory: %s\n", readInto(At, 4096));
  } else {
    const char *Answer = readInto(At, 4096);
    printf("read(2) into protected memory: %s\n", Answer);
    At[0] = 2; // so that the handler ends
  }
  Handler.join();
  close(File);
}

static void asNobody(void (*Do)()) {
  fflush(stdout);
  pid_t Child = fork();
  if (Child == 0) {
    check(setgid(65534) == 0 && setuid(65534) == 0, "setuid");
    Do();
    fflush(stdout);
    _exit(0);
  }
  waitpid(Child, nullptr, 0);
}

static void perGiB(const char *What, double Begin, size_t Bytes) {
  printf("%-58s%8.4f s per GiB\n", What, (now() - Begin) / (Bytes / 0x1p30));
}

static void fill(char *At, size_t Bytes, int Value, unsigned Threads) {
  std::vector<std::thread> Others;
  for (unsigned T = 0; T < Threads; ++T)
    Others.emplace_back([=] {
      size_t Lo = Bytes / Threads * T;
      memset(At + Lo, Value, T + 1 == Threads ? Bytes - Lo : Bytes / Threads);
    });
  for (std::thread &T : Others)
    T.join();
}

static void trySnapshots(size_t Bytes, unsigned Threads) {
  int File = memfd_create("source", MFD_CLOEXEC);
  check(File >= 0 && ftruncate(File, Bytes) == 0, "memfd");
  double Begin = now();
  char *Plain = mapped(Bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, true);
  fill(Plain, Bytes, 1, Threads);
  perGiB("first touch, anonymous, huge pages", Begin, Bytes);
  Begin = now();
  char *Source = mapped(Bytes, MAP_SHARED, File, true);
  fill(Source, Bytes, 1, Threads);
  perGiB("first touch, shared file", Begin, Bytes);
  Begin = now();
  fill(Source, Bytes, 1, Threads);
  perGiB("written again", Begin, Bytes);
  Begin = now();
  check(mmap(Source, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
             File, 0) == Source,
        "snapshot");
  perGiB("snapshot: made private", Begin, Bytes);
  char *Kept = mapped(Bytes, MAP_SHARED, File, true);
  printf("read(2) into the source afterwards: %s; the snapshot %s\n",
         readInto(Source, 4096), Kept[0] == 1 ? "stays" : "CHANGES");
  Begin = now();
  fill(Source, Bytes, 2, Threads);
  perGiB("source written after the snapshot", Begin, Bytes);
  printf("snapshot after all writes: %s\n",
         Kept[0] == 1 && Kept[Bytes - 1] == 1 ? "right" : "WRONG");

  // Before a snapshot the source is shared with children too.
  Kept[0] = 1;
  fflush(stdout);
  pid_t Child = fork();
  if (Child == 0) {
    Kept[0] = 77;
    _exit(0);
  }
  waitpid(Child, nullptr, 0);
  printf("a child's write to a shared source: %s\n",
         Kept[0] == 77 ? "the parent sees it, unlike malloc's memory"
                       : "private");

  Begin = now();
  std::vector<std::thread> Others;
  for (unsigned T = 0; T < Threads; ++T)
    Others.emplace_back([=] {
      size_t Lo = Bytes / Threads * T;
      memcpy(Plain + Lo, Kept + Lo, Bytes / Threads);
    });
  for (std::thread &T : Others)
    T.join();
  perGiB("for comparison: copied to pages that exist", Begin, Bytes);
}

int main(int Argc, char **Argv) {
  size_t Bytes = size_t((Argc > 1 ? atof(Argv[1]) : 1) * 0x1p30);
  unsigned Threads = std::min(8u, std::thread::hardware_concurrency());
  printf("%u threads\n", Threads);
  tryProtection();
  tryUserFault(getuid() ? "this user" : "root", 0);
  tryUserFault(getuid() ? "this user" : "root", UFFD_USER_MODE_ONLY);
  if (getuid() == 0)
    asNobody([] {
      tryUserFault("an ordinary user", 0);
      tryUserFault("an ordinary user", UFFD_USER_MODE_ONLY);
    });
  trySnapshots(Bytes, Threads);
}

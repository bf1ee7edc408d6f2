//===- FileServerTest.cpp - Open files for other processes ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/support/FileServer.h"
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

using namespace gridspan;

/// Makes a file that holds one character.
static NotedFile fileOf(char Contents) {
  NotedFile Out;
  Out.File = FileDescriptor(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(pwrite(Out.File.get(), &Contents, 1, 0), 1);
  Out.Note.fill(std::byte(Contents));
  return Out;
}

static char contentsOf(const NotedFile &File) {
  char Out = 0;
  EXPECT_EQ(pread(File.File.get(), &Out, 1, 0), 1);
  return Out;
}

TEST(FileServer, GivesFilesToOtherProcesses) {
  FileServer &Server = FileServer::get();
  const auto First = Server.offer(fileOf('a')),
             Second = Server.offer(fileOf('b'));
  ASSERT_TRUE(First && Second);
  EXPECT_NE(*First, *Second);
  EXPECT_TRUE(Server.isOwn(*First));
  const pid_t Child = fork();
  if (Child == 0) {
    const auto A = FileServer::fetch(*First), B = FileServer::fetch(*Second);
    _exit(A && B && contentsOf(*A) == 'a' && contentsOf(*B) == 'b' &&
                  A->Note[7] == std::byte('a') && !Server.isOwn(*First)
              ? 0
              : 1);
  }
  int Status = 1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  Server.withdraw(*First);
  EXPECT_FALSE(FileServer::fetch(*First));
  EXPECT_TRUE(FileServer::fetch(*Second));
  Server.withdraw(*Second);
}

TEST(FileServer, ProcessesThatAreGoneAnswerNothing) {
  const auto Own = FileServer::get().offer(fileOf('c'));
  ASSERT_TRUE(Own);
  FileAddress Other = *Own;
  Other.Server ^= 1; // an earlier process of the same id
  EXPECT_FALSE(FileServer::fetch(Other));
  EXPECT_FALSE(FileServer::get().isOwn(Other));
  FileServer::get().withdraw(*Own);
}

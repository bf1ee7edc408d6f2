//===- HostMemoryTest.cpp - Free and total memory of the host -------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/backend/cuda/HostMemory.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace {

/// Files of a system, removed at the end.
class Files {
public:
  Files() {
    std::string Name = (std::filesystem::temp_directory_path() / "XXXXXX");
    Root = mkdtemp(Name.data());
  }
  ~Files() { std::filesystem::remove_all(Root); }
  void write(const std::string &Path, const std::string &Text) {
    const std::filesystem::path At = Root + Path;
    std::filesystem::create_directories(At.parent_path());
    std::ofstream(At) << Text;
  }
  void expect(size_t Free, size_t Total) {
    size_t GotFree = 0, GotTotal = 0;
    gridspan::cuda::hostMemoryInfo(GotFree, GotTotal, Root);
    EXPECT_EQ(GotFree, Free);
    EXPECT_EQ(GotTotal, Total);
  }

private:
  std::string Root;
};

} // namespace

TEST(HostMemory, KnowsWhatThereIs) {
  size_t Free = 0, Total = 0;
  gridspan::cuda::hostMemoryInfo(Free, Total);
  EXPECT_GT(Total, size_t(64) << 20);
  EXPECT_LE(Free, Total);
}

TEST(HostMemory, FilesThatTheGroupHasReadAreNotTaken) {
  Files F;
  F.write("/proc/meminfo", "MemTotal: 100 kB\nMemAvailable:  40 kB\n");
  F.expect(40 << 10, 100 << 10);
  F.write("/sys/fs/cgroup/memory.max", "max\n");
  F.write("/sys/fs/cgroup/memory.current", "700\n");
  F.expect(40 << 10, 100 << 10);
  F.write("/sys/fs/cgroup/memory.max", "1000\n");
  F.expect(300, 1000);
  F.write("/sys/fs/cgroup/memory.stat",
          "anon 200\nactive_file 100\ninactive_file 400\n");
  F.expect(700, 1000);
  F.write("/sys/fs/cgroup/memory.current", "300\n");
  F.expect(1000, 1000);
}

TEST(HostMemory, FirstVersionOfControlGroups) {
  Files F;
  F.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
  F.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "900\n");
  F.write("/sys/fs/cgroup/memory/memory.stat",
          "inactive_file 1\ntotal_inactive_file 50\n");
  F.expect(150, 1000);
  F.write("/sys/fs/cgroup/memory/memory.limit_in_bytes",
          "9223372036854771712\n");
  F.write("/proc/meminfo", "MemTotal: 100 kB\nMemAvailable:  40 kB\n");
  F.expect(40 << 10, 100 << 10);
}

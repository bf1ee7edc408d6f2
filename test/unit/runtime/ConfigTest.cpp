//===- ConfigTest.cpp - Parsing the environment ---------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "runtime/Config.h"
#include "runtime/Environment.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using namespace gridspan;

using Variables = std::map<std::string, std::string>;

static std::optional<Config> parse(const Variables &V, std::string &Message) {
  return parseConfig(
      [&](const char *Name) -> const char * {
        auto It = V.find(Name);
        return It == V.end() ? nullptr : It->second.c_str();
      },
      Message);
}

static Config good(const Variables &V) {
  std::string Message;
  std::optional<Config> C = parse(V, Message);
  EXPECT_TRUE(C) << Message;
  return C.value_or(Config());
}

TEST(Config, Defaults) {
  Config C = good({});
  EXPECT_EQ(C.Kind, DeviceKind::Default);
  EXPECT_EQ(C.Sched, Schedule::Auto);
  EXPECT_EQ(C.DeviceMemory, 0u);
  EXPECT_TRUE(C.Peer);
  EXPECT_FALSE(C.ReportTable);
}

TEST(Config, EmptyIsAsUnset) {
  EXPECT_EQ(good({{"GRIDSPAN_DEVICES", ""}}).Kind, DeviceKind::Default);
}

TEST(Config, Devices) {
  EXPECT_EQ(good({{"GRIDSPAN_DEVICES", "cpu"}}).NumCpuDevices, 1u);
  Config Cpu = good({{"GRIDSPAN_DEVICES", "cpu:4"}});
  EXPECT_EQ(Cpu.Kind, DeviceKind::Cpu);
  EXPECT_EQ(Cpu.NumCpuDevices, 4u);
  EXPECT_EQ(good({{"GRIDSPAN_DEVICES", "gpu"}}).Kind, DeviceKind::Gpu);
  EXPECT_EQ(good({{"GRIDSPAN_DEVICES", "gpu:0,2"}}).Gpus,
            (std::vector<int>{0, 2}));
  EXPECT_EQ(good({{"GRIDSPAN_DEVICES", "gpu:1*3,0"}}).Gpus,
            (std::vector<int>{1, 1, 1, 0}));
}

TEST(Config, OtherValues) {
  Config C = good({{"GRIDSPAN_DEVICE_MEMORY", "64MiB"},
                   {"GRIDSPAN_SCHEDULE", "static"},
                   {"GRIDSPAN_PEER", "0"},
                   {"GRIDSPAN_PRIMITIVES", "0"},
                   {"GRIDSPAN_REPORT", "out/report.json"}});
  EXPECT_EQ(C.DeviceMemory, 64u << 20);
  EXPECT_EQ(C.Sched, Schedule::Static);
  EXPECT_FALSE(C.Peer);
  EXPECT_FALSE(C.TakesCalls);
  EXPECT_TRUE(good({}).TakesCalls);
  EXPECT_EQ(C.ReportFile, "out/report.json");
  EXPECT_EQ(C.CopyThreads, std::nullopt);
  EXPECT_EQ(C.Progress, std::nullopt);
  EXPECT_EQ(good({{"GRIDSPAN_PROGRESS", "0"}}).Progress, false);
  EXPECT_EQ(good({{"GRIDSPAN_PROGRESS", "1"}}).Progress, true);
  EXPECT_EQ(good({{"GRIDSPAN_COPY_THREADS", "0"}}).CopyThreads, 0U);
  EXPECT_EQ(good({{"GRIDSPAN_COPY_THREADS", "12"}}).CopyThreads, 12U);
  EXPECT_FALSE(C.ReportTable);
  EXPECT_TRUE(good({{"GRIDSPAN_REPORT", "1"}}).ReportTable);
  EXPECT_TRUE(C.Learns);
  EXPECT_EQ(C.KeepsTimes, std::nullopt);
  EXPECT_FALSE(good({{"GRIDSPAN_LEARN", "0"}}).Learns);
  EXPECT_TRUE(good({{"GRIDSPAN_LEARN", "process"}}).Learns);
  EXPECT_EQ(good({{"GRIDSPAN_LEARN", "process"}}).KeepsTimes, false);
  EXPECT_TRUE(good({{"GRIDSPAN_LEARN", "1"}}).Learns);
  EXPECT_EQ(good({{"GRIDSPAN_LEARN", "1"}}).KeepsTimes, true);
  EXPECT_FALSE(C.KeepsFreed);
  EXPECT_EQ(good({{"GRIDSPAN_KEEP_FREED", "0"}}).KeepsFreed, false);
  EXPECT_EQ(good({{"GRIDSPAN_KEEP_FREED", "1"}}).KeepsFreed, true);
  EXPECT_TRUE(C.Forms);
  EXPECT_FALSE(good({{"GRIDSPAN_LAYOUT", "0"}}).Forms);
  EXPECT_EQ(C.Privates, PrivateCopyUse::Auto);
  for (const auto &[Value, Use] :
       {std::pair{"auto", PrivateCopyUse::Auto},
        std::pair{"integer", PrivateCopyUse::Integers},
        std::pair{"never", PrivateCopyUse::Never},
        std::pair{"always", PrivateCopyUse::Always}})
    EXPECT_EQ(good({{"GRIDSPAN_PRIVATE_COPIES", Value}}).Privates, Use);
  EXPECT_TRUE(C.CpuSpeeds.empty());
  EXPECT_EQ(good({{"GRIDSPAN_CPU_SPEEDS", "1,0.25"}}).CpuSpeeds,
            (std::vector<double>{1, 0.25}));
  EXPECT_EQ(C.CpuVectors, VectorLevel::Avx512);
  for (const auto &[Value, Level] : {std::pair{"0", VectorLevel::Program},
                                     std::pair{"1", VectorLevel::Avx512},
                                     std::pair{"avx2", VectorLevel::Avx2},
                                     std::pair{"avx512", VectorLevel::Avx512}})
    EXPECT_EQ(good({{"GRIDSPAN_CPU_WIDE", Value}}).CpuVectors, Level);
  EXPECT_EQ(C.CpuThreads, 0U);
  EXPECT_EQ(good({{"GRIDSPAN_CPU_THREADS", "3"}}).CpuThreads, 3U);
  EXPECT_EQ(good({{"GRIDSPAN_SCHEDULE", "single"}}).Sched, Schedule::Single);
  EXPECT_EQ(good({{"GRIDSPAN_SCHEDULE", "dynamic"}}).Sched, Schedule::Dynamic);
  C = good({{"GRIDSPAN_SCHEDULE", "hybrid"}});
  EXPECT_EQ(C.Sched, Schedule::Hybrid);
  EXPECT_EQ(C.StaticShare, DefaultStaticShare);
  C = good({{"GRIDSPAN_SCHEDULE", "hybrid:0.7"}});
  EXPECT_EQ(C.Sched, Schedule::Hybrid);
  EXPECT_EQ(C.StaticShare, 0.7);
  EXPECT_DOUBLE_EQ(good({{"GRIDSPAN_SCHEDULE", "hybrid:70%"}}).StaticShare,
                   0.7);
  EXPECT_EQ(good({{"GRIDSPAN_SCHEDULE", "hybrid:0"}}).StaticShare, 0);
  EXPECT_EQ(good({{"GRIDSPAN_SCHEDULE", "hybrid:100%"}}).StaticShare, 1);
}

TEST(Config, TracingAccessesUsesTheCpuDevice) {
  Config C = good({{"GRIDSPAN_TRACE_ACCESS", "trace"}});
  EXPECT_EQ(C.Kind, DeviceKind::Cpu);
  EXPECT_EQ(C.TraceAccessFile, "trace");
  EXPECT_TRUE(C.MovesPointers);
  std::string Message;
  EXPECT_FALSE(
      parse({{"GRIDSPAN_TRACE_ACCESS", "trace"}, {"GRIDSPAN_DEVICES", "gpu"}},
            Message));
  EXPECT_NE(Message.find("cpu:1"), std::string::npos);
}

TEST(Config, CheckingUsesTheCpuDevice) {
  EXPECT_FALSE(good({}).Check);
  EXPECT_FALSE(good({{"GRIDSPAN_CHECK", "0"}}).Check);
  Config C =
      good({{"GRIDSPAN_CHECK", "1"}, {"GRIDSPAN_PRIVATE_COPIES", "always"}});
  EXPECT_TRUE(C.Check);
  EXPECT_FALSE(C.CheckContents);
  EXPECT_TRUE(good({{"GRIDSPAN_CHECK", "uninitialized"}}).Check);
  EXPECT_TRUE(good({{"GRIDSPAN_CHECK", "uninitialized"}}).CheckContents);
  EXPECT_EQ(C.Privates, PrivateCopyUse::Never);
  EXPECT_FALSE(C.Replicas);
  EXPECT_FALSE(C.Forms);
  EXPECT_FALSE(C.MovesPointers);
  EXPECT_FALSE(C.Chains);
  EXPECT_EQ(C.Kind, DeviceKind::Cpu);
  std::string Message;
  EXPECT_FALSE(
      parse({{"GRIDSPAN_CHECK", "1"}, {"GRIDSPAN_DEVICES", "gpu"}}, Message));
  EXPECT_NE(Message.find("GRIDSPAN_CHECK needs the CPU device"),
            std::string::npos);
}

TEST(Config, UnknownNamesAreToldWithTheNearest) {
  const char *Variables[] = {"PATH=/bin",
                             "GRIDSPAN_SCHEDULE=auto",
                             "GRIDSPAN_SHEDULE=static",
                             "GRIDSPAN_DEVICE=cpu:2",
                             "GRIDSPAN_COLOURS=1",
                             "GRIDSPAN_CACHE_DIR=/tmp",
                             nullptr};
  EXPECT_THAT(
      unknownVariables(Variables),
      testing::ElementsAre(
          "GRIDSPAN_COLOURS is not a variable of Gridspan",
          "GRIDSPAN_DEVICE is not a variable of Gridspan; did you mean "
          "GRIDSPAN_DEVICES?",
          "GRIDSPAN_SHEDULE is not a variable of Gridspan; did you mean "
          "GRIDSPAN_SCHEDULE?"));
  EXPECT_TRUE(unknownVariables(nullptr).empty());
}

TEST(Config, FilesThatCannotBeWritten) {
  EXPECT_EQ(whyNotWritable("report.json"), "");
  EXPECT_EQ(whyNotWritable("/tmp/report.json"), "");
  EXPECT_EQ(whyNotWritable("/nonexistent/report.json"),
            "No such file or directory");
  EXPECT_EQ(whyNotWritable("/tmp"), "Is a directory");
}

TEST(Config, BadValuesAreRefusedByName) {
  const std::pair<const char *, const char *> Bad[] = {
      {"GRIDSPAN_DEVICES", "tpu"},
      {"GRIDSPAN_DEVICES", "cpu:0"},
      {"GRIDSPAN_DEVICES", "cpu:-1"},
      {"GRIDSPAN_DEVICES", "cpu:4x"},
      {"GRIDSPAN_DEVICES", "cpu:"},
      {"GRIDSPAN_DEVICES", "cpu:1000"},
      {"GRIDSPAN_DEVICES", "gpu:"},
      {"GRIDSPAN_DEVICES", "gpu:0,"},
      {"GRIDSPAN_DEVICES", "gpu:0,0"},
      {"GRIDSPAN_DEVICES", "gpu:0*2,0"},
      {"GRIDSPAN_DEVICES", "gpu:0*0"},
      {"GRIDSPAN_DEVICES", "gpu:0*"},
      {"GRIDSPAN_DEVICES", "gpu:0*1000"},
      {"GRIDSPAN_DEVICES", "gpu:*2"},
      {"GRIDSPAN_DEVICES", "gpu:-1"},
      {"GRIDSPAN_DEVICE_MEMORY", "64"},
      {"GRIDSPAN_DEVICE_MEMORY", "0MiB"},
      {"GRIDSPAN_DEVICE_MEMORY", "MiB"},
      {"GRIDSPAN_DEVICE_MEMORY", "-1MiB"},
      {"GRIDSPAN_DEVICE_MEMORY", "6mib"},
      {"GRIDSPAN_SCHEDULE", "fast"},
      {"GRIDSPAN_LEARN", "yes"},
      {"GRIDSPAN_KEEP_FREED", "2"},
      {"GRIDSPAN_PRIVATE_COPIES", "1"},
      {"GRIDSPAN_LAYOUT", "2"},
      {"GRIDSPAN_SCHEDULE", "hybrid:"},
      {"GRIDSPAN_SCHEDULE", "hybrid:1.5"},
      {"GRIDSPAN_SCHEDULE", "hybrid:-1"},
      {"GRIDSPAN_SCHEDULE", "hybrid:nan"},
      {"GRIDSPAN_SCHEDULE", "hybrid:70%%"},
      {"GRIDSPAN_SCHEDULE", "static:0.5"},
      {"GRIDSPAN_CPU_SPEEDS", "0"},
      {"GRIDSPAN_CPU_SPEEDS", "1,"},
      {"GRIDSPAN_CPU_SPEEDS", "1.5"},
      {"GRIDSPAN_CPU_SPEEDS", "fast"},
      {"GRIDSPAN_CPU_THREADS", "0"},
      {"GRIDSPAN_CPU_THREADS", "-1"},
      {"GRIDSPAN_CPU_THREADS", "1025"},
      {"GRIDSPAN_CPU_THREADS", "all"},
      {"GRIDSPAN_CPU_WIDE", "2"},
      {"GRIDSPAN_CPU_WIDE", "avx"},
      {"GRIDSPAN_PEER", "yes"},
      {"GRIDSPAN_PRIMITIVES", "2"},
      {"GRIDSPAN_REPORT", "2"},
      {"GRIDSPAN_REPORT", "report.txt"},
      {"GRIDSPAN_COPY_THREADS", "-1"},
      {"GRIDSPAN_TRACE", "1"},
      {"GRIDSPAN_COPY_THREADS", "all"},
      {"GRIDSPAN_COPY_THREADS", "1025"},
      {"GRIDSPAN_CHECK", "2"},
  };
  for (const auto &[Name, Value] : Bad) {
    std::string Message;
    EXPECT_FALSE(parse({{Name, Value}}, Message)) << Name << "=" << Value;
    EXPECT_EQ(Message.find(std::string(Name) + "=" + Value), 0u) << Message;
  }
}

TEST(Config, Bytes) {
  EXPECT_EQ(parseBytes("1B"), 1u);
  EXPECT_EQ(parseBytes("3KiB"), 3u << 10);
  EXPECT_EQ(parseBytes("2TiB"), uint64_t(2) << 40);
  EXPECT_FALSE(parseBytes("99999999999999999999B"));
  EXPECT_FALSE(parseBytes("99999999999TiB"));
}

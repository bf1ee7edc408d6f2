//===- SectorCheckTest.cpp ------------------------------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gridspan-check-ranges/SectorCheck.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace gridspan;

namespace {

/// Reads p[threadIdx.x] at site 1.
constexpr char Text[] = R"(
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %at = getelementptr float, ptr %p, i64 %i
  %v = load volatile float, ptr %at, align 4, !gridspan.site !1
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{i32 1}
)";

class SectorCheckTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::LLVMContext Context;
    llvm::SMDiagnostic Error;
    auto M = llvm::parseAssemblyString(Text, Error, Context);
    ASSERT_TRUE(M) << Error.getMessage().str();
    std::string Bitcode;
    llvm::raw_string_ostream OS(Bitcode);
    llvm::WriteBitcodeToFile(*M, OS);
    OS.flush();
    llvm::Error Failed = Check.add(Bitcode);
    ASSERT_FALSE(bool(Failed)) << toString(std::move(Failed));

    Kernel.Name = "k";
    Kernel.Params = {{0, 8}};
    Launch.Kernel = "k";
    Launch.GridDim = Launch.BlockCount = {1, 1, 1};
    Launch.BlockDim = {32, 1, 1};
    Launch.Parameters.resize(8);
    std::memcpy(Launch.Parameters.data(), &Base, 8);
    setStride(4);
  }

  void setStride(uint64_t Bytes) {
    TracedRequest R;
    R.Site = 1;
    R.Mode = GridspanRead;
    R.Bytes = 4;
    R.LaneMask = ~0U;
    for (unsigned Lane = 0; Lane != 32; ++Lane)
      R.Addresses.push_back(Base + Bytes * Lane);
    Requests = {R};
  }

  SectorStatistics run() const {
    SectorStatistics Out;
    Check.check(Kernel, Launch, Requests, Out);
    return Out;
  }

  static constexpr uint64_t Base = 0x10000;
  SectorCheck Check;
  KernelSummary Kernel;
  TracedLaunch Launch;
  std::vector<TracedRequest> Requests;
};

} // namespace

TEST_F(SectorCheckTest, AcceptsTheTruth) {
  SectorStatistics S = run();
  EXPECT_EQ(S.Sites, 1u);
  EXPECT_EQ(S.Unknown, 0u);
  EXPECT_EQ(S.Exact, 1u);
  EXPECT_EQ(S.Sectors, 4);
  EXPECT_TRUE(S.Violations.empty());
}

TEST_F(SectorCheckTest, FindsOtherSectors) {
  setStride(8);
  SectorStatistics S = run();
  EXPECT_EQ(S.Sectors, 8);
  ASSERT_EQ(S.Violations.size(), 1u);
  EXPECT_EQ(S.Violations[0].Site, 1u);
}

TEST_F(SectorCheckTest, FindsMissingRequests) {
  Requests.clear();
  EXPECT_EQ(run().Violations.size(), 1u);
}

TEST_F(SectorCheckTest, KnowsTheBasesAlignment) {
  // 16 bytes into a sector: the warp ends in a fifth one.
  const uint64_t Shifted = Base + 16;
  std::memcpy(Launch.Parameters.data(), &Shifted, 8);
  for (uint64_t &Address : Requests[0].Addresses)
    Address += 16;
  SectorStatistics S = run();
  EXPECT_EQ(S.Sectors, 5);
  EXPECT_TRUE(S.Violations.empty());
}

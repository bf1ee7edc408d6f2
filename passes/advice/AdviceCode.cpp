//===- AdviceCode.cpp - Advice once more, for other launches --------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code is the bitcode of the module as the advice pass found it, framed as
// what travels in fat binaries (compressed, with a checksum), in base 64. The
// advice is computed by the pass's own functions, with the analyses that clang
// would give them for the same target. So the numbers are those of another
// compilation with these options.
//
//===----------------------------------------------------------------------===//

#include "passes/advice/AdviceCode.h"
#include "analysis/advice/AdviceFile.h"
#include "analysis/nvptx/AnalysisManagers.h"
#include "analysis/nvptx/Kernels.h"
#include "analysis/summary/Access.h"
#include "analysis/summary/Payload.h"
#include "passes/advice/AdviceOptions.h"
#include "passes/advice/AdvicePass.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace gridspan {

json::Object adviceCode(const Module &M, const AdviceOrigin &Origin) {
  std::string Bitcode;
  raw_string_ostream OS(Bitcode);
  WriteBitcodeToFile(M, OS);
  OS.flush();
  return json::Object{
      {"source", Origin.Source},
      {"directory", Origin.Directory},
      {"target", Origin.Target},
      {"build", Origin.Build},
      {"options", json::Array(givenAdviceOptions())},
      {"code", encodeBase64(framePayload(PayloadKind::Bitcode, Bitcode,
                                         /*Compress=*/true))}};
}

static Expected<std::unique_ptr<Module>> moduleOf(const json::Object &Code,
                                                  LLVMContext &Context) {
  std::vector<char> Bytes;
  if (Error Failed = decodeBase64(Code.getString("code").value_or(""), Bytes))
    return std::move(Failed);
  Expected<std::vector<Payload>> Found =
      findPayloads(StringRef(Bytes.data(), Bytes.size()));
  if (!Found)
    return Found.takeError();
  if (Found->size() != 1 || Found->front().Kind != PayloadKind::Bitcode)
    return createStringError("no device code");
  return parseBitcodeFile(MemoryBufferRef(Found->front().Contents, "advice"),
                          Context);
}

static std::unique_ptr<TargetMachine> targetMachine(const Module &M,
                                                    StringRef Arch) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  return std::unique_ptr<TargetMachine>(
      T ? T->createTargetMachine(M.getTargetTriple(), Arch, "", {},
                                 std::nullopt)
        : nullptr);
}

static Error setOptions(const json::Object &Code, ArrayRef<std::string> More) {
  std::vector<std::string> Words = {"gridspan-advice"};
  if (const json::Array *Given = Code.getArray("options"))
    for (const json::Value &Option : *Given)
      Words.push_back(Option.getAsString().value_or("").str());
  Words.insert(Words.end(), More.begin(), More.end());
  std::vector<const char *> Pointers;
  for (const std::string &Word : Words)
    Pointers.push_back(Word.c_str());
  std::string Message;
  raw_string_ostream OS(Message);
  cl::ResetAllOptionOccurrences();
  if (!cl::ParseCommandLineOptions(int(Pointers.size()), Pointers.data(), "",
                                   &OS))
    return createStringError(OS.str());
  return Error::success();
}

Expected<json::Object> adviceAgain(const json::Object &Code,
                                   ArrayRef<std::string> More,
                                   MeasuredKernels Measured) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  if (Error Failed = setOptions(Code, More))
    return std::move(Failed);
  LLVMContext Context;
  Expected<std::unique_ptr<Module>> M = moduleOf(Code, Context);
  if (!M)
    return M.takeError();
  AdviceOrigin Origin;
  Origin.Source = Code.getString("source").value_or("");
  Origin.Directory = Code.getString("directory").value_or("");
  Origin.Target = Code.getString("target").value_or("");
  Origin.Build = Code.getString("build").value_or("");
  std::unique_ptr<TargetMachine> Target = targetMachine(**M, Origin.Target);
  PassBuilder PB(Target.get());
  PB.registerAnalysisRegistrationCallback([](FunctionAnalysisManager &FAM) {
    FAM.registerPass([] { return KernelSummaryAnalysis(); });
  });
  AnalysisManagers Managers(PB);
  return adviceOn(**M, Managers.Module, Origin, std::move(Measured));
}

} // namespace gridspan

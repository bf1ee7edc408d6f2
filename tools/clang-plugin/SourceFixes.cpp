//===- SourceFixes.cpp - Sources as clang takes them ----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives clang other contents of the files that it is about to read, where they
// have forms that only nvcc takes (NvccForms.h): of the main file before it is
// parsed, and of each of the program's headers before it is entered. Headers of
// the system, among them CUDA's, stay as they are. Diagnostics show the text as
// clang got it. Pragmas for nvcc's front end are ignored.
//
// Precondition of clang's: the size of a file that it knows may not change.
//
//===----------------------------------------------------------------------===//

#include "tools/clang-plugin/BeforeMainAction.h"
#include "tools/clang-plugin/NvccForms.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace {

/// Rewrites each file once.
class FileFixes : public PPCallbacks {
public:
  explicit FileFixes(SourceManager &Sources) : Sources(Sources) {}

  void fix(FileEntryRef File) {
    if (!Seen.insert(&File.getFileEntry()).second)
      return;
    std::optional<llvm::MemoryBufferRef> Text =
        Sources.getMemoryBufferForFileOrNone(File);
    if (!Text)
      return; // clang says what is wrong with it
    std::optional<std::string> Fixed =
        gridspan::rewriteNvccForms(Text->getBuffer());
    if (Fixed)
      Sources.overrideFileContents(File,
                                   llvm::MemoryBuffer::getMemBufferCopy(
                                       *Fixed, Text->getBufferIdentifier()));
  }

  void InclusionDirective(SourceLocation, const Token &, llvm::StringRef, bool,
                          CharSourceRange, OptionalFileEntryRef File,
                          llvm::StringRef, llvm::StringRef, const Module *,
                          bool, SrcMgr::CharacteristicKind Kind) override {
    if (File && Kind == SrcMgr::C_User)
      fix(*File);
  }

private:
  SourceManager &Sources;
  llvm::DenseSet<const FileEntry *> Seen;
};

/// Pragmas that concern nvcc's own front end. What clang does not know it warns
/// of, which is an error with -Wall and -Werror.
constexpr llvm::StringLiteral IgnoredPragmas[] = {
    "nv_diag_suppress", "nv_diag_error",      "nv_diag_warning",
    "nv_diag_remark",   "nv_diag_default",    "nv_diag_once",
    "nv_diagnostic",    "diag_suppress",      "diag_error",
    "diag_warning",     "diag_remark",        "diag_default",
    "diag_once",        "hd_warning_disable", "nv_exec_check_disable",
};

class SourceFixesAction : public gridspan::BeforeMainAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 llvm::StringRef) override {
    SourceManager &Sources = CI.getSourceManager();
    auto Fixes = std::make_unique<FileFixes>(Sources);
    if (OptionalFileEntryRef Main =
            Sources.getFileEntryRefForID(Sources.getMainFileID()))
      Fixes->fix(*Main);
    Preprocessor &Preprocessor = CI.getPreprocessor();
    Preprocessor.addPPCallbacks(std::move(Fixes));
    for (const llvm::StringRef Pragma : IgnoredPragmas)
      Preprocessor.AddPragmaHandler(new EmptyPragmaHandler(Pragma));
    return std::make_unique<ASTConsumer>();
  }
};

} // namespace

static FrontendPluginRegistry::Add<SourceFixesAction>
    Action("gridspan-source-fixes", "Forms of source text that nvcc takes");

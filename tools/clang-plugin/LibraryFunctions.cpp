//===- LibraryFunctions.cpp - Functions of C that programs define ---------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gridspan_constexpr.h has strlen and its kin for devices, under names of its
// own and with the symbols of C's. A program may have a device function of such
// a name itself, extern "C", perhaps in another file. Then the header's is not
// generated: it is made an inline function that another file defines. What
// clang makes of __builtin_strlen calls the program's, as with nvcc.
//
// Source: clang's ASTContext::GetGVALinkageForFunction and
// CodeGenModule::shouldEmitFunction, which leaves such a function out if it is
// not to be inlined either.
//
//===----------------------------------------------------------------------===//

#include "tools/clang-plugin/BeforeMainAction.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;

namespace {

class LibraryFunctions : public ASTConsumer {
public:
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      note(*D);
    return true;
  }

private:
  /// Of what is within extern "C" {}, clang tells only as a whole.
  void note(Decl &D) {
    if (auto *Linkage = dyn_cast<LinkageSpecDecl>(&D))
      for (Decl *Inside : Linkage->decls())
        note(*Inside);
    const auto *F = dyn_cast<FunctionDecl>(&D);
    if (!F || !F->getASTContext().getLangOpts().CUDAIsDevice ||
        !F->hasAttr<CUDADeviceAttr>() || !F->isExternC() ||
        !F->getIdentifier() || F->hasAttr<AsmLabelAttr>())
      return;
    ASTContext &Context = F->getASTContext();
    const IdentifierInfo &Name =
        Context.Idents.get(("__gridspan_" + F->getName()).str());
    for (NamedDecl *Found : Context.getTranslationUnitDecl()->lookup(&Name))
      if (auto *OfHeader = dyn_cast<FunctionDecl>(Found))
        for (FunctionDecl *Declaration : OfHeader->redecls())
          leaveOut(*Declaration);
  }

  static void leaveOut(FunctionDecl &F) {
    if (F.hasAttr<GNUInlineAttr>())
      return;
    F.addAttr(GNUInlineAttr::CreateImplicit(F.getASTContext()));
    F.addAttr(NoInlineAttr::CreateImplicit(F.getASTContext()));
  }
};

class LibraryFunctionsAction : public gridspan::BeforeMainAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 llvm::StringRef) override {
    return std::make_unique<LibraryFunctions>();
  }
};

} // namespace

static FrontendPluginRegistry::Add<LibraryFunctionsAction>
    Action("gridspan-library-functions",
           "Functions of C that programs have for devices");

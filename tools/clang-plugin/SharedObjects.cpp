//===- SharedObjects.cpp - __shared__ objects with constructors -----------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc takes shared variables of types whose default constructor does something
// (cuda::barrier, complex numbers, members with initializers), and does not run
// it: the memory is uninitialized, and a program initializes it itself. To
// clang such a variable is an error.
//
// gridspan_nvcc_compat.h gives __shared__ a second attribute, gridspan_shared.
// Where clang would refuse, its handler takes the first attribute away. So the
// front end sees an ordinary local variable. Before code is generated for a
// function, its variables become what they are: shared, static, uninitialized.
//
// This is sound unless the front end treats the two kinds of variables
// differently in between. It does so for lambdas, which capture locals: by
// reference that makes no difference, a capture by copy is an error here.
// References to the variable in the template that is instantiated are left.
//
// Source: clang's SemaCUDA::checkAllowedInitializer; CUDA C++ Programming
// Guide, "Device Memory Space Specifiers", on variables of class types.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;

/// What marks a variable from the attribute's handler to code generation.
static constexpr llvm::StringLiteral Mark = "gridspan.shared";

/// Functions, and patterns of functions, that have marked variables.
static llvm::DenseSet<const FunctionDecl *> &marked() {
  static llvm::DenseSet<const FunctionDecl *> Functions;
  return Functions;
}

static bool isMarked(const VarDecl &V) {
  return llvm::any_of(
      V.specific_attrs<AnnotateAttr>(),
      [](const AnnotateAttr *A) { return A->getAnnotation() == Mark; });
}

//===--- The attribute --------------------------------------------------===//

/// Returns true if clang would refuse a shared variable of the type. Of types
/// that depend on a template's parameters those are taken for such that are
/// specializations of class templates.
static bool isRefused(Sema &S, const VarDecl &V) {
  const QualType Type = S.Context.getBaseElementType(V.getType());
  if (Type->isDependentType())
    return Type->getAs<TemplateSpecializationType>() ||
           Type->getAs<InjectedClassNameType>();
  if (!S.isCompleteType(V.getLocation(), Type))
    return false;
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  return Class && (!Class->hasTrivialDefaultConstructor() ||
                   !Class->hasTrivialDestructor());
}

namespace {

struct SharedAttribute : ParsedAttrInfo {
  SharedAttribute() {
    static constexpr Spelling Names[] = {
        {ParsedAttr::AS_GNU, "gridspan_shared"}};
    Spellings = Names;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D,
                                   const ParsedAttr &) const override {
    auto *V = dyn_cast<VarDecl>(D);
    // An error of clang's has been said, or the variable needs no help.
    if (!V || !V->hasAttr<CUDASharedAttr>() || !V->isLocalVarDecl() ||
        V->hasExternalStorage() || !isRefused(S, *V))
      return AttributeApplied;
    V->dropAttr<CUDASharedAttr>();
    V->setStorageClass(SC_None);
    V->addAttr(AnnotateAttr::CreateImplicit(S.Context, Mark, nullptr, 0));
    for (const DeclContext *In = V->getDeclContext(); In; In = In->getParent())
      if (const auto *F = dyn_cast<FunctionDecl>(In))
        marked().insert(F->getCanonicalDecl());
    return AttributeApplied;
  }
};

//===--- The functions --------------------------------------------------===//

/// Turns the marked variables of functions into shared ones.
class Conversion : public RecursiveASTVisitor<Conversion> {
public:
  explicit Conversion(ASTContext &Context) : Context(Context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitVarDecl(VarDecl *V) {
    if (!isMarked(*V) || V->getDeclContext()->isDependentContext())
      return true;
    V->dropAttr<AnnotateAttr>();
    V->addAttr(CUDASharedAttr::CreateImplicit(Context));
    V->setInit(nullptr);
    V->setStorageClass(SC_Static);
    // Variables of one name in several blocks are told apart by it.
    if (V->getDeclName().isIdentifier())
      Context.setManglingNumber(V, ++Numbers[V->getName()]);
    Converted.insert(V);
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *L) {
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByCopy)
        Copied.push_back(&C);
    return true;
  }

  void check() const {
    DiagnosticsEngine &Diagnostics = Context.getDiagnostics();
    const unsigned Id = Diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error,
        "gridspan: a lambda captures the __shared__ variable %0 by copy; "
        "capture it by reference");
    for (const LambdaCapture *C : Copied) {
      const auto *V = dyn_cast<VarDecl>(C->getCapturedVar());
      if (V && Converted.contains(V))
        Diagnostics.Report(C->getLocation(), Id) << V;
    }
  }

private:
  ASTContext &Context;
  llvm::StringMap<unsigned> Numbers;
  llvm::DenseSet<const VarDecl *> Converted;
  std::vector<const LambdaCapture *> Copied;
};

/// Sees functions before code is generated for them.
class SharedObjects : public ASTConsumer {
public:
  void Initialize(ASTContext &C) override { Context = &C; }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      convert(dyn_cast<FunctionDecl>(D));
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override { convert(F); }

private:
  void convert(FunctionDecl *F) {
    // Host code has no kernels, only their stubs.
    if (!F || marked().empty() || !Context->getLangOpts().CUDAIsDevice)
      return;
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    if (!marked().contains((Pattern ? Pattern : F)->getCanonicalDecl()))
      return;
    Conversion C(*Context);
    C.TraverseDecl(F);
    C.check();
  }

  ASTContext *Context = nullptr;
};

class SharedObjectsAction : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 llvm::StringRef) override {
    return std::make_unique<SharedObjects>();
  }
  bool ParseArgs(const CompilerInstance &,
                 const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

} // namespace

static ParsedAttrInfoRegistry::Add<SharedAttribute>
    Attribute("gridspan_shared", "A __shared__ variable as nvcc has them");
static FrontendPluginRegistry::Add<SharedObjectsAction>
    Action("gridspan-shared-objects", "__shared__ objects with constructors");

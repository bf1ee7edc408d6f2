//===- HostCalls.cpp - Host functions that kernels get to -----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may call a __host__ __device__ function that calls a host function,
// as long as it does not get there at run time: error handling often is such.
// nvcc warns, and takes the call for one that is never reached. clang has an
// error, which it puts off until it knows that the function is called.
//
// Before clang says what it has put off, such errors become warnings here, and
// in the device compilation the host functions get another body, which ends the
// kernel: a kernel that does get there fails instead of going on with anything.
// They are inline, so that only those that kernels get to are generated.
//
// What stays an error: host variables, as with nvcc, and constexpr functions,
// which clang may have to evaluate. The action's argument "error" keeps clang's
// errors, and "silent" leaves out the warnings.
//
// Source: clang's Sema::emitDeferredDiags and SemaCUDA::CheckCall.
//
//===----------------------------------------------------------------------===//

#include "tools/clang-plugin/BeforeMainAction.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace {

/// Names what a diagnostic keeps its arguments in.
struct Arguments : PartialDiagnostic {
  static const DiagnosticStorage *of(const PartialDiagnostic &Diagnostic) {
    return Diagnostic.*(&Arguments::DiagStorage);
  }
};

enum class Treatment { Warn, Error, Silent };

class HostCalls : public ExternalSemaSource {
public:
  HostCalls(Sema &S, Treatment Calls)
      : S(S), Calls(Calls),
        Warning(S.Diags.getCustomDiagID(
            DiagnosticsEngine::Warning,
            "gridspan: %0 is a host function, which a kernel gets to; a "
            "kernel that calls it ends with an error")) {}

  /// clang calls it directly before it says what it has put off.
  void
  ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<Decl *, 4> &) override {
    if (S.getLangOpts().CUDAIsDevice)
      for (auto &[Caller, Diagnostics] : S.DeviceDeferredDiags)
        if (isForBoth(*Caller))
          replace(Diagnostics);
  }

private:
  /// Returns true if the program says so, or has clang write the function, or
  /// if it is a lambda within such a function.
  static bool isForBoth(const FunctionDecl &F) {
    const auto *Host = F.getAttr<CUDAHostAttr>();
    const auto *Device = F.getAttr<CUDADeviceAttr>();
    if (!Host || !Device)
      return false;
    if (F.isDefaulted() || !(Host->isImplicit() || Device->isImplicit()))
      return true;
    const auto *Method = dyn_cast<CXXMethodDecl>(&F);
    if (!Method || !Method->getParent()->isLambda())
      return false;
    const auto *Around =
        dyn_cast<FunctionDecl>(Method->getParent()->getDeclContext());
    return Around && isForBoth(*Around);
  }

  /// Returns the function that a reference from the wrong side is to, if it can
  /// be given another body.
  static FunctionDecl *hostFunction(const PartialDiagnostic &Diagnostic) {
    if (Diagnostic.getDiagID() != diag::err_ref_bad_target)
      return nullptr;
    const DiagnosticStorage *Storage = Arguments::of(Diagnostic);
    for (unsigned I = 0; Storage && I < Storage->NumDiagArgs; ++I)
      if (Storage->DiagArgumentsKind[I] == DiagnosticsEngine::ak_nameddecl) {
        auto *F = dyn_cast<FunctionDecl>(
            reinterpret_cast<NamedDecl *>(Storage->DiagArgumentsVal[I]));
        if (!F || F->hasAttr<CUDAGlobalAttr>() || F->isConstexpr() ||
            F->isDeleted())
          return nullptr;
        return F;
      }
    return nullptr;
  }

  /// Returns true for functions of C that gridspan_constexpr.h has for devices,
  /// under a name of its own and with the symbol of C's.
  bool isOnDevices(const FunctionDecl &F) const {
    if (!F.isExternC() || !F.getIdentifier())
      return false;
    ASTContext &Context = S.getASTContext();
    const IdentifierInfo &Name =
        Context.Idents.get(("__gridspan_" + F.getName()).str());
    return !Context.getTranslationUnitDecl()->lookup(&Name).empty();
  }

  void replace(std::vector<PartialDiagnosticAt> &Diagnostics) {
    std::vector<PartialDiagnosticAt> Kept;
    bool IsLeftOut = false; // with the notes that belong to it
    for (PartialDiagnosticAt &D : Diagnostics) {
      if (IsLeftOut && D.second.getDiagID() == diag::note_previous_decl)
        continue;
      FunctionDecl *F = hostFunction(D.second);
      IsLeftOut = F && isOnDevices(*F);
      if (F && !IsLeftOut && Calls != Treatment::Error && endsKernel(*F)) {
        D.second.Reset(Warning);
        D.second << F;
        IsLeftOut = Calls == Treatment::Silent;
      }
      if (!IsLeftOut)
        Kept.push_back(std::move(D));
    }
    Diagnostics = std::move(Kept);
  }

  /// Gives F, which is no function of the device, a body that ends the kernel.
  /// It has no end, where a destructor would go on with members.
  bool endsKernel(FunctionDecl &F) {
    if (F.hasAttr<CUDADeviceAttr>())
      return Ended.contains(&F);
    FunctionDecl *Definition = F.getDefinition();
    if (!Definition && F.isDefaulted())
      return false;
    if (!Definition)
      Definition = &F;
    const SourceLocation Where = Definition->getLocation();
    Stmt *Trap =
        S.BuildBuiltinCallExpr(Where, Builtin::BI__builtin_trap, std::nullopt);
    if (!Trap)
      return false;
    ASTContext &Context = S.getASTContext();
    Stmt *Forever = new (Context)
        ForStmt(Context, nullptr, nullptr, nullptr, nullptr,
                new (Context) NullStmt(Where), Where, Where, Where);
    Definition->setBody(CompoundStmt::Create(
        Context, {Trap, Forever}, FPOptionsOverride(), Where, Where));
    if (auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition)) {
      Constructor->setNumCtorInitializers(0);
      Constructor->setCtorInitializers(nullptr);
    }
    Definition->setImplicitlyInline();
    for (FunctionDecl *Declaration : F.redecls()) {
      Declaration->addAttr(CUDADeviceAttr::CreateImplicit(Context));
      Ended.insert(Declaration);
    }
    S.Consumer.HandleTopLevelDecl(DeclGroupRef(Definition));
    return true;
  }

  Sema &S;
  const Treatment Calls;
  const unsigned Warning;
  llvm::DenseSet<const FunctionDecl *> Ended;
};

class HostCallsConsumer : public SemaConsumer {
public:
  explicit HostCallsConsumer(Treatment Calls) : Calls(Calls) {}

  void InitializeSema(Sema &S) override {
    S.addExternalSource(new HostCalls(S, Calls)); // which counts references
  }

private:
  const Treatment Calls;
};

class HostCallsAction : public gridspan::BeforeMainAction {
  bool ParseArgs(const CompilerInstance &,
                 const std::vector<std::string> &Arguments) override {
    for (const std::string &Argument : Arguments) {
      if (Argument != "error" && Argument != "silent")
        return false;
      Calls = Argument == "error" ? Treatment::Error : Treatment::Silent;
    }
    return true;
  }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 llvm::StringRef) override {
    return std::make_unique<HostCallsConsumer>(Calls);
  }

  Treatment Calls = Treatment::Warn;
};

} // namespace

static FrontendPluginRegistry::Add<HostCallsAction>
    Action("gridspan-host-calls", "Host functions that kernels get to");

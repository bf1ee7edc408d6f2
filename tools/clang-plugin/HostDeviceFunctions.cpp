//===- HostDeviceFunctions.cpp - __host__ __device__ as nvcc takes it -----===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A __host__ __device__ function may call host functions as long as no kernel
// gets there: nvcc warns at most. clang has an error for it if it generates
// device code for the function, which it does for each that other files might
// call. Without -rdc no other file can. So they are inline functions in device
// compilations, of which clang generates what is called.
//
// A program may define a function of the C library for both (strlen). To clang
// it cannot overload the library's, which is a host function. So in device
// compilations it is a device function beside that, and in host compilations
// the library's is for both, too, and is defined.
//
// gridspan_nvcc_compat.h adds the attribute to __host__ and to __device__; the
// second one of a declaration finds both.
//
// Source: clang's Sema::getEmissionStatus and SemaCUDA::checkTargetOverload.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

/// Returns the declaration of a system header for the host that F would have to
/// overload, or null.
static FunctionDecl *ofLibrary(Sema &S, const FunctionDecl &F) {
  if (!F.getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      !F.getIdentifier())
    return nullptr;
  ASTContext &Context = S.getASTContext();
  for (NamedDecl *D :
       Context.getTranslationUnitDecl()->lookup(F.getDeclName())) {
    auto *Known = dyn_cast<FunctionDecl>(D);
    if (Known && Known->isExternC() && !Known->hasAttr<CUDADeviceAttr>() &&
        S.getSourceManager().isInSystemHeader(Known->getLocation()) &&
        Context.hasSameFunctionTypeIgnoringExceptionSpec(Known->getType(),
                                                         F.getType()))
      return Known->getMostRecentDecl();
  }
  return nullptr;
}

namespace {

struct HostDeviceAttribute : ParsedAttrInfo {
  HostDeviceAttribute() {
    static constexpr Spelling Names[] = {
        {ParsedAttr::AS_GNU, "gridspan_host_device"}};
    Spellings = Names;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D,
                                   const ParsedAttr &) const override {
    auto *F = dyn_cast<FunctionDecl>(D);
    const LangOptions &Language = S.getLangOpts();
    if (!F || !F->hasAttr<CUDAHostAttr>() || !F->hasAttr<CUDADeviceAttr>())
      return AttributeApplied;
    const bool IsDevice = Language.CUDAIsDevice;
    if (IsDevice && !Language.GPURelocatableDeviceCode)
      F->setImplicitlyInline();
    FunctionDecl *Known = ofLibrary(S, *F);
    if (Known && IsDevice)
      F->dropAttr<CUDAHostAttr>();
    else if (Known) {
      Known->addAttr(CUDAHostAttr::CreateImplicit(S.getASTContext()));
      Known->addAttr(CUDADeviceAttr::CreateImplicit(S.getASTContext()));
    }
    return AttributeApplied;
  }
};

} // namespace

static ParsedAttrInfoRegistry::Add<HostDeviceAttribute>
    Attribute("gridspan_host_device",
              "A __host__ or __device__ of the program");

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
// gridspan_nvcc_compat.h adds the attribute to __host__ and to __device__; the
// second one of a declaration finds both.
//
// Source: clang's Sema::getEmissionStatus.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

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
    if (F && Language.CUDAIsDevice && !Language.GPURelocatableDeviceCode &&
        F->hasAttr<CUDAHostAttr>() && F->hasAttr<CUDADeviceAttr>())
      F->setImplicitlyInline();
    return AttributeApplied;
  }
};

} // namespace

static ParsedAttrInfoRegistry::Add<HostDeviceAttribute>
    Attribute("gridspan_host_device",
              "A __host__ or __device__ of the program");

//===- FatbinReader.cpp - Data from the device compilation ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang embeds the fat binary as a constant in section .nv_fatbin before the
// host pipeline runs. ptxas keeps the initializers of device globals as they
// are, so the frames of Payload.h lie in that constant. A fat binary for
// several architectures holds one frame for each. The frames are equal unless
// the source looks at __CUDA_ARCH__; a kernel that is not the same on all of
// them has the accesses of all, none of them exact.
//
//===----------------------------------------------------------------------===//

#include "passes/host/FatbinReader.h"
#include "analysis/summary/Payload.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gridspan;

static bool isFatbin(const GlobalVariable &G) {
  return G.hasSection() && G.getSection() == ".nv_fatbin" &&
         G.hasInitializer() && isa<ConstantDataArray>(G.getInitializer());
}

bool gridspan::hasFatbin(const Module &M) {
  return any_of(M.globals(), isFatbin);
}

static Expected<ModuleSummary> parseSummary(StringRef Text) {
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return Parsed.takeError();
  return moduleSummaryFromJSON(*Parsed);
}

Expected<DeviceCode> gridspan::readDeviceCode(const Module &M) {
  DeviceCode Code;
  std::vector<ModuleSummary> Summaries;
  for (const GlobalVariable &G : M.globals()) {
    if (!isFatbin(G))
      continue;
    auto *Bytes = cast<ConstantDataArray>(G.getInitializer());
    Expected<std::vector<Payload>> Payloads =
        findPayloads(Bytes->getRawDataValues());
    if (!Payloads)
      return Payloads.takeError();
    for (Payload &P : *Payloads) {
      // Bitcode of any architecture does: the CPU device is none of them.
      if (P.Kind == PayloadKind::Bitcode && Code.Bitcode.empty())
        Code.Bitcode = std::move(P.Contents);
      if (P.Kind != PayloadKind::Summary)
        continue;
      Expected<ModuleSummary> Summary = parseSummary(P.Contents);
      if (!Summary)
        return Summary.takeError();
      Summaries.push_back(std::move(*Summary));
    }
  }
  if (!Summaries.empty())
    Code.Summary = mergeArchitectures(Summaries);
  return Code;
}

static void clearRecording(KernelSummary &Kernel) {
  Kernel.RecordingName.clear();
  Kernel.Probes.clear();
}

static void clearForms(KernelSummary &Kernel) {
  Kernel.FormedName.clear();
  Kernel.FormedNoAliasName.clear();
  for (PointerSummary &P : Kernel.Pointers)
    P.Form = {};
}

static void clearClones(KernelSummary &Kernel) {
  Kernel.CloneName.clear();
  Kernel.NoAliasName.clear();
  Kernel.TiledNoAliasName.clear();
  Kernel.PackedName.clear();
  clearRecording(Kernel);
  clearForms(Kernel);
}

/// Equal but for their refusals, and what the code takes of an architecture.
static bool haveSameFacts(const KernelSummary &A, const KernelSummary &B) {
  auto Facts = [](const KernelSummary &K) {
    ModuleSummary Holder;
    Holder.Kernels.push_back(K);
    Holder.Kernels[0].Refusals.clear();
    for (WorkTerm &Term : Holder.Kernels[0].Work)
      Term.IssueCost = 0;
    clearClones(Holder.Kernels[0]);
    return toJSON(Holder);
  };
  return Facts(A) == Facts(B);
}

static void forgetAccesses(KernelSummary &Kernel) {
  Kernel.Accesses.clear();
  Kernel.Work.clear();
  Kernel.PackedName.clear();
  clearForms(Kernel);
  Kernel.Flags |= GridspanUnknownRead | GridspanUnknownWrite;
  // What may overlap is not known either.
  Kernel.NoAliasName.clear();
  Kernel.TiledNoAliasName.clear();
  for (PointerSummary &P : Kernel.Pointers)
    P.Replicable = P.Redirectable = P.Packable = false;
}

static bool haveSameParameters(const KernelSummary &A, const KernelSummary &B) {
  return A.Params.size() == B.Params.size() &&
         all_of(zip(A.Params, B.Params), [](const auto &Pair) {
           const auto &[L, R] = Pair;
           return L.Offset == R.Offset && L.Size == R.Size;
         });
}

/// Makes From's pointers, expressions and accesses part of Into.
static void addAccesses(KernelSummary &Into, const KernelSummary &From) {
  std::vector<int32_t> Pointers;
  for (const PointerSummary &P : From.Pointers) {
    auto Same = find_if(Into.Pointers, [&](const PointerSummary &Other) {
      return Other.Param == P.Param && Other.ByteOffset == P.ByteOffset;
    });
    Pointers.push_back(Same - Into.Pointers.begin());
    if (Same == Into.Pointers.end()) {
      Into.Pointers.push_back(P);
      continue;
    }
    Same->Modes |= P.Modes;
    Same->Replicable &= P.Replicable;
    Same->Redirectable &= P.Redirectable;
    Same->OwnElement &= P.OwnElement;
  }
  std::vector<ExprId> Exprs;
  auto Mapped = [&](ExprId Id) { return Id == NoExpr ? NoExpr : Exprs[Id]; };
  for (const ExprNode &Node : From.Exprs.nodes()) {
    ExprNode Copy = Node;
    for (ExprId &Operand : Copy.Ops)
      Operand = Mapped(Operand);
    StringRef Reason = Node.Kind == ExprKind::Unknown
                           ? StringRef(From.Exprs.reasons()[Node.A])
                           : StringRef();
    Exprs.push_back(Into.Exprs.addRaw(Copy, Reason));
  }
  for (AccessSummary Access : From.Accesses) {
    if (Access.Pointer >= 0)
      Access.Pointer = Pointers[Access.Pointer];
    Access.Offset = Mapped(Access.Offset);
    Access.Length = Mapped(Access.Length);
    Access.Inspected = Mapped(Access.Inspected);
    auto IsSame = [&](const AccessSummary &Other) {
      return Other.Pointer == Access.Pointer && Other.Mode == Access.Mode &&
             Other.ElementSize == Access.ElementSize &&
             Other.Offset == Access.Offset && Other.Length == Access.Length &&
             Other.Inspected == Access.Inspected && Other.Site == Access.Site;
    };
    if (none_of(Into.Accesses, IsSame))
      Into.Accesses.push_back(std::move(Access));
  }
  for (AccessSummary &Access : Into.Accesses)
    Access.ExactIfEvaluated = false;
}

static void addRefusal(KernelSummary &Kernel, const RefusalSummary &Refusal) {
  if (none_of(Kernel.Refusals,
              [&](const RefusalSummary &R) { return R.Name == Refusal.Name; }))
    Kernel.Refusals.push_back(Refusal);
}

/// The clones with packed rows take the same parameters, or there is none.
static void mergePacked(KernelSummary &Into, const KernelSummary &From) {
  auto Packable = [](const KernelSummary &K) {
    SmallVector<std::pair<uint32_t, uint32_t>> Found;
    for (const PointerSummary &P : K.Pointers)
      if (P.Packable)
        Found.emplace_back(P.Param, P.ByteOffset);
    return Found;
  };
  if (Into.PackedName == From.PackedName && Packable(Into) == Packable(From))
    return;
  Into.PackedName.clear();
  for (PointerSummary &P : Into.Pointers)
    P.Packable = false;
}

/// The clones for records know them in the same forms, or there is none.
static void mergeForms(KernelSummary &Into, const KernelSummary &From) {
  const bool AreSame =
      Into.FormedName == From.FormedName &&
      Into.Pointers.size() == From.Pointers.size() &&
      all_of(zip(Into.Pointers, From.Pointers), [](const auto &Pair) {
        const auto &[L, R] = Pair;
        return L.Form.RecordBytes == R.Form.RecordBytes &&
               L.Form.Fields == R.Form.Fields;
      });
  if (!AreSame)
    clearForms(Into);
  if (Into.FormedNoAliasName != From.FormedNoAliasName)
    Into.FormedNoAliasName.clear();
}

static void mergeKernel(KernelSummary &Into, const KernelSummary &From) {
  mergePacked(Into, From);
  mergeForms(Into, From);
  if (!haveSameParameters(Into, From))
    forgetAccesses(Into);
  else if (!haveSameFacts(Into, From))
    addAccesses(Into, From);
  else // the slower one
    for (auto [Term, Other] : zip(Into.Work, From.Work))
      Term.IssueCost = std::max(Term.IssueCost, Other.IssueCost);
  // What a kernel can do in a longer grid, or does not do, has to hold for all.
  constexpr uint32_t FlagsOfAll = GridspanElasticX | GridspanElasticY |
                                  GridspanElasticZ | GridspanHostInvisible;
  const uint32_t Both = Into.Flags & From.Flags & FlagsOfAll;
  Into.Flags = ((Into.Flags | From.Flags) & ~FlagsOfAll) | Both;
  for (const RefusalSummary &R : From.Refusals)
    addRefusal(Into, R);
  if (Into.Textures != From.Textures && Into.Refusals.empty())
    addRefusal(Into, {"architectures-differ",
                      "the kernel has not the same textures in all of the "
                      "architectures"});
  // Registered only where every architecture has them.
  if (Into.RecordingName != From.RecordingName || Into.Probes != From.Probes ||
      Into.CloneName.empty() != From.CloneName.empty())
    clearRecording(Into);
  if (Into.CloneName != From.CloneName)
    Into.CloneName.clear();
  if (Into.NoAliasName != From.NoAliasName)
    Into.NoAliasName.clear();
  if (Into.TiledNoAliasName != From.TiledNoAliasName)
    Into.TiledNoAliasName.clear();
}

ModuleSummary
gridspan::mergeArchitectures(MutableArrayRef<ModuleSummary> Summaries) {
  ModuleSummary Result = std::move(Summaries.front());
  for (KernelSummary &Kernel : Result.Kernels)
    for (const ModuleSummary &Other : Summaries.drop_front()) {
      auto Same = find_if(Other.Kernels, [&](const KernelSummary &K) {
        return K.Name == Kernel.Name;
      });
      if (Same != Other.Kernels.end()) {
        mergeKernel(Kernel, *Same);
        continue;
      }
      addRefusal(Kernel, {"architectures-differ",
                          "the kernel is not in all of the architectures"});
      clearClones(Kernel);
    }
  for (const ModuleSummary &Other : Summaries.drop_front())
    if (!is_contained(split(Result.Build, ' '), Other.Build))
      Result.Build += ' ' + Other.Build;
  // A variable that one architecture has not is not used there.
  for (ModuleSummary &Other : Summaries.drop_front())
    for (ManagedSummary &V : Other.Managed)
      if (none_of(Result.Managed, [&](const ManagedSummary &Known) {
            return Known.Name == V.Name;
          }))
        Result.Managed.push_back(std::move(V));
  return Result;
}

//===- KernelSummary.cpp - The JSON form of summaries ---------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of a graph are arrays [kind, width, A, B, op, op, op] in graph order,
// an unknown node has its reason in place of A. A reader trusts nothing: every
// index is checked, because the text comes out of an object file.
//
//===----------------------------------------------------------------------===//

#include "analysis/summary/KernelSummary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace gridspan {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Value toJSON(ExprId Id) {
  return Id == NoExpr ? json::Value(nullptr) : json::Value(Id);
}

static json::Array toJSON(const ExprGraph &Graph) {
  json::Array Out;
  for (const ExprNode &Node : Graph.nodes()) {
    json::Array Item{exprKindName(Node.Kind), Node.Width};
    if (Node.Kind == ExprKind::Unknown)
      Item.push_back(Graph.reasons()[Node.A]);
    else
      Item.push_back(Node.A);
    Item.push_back(Node.B);
    for (unsigned I = 0; I != exprNumOperands(Node.Kind); ++I)
      Item.push_back(toJSON(Node.Ops[I]));
    Out.push_back(std::move(Item));
  }
  return Out;
}

static json::Object toJSON(const AccessSummary &Access) {
  return json::Object{{"pointer", Access.Pointer},
                      {"mode", Access.Mode},
                      {"element", Access.ElementSize},
                      {"offset", toJSON(Access.Offset)},
                      {"length", toJSON(Access.Length)},
                      {"inspected", toJSON(Access.Inspected)},
                      {"whyNotInspected", Access.WhyNotInspected},
                      {"exact", Access.ExactIfEvaluated},
                      {"site", Access.Site},
                      {"where", Access.Where},
                      {"why", Access.Why}};
}

static json::Object toJSON(const FormSummary &Form) {
  return json::Object{{"record", Form.RecordBytes},
                      {"flags", Form.Flags},
                      {"saved", Form.SavedBytes},
                      {"fields", json::Array(Form.Fields)}};
}

static json::Object toJSON(const KernelSummary &Kernel) {
  json::Array Params, Pointers, Textures, Accesses, Work, Refusals, Probes;
  for (const ParamSummary &P : Kernel.Params)
    Params.push_back(json::Array{P.Offset, P.Size});
  for (const PointerSummary &P : Kernel.Pointers) {
    json::Object Pointer{{"param", P.Param},
                         {"offset", P.ByteOffset},
                         {"modes", P.Modes},
                         {"replicable", P.Replicable},
                         {"redirectable", P.Redirectable},
                         {"ownElement", P.OwnElement},
                         {"packable", P.Packable},
                         {"reduction", unsigned(P.Reduction)}};
    if (P.Form.RecordBytes)
      Pointer["form"] = toJSON(P.Form);
    Pointers.push_back(std::move(Pointer));
  }
  for (const TextureSummary &T : Kernel.Textures)
    Textures.push_back(
        json::Object{{"param", T.Param}, {"offset", T.ByteOffset}});
  for (const AccessSummary &A : Kernel.Accesses)
    Accesses.push_back(toJSON(A));
  for (const WorkTerm &W : Kernel.Work) {
    json::Array Trips;
    for (ExprId Id : W.TripCounts)
      Trips.push_back(toJSON(Id));
    Work.push_back(json::Object{{"slots", W.IssueCost},
                                {"atomics", W.Atomics},
                                {"trips", std::move(Trips)}});
  }
  for (const RefusalSummary &R : Kernel.Refusals)
    Refusals.push_back(json::Object{{"name", R.Name}, {"text", R.Text}});
  for (const ProbeSummary &P : Kernel.Probes)
    Probes.push_back(
        json::Object{{"site", P.Site}, {"mode", P.Mode}, {"bytes", P.Bytes}});
  return json::Object{{"name", Kernel.Name},
                      {"clone", Kernel.CloneName},
                      {"noalias", Kernel.NoAliasName},
                      {"tiledNoalias", Kernel.TiledNoAliasName},
                      {"packed", Kernel.PackedName},
                      {"recording", Kernel.RecordingName},
                      {"formed", Kernel.FormedName},
                      {"formedNoalias", Kernel.FormedNoAliasName},
                      {"probes", std::move(Probes)},
                      {"params", std::move(Params)},
                      {"pointers", std::move(Pointers)},
                      {"textures", std::move(Textures)},
                      {"accesses", std::move(Accesses)},
                      {"work", std::move(Work)},
                      {"refusals", std::move(Refusals)},
                      {"flags", Kernel.Flags},
                      {"maxThreads", Kernel.MaxThreads},
                      {"exprs", toJSON(Kernel.Exprs)}};
}

json::Value toJSON(const ModuleSummary &Summary) {
  json::Array Kernels;
  for (const KernelSummary &Kernel : Summary.Kernels)
    Kernels.push_back(toJSON(Kernel));
  json::Object Out{{"version", SummaryVersion},
                   {"id", Summary.Id},
                   {"build", Summary.Build},
                   {"advice", Summary.Advice},
                   {"kernels", std::move(Kernels)}};
  json::Array Managed;
  for (const ManagedSummary &V : Summary.Managed)
    Managed.push_back(json::Object{{"name", V.Name},
                                   {"size", int64_t(V.Size)},
                                   {"initial", toHex(V.Initial)}});
  if (!Managed.empty())
    Out["managed"] = std::move(Managed);
  return Out;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::optional<ExprKind> exprKindFromName(StringRef Name) {
  static const StringMap<ExprKind> Kinds = {
#define GRIDSPAN_EXPR(Kind, Text, NumOperands) {Text, ExprKind::Kind},
#include "analysis/expr/ExprKinds.def"
  };
  auto It = Kinds.find(Name);
  if (It == Kinds.end())
    return std::nullopt;
  return It->second;
}

/// Reads an expression id that must be below Limit, or null.
static bool readExpr(const json::Value &V, size_t Limit, ExprId &Out) {
  if (V.kind() == json::Value::Null) {
    Out = NoExpr;
    return true;
  }
  std::optional<uint64_t> Id = V.getAsUINT64();
  if (!Id || *Id >= Limit)
    return false;
  Out = *Id;
  return true;
}

/// Returns true if a node could have come from ExprGraph's constructors, as far
/// as its evaluation relies on it.
static bool isWellFormed(const ExprGraph &Graph, const ExprNode &Node) {
  if (Node.Width < 1 || Node.Width > 64)
    return false;
  auto WidthOf = [&](unsigned I) -> unsigned {
    return Node.Ops[I] == NoExpr ? 0 : Graph[Node.Ops[I]].Width;
  };
  bool IsPredicate = Node.A >= CmpInst::FIRST_ICMP_PREDICATE &&
                     Node.A <= CmpInst::LAST_ICMP_PREDICATE;
  switch (Node.Kind) {
  case ExprKind::Const:
  case ExprKind::Unknown:
    return true;
  case ExprKind::Param:
    return Node.A >= 0 && Node.B >= 0;
  case ExprKind::ThreadIdx:
  case ExprKind::BlockIdx:
  case ExprKind::BlockDim:
  case ExprKind::GridDim:
  case ExprKind::TileOrigin:
  case ExprKind::TileCount:
    return Node.A >= 0 && Node.A < 3 && Node.Width == 32;
  case ExprKind::Bounded:
    return Node.A <= Node.B;
  case ExprKind::Load:
    return Node.A >= 0 && Node.B >= 0 && Node.Width >= 8 &&
           llvm::isPowerOf2_32(Node.Width) && WidthOf(0) == 64;
  case ExprKind::ZExt:
  case ExprKind::SExt:
    return WidthOf(0) && WidthOf(0) < Node.Width;
  case ExprKind::Trunc:
    return WidthOf(0) > Node.Width;
  case ExprKind::ICmp:
    return IsPredicate && Node.Width == 1 && WidthOf(0) &&
           WidthOf(0) == WidthOf(1);
  case ExprKind::Assume:
    return IsPredicate && WidthOf(0) == Node.Width && WidthOf(1) == Node.Width;
  case ExprKind::Select:
    return WidthOf(0) == 1 && WidthOf(1) == Node.Width &&
           WidthOf(2) == Node.Width;
  case ExprKind::Iter:
    return WidthOf(0) == Node.Width && WidthOf(1) == Node.Width;
  default:
    return WidthOf(0) == Node.Width && WidthOf(1) == Node.Width;
  }
}

static bool readGraph(const json::Array &Nodes, ExprGraph &Graph) {
  for (const json::Value &V : Nodes) {
    const json::Array *Item = V.getAsArray();
    if (!Item || Item->size() < 4)
      return false;
    std::optional<StringRef> Name = (*Item)[0].getAsString();
    std::optional<ExprKind> Kind =
        Name ? exprKindFromName(*Name) : std::nullopt;
    std::optional<int64_t> Width = (*Item)[1].getAsInteger();
    std::optional<int64_t> B = (*Item)[3].getAsInteger();
    if (!Kind || !Width || *Width < 1 || *Width > 64 || !B)
      return false;
    ExprNode Node{*Kind, uint8_t(*Width)};
    Node.B = *B;
    std::string Reason;
    if (*Kind == ExprKind::Unknown) {
      std::optional<StringRef> Text = (*Item)[2].getAsString();
      if (!Text)
        return false;
      Reason = Text->str();
    } else {
      std::optional<int64_t> A = (*Item)[2].getAsInteger();
      if (!A)
        return false;
      Node.A = *A;
    }
    unsigned NumOperands = exprNumOperands(*Kind);
    if (Item->size() != 4 + NumOperands)
      return false;
    for (unsigned I = 0; I != NumOperands; ++I)
      if (!readExpr((*Item)[4 + I], Graph.size(), Node.Ops[I]))
        return false;
    // An equal node twice would shift the ids of all that follow.
    if (!isWellFormed(Graph, Node) ||
        Graph.addRaw(Node, Reason) != Graph.size() - 1)
      return false;
  }
  return true;
}

/// Reads Object[Key] as an unsigned number of 32 bits.
static bool readU32(const json::Object &Object, StringRef Key, uint32_t &Out) {
  std::optional<int64_t> Value = Object.getInteger(Key);
  if (!Value || *Value < 0 || *Value > UINT32_MAX)
    return false;
  Out = *Value;
  return true;
}

static bool readString(const json::Object &Object, StringRef Key,
                       std::string &Out) {
  std::optional<StringRef> Value = Object.getString(Key);
  if (!Value)
    return false;
  Out = Value->str();
  return true;
}

static bool readAccess(const json::Object &Object, const KernelSummary &Kernel,
                       AccessSummary &Out) {
  std::optional<int64_t> Pointer = Object.getInteger("pointer");
  std::optional<bool> Exact = Object.getBoolean("exact");
  const json::Value *Offset = Object.get("offset");
  const json::Value *Length = Object.get("length");
  const json::Value *Inspected = Object.get("inspected");
  size_t Limit = Kernel.Exprs.size();
  if (!Pointer || *Pointer < -1 ||
      *Pointer >= int64_t(Kernel.Pointers.size()) || !Exact || !Offset ||
      !Length || !readExpr(*Offset, Limit, Out.Offset) ||
      !readExpr(*Length, Limit, Out.Length))
    return false;
  // Summaries of an earlier compiler do not say.
  if (Inspected && !readExpr(*Inspected, Limit, Out.Inspected))
    return false;
  Out.WhyNotInspected = Object.getString("whyNotInspected").value_or("").str();
  Out.Pointer = *Pointer;
  Out.ExactIfEvaluated = *Exact;
  return readU32(Object, "mode", Out.Mode) &&
         readU32(Object, "element", Out.ElementSize) &&
         readU32(Object, "site", Out.Site) &&
         readString(Object, "where", Out.Where) &&
         readString(Object, "why", Out.Why);
}

/// The largest GridspanReduction.
static constexpr uint32_t LastReduction = 0
#define GRIDSPAN_REDUCTION(Kind, Name, Type, Identity, Combined) +1
#include "gridspan/Reductions.def"
    ;

/// Fields begin at 0 and ascend, all of them within the record.
static bool readForm(const json::Object &Object, FormSummary &Out) {
  const json::Object *Form = Object.getObject("form");
  if (!Form)
    return true;
  const json::Array *Fields = Form->getArray("fields");
  if (!Fields || Fields->empty() ||
      !readU32(*Form, "record", Out.RecordBytes) ||
      !readU32(*Form, "flags", Out.Flags) ||
      !readU32(*Form, "saved", Out.SavedBytes))
    return false;
  for (const json::Value &V : *Fields) {
    const std::optional<uint64_t> Begin = V.getAsUINT64();
    if (!Begin || *Begin >= Out.RecordBytes ||
        (Out.Fields.empty() ? *Begin != 0 : *Begin <= Out.Fields.back()))
      return false;
    Out.Fields.push_back(uint32_t(*Begin));
  }
  return true;
}

static bool readPointer(const json::Object &Object, const KernelSummary &Kernel,
                        PointerSummary &Out) {
  std::optional<bool> Replicable = Object.getBoolean("replicable");
  if (!Replicable)
    return false;
  Out.Replicable = *Replicable;
  // Summaries of an earlier compiler do not say.
  Out.Redirectable = Object.getBoolean("redirectable").value_or(false);
  Out.OwnElement = Object.getBoolean("ownElement").value_or(false);
  Out.Packable = Object.getBoolean("packable").value_or(false);
  uint32_t Reduction = 0;
  if (Object.get("reduction") &&
      (!readU32(Object, "reduction", Reduction) || Reduction > LastReduction))
    return false;
  Out.Reduction = GridspanReduction(Reduction);
  return readU32(Object, "param", Out.Param) &&
         readU32(Object, "offset", Out.ByteOffset) &&
         readU32(Object, "modes", Out.Modes) && readForm(Object, Out.Form) &&
         Out.Param < Kernel.Params.size();
}

static bool readTexture(const json::Object &Object, const KernelSummary &Kernel,
                        TextureSummary &Out) {
  return readU32(Object, "param", Out.Param) &&
         readU32(Object, "offset", Out.ByteOffset) &&
         Out.Param < Kernel.Params.size() &&
         uint64_t(Out.ByteOffset) + 8 <= Kernel.Params[Out.Param].Size;
}

static bool readWork(const json::Object &Object, const KernelSummary &Kernel,
                     WorkTerm &Out) {
  std::optional<double> Slots = Object.getNumber("slots");
  const json::Array *Trips = Object.getArray("trips");
  if (!Slots || !Trips)
    return false;
  Out.IssueCost = *Slots;
  Out.Atomics = Object.getNumber("atomics").value_or(0);
  for (const json::Value &V : *Trips)
    if (!readExpr(V, Kernel.Exprs.size(), Out.TripCounts.emplace_back()))
      return false;
  return true;
}

/// Applies Read to each object of the array Object[Key].
template <typename T, typename Function>
static bool readObjects(const json::Object &Object, StringRef Key,
                        std::vector<T> &Out, Function Read) {
  const json::Array *Items = Object.getArray(Key);
  if (!Items)
    return false;
  for (const json::Value &V : *Items) {
    const json::Object *Item = V.getAsObject();
    if (!Item || !Read(*Item, Out.emplace_back()))
      return false;
  }
  return true;
}

static bool readKernel(const json::Object &Object, KernelSummary &Out) {
  const json::Array *Params = Object.getArray("params");
  const json::Array *Exprs = Object.getArray("exprs");
  if (!Params || !Exprs || !readGraph(*Exprs, Out.Exprs))
    return false;
  for (const json::Value &V : *Params) {
    const json::Array *Pair = V.getAsArray();
    if (!Pair || Pair->size() != 2)
      return false;
    std::optional<uint64_t> Offset = (*Pair)[0].getAsUINT64();
    std::optional<uint64_t> Size = (*Pair)[1].getAsUINT64();
    if (!Offset || !Size || *Offset > UINT32_MAX || *Size > UINT32_MAX)
      return false;
    Out.Params.push_back({uint32_t(*Offset), uint32_t(*Size)});
  }
  Out.PackedName = Object.getString("packed").value_or("").str();
  Out.FormedName = Object.getString("formed").value_or("").str();
  Out.FormedNoAliasName = Object.getString("formedNoalias").value_or("").str();
  return readString(Object, "name", Out.Name) &&
         readString(Object, "clone", Out.CloneName) &&
         readString(Object, "noalias", Out.NoAliasName) &&
         readString(Object, "tiledNoalias", Out.TiledNoAliasName) &&
         readString(Object, "recording", Out.RecordingName) &&
         readObjects(Object, "probes", Out.Probes,
                     [](const json::Object &O, ProbeSummary &P) {
                       return readU32(O, "site", P.Site) &&
                              readU32(O, "mode", P.Mode) &&
                              readU32(O, "bytes", P.Bytes);
                     }) &&
         readU32(Object, "flags", Out.Flags) &&
         readU32(Object, "maxThreads", Out.MaxThreads) &&
         readObjects(Object, "pointers", Out.Pointers,
                     [&](const json::Object &O, PointerSummary &P) {
                       return readPointer(O, Out, P);
                     }) &&
         // Summaries of an earlier compiler do not say.
         (!Object.get("textures") ||
          readObjects(Object, "textures", Out.Textures,
                      [&](const json::Object &O, TextureSummary &T) {
                        return readTexture(O, Out, T);
                      })) &&
         readObjects(Object, "accesses", Out.Accesses,
                     [&](const json::Object &O, AccessSummary &A) {
                       return readAccess(O, Out, A);
                     }) &&
         readObjects(Object, "work", Out.Work,
                     [&](const json::Object &O, WorkTerm &W) {
                       return readWork(O, Out, W);
                     }) &&
         readObjects(Object, "refusals", Out.Refusals,
                     [&](const json::Object &O, RefusalSummary &R) {
                       return readString(O, "name", R.Name) &&
                              readString(O, "text", R.Text);
                     });
}

static bool readManaged(const json::Object &Object, ManagedSummary &Out) {
  std::optional<int64_t> Size = Object.getInteger("size");
  std::string Initial;
  if (!Size || *Size < 0 || !readString(Object, "name", Out.Name) ||
      !readString(Object, "initial", Initial) ||
      !tryGetFromHex(Initial, Out.Initial))
    return false;
  Out.Size = *Size;
  return Out.Initial.empty() || Out.Initial.size() == Out.Size;
}

Expected<ModuleSummary> moduleSummaryFromJSON(const json::Value &V) {
  const json::Object *Object = V.getAsObject();
  if (!Object)
    return createStringError("kernel summary is not a JSON object");
  std::optional<int64_t> Version = Object->getInteger("version");
  if (!Version)
    return createStringError("kernel summary has no version");
  if (*Version != SummaryVersion)
    return createStringError("kernel summary has version %lld, expected %d",
                             static_cast<long long>(*Version), SummaryVersion);
  ModuleSummary Out;
  const json::Array *Kernels = Object->getArray("kernels");
  if (!Kernels || !readString(*Object, "id", Out.Id))
    return createStringError("kernel summary has no kernels or no id");
  if (!readString(*Object, "build", Out.Build) ||
      !readString(*Object, "advice", Out.Advice))
    return createStringError("kernel summary does not say its build");
  for (const json::Value &Item : *Kernels) {
    const json::Object *Kernel = Item.getAsObject();
    if (!Kernel || !readKernel(*Kernel, Out.Kernels.emplace_back()))
      return createStringError("kernel summary is damaged at kernel %zu",
                               Out.Kernels.size() - 1);
  }
  if (Object->get("managed") &&
      !readObjects(*Object, "managed", Out.Managed, readManaged))
    return createStringError("kernel summary is damaged at managed variable "
                             "%zu",
                             Out.Managed.size());
  return Out;
}

} // namespace gridspan

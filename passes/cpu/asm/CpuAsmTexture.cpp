//===- CpuAsmTexture.cpp - Textures and surfaces --------------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tex, tld4, txq, suld, sust and suq, as calls of the CPU device's sampler
// (runtime/backend/cpu/CpuTexture.h). Coordinates travel in registers: an index
// or a layer as an integer, up to three floats, and the derivatives or the
// level. A fetch returns 4 x 32 bits as the object says, whatever the type of
// the instruction, as on a GPU. Surfaces are read and written as up to 16
// bytes.
//
// Source: PTX ISA, "Texture Instructions" and "Surface Instructions".
//
//===----------------------------------------------------------------------===//

#include "gridspan/CpuCodes.h"
#include "passes/cpu/asm/CpuAsmRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace gridspan;

constexpr PtxType U32 = {'u', 32};
constexpr PtxType F32 = {'f', 32};
constexpr PtxType B64 = {'b', 64};

static std::optional<TextureShape> shapeOf(const PtxStatement &S) {
  for (StringRef Modifier : S.Modifiers)
    if (auto Shape = StringSwitch<std::optional<TextureShape>>(Modifier)
                         .Case("1d", TextureShape::Line)
                         .Case("2d", TextureShape::Plane)
                         .Case("3d", TextureShape::Volume)
                         .Case("cube", TextureShape::Cube)
                         .Case("a1d", TextureShape::Lines)
                         .Case("a2d", TextureShape::Planes)
                         .Case("acube", TextureShape::Cubes)
                         .Default(std::nullopt))
      return Shape;
  return std::nullopt;
}

static bool hasLayers(TextureShape Shape) {
  return Shape >= TextureShape::Lines;
}

/// Returns the number of coordinates besides the layer.
static unsigned axesOf(TextureShape Shape) {
  switch (Shape) {
  case TextureShape::Line:
  case TextureShape::Lines:
    return 1;
  case TextureShape::Plane:
  case TextureShape::Planes:
    return 2;
  default:
    return 3;
  }
}

/// Returns the elements of a vector operand, or the operand itself.
static ArrayRef<PtxOperand> elementsOf(const PtxOperand &O) {
  return O.K == PtxOperand::Kind::Vector ? ArrayRef(O.Elements) : ArrayRef(O);
}

/// Reads the first Count elements of O from From on into a vector of four
/// floats, or returns null.
static Value *readFloats(const PtxOperand &O, unsigned From, unsigned Count,
                         AsmState &State) {
  IRBuilder<> &B = State.C.B;
  ArrayRef<PtxOperand> Elements = elementsOf(O);
  if (Elements.size() < From + Count)
    return nullptr;
  Value *All = Constant::getNullValue(FixedVectorType::get(B.getFloatTy(), 4));
  for (unsigned I = 0; I != Count; ++I) {
    Value *V = State.read(Elements[From + I], F32);
    if (!V)
      return nullptr;
    All = B.CreateInsertElement(All, V, I);
  }
  return All;
}

/// Returns the object and the coordinates of [object, {coordinates}], or null.
static const PtxOperand *coordinatesOf(const PtxOperand &O) {
  return O.K == PtxOperand::Kind::Address && O.Elements.size() == 2 &&
                 O.Value == 0
             ? &O.Elements[1]
             : nullptr;
}

static Type *fourWords(IRBuilder<> &B) {
  return FixedVectorType::get(B.getInt32Ty(), 4);
}

bool asmrules::lowerTexture(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  std::optional<TextureShape> Shape = shapeOf(S);
  if (!Shape || S.Operands.size() < 2 || !S.has("v4") ||
      S.Operands[0].K != PtxOperand::Kind::Vector ||
      S.Operands[0].Elements.size() != 4)
    return false;
  const PtxOperand *At = coordinatesOf(S.Operands[1]);
  Value *Object = At ? State.read(S.Operands[1].Elements[0], B64) : nullptr;
  if (!Object)
    return false;

  auto Lookup = TextureLookup::Base;
  unsigned Component = 0, Operands = 2;
  if (S.Opcode == "tld4") {
    Lookup = TextureLookup::Gather;
    Component = StringSwitch<unsigned>(S.Modifiers[0])
                    .Case("g", 1)
                    .Case("b", 2)
                    .Case("a", 3)
                    .Default(0);
  } else if (S.has("level")) {
    Lookup = TextureLookup::Level;
    Operands = 3;
  } else if (S.has("grad")) {
    Lookup = TextureLookup::Gradient;
    Operands = 4;
  } else if (S.type() == "s32") {
    Lookup = TextureLookup::Fetch;
  }
  // Offsets and depth comparison are no part of CUDA C++.
  if (S.Operands.size() != Operands)
    return false;

  const unsigned Axes = axesOf(*Shape);
  const unsigned Skipped = hasLayers(*Shape) ? 1 : 0;
  Value *Integer = B.getInt32(0);
  Value *Point =
      Constant::getNullValue(FixedVectorType::get(B.getFloatTy(), 4));
  if (Lookup == TextureLookup::Fetch) {
    if (*Shape != TextureShape::Line)
      return false; // CUDA C++ has no other
    Integer = State.read(elementsOf(*At)[0], U32);
  } else {
    if (Skipped)
      Integer = State.read(elementsOf(*At)[0], U32);
    Point = readFloats(*At, Skipped, Axes, State);
  }
  Value *Dx = Constant::getNullValue(FixedVectorType::get(B.getFloatTy(), 4));
  Value *Dy = Dx;
  if (Lookup == TextureLookup::Level)
    Dx = readFloats(S.Operands[2], 0, 1, State);
  if (Lookup == TextureLookup::Gradient) {
    Dx = readFloats(S.Operands[2], 0, Axes, State);
    Dy = readFloats(S.Operands[3], 0, Axes, State);
  }
  if (!Integer || !Point || !Dx || !Dy)
    return false;
  const unsigned Code = unsigned(*Shape) |
                        unsigned(Lookup) << TextureLookupShift |
                        Component << TextureComponentShift;
  Value *Texel =
      State.C.callWithBlock("texture", fourWords(B),
                            {Object, B.getInt32(Code), Integer, Point, Dx, Dy});
  for (unsigned I = 0; I != 4; ++I)
    if (!State.write(S.Operands[0].Elements[I],
                     B.CreateExtractElement(Texel, I)))
      return false;
  return true;
}

/// txq.<query>.b32 d, [object] and suq.
bool asmrules::lowerTextureQuery(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  if (S.Operands.size() != 2 || S.Modifiers.size() != 2 ||
      S.Operands[1].K != PtxOperand::Kind::Address ||
      S.Operands[1].Elements.size() != 1)
    return false;
  auto Query =
      StringSwitch<std::optional<TextureQuery>>(S.Modifiers[0])
          .Case("width", TextureQuery::Width)
          .Case("height", TextureQuery::Height)
          .Case("depth", TextureQuery::Depth)
          .Case("channel_data_type", TextureQuery::ChannelDataType)
          .Case("channel_order", TextureQuery::ChannelOrder)
          .Case("normalized_coords", TextureQuery::NormalizedCoordinates)
          .Case("array_size", TextureQuery::ArraySize)
          .Case("num_mipmap_levels", TextureQuery::MipmapLevels)
          .Case("num_samples", TextureQuery::Samples)
          .Default(std::nullopt);
  Value *Object = State.read(S.Operands[1].Elements[0], B64);
  if (!Query || !Object)
    return false;
  return State.write(S.Operands[0],
                     State.C.call("texture_query", State.C.i32(),
                                  {Object, B.getInt32(unsigned(*Query))}));
}

namespace {
/// A parsed suld.b or sust.b.
struct SurfaceAccess {
  Value *Object = nullptr;
  Value *At[3] = {}; ///< x in bytes, y, z or the layer
  unsigned Code = 0;
  unsigned Elements = 1;
  unsigned Bits = 0; ///< of an element
};
} // namespace

/// Parses s{uld,ust}.b.<shape>{.cop}{.vec}.b<bits>.<boundary>. Formatted
/// accesses (.p) are no part of CUDA C++.
static std::optional<SurfaceAccess> parseSurface(const PtxStatement &S,
                                                 const PtxOperand &Address,
                                                 AsmState &State) {
  IRBuilder<> &B = State.C.B;
  SurfaceAccess Out;
  std::optional<TextureShape> Shape = shapeOf(S);
  const PtxOperand *At = coordinatesOf(Address);
  if (!Shape || !At || S.Modifiers.empty() || S.Modifiers[0] != "b")
    return std::nullopt;
  auto Boundary = SurfaceBoundary::Trap;
  for (StringRef Modifier : S.Modifiers) {
    if (Modifier == "v2" || Modifier == "v4")
      Out.Elements = Modifier == "v2" ? 2 : 4;
    else if (Modifier == "clamp")
      Boundary = SurfaceBoundary::Clamp;
    else if (Modifier == "zero")
      Boundary = SurfaceBoundary::Zero;
    else if (Modifier.size() > 1 && Modifier[0] == 'b')
      Modifier.drop_front().getAsInteger(10, Out.Bits);
  }
  const unsigned Bytes = Out.Elements * Out.Bits / 8;
  if (Out.Bits % 8 || Bytes == 0 || Bytes > 16)
    return std::nullopt;
  // A layer is the first of the coordinates of the instruction, and behind
  // those of its plane in memory.
  ArrayRef<PtxOperand> Given = elementsOf(*At);
  const unsigned Axes = axesOf(*Shape);
  const unsigned Skipped = hasLayers(*Shape) ? 1 : 0;
  if (Given.size() < Axes + Skipped)
    return std::nullopt;
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    Out.At[Axis] =
        Axis < Axes ? State.read(Given[Skipped + Axis], U32) : B.getInt32(0);
  if (Skipped)
    Out.At[2] = State.read(Given[0], U32);
  Out.Object = State.read(Address.Elements[0], B64);
  Out.Code = unsigned(*Shape) | unsigned(Boundary) << TextureLookupShift |
             Bytes << TextureComponentShift;
  if (!Out.Object || !Out.At[0] || !Out.At[1] || !Out.At[2])
    return std::nullopt;
  return Out;
}

bool asmrules::lowerSurfaceLoad(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  if (S.Operands.size() != 2)
    return false;
  std::optional<SurfaceAccess> A = parseSurface(S, S.Operands[1], State);
  ArrayRef<PtxOperand> Out = elementsOf(S.Operands[0]);
  if (!A || Out.size() != A->Elements)
    return false;
  Value *Bytes = State.C.callWithBlock(
      "surface_load", fourWords(B),
      {A->Object, B.getInt32(A->Code), A->At[0], A->At[1], A->At[2]});
  Value *Parts = B.CreateBitCast(
      Bytes, FixedVectorType::get(B.getIntNTy(A->Bits), 128 / A->Bits));
  for (unsigned I = 0; I != A->Elements; ++I)
    if (!State.write(Out[I], B.CreateExtractElement(Parts, I)))
      return false;
  return true;
}

bool asmrules::lowerSurfaceStore(const PtxStatement &S, AsmState &State) {
  IRBuilder<> &B = State.C.B;
  if (S.Operands.size() != 2)
    return false;
  std::optional<SurfaceAccess> A = parseSurface(S, S.Operands[0], State);
  ArrayRef<PtxOperand> In = elementsOf(S.Operands[1]);
  if (!A || In.size() != A->Elements)
    return false;
  Value *Parts = Constant::getNullValue(
      FixedVectorType::get(B.getIntNTy(A->Bits), 128 / A->Bits));
  for (unsigned I = 0; I != A->Elements; ++I) {
    Value *V = State.read(In[I], {'b', A->Bits});
    if (!V)
      return false;
    Parts = B.CreateInsertElement(Parts, V, I);
  }
  State.C.callWithBlock("surface_store", B.getVoidTy(),
                        {A->Object, B.getInt32(A->Code), A->At[0], A->At[1],
                         A->At[2], B.CreateBitCast(Parts, fourWords(B))});
  return true;
}

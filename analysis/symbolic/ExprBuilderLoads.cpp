//===- ExprBuilderLoads.cpp - Integers that a kernel loads ----------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer that is loaded through a pointer parameter, from an offset that is
// an expression itself, is a Load node. A launch that knows the array's bounds
// (the runtime's inspector) has bounds of the value; any other takes it as
// unknown. So `x[col[j]]`, with j between row[i] and row[i + 1], is a Load of
// Loads.
//
// Why that is sound: a Load stands for everything that memory holds when the
// launch begins, at the places that its offset may be. The value was there when
// it was loaded if nothing has written it since. The kernel does not do so
// through this pointer, which is checked here, nor through another one that
// leads to the same memory, which the launch knows. Two equal Load nodes need
// not be one value (ExprGraph::isFunctional).
//
//===----------------------------------------------------------------------===//

#include "analysis/symbolic/ExprBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gridspan {

/// ByteOffset is added to Address.
ExprId ExprBuilder::inspected(const Value &Load, const Value *Address,
                              uint64_t ByteOffset, unsigned Width,
                              ContextId Context) {
  auto Refuse = [&](InspectionRefusal Why) {
    return Graph.unknown(Width, inspectionRefusalName(Why));
  };
  if (Width != 8 && Width != 16 && Width != 32 && Width != 64)
    return Refuse(InspectionRefusal::ElementSize);
  if (const auto *I = dyn_cast<LoadInst>(&Load); I && !I->isSimple())
    return Refuse(InspectionRefusal::Ordered);
  Targets From = pointerAt(Address, Context);
  if (From.size() != 1)
    return Refuse(InspectionRefusal::SeveralBases);
  const PointerTarget &Base = From.front();
  if (Base.Where != PointerTarget::Parameter)
    return Refuse(InspectionRefusal::NotGlobal);
  if (IsWritten(Base.Param, Base.ByteOffset))
    return Refuse(InspectionRefusal::Written);
  ExprId Offset = Graph.binary(ExprKind::Add, Base.Offset,
                               Graph.constant(64, int64_t(ByteOffset)));
  return Graph.load(Width, Base.Param, Base.ByteOffset, Offset);
}

} // namespace gridspan

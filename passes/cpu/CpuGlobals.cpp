//===- CpuGlobals.cpp - Device variables on the CPU -----------------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant expressions over a variable become instructions first, so that each
// use is in one function and can be an address computed there. Addresses of
// variables inside initializers cannot be constants either: they are zero in
// the image and stored by the relocation function, whose only parameter is a
// copy of the image.
//
//===----------------------------------------------------------------------===//

#include "passes/cpu/CpuGlobals.h"
#include "analysis/nvptx/AddressSpaces.h"
#include "gridspan/ABI.h"
#include "passes/common/InitializerAddresses.h"
#include "passes/cpu/CpuContext.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace gridspan;

constexpr uint64_t SharedAlign = 16;

static Align alignmentOf(const GlobalVariable &G, const DataLayout &DL) {
  return std::max(G.getAlign().valueOrOne(),
                  DL.getABITypeAlign(G.getValueType()));
}

static uint64_t sizeOf(const GlobalVariable &G, const DataLayout &DL) {
  return DL.getTypeAllocSize(G.getValueType()).getFixedValue();
}

/// Replaces each use of G in instructions by what Address computes at the start
/// of the function; there are no other uses.
template <typename AddressFn>
static void replaceUses(GlobalVariable &G, AddressFn Address) {
  MapVector<Function *, Value *> Known;
  SmallVector<Use *> Uses;
  for (Use &U : G.uses())
    Uses.push_back(&U);
  for (Use *U : Uses) {
    Function *F = cast<Instruction>(U->getUser())->getFunction();
    Value *&V = Known[F];
    if (!V) {
      CpuContext C(*F);
      C.B.SetInsertPointPastAllocas(F);
      C.B.SetCurrentDebugLocation(DebugLoc());
      V = C.B.CreateAddrSpaceCast(Address(C), G.getType());
    }
    U->set(V);
  }
}

//===--- Shared memory --------------------------------------------------===//

/// Returns the kernels that reach a use of G, all of which are instructions.
static SmallVector<Function *>
kernelsThatReach(GlobalVariable &G,
                 const MapVector<Function *, ReachedFunctions> &Reached) {
  SetVector<Function *> Users;
  for (User *U : G.users())
    Users.insert(cast<Instruction>(U)->getFunction());
  SmallVector<Function *> Out;
  for (auto &[Kernel, Callees] : Reached)
    if (any_of(Callees, [&](Function *F) { return Users.contains(F); }))
      Out.push_back(Kernel);
  return Out;
}

MapVector<Function *, uint64_t> gridspan::lowerSharedVariables(
    Module &M, const MapVector<Function *, ReachedFunctions> &Reached) {
  const DataLayout &DL = M.getDataLayout();
  SmallVector<GlobalVariable *> Static, Dynamic;
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == SharedSpace)
      (G.isDeclaration() ? Dynamic : Static).push_back(&G);
  SmallVector<Constant *> Constants(Static.begin(), Static.end());
  Constants.append(Dynamic.begin(), Dynamic.end());
  convertUsersOfConstantsToInstructions(Constants);

  struct Placed {
    GlobalVariable *G;
    size_t Number;
    SmallVector<Function *> Kernels; ///< that reach a use
  };
  SmallVector<Placed> Order;
  for (GlobalVariable *G : Static)
    Order.push_back({G, Order.size(), kernelsThatReach(*G, Reached)});
  // A variable lies behind what is placed in any of its kernels. What many
  // kernels use, and what is aligned most, comes first and leaves no gaps.
  auto Rank = [&](const Placed &P) {
    return std::tuple(-static_cast<int64_t>(P.Kernels.size()),
                      -static_cast<int64_t>(alignmentOf(*P.G, DL).value()),
                      P.Number);
  };
  sort(Order,
       [&](const Placed &A, const Placed &B) { return Rank(A) < Rank(B); });
  MapVector<GlobalVariable *, uint64_t> Offsets;
  MapVector<Function *, uint64_t> Sizes;
  for (auto &[Kernel, Functions] : Reached)
    Sizes[Kernel] = 0;
  for (const Placed &P : Order) {
    uint64_t Offset = 0;
    for (Function *Kernel : P.Kernels)
      Offset = std::max(Offset, Sizes[Kernel]);
    Offset = alignTo(Offset, alignmentOf(*P.G, DL));
    Offsets[P.G] = Offset;
    for (Function *Kernel : P.Kernels)
      Sizes[Kernel] = Offset + sizeOf(*P.G, DL);
  }
  // What a launch adds lies behind, as aligned as its variables ask for.
  MapVector<Function *, Align> Ends;
  for (GlobalVariable *G : Dynamic)
    for (Function *Kernel : kernelsThatReach(*G, Reached))
      Ends[Kernel] = std::max(Ends[Kernel], alignmentOf(*G, DL));
  for (auto &[Kernel, Size] : Sizes)
    Size = alignTo(Size, std::max(SharedAlign, Ends.lookup(Kernel).value()));

  for (GlobalVariable *G : Static)
    replaceUses(*G, [&](CpuContext &C) {
      Value *Base = C.pointerField(offsetof(GridspanCpuBlock, StaticShared));
      return C.B.CreateConstInBoundsGEP1_64(C.B.getInt8Ty(), Base, Offsets[G]);
    });
  for (GlobalVariable *G : Dynamic)
    replaceUses(*G, [&](CpuContext &C) {
      return C.pointerField(offsetof(GridspanCpuBlock, DynamicShared));
    });
  for (GlobalVariable *G : concat<GlobalVariable *>(Static, Dynamic))
    G->eraseFromParent();
  return Sizes;
}

//===--- Device variables -----------------------------------------------===//

/// Returns the variables of the image: those that can change, and constants
/// that refer to them.
static SetVector<GlobalVariable *> imageVariables(Module &M) {
  SetVector<GlobalVariable *> Image;
  for (GlobalVariable &G : M.globals())
    if (!G.isDeclaration() && G.getAddressSpace() != SharedSpace &&
        !G.getName().starts_with("llvm.") &&
        !(G.isConstant() && G.hasLocalLinkage() &&
          !G.isExternallyInitialized()))
      Image.insert(&G);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (GlobalVariable &G : M.globals())
      if (G.hasInitializer() && !Image.contains(&G) &&
          refersTo(*G.getInitializer(), [&](const GlobalVariable &V) {
            return Image.contains(const_cast<GlobalVariable *>(&V));
          }))
        Changed |= Image.insert(&G);
  }
  return Image;
}

namespace {

/// Makes the relocation function while addresses are taken out of initializers.
class Relocations {
public:
  Relocations(Module &M, const SetVector<GlobalVariable *> &Variables)
      : M(M), Variables(Variables) {}

  /// Returns the initializer without addresses of variables. They are stored at
  /// Offset of the image later.
  Constant *withoutAddresses(Constant *C, uint64_t Offset) {
    return gridspan::withoutAddresses(
        C, Offset, M.getDataLayout(),
        [&](const GlobalVariable &G) {
          return Variables.contains(const_cast<GlobalVariable *>(&G));
        },
        [&](Constant *Address, uint64_t At) { store(Address, At); });
  }

  /// Returns the function; null when nothing has to be stored.
  Function *function() const { return F; }

  void finish() {
    if (F)
      ReturnInst::Create(M.getContext(), &F->getEntryBlock());
  }

private:
  void store(Constant *C, uint64_t Offset) {
    LLVMContext &Context = M.getContext();
    if (!F) {
      auto *Type = FunctionType::get(Type::getVoidTy(Context),
                                     {PointerType::get(Context, 0)}, false);
      F = Function::Create(Type, GlobalValue::InternalLinkage,
                           CpuPrefix + "relocate", M);
      F->setDoesNotThrow();
      BasicBlock::Create(Context, "entry", F);
    }
    IRBuilder<> B(&F->getEntryBlock());
    B.CreateStore(
        C, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F->getArg(0), Offset));
  }

  Module &M;
  const SetVector<GlobalVariable *> &Variables;
  Function *F = nullptr;
};

} // namespace

/// A variable of the image must be a C identifier to be known to the program.
static bool isRegistered(const GlobalVariable &G) {
  return !G.hasLocalLinkage();
}

/// Constants move to the host's own address space. Image is there.
static void moveConstants(Module &M, const GlobalVariable *Image) {
  SmallVector<GlobalVariable *> Constants;
  for (GlobalVariable &G : M.globals())
    if (!G.isDeclaration() && G.getAddressSpace() != SharedSpace && &G != Image)
      Constants.push_back(&G);
  for (GlobalVariable *G : Constants) {
    auto *New = new GlobalVariable(M, G->getValueType(), true,
                                   GlobalValue::InternalLinkage,
                                   G->getInitializer(), "");
    New->setAlignment(G->getAlign());
    New->setUnnamedAddr(G->getUnnamedAddr());
    New->setName(CpuPrefix + G->getName());
    Constant *Address = New;
    if (G->getAddressSpace() != 0)
      Address = ConstantExpr::getAddrSpaceCast(New, G->getType());
    G->replaceAllUsesWith(Address);
    G->eraseFromParent();
  }
}

void gridspan::lowerDeviceVariables(Module &M, CpuModuleCode &Code) {
  const DataLayout &DL = M.getDataLayout();
  SetVector<GlobalVariable *> Variables = imageVariables(M);
  MapVector<GlobalVariable *, uint64_t> Offsets;
  for (GlobalVariable *G : Variables) {
    Align Alignment = alignmentOf(*G, DL);
    Code.ImageAlign = std::max(Code.ImageAlign, Alignment.value());
    Offsets[G] = alignTo(Code.ImageSize, Alignment);
    Code.ImageSize = Offsets[G] + sizeOf(*G, DL);
    if (isRegistered(*G))
      Code.Variables.push_back(
          {G->getName().str(), Offsets[G], sizeOf(*G, DL)});
  }
  if (Variables.empty()) {
    moveConstants(M, nullptr);
    return;
  }

  Relocations Moves(M, Variables);
  SmallVector<Constant *> Members;
  uint64_t End = 0;
  auto Pad = [&](uint64_t Offset) {
    if (Offset > End)
      Members.push_back(ConstantAggregateZero::get(
          ArrayType::get(Type::getInt8Ty(M.getContext()), Offset - End)));
  };
  for (auto [G, Offset] : Offsets) {
    Pad(Offset);
    Constant *Initial = Moves.withoutAddresses(G->getInitializer(), Offset);
    if (isa<UndefValue>(Initial))
      Initial = Constant::getNullValue(Initial->getType());
    Members.push_back(Initial);
    End = Offset + sizeOf(*G, DL);
    G->setInitializer(nullptr);
  }
  Moves.finish();
  // As an initializer it follows the constants that it refers to when they are
  // replaced.
  Constant *Initial =
      ConstantStruct::getAnon(M.getContext(), Members, /*Packed=*/true);
  Code.Image = new GlobalVariable(M, Initial->getType(), /*isConstant=*/true,
                                  GlobalValue::InternalLinkage, Initial,
                                  CpuPrefix + "image");
  Code.Image->setAlignment(Align(Code.ImageAlign));

  SmallVector<Constant *> Constants(Variables.begin(), Variables.end());
  convertUsersOfConstantsToInstructions(Constants);
  for (auto &Entry : Offsets) {
    uint64_t Offset = Entry.second;
    replaceUses(*Entry.first, [&](CpuContext &C) {
      Value *Image = &C.F == Moves.function()
                         ? C.F.getArg(0)
                         : C.pointerField(offsetof(GridspanCpuBlock, Image));
      return C.B.CreateConstInBoundsGEP1_64(C.B.getInt8Ty(), Image, Offset);
    });
  }
  for (GlobalVariable *G : Variables)
    G->eraseFromParent();
  moveConstants(M, Code.Image);
  Code.Relocate = Moves.function();
}

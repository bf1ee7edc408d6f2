//===- RegisterCounts.cpp - Registers that ptxas gives kernels ------------===//
//
// Part of Gridspan, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cubin is an ELF file. Its section .nv.info has attributes of a format byte,
// an attribute byte and a 16-bit size; attribute EIATTR_REGCOUNT (0x2f), of
// format 4, holds a symbol's index and the registers of a thread of that
// kernel. Static shared memory is the section .nv.shared.<kernel>. NVIDIA does
// not document this; a test compares the numbers with those that `ptxas -v`
// prints.
//
//===----------------------------------------------------------------------===//

#include "analysis/machine/RegisterCounts.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::object;

namespace gridspan {

static constexpr uint8_t RegisterCountAttribute = 0x2f;
static constexpr uint8_t SizedFormat = 4;
static constexpr StringLiteral SharedPrefix = ".nv.shared.";

/// Calls Fn(symbol, registers) for each EIATTR_REGCOUNT of a .nv.info section.
template <typename Callback>
static void forRegisterCounts(StringRef Info, Callback Fn) {
  using support::endian::read16le;
  using support::endian::read32le;
  while (Info.size() >= 4) {
    const auto Format = uint8_t(Info[0]), Attribute = uint8_t(Info[1]);
    const size_t Size =
        Format == SizedFormat ? read16le(Info.data() + 2) : size_t(0);
    Info = Info.drop_front(4);
    if (Info.size() < Size)
      return;
    if (Attribute == RegisterCountAttribute && Size >= 8)
      Fn(read32le(Info.data()), read32le(Info.data() + 4));
    Info = Info.drop_front(Size);
  }
}

Expected<StringMap<KernelResources>> readKernelResources(StringRef Cubin) {
  Expected<ELFFile<ELF64LE>> File = ELFFile<ELF64LE>::create(Cubin);
  if (!File)
    return File.takeError();
  auto Sections = File->sections();
  if (!Sections)
    return Sections.takeError();
  const ELF64LE::Shdr *Symbols = nullptr;
  for (const ELF64LE::Shdr &Section : *Sections)
    if (Section.sh_type == ELF::SHT_SYMTAB)
      Symbols = &Section;
  if (!Symbols)
    return createStringError("a cubin without symbols");
  auto Names = File->getStringTableForSymtab(*Symbols);
  if (!Names)
    return Names.takeError();
  StringMap<KernelResources> Out;
  for (const ELF64LE::Shdr &Section : *Sections) {
    auto Name = File->getSectionName(Section);
    if (!Name)
      return Name.takeError();
    StringRef Kernel = *Name;
    if (Kernel.consume_front(SharedPrefix))
      Out[Kernel].SharedBytes = Section.sh_size;
    if (*Name != ".nv.info")
      continue;
    auto Contents = File->getSectionContents(Section);
    if (!Contents)
      return Contents.takeError();
    forRegisterCounts(
        toStringRef(*Contents), [&](uint32_t Index, uint32_t Registers) {
          auto Symbol = File->getSymbol(Symbols, Index);
          auto Text = Symbol ? (*Symbol)->getName(*Names) : Symbol.takeError();
          if (Text)
            Out[*Text].Registers = Registers;
          else
            consumeError(Text.takeError());
        });
  }
  return Out;
}

Expected<StringMap<KernelResources>>
compileForResources(StringRef Ptxas, StringRef Arch, StringRef Ptx) {
  ErrorOr<std::string> Program = sys::findProgramByName(Ptxas);
  if (!Program)
    return createStringError("no program " + Ptxas);
  SmallString<128> PtxPath, CubinPath, LogPath;
  if (sys::fs::createTemporaryFile("gridspan", "ptx", PtxPath) ||
      sys::fs::createTemporaryFile("gridspan", "cubin", CubinPath) ||
      sys::fs::createTemporaryFile("gridspan", "log", LogPath))
    return createStringError("no temporary files");
  FileRemover RemovePtx(PtxPath), RemoveCubin(CubinPath), RemoveLog(LogPath);
  std::error_code Error;
  {
    raw_fd_ostream OS(PtxPath, Error);
    if (!Error)
      OS << Ptx;
  }
  if (Error)
    return createStringError("cannot write " + PtxPath);
  const std::string ArchOption = ("-arch=" + Arch).str();
  const StringRef Args[] = {*Program, ArchOption, "-o", CubinPath, PtxPath};
  const std::optional<StringRef> Redirects[] = {StringRef(), StringRef(LogPath),
                                                StringRef(LogPath)};
  if (sys::ExecuteAndWait(*Program, Args, std::nullopt, Redirects) != 0) {
    auto Log = MemoryBuffer::getFile(LogPath);
    StringRef First = Log ? (*Log)->getBuffer().split('\n').first : StringRef();
    return createStringError("ptxas: " + First);
  }
  auto Cubin = MemoryBuffer::getFile(CubinPath);
  if (!Cubin)
    return createStringError("cannot read " + CubinPath);
  return readKernelResources((*Cubin)->getBuffer());
}

} // namespace gridspan

# Precompiled headers, for builds from nothing: parsing the headers of LLVM and of
# the standard library is half of the time of such a build. Every source includes
# what it uses all the same, which builds without them (the default) show.
option(GRIDSPAN_PRECOMPILE "Precompile headers of libraries" OFF)

set(GridspanStandardHeaders
  <algorithm> <array> <atomic> <bit> <chrono> <cstdint> <cstring> <deque>
  <functional> <map> <memory> <mutex> <optional> <set> <shared_mutex> <string>
  <thread> <unordered_map> <vector>)
set(GridspanLlvmHeaders
  <llvm/ADT/DenseMap.h> <llvm/ADT/STLExtras.h> <llvm/ADT/StringExtras.h>
  <llvm/Analysis/LoopInfo.h> <llvm/Analysis/ScalarEvolution.h>
  <llvm/IR/Dominators.h> <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h>
  <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/IR/PassManager.h>
  <llvm/Support/FormatVariadic.h> <llvm/Support/raw_ostream.h>
  <map> <memory> <optional> <string> <vector>)
set(GridspanTestHeaders <gmock/gmock.h> <gtest/gtest.h>)

# gridspan_precompile(target headers...)
function(gridspan_precompile Target)
  if(GRIDSPAN_PRECOMPILE)
    target_precompile_headers(${Target} PRIVATE ${ARGN})
    # Compiler caches cannot compare time stamps.
    target_compile_options(${Target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

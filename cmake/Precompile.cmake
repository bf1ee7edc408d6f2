# Precompiled headers, for builds from nothing: parsing headers is half of the time
# of such a build. LIBRARIES are those of LLVM, of the standard library and the
# like. ALL is also what most sources of the runtime include, so that a change of
# one of these compiles all of them again. Every source includes what it uses all
# the same, which builds without them show: the default, and that of scripts/tidy.
set(GRIDSPAN_PRECOMPILE OFF CACHE STRING
  "Which headers are precompiled: OFF, LIBRARIES or ALL")
set_property(CACHE GRIDSPAN_PRECOMPILE PROPERTY STRINGS OFF LIBRARIES ALL)

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

# gridspan_precompile(target headers... [OWN headers...]): headers of libraries, and
# of this project.
function(gridspan_precompile Target)
  cmake_parse_arguments(ARG "" "" "OWN" ${ARGN})
  if(NOT GRIDSPAN_PRECOMPILE STREQUAL "ALL")
    set(ARG_OWN)
  endif()
  if(GRIDSPAN_PRECOMPILE)
    target_precompile_headers(${Target} PRIVATE
      ${ARG_UNPARSED_ARGUMENTS} ${ARG_OWN})
    # Compiler caches cannot compare time stamps.
    target_compile_options(${Target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

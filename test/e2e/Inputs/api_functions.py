#!/usr/bin/env python3
"""Makes a C program that calls every CUDA function that needs a driver.

Usage: api_functions.py cuda-root source-root > calls.c

Takes the functions that return an error out of CUDA's headers. Each must be in
CudaApi.def, which the runtime takes over, or in VendorCalls.def, which the
program calls. None may be in both or in neither.
"""

import re
import sys

Cuda, Source = sys.argv[1:]


def table(Path, Macro):
    with open(f"{Source}/{Path}") as File:
        return re.findall(rf"^{Macro}\((\w+)", File.read(), re.M)


Functions = set()
for Header in ["cuda_runtime_api.h", "cuda_profiler_api.h"]:
    with open(f"{Cuda}/include/{Header}") as File:
        Functions |= set(
            re.findall(r"cudaError_t\s+CUDARTAPI(?:_CDECL)?\s+(cuda\w+)", File.read())
        )
Redirected = set(table("include/gridspan/CudaApi.def", "GRIDSPAN_API"))
Redirected |= set(table("include/gridspan/CudaApi.def", "GRIDSPAN_API_PT"))
Guarded = set(table("passes/host/VendorCalls.def", "GRIDSPAN_VENDOR_CALL"))
Missing = Functions - Redirected - Guarded
if Missing or Redirected & Guarded:
    sys.exit(f"in no table: {sorted(Missing)}, in both: {Redirected & Guarded}")

print("#include <stdio.h>")
print("typedef int (*fn)(long, long, long, long, long, long, long, long);")
Called = sorted(Functions & Guarded)
for Name in Called:
    print(f"int {Name}(void);")
print("static const struct { const char *name; fn call; } calls[] = {")
for Name in Called:
    print(f'  {{"{Name}", (fn)(void *){Name}}},')
print(
    """};
int main(void) {
  unsigned i, wrong = 0, count = sizeof(calls) / sizeof(calls[0]);
  for (i = 0; i < count; ++i)
    if (calls[i].call(0, 0, 0, 0, 0, 0, 0, 0) != 801 && ++wrong)
      printf("%s: no cudaErrorNotSupported\\n", calls[i].name);
  calls[0].call(0, 0, 0, 0, 0, 0, 0, 0);
  printf("called %u, %u wrong\\n", count, wrong);
  return wrong != 0;
}"""
)

# RUN: %python %s > %t.ll
# RUN: %opt -passes='print<gridspan-access>' -disable-output %t.ll 2>&1 | FileCheck %s
# The time of a launch is bounded: of many accesses only so many have ranges.
# CHECK: write 4 bytes at 0 (exact) [site 0]
# CHECK: write 4 bytes at 8176 (exact) [site 511]
# CHECK: write: unknown, there are too many accesses [site 512]
# CHECK: write: unknown, there are too many accesses [site 899]

print('target triple = "nvptx64-nvidia-cuda"')
print("define void @k(ptr %p) {")
for I in range(900):
    print(f"  %a{I} = getelementptr i8, ptr %p, i64 {16 * I}")
    print(f"  store float 0.0, ptr %a{I}")
print("  ret void\n}")
print('!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !"kernel", i32 1}')

# Behind each of 500 barriers of `all` its threads may get to the same code: too
# much to be copied for each of them. `row` has more instructions, between
# barriers that follow each other.
# RUN: %python %s > %t.ll
# RUN: %opt -passes='print<gridspan-cpu-regions>' -disable-output %t.ll 2>&1 | FileCheck %s
# CHECK: all: fibers: too-large:
# CHECK: row: 61 regions

BARRIERS = 500
STORE = "  store volatile i32 %n, ptr %p\n"
BARRIER = "  call void @llvm.nvvm.barrier0()\n"

cases = "\n".join(f"    i32 {i}, label %b{i}" for i in range(BARRIERS))
blocks = "".join(f"b{i}:\n{BARRIER}  br label %tail\n" for i in range(BARRIERS))

print(f"""
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
define void @all(ptr %p, i32 %n) {{
entry:
  br label %head
head:
  switch i32 %n, label %tail [
{cases}
  ]
{blocks}
tail:
{STORE * 500}
  br label %head
}}
define void @row(ptr %p, i32 %n) {{
{(STORE * 40 + BARRIER) * 60}
  ret void
}}
!nvvm.annotations = !{{!0, !1}}
!0 = !{{ptr @all, !"kernel", i32 1}}
!1 = !{{ptr @row, !"kernel", i32 1}}
""")

# RUN: %python %s > %t.ll
# RUN: %opt -passes='print<gridspan-access>' -disable-output %t.ll 2>&1 | FileCheck %s
# A chain of merges has exponentially many paths: given up in bounded time.
# CHECK: write: unknown, there are too many expressions [site 0]

LENGTH = 200
print('target triple = "nvptx64-nvidia-cuda"')
print("define void @k(ptr %p, i32 %n) {")
print("  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
print("  br label %b0\nb0:\n  %v0 = add i32 %t, 1")
for I in range(LENGTH):
    print(f"  %c{I} = icmp sgt i32 %v{I}, {I}")
    print(f"  br i1 %c{I}, label %l{I}, label %r{I}")
    print(f"l{I}:\n  %x{I} = add i32 %v{I}, 3\n  br label %b{I + 1}")
    print(f"r{I}:\n  %y{I} = mul i32 %v{I}, 5\n  br label %b{I + 1}")
    print(f"b{I + 1}:\n  %v{I + 1} = phi i32 [ %x{I}, %l{I} ], [ %y{I}, %r{I} ]")
print(f"  %w = sext i32 %v{LENGTH} to i64")
print("  %a = getelementptr float, ptr %p, i64 %w\n  store float 0.0, ptr %a\n  ret void\n}")
print("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
print('!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !"kernel", i32 1}')

#!/usr/bin/env python3
"""Writes a CUDA program of random kernels with loops that stride over the grid.

Some may be repartitioned (analysis/GridStride.cpp) and some must not be,
because the order of a thread's iterations, or the thread that runs them, can be
seen in the results. All are valid and deterministic under any order of blocks
and threads, so that a split run must print what the plain run prints: a thread
writes cells of its own iterations, or cells that only its own iterations use.

Indices of every type, upward and downward, by threads and by blocks, with a
start and a scale, bounds from none at all to the end of the type; one, two and
three axes; several loops in a kernel; reads of neighbours, rows, and through
indices; arguments that are the same buffer, or parts of it that overlap.

Usage: stride.py --seed N --kernels K > program.cu
"""
import random

from generate import LIMIT, around, print_program

TYPES = {"int": (-(1 << 31), (1 << 31) - 1), "unsigned": (0, (1 << 32) - 1),
         "long long": (-(1 << 63), (1 << 63) - 1), "unsigned long long": (0, (1 << 64) - 1)}


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.params, self.lines, self.depth = [], [], 1
        self.outputs = 0
        self.fresh = 0

    def var(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def param(self, type_, value, prefix="p"):
        name = self.var(prefix)
        self.params.append((f"{type_} {name}", value))
        return name

    def scalar(self, type_, value):
        suffix = "ull" if type_ == "unsigned long long" else "ll"
        return self.param(type_, f"({type_}){value}{suffix}")

    def input(self, element="int"):
        qualifier = self.rng.choice(["const ", "const ", ""])
        return self.param(f"{qualifier}{element} *", f"input<{element}>()", "a")

    def output(self, element="int"):
        restrict = self.rng.choice(["", "", "__restrict__ "])
        self.outputs += 1
        return self.param(f"{element} *{restrict}", f"output<{element}>({self.outputs - 1})", "o")

    # --- loops --------------------------------------------------------------

    def open(self, axis, length, perBlock=False, base=None, scale=None, type_=None):
        """Opens a loop of about length iterations; returns its index, 0 to
        length - 1 times the scale, as an expression of type long long."""
        rng, a = self.rng, "xyz"[axis]
        type_ = type_ or rng.choice(list(TYPES))
        lowest, highest = TYPES[type_]
        threads = self.grid[axis] * (1 if perBlock else self.block[axis])
        scale = scale if scale is not None else rng.choice([1, 1, 1, 1, 2, 3])
        down = lowest < 0 and rng.random() < 0.25
        if base is None:
            base = rng.choice([0, 0, 0, 1, 5, 1000])
            if rng.random() < 0.1:  # as far up as the index can go without wrapping
                base = highest - scale * threads - scale * length - rng.choice([0, 1, 7])
            elif lowest < 0 and rng.random() < 0.2:
                base = -17
        extra = rng.randrange(scale)  # the bound need not be in step
        equal = rng.random() < 0.25
        limit = base + scale * length - extra - (1 if equal else 0) if length > 0 else base - rng.choice([0, 1]) * (lowest < 0)
        wide = type_ in ("long long", "unsigned long long")
        kind = {"int": "int", "unsigned": "unsigned", "long long": "long long", "unsigned long long": "size_t"}[type_]
        if perBlock:
            first, step = f"({kind})blockIdx.{a}", f"({kind})gridDim.{a}"
        elif wide and rng.random() < 0.6:
            first = f"(({kind})blockIdx.{a} * blockDim.{a} + threadIdx.{a})"
            step = f"(({kind})gridDim.{a} * blockDim.{a})"
        else:
            first = f"({kind})(blockIdx.{a} * blockDim.{a} + threadIdx.{a})"
            step = f"({kind})(gridDim.{a} * blockDim.{a})"
        baseText = f"{base}{'ull' if type_ == 'unsigned long long' else 'll'}" if abs(base) < 2000 and rng.random() < 0.6 \
            else self.scalar(type_, base)
        i = self.var("i")
        offset = f"(long long)({i} - {baseText})" if base else f"(long long){i}"
        if scale > 1 or rng.random() < 0.1:
            first, step = f"{first} * {scale}", f"{step} * {scale}"
        if rng.random() < 0.3:
            name = self.var("t")
            self.emit(f"{kind} {name} = {step};")
            step = name
        if down:
            # From the top: base + scale * (length - 1) down to base.
            top = base + scale * (max(length, 1) - 1)
            topText = self.scalar(type_, top)
            last = self.scalar(type_, base - (0 if equal else 1) if length > 0 else top + 1)
            self.emit(f"for ({kind} {i} = {topText} - {first}; {i} {'>=' if equal else '>'} {last}; {i} -= {step}) {{")
        else:
            boundType = type_
            if not wide and rng.random() < 0.3:  # the index is compared in 64 bits
                boundType = rng.choice(["long long", "unsigned long long"]) if limit >= 0 else "long long"
            bound = self.scalar(boundType, limit)
            self.emit(f"for ({kind} {i} = {first}{'' if base == 0 else ' + (' + kind + ')' + baseText}; "
                      f"{i} {'<=' if equal else '<'} {bound}; {i} += {step}) {{")
        self.depth += 1
        self.raw = i
        return offset

    def close(self):
        self.depth -= 1
        self.emit("}")

    def length(self, axis, most, perBlock=False):
        threads = self.grid[axis] * (1 if perBlock else self.block[axis])
        return min(most, self.rng.choice([0, 1, threads - 1, threads, threads + 1, 2 * threads, 3 * threads - 1,
                                          self.rng.randint(0, 5 * threads), self.rng.randint(0, most), most]))

    def value(self, i):
        """An int that depends on the iteration only."""
        rng = self.rng
        kind = rng.randrange(5)
        a = self.input()
        if kind == 0:
            return f"{a}[{i}]"
        if kind == 1:
            return f"{a}[{i} + {rng.randint(-9, 9)}] - {a}[{i}]"
        if kind == 2:
            return f"{a}[{a}[{i}] & 511]"
        if kind == 3:
            k, s = self.var("k"), self.var("s")
            self.emit(f"int {s} = 0;")
            self.emit(f"for (int {k} = 0; {k} < {self.scalar('int', rng.randint(0, 5))}; ++{k}) "
                      f"{s} += {a}[{i} * 3 + {k}];")
            return s
        return f"(int){i} * {rng.randint(1, 9)} + {a}[{i} >> 2]"

    # --- kernels ------------------------------------------------------------

    def map(self):
        i = self.open(0, self.length(0, 3000))
        o = self.output()
        cell = f"{o}[{i}]" if self.rng.random() < 0.7 else f"{o}[{i} * 2 + {self.rng.randrange(2)}]"
        if self.rng.random() < 0.3:
            self.emit(f"if ({self.value(i)} % 3) {cell} = {self.value(i)};")
        elif self.rng.random() < 0.4:
            self.emit(f"{cell} = {cell} * 3 + {self.value(i)};")
        else:
            self.emit(f"{cell} = {self.value(i)};")
        self.close()

    def rows(self):
        perBlock = self.rng.random() < 0.6
        m = self.scalar("int", self.rng.randint(0, 20))
        r = self.open(0, self.length(0, 300, perBlock), perBlock, scale=1)
        o = self.output()
        row = self.raw if self.rng.random() < 0.5 and r.endswith(self.raw) else r
        first, step = ("threadIdx.x", "blockDim.x") if perBlock else ("0", "1")
        a = self.input()
        self.emit(f"for (int c = {first}; c < {m}; c += {step}) {o}[{row} * {m} + c] = {a}[{row} * {m} + c] + c;")
        self.close()

    def matrix(self):
        type_ = self.rng.choice(list(TYPES))
        columns = self.length(0, 60)
        rows = self.length(1, 60)
        m = self.scalar(type_, columns)
        o, a = self.output(), self.input()
        r = self.open(1, rows, base=0, scale=1, type_=type_)
        rRaw = self.raw
        # The inner bound is the row length, in the same variable or another.
        c = self.var("c")
        kind = "size_t" if type_ == "unsigned long long" else type_
        bound = m if self.rng.random() < 0.7 else self.scalar(type_, columns)
        self.emit(f"for ({kind} {c} = ({kind})(blockIdx.x * blockDim.x + threadIdx.x); {c} < {bound}; "
                  f"{c} += ({kind})(gridDim.x * blockDim.x))")
        self.emit(f"  {o}[{rRaw} * {m} + {c}] = {a}[{rRaw} * {m} + {c}] * 2 + (int){c};")
        self.close()

    def twoLoops(self):
        n = self.length(0, 3000)
        other = n if self.rng.random() < 0.5 else self.length(0, n)
        o, p, a = self.output(), self.output(), self.input()
        shared = self.scalar("int", n)
        bound = shared if other == n else self.scalar("int", other)
        for text, limit in ((f"{o}[i] = {a}[i] * 5;", shared), (f"{p}[i] = {o}[i] + {a}[i + 1];", bound)):
            self.emit(f"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < {limit}; "
                      f"i += gridDim.x * blockDim.x) {text}")

    def atomic(self):
        i = self.open(0, self.length(0, 3000))
        o = self.output()
        name = self.rng.choice(["atomicAdd", "atomicMax", "atomicOr", "atomicXor"])
        self.emit(f"{name}(&{o}[{self.value(i)} & 127], {self.value(i)});")
        self.close()

    # The rest must stay as they are.

    def sum(self):
        o = self.output("float")
        self.emit("float s = 0.1f;")
        i = self.open(0, self.length(0, 3000))
        self.emit(f"s = s * 1.01f + {self.input('float')}[{i}];")
        self.close()
        self.emit(f"{o}[blockIdx.x * blockDim.x + threadIdx.x] = s;")

    def column(self):
        """A thread follows its own column of rows as long as the grid."""
        o, n = self.output(), self.scalar("int", self.length(0, 3000))
        self.emit("int t = gridDim.x * blockDim.x;")
        self.emit(f"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < {n}; i += t)")
        self.emit(self.rng.choice([f"  {o}[i] = {o}[i - t] * 3 + i;", f"  {o}[i % t] = {o}[i % t] * 3 + i;",
                                   f"  {o}[i] = {o}[i + t] + (i >= t ? {o}[i - t] : 7) * 3;"]))

    def lastWins(self):
        o, n = self.output(), self.scalar("unsigned", self.length(0, 3000))
        self.emit(f"for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < {n}; i += gridDim.x * blockDim.x)")
        self.emit(self.rng.choice([f"  {o}[blockIdx.x * blockDim.x + threadIdx.x] = (int)i;",
                                   f"  {o}[i % (gridDim.x * blockDim.x)] = (int)i;"]))

    def threads(self):
        o, a, n = self.output(), self.input(), self.scalar("int", self.length(0, 3000))
        self.emit("int first = blockIdx.x * blockDim.x + threadIdx.x;")
        what = self.rng.randrange(4)
        if what == 0:
            self.emit(f"if ({a}[threadIdx.x] & 1)")
        self.emit(f"for (int i = first; i < {n}; i += gridDim.x * blockDim.x) {{")
        if what == 1:
            self.emit(f"  if (({a}[i] & 15) == 3) break;")
        self.emit(f"  {o}[i] = {a}[i] + {['1', 'i', 'first', '(int)threadIdx.x * 3'][what]};")
        self.emit("}")

    def aliased(self):
        """One buffer twice: the same elements, or others."""
        n = self.length(0, 3000)
        threads = self.grid[0] * self.block[0]
        shift = self.rng.choice([0, 0, threads, 2 * threads, -threads, 5000])
        limit = self.scalar("int", n)
        self.outputs = 1
        x = self.param("const int *", f"output<int>(0) + {shift}", "x")
        y = self.param("int *", "output<int>(0)", "y")
        self.emit(f"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < {limit}; i += gridDim.x * blockDim.x)")
        self.emit(f"  {y}[i] = {x}[i] * 3 + i;")

    def generate(self):
        rng = self.rng
        form = rng.choice([self.map] * 6 + [self.rows, self.rows, self.matrix, self.matrix, self.twoLoops, self.atomic,
                                            self.sum, self.column, self.lastWins, self.threads, self.aliased])
        if form == self.matrix:
            self.grid, self.block = [rng.randint(1, 4), rng.randint(1, 7), 1], [rng.choice([1, 4, 8]), rng.randint(1, 4), 1]
        else:
            self.grid, self.block = [rng.choice([1, 2, 3, 5, 7, 8, 13]), 1, 1], [rng.choice([1, 7, 32, 33, 64]), 1, 1]
        form()
        declarations = ", ".join(p[0] for p in self.params)
        arguments = ", ".join(p[1] for p in self.params)
        dim = lambda d: f"dim3({d[0]}, {d[1]}, {d[2]})"
        source = f"// {form.__name__}\n__global__ void {self.name}({declarations}) {{\n" + "\n".join(self.lines) + "\n}\n"
        launch = f"  {self.name}<<<{dim(self.grid)}, {dim(self.block)}>>>({arguments});"
        return source, around(rng, self.name, launch)


if __name__ == "__main__":
    print_program(Kernel, "stride.py", __doc__)

#!/usr/bin/env python3
"""Writes a CUDA program of random kernels, for testing access ranges.

Every kernel reads and writes through random index expressions: grids of one to
three dimensions, nested loops (upward, downward, strided, triangular), guards,
early exits, div/mod tilings, shifts and masks, conversions between 32 and 64
bits and between signed and unsigned, wrap-around of unsigned values, structs
with pointers passed by value, vector and struct elements, aliased arguments.

The programs are valid and deterministic under any order of blocks, so that a
split run must print what the plain run prints:
  * indices stay inside their buffers. The generator computes with the concrete
    launch an interval for each expression (Term.lo, Term.hi), never lets a
    signed operation leave its type, and reduces what does not fit;
  * a thread writes cells of its own (a global thread id times a stride), or a
    value that depends on nothing but the cell, or adds to integers atomically;
  * what a kernel writes it reads only in its own cell.

Usage: generate.py --seed N --kernels K > program.cu
"""
import argparse
import random

TYPES = {  # C type: bits, signed
    "int": (32, True),
    "unsigned": (32, False),
    "long long": (64, True),
    "unsigned long long": (64, False),
}
ELEMENTS = {  # C type: expression that folds an element e into an unsigned
    "float": "(unsigned)(int)({e})",
    "int": "(unsigned)({e})",
    "double": "(unsigned)__double_as_longlong({e})",
    "char": "(unsigned)({e})",
    "short": "(unsigned)({e})",
    "long long": "(unsigned)({e})",
    "int2": "(unsigned)(({e}).x * 3 + ({e}).y)",
    "float4": "(unsigned)(int)(({e}).x + ({e}).w)",
    "Cell": "(unsigned)(({e}).b) + (unsigned)__double_as_longlong(({e}).c)",
}
LIMIT = 1 << 15  # indices lie in [-LIMIT, LIMIT)


class Term:
    """A C expression with its type and an interval that holds its value."""

    def __init__(self, text, type_, lo, hi):
        self.text, self.type, self.lo, self.hi = text, type_, lo, hi


def fits(type_, lo, hi):
    bits, signed = TYPES[type_]
    if signed:
        return -(1 << (bits - 1)) <= lo and hi < (1 << (bits - 1))
    return 0 <= lo and hi < (1 << bits)


def full(type_):
    bits, signed = TYPES[type_]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def convert(term, type_):
    """A C cast. Values that do not fit wrap (implementation-defined in C, modulo
    here), so the interval becomes the type's."""
    if term.type == type_:
        return term
    lo, hi = (term.lo, term.hi) if fits(type_, term.lo, term.hi) else full(type_)
    return Term(f"({type_})({term.text})", type_, lo, hi)


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.dims = rng.choice([1, 1, 2, 2, 3])
        self.block = [1, 1, 1]
        self.grid = [1, 1, 1]
        for axis in range(self.dims):
            self.block[axis] = rng.choice([1, 2, 3, 4, 7, 8, 16, 32] if self.dims > 1 else [1, 5, 32, 33, 64, 96])
            self.grid[axis] = rng.choice([1, 2, 3, 4, 5] if self.dims > 1 else [1, 3, 5, 8, 13])
        while self.block[0] * self.block[1] * self.block[2] > 128:
            axis = self.block.index(max(self.block))
            self.block[axis] = max(1, self.block[axis] // 2)
        while self.grid[0] * self.grid[1] * self.grid[2] > 24:
            axis = self.grid.index(max(self.grid))
            self.grid[axis] = max(1, self.grid[axis] - 1)
        self.threads = 1
        for axis in range(3):
            self.threads *= self.block[axis] * self.grid[axis]
        self.params = []  # (declaration, argument)
        self.terms = []  # usable values
        self.lines = []
        self.depth = 1
        self.fresh = 0
        self.inputs = []
        self.outputs = []

    # --- values -----------------------------------------------------------

    def var(self, prefix="v"):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def scalarParam(self, lo, hi, type_=None):
        type_ = type_ or self.rng.choice(list(TYPES))
        value = self.rng.randint(lo, hi)
        name = self.var("p")
        self.params.append((f"{type_} {name}", f"({type_}){value}ll"))
        return Term(name, type_, value, value)

    def constant(self, lo, hi, type_="int"):
        value = self.rng.randint(lo, hi)
        suffix = {"int": "", "unsigned": "u", "long long": "ll", "unsigned long long": "ull"}[type_]
        return Term(f"{value}{suffix}" if value >= 0 else f"({value}{suffix})", type_, value, value)

    def positive(self, hi, type_):
        """A constant or parameter in [1, hi]."""
        if self.rng.random() < 0.5:
            return self.constant(1, hi, type_)
        return self.scalarParam(1, hi, type_)

    def indexTerm(self, axis):
        xyz = "xyz"[axis]
        unsigned = Term(f"(blockIdx.{xyz} * blockDim.{xyz} + threadIdx.{xyz})", "unsigned", 0,
                        self.grid[axis] * self.block[axis] - 1)
        kind = self.rng.randrange(4)
        if kind == 0:
            return unsigned
        if kind == 1:
            return Term(f"(int){unsigned.text}", "int", unsigned.lo, unsigned.hi)
        if kind == 2:
            return Term(f"((long long)blockIdx.{xyz} * blockDim.{xyz} + threadIdx.{xyz})", "long long",
                        unsigned.lo, unsigned.hi)
        return Term(f"((size_t)blockIdx.{xyz} * blockDim.{xyz} + threadIdx.{xyz})", "unsigned long long",
                    unsigned.lo, unsigned.hi)

    def define(self, term):
        """Names a term with its own type, so that it is used more than once."""
        name = self.var("i")
        self.emit(f"{term.type} {name} = {term.text};")
        named = Term(name, term.type, term.lo, term.hi)
        self.terms.append(named)
        return named

    def pick(self):
        if self.terms and self.rng.random() < 0.85:
            return self.rng.choice(self.terms)
        axis = self.rng.randrange(self.dims)
        xyz = "xyz"[axis]
        return self.rng.choice([
            Term(f"threadIdx.{xyz}", "unsigned", 0, self.block[axis] - 1),
            Term(f"blockIdx.{xyz}", "unsigned", 0, self.grid[axis] - 1),
            Term(f"(int)blockDim.{xyz}", "int", self.block[axis], self.block[axis]),
            Term(f"(int)gridDim.{xyz}", "int", self.grid[axis], self.grid[axis]),
        ])

    def expression(self, depth):
        rng = self.rng
        if depth == 0:
            return self.pick()
        a = self.expression(depth - 1)
        op = rng.choice(["+", "+", "+", "-", "*", "*", "*", "/", "%", "<<", ">>", "&", "|", "min", "max", "?:",
                         "cast", "neg", "wrap"])
        if op in ("+", "-", "*"):
            b = self.expression(depth - 1) if rng.random() < 0.6 else self.positive(17, a.type)
            return self.arithmetic(op, a, b)
        if op in ("/", "%"):
            b = self.positive(40, a.type)
            if op == "/":
                lo, hi = sorted((self.cdiv(a.lo, b.lo), self.cdiv(a.hi, b.lo)))
                return Term(f"({a.text} / {b.text})", a.type, min(lo, hi), max(lo, hi))
            if a.lo >= 0:
                return Term(f"({a.text} % {b.text})", a.type, 0, min(a.hi, b.lo - 1))
            return Term(f"({a.text} % {b.text})", a.type, -(b.lo - 1), b.lo - 1 if a.hi > 0 else 0)
        if op == "<<":
            k = rng.randint(0, 4)
            return self.arithmetic("*", a, Term(str(1 << k), a.type, 1 << k, 1 << k),
                                   text=f"({a.text} << {k})", shift=True)
        if op == ">>":
            k = rng.randint(0, 5)
            return Term(f"({a.text} >> {k})", a.type, a.lo >> k, a.hi >> k)
        if op == "&":
            mask = rng.choice([1, 3, 7, 15, 31, 63, 6, 12])
            return Term(f"({a.text} & {mask})", a.type, 0, mask)
        if op == "|":
            if a.lo < 0:
                return a
            k = rng.choice([1, 3, 8])
            return Term(f"({a.text} | {k})", a.type, a.lo, a.hi + k)
        if op in ("min", "max"):
            b = self.positive(50, a.type) if rng.random() < 0.6 else convert(self.expression(depth - 1), a.type)
            f = min if op == "min" else max
            less = "<" if op == "min" else ">"
            return Term(f"({a.text} {less} {b.text} ? {a.text} : {b.text})", a.type, f(a.lo, b.lo), f(a.hi, b.hi))
        if op == "?:":
            b = convert(self.expression(depth - 1), a.type)
            return Term(f"({self.condition()} ? {a.text} : {b.text})", a.type, min(a.lo, b.lo), max(a.hi, b.hi))
        if op == "cast":
            return convert(a, rng.choice(list(TYPES)))
        if op == "neg":
            zero = Term("0", a.type if TYPES[a.type][1] else "long long", 0, 0)
            return self.arithmetic("-", zero, a)
        # Wrap-around close to the limits of an unsigned type, then back.
        big = self.constant((1 << 32) - 40, (1 << 32) - 1, "unsigned")
        u = self.arithmetic("+", convert(a, "unsigned"), big)
        return Term(f"({u.text} % {self.constant(2, 900, 'unsigned').text})", "unsigned", 0, 899)

    @staticmethod
    def cdiv(a, b):
        return abs(a) // b if a >= 0 else -(abs(a) // b)

    def arithmetic(self, op, a, b, text=None, shift=False):
        """a op b in C's usual conversions; never signed overflow."""
        order = list(TYPES)
        type_ = a.type if shift else max(a.type, b.type, key=order.index)
        a, b = convert(a, type_), convert(b, type_)
        if op == "+":
            lo, hi = a.lo + b.lo, a.hi + b.hi
        elif op == "-":
            lo, hi = a.lo - b.hi, a.hi - b.lo
        else:
            products = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            lo, hi = min(products), max(products)
        if shift and a.lo < 0:
            return a
        if not fits(type_, lo, hi):
            if not TYPES[type_][1]:
                lo, hi = full(type_)
            elif type_ == "int" and fits("long long", lo, hi):
                return self.arithmetic(op, convert(a, "long long"), convert(b, "long long"))
            else:
                return a
        return Term(text or f"({a.text} {op} {b.text})", type_, lo, hi)

    def condition(self):
        rng = self.rng
        a = self.pick()
        kind = rng.randrange(5)
        if kind == 0:
            return f"({a.text} % {self.positive(5, a.type).text} == 0)"
        if kind == 1:
            b = convert(self.pick(), a.type)
            return f"({a.text} {rng.choice(['<', '<=', '>', '>=', '!='])} {b.text})"
        if a.hi < 1:
            bound = self.constant(-3, 3, "int")
        else:
            bound = self.constant(0, max(0, min(a.hi, 1 << 30)), "int")
        first = f"({a.text} {rng.choice(['<', '<=', '>', '>=', '!=', '=='])} {convert(bound, a.type).text})"
        if kind == 2:
            return first
        second = self.pick()
        limit = convert(self.constant(0, max(1, min(abs(second.hi), 1 << 20)), "int"), second.type)
        return f"({first} {rng.choice(['&&', '&&', '||'])} {second.text} {rng.choice(['<', '>='])} {limit.text})"

    def index(self):
        """An index inside [-LIMIT, LIMIT)."""
        for _ in range(8):
            term = self.expression(self.rng.randint(1, 3))
            if -LIMIT <= term.lo and term.hi < LIMIT:
                return term.text
        term = self.expression(1)
        return f"({term.text} % {self.constant(2, 3000, 'int').text})" if term.type != "unsigned long long" \
            else f"({term.text} % 977ull)"

    # --- memory -----------------------------------------------------------

    def input(self):
        if self.inputs and self.rng.random() < 0.4:
            return self.rng.choice(self.inputs)
        element = self.rng.choice(list(ELEMENTS))
        qualifier = self.rng.choice(["const ", "const ", ""])
        if self.rng.random() < 0.3:
            name = self.var("s")
            self.params.append((f"View<{element}> {name}", f"View<{element}>{{7, input<{element}>(), 9ll}}"))
            self.inputs.append((f"{name}.data", element))
        else:
            restrict = self.rng.choice(["", "", "__restrict__ "])
            name = self.var("a")
            self.params.append((f"{qualifier}{element} *{restrict}{name}", f"input<{element}>()"))
            self.inputs.append((name, element))
        return self.inputs[-1]

    def read(self):
        name, element = self.input()
        if self.rng.random() < 0.15 and len(self.inputs) > 1:
            other = self.rng.choice([i for i in self.inputs if i[1] == element])[0]
            name = f"({self.condition()} ? {name} : {other})"
        if self.rng.random() < 0.15:
            name = f"({name} + {self.index()})"
            access = f"{name}[{self.constant(-100, 100).text}]"
        else:
            access = f"{name}[{self.index()}]"
        if element == "float" and self.rng.random() < 0.2:
            access = f"__ldg(&{access})" if "const" in name else access
        self.emit(f"acc = acc * 31u + {ELEMENTS[element].format(e=access)};")

    def output(self, element, initial="0"):
        name = self.var("o")
        self.params.append((f"{element} *{name}", f"output<{element}>({len(self.outputs)})"))
        self.outputs.append(element)
        return name

    def write(self):
        kind = self.rng.randrange(4)
        if kind == 0:  # own cells
            stride = self.rng.choice([1, 1, 1, 2, 3])
            if self.threads * stride >= LIMIT:
                stride = 1
            element = self.rng.choice(["int", "unsigned", "long long", "short"])
            name = self.output(element)
            cell = f"gid * {stride} + {self.rng.randrange(stride)}"
            if self.rng.random() < 0.4:
                self.emit(f"{name}[{cell}] = ({element})({name}[{cell}] * 5 + ({element})acc);")
            else:
                self.emit(f"{name}[{cell}] = ({element})acc;")
        elif kind == 1:  # a value that the cell decides
            name = self.output("int")
            index = self.var("w")
            self.emit(f"{{ long long {index} = {self.index()}; {name}[{index}] = (int)({index} * 7 + 3); }}")
        elif kind == 2:
            name = self.output("unsigned")
            self.emit(f"atomicAdd(&{name}[{self.index()}], acc | 1u);")
        else:
            name = self.output("int")
            self.emit(f"atomicMax(&{name}[{self.index()}], (int)(acc >> 1));")

    # --- control ----------------------------------------------------------

    def loop(self, budget):
        rng = self.rng
        type_ = rng.choice(["int", "int", "unsigned", "long long"])
        name = self.var("j")
        bound = self.pick()
        if rng.random() < 0.4 and 0 <= bound.lo and bound.hi <= 40 and fits(type_, 0, bound.hi + 1):
            stop = convert(bound, type_)  # triangular
        elif rng.random() < 0.5:
            stop = self.scalarParam(0, 6, type_)
        else:
            stop = self.constant(0, 6, type_)
        step = rng.choice([1, 1, 1, 2, 3])
        # Downward loops step below zero.
        kind = rng.randrange(4) if type_ != "unsigned" else rng.randrange(1, 4)
        top = max(0, stop.hi)
        if kind == 0:
            self.emit(f"for ({type_} {name} = {stop.text}; {name} > 0; {name} -= {step}) {{")
            term = Term(name, type_, 0, top)
        elif kind == 1:
            self.emit(f"for ({type_} {name} = 0; {name} <= {stop.text}; {name} += {step}) {{")
            term = Term(name, type_, 0, top)
        elif kind == 2:
            start = self.constant(0, 3, type_)
            self.emit(f"for ({type_} {name} = {start.text}; {name} < {stop.text}; {name} += {step}) {{")
            term = Term(name, type_, 0, max(top, 3))
        else:
            self.emit(f"{type_} {name} = 0;")
            self.emit(f"while ({name} < {stop.text}) {{")
            term = Term(name, type_, 0, top)
        kept = len(self.terms)
        self.terms.append(term)
        self.depth += 1
        self.body(budget - 1, rng.randint(0, 2))
        self.read()
        if kind == 3:
            self.emit(f"{name} += {step};")
        self.depth -= 1
        self.emit("}")
        del self.terms[kept:]

    def guard(self, budget):
        self.emit(f"if ({self.condition()}) {{")
        kept = len(self.terms)
        self.depth += 1
        self.body(budget - 1, self.rng.randint(0, 2))
        self.read()
        self.depth -= 1
        self.emit("}")
        del self.terms[kept:]

    def body(self, budget, statements):
        for _ in range(statements):
            choice = self.rng.random()
            if budget > 0 and choice < 0.2:
                self.loop(budget)
            elif budget > 0 and choice < 0.35:
                self.guard(budget)
            elif choice < 0.55:
                self.define(self.expression(2))
            else:
                self.read()

    def generate(self):
        rng = self.rng
        strides, total = [], 1
        for axis in range(3):
            strides.append(total)
            total *= self.grid[axis] * self.block[axis]
        gid = " + ".join(f"(blockIdx.{a} * blockDim.{a} + threadIdx.{a}) * {s}u" for a, s in zip("xyz", strides))
        for axis in range(self.dims):
            self.define(self.indexTerm(axis))
        if rng.random() < 0.5:
            first = self.terms[0]
            kind = rng.randrange(3)
            bound = self.scalarParam(max(0, first.hi - 9), first.hi + 3, first.type)
            if kind == 0:
                self.emit(f"if ({first.text} >= {bound.text}) return;")
            elif kind == 1:
                self.emit(f"if (!({first.text} < {bound.text})) return;")
            else:
                self.emit(f"if ({first.text} > {bound.text} || {self.condition()}) return;")
        self.emit("unsigned acc = 1u;")
        self.emit(f"unsigned gid = {gid};")
        if self.dims == 1 and rng.random() < 0.5:
            i = self.terms[0]
            n = self.positive(37, i.type)
            if i.lo >= 0:
                self.define(Term(f"({i.text} / {n.text})", i.type, 0, i.hi // n.lo))
                self.define(Term(f"({i.text} % {n.text})", i.type, 0, n.lo - 1))
        self.body(2, rng.randint(2, 4))
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.25:
                self.emit(f"if ({self.condition()}) {{")
                self.depth += 1
                self.write()
                self.depth -= 1
                self.emit("}")
            else:
                self.write()
        declarations = ", ".join(p[0] for p in self.params)
        arguments = ", ".join(p[1] for p in self.params)
        dim = lambda d: f"dim3({d[0]}, {d[1]}, {d[2]})"
        source = f"__global__ void {self.name}({declarations}) {{\n" + "\n".join(self.lines) + "\n}\n"
        run = [f"  clearOutputs();",
               f"  {self.name}<<<{dim(self.grid)}, {dim(self.block)}>>>({arguments});",
               f"  report(\"{self.name}\");"]
        return source, "\n".join(run)


PRELUDE = """// Made by test/fuzz/generate.py --seed {seed} --kernels {kernels}.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Cell {{
  float a;
  int b;
  double c;
}};
template <typename T> struct View {{
  int before;
  T *data;
  long long after;
}};

constexpr long long Limit = {limit};      // indices lie in [-Limit, Limit)
constexpr long long Cells = 4 * Limit + 1024;
constexpr int MaxOutputs = 4;
static void *Inputs, *Outputs[MaxOutputs];

static void check(cudaError_t Error) {{
  if (Error == cudaSuccess)
    return;
  printf("CUDA error: %s\\n", cudaGetErrorString(Error));
  exit(1);
}}
// The middle of a buffer whose every aligned 4 bytes are a small float.
template <typename T> static T *input() {{
  return (T *)((char *)Inputs + (Cells / 2) * 16);
}}
template <typename T> static T *output(int I) {{
  return (T *)((char *)Outputs[I] + (Cells / 2) * 8);
}}
static void clearOutputs() {{
  for (void *O : Outputs)
    check(cudaMemset(O, 0, Cells * 8));
}}
static void report(const char *Name) {{
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  static std::vector<unsigned> Host(Cells * 2);
  unsigned long long Hash = 1469598103934665603ull;
  for (void *O : Outputs) {{
    check(cudaMemcpy(Host.data(), O, Cells * 8, cudaMemcpyDeviceToHost));
    for (unsigned V : Host)
      Hash = (Hash ^ V) * 1099511628211ull;
  }}
  printf("%s %016llx\\n", Name, Hash);
}}
static void setUp() {{
  // Values that are small integers as int, float and double alike.
  std::vector<unsigned> Host(Cells * 4 + 64);
  for (size_t I = 0; I < Host.size(); ++I) {{
    float F = (float)((I * 2654435761u >> 20) & 1023);
    memcpy(&Host[I], &F, 4);
  }}
  check(cudaMalloc(&Inputs, Host.size() * 4));
  check(cudaMemcpy(Inputs, Host.data(), Host.size() * 4, cudaMemcpyHostToDevice));
  for (void *&O : Outputs)
    check(cudaMalloc(&O, Cells * 8));
}}

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=50)
    options = parser.parse_args()
    sources, runs = [], []
    for number in range(options.kernels):
        rng = random.Random(options.seed * 1000003 + number)
        source, run = Kernel(rng, f"k{options.seed}_{number}").generate()
        sources.append(source)
        runs.append(run)
    print(PRELUDE.format(seed=options.seed, kernels=options.kernels, limit=LIMIT), end="")
    print("\n".join(sources))
    print("int main() {\n  setUp();")
    print("\n".join(runs))
    print("  return 0;\n}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes a CUDA program of random kernels, for testing access ranges.

Every kernel reads and writes through random index expressions: grids of one to
three dimensions, nested loops (upward, downward, strided, triangular), guards,
early exits, switches, div/mod tilings, shifts and masks, conversions between 8 and 64
bits and between signed and unsigned, wrap-around of unsigned values and values
at the end of their type, structs with pointers passed by value, vector and
struct elements, block copies and fills, pointers that walk or are chosen,
aliased arguments, atomics, shared memory and barriers.

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
import re

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
NARROW = {"signed char": (-128, 127), "unsigned char": (0, 255), "short": (-32768, 32767),
          "unsigned short": (0, 65535)}


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
        self.returns = False  # some threads leave early: no barriers

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
                         "cast", "neg", "wrap", "narrow", "near"])
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
        if op == "narrow":
            type_ = rng.choice(list(NARROW))
            lo, hi = NARROW[type_]
            if lo <= a.lo and a.hi <= hi:
                lo, hi = a.lo, a.hi
            return Term(f"(int)({type_})({a.text})", "int", lo, hi)
        if op == "near":  # to the end of a signed type, and back
            type_ = rng.choice(["int", "long long"])
            a = convert(a, type_)
            if a.hi - a.lo > 1 << 20 or abs(a.lo) > 1 << 20:
                return a
            top = full(type_)[1] + min(a.hi, 0)  # so that the constants fit
            up = self.constant(top - a.hi, top - a.hi, type_)
            back = self.scalarParam(top - a.hi - 50, top - a.hi, type_)
            return self.arithmetic("-", self.arithmetic("+", a, up), back)
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
        kind = rng.randrange(6)
        if kind == 5:  # two bounds in one comparison
            low = self.constant(0, 3, "unsigned")
            return f"((unsigned)({a.text}) - {low.text} < {self.positive(60, 'unsigned').text})"
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

    def walk(self):
        """Reads through a pointer that moves."""
        name, element = self.input()
        others = [i[0] for i in self.inputs if i[1] == element]
        q, j = self.var("q"), self.var("j")
        start = f"({self.index()}) % 1000"
        if self.rng.random() < 0.4:
            self.emit(f"const {element} *{q};")
            self.emit(f"if {self.condition()} {q} = {name} + {start}; else {q} = {self.rng.choice(others)} + 5;")
        else:
            self.emit(f"const {element} *{q} = {name} + {start};")
        step = self.rng.choice(["1", "-1", "3", self.scalarParam(-40, 40, "int").text])
        trips = self.scalarParam(0, 6, "int") if self.rng.random() < 0.5 else self.constant(1, 6)
        access = f"{q}[{self.constant(-9, 9).text}]"
        self.emit(f"for (int {j} = 0; {j} < {trips.text}; ++{j}, {q} += {step})")
        self.emit(f"  acc = acc * 31u + {ELEMENTS[element].format(e=access)};")

    def stage(self):
        """Exchanges values within the block through shared memory."""
        shared = self.var("t")
        threads = self.block[0] * self.block[1] * self.block[2]
        self.emit(f"__shared__ unsigned {shared}[{threads}];")
        rounds = self.rng.randint(1, 3)
        j = self.var("j")
        self.emit(f"for (int {j} = 0; {j} < {rounds}; ++{j}) {{")
        self.depth += 1
        self.terms.append(Term(j, "int", 0, rounds - 1))
        self.read()
        self.terms.pop()
        self.emit(f"{shared}[local] = acc;")
        self.emit("__syncthreads();")
        self.emit(f"acc += {shared}[(local * {self.rng.randint(1, 5)} + {j}) % {threads}];")
        self.emit("__syncthreads();")
        self.depth -= 1
        self.emit("}")

    def output(self, element):
        name = self.var("o")
        self.params.append((f"{element} *{name}", f"output<{element}>({len(self.outputs)})"))
        self.outputs.append(element)
        return name

    def write(self):
        self.rng.choice([self.writeOwnCell, self.writeOwnCell, self.writeOwnPlace, self.writeOwnStrip,
                         self.writeByIndex, self.updateAtomically, self.updateAtomically, self.copyBlock])()

    def writeOwnCell(self):
        stride = self.rng.choice([1, 1, 1, 2, 3])
        if self.threads * stride >= LIMIT:
            stride = 1
        cell = f"gid * {stride} + {self.rng.randrange(stride)}"
        if self.rng.random() < 0.25:
            element, value = self.rng.choice([
                ("int2", "make_int2((int)acc, 7)"),
                ("float4", "make_float4((float)(acc & 255u), 1.0f, 2.0f, (float)(acc >> 28))"),
                ("int4", "make_int4(1, (int)acc, 3, 4)"),
            ])
            if self.threads * stride * 16 >= LIMIT * 16:
                element, value = "int2", "make_int2((int)acc, 7)"
            self.emit(f"{self.output(element)}[{cell}] = {value};")
            return
        element = self.rng.choice(["int", "unsigned", "long long", "short"])
        name = self.output(element)
        same = name
        if self.rng.random() < 0.3:  # the same memory by two arguments
            same = self.var("o")
            self.params.append((f"{element} *{same}", f"output<{element}>({len(self.outputs) - 1})"))
        if self.rng.random() < 0.4:
            self.emit(f"{name}[{cell}] = ({element})({same}[{cell}] * 5 + ({element})acc);")
        else:
            self.emit(f"{name}[{cell}] = ({element})acc;")

    def writeOwnPlace(self):
        """A field with the shape of the grid, and a pitch."""
        name = self.output(self.rng.choice(["int", "float", "char"]))
        place = "0"
        for axis in reversed(range(self.dims)):
            xyz, size = "xyz"[axis], self.grid[axis] * self.block[axis]
            size += self.rng.choice([0, 0, 1, 5]) if axis + 1 < self.dims or self.dims == 1 else 0
            if self.rng.random() < 0.3:
                extent = self.scalarParam(size, size, "int").text
            else:
                extent = str(size)
            place = f"({place}) * {extent} + (int)(blockIdx.{xyz} * blockDim.{xyz} + threadIdx.{xyz})"
        self.emit(f"{name}[{place}] = (acc >> 3) & 63;")

    def writeOwnStrip(self):
        """Several cells each, by a pointer that moves."""
        length = self.rng.choice([2, 3, 4])
        name, w, j = self.output("int"), self.var("w"), self.var("j")
        if self.rng.random() < 0.5:
            self.emit(f"int *{w} = {name} + gid * {length};")
            self.emit(f"for (int {j} = 0; {j} < {length}; ++{j}) *{w}++ = (int)acc + {j};")
        else:
            self.emit(f"int *{w} = {name} + gid * {length} + {length};")
            self.emit(f"for (int {j} = {length}; {j} > 0; --{j}) *--{w} = (int)acc + {j};")

    def writeByIndex(self):
        """A value that the cell decides, so that all who write it agree."""
        name, index = self.output("int"), self.var("w")
        self.emit(f"{{ long long {index} = {self.index()}; {name}[{index}] = (int)({index} * 7 + 3); }}")

    def updateAtomically(self):
        """Operations whose order does not matter."""
        element, call = self.rng.choice([
            ("unsigned", "atomicAdd({p}, acc | 1u)"), ("int", "atomicMax({p}, (int)(acc >> 1))"),
            ("unsigned", "atomicOr({p}, 1u << (acc & 31u))"), ("unsigned", "atomicXor({p}, acc)"),
            ("int", "atomicMin({p}, -(int)(acc >> 1))"), ("unsigned", "atomicCAS({p}, 0u, 9u)"),
            ("unsigned long long", "atomicAdd({p}, (unsigned long long)acc)"),
        ])
        name = self.output(element)
        self.emit(call.format(p=f"&{name}[{self.index()}]") + ";")

    def copyBlock(self):
        """memcpy and memset, of known and of computed length."""
        kind, index = self.rng.randrange(4), self.index()
        if kind == 0:  # records are larger than the elements that inputs have room for
            source = self.var("a")
            self.params.append((f"const Record *{source}", "input<Record>()"))
            self.emit(f"{self.output('Record')}[gid] = {source}[({index}) / 2];")
            return
        length = f"(size_t)(({self.pick().text}) & 31)" if kind != 1 else str(self.rng.choice([4, 7, 16, 32]))
        target = f"(char *){self.output('int')} + (size_t)gid * 32"
        if kind == 3:
            self.emit(f"memset({target}, 5, {length});")
        else:
            source = self.var("a")
            self.params.append((f"const char *{source}", "input<char>()"))
            self.emit(f"memcpy({target}, {source} + ({index}), {length});")

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
        kinds = [1, 2, 3, 4, 5, 6, 7] + ([0, 0] if type_ != "unsigned" else [])
        kind = rng.choice(kinds)
        top = max(0, stop.hi)
        after = ""
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
        elif kind == 3:
            self.emit(f"{type_} {name} = 0;")
            self.emit(f"while ({name} < {stop.text}) {{")
            term = Term(name, type_, 0, top)
            after = f"{name} += {step};"
        elif kind == 4:
            self.emit(f"{type_} {name} = 0;")
            self.emit("do {")
            term = Term(name, type_, 0, top)
            after = f"{name} += {step};"
        elif kind == 5:
            self.emit(f"for ({type_} {name} = 1; {name} <= {stop.text}; {name} *= 2) {{")
            term = Term(name, type_, 0, max(top, 1))
        elif kind == 6:
            self.emit(f"for ({type_} {name} = {stop.text}; {name} > 0; {name} >>= 1) {{")
            term = Term(name, type_, 0, top)
        else:  # the block's threads share out the iterations
            last = self.positive(2 * self.block[0] + 9, type_)
            self.emit(f"for ({type_} {name} = threadIdx.x; {name} < {last.text}; {name} += blockDim.x) {{")
            term = Term(name, type_, 0, max(last.hi, self.block[0]) - 1)
        kept = len(self.terms)
        self.terms.append(term)
        self.depth += 1
        self.body(budget - 1, rng.randint(0, 2))
        if rng.random() < 0.2:
            # After `continue` a loop with its step in the body would not end.
            self.emit(f"if {self.condition()} {'break' if after else rng.choice(['break', 'continue'])};")
        self.read()
        if after:
            self.emit(after)
        self.depth -= 1
        self.emit(f"}} while ({name} < {stop.text});" if kind == 4 else "}")
        del self.terms[kept:]

    def carry(self, budget):
        """A loop that carries a place in a ring, and where it was before."""
        rng = self.rng
        ring, before, j, was = self.var("r"), self.var("b"), self.var("j"), self.var("w")
        n, step = self.positive(40, "int"), self.constant(1, 9)
        self.emit(f"int {ring} = (int)((unsigned)({self.pick().text}) % {n.text});")
        self.emit(f"int {before} = {rng.randint(0, 30)};")
        self.emit(f"for (int {j} = 0; {j} < {self.scalarParam(0, 6, 'int').text}; ++{j}) {{")
        kept = len(self.terms)
        self.terms += [Term(ring, "int", 0, n.hi - 1), Term(before, "int", 0, max(30, n.hi - 1))]
        self.depth += 1
        self.body(budget - 1, rng.randint(0, 1))
        self.read()
        self.emit(f"int {was} = {ring};")
        self.emit(f"{ring} = ({ring} + {step.text}) % {n.text};")
        self.emit(f"{before} = {was};")
        self.depth -= 1
        self.emit("}")
        del self.terms[kept:]

    def switch(self):
        subject = self.pick()
        self.emit(f"switch ((int)(({subject.text}) & 3)) {{")
        for label in self.rng.sample(["case 0:", "case 1:", "case 2:", "default:"], self.rng.randint(2, 4)):
            self.emit(label)
            self.depth += 1
            self.read()
            if self.rng.random() < 0.7:
                self.emit("break;")
            self.depth -= 1
        self.emit("}")

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
            if budget > 0 and choice < 0.15:
                self.loop(budget)
            elif budget > 0 and choice < 0.2:
                self.carry(budget)
            elif budget > 0 and choice < 0.35:
                self.guard(budget)
            elif choice < 0.55:
                self.define(self.expression(2))
            elif choice < 0.62:
                self.walk()
            elif choice < 0.66:
                self.switch()
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
            self.returns = True
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
        if not self.returns and rng.random() < 0.3:
            self.emit("unsigned local = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;")
            self.stage()
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
        launch = f"  {self.name}<<<{dim(self.grid)}, {dim(self.block)}>>>({arguments});"
        return source, around(rng, self.name, launch)


def around(rng, name, launch):
    """The launch of a kernel with what prepares it and what looks at it. Some memory is first written by a kernel,
    and some is read by copies between launches: with little memory on the devices, of which these then hold parts."""
    run = ["  clearOutputs();"]
    if rng.random() < 0.15:
        run += ["  renewOutput(0);", f"  readOutput(0, {rng.randrange(3)});", "  useSpare();"]
    run.append(launch)
    if rng.random() < 0.15:
        run += [f"  readOutput({rng.randrange(2)}, {rng.randrange(3)});", "  useSpare();", launch]
    run.append(f"  report(\"{name}\");")
    return "\n".join(run)


PRELUDE = """// Made by test/fuzz/{generator} --seed {seed} --kernels {kernels}.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Cell {{
  float a;
  int b;
  double c;
}};
struct Record {{
  long long words[5];
}};
template <typename T> struct View {{
  int before;
  T *data;
  long long after;
}};

constexpr long long Limit = {limit};      // indices lie in [-Limit, Limit)
constexpr long long Cells = 4 * Limit + 1024;
constexpr int MaxOutputs = 4;
static void *Inputs, *Outputs[MaxOutputs], *Spare;

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
__global__ void fill(uint4 *Out, unsigned Value, long long Count) {{
  long long I = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = make_uint4(Value, Value, Value, Value);
}}
static void fillByKernel(void *Out, unsigned Value) {{
  fill<<<(Cells / 2 + 127) / 128, 128>>>((uint4 *)Out, Value, Cells / 2);
}}
// New zeros that a kernel writes, where clearOutputs() has CUDA do it.
static void renewOutput(int I) {{
  check(cudaFree(Outputs[I]));
  check(cudaMalloc(&Outputs[I], Cells * 8));
  fillByKernel(Outputs[I], 0);
}}
// Copies an output to somewhere else.
static void readOutput(int I, int How) {{
  static std::vector<char> Host(Cells * 8);
  if (How == 0)
    check(cudaMemcpy(Spare, Outputs[I], Cells * 8, cudaMemcpyDeviceToDevice));
  else if (How == 1)
    check(cudaMemcpy2D(Host.data(), 64, Outputs[I], 64, 64, Cells / 8, cudaMemcpyDeviceToHost));
  else
    check(cudaMemcpy(Host.data(), Outputs[I], Cells * 8, cudaMemcpyDeviceToHost));
}}
// Has other values pass through the devices' memory.
static void useSpare() {{
  fillByKernel(Spare, 0x5a5a5a5a);
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
// New inputs, at times in new memory.
static void setInputs(unsigned Turn) {{
  // Values that are small integers as int, float and double alike.
  static std::vector<unsigned> Host(Cells * 4 + 64);
  for (size_t I = 0; I < Host.size(); ++I) {{
    float F = (float)(((I + Turn) * 2654435761u >> 20) & 1023);
    memcpy(&Host[I], &F, 4);
  }}
  if (Turn % 2)
    check(cudaFree(Inputs));
  if (Turn % 2 || !Inputs)
    check(cudaMalloc(&Inputs, Host.size() * 4));
  check(cudaMemcpy(Inputs, Host.data(), Host.size() * 4, cudaMemcpyHostToDevice));
}}
static void setUp() {{
  setInputs(0);
  for (void *&O : Outputs)
    check(cudaMalloc(&O, Cells * 8));
  check(cudaMalloc(&Spare, Cells * 8));
}}

"""


def print_program(kernel, generator, description, more="", start=""):
    """Prints a program of random kernels, each made by kernel(rng, name); takes its options from the command line.
    More is code that the kernels' calls need, start what main does before them."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=1, help="launches in a row, for each")
    options = parser.parse_args()
    sources, runs = [], []
    for number in range(options.kernels):
        rng = random.Random(options.seed * 1000003 + number)
        name = f"k{options.seed}_{number}"
        source, run = kernel(rng, name).generate()
        sources.append(source)
        if options.repeat > 1:
            again = rf"\1for (int Again = 0; Again < {options.repeat}; ++Again)\n\1  \2"
            run = re.sub(rf"^( *)({name}<<<.*;)$", again, run, flags=re.MULTILINE)
        if number % 5 == 4:
            runs.append(f"  setInputs({number // 5 + 1});")
        runs.append(run)
    print(PRELUDE.format(generator=generator, seed=options.seed, kernels=options.kernels, limit=LIMIT), end="")
    print(more, end="")
    print("\n".join(sources))
    print(f"int main() {{\n  setUp();{start}")
    print("\n".join(runs))
    print("  return 0;\n}")


if __name__ == "__main__":
    print_program(Kernel, "generate.py", __doc__)

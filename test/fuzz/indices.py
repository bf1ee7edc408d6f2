#!/usr/bin/env python3
"""Writes a CUDA program of random kernels that load their indices.

Kernels of generate.py in which indices, bounds of loops and conditions are
often integers from arrays, also indices in indices, with a scale and an
addend. Each kernel is launched several times and the arrays change in between,
so that what a launch is told about them is new, old, or not there. With little
memory on the devices (run.py --memory) an address outside of what is said of
them is a fault.

Usage: indices.py --seed N --kernels K > program.cu
"""
import generate
from generate import LIMIT, Term

# C type of the elements: smallest and largest value of the array. Of the
# signed ones, by kind: sorted, in bands, anywhere, small numbers.
ARRAYS = {
    "int": (-8000, 8000),
    "unsigned": (0, 8000),
    "long long": (-8000, 8000),
    "short": (-8000, 8000),
    "unsigned char": (0, 200),
}
SMALL = 3  # the kind of small numbers: 0 to 12

CODE = """
// Integers that a kernel loads as indices, Limit to both sides of the middle.
template <typename T> struct Array {
  static T *Device;
  static void fill(int Kind, int Version) {
    constexpr long long Lo = T(-1) < T(0) ? -8000 : 0, Hi = sizeof(T) == 1 ? 200 : 8000;
    std::vector<T> Host(2 * Limit);
    for (long long I = 0; I < 2 * Limit; ++I) {
      unsigned Mixed = unsigned(I + 77 * Version) * 2654435761u >> 9;
      long long At = Lo + (I + 1000 * Version) % (2 * Limit) * (Hi - Lo) / (2 * Limit);
      long long Band = At + Mixed % 64;
      Host[I] = T(Kind == 0   ? At
                  : Kind == 1 ? (Band > Hi ? Hi : Band)
                  : Kind == 2 ? Lo + Mixed % (Hi - Lo + 1)
                              : Mixed % 13);
    }
    check(cudaMemcpy(Device + Kind * 2 * Limit, Host.data(), Host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  static void change(int Version) {
    if (!Device)
      check(cudaMalloc(&Device, 4 * 2 * Limit * sizeof(T)));
    for (int Kind = 0; Kind < 4; ++Kind)
      fill(Kind, Version);
  }
  static T *of(int Kind) { return Device + Kind * 2 * Limit + Limit; }
};
template <typename T> T *Array<T>::Device = nullptr;
static void change(int Version) {
  Array<int>::change(Version);
  Array<unsigned>::change(Version);
  Array<long long>::change(Version);
  Array<short>::change(Version);
  Array<unsigned char>::change(Version);
}

"""


class Kernel(generate.Kernel):
    """Overrides where indices and values come from."""

    def __init__(self, rng, name):
        super().__init__(rng, name)
        self.arrays = []  # (name, C type, kind)

    def array(self, kinds):
        known = [a for a in self.arrays if a[2] in kinds]
        if known and self.rng.random() < 0.5:
            return self.rng.choice(known)
        type_, kind = self.rng.choice(list(ARRAYS)), self.rng.choice(kinds)
        name = self.var("x")
        self.params.append((f"const {type_} *{name}", f"Array<{type_}>::of({kind})"))
        self.arrays.append((name, type_, kind))
        return self.arrays[-1]

    def loaded(self, kinds):
        """An element of an array, as a value."""
        name, type_, kind = self.array(kinds)
        lo, hi = (0, 12) if kind == SMALL else ARRAYS[type_]
        text = f"{name}[{self.index()}]"
        return Term(text if type_ in generate.TYPES else f"(int){text}", type_ if type_ in generate.TYPES else "int",
                    lo, hi)

    def index(self):
        if self.rng.random() > 0.45:
            return super().index()
        value = self.loaded([0, 0, 1, 1, 2])
        if self.rng.random() < 0.4:
            factor, more = self.rng.randint(1, 3), self.rng.randint(-99, 99)
            return f"((long long){value.text} * {factor} + {more})"
        return value.text

    def body(self, budget, statements):
        if self.rng.random() < 0.6:
            self.define(self.loaded([SMALL, SMALL, 0, 1]))
        super().body(budget, statements)

    def generate(self):
        source, run = super().generate()
        again = "\n".join("  " + line for line in run.splitlines())
        change = self.rng.choice([1, 3, 5, 9])
        return source, (f"  for (int R = 0; R < 7; ++R) {{\n    if (R % {change} == {change} - 1)\n"
                        f"      change(R + 1);\n{again}\n  }}")


if __name__ == "__main__":
    assert 3 * 8000 + 99 < LIMIT
    generate.print_program(Kernel, "indices.py", __doc__, CODE, "\n  change(0);")

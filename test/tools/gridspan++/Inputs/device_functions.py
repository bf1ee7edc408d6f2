"""Calls every device function that the CUDA toolkit declares for nvcc.

Preprocesses the toolkit's headers as nvcc would see them, collects what is
declared for the device at namespace scope, and writes a source that calls each
with its own types; functions that are templates are called with every type that
the toolkit allows. gridspan++ compiles the source. Fails on a function that
does not compile or has no body, unless the guide names it as missing, and on a
name in the guide that compiles.
"""

import argparse
import fnmatch
import os
import re
import subprocess
import sys

Headers = """cuda_runtime.h cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_fp6.h cuda_fp4.h
mma.h cuda_pipeline_primitives.h cuda_awbarrier_primitives.h
crt/device_fp128_functions.h""".split()

# What headers declare for their own bodies: nobody calls it.
Internal = """__nv_*_impl __*Atomic* __reduce_*_impl __internal_* __nvvm_* __nv_cvt_*
__nv_aligned_device_malloc __cudaPushCallConfiguration __get_storage_value
__cudaDeviceSynchronizeDeprecationAvoidance __pow_helper __cmath_power
any all ballot __any __all __ballot awbarrier_* pipeline_* __nv_tex_surf_handler __shfl* _nv_*""".split()

# Keywords of types, which are no names of parameters.
TypeWords = set(
    "int unsigned signed long char short float double void bool const volatile".split()
)


def preprocess(Clang, Include, Arch):
    Source = "".join(f"#include <{Header}>\n" for Header in Headers)
    Command = [Clang, "-E", "-x", "c++", "-std=c++17", "-", f"-I{Include}"]
    Command += [f"-I{Include}/cccl", "-D__CUDACC__", "-D__NVCC__"]
    Command += ["-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0"]
    Command += [f"-D__CUDA_ARCH__={Arch}0", f"-D__CUDA_ARCH_LIST__={Arch}0"]
    return subprocess.run(
        Command, input=Source, capture_output=True, text=True, check=True
    ).stdout


def tokens(Text):
    """Yields (header, token): strings, characters, blanks between lines."""
    Header = ""
    for Line in Text.split("\n"):
        Marker = re.match(r'# \d+ "([^"]*)"', Line)
        if Marker:
            Header = Marker.group(1)
            continue
        if Line.lstrip().startswith("#"):
            continue
        for Token in re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|.', Line):
            yield Header, Token
        yield Header, " "


def declarations(Text):
    """Yields (header, namespaces, text before the body or ';') of everything at
    namespace scope."""
    Current, Parentheses, Braces, Spaces = [], 0, 0, []
    for Header, Token in tokens(Text):
        if Braces:
            Braces += (Token == "{") - (Token == "}")
            # A class goes on to its ';', a function ends here.
            if not Braces and not isClass("".join(Current)):
                yield Header, list(filter(None, Spaces)), "".join(Current)
                Current = []
            continue
        Parentheses += (Token == "(") - (Token == ")")
        if Parentheses or Token not in "{};":
            if Current or not Token.isspace():
                Current.append(Token)
            continue
        Declaration = "".join(Current).strip()
        if Token == "{":
            Space = re.fullmatch(
                r'extern\s*"C(?:\+\+)?"|(?:inline\s+)?namespace\b([\w\s:]*)(?:__attribute__.*)?',
                Declaration,
            )
            if not Space:
                Braces = 1
                continue
            Spaces.append((Space.group(1) or "").strip())
        elif Token == "}":
            Spaces.pop()
        elif Declaration:
            yield Header, list(filter(None, Spaces)), Declaration
        Current = []


def isClass(Declaration):
    Plain = re.sub(r"__attribute__\s*\(\(.*?\)\)(?=\s)|alignas\([^)]*\)", "", Declaration)
    return re.match(
        r"\s*(typedef\s+)?(template\s*<.*>\s*)?(typedef|struct|class|union|enum)\b[^()]*$",
        Plain,
        re.S,
    )


def splitList(Text):
    Parts, Depth = [""], 0
    for Character in Text:
        Depth += (Character in "(<[{") - (Character in ")>]}")
        if Character == "," and not Depth:
            Parts.append("")
        else:
            Parts[-1] += Character
    return [Part.strip() for Part in Parts if Part.strip()]


Attributes = re.compile(
    r"(__attribute__|__attribute|__declspec|alignas|noexcept|throw|requires) ?"
    r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
)
Specifiers = re.compile(
    r"\b(static|inline|__inline__|__inline|extern|constexpr|noexcept"
    r'|__restrict__|__restrict|__extension__)\b|"C"|\[\[[^\]]*\]\]'
)


class Function:
    def __init__(self, Header, Spaces, Result, Name, Parameters, Template):
        self.Header, self.Spaces, self.Name = Header, Spaces, Name
        self.Result, self.Parameters, self.Template = Result, Parameters, Template


def functions(Text):
    for Header, Spaces, Declaration in declarations(Text):
        if "__attribute__((device))" not in Declaration:
            continue
        Plain = re.sub(r"\s+", " ", Declaration)
        # Their messages have parentheses.
        Plain = re.sub(r'"(?:[^"\\]|\\.)*"', '"C"', Plain)
        Plain = Attributes.sub(" ", Attributes.sub(" ", Plain))
        Plain = re.sub(r"\s+", " ", Specifiers.sub(" ", Plain)).strip()
        Template = None
        if re.match("template ?<", Plain):
            Depth, At = 0, Plain.index("<")
            for End in range(At, len(Plain)):
                Depth += (Plain[End] == "<") - (Plain[End] == ">")
                if not Depth:
                    break
            Template, Plain = Plain[At + 1 : End], Plain[End + 1 :].strip()
        Match = re.match(r"(.*?[\s*&>])(\w+) ?\(([^()]*(?:\([^()]*\)[^()]*)*)\)$", Plain)
        # Operators and members of classes are used by programs in other ways.
        if not Match or "::" in Match.group(1).split(" ")[-1] or "operator" in Plain:
            continue
        Parameters = splitList(Match.group(3))
        if Parameters == ["void"]:
            Parameters = []
        yield Function(
            Header, Spaces, Match.group(1).strip(), Match.group(2), Parameters, Template
        )


def withName(Parameter, Number):
    """Returns the declaration of a parameter of that type, named by a number."""
    Parameter = re.sub(r" ?=.*", "", Parameter)
    Match = re.match(r"(.*[\s*&])(\w+) ?(\[\d*\])?$", Parameter)
    Named = False
    if Match and Match.group(2) not in TypeWords:
        Type = re.sub(r"\b(const|volatile|struct|enum)\b|\s", "", Match.group(1))
        Named = bool(Type)
    if not Named:
        return f"{Parameter} a{Number}"
    return f"{Match.group(1)}{'*' if Match.group(3) else ''} a{Number}"


TexelTypes = [
    Name + Lanes
    for Name in "char uchar short ushort int uint float".split()
    for Lanes in "1 2 4".split()
]
TexelTypes += ["signed char", "unsigned char", "short", "unsigned short"]
TexelTypes += ["int", "unsigned", "float"]
WideTexelTypes = ["long long", "unsigned long long", "longlong1", "ulonglong2"]
Wide = ["int4", "uint4", "float4", "longlong2"]


def typesOf(F):
    """The types that F, a template of one type, is called with, or None."""
    if not re.fullmatch(r"(typename|class) \w+", F.Template):
        return None
    if F.Name.startswith("surf"):
        return TexelTypes + WideTexelTypes
    if F.Name.startswith("tex"):
        # Gathers are of four components.
        return [T for T in TexelTypes if "gather" not in F.Name or T.endswith("4")]
    if re.match("atomic(CAS|Exch)", F.Name):
        return ["Sixteen"]
    return None


def calls(Functions):
    """Yields (name, source line) once for each function and type."""
    Seen = set()
    for F in Functions:
        Name, Parameters = F.Name, F.Parameters
        if any(fnmatch.fnmatch(Name, Pattern) for Pattern in Internal):
            continue
        Types = [None] if F.Template is None else typesOf(F)
        for Type in Types or []:
            Result = F.Result
            Own = [withName(P, I) for I, P in enumerate(Parameters) if P != "..."]
            Plain = list(Own)
            if Type is not None:
                Parameter = F.Template.split()[-1]
                Result = re.sub(rf"typename .*|\b{Parameter}\b", Type, Result)
                if "read" in Name or "write" in Name or Name.startswith("tex"):
                    if Own and re.search(rf"\b{Parameter}\b", F.Parameters[0]):
                        Result = "void"
                Own = [re.sub(rf"\b{Parameter}\b", Type, P) for P in Own]
            Explicit = ""
            if Type is not None and Own == Plain:
                Explicit = f"<{Type}>"
            Spaces = [S for S in F.Spaces if S != "std"]
            Key = (Name, Type, tuple(Own))
            if Key in Seen:
                continue
            Seen.add(Key)
            Arguments = ", ".join(f"a{I}" for I in range(len(Own)))
            # The event is a constant.
            if Name == "__prof_trigger":
                Arguments = "3"
            Line = f"__device__ {Result} call{len(Seen)}({', '.join(Own)}) {{ return {Name}{Explicit}({Arguments}); }}"
            for Space in reversed(Spaces):
                Line = f"namespace {Space} {{ {Line} }}"
            yield Name, Line


def missingInGuide(Path):
    Text = open(Path).read()
    Section = re.search(r"^## Device functions that are missing\n(.*?)(^## |\Z)", Text, re.M | re.S)
    if not Section:
        sys.exit(f"{Path}: no section on missing device functions")
    FirstColumn = re.findall(r"^\|([^|]*)\|", Section.group(1), re.M)
    return re.findall(r"`([\w*]+)`", " ".join(FirstColumn))


def main():
    Parser = argparse.ArgumentParser()
    Parser.add_argument("--clang", required=True)
    Parser.add_argument("--driver", required=True)
    Parser.add_argument("--include", required=True)
    Parser.add_argument("--guide", required=True)
    Parser.add_argument("--output", required=True)
    Parser.add_argument("--arch", default="90")
    Options = Parser.parse_args()

    os.makedirs(Options.output, exist_ok=True)
    Source = os.path.join(Options.output, "calls.cu")
    Lines = [f"#include <{Header}>" for Header in Headers]
    Lines.append("struct alignas(16) Sixteen { long a, b; };")
    Names = {}
    Text = preprocess(Options.clang, Options.include, Options.arch)
    for Name, Line in calls(functions(Text)):
        Lines.append(Line)
        Names[len(Lines)] = Name

    Failures = {}
    Bodies = os.path.join(Options.output, "calls.ll")
    Command = [Options.driver, "-fno-gridspan", f"-arch=sm_{Options.arch}", "-w"]
    Command += ["-std=c++17", "-ferror-limit=0", "--cuda-device-only", "-O1"]
    for Attempt in range(3):
        with open(Source, "w") as File:
            File.write("\n".join(Lines) + "\n")
        Result = subprocess.run(
            Command + ["-S", "-emit-llvm", Source, "-o", Bodies],
            capture_output=True,
            text=True,
        )
        if not Result.returncode:
            break
        # Errors in headers come with notes on who asked for them.
        Found = []
        for Group in re.split(r"^(?=\S.*: (?:fatal )?error: )", Result.stderr, flags=re.M):
            Message = re.match(r".*error: (.*)", Group)
            Place = re.search(r"calls\.cu:(\d+):", Group)
            if Message and Place:
                Found.append((Place.group(1), Message.group(1)))
        for Number, Message in Found:
            if int(Number) in Names:
                Failures.setdefault(Names[int(Number)], (Message, Lines[int(Number) - 1]))
                Lines[int(Number) - 1] = ""
        if not Found:
            sys.exit(Result.stderr)
    else:
        sys.exit(Result.stderr)

    # Bodies that nobody has.
    Known = {"vprintf", "malloc", "free", "__assertfail"}
    for Line in open(Bodies):
        Match = re.match(r"declare .*@([\w.$]+)\(", Line)
        if Match and not Match.group(1).startswith("llvm.") and Match.group(1) not in Known:
            Failures.setdefault(Match.group(1), ("has no body", ""))

    Missing = missingInGuide(Options.guide)
    Used, Errors = set(), 0
    for Name, (Message, Line) in Failures.items():
        Patterns = [P for P in Missing if fnmatch.fnmatch(Name, P)]
        Used.update(Patterns)
        if not Patterns:
            print(f"error: {Name}: {Message}\n  {Line}")
            Errors += 1
    for Pattern in Missing:
        if Pattern not in Used:
            print(f"error: {Pattern}: named as missing, but is not")
            Errors += 1
    print(f"{len(Names)} calls of {len(set(Names.values()))} functions")
    print(f"{len(Failures)} missing, all named" if not Errors else f"{Errors} errors")
    return 1 if Errors else 0


if __name__ == "__main__":
    sys.exit(main())

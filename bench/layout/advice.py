"""What the advice says of kernels, for the scripts that compare it with measurements."""

import argparse
import json
import subprocess
import tempfile


def parse(Doc, *Names):
    """The options --opt and --plugin, and files of these names."""
    Parser = argparse.ArgumentParser(description=Doc.splitlines()[0])
    for Name in ("--opt", "--plugin"):
        Parser.add_argument(Name, required=True)
    for Name in Names:
        Parser.add_argument(Name)
    return Parser.parse_args()


def advise(Options, Source, Block, Grid, Params, More=()):
    """The kernels of an advice file on launches like this."""
    with tempfile.NamedTemporaryFile(suffix=".json") as File:
        subprocess.run(
            [
                Options.opt,
                f"-load-pass-plugin={Options.plugin}",
                "-passes=gridspan-advice",
                "-disable-output",
                Source,
                f"-gridspan-advice={File.name}",
                f"-gridspan-block={Block}",
                f"-gridspan-grid={Grid}",
                *More,
                *(f"-gridspan-param={P}={V}" for P, V in Params.items()),
            ],
            check=True,
        )
        return json.load(open(File.name))["kernels"]


def adviseKernel(Options, Source, Kernel, Block, Grid, Params):
    """The same of one kernel, by mangled name."""
    Found = advise(Options, Source, Block, Grid, Params, [f"-gridspan-kernel={Kernel}"])
    return next(K for K in Found if K["mangled"] == Kernel)

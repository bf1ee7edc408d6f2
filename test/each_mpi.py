"""Runs tests of ranks with each MPI of the machine: under their names with the
one that mpirun is of, and in a folder named after it with another one. A module
of its own, as lit hands test formats to other processes."""

import copy
import os
import shutil

import lit.formats
import lit.Test

NAMES = ("openmpi", "mpich")


def others(ObjRoot):
    """The MPIs that have a library of ours and a launcher that is not mpirun."""
    Default = os.path.realpath(shutil.which("mpirun") or "")
    return [
        Name
        for Name in NAMES
        if os.path.exists(os.path.join(ObjRoot, "lib", f"libgridspan-mpi-{Name}.so"))
        and shutil.which(f"mpirun.{Name}")
        and os.path.realpath(shutil.which(f"mpirun.{Name}")) != Default
    ]


class OfMpi(lit.Test.Test):
    """A test that is at Source, under another name."""

    def __init__(self, Suite, Path, Config, Source):
        super().__init__(Suite, Path, Config)
        self.Source = Source

    def getSourcePath(self):
        return self.Source


class EachMpi(lit.formats.ShTest):
    def getTestsForPath(self, Suite, Path, LitConfig, Config):
        for Test in super().getTestsForPath(Suite, Path, LitConfig, Config):
            yield Test
            for Name in others(Config.gridspan_obj_root):
                Other = copy.copy(Config)
                Other.environment = dict(
                    Config.environment, MPIRUN=f"mpirun.{Name}"
                )
                yield OfMpi(
                    Suite,
                    Path[:-1] + (Name, Path[-1]),
                    Other,
                    Test.getSourcePath(),
                )

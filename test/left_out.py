"""Finds the tests of a run with --param thorough=1: only those that do something
else there. A module of its own, as lit hands test formats to other processes."""

import lit.formats

WORDS = ("%compare", "%chromium", "REQUIRES: thorough")


class LeftOut(lit.formats.ShTest):
    def getTestsForPath(self, Suite, Path, *Rest):
        for Test in super().getTestsForPath(Suite, Path, *Rest):
            with open(Test.getSourcePath(), encoding="utf-8") as File:
                Text = File.read()
            if any(Word in Text for Word in WORDS):
                yield Test

"""Checks that each message of the troubleshooting page is in the sources.

Usage: messages.py ROOT. Messages are the code in the first column of a table,
with "..." for what differs. Reasons and CUDA's errors are checked as words.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sources = "\n".join(
    path.read_text()
    for folder in ("runtime", "passes", "analysis", "tools", "cmake")
    for path in sorted((root / folder).rglob("*"))
    if path.suffix in {".cpp", ".h", ".def", ".in"})
# Literals that continue, and what the build or the run puts in.
text = re.sub(r'"\s*"', "", sources)
text = re.sub(r'"?\s*GRIDSPAN_LLVM_MAJOR\s*"?', "19", text)
text = text.replace("@LLVM_VERSION_MAJOR@", "19")
count = 0
page = (root / "docs/guide/troubleshooting.md").read_text()
for line in page.splitlines():
    cells = line.split("|")
    if len(cells) < 3 or set(cells[1]) <= set("- "):
        continue
    for message in re.findall(r"`([^`]+)`", cells[1]):
        count += 1
        for part in message.split("..."):
            part = part.strip(" ;,:()'")
            if part and part not in text:
                print(f"not in the sources: {message}: {part}")
print(f"{count} messages")

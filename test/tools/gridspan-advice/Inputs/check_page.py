"""Checks the structure of a page: tags that match, links that lead somewhere, and
what there has to be of a run."""

import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "polyline", "line"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.ids = []
        self.links = []
        self.classes = []
        self.bars = []
        self.text = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a":
            self.links.append(attrs["href"])
        self.classes += attrs.get("class", "").split()
        if "width:" in attrs.get("style", ""):
            self.bars.append(float(attrs["style"].split("width:")[1].split("%")[0]))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
page.close()
assert not page.open, page.open
assert len(set(page.ids)) == len(page.ids), "an id twice"
for link in page.links:
    assert link.startswith("#") and link[1:] in page.ids, link
assert all(0 <= width <= 100.05 for width in page.bars), page.bars
assert "overview" in page.ids
# Ten kernels: bars of both times, cards, scales of the roofline.
kernels = [i for i in page.ids if i.startswith("k")]
assert len(kernels) == 10, kernels
for name, least in (
    ("number-card", 5),
    ("measured", 10),
    ("predicted", 10),
    ("roofline", 10),
    ("tick", 10 * 12),
    ("before", 2),
    ("after", 2),
    ("source", 1),
    ("finding", 2),
    ("heat", 1),
    ("run", 10),
):
    assert page.classes.count(name) >= least, (name, page.classes.count(name))
text = "".join(page.text)
for words in ("in kernels, measured", "p[i].x = 1;", "sort the indices", "GFLOP/s"):
    assert words in text, words
# Nothing comes from elsewhere.
assert "http" not in open(sys.argv[1], encoding="utf-8").read()

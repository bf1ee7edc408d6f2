"""Shows a page in a browser without a window, at several widths, and prints what
the browser made of it: what sticks out to the right, texts that are cut or too
pale to read, bars without a size, links that lead nowhere, all of which have to
be none.

usage: show_page.py BROWSER PAGE FOLDER WIDTH..."""

import json
import pathlib
import re
import subprocess
import sys

browser, page, folder, widths = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]

# Runs in a copy of the page, which itself has no scripts.
SCRIPT = """
<script>
addEventListener("load", () => {
  const wrong = [];
  const tell = (what, e) => wrong.push(what + ": " + e.tagName + "." +
      (e.getAttribute("class") || "") + " " + e.textContent.trim().slice(0, 40));
  const right = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > right)
    for (const e of document.querySelectorAll("body *"))
      if (e.getBoundingClientRect().right > right + 1 && !e.closest("pre, svg"))
        tell("sticks out", e);
  for (const e of document.querySelectorAll("td, th, p, .rule"))
    if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX != "visible")
      tell("is cut", e);
  for (const e of document.querySelectorAll("[style*=width]")) {
    const box = e.getBoundingClientRect();
    if (box.height < 1 || (parseFloat(e.style.width) > 1 && box.width < 1))
      tell("has no size", e);
  }
  for (const a of document.querySelectorAll("a"))
    if (!document.getElementById(a.getAttribute("href").slice(1)))
      tell("leads nowhere", a);
  // Contrast as WCAG 2 defines it, and what it asks of text.
  const light = (color) => {
    const [r, g, b] = color.match(/[0-9.]+/g).map((v) => {
      v /= 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (!color.startsWith("rgba(") || !color.endsWith(" 0)"))
        return color;
    }
    return "rgb(255, 255, 255)";
  };
  for (const e of document.querySelectorAll("body *:not(svg *)"))
    if ([...e.childNodes].some((n) => n.nodeType == 3 && n.textContent.trim())) {
      const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
      if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5)
        tell("is too pale", e);
    }
  const result = {
    width: innerWidth,
    bars: document.querySelectorAll("[style*=width]").length,
    links: document.querySelectorAll("a").length,
    circles: document.querySelectorAll("svg circle, svg .tick").length,
    wrong: wrong,
  };
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
});
</script>
"""

copy = pathlib.Path(folder)
copy.mkdir(parents=True, exist_ok=True)
(copy / "page.html").write_text(
    pathlib.Path(page).read_text(encoding="utf-8").replace("</body>", SCRIPT + "</body>"),
    encoding="utf-8",
)
status = 0
for width in widths:
    # In a container it cannot make a sandbox of its own, and shared memory is small.
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu"]
    command += ["--disable-dev-shm-usage", f"--user-data-dir={copy}/profile"]
    command += [f"--window-size={width},1000", "--dump-dom"]
    command += [(copy / "page.html").resolve().as_uri()]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    seen = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, re.S)
    if not seen:
        sys.exit(f"the browser showed nothing: {run.stderr[-2000:]}")
    result = json.loads(seen[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    print(f"{width}: {result['bars']} bars, {result['links']} links, ", end="")
    print(f"{result['circles']} marks, {len(result['wrong'])} wrong")
    for line in result["wrong"][:20]:
        print(" ", line)
    status |= bool(result["wrong"])
sys.exit(status)

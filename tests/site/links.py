# SPDX-License-Identifier: GPL-3.0-or-later
"""links.py SITE: every link and picture of the site's pages leads to a file of the site."""
import re
import sys
from pathlib import Path
from urllib.parse import unquote

site, bad, seen = Path(sys.argv[1]).resolve(), 0, 0
for page in site.rglob("*.html"):
    if page.is_relative_to(site / "files") or page.stat().st_size > 4_000_000:
        continue
    for to in re.findall(r'(?:href|src)="([^"#]+)(?:#[^"]*)?"', page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:|//", to):
            continue
        seen += 1
        if not (page.parent / unquote(to.split("?")[0])).exists():
            print(f"{page.relative_to(site)}: {to} is not there")
            bad += 1
print(f"{seen} links, {bad} lead nowhere")
sys.exit(bad > 0)

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as a site: build.py IMP OUT [BROWSER].

Writes OUT/source (copies of docs/, and pages that are made: one per example, per diagnostic
code and per word of the language, the glossary) and lets Sphinx make OUT/html of it. With a
browser, runs in the gallery have pictures. All texts come from the program and from docs/.
"""
import concurrent.futures
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMP, OUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
BROWSER = sys.argv[3] if len(sys.argv) > 3 else None
SOURCE, HTML = OUT / "source", OUT / "html"
# lines of a result that a page of the gallery shows; the rest is one command away
LINES = 200
# bytes of a motion that the gallery holds at most
LARGEST = 20_000_000
# seconds for a page of one motion; a trace follows all pairs of bodies
LONGEST = 30


def imp(*words, **more):
    return subprocess.run([IMP, *map(str, words)], capture_output=True, text=True, **more)


def write(path, text):
    path = SOURCE / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def fence(text, language=""):
    """A block of code that the text cannot end."""
    ticks = "`" * max(3, 1 + max((len(t) for t in re.findall(r"`+", text)), default=0))
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}\n"


def plain(text):
    """Text of a table or a message: no sign of it is markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~^])", r"\\\1", text)


# -- copies of docs/ -----------------------------------------------------------

def link(match, page):
    """A link that leads out of docs/ becomes one within the site, or its words alone."""
    words, to = match.group(1), match.group(2)
    if re.match(r"[a-z]+:|#", to):
        return match.group(0)
    target, _, anchor = to.partition("#")
    path = (page.parent / target).resolve()
    if path.is_relative_to(ROOT / "docs"):
        return match.group(0)
    if path.is_relative_to(ROOT / "examples"):
        up = "../" * len(page.relative_to(ROOT / "docs").parts[:-1])
        name = path.relative_to(ROOT / "examples")
        if path.suffix == ".imp":
            return f"[{words}]({up}gallery/{name.with_suffix('.md')})"
        return f"[{words}]({up}gallery/index.md)"
    if path == ROOT / "README.md":
        return f"[{words}]({'../' * len(page.relative_to(ROOT / 'docs').parts[:-1])}index.md)"
    return words if words.startswith("`") else f"{words}"


def copy_docs():
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if page.is_relative_to(ROOT / "docs/site"):
            continue
        text = re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", lambda m: link(m, page), page.read_text())
        # a fence without a language holds a model
        opens = False
        lines = []
        for line in text.split("\n"):
            if line.startswith("```"):
                opens = not opens
                if opens and line == "```" and page.name != "cli.md":
                    line = "```imp"
            lines.append(line)
        write(page.relative_to(ROOT / "docs"), "\n".join(lines))
    shutil.copytree(ROOT / "docs/pictures", SOURCE / "pictures", dirs_exist_ok=True)


# -- the language's words, codes and terms ---------------------------------------

def listed():
    """All names that the program knows, by kind, from its own tables."""
    kinds = {}
    for line in imp("doc").stdout.splitlines():
        kind, _, name = line.partition("\t")
        kinds.setdefault(kind, [])
        if name not in kinds[kind]:
            kinds[kind].append(name)
    return kinds


def library():
    """Every declaration of the standard library: (file, kind, name)."""
    for file in sorted((ROOT / "stdlib").glob("*.imp")):
        for kind, name in re.findall(r"^(shape|fn|system|let|param)\s+(\w+)", file.read_text(), re.M):
            yield file.stem, kind, name


def doc_of(names, model=None):
    """name -> what `imp doc` says, by two processes at a time."""
    more = [model] if model else []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = pool.map(lambda n: imp("doc", n, *more).stdout, names)
        return dict(zip(names, said))


def reference(kinds):
    pages = [("commands", "Commands", "command"), ("functions", "Functions", "function"),
             ("keywords", "Words of the language", "keyword"), ("constants", "Names", "name"),
             ("units", "Units", "unit")]
    for block in ("body", "contact", "contacts", "joint", "world", "shape", "system"):
        pages.append((f"keys-{block}", f"Keys of `{block}`", f"{block} {{"))
    for page, title, kind in pages:
        names = [n for n in kinds.get(kind, []) if kind != "keyword" or re.match(r"[a-z]", n)]
        said = doc_of(names)
        parts = [f"# {title}\n"]
        for name in names:
            if said[name].strip():
                parts.append(f"## {plain(name)}\n\n{fence(said[name])}")
        write(f"reference/{page}.md", "\n".join(parts))
    files = {}
    for file, kind, name in library():
        files.setdefault(file, []).append(name)
    model = OUT / "library.imp"
    for file, names in files.items():
        model.write_text(f"use {file}\n")
        said = doc_of(names, model)
        parts = [f"# Library `{file}`\n\n`use {file}` makes these known.\n"]
        parts += [f"## {plain(n)}\n\n{fence(said[n])}" for n in names if said[n].strip()]
        write(f"reference/library-{file}.md", "\n".join(parts))
    every = [p for p, _, _ in pages] + [f"library-{f}" for f in files]
    write("reference/index.md", "# Reference\n\nMade from the tables that the checker uses: what `imp doc NAME` says "
          "of every word. The language as a text is [language.md](../language.md).\n\n```{toctree}\n:maxdepth: 1\n\n"
          + "\n".join(every) + "\n```\n")


def codes():
    rows = [line.split(None, 1) for line in imp("explain").stdout.splitlines() if re.match(r"[EW]\d{4} ", line)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda row: imp("explain", row[0]).stdout, rows))
    table = ["# Diagnostics\n", "Every message has a code; `imp explain CODE` prints these pages.\n", "| code | what |", "|---|---|"]
    for (code, title), text in zip(rows, texts):
        body = text.split("\n", 1)[1].strip("\n")
        shown = ""
        for bad in sorted((ROOT / "tests/bad").rglob(f"{code}-*.imp"))[:1]:
            wrong = bad.read_text(encoding="utf-8", errors="replace").replace("\0", "\ufffd")
            shown = f"\nA model that has this mistake, and what Imp says:\n\n{fence(wrong, 'imp')}\n"
            err = bad.with_suffix(".err")
            shown += fence(err.read_text(encoding="utf-8", errors="replace")) if err.exists() else ""
        write(f"codes/{code}.md", f"---\norphan: true\n---\n# {code}: {plain(title)}\n\n{fence(body)}{shown}")
        table.append(f"| [{code}]({code}.md) | {plain(title)} |")
    write("codes/index.md", "\n".join(table) + "\n")
    return len(rows)


def glossary(kinds):
    names = sorted(set(kinds.get("term", [])), key=str.lower)
    said = doc_of(names)
    parts = ["# Glossary\n\nThe terms of the field, each with its paper; `imp doc TERM` prints them.\n"]
    parts += [f"## {plain(n)}\n\n{fence(said[n])}" for n in names if said[n].strip()]
    write("glossary.md", "\n".join(parts))


# -- the gallery -------------------------------------------------------------------

def described():
    """What examples/README.md says of each model: path -> (what happens, what to learn)."""
    rows = {}
    for name, what, learn in re.findall(r"^\| \[[^\]]*\]\(([^)]+\.imp)\) \| (.*?) \| (.*?) \|$",
                                        (ROOT / "examples/README.md").read_text(), re.M):
        # links of that file lead to files beside it, which the site does not have
        rows[name] = tuple(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text) for text in (what, learn))
    return rows


def run_example(path):
    """Runs one model; files of its own folder below html/files hold plots and views."""
    name = path.relative_to(ROOT / "examples").with_suffix("")
    folder = HTML / "files" / name
    folder.mkdir(parents=True, exist_ok=True)
    has_run = "simulate" in path.read_text()
    words = ["--out", folder, path.relative_to(ROOT)]
    done = None
    if has_run:
        try:
            done = imp("view", "--no-open", "-o", folder / f"{name.name}.html", *words, cwd=ROOT, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            pass
    done = done or imp("run", *words, cwd=ROOT)
    text = "\n".join(l for l in done.stdout.splitlines() if not l.startswith(str(folder)))
    return name, text, done.stderr, sorted(folder.glob("*.html")), sorted(folder.rglob("*.svg"))


def gallery():
    rows, models = described(), sorted((ROOT / "examples").rglob("*.imp"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(run_example, models))
    large = {page for _, _, _, pages, _ in runs for page in pages if page.stat().st_size > LARGEST}
    views = [v for _, _, _, pages, _ in runs for v in pages[:1] if v not in large]
    if BROWSER and views:
        subprocess.run(["node", ROOT / "docs/site/pictures.mjs", BROWSER, *views], check=True)
    folders, cards = {}, {}
    for path, (name, text, said, pages, plots) in zip(models, runs):
        what, learn = rows.get(str(name.with_suffix(".imp")), ("", ""))
        here = "../" * len(name.parts)
        base = f"{here}files/{name}"
        page = [f"# {plain(name.name)}\n", what[:1].upper() + what[1:] + ("." if what else "") + "\n"]
        if learn:
            page.append(f"To learn: {learn}.\n")
        if not pages and "simulate" in path.read_text():
            page.append(f"`imp view examples/{name}.imp` shows this motion. The page takes longer to make "
                        f"than the others, and is left out here.\n")
        for view in pages:
            if view in large:
                page.append(f"This motion takes {view.stat().st_size // 1_000_000} MB and is left out here: "
                            f"`imp view examples/{name}.imp` shows it.\n")
                view.unlink()
                continue
            page.append(f'```{{raw}} html\n<iframe class="view" loading="lazy" src="{base}/{view.name}" title="motion"></iframe>\n'
                        f'<p><a href="{base}/{view.name}">this motion as a page of its own</a></p>\n```\n')
        for plot in plots:
            where = plot.relative_to(HTML / "files" / name)
            page.append(f'```{{raw}} html\n<img src="{base}/{html.escape(str(where))}" alt="plot of {html.escape(plot.stem)}">\n```\n')
        page.append("## The model\n\n" + fence(path.read_text(), "imp"))
        lines = (text + ("\n" + said if said else "")).split("\n")
        rest = f"\n... and {len(lines) - LINES} more lines" if len(lines) > LINES else ""
        page.append(f"## What `imp run examples/{name}.imp` prints\n\n" + fence("\n".join(lines[:LINES]) + rest))
        write(f"gallery/{name}.md", "\n".join(page))
        picture = next((p for p in [HTML / "files" / name / "picture.png", *plots] if p.exists()), None)
        image = (f'<img loading="lazy" src="../files/{picture.relative_to(HTML / "files")}" alt="">' if picture
                 else f"<pre>{html.escape(chr(10).join(lines[:9]))}</pre>")
        folders.setdefault(str(name.parent), []).append(str(name))
        cards.setdefault(str(name.parent), []).append(f'<a href="{name}.html">{image}<b>{name.name}</b><br><span>{html.escape(re.sub("[`]", "", what))}</span></a>')
    page = ["# Gallery\n\nEvery example with its text, what it prints, its plots, and its motion.\n"]
    for folder, names in folders.items():
        page.append(f"## {plain(folder)}\n\n```{{raw}} html\n<div class=\"gallery\">" + "\n".join(cards[folder]) + "</div>\n```\n")
        page.append("```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n")
    write("gallery/index.md", "\n".join(page))
    return len(models)


# -- the whole --------------------------------------------------------------------

def index():
    text = (ROOT / "README.md").read_text()
    head = text.split("\n## ", 1)[0]
    head = re.sub(r"\]\(docs/pictures/", "](pictures/", head)
    page = ROOT / "docs/index.md"
    head = re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)",
                  lambda m: link(re.match(r"\[([^\]\n]+)\]\(([^)\s]+)\)",
                                          f"[{m.group(1)}]({'../' + m.group(2) if not m.group(2).startswith('docs/') else m.group(2)[5:]})"), page), head)
    chapters = sorted(p.stem for p in (ROOT / "docs/tutorial").glob("[0-9]*.md"))
    write("tutorial/README.md", (SOURCE / "tutorial/README.md").read_text() + "\n```{toctree}\n:hidden:\n\n" + "\n".join(chapters) + "\n```\n")
    pages = ["tutorial/README", "gallery/index", "language", "reference/index", "codes/index", "glossary", "view",
             "playground", "cli", "reproduction", "limits", "architecture", "tape", "run-file"]
    pages += sorted(p.stem for p in SOURCE.glob("*.md") if p.stem not in pages and p.stem != "index")
    pages = [p for p in pages if (SOURCE / f"{p}.md").exists()]
    write("index.md", head + "\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n")


def main():
    for folder in (SOURCE, HTML):
        shutil.rmtree(folder, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    HTML.mkdir()
    kinds = listed()
    (SOURCE / "_static").mkdir()
    shutil.copy(ROOT / "docs/site/imp.css", SOURCE / "_static")
    shutil.copy(ROOT / "docs/site/conf.py", SOURCE)
    known = {k: sorted(n for n in kinds.get(k, []) if re.fullmatch(r"\w+", n)) for k in ("command", "keyword", "function")}
    write("words.json", json.dumps(known))
    copy_docs()
    reference(kinds)
    glossary(kinds)
    n_codes, n_models = codes(), gallery()
    index()
    done = subprocess.run(["/usr/bin/sphinx-build", "-q", "-W", "--keep-going", "-j", "2", "-b", "html", SOURCE, HTML],
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if not done.returncode:
        print(f"{HTML}/index.html: {n_models} examples, {n_codes} codes")
    return done.returncode


sys.exit(main())

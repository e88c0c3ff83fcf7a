# SPDX-License-Identifier: GPL-3.0-or-later
# Sphinx: the site that docs/site/build.py prepares. The search index is a script, so that search
# works from disk; nothing is loaded from a network.
import json
import os

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, String, Text

project = "Imp"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "alabaster"
html_theme_options = {
    "description": "rigid bodies that collide",
    "fixed_sidebar": False,
    "page_width": "1100px",
    "body_max_width": "820px",
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_static_path = ["_static"]
html_css_files = ["imp.css"]
html_copy_source = False
html_show_copyright = False
# lines of context would be fetched, which browsers refuse for files
html_show_search_summary = False
myst_heading_anchors = 4
highlight_language = "none"
suppress_warnings = ["myst.header"]

# words of the language, from the program itself
with open(os.path.join(os.path.dirname(__file__), "words.json")) as f:
    KNOWN = json.load(f)


class ImpLexer(RegexLexer):
    name = "Imp"
    aliases = ["imp"]
    tokens = {
        "root": [
            (r"#.*", Comment.Single),
            (r'"[^"\n]*"?', String),
            (words(KNOWN["command"], prefix=r"\b", suffix=r"\b"), Keyword.Reserved),
            (words(KNOWN["keyword"], prefix=r"\b", suffix=r"\b"), Keyword),
            (words(KNOWN["function"], prefix=r"\b", suffix=r"\b(?=\()"), Name.Builtin),
            (r"\b[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", Number),
            (r"(?<=[0-9)] )\[[^\]\n]*\]", Keyword.Type),
            (r"[^\W\d]\w*", Name),
            (r"\s+|.", Text),
        ]
    }


def setup(app):
    app.add_lexer("imp", ImpLexer)

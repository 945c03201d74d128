#!/usr/bin/env python3
"""Reads release notes as a page does: python3 -m pip install markdown-it-py

    validate_notes.py NOTES...

Asked is: that no text of the API became HTML, an image, a rule or a heading of its own; that every link leads to a heading of the page; that
each table has as many cells in a row as in its head; that code blocks hold commands. Exit codes: 0 good, 1 not, 77 the library is not there.
"""
import pathlib
import re
import sys

try:
    from markdown_it import MarkdownIt
except ImportError as error:
    print(f"{error}: python3 -m pip install markdown-it-py", file=sys.stderr)
    sys.exit(77)

COMMANDS = ("kubectl ", "helm ", "tar ", "sha256sum ")


def text_of(inline):
    return "".join(token.content for token in inline.children or ())


def check(path):
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    wrong, anchors, links, row, head = [], [], [], 0, 0
    allowed = {
        "inline", "fence", "text", "code_inline", "softbreak", "strong_open", "strong_close", "link_open", "link_close",
        *(f"{name}_{end}" for name in ("paragraph", "heading", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td")
          for end in ("open", "close")),
    }
    for index, token in enumerate(tokens):
        for below in [token, *(token.children or ())]:
            if below.type not in allowed:
                wrong.append(f"{below.type}: {below.content!r}")
            if below.type == "link_open":
                links.append(below.attrGet("href"))
        if token.type == "heading_open" and token.tag == "h2":
            anchors.append(re.sub(r"[^\w -]", "", text_of(tokens[index + 1]).lower()).replace(" ", "-"))
        if token.type == "fence" and not all(line.startswith(COMMANDS) for line in token.content.splitlines()):
            wrong.append(f"no commands: {token.content!r}")
        if token.type == "table_open":
            head = 0
        if token.type == "tr_open":
            row = 0
        if token.type in ("td_open", "th_open"):
            row += 1
        if token.type == "tr_close":
            head = head or row
            if row != head:
                wrong.append(f"{row} cells where the head has {head}")
    wrong += [f"link to {link}" for link in links if link.lstrip("#") not in anchors or not link.startswith("#")]
    wrong += [f"heading twice: {name}" for name in sorted(set(anchors)) if anchors.count(name) > 1]
    return wrong, len(anchors)


def main(paths):
    bad, headings = 0, 0
    for path in paths:
        wrong, found = check(path)
        bad, headings = bad + len(wrong), headings + found
        for line in wrong:
            print(f"{path}: {line}", file=sys.stderr)
    if not bad:
        print(f"{len(paths)} notes with {headings} sections read")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main([pathlib.Path(path) for path in sys.argv[1:]]))

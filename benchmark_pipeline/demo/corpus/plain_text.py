"""Documents as plain text, as some small registrants still file them."""

from __future__ import annotations

import textwrap

from .html import FACT, untagged
from .prose import Node

WIDTH = 78


def render(nodes: list[Node]) -> str:
    """A whole document, wrapped at 78 characters."""
    lines: list[str] = []
    page = 0
    for node in nodes:
        text = FACT.sub(lambda m: untagged(m.group(3)), node.text).replace("**", "")
        text = text.replace("☒", "[X]").replace("☐", "[ ]")
        if node.kind == "page":
            page += 1
            lines += ["", str(page).center(WIDTH).rstrip(), "<PAGE>", ""]
        elif node.kind in {"title", "center", "part"}:
            lines += [line.center(WIDTH).rstrip() for line in textwrap.wrap(text, WIDTH - 10)] + [""]
        elif node.kind == "item":
            lines += ["", f"{node.label.upper()}  {text.upper()}", ""]
        elif node.kind == "sub":
            lines += ["", text, "-" * len(text), ""]
        elif node.kind == "sub2":
            lines += ["", text, ""]
        elif node.kind == "row":
            lines += _row([cell.strip() for cell in text.split("|")])
        elif node.kind == "li":
            mark = "o" if node.label == "•" else node.label
            lines += [*textwrap.wrap(text, WIDTH - 6, initial_indent=f"  {mark}  ", subsequent_indent="     "), ""]
        else:
            lines += [*textwrap.wrap(text, WIDTH), ""]
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> list[str]:
    """A table row: contents with a page number, a label with amounts, or cells too long to stand side by side."""
    if len(cells) == 3 and cells[2].isdigit():
        title = textwrap.wrap(cells[1], 56)
        last = f"{title[-1]} ".ljust(60, ".") + cells[2].rjust(4)
        return [
            f"{cells[0]:<10}{title[0] if len(title) > 1 else last}",
            *(f"{'':10}{line}" for line in title[1:-1]),
            *([f"{'':10}{last}"] if len(title) > 1 else []),
        ]
    if len(cells[0]) > 38 or any(len(cell) > 30 for cell in cells[1:]):
        return [line for cell in cells if cell for line in textwrap.wrap(cell, WIDTH)]
    return [(cells[0].ljust(40) + "".join(cell.rjust(16) for cell in cells[1:])).rstrip()]

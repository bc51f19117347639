"""From authored passages to the parts of a document.

The notation is small: a blank line ends a paragraph, `### ` and `#### ` head a part, `- ` and `1) ` start list items,
`**words**` are bold, `|` starts a table row, `{name}` stands for a fact, `[[Element=value]]` for a tagged fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from benchmark_pipeline.errors import BenchError

Kind = Literal["title", "center", "part", "item", "sub", "sub2", "p", "li", "row", "page", "rule"]


@dataclass(frozen=True)
class Node:
    """One block of a document."""

    kind: Kind
    text: str
    label: str = ""
    """Number of an item or mark of a list item."""


def long_date(day: date) -> str:
    """`March 1, 2024`, which strftime cannot say on every platform."""
    return f"{day:%B} {day.day}, {day.year}"


def fill(text: str, words: dict[str, str]) -> str:
    """Replace `{name}` by its word.

    Raises:
        BenchError: a name without a word.
    """

    def word(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in words:
            raise BenchError(
                f"the passage names {{{name}}}, which has no value", remedy="add it to `words` of the filing"
            )
        return words[name]

    return re.sub(r"\{(\w+)\}", word, text)


def parse(text: str) -> list[Node]:
    """Parts of an authored passage, in order."""
    nodes: list[Node] = []
    for chunk in re.split(r"\n\s*\n", text.strip()):
        paragraph: list[str] = []
        for line in chunk.splitlines():
            node = _marked(line.strip())
            if node is None:
                if nodes and nodes[-1].kind == "li" and not paragraph and chunk.lstrip().startswith(("- ", "1)")):
                    last = nodes.pop()
                    nodes.append(Node("li", f"{last.text} {line.strip()}", last.label))
                else:
                    paragraph.append(line.strip())
                continue
            nodes.append(node)
        if paragraph:
            nodes.append(Node("p", " ".join(paragraph)))
    return nodes


def _marked(line: str) -> Node | None:
    if line.startswith("#### "):
        return Node("sub2", line[5:])
    if line.startswith("### "):
        return Node("sub", line[4:])
    if line.startswith("- "):
        return Node("li", line[2:], "•")
    if line.startswith("|"):
        return Node("row", line.strip("| "))
    if line == "---":
        return Node("page", "")
    number = re.match(r"(\d\)|\([ivx\d]+\)) (.*)", line)
    return Node("li", number.group(2), number.group(1)) if number else None

"""Identity of an item: the same task, source and text always give the same id.

A text that changes makes another item, because scores of the old text say nothing about the new one. The new item names
the old one in `replaces`, so that a reader of two dataset versions can follow the source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Protocol

from benchmark_pipeline.tables.items import Arm, ItemRow, Task

_SEPARATOR = "\x1f"
"""ASCII unit separator: it occurs in no source reference, so that two different triples never join to one string."""


class HasText(Protocol):
    """Anything with a text hash: an item, a paraphrase."""

    @property
    def text_sha256(self) -> str:
        """SHA-256 of the text in UTF-8."""
        ...


def text_sha256(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def item_id(task: Task, source_ref: str, text: str, arm: Arm = "verbatim") -> str:
    """Id of an item: `<task>-<16 hex>` of the SHA-256 over task, source and text.

    Sixteen hex digits are 64 bits: among 100,000 items a collision has a probability below 3e-10, and a check that ids
    are unique stands behind it.

    Args:
        task: A, B, C or D.
        source_ref: where the text comes from; two items of one task with the same text and different sources differ.
        text: what the model reads.
        arm: arms other than `verbatim` are items of their own.
    """
    parts = [task, source_ref, text] if arm == "verbatim" else [task, source_ref, arm, text]
    return f"{task}-{text_sha256(_SEPARATOR.join(parts))[:16]}"


def pair_text_sha256(halves: Iterable[HasText]) -> str:
    """Hash of the text of a scenario pair as a reviewer sees it: over the hashes of its halves, sorted."""
    return text_sha256(_SEPARATOR.join(sorted(half.text_sha256 for half in halves)))


def link_replacements(items: Iterable[ItemRow], earlier: Iterable[ItemRow]) -> list[ItemRow]:
    """Fills `replaces` from an earlier build.

    An item whose source was known with another text replaces that item. An item that was there already keeps the link
    it had, so that a second build of the same inputs changes nothing.

    Args:
        items: items of this build.
        earlier: items of the build before, or nothing.
    """
    before = list(earlier)
    by_id: Mapping[str, ItemRow] = {row.item_id: row for row in before}
    by_source = {(row.task, row.arm, row.source_ref): row.item_id for row in before}
    linked = []
    for item in items:
        old = by_id.get(item.item_id)
        replaced = old.replaces if old else by_source.get((item.task, item.arm, item.source_ref))
        linked.append(item if replaced == item.replaces else item.model_copy(update={"replaces": replaced}))
    return linked

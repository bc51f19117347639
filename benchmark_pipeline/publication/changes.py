"""What changed from release to release: items that came, went or were relabelled, and the numbers that this moves.

Earlier releases are read from their folders and never edited. A version says how far its changes go: `X.Y.Z` is a new Z
for the same items, a new Y for other items or labels, a new X for other columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .published import Published, version_number

GOLD = (
    "gold_icfr", "clean_rating", "gold_effective", "gold_gap_type", "gold_severity", "gold_component",
    "gold_components_accepted", "gold_citation", "gold_citations_accepted", "root_cause_stated", "touches_itgc",
)  # fmt: skip
"""Columns whose change is a relabelling."""
_STEPS = ("the third number", "the second number", "the first number")
_COUNTED: tuple[tuple[str, Callable[[Mapping[str, Any]], bool]], ...] = (
    ("attested clean (headline)", lambda i: i["task"] == "C" and i["clean_rating"] == "attested"),
    ("management-only clean", lambda i: i["task"] == "C" and i["clean_rating"] == "management_only"),
    ("deficient (recall)", lambda i: i["task"] == "C" and i["gold_icfr"] == "deficient"),
    ("task A", lambda i: i["task"] == "A"),
    ("task B", lambda i: i["task"] == "B"),
    ("task D", lambda i: i["task"] == "D"),
)
"""What results are denominated by, over items as filed."""


@dataclass(frozen=True)
class Withdrawn:
    """An item that is not, or no longer, in the dataset, and why."""

    item_id: str
    reason: str
    evidence: tuple[str, ...] = ()
    """Accessions of the filings that contradict its label."""
    replaced_by: str | None = None
    """Item of the same source with its present text."""
    by_readers: bool = False
    """Readers rejected it: listed even where no release ever held it."""
    released_in: tuple[str, ...] = ()
    """Releases that hold it."""


@dataclass(frozen=True)
class Changes:
    """One release against the one before."""

    came: tuple[str, ...]
    went: tuple[str, ...]
    relabelled: Mapping[str, Mapping[str, tuple[Any, Any]]]
    """By item: column, and its values before and after."""
    other_columns: tuple[str, ...]
    """Columns that one of the two does not have."""

    @property
    def step(self) -> int:
        """Which number of the version has to rise: 2 the first, 1 the second, 0 the third."""
        return 2 if self.other_columns else 1 if self.came or self.went or self.relabelled else 0


def compare(before: Published, after: Published) -> Changes:
    """Differences in items, gold and columns."""
    shared = before.items.keys() & after.items.keys()
    relabelled = {}
    for item_id in sorted(shared):
        old, new = before.items[item_id], after.items[item_id]
        if moved := {name: (old.get(name), new.get(name)) for name in GOLD if old.get(name) != new.get(name)}:
            relabelled[item_id] = moved
    return Changes(
        tuple(sorted(after.items.keys() - shared)), tuple(sorted(before.items.keys() - shared)), relabelled,
        tuple(sorted(_columns(before) ^ _columns(after))) if before.items and after.items else (),
    )  # fmt: skip


def _columns(published: Published) -> set[str]:
    return set(next(iter(published.items.values())))


def version_problem(after: Published, earlier: Sequence[Published]) -> str | None:
    """Why this version number cannot follow the earlier releases; None where it can."""
    if not earlier:
        return None
    last = earlier[-1]
    old, new = version_number(last.version), version_number(after.version)
    if new <= old:
        return f"version {after.version} does not follow {last.version}"
    changes = compare(last, after)
    needed = old[: 3 - changes.step]
    if new[: 3 - changes.step] > needed:
        return None
    what = f"{len(changes.came)} items came, {len(changes.went)} went, {len(changes.relabelled)} were relabelled"
    what += f", columns changed: {', '.join(changes.other_columns)}" if changes.other_columns else ""
    return f"since {last.version} {what}: {_STEPS[changes.step]} of the version has to rise, not {after.version}"


def withdrawn_items(after: Published, earlier: Sequence[Published], known: Sequence[Withdrawn]) -> list[Withdrawn]:
    """Every item that an earlier release holds and this one does not, and what readers rejected, ordered by id.

    Args:
        after: the dataset now.
        earlier: releases, lowest version first.
        known: what the build knows of items that are not in the dataset.
    """
    reasons = {row.item_id: row for row in known}
    for release in earlier:  # a reason given once is kept where the build knows none any more
        for line in release.withdrawn:
            row = Withdrawn(**{**line, "evidence": tuple(line.get("evidence", ())), "released_in": ()})
            reasons.setdefault(row.item_id, row)
    released: dict[str, list[str]] = {}
    for release in earlier:
        for item_id in release.items:
            released.setdefault(item_id, []).append(release.version)
    wanted = {name for name, row in reasons.items() if row.by_readers} | released.keys()
    gone = []
    for item_id in sorted(wanted - after.items.keys()):
        row = reasons.get(item_id) or Withdrawn(item_id, "its source gives it no longer")
        gone.append(Withdrawn(**{**asdict(row), "released_in": tuple(released.get(item_id, ()))}))
    return gone


def changelog(history: Sequence[Published], withdrawn: Sequence[Withdrawn], title: str) -> str:
    """The changelog of the last of `history`, newest first, as Markdown.

    Args:
        history: releases, lowest version first, and the dataset now.
        withdrawn: what the dataset now lists as withdrawn.
        title: heading of the newest section.
    """
    lines = ["# Changelog", ""]
    for position in reversed(range(len(history))):
        after = history[position]
        reasons = {row.item_id: row for row in withdrawn}
        if position < len(history) - 1:
            title = after.version
            reasons = {line["item_id"]: Withdrawn(**line) for line in after.withdrawn}
        lines += [f"## {title}", "", *_section(history[position - 1] if position else None, after, reasons)]
    return "\n".join(lines)


def _section(before: Published | None, after: Published, reasons: Mapping[str, Withdrawn]) -> list[str]:
    if before is None:
        return [f"First version, {len(after.items)} items.", "", *_counts([after])]
    changes = compare(before, after)
    moved = f"{len(changes.came)} came, {len(changes.went)} went, {len(changes.relabelled)} relabelled"
    lines = [f"Items since {before.version}: {moved}.", "", *_counts([before, after])]
    if changes.other_columns:
        lines += [f"Columns that came or went: {', '.join(f'`{name}`' for name in changes.other_columns)}.", ""]
    if changes.came:
        by_task = Counter(after.items[name]["task"] for name in changes.came)
        lines += ["Came: " + ", ".join(f"{count} of task {task}" for task, count in sorted(by_task.items())) + ".", ""]
    if changes.went:
        lines += ["| Went | Why | Evidence |", "|---|---|---|"]
        for name in changes.went:
            row = reasons.get(name) or Withdrawn(name, "its source gives it no longer")
            why = row.reason + (f"; now `{row.replaced_by}`" if row.replaced_by else "")
            lines.append(f"| `{name}` | {why} | {', '.join(row.evidence) or '–'} |")
        lines.append("")
    if changes.relabelled:
        lines += ["| Relabelled | Column | Before | After |", "|---|---|---|---|"]
        lines += [
            f"| `{name}` | `{column}` | {_value(old)} | {_value(new)} |"
            for name, columns in changes.relabelled.items()
            for column, (old, new) in columns.items()
        ]
        lines.append("")
    if changes.step:
        lines += [_what_moves(before, changes), ""]
    return lines


def _what_moves(before: Published, changes: Changes) -> str:
    touched = {*changes.went, *changes.relabelled}
    filed = {name: item for name, item in before.items.items() if item["arm"] == "verbatim"}
    moved = [
        f"{name} ({count} of {sum(map(of, filed.values()))})"
        for name, of in _COUNTED
        if (count := sum(key in touched and of(item) for key, item in filed.items()))
    ]
    rested = f" Results of {before.version} rest on items that went or were relabelled: {', '.join(moved)}." if moved else ""  # fmt: skip
    return f"Results of {before.version} stay as published and are not compared with those of this version.{rested}"


def _counts(versions: Sequence[Published]) -> list[str]:
    lines = ["| Items as filed | " + " | ".join(v.version for v in versions) + " |", "|---|" + "---|" * len(versions)]
    for name, of in _COUNTED:
        counts = [sum(of(i) for i in v.items.values() if i["arm"] == "verbatim") for v in versions]
        lines.append(f"| {name} | " + " | ".join(map(str, counts)) + " |")
    return [*lines, ""]


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "–" if value is None else str(value)

"""Answers in words, for the page."""

from __future__ import annotations

from typing import get_args

from benchmark_pipeline.tables.items import COMPONENTS, GapType, ItemRow, Severity

_ICFR = {"attested": "Clean, attested by the auditor", "management_only": "Clean, management's conclusion alone",
         "deficient": "Deficient"}  # fmt: skip


def plain(name: object) -> str:
    """A value of a closed vocabulary in words."""
    return str(name).replace("_", " ").capitalize()


def components_in_words() -> list[tuple[str, str]]:
    """The five components, as value and words."""
    return [(name, plain(name)) for name in COMPONENTS]


def answer_words(item: ItemRow) -> list[tuple[str, str]]:
    """The drafted answer, line by line."""
    yes = {True: "yes", False: "no", None: "not stated"}
    if item.task == "C":
        return [("ICFR", _ICFR[item.clean_rating or "deficient"])]
    if item.task == "B":
        lines = [("Design", "Effective" if item.gold_effective else "Not effective")]
        if item.gold_gap_type:
            lines += [("Gap", plain(item.gold_gap_type)), ("Severity", plain(item.gold_severity or "not stated"))]
        return lines
    lines = [("Component", plain(item.gold_component))]
    others = [plain(name) for name in item.gold_components_accepted if name != item.gold_component]
    if others:
        lines.append(("Also accepted", ", ".join(others)))
    if item.task == "D":
        lines.append(("Citation", ", ".join(item.gold_citations_accepted) or str(item.gold_citation)))
    if item.gold_severity:
        lines.append(("Severity", f"{plain(item.gold_severity)} (from the report's flags)"))
    return [*lines, ("Root cause stated", yes[item.root_cause_stated]), ("IT general controls", yes[item.touches_itgc])]  # fmt: skip


def choices(item: ItemRow) -> list[tuple[str, str]]:
    """Answers that a blind reader chooses from, or a changed Task C label."""
    if item.task == "B":
        return [("effective", "Designed effectively"), ("not_effective", "Not designed effectively")]
    if item.task == "C":
        return list(_ICFR.items())
    return components_in_words()


GAPS = [(name, plain(name)) for name in get_args(GapType)]
SEVERITIES = [(name, plain(name)) for name in get_args(Severity)]

"""From the headline back to the sentence: headline, items, clean-pool decision, filing, document, characters.

Everything is read from the published warehouse, so that what is traced is what was published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from benchmark_pipeline.errors import BenchError

from .warehouse import open_warehouse


@dataclass(frozen=True)
class TracedPassage:
    """A sentence and where it stands."""

    role: str
    """What the sentence is to the item: `source passage`, `gold evidence`, `auditor's opinion`, …"""
    document_sha256: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class TracedStep:
    """One step of the clean-pool decision."""

    step: int
    rule: str
    outcome: str
    saw: str


@dataclass(frozen=True)
class TracedSource:
    """What the item was made from."""

    kind: str
    """`filing`, `finding` or `scenario`."""
    name: str
    """Accession, report id and reference, or scenario id."""
    facts: tuple[tuple[str, str], ...]
    """Company, form, dates, addresses, hashes: as label and value."""


@dataclass(frozen=True)
class TracedItem:
    """One item with all that stands behind it."""

    item_id: str
    task: str
    arm: str
    gold: str
    label: str
    """Label source, drafting model and review state, in words."""
    answers: tuple[tuple[str, str, str], ...]
    """(model, outcome, answer as received) of each run, or of the run that is followed."""
    false_positive: bool
    """Flagged by the run that is followed."""
    source: TracedSource
    decision: str | None
    """Clean-pool decision; null for items that are not from a filing."""
    steps: tuple[TracedStep, ...]
    evidence_ids: tuple[str, ...]
    passages: tuple[TracedPassage, ...]


@dataclass(frozen=True)
class HeadlineTrace:
    """One headline with the items behind it, false positives first."""

    headline: Mapping[str, Any]
    items: tuple[TracedItem, ...]


def trace_headline(warehouse: Path, model_id: str | None = None) -> list[HeadlineTrace]:
    """Every headline of the warehouse (or of one model) with all attested clean items behind it.

    Raises:
        BenchError: there is no warehouse, or no headline row of that model.
    """
    with open_warehouse(warehouse) as connection:
        heads = _rows(
            connection, "SELECT * FROM headline JOIN dataset USING (dataset_version) WHERE $1 IS NULL OR model_id = $1 "
            "ORDER BY kind DESC, fpr, model_id, run_id", [model_id],
        )  # fmt: skip
        if not heads:
            known = [
                row["model_id"] for row in _rows(connection, "SELECT DISTINCT model_id FROM headline ORDER BY 1", [])
            ]
            raise BenchError(
                f"the warehouse holds no headline{f' of {model_id}' if model_id else ''}",
                remedy=f"one of: {', '.join(known)}"
                if known
                else "evaluate a model, then materialize the publication assets",
            )
        return [HeadlineTrace(head, _behind(connection, head)) for head in heads]


def trace_item(warehouse: Path, item_id: str) -> TracedItem:
    """One item of any task with its source and every run's answer.

    Raises:
        BenchError: there is no warehouse, or no such item in it.
    """
    with open_warehouse(warehouse) as connection:
        found = _items(connection, "l.item_id = $1", [item_id])
        if not found:
            raise BenchError(
                f"there is no item {item_id} in the warehouse",
                remedy='`icfr-bench query "SELECT item_id, task FROM labeled_items"` lists them',
            )
        answers = _rows(
            connection, "SELECT * FROM response_detail JOIN dataset USING (dataset_version) WHERE item_id = $1 "
            "ORDER BY model_id, run_id, prompt_version, scoring_version", [item_id],
        )  # fmt: skip
        if len({(answer["prompt_version"], answer["scoring_version"]) for answer in answers}) > 1:
            for answer in answers:
                answer["model_id"] += f" (prompts {answer['prompt_version']}, scoring {answer['scoring_version']})"
        return _item(found[0], answers)


def _behind(connection: duckdb.DuckDBPyConnection, head: Mapping[str, Any]) -> tuple[TracedItem, ...]:
    rows = _items(connection, "l.task = 'C' AND l.arm = 'verbatim' AND l.clean_rating = 'attested'", [])
    answers = _rows(
        connection,
        "SELECT * FROM response_detail WHERE dataset_version = $1 AND prompt_version = $2 AND scoring_version = $3 "
        "AND model_id = $4 AND run_id = $5 AND task = 'C'",
        [head[name] for name in ("dataset_version", "prompt_version", "scoring_version", "model_id", "run_id")],
    )
    by_item = {answer["item_id"]: answer for answer in answers}
    items = [_item(row, [by_item[row["item_id"]]] if row["item_id"] in by_item else []) for row in rows]
    return tuple(sorted(items, key=lambda item: (not item.false_positive, item.item_id)))


def _items(connection: duckdb.DuckDBPyConnection, where: str, values: list[Any]) -> list[dict[str, Any]]:
    return _rows(
        connection,
        "SELECT l.*, i.gold_effective, i.gold_gap_type, i.gold_severity, i.gold_component, i.gold_citation, "
        "i.gold_evidence, i.text AS item_text, i.text_sha256 AS item_text_sha256 "
        f"FROM item_lineage AS l JOIN labeled_items AS i USING (item_id) WHERE {where} ORDER BY l.item_id",
        values,
    )


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, values: list[Any]) -> list[dict[str, Any]]:
    cursor = connection.execute(sql, values)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _item(row: Mapping[str, Any], answers: list[dict[str, Any]]) -> TracedItem:
    return TracedItem(
        item_id=row["item_id"],
        task=row["task"],
        arm=row["arm"],
        gold=_gold(row),
        label=", ".join(
            [
                f"label source {row['label_source']}",
                *([f"drafted by {row['drafted_by']}"] if row["drafted_by"] else []),
                f"human review {row['review_status']}",
            ]
        ),
        answers=tuple((a["model_id"], a["outcome"], a["content"] or "") for a in answers),
        false_positive=any(a["false_positive"] for a in answers),
        source=_source(row),
        decision=row["decision"],
        steps=tuple(TracedStep(**step) for step in row["decision_trace"] or []),
        evidence_ids=tuple(row["evidence_ids"] or []),
        passages=_passages(row),
    )


def _gold(row: Mapping[str, Any]) -> str:
    if row["task"] == "C":
        return f"{row['gold_icfr']}{', ' + row['clean_rating'] if row['clean_rating'] else ''}"
    if row["task"] == "B":
        return "designed effectively" if row["gold_effective"] else f"not designed effectively ({row['gold_gap_type']})"
    parts = [row["gold_component"], row["gold_citation"], row["gold_severity"]]
    return ", ".join(part for part in parts if part) or "no reference fits"


def _source(row: Mapping[str, Any]) -> TracedSource:
    def facts(*pairs: tuple[str, Any]) -> tuple[tuple[str, str], ...]:
        return tuple((label, str(value)) for label, value in pairs if value is not None)

    if row["accession"]:
        return TracedSource("filing", row["accession"], facts(
            ("company", row["company_name"]), ("CIK", row["cik"]), ("form", row["form"]),
            ("fiscal year end", row["period_end"]), ("filed", row["filed_date"]),
            ("filing", row["filing_index_url"]), ("retrieved from", row["document_url"]),
            ("document", row["document_name"]), ("retrieved at", row["retrieved_at"]),
            ("document sha256", row["document_sha256"]),
        ))  # fmt: skip
    if row["population"] == "single_audit":
        return TracedSource("finding", f"{row['report_id']} {row['reference_number']}" if row["report_id"] else row["source_ref"],
            facts(("audit year", row["audit_year"]), ("source page sha256", row["finding_page_sha256"]),
                  ("finding text sha256", row["finding_text_sha256"])))  # fmt: skip
    return TracedSource("scenario", row["scenario_id"] or row["source_ref"], facts(
        ("file", row["scenario_path"]), ("file sha256", row["scenario_file_sha256"])))  # fmt: skip


def _passages(row: Mapping[str, Any]) -> tuple[TracedPassage, ...]:
    found: list[TracedPassage] = []

    def add(role: str, span: Mapping[str, Any] | None) -> None:
        if span is not None:
            passage = TracedPassage(role, span["document_sha256"], span["start"], span["end"], span["quote"])
            if all(
                (p.document_sha256, p.start, p.end) != (passage.document_sha256, passage.start, passage.end)
                for p in found
            ):
                found.append(passage)

    for span in row["gold_evidence"] or []:
        in_text = span["document_sha256"] == row["item_text_sha256"]
        add("gold evidence, in the item's text" if in_text else "gold evidence", span)
    if row["task"] == "C":
        add("management's conclusion", row["management_sentence"])
        add("auditor's opinion", row["auditor_sentence"])
    if row["document_sha256"] is not None:
        add("source passage", {"document_sha256": row["document_sha256"], "start": row["span_start"], "end": row["span_end"],
                          # A whole section is not repeated in its span: the item's text is the section as filed.
                          "quote": row["span_quote"] or row["item_text"]})  # fmt: skip
    return tuple(found)

"""Review in other tools: decisions out and in as CSV, tasks and annotations of Label Studio.

A file is judged line by line and taken as a whole or not at all. Each line names the text that was read by its hash, so
that a decision on a text that has changed since is refused and not applied to the new one.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.reviews import ReviewLog, readers_needed, require_valid, standing
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow

from .decide import blind_decision
from .queue import stratum
from .store import ReviewStore
from .words import answer_words

READ_COLUMNS = ("item_id", "kind", "task", "stratum", "text_sha256", "text", "drafted_answer")
"""What a reader needs."""
DECISION_COLUMNS = ("decision_id", "reviewer", "decision", "reason", "changes", "seconds", "decided_at", "role")
"""Columns of a decision; `decision_id` may stay empty and is then derived from the decision."""
FILLED_IN = (*DECISION_COLUMNS, "answer")
"""What a reader fills in. A blind reader gives his own `answer` in place of a decision, which then follows from it."""
LABEL_CONFIG = """<View>
  <Header value="Task $task, $stratum"/>
  <Text name="text" value="$text"/>
  <Header value="Drafted answer (empty: read blind and give your own)"/>
  <Text name="drafted" value="$drafted_answer"/>
  <Choices name="decision" toName="text" choice="single">
    <Choice value="accept"/><Choice value="change"/><Choice value="reject"/>
  </Choices>
  <Choices name="answer" toName="text" choice="single">
    <Choice value="effective"/><Choice value="not_effective"/>
    <Choice value="control_environment"/><Choice value="risk_assessment"/><Choice value="control_activities"/>
    <Choice value="information_and_communication"/><Choice value="monitoring_activities"/>
  </Choices>
  <TextArea name="reason" toName="text" placeholder="Reason: required to change or reject"/>
  <TextArea name="changes" toName="text" placeholder="Changed columns as JSON"/>
</View>
"""
"""Labelling configuration of the Label Studio project that the exported tasks are made for."""


@dataclass(frozen=True)
class Problem:
    """Why a line is refused."""

    line: int
    """Line of a CSV file (the head is 1), or number of the annotation in a Label Studio export."""
    why: str


@dataclass(frozen=True)
class Imported:
    """What an import did: it wrote all decisions, or there are problems and it wrote none."""

    decisions: int
    problems: tuple[Problem, ...]


def export_csv(items: Sequence[ItemRow], decisions: Iterable[ItemReviewRow] = (), *, blind: bool = False) -> str:
    """One line an item that was never decided, and one a standing decision.

    Args:
        items: what is to be read.
        decisions: what was decided so far.
        blind: for a second reader: no drafted answer and nobody's decision on what two people read.
    """
    by_item: dict[str, list[ItemReviewRow]] = {}
    for row in standing(list(decisions)):
        by_item.setdefault(row.item_id, []).append(row)
    out = io.StringIO()
    writer = csv.DictWriter(out, [*READ_COLUMNS, *FILLED_IN], lineterminator="\n")
    writer.writeheader()
    for item in sorted(items, key=lambda item: item.item_id):
        read = _read_cells(item, blind=blind)
        rows = [] if blind and readers_needed(item) > 1 else by_item.get(item.item_id, [])
        decided = [row.model_dump(mode="json", include=set(DECISION_COLUMNS)) for row in rows]
        for filled in decided or [{}]:
            writer.writerow({**read, **{name: _cell(value) for name, value in filled.items()}})
    return out.getvalue()


def export_label_studio(items: Sequence[ItemRow], *, blind: bool = False) -> str:
    """Tasks to import into a Label Studio project with `LABEL_CONFIG`; `blind` as for CSV."""
    tasks = [{"data": _read_cells(item, blind=blind)} for item in sorted(items, key=lambda item: item.item_id)]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _read_cells(item: ItemRow, *, blind: bool) -> dict[str, str]:
    hidden = _always_blind(item) or (blind and readers_needed(item) > 1)
    answer = "" if hidden else "; ".join(f"{name}: {words}" for name, words in answer_words(item))
    return {
        "item_id": item.item_id, "kind": _kind(item), "task": item.task, "stratum": stratum(item),
        "text_sha256": item.text_sha256, "text": _cell(item.text), "drafted_answer": answer,
    }  # fmt: skip


def _always_blind(item: ItemRow) -> bool:
    return item.task == "B" and item.arm == "verbatim"


def _kind(item: ItemRow) -> str:
    return "item" if item.arm == "verbatim" else "paraphrase"


def _cell(value: object) -> str:
    # A spreadsheet would run a cell that starts like a formula. Hashes and not texts are read back.
    text = "" if value is None else str(value)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def import_file(path: Path, items: Sequence[ItemRow], store: ReviewStore) -> Imported:
    """Reads a CSV file or a Label Studio JSON export into the review log.

    Decisions that are in the log already are left alone, so an exported file can be filled in and sent back whole.

    Raises:
        BenchError: the file is neither.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"{path} cannot be read: {error}", remedy="give a CSV or JSON file in UTF-8") from error
    records = _label_studio(content, path) if path.suffix.lower() == ".json" else _csv(content, path)
    rows: list[tuple[int, ItemReviewRow]] = []
    problems: list[Problem] = []
    by_id = {item.item_id: item for item in items}
    known = {row.decision_id: row for row in store.read().decisions}
    for line, record in records:
        try:
            rows.append((line, _decision(record, by_id, known, store)))
        except BenchError as error:
            problems.append(Problem(line, error.what))
    problems += _repeated(rows)
    if problems:
        return Imported(0, tuple(sorted(problems, key=lambda problem: problem.line)))
    fresh = [(line, row) for line, row in rows if known.get(row.decision_id) != row]

    def judge(log: ReviewLog) -> list[str]:
        used = {row.decision_id: row for row in log.decisions}
        return [f"{line}\x1fdecision {row.decision_id} is in the log already, with other content"
                for line, row in fresh if row.decision_id in used]  # fmt: skip

    found = store.append_all([row for _, row in fresh], judge)
    if found:
        return Imported(0, tuple(Problem(int(line), why) for line, why in (text.split("\x1f", 1) for text in found)))
    return Imported(len(fresh), ())


def _decision(
    record: Mapping[str, Any], items: Mapping[str, ItemRow], known: Mapping[str, ItemReviewRow], store: ReviewStore
) -> ItemReviewRow:
    item = items.get(str(record.get("item_id") or ""))
    if item is None:
        raise BenchError(f"unknown item {record.get('item_id')!r}")
    if record.get("text_sha256") != item.text_sha256:
        raise BenchError(f"{item.item_id}: the text that was read is not the item's text now (text_sha256 differs)")
    values: dict[str, Any] = {name: record.get(name) or None for name in DECISION_COLUMNS}
    values |= {"item_id": item.item_id, "kind": _kind(item), "text_sha256": item.text_sha256}
    values |= {"reviewer": " ".join(str(values["reviewer"] or "").split()), "role": values["role"] or "reader"}
    if values["decision"] == "undo":
        raise BenchError(f"{item.item_id}: a file cannot undo; undo in the review page")
    if answer := str(record.get("answer") or ""):
        values |= _from_answer(item, answer, values)
    elif _always_blind(item) and values["decision"] in ("accept", "change") and values["decision_id"] not in known:
        raise BenchError(f"{item.item_id}: a scenario half is read blind: give an answer, effective or not_effective")
    values["decision_id"] = values["decision_id"] or _derived_id(values)
    try:
        row = ItemReviewRow.model_validate(values)
    except ValidationError as error:
        said = "; ".join(f"{p['loc'][0] if p['loc'] else 'line'}: {p['msg']}" for p in error.errors())
        raise BenchError(f"{item.item_id}: {said}") from error
    require_valid(row, store.now(), store.known_models)
    return row


def _from_answer(item: ItemRow, answer: str, values: Mapping[str, Any]) -> dict[str, Any]:
    if values["decision"]:
        raise BenchError(f"{item.item_id}: give a decision or an answer, not both")
    if item.task == "C" or item.arm != "verbatim":
        raise BenchError(f"{item.item_id}: it is not read blind: give a decision")
    decision, reason, changes = blind_decision(item, answer)
    return {"decision": decision, "reason": reason, "changes": json.dumps(changes, sort_keys=True) if changes else None}


def _derived_id(values: Mapping[str, Any]) -> str:
    """The same decision gives the same id, so a file that is imported twice adds nothing."""
    parts = [str(values[name]) for name in ("item_id", "text_sha256", "reviewer", "decision", "decided_at")]
    return "i-" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def _repeated(rows: Iterable[tuple[int, ItemReviewRow]]) -> list[Problem]:
    """Second decisions of one reviewer on one item, and ids used twice, within the file."""
    problems = []
    pairs: dict[tuple[str, str], int] = {}
    ids: dict[str, int] = {}
    for line, row in rows:
        if (before := pairs.setdefault((row.item_id, row.reviewer), line)) != line:
            problems.append(Problem(line, f"{row.item_id}: {row.reviewer} decided it already on line {before}"))
        elif (before := ids.setdefault(row.decision_id, line)) != line:
            problems.append(Problem(line, f"decision id {row.decision_id} stands on line {before} already"))
    return problems


def _csv(content: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Lines with a decision or an answer; a line without either waits and is no error."""
    reader = csv.DictReader(io.StringIO(content, newline=""))
    wanted = {"item_id", "text_sha256", "reviewer", "decision", "decided_at"}
    if missing := sorted(wanted - set(reader.fieldnames or ())):
        raise BenchError(f"{path} has no column {', '.join(missing)}", remedy="start from `icfr-bench review export`")
    for record in reader:
        filled = {name: _uncell(record.get(name)) for name in FILLED_IN}
        if filled["decision"] or filled["answer"]:
            yield reader.line_num, {**record, **filled}


def _uncell(value: str | None) -> str:
    text = (value or "").strip()
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@") else text


def _label_studio(content: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Annotations of a Label Studio JSON export; cancelled ones were skipped by their reader."""
    try:
        tasks = json.loads(content)
        number = 0
        for task in tasks:
            for annotation in task.get("annotations", []):
                number += 1
                if not annotation.get("was_cancelled"):
                    yield number, _annotation(task["data"], annotation)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BenchError(
            f"{path} is no Label Studio export: {error!r}", remedy="export as JSON, not JSON_MIN"
        ) from error


def _annotation(data: Mapping[str, Any], annotation: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, str] = {}
    for result in annotation.get("result", []):
        value = result["value"]
        values[result["from_name"]] = "\n".join(value.get("choices") or value.get("text") or [])
    who = annotation.get("completed_by")
    name = (
        who.get("email") or f"{who.get('first_name', '')} {who.get('last_name', '')}" if isinstance(who, dict) else who
    )
    when = str(annotation.get("created_at") or "")
    return {
        "item_id": data["item_id"], "text_sha256": data["text_sha256"], "reviewer": str(name or ""),
        "decision": values.get("decision"), "answer": values.get("answer"), "reason": values.get("reason"), "changes": values.get("changes"),
        "seconds": annotation.get("lead_time"), "decided_at": when,
        "decision_id": f"ls-{annotation.get('unique_id') or annotation.get('id')}", "role": "reader",
    }  # fmt: skip

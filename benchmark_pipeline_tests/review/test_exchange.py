"""The round trip with spreadsheets and Label Studio: judged line by line, taken as a whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.review.app import ReviewPages
from benchmark_pipeline.review.exchange import export_csv, export_label_studio, import_file
from benchmark_pipeline.tables.items import ItemRow

WHEN = "2026-01-05T10:00:00+00:00"


def filled(items: list[ItemRow], path: Path, changes: dict[int, dict[str, str]] | None = None) -> Path:
    """The exported file with a decision on each line, then altered (by line number, the head is 1)."""
    lines = list(csv.DictReader(io.StringIO(export_csv(items))))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(lines[0]))
    writer.writeheader()
    for number, line in enumerate(lines, start=2):
        given = {"answer": "effective"} if line["task"] == "B" else {"decision": "accept"}
        line |= {"reviewer": "M. Achterberg", "decided_at": WHEN, "text": "one line", **given}
        writer.writerow(line | (changes or {}).get(number, {}))
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def test_a_filled_file_is_taken_once_and_again_without_effect(pages: ReviewPages, tmp_path: Path) -> None:
    items = pages.material.items
    path = filled(items, tmp_path / "back.csv")
    assert import_file(path, items, pages.store).decisions == len(items) == 19
    assert import_file(path, items, pages.store).decisions == 0
    assert len(pages.store.read().decisions) == 19
    sent = tmp_path / "all.csv"
    sent.write_text(export_csv(items, pages.store.read().decisions), encoding="utf-8")
    assert import_file(sent, items, pages.store) == import_file(path, items, pages.store)
    assert pages.store.read().records == 19


def test_every_kind_of_bad_line_is_named_and_nothing_is_imported(pages: ReviewPages, tmp_path: Path) -> None:
    items = pages.material.items
    ahead = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    first = sorted(items, key=lambda item: item.item_id)[0]
    bad = {
        2: {"item_id": "C-unknown"},
        4: {"item_id": first.item_id, "text_sha256": first.text_sha256, "decision": "accept", "answer": ""},
        5: {"item_id": first.item_id, "text_sha256": first.text_sha256},
        6: {"decided_at": ahead},
        7: {"reviewer": "openai/gpt-5"},
        8: {"text_sha256": "0" * 64},
        9: {"decision": "reject"},
        10: {"decision": "approve"},
        11: {"decided_at": "yesterday"},
        12: {"decision": "change", "reason": "x", "changes": '{"text": "y"}'},
        13: {"reviewer": "house-blend"},
        14: {"decision": "undo"},
    }
    imported = import_file(filled(items, tmp_path / "bad.csv", bad), items, pages.store)
    said = {problem.line: problem.why for problem in imported.problems}
    assert imported.decisions == 0 and pages.store.read().records == 0
    assert set(said) == set(bad) - {4}  # line 4 is a first decision on that item; line 5 repeats it
    for line, words in {2: "unknown item", 5: "on line 4", 6: "future", 7: "model", 8: "text_sha256", 9: "reason",
                        10: "decision", 11: "decided_at", 12: "text", 13: "model", 14: "undo"}.items():  # fmt: skip
        assert words in said[line], said[line]


def test_a_blind_reader_gives_an_answer_and_sees_no_draft(pages: ReviewPages, tmp_path: Path) -> None:
    items = {item.task: item for item in pages.material.items if item.task in "AB"}
    import_file(filled(list(items.values()), tmp_path / "first.csv"), pages.material.items, pages.store)
    decided = pages.store.read().decisions
    lines = {
        line["task"]: line
        for line in csv.DictReader(io.StringIO(export_csv(list(items.values()), decided, blind=True)))
    }
    assert {line["drafted_answer"] + line["decision"] for line in lines.values()} == {""}
    lines["A"] |= {"answer": "monitoring_activities"}
    lines["B"] |= {"answer": "not_effective" if items["B"].gold_effective else "effective"}

    def send(*rows: dict[str, str]) -> Any:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(lines["A"]))
        writer.writeheader()
        writer.writerows(row | {"reviewer": "K. Osei", "decided_at": WHEN} for row in rows)
        path = tmp_path / "second.csv"
        path.write_text(out.getvalue(), encoding="utf-8")
        return import_file(path, pages.material.items, pages.store)

    for wrong, said in (
        (lines["B"] | {"answer": "", "decision": "accept"}, "read blind"),
        (lines["B"] | {"decision": "accept"}, "not both"),
        (lines["A"] | {"answer": "effective"}, "no component"),
    ):
        [problem] = send(wrong).problems
        assert said in problem.why
    assert send(*lines.values()).decisions == 2
    given = {row.item_id[0]: row for row in pages.store.read().decisions if row.reviewer == "K. Osei"}
    assert (given["A"].decision, given["B"].decision) == ("change", "reject")
    assert json.loads(given["A"].changes or "")["gold_component"] == "monitoring_activities"


def test_a_file_without_the_columns_is_an_error(pages: ReviewPages, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(BenchError, match="no column"):
        import_file(path, pages.material.items, pages.store)


def test_a_cell_that_starts_like_a_formula_is_written_as_text(pages: ReviewPages) -> None:
    item = pages.material.items[0].model_copy(update={"text": "=HYPERLINK(1)"})
    [line] = csv.DictReader(io.StringIO(export_csv([item])))
    assert line["text"] == "'=HYPERLINK(1)"


def annotated(task: dict[str, Any], number: int, **values: Any) -> dict[str, Any]:
    results = [
        {
            "from_name": "decision",
            "to_name": "text",
            "type": "choices",
            "value": {"choices": [values.get("decision", "accept")]},
        }
    ]
    if "reason" in values:
        results.append(
            {"from_name": "reason", "to_name": "text", "type": "textarea", "value": {"text": [values["reason"]]}}
        )
    annotation = {
        "id": number, "completed_by": {"id": 1, "email": values.get("email", "m.achterberg@firm.example")},
        "created_at": WHEN, "lead_time": 20.5, "was_cancelled": values.get("cancelled", False), "result": results,
    }  # fmt: skip
    return task | {"annotations": [annotation]}


def test_a_label_studio_export_is_taken(pages: ReviewPages, tmp_path: Path) -> None:
    items = pages.material.items
    tasks = json.loads(export_label_studio(items))
    done = [annotated(tasks[0], 1), annotated(tasks[1], 2, decision="reject", reason="cut off"), annotated(tasks[2], 3, cancelled=True)]  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps(done))
    assert import_file(path, items, pages.store).decisions == 2
    assert {(d.decision, d.reason, d.seconds) for d in pages.store.read().decisions} == {
        ("accept", None, 20.5), ("reject", "cut off", 20.5),
    }  # fmt: skip
    done.append(annotated(tasks[3], 4, email="claude"))
    path.write_text(json.dumps(done))
    assert "model" in import_file(path, items, pages.store).problems[0].why
    path.write_text("[{}, 3]")
    with pytest.raises(BenchError, match="Label Studio"):
        import_file(path, items, pages.store)

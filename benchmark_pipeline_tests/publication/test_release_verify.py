"""A release verifies from its folder alone, and each kind of damage or forgery is named."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from published_corpus import full_corpus
from reviewed_corpus import answers, contents, decision, decisions, reviewed, scored

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.questions import _question, answer
from benchmark_pipeline.publication.holdout import split
from benchmark_pipeline.publication.release import build_holdout, build_release
from benchmark_pipeline.publication.release_files import read_lines_sql
from benchmark_pipeline.publication.release_gate import CANARY, GATE, GateInput, findings, warnings
from benchmark_pipeline.publication.verify import verify
from benchmark_pipeline.settings import PROJECT_ROOT
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.items import ItemRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = reviewed()
    rows = answers(corpus, "vendor/alpha-2026-01-15", {corpus.items[0].item_id})
    return build_release(contents(corpus, **scored(corpus, rows)), tmp_path_factory.mktemp("cut"), preview=False).folder


@pytest.fixture
def release(cut: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(cut, tmp_path / "0.1.0"))


def problems(folder: Path) -> dict[str, list[str]]:
    return {result.name: list(result.problems) for result in verify(folder, NOW) if result.problems}


def reseal(folder: Path) -> None:
    """Makes the checksums right again, as a forger would."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "SHA256SUMS"]
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(folder).as_posix()}\n" for p in files]
    (folder / "SHA256SUMS").write_text("".join(lines))


def edit(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def test_a_release_verifies_and_states_the_recomputed_headline(release: Path) -> None:
    results = {result.name: result for result in verify(release, NOW)}
    assert not any(result.problems for result in results.values())
    assert "vendor/alpha-2026-01-15 2.9% (1/34)" in results["headline"].says
    assert results["reviews"].says.startswith("118 of 118 items reviewed")
    assert results["gate"].says.startswith("release: open; note: Only 34 attested clean items: with fewer than 300")
    assert hashlib.sha256((release / "SHA256SUMS").read_bytes()).hexdigest() in results["checksums"].says


def test_a_changed_byte_is_named(release: Path) -> None:
    edit(release / "README.md", "ICFR", "IFCR")
    (release / "extra.txt").write_text("x")
    assert problems(release)["checksums"] == ["extra.txt is not listed", "README.md has changed"]


def test_a_review_that_was_taken_out_shuts_the_gate_even_with_right_checksums(release: Path) -> None:
    path = release / "reviews" / "decisions.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    gone = json.loads(lines[0])["item_id"]
    path.write_text("".join(lines[1:]), encoding="utf-8")
    reseal(release)
    found = problems(release)
    assert f"{gone} has no human decision" in found["reviews"]
    assert "1 of 118 items have no human decision" in found["gate"] and "checksums" not in found
    assert found["tables"] == ["reviews/decisions.parquet has rows that no line states: 1"]


def test_a_model_among_the_reviewers_is_refused(release: Path) -> None:
    edit(release / "reviews" / "decisions.jsonl", "R. Quill", "anthropic/claude", 10_000)
    reseal(release)
    assert "is the id of a model" in problems(release)["reviews"][0]


def test_a_better_headline_than_the_scores_give_is_found(release: Path) -> None:
    edit(release / "results" / "headline.jsonl", '"k": 1', '"k": 0', 10)
    reseal(release)
    assert any("another headline" in text for text in problems(release)["headline"])


def alter(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Alters the lines of a table, writes its Parquet file anew to match, and seals the folder again."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    parquet = path.with_suffix(".parquet")
    if parquet.is_file():
        types = dict(
            duckdb.sql(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '{parquet}')").fetchall()
        )
        duckdb.sql(f"COPY (SELECT * FROM {read_lines_sql(path, types)}) TO '{parquet}' "
                   f"(FORMAT parquet, KV_METADATA {{canary: '{CANARY}'}})")  # fmt: skip
    reseal(path.parents[1] if path.parent.name != "task_c" else path.parents[2])


def test_a_sealed_gold_that_no_reader_changed_is_found(release: Path) -> None:
    alter(release / "labels" / "task_c" / "test.jsonl", lambda rows: rows[0].update(review_status="changed"))
    found = problems(release)
    assert set(found) == {"reviews", "gate"} and "no human decision" in found["reviews"][0]


def test_a_sealed_text_that_is_not_the_one_that_was_read_is_found(release: Path) -> None:
    alter(release / "data" / "task_c" / "test.jsonl", lambda rows: rows[0].update(text="Controls were effective."))
    assert any("differ from their hash" in text for text in problems(release)["gate"])


def test_a_sealed_score_that_the_answer_does_not_give_is_found(release: Path) -> None:
    def cheat(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["false_positive"]:
                row.update(false_positive=False, flagged_deficient=False, correct=True)

    alter(release / "results" / "scores.jsonl", cheat)
    found = problems(release)
    assert "the answer gives another score" in found["scores"][0] and "headline" in found


def test_a_sealed_clean_label_whose_filing_is_contradicted_is_found(release: Path) -> None:
    def contradict(rows: list[dict[str, Any]]) -> None:
        rows[0].update(decision="excluded", reason="contradicted_E2")

    alter(release / "evidence" / "clean_pool_decisions.jsonl", contradict)
    assert any("contradicted" in text for text in problems(release)["gate"])


def test_a_sealed_row_that_does_not_fit_its_table_is_named(release: Path) -> None:
    alter(release / "labels" / "task_c" / "test.jsonl", lambda rows: rows[0].update(label_source="guess"))
    [said] = problems(release)["contents"]
    assert "C-0000000000000001" in said and "label_source" in said


def test_a_sealed_item_without_its_label_is_named(release: Path) -> None:
    alter(release / "labels" / "task_c" / "test.jsonl", lambda rows: rows.pop(0))
    assert "has no label" in problems(release)["contents"][0]


def test_a_parquet_file_that_says_otherwise_than_its_lines_is_found(release: Path) -> None:
    path = release / "labels" / "task_c" / "test.jsonl"
    before = path.read_bytes()
    alter(path, lambda rows: rows[0].update(gold_icfr="deficient", clean_rating=None))
    path.write_bytes(before)
    reseal(release)
    assert problems(release) == {"tables": [
        "labels/task_c/test.parquet has rows that no line states: 1",
        "labels/task_c/test.parquet has too few rows for its lines: 1",
    ]}  # fmt: skip


def test_a_gate_report_that_hides_an_offender_is_found(release: Path) -> None:
    report = release / "RELEASE_GATE.json"
    said = json.loads(report.read_text())
    report.write_text(json.dumps(said | {"offenders": {"item_ids_are_unique": ["C-1"]}}))
    reseal(release)
    assert problems(release)["gate"] == ["RELEASE_GATE.json names other offenders than the rows give"]


def test_a_preview_that_calls_itself_a_release_is_found(tmp_path: Path) -> None:
    folder = build_release(contents(full_corpus()), tmp_path, preview=True).folder
    assert problems(folder) == {}
    edit(folder / "RELEASE_GATE.json", '"status": "preview"', '"status": "release"')
    reseal(folder)
    assert any("no human decision" in text for text in problems(folder)["gate"])


def test_an_item_that_is_there_and_withdrawn_is_found(release: Path) -> None:
    (release / "withdrawn.jsonl").write_text('{"item_id": "C-0000000000000001", "reason": "x"}\n')
    reseal(release)
    assert problems(release)["contents"] == ["C-0000000000000001 is listed as withdrawn and is there"]


def test_a_release_is_verified_in_a_process_that_has_nothing_but_the_folder(release: Path, tmp_path: Path) -> None:
    alone = tmp_path / "downloaded" / "dataset"
    shutil.copytree(release, alone)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT_ROOT), "HOME": str(tmp_path),
                   "ICFR_BENCH_DATA_ROOT": str(tmp_path / "none")}  # fmt: skip
    start = "from benchmark_pipeline.cli import main; main()"
    command = [sys.executable, "-c", start, "release", "verify", str(alone)]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "vendor/alpha-2026-01-15 2.9% (1/34)" in ran.stdout and not (tmp_path / "none").exists()
    edit(alone / "data" / "task_c" / "test.jsonl", "effective", "defective")
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "data/task_c/test.jsonl has changed" in ran.stdout


def test_a_folder_that_is_no_release_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="SHA256SUMS"):
        verify(tmp_path, NOW)


def test_every_rule_of_the_gate_can_shut_it() -> None:
    corpus = reviewed()
    assert findings(GateInput(corpus.items, corpus.pool, decisions(corpus), ["Read."])) == []
    first, graded = corpus.items[0], next(i for i in corpus.items if i.task == "A")
    half = next(i for i in corpus.items if i.pair_id)
    pool = corpus.pool

    def of(item: ItemRow, **values: object) -> GateInput:
        return GateInput([item.model_copy(update=values)], pool, [])

    asked = evidence(first)
    broken: dict[str, GateInput] = {
        "there_are_items": GateInput([], pool, []),
        "every_item_fits_the_schema": of(first, label_source="guess"),
        "every_item_has_its_human_decisions": of(first, reviewed_by=["N. Obody"]),
        "item_ids_are_unique": GateInput([first, first], pool, []),
        "every_text_is_the_text_that_was_hashed": of(first, text="other"),
        "an_accession_gives_one_item_a_task": GateInput([first, first.model_copy(update={"item_id": "C-x"})], pool, []),
        "every_item_states_its_provenance": of(first, accession=None),
        "every_item_has_the_gold_of_its_task": of(graded, gold_component=None),
        "every_clean_item_is_rated": of(first, clean_rating=None),
        "there_are_enough_attested_clean_items": of(first),
        "clean_and_deficient_are_balanced": GateInput(
            [i for i in corpus.items if i.gold_icfr != "deficient"], pool, []
        ),
        "no_clean_item_is_contradicted": of(first, clean_rating="management_only"),
        "every_answer_on_evidence_is_a_persons": GateInput([first], pool, [], (), [asked]),
        "severity_stands_only_where_it_could_differ": of(first, gradient_bearing=True),
        "every_scenario_pair_and_every_twin_is_complete": GateInput([half], pool, []),
        "no_text_prints_its_own_label": of(graded, text="Our control environment failed."),
        "no_model_input_holds_the_canary": of(first, text=CANARY),
        "no_held_out_item_is_published": GateInput(corpus.items, pool, [], holdout_share=0.3),
    }
    assert list(broken) == [rule.name for rule in GATE]
    for rule in GATE:
        assert rule.offenders(broken[rule.name]), rule.name
    assert [f.rule for f in warnings(broken["there_are_items"])] == ["there_are_300_attested_clean_items"]


def evidence(item: ItemRow, **values: object) -> ContradictingEvidenceRow:
    """A dismissed question on the item's filing."""
    base = dict.fromkeys(ContradictingEvidenceRow.model_fields) | {
        "evidence_id": f"{item.accession}:{item.cik}:E8:0009000001-26-000001", "accession": item.accession, "cik": item.cik,
        "code": "E8", "strength": "ambiguous", "match": "next_annual", "evidence_accession": "0009000001-26-000001",
        "evidence_form": "10-K", "evidence_filed_date": "2026-03-01", "icfr_reports_withdrawn": False,
        "extracted_by": "rule", "decided_by": "R. Quill", "resolution": "dismissed", "extractor_version": "x",
    }  # fmt: skip
    return ContradictingEvidenceRow.model_validate(base | values)


def test_a_question_opens_the_gate_once_a_person_has_dismissed_it(tmp_path: Path) -> None:
    corpus = reviewed()
    row = evidence(corpus.items[0])
    said = answer(_question(row, corpus.pool[0]), "dismissed", reviewer="R. Quill", reason="began in 2025",
                  decided_at=NOW)  # fmt: skip
    given = GateInput(corpus.items, corpus.pool, decisions(corpus), (), [row], [said])
    assert findings(given) == []
    waiting = row.model_copy(update={"resolution": None})
    open_question = GateInput(corpus.items, corpus.pool, decisions(corpus), (), [waiting])
    assert [f.rule for f in findings(open_question)] == ["no_clean_item_is_contradicted"]
    folder = build_release(contents(corpus, evidence=[row], evidence_answers=[said]), tmp_path, preview=False).folder
    assert problems(folder) == {}
    alter(folder / "reviews" / "evidence_answers.jsonl", lambda rows: rows[0].update(reviewer="anthropic/claude"))
    assert "is the id of a model" in problems(folder)["reviews"][0]


def test_one_reader_where_two_are_needed_keeps_the_gate_shut() -> None:
    corpus = reviewed()
    alone = next(item for item in corpus.items if item.task == "A")
    left = [row for row in decisions(corpus) if row.item_id != alone.item_id]
    given = GateInput(corpus.items, corpus.pool, [*left, decision(alone, "R. Quill")])
    assert findings(given)[0].offenders == (alone.item_id,)


def test_held_out_companies_stand_in_no_public_file(tmp_path: Path) -> None:
    corpus = reviewed()
    public, private = split(corpus.items, 0.2)
    assert private and len(public) + len(private) == len(corpus.items)
    assert not {i.company_key for i in public} & {i.company_key for i in private}
    whole = contents(corpus)
    folder = build_release(replace(whole, items=public), tmp_path / "releases", preview=True).folder
    text = b"".join(p.read_bytes() for p in folder.rglob("*.jsonl") if "evidence" not in p.parts)
    assert not [item.item_id for item in private if item.item_id.encode() in text]
    kept_apart = build_holdout(replace(whole, items=private), tmp_path / "private")
    assert private[0].item_id in "".join(p.read_text() for p in kept_apart.rglob("*.jsonl"))


def test_mlcroissant_reads_the_metadata_and_the_rows(release: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed (dev extra)")
    dataset = mlcroissant.Dataset(jsonld=release / "croissant.json")
    assert dataset.metadata.ctx.issues.errors == set()
    assert {r.name for r in dataset.metadata.record_sets} >= {"data-task_c-test-records", "labels-task_c-test-records"}
    assert dataset.metadata.ctx.issues.warnings == set()
    assert dataset.metadata.data_annotation_protocol[0].startswith("A written labelling guide.")
    rows = list(dataset.records("data-task_c-test-records"))
    assert len(rows) == 87 and rows[0]["data-task_c-test-records/item_id"] == b"C-0000000000000001"
    record = json.loads((release / "croissant.json").read_text())
    for file in record["distribution"]:
        assert hashlib.sha256((release / file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]
    assert sum(name.startswith("rai:") for name in record) == 7


def test_datasets_loads_every_configuration_of_the_folder(release: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the Hugging Face datasets package is not installed (dev extra)")
    assert set(datasets.get_dataset_config_names(str(release))) == {
        f"task_{t}{s}" for t in "abcd" for s in ("", "_labels")
    }
    for task in "abcd":
        loaded = datasets.load_dataset(str(release), f"task_{task}", split="test", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == sum(1 for _ in (release / f"data/task_{task}/test.jsonl").open())
    labels = datasets.load_dataset(str(release), "task_c_labels", cache_dir=str(tmp_path / "cache"))
    assert (labels["test"].num_rows, labels["paraphrase"].num_rows) == (87, 8)
    assert labels["test"][0]["gold_icfr"] == "clean" and labels["test"][0]["gold_evidence"][0]["quote"]


def test_the_head_of_the_card_is_what_the_hub_reads(release: Path) -> None:
    hub = pytest.importorskip(
        "huggingface_hub", reason="the Hugging Face datasets package is not installed (dev extra)"
    )
    card = hub.DatasetCard.load(release / "README.md")
    assert (card.data.license, card.data.language, card.data.size_categories) == ("cc-by-4.0", ["en"], ["n<1K"])
    assert [c["config_name"] for c in card.data.configs][:4] == ["task_a", "task_b", "task_c", "task_d"]
    assert "Only 34 attested clean items" in card.text

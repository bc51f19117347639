"""A release verifies from its folder alone, and each kind of damage or forgery is named."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from reviewed_corpus import decision, decisions, reviewed
from test_release import contents

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.holdout import split
from benchmark_pipeline.publication.release import Withdrawn, build_holdout, build_release
from benchmark_pipeline.publication.release_gate import CANARY, GATE, GateInput, findings
from benchmark_pipeline.publication.verify import verify

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    corpus = reviewed()
    for run in ("vendor/alpha-2026-01-15", "vendor/beta-2025-11-03"):
        corpus.scores = [row for row in corpus.scores if row.model_id != run]
        corpus.run(run, flags={corpus.items[0].item_id})
    return build_release(contents(corpus, scores=corpus.scores), tmp_path, preview=False).folder


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
    assert results["gate"].says == "release: open"


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
    assert any("rows" in text for text in found["tables"])


def test_a_model_among_the_reviewers_is_refused(release: Path) -> None:
    edit(release / "reviews" / "decisions.jsonl", "R. Quill", "anthropic/claude", 10_000)
    reseal(release)
    assert "is the id of a model" in problems(release)["reviews"][0]


def test_a_better_headline_than_the_scores_give_is_found(release: Path) -> None:
    edit(release / "results" / "headline.jsonl", '"k": 1', '"k": 0', 10)
    reseal(release)
    assert any("another headline" in text for text in problems(release)["headline"])


def test_a_changed_gold_without_a_reviewers_change_does_not_pass_as_one(release: Path) -> None:
    edit(release / "labels" / "task_c" / "test.jsonl", '"review_status": "accepted"', '"review_status": "changed"')
    reseal(release)
    assert "gate" in problems(release)


def test_a_folder_that_is_no_release_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="SHA256SUMS"):
        verify(tmp_path, NOW)


def test_every_rule_of_the_gate_can_shut_it() -> None:
    corpus = reviewed()
    assert findings(GateInput(corpus.items, corpus.pool, decisions(corpus), ["Read."])) == []
    first, graded = corpus.items[0], next(i for i in corpus.items if i.task == "A")
    clean = [i for i in corpus.items if i.gold_icfr != "deficient"]
    half = next(i for i in corpus.items if i.pair_id)
    broken = {
        "there_are_items": [],
        "every_item_has_its_human_decisions": [first.model_copy(update={"reviewed_by": ["N. Obody"]})],
        "item_ids_are_unique": [first, first],
        "every_text_is_the_text_that_was_hashed": [first.model_copy(update={"text": "other"})],
        "an_accession_gives_one_item_a_task": [first, first.model_copy(update={"item_id": "C-x"})],
        "every_item_states_its_provenance": [first.model_copy(update={"accession": None})],
        "there_are_enough_attested_clean_items": [first],
        "clean_and_deficient_are_balanced": clean,
        "no_clean_item_is_contradicted": [first.model_copy(update={"clean_rating": "management_only"})],
        "no_annual_report_bears_a_severity_gradient": [first.model_copy(update={"gradient_bearing": True})],
        "every_twin_has_its_original": [i for i in corpus.items if i.arm != "verbatim"],
        "every_scenario_pair_is_complete": [half],
        "no_text_prints_its_own_label": [graded.model_copy(update={"text": "Our control environment failed."})],
        "no_model_input_holds_the_canary": [first.model_copy(update={"text": CANARY})],
    }
    assert set(broken) == {rule.name for rule in GATE}
    for rule in GATE:
        found = rule.offenders(GateInput(broken[rule.name], corpus.pool, decisions(corpus)))
        assert found, rule.name


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


def test_withdrawn_items_are_listed_with_their_reason(tmp_path: Path) -> None:
    corpus = reviewed()
    gone = Withdrawn("C-ffffffffffffffff", "rejected in human review")
    folder = build_release(contents(corpus, withdrawn=[gone]), tmp_path, preview=False).folder
    assert json.loads((folder / "withdrawn.jsonl").read_text()) == vars(gone)


def test_mlcroissant_reads_the_metadata_and_the_rows(release: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed (dev extra)")
    dataset = mlcroissant.Dataset(jsonld=release / "croissant.json")
    assert dataset.metadata.ctx.issues.errors == set()
    assert {r.name for r in dataset.metadata.record_sets} >= {"data-task_c-test-records", "labels-task_c-test-records"}
    record = json.loads((release / "croissant.json").read_text())
    for file in record["distribution"]:
        assert hashlib.sha256((release / file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]
    assert sum(name.startswith("rai:") for name in record) == 7


def test_datasets_loads_every_configuration_of_the_folder(release: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the Hugging Face datasets package is not installed")
    for task in "abcd":
        loaded = datasets.load_dataset(str(release), f"task_{task}", split="test", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == sum(1 for _ in (release / f"data/task_{task}/test.jsonl").open())

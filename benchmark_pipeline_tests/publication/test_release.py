"""The dataset folder: deterministic, gated, never overwritten."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import duckdb
import pytest
import yaml
from published_corpus import Corpus
from reviewed_corpus import contents, decisions, reviewed

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.release import INPUT_COLUMNS, LABEL_COLUMNS, build_release
from benchmark_pipeline.publication.release_gate import GateInput, findings


def judge(corpus: Corpus) -> list[str]:
    return [f.problem for f in findings(GateInput(corpus.items, corpus.pool, decisions(corpus)))]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_preview_holds_inputs_apart_from_labels(corpus: Corpus, tmp_path: Path) -> None:
    folder = build_release(contents(corpus), tmp_path, preview=True).folder
    assert folder.name == "0.1.0-preview"
    data = duckdb.sql(f"SELECT * FROM '{folder}/data/task_c/test.parquet'")
    labels = duckdb.sql(f"SELECT * FROM '{folder}/labels/task_c/test.parquet'")
    assert data.columns == list(INPUT_COLUMNS) and labels.columns == list(LABEL_COLUMNS)
    assert len(data.fetchall()) == len(labels.fetchall()) == 62
    assert not any(name.startswith("gold") for name in data.columns)
    lines = (folder / "data/task_c/test.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["item_id"] for line in lines) == sorted(
        row.item_id for row in corpus.items if row.task == "C" and row.arm == "verbatim"
    )


def test_twins_stand_in_files_of_their_own(corpus: Corpus, tmp_path: Path) -> None:
    folder = build_release(contents(corpus), tmp_path, preview=True).folder
    assert duckdb.sql(f"SELECT count(*) FROM '{folder}/data/task_c/paraphrase.parquet'").fetchall() == [(8,)]


def test_the_same_rows_give_the_same_bytes_in_any_order(corpus: Corpus, tmp_path: Path) -> None:
    first = build_release(contents(corpus), tmp_path / "a", preview=True)
    second = build_release(
        contents(corpus, items=corpus.items[::-1], clean_pool=corpus.pool[::-1]), tmp_path / "b", preview=True
    )
    assert first.sums_sha256 == second.sums_sha256
    assert files(first.folder) == files(second.folder)


def test_every_file_is_in_the_checksums(corpus: Corpus, tmp_path: Path) -> None:
    found = files(build_release(contents(corpus), tmp_path, preview=True).folder)
    sums = found.pop("SHA256SUMS").decode()
    assert sums == "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in sorted(found.items()))


def test_the_card_has_a_readable_head_and_names_the_open_reviews(corpus: Corpus, tmp_path: Path) -> None:
    folder = build_release(contents(corpus), tmp_path, preview=True).folder
    _, head, body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    parsed = yaml.safe_load(head)
    assert parsed["license"] == "cc-by-4.0" and parsed["size_categories"] == ["n<1K"]
    assert [c["config_name"] for c in parsed["configs"]] == [f"task_{t}{s}" for s in ("", "_labels") for t in "abcd"]
    files = [file for c in parsed["configs"] for file in c["data_files"]]
    assert all((folder / file["path"]).is_file() for file in files)
    assert [f["split"] for f in parsed["configs"][2]["data_files"]] == ["test", "paraphrase"]
    assert "Preview, not a release" in body and "93 of 93 items have no human decision" in body
    assert yaml.safe_load((folder / "CITATION.cff").read_text())["version"] == "0.1.0"


def test_a_release_is_refused_while_an_item_is_unreviewed(tmp_path: Path) -> None:
    corpus = reviewed()
    corpus.items[0] = corpus.items[0].model_copy(update={"review_status": "pending", "reviewed_by": []})
    with pytest.raises(BenchError, match="1 of 118 items have no human decision"):
        build_release(contents(corpus), tmp_path, preview=False)
    assert list(tmp_path.iterdir()) == []


def test_an_accepted_item_without_a_reviewer_does_not_open_the_gate() -> None:
    corpus = reviewed()
    corpus.items[0] = corpus.items[0].model_copy(update={"reviewed_by": []})
    assert judge(corpus) == ["1 of 118 items have no human decision"]


def test_a_reviewed_dataset_is_cut_once_and_never_overwritten(tmp_path: Path) -> None:
    corpus = reviewed()
    built = build_release(contents(corpus), tmp_path, preview=False)
    before = files(built.folder)
    assert built.status == "release" and built.blockers == [] and built.folder.name == "0.1.0"
    with pytest.raises(BenchError, match="never overwritten"):
        build_release(contents(corpus, licence_data="other"), tmp_path, preview=False)
    assert files(built.folder) == before


def test_a_newer_preview_replaces_the_older_as_a_whole(corpus: Corpus, tmp_path: Path) -> None:
    folder = build_release(contents(corpus), tmp_path, preview=True).folder
    (folder / "stray.txt").write_text("left by hand")
    build_release(contents(corpus), tmp_path, preview=True)
    assert not (folder / "stray.txt").exists()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["0.1.0-preview"]


def test_a_clean_item_whose_filing_left_the_pool_shuts_the_gate() -> None:
    corpus = reviewed()
    corpus.pool[0] = corpus.pool[0].model_copy(update={"decision": "excluded", "reason": "contradicted_E2"})
    assert judge(corpus) == [f"1 clean items are contradicted or not decided clean, such as {corpus.items[0].item_id}"]


def test_half_a_pair_and_an_orphaned_twin_shut_the_gate() -> None:
    corpus = reviewed()
    orphaned = next(row.twin_of for row in corpus.items if row.twin_of)
    corpus.items = [row for row in corpus.items if row.item_id not in (orphaned, "B-v000000000000001")]
    problems = judge(corpus)
    assert any(p.startswith("2 pairs or twins are incomplete: pair p1 has ['control']") for p in problems)

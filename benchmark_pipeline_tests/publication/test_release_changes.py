"""From release to release: what came, went and was relabelled, what the version must be, and that nothing is overwritten."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from published_corpus import Corpus
from reviewed_corpus import READERS, contents, decision, reviewed

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.changes import Withdrawn
from benchmark_pipeline.publication.left_out import left_out
from benchmark_pipeline.publication.published import earlier_releases, released_items
from benchmark_pipeline.publication.release import build_release
from benchmark_pipeline.settings import PROJECT_ROOT
from benchmark_pipeline.tables.clean_pool import WithdrawnItemRow


@pytest.fixture
def corpus() -> Corpus:
    return reviewed()


@pytest.fixture
def releases(corpus: Corpus, tmp_path: Path) -> Path:
    """A folder that holds release 0.1.0."""
    build_release(contents(corpus), tmp_path, preview=False)
    return tmp_path


def next_year(corpus: Corpus) -> Corpus:
    """One attested item contradicted, one relabelled by its readers, and one new."""
    gone, changed = corpus.items[0], next(item for item in corpus.items if item.task == "A")
    corpus.items.remove(gone)
    corpus.items = [item for item in corpus.items if item.twin_of != gone.item_id]
    gold = {"gold_component": "risk_assessment", "gold_components_accepted": ["risk_assessment"]}
    place = corpus.items.index(changed)
    corpus.items[place] = changed.model_copy(update={**gold, "review_status": "changed", "label_source": "human"})
    corpus.filing(99, "clean_attested")
    corpus.items[-1] = corpus.items[-1].model_copy(update={"review_status": "accepted", "reviewed_by": [READERS[0]]})
    return corpus


def decided(corpus: Corpus) -> list[object]:
    changes = '{"gold_component": "risk_assessment", "gold_components_accepted": ["risk_assessment"]}'
    return [
        decision(item, name, decision="change", reason="the cause is a risk not seen", changes=changes)
        if item.review_status == "changed" else decision(item, name)
        for item in corpus.items for name in item.reviewed_by
    ]  # fmt: skip


GONE = Withdrawn("C-0000000000000001", "contradicted: contradicted E2", ("0009000001-26-000007",))


def test_a_second_release_states_what_came_went_and_changed(corpus: Corpus, releases: Path) -> None:
    after = next_year(corpus)
    built = build_release(
        contents(after, dataset_version="0.2.0", decisions=decided(after), withdrawn=[GONE]), releases, preview=False
    )
    lines = [json.loads(line) for line in (built.folder / "withdrawn.jsonl").read_text().splitlines()]
    assert [(line["item_id"], line["released_in"]) for line in lines] == [
        ("C-0000000000000001", ["0.1.0"]), ("C-f000000000000001", ["0.1.0"]),
    ]  # fmt: skip
    assert lines[0]["evidence"] == ["0009000001-26-000007"]
    text = (built.folder / "CHANGELOG.md").read_text()
    assert "Items since 0.1.0: 1 came, 2 went, 1 relabelled." in text
    assert "| `C-0000000000000001` | contradicted: contradicted E2 | 0009000001-26-000007 |" in text
    assert "| `A-0000000000000001` | `gold_component` | control_activities | risk_assessment |" in text
    assert "| attested clean (headline) | 34 | 34 |" in text
    assert "attested clean (headline) (1 of 34), task A (1 of 11)" in text
    assert text.index("## 0.2.0") < text.index("## 0.1.0") and "First version, 118 items." in text


def test_a_reason_that_was_given_once_is_kept_in_every_later_release(corpus: Corpus, releases: Path) -> None:
    after = next_year(corpus)
    given = contents(after, dataset_version="0.2.0", decisions=decided(after), withdrawn=[GONE])
    build_release(given, releases, preview=False)
    later = contents(after, dataset_version="0.2.1", decisions=decided(after))
    folder = build_release(later, releases, preview=False).folder
    first = json.loads((folder / "withdrawn.jsonl").read_text().splitlines()[0])
    assert (first["item_id"], first["reason"], first["released_in"]) == (GONE.item_id, GONE.reason, ["0.1.0"])
    assert "Items since 0.2.0: 0 came, 0 went, 0 relabelled." in (folder / "CHANGELOG.md").read_text()
    assert [release.version for release in earlier_releases(releases)] == ["0.1.0", "0.2.0", "0.2.1"]
    assert len(released_items(releases)) == 95 + 94 + 94


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.1.1", "the second number of the version has to rise, not 0.1.1"),
        ("0.0.9", "does not follow 0.1.0"),
        ("next", "is no dataset version"),
    ],
)
def test_a_version_that_hides_its_changes_is_refused(corpus: Corpus, releases: Path, version: str, said: str) -> None:
    after = next_year(corpus)
    with pytest.raises(BenchError, match=said):
        build_release(contents(after, dataset_version=version, decisions=decided(after)), releases, preview=False)
    assert [path.name for path in releases.iterdir() if path.is_dir()] == ["0.1.0"]


def test_other_columns_need_a_new_first_number(corpus: Corpus, releases: Path) -> None:
    for path in (releases / "0.1.0" / "labels").rglob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(row | {"gold_mood": "calm"}) + "\n" for row in rows))
    with pytest.raises(BenchError, match="columns changed: gold_mood: the first number"):
        build_release(contents(corpus, dataset_version="0.2.0"), releases, preview=False)
    assert build_release(contents(corpus, dataset_version="1.0.0"), releases, preview=False).status == "release"


def test_what_left_the_dataset_is_told_with_its_reason(corpus: Corpus) -> None:
    first, second, third, fourth = corpus.items[:4]
    rejected = decision(second, "R. Quill", decision="reject", reason="cut off")
    moved = third.model_copy(update={"reject_reason": "not_sampled"})
    renewed = fourth.model_copy(update={"item_id": "C-new", "replaces": fourth.item_id})
    now = dict.fromkeys(WithdrawnItemRow.model_fields) | {
        "dataset_version": "0.1.0", "item_id": first.item_id, "accession": first.accession, "cik": first.cik,
        "gold_icfr": "clean", "cause": "contradicted", "decision": "excluded", "reason": "contradicted_E2",
        "evidence_ids": ["e"], "evidence_accessions": ["0009000001-26-000007"], "evidence": [],
        "snapshot_date": "2026-06-30",
    }  # fmt: skip
    found = {
        row.item_id: row
        for row in left_out([second, moved, renewed], [], [rejected], [WithdrawnItemRow.model_validate(now)], [])
    }
    assert found[first.item_id] == GONE
    assert (found[second.item_id].reason, found[second.item_id].by_readers) == (
        "rejected in human review: cut off",
        True,
    )
    assert found[third.item_id].reason == "no longer chosen: not sampled"
    assert (found[fourth.item_id].reason, found[fourth.item_id].replaced_by) == ("its text changed", "C-new")


def test_what_readers_rejected_is_listed_though_no_release_ever_held_it(corpus: Corpus, tmp_path: Path) -> None:
    known = [
        Withdrawn("C-seen", "rejected in human review: cut off", by_readers=True),
        Withdrawn("C-x", "no longer chosen"),
    ]
    folder = build_release(contents(corpus, withdrawn=known), tmp_path, preview=False).folder
    [line] = [json.loads(line) for line in (folder / "withdrawn.jsonl").read_text().splitlines()]
    assert (line["item_id"], line["released_in"]) == ("C-seen", [])


BUILDER = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
from reviewed_corpus import contents, reviewed
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.release import build_release
whole = contents(reviewed())
print("ready", flush=True)
try:
    build_release(whole, Path(sys.argv[1]), preview=False)
    print("cut")
except BenchError as error:
    print(error.what)
"""


def builder(releases: Path) -> subprocess.Popen[str]:
    here = str(Path(__file__).parent)
    return subprocess.Popen([sys.executable, "-c", BUILDER, str(releases), here], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)})  # fmt: skip


def test_of_two_processes_that_cut_a_release_at_once_one_does(tmp_path: Path) -> None:
    both = [builder(tmp_path), builder(tmp_path)]
    said = sorted(process.communicate(timeout=100)[0].splitlines()[1] for process in both)
    assert said[0] == "cut" and "never overwritten" in said[1]
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["0.1.0"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_build_that_is_killed_leaves_no_release_and_the_next_one_is_whole(corpus: Corpus, tmp_path: Path) -> None:
    left = 0
    for part in range(12):
        process = builder(tmp_path)
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(0.07 * part)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left += any(path.is_dir() for path in tmp_path.iterdir())
        if (tmp_path / "0.1.0").exists():  # it was done before the signal came
            break
    assert left, "no build was interrupted"
    if not (tmp_path / "0.1.0").exists():
        build_release(contents(corpus), tmp_path, preview=False)
    sums = (tmp_path / "0.1.0" / "SHA256SUMS").read_text()
    assert (
        sums == (build_release(contents(corpus), tmp_path / "again", preview=False).folder / "SHA256SUMS").read_text()
    )
    with pytest.raises(BenchError, match="never overwritten"):
        build_release(contents(corpus), tmp_path, preview=False)

"""A small lake to review: filings, weaknesses, a scenario pair, a paraphrase and a question on evidence."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest

from benchmark_pipeline.review.app import ReviewPages
from benchmark_pipeline.review.store import ReviewStore
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.items import InvariantResult, ParaphraseRow

sys.path.append(str(Path(__file__).parents[1] / "publication"))
from published_corpus import Corpus

EVIDENCE = "0009000020-25-000020:0009000020:E8:0009000020-26-000001"


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = Settings(data_root=tmp_path_factory.mktemp("review"), profile="demo")
    corpus = Corpus()
    clean = [corpus.filing(number, "clean_attested") for number in range(1, 13)]
    bad = [corpus.filing(number, "deficient") for number in range(13, 15)]
    corpus.weakness(1, "A", bad[0])
    corpus.weakness(2, "D", bad[1])
    corpus.pair(1)
    asked = corpus.filing(20, "clean_attested")
    corpus.items.remove(asked)
    waiting = {"decision": "excluded", "reason": "subsequent_mw_onset_unstated"}
    corpus.pool[-1] = corpus.pool[-1].model_copy(update=waiting)
    lake = corpus.write(settings.storage_root)
    hostile = clean[0].model_copy(update={"text": "<script>alert(1)</script> & so on", "text_sha256": "a" * 64})
    lake.write("candidate_items", [hostile, *corpus.items[1:]])
    twin = ParaphraseRow(
        item_id="C-ttttttttttttttt1", twin_of=clean[1].item_id, arm="paraphrase", text=clean[1].text.replace("our", "its"),
        text_sha256="b" * 64, paraphrased_by="anthropic/claude", drafting_prompt_sha256=None,
        invariants=[InvariantResult(name="numbers", value="3", threshold="3", passed=True)], status="usable",
        reject_reasons=[], review_status="pending",
    )  # fmt: skip
    lake.write("paraphrased_subset", [twin])
    span = corpus.assertions[0].mgmt_conclusion_span
    lake.write("contradicting_evidence", [ContradictingEvidenceRow(
        evidence_id=EVIDENCE, accession="0009000020-25-000020", cik="0009000020", code="E8", strength="ambiguous",
        match="next_annual", evidence_accession="0009000020-26-000001", evidence_form="10-K",
        evidence_filed_date=date(2025, 3, 1), locator=span, icfr_reports_withdrawn=False, extracted_by="rule",
        decided_by=None, resolution=None, extractor_version="x",
    )])  # fmt: skip
    return settings


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    return ReviewStore(tmp_path / "log", frozenset({"house-blend"}))


@pytest.fixture
def pages(settings: Settings, store: ReviewStore) -> ReviewPages:
    return ReviewPages(settings, store)

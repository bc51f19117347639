"""The page: self-contained, honest about its status, and safe against what filings and models wrote."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import krippendorff
import pytest
from published_corpus import VERSION, Corpus
from reviewed_corpus import READERS, decision, reviewed

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.report import write_report
from benchmark_pipeline.publication.report.words import percent, plain
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.tables.items import ItemRow

LATER = datetime(2025, 7, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def page(warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    target = tmp_path_factory.mktemp("report") / "index.html"
    write_report(warehouse, target, VERSION)
    return target.read_text(encoding="utf-8")


class Balanced(HTMLParser):
    """Notes tags that are closed out of order."""

    void = frozenset(("meta", "wbr", "br", "line", "circle", "rect", "br"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.void and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


def test_the_page_is_well_formed(page: str) -> None:
    parser = Balanced()
    parser.feed(page)
    assert (parser.open, parser.wrong) == ([], [])


def test_the_page_loads_nothing(page: str) -> None:
    assert not re.search(r"<script|<link|<img|<iframe|@import|url\(", page)


def test_every_section_of_the_menu_exists_once(page: str) -> None:
    for anchor in re.findall(r'href="#([a-z]+)"', page):
        assert page.count(f'id="{anchor}"') == 1, anchor


def test_the_headline_stands_with_interval_counts_bounds_and_the_weaker_rate(page: str) -> None:
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "8.8 % 95 % interval 1.8 % to 24.0 %" in text
    assert "Of 100 clean annual reports that an auditor stands behind, it would call about 9 deficient" in text
    assert "If all those passed / flagged 5.9 % / 14.7 %" in text
    assert "Management-only (weaker) 8.3 % (1/12)" in text
    assert "Not comparable: 3 of 34" in text


def test_the_preview_banner_names_the_open_decisions(page: str) -> None:
    assert "Preview, not a release." in page and "93 of 93 items" in page


def test_each_false_positive_opens_to_answer_sentences_and_source(page: str) -> None:
    flags = page[page.index('id="flags"') :]
    assert flags.count("<details data-flag=") == 3 + 16 + 2
    first = flags[flags.index("<details ") : flags.index("</details>")]
    assert "Auditor&#39;s opinion" in first or "Auditor's opinion" in first
    assert "https://www.sec.gov/Archives/edgar/data/" in first and "effective as of December 31, 2024." in first


def test_what_models_and_filings_wrote_is_escaped(tmp_path: Path) -> None:
    corpus = Corpus()
    rows = [corpus.filing(number, "clean_attested") for number in range(1, 32)]
    corpus.run("vendor/alpha-2026-01-15", flags={rows[0].item_id})
    attack = "<script>alert(1)</script>"
    corpus.responses[0] = corpus.responses[0].model_copy(update={"content": attack})
    corpus.assertions[0] = corpus.assertions[0].model_copy(update={"company_name": attack})
    path = WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(corpus.write(str(tmp_path))).path
    write_report(path, tmp_path / "report" / "index.html", VERSION)
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert attack not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2


def test_too_few_items_print_the_reason_instead_of_a_number(tmp_path: Path) -> None:
    corpus = Corpus()
    for number in range(1, 6):
        corpus.filing(number, "clean_attested")
    corpus.run("vendor/alpha-2026-01-15")
    path = WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(corpus.write(str(tmp_path))).path
    write_report(path, tmp_path / "index.html", VERSION)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "No headline" in page and "The dataset holds 5 attested clean items" in page


def test_the_agreement_of_two_readers_is_that_of_the_library_and_of_a_count_by_hand(tmp_path: Path) -> None:
    """A review log of two readers: some change the component, some reject, one is an adjudicator, one read alone."""
    corpus = reviewed()
    second, third = READERS[1], "A. Dove"
    twice = [item for item in corpus.items if item.arm == "verbatim"]
    log, given = [], defaultdict(list)
    for number, item in enumerate(twice):
        own, other = answer_of(item), answer_of(item)
        log.append(decision(item, READERS[0]))
        if item.task in "AD" and number % 3 == 0:
            other = "monitoring_activities"
            log.append(decision(item, second, decision="change", reason="another component",
                                changes=json.dumps({"gold_component": other})))  # fmt: skip
        elif number % 7 == 0:
            other = "rejected"
            log.append(decision(item, second, decision="reject", reason="the passage does not say so"))
        else:
            log.append(decision(item, second))
        log.append(decision(item, third, role="adjudicator", decision="accept", decided_at=LATER))
        given[item.task].append((own, other))
    alone = next(item for item in corpus.items if item.arm != "verbatim")
    log.append(decision(alone, READERS[0]))
    lake = corpus.write(str(tmp_path))
    lake.write("item_reviews", log)
    path = WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(lake).path
    write_report(path, tmp_path / "index.html", VERSION)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    found = re.findall(r'<tr data-readers="(\w)">.*?</tr>', page)
    assert found == sorted(given)
    for task, answers in given.items():
        (row,) = re.findall(rf'<tr data-readers="{task}">(.*?)</tr>', page)
        units, raw, alpha, ac1 = re.findall(r"<td>(.*?)</td>", row)
        same = sum(one == two for one, two in answers) / len(answers)
        labels = sorted({label for pair in answers for label in pair})
        codes = [[labels.index(pair[side]) for pair in answers] for side in (0, 1)]
        expected = krippendorff.alpha(codes, level_of_measurement="nominal") if len(labels) > 1 else None
        # Gwet (2008): chance is the mean of share (1 - share) over the possible answers but one.
        possible = {"A": 6, "B": 3, "C": 3, "D": 6}[task]
        shares = [sum(pair.count(label) for pair in answers) / (2 * len(answers)) for label in labels]
        chance = sum(share * (1 - share) for share in shares) / (possible - 1)
        assert units == str(len(answers)) and raw == percent(same), task
        assert alpha == ("–" if expected is None else plain(float(expected))), task
        assert ac1 == plain((same - chance) / (1 - chance)), task
    assert "No item has been read by two people" not in page


def answer_of(item: ItemRow) -> str:
    return str(
        {"A": item.gold_component, "B": item.gold_effective, "C": item.gold_icfr, "D": item.gold_component}[item.task]
    )


def test_an_empty_warehouse_is_refused_and_the_old_page_kept(tmp_path: Path) -> None:
    path = WarehousePublisher(tmp_path / "warehouse.duckdb", VERSION).publish(Corpus().write(str(tmp_path))).path
    target = tmp_path / "index.html"
    target.write_text("old")
    with pytest.raises(BenchError, match="holds no item"):
        write_report(path, target, VERSION)
    assert target.read_text() == "old"


def test_the_same_warehouse_gives_the_same_page(page: str, warehouse: Path, tmp_path: Path) -> None:
    write_report(warehouse, tmp_path / "again.html", VERSION)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_every_cell_of_the_checks_table_is_a_row_of_the_warehouse(page: str, warehouse: Path) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        (estimate,) = connection.execute(
            "SELECT estimate FROM metrics WHERE metric = 'macro_f1' AND model_id = 'vendor/beta-2025-11-03'"
        ).fetchone() or (None,)
    assert f"{100 * estimate:.1f} %" in page

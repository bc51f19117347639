"""The authored corpus against itself: what it promises to hold, and that it reads as EDGAR's formats do."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml
from lxml import etree

from benchmark_pipeline.demo.corpus.annual_report import controls, report_10k, words
from benchmark_pipeline.demo.corpus.authored import ANNUAL_FORMS, SOURCES, Registrant, firms, registrants
from benchmark_pipeline.demo.corpus.expected import EXPECTED_DECISIONS, expected_csv, expected_rows
from benchmark_pipeline.demo.corpus.prose import fill, parse
from benchmark_pipeline.demo.site import build_site
from benchmark_pipeline.edgar.full_submission import documents, header
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.labels import load_labels

LABELS = SOURCES.parent / "labels"
LAST_FILED = "2025-05-31"
NATURAL_REJECTS = {"extraction_no_heading", "extraction_too_short", "extraction_stub_cross_reference"}
REASONS = NATURAL_REJECTS | {
    "out_of_universe", "shell", "language", "new_registrant", "reverse_merger_year", "no_management_report",
    "as_of_mismatch", "conclusion_conflict", "mixed_conclusion", "contradicted_E1", "contradicted_E2", "contradicted_E3",
    "contradicted_E4", "contradicted_E5", "contradicted_E6", "subsequent_mw_onset_unstated", "attestation_unresolved",
}  # fmt: skip
TERMS_OF_ART = (
    "internal control over financial reporting",
    "disclosure controls and procedures",
    "committee of sponsoring organizations of the treadway commission",
    "internal control - integrated framework",
    "registered public accounting firm",
    "as of and for the year ended december 31",
)
RUN = 12


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    return folder


def _passages(registrant: Registrant) -> list[str]:
    found = [registrant.business, registrant.risk, registrant.discussion, *registrant.blocks.values()]
    for filing in registrant.filings:
        found += [*filing.blocks.values(), filing.body, filing.report_in_item8, *(a.body for a in filing.attachments)]
    return found


def _by_decision(decision: str) -> Counter[str]:
    return Counter(row["cik"] for row in expected_rows() if row["decision"] == decision)


def test_the_committed_list_of_decisions_is_the_authored_one() -> None:
    assert EXPECTED_DECISIONS.read_text(encoding="utf-8") == expected_csv()


def test_every_annual_report_has_one_expected_decision_a_registrant() -> None:
    rows = list(csv.DictReader(io.StringIO(expected_csv())))
    keys = [(row["accession"], row["cik"]) for row in rows]
    assert len(keys) == len(set(keys))
    wanted = set()
    for registrant in registrants():
        for filing in registrant.annual():
            ciks = [registrant.cik, *([registrant.co_registrant.cik] if registrant.co_registrant else [])]
            wanted |= {(registrant.accession(filing), cik) for cik in ciks}
    assert set(keys) == wanted


def test_every_exclusion_reason_and_every_evidence_code_occurs() -> None:
    assert {row["reason"] for row in expected_rows()} - {""} == REASONS
    codes = {code for row in expected_rows() for code in row["evidence_codes"].split()}
    assert codes == {"E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E11"}


def test_a_reason_stands_exactly_where_a_report_is_excluded() -> None:
    for row in expected_rows():
        assert bool(row["reason"]) == (row["decision"] == "excluded"), row


@pytest.mark.parametrize(
    ("decision", "filings", "companies"),
    [("clean_attested", 34, 17), ("clean_management_only", 12, 6), ("deficient", 17, 10)],
)
def test_there_are_enough_usable_reports_of_each_kind(decision: str, filings: int, companies: int) -> None:
    found = _by_decision(decision)
    assert sum(min(2, n) for n in found.values()) >= filings
    assert len(found) >= companies


def test_accessions_are_unique_and_nothing_is_filed_after_the_last_day() -> None:
    numbers = [r.accession(f) for r in registrants() for f in r.filings]
    assert len(numbers) == len(set(numbers))
    assert max(f.filed for r in registrants() for f in r.filings).isoformat() <= LAST_FILED
    assert all(f.filed >= f.period for r in registrants() for f in r.filings if f.form != "DEF 14A")


def test_building_twice_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    build_site(tmp_path)

    def digests(folder: Path) -> dict[str, str]:
        files = (p for p in folder.rglob("*") if p.is_file())
        return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    assert digests(site) == digests(tmp_path)


def test_inline_documents_are_well_formed_and_facts_name_known_contexts(site: Path) -> None:
    inline = [p for p in site.rglob("*.htm") if p.read_bytes().startswith(b"<?xml")]
    assert len(inline) > 100
    for path in inline:
        tree = etree.fromstring(path.read_bytes())
        contexts = {e.get("id") for e in tree.iter("{http://www.xbrl.org/2003/instance}context")}
        facts = list(tree.iter("{http://www.xbrl.org/2013/inlineXBRL}nonNumeric"))
        assert {e.get("contextRef") for e in facts} <= contexts
        ids = [e.get("id") for e in tree.iter() if e.get("id")]
        assert len(ids) == len(set(ids))


def test_each_item_of_a_10_k_bears_its_own_title() -> None:
    for registrant in registrants():
        for filing in registrant.filings:
            if filing.form != "10-K":
                continue
            nodes = [node for node in report_10k(registrant, filing) if node.kind == "item"]
            named = {node.label: node.text for node in nodes}
            assert named["Item 15."] == "Exhibits and Financial Statement Schedules"
            assert [label for label, title in named.items() if title == registrant.controls_heading] in (
                ["Item 9A."],
                [],
            )


def test_full_submissions_open_into_their_documents(site: Path) -> None:
    for registrant in registrants():
        for filing in registrant.filings:
            number = registrant.accession(filing)
            home = site / "www" / "Archives" / "edgar" / "data" / str(int(registrant.cik))
            body = (home / f"{number}.txt").read_bytes()
            inside = home / number.replace("-", "")
            found = documents(body)
            assert [d.type for d in found] == [filing.form, *(a.type for a in filing.attachments)]
            assert header(body).accession == number
            for document in found:
                assert document.text.strip() == (inside / document.filename).read_bytes().strip()


def test_master_indexes_and_submission_lists_name_the_same_filings(site: Path) -> None:
    listed = defaultdict(set)
    for path in site.glob("www/Archives/edgar/full-index/*/QTR*/master.idx"):
        for line in path.read_text(encoding="latin-1").splitlines():
            fields = line.split("|")
            if len(fields) == 5 and fields[0].isdigit():
                listed[fields[0].zfill(10)].add(Path(fields[4]).stem)
                assert (site / "www" / "Archives" / fields[4]).is_file()
    submitted = defaultdict(set)
    for path in (site / "data" / "submissions").glob("CIK*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        columns = content["filings"]["recent"] if "filings" in content else content
        assert len({len(column) for column in columns.values()}) == 1
        submitted[path.name[3:13]] |= set(columns["accessionNumber"])
    assert listed == submitted


def test_one_registrant_has_an_older_page_that_holds_a_non_reliance_notice(site: Path) -> None:
    pages = list((site / "data" / "submissions").glob("*-submissions-001.json"))
    items = [code for page in pages for code in json.loads(page.read_text(encoding="utf-8"))["items"]]
    assert "4.02,9.01" in items


def test_controls_sections_of_usable_reports_have_the_length_of_short_real_ones() -> None:
    usable = {(row["accession"], row["cik"]) for row in expected_rows() if row["decision"] != "excluded"}
    for registrant in registrants():
        for filing in registrant.annual():
            if (registrant.accession(filing), registrant.cik) in usable:
                text = " ".join(node.text for node in controls(registrant, filing))
                text += filing.report_in_item8 + " ".join(a.body for a in filing.attachments)
                assert 1200 <= len(text) <= 8000, (registrant.name, filing.period, len(text))


def test_no_two_registrants_share_a_run_of_twelve_words() -> None:
    owners = defaultdict(set)
    for registrant in registrants():
        for passage in _passages(registrant):
            text = passage.lower()
            for number, term in enumerate(TERMS_OF_ART):
                text = text.replace(term, f"term{number}")
            tokens = re.findall(r"[a-z0-9{}_']+", text)
            for start in range(len(tokens) - RUN + 1):
                owners[" ".join(tokens[start : start + RUN])].add(registrant.cik)
    assert {run: ciks for run, ciks in owners.items() if len(ciks) > 1} == {}


def test_every_source_says_who_drafted_it() -> None:
    for path in (SOURCES / "registrants").glob("*.yaml"):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            assert document["drafted_by"] == "anthropic/claude", path.name
    assert yaml.safe_load((SOURCES / "firms.yaml").read_text(encoding="utf-8"))["drafted_by"] == "anthropic/claude"


def test_a_name_without_a_word_is_an_error_that_says_so() -> None:
    with pytest.raises(BenchError, match="as_of"):
        fill("effective as of {as_of}", {})


def test_passages_part_into_headings_paragraphs_and_list_items() -> None:
    nodes = parse("### Head\n\nOne\nline.\n\n- first\n- second\n\n(2) third")
    assert [(n.kind, n.text, n.label) for n in nodes] == [
        ("sub", "Head", ""), ("p", "One line.", ""), ("li", "first", "•"), ("li", "second", "•"), ("li", "third", "(2)"),
    ]  # fmt: skip


def test_labels_quote_the_weakness_that_they_name() -> None:
    assert len(load_labels(LABELS)) > 0
    entries = yaml.safe_load((LABELS / "sec_weaknesses.yaml").read_text(encoding="utf-8"))
    filings = {r.accession(f): (r, f) for r in registrants() for f in r.annual()}
    deficient = {row["accession"] for row in expected_rows() if row["decision"] == "deficient"}
    ordinals = defaultdict(list)
    for entry in entries:
        registrant, filing = filings[entry["source"]["accession"]]
        text = " ".join(node.text for node in controls(registrant, filing))
        assert entry["evidence_quote"] in text, entry
        ordinals[entry["source"]["accession"]].append((entry["source"]["ordinal"], text.index(entry["evidence_quote"])))
    assert set(ordinals) == deficient
    for places in ordinals.values():
        assert [n for n, _ in places] == list(range(1, len(places) + 1))
        assert [at for _, at in places] == sorted(at for _, at in places)


def test_weaknesses_vary_in_component_and_some_filers_sort_by_it() -> None:
    entries = yaml.safe_load((LABELS / "sec_weaknesses.yaml").read_text(encoding="utf-8"))
    distinct = {entry["evidence_quote"]: entry["component"] for entry in entries}
    assert len(distinct) >= 16
    assert len(set(distinct.values())) == 5
    heads = {"Control Environment", "Risk Assessment", "Control Activities", "Information and Communication", "Monitoring Activities", "Monitoring"}  # fmt: skip
    sorted_by = {
        r.cik
        for r in registrants()
        for f in r.annual()
        if any(n.kind == "sub2" and n.text in heads for n in controls(r, f))
    }
    assert len(sorted_by) >= 4


def test_passages_name_nothing_that_has_no_word() -> None:
    for registrant in registrants():
        for filing in registrant.filings:
            told = words(registrant, filing)
            assert "{" not in fill(filing.body, told)
            if filing.form in ANNUAL_FORMS:
                assert all("{" not in node.text for node in controls(registrant, filing))


@pytest.mark.real_data
def test_no_registrant_or_auditor_bears_the_name_of_a_real_company(real_data: Path) -> None:
    source = real_data / "edgar" / "api" / "company_tickers" / "company_tickers-a.json.gz"
    real = json.loads(gzip.decompress(source.read_bytes())).values()
    first_words = {entry["title"].lower().split()[0] for entry in real}
    tickers = {entry["ticker"].lower() for entry in real}
    for registrant in registrants():
        assert registrant.name.lower().split()[0] not in first_words, registrant.name
        assert registrant.stem not in tickers, registrant.stem
    assert {firm.name.lower().split()[0] for firm in firms().values()}.isdisjoint(first_words)

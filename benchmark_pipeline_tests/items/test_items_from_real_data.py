"""Items built from real filings and real Single Audit findings, as far as they need no label."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from item_rows import decision

from benchmark_pipeline.checks.items import leaking, wrong_gradient, wrong_ids
from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant
from benchmark_pipeline.items.arms import diagnostic_items, states_conclusion
from benchmark_pipeline.items.labels import load_labels
from benchmark_pipeline.items.leak_filter import keyword_accuracy
from benchmark_pipeline.items.sources import Filing
from benchmark_pipeline.items.task_a import build_task_a
from benchmark_pipeline.items.task_c import build_task_c
from benchmark_pipeline.items.task_d import build_task_d
from benchmark_pipeline.single_audit.findings import build
from benchmark_pipeline.single_audit.layouts import from_census, from_workbooks
from benchmark_pipeline.tables.disclosures import MaterialWeaknessRow
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.sources import SingleAuditFindingRow

pytestmark = [pytest.mark.real_data, pytest.mark.slow]
CENSUS_TABLES = ("ELECAUDITHEADER", "ELECAUDITFINDINGS", "ELECFINDINGSTEXT", "ELECCAPTEXT")
CASES = Path(__file__).resolve().parents[1] / "icfr" / "real_filings.csv"


def _file(path: Path) -> bytes:
    packed = path.with_name(path.name + ".gz")
    return path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())


@pytest.fixture(scope="module")
def findings(real_data: Path) -> list[SingleAuditFindingRow]:
    rows = []
    for year in range(2016, 2023):
        folder = real_data / "fac" / "census" / str(year)
        rows += build(from_census({name: _file(folder / f"{name}.csv") for name in CENSUS_TABLES}), year).rows
    for report in sorted((real_data / "fac" / "workbooks").iterdir()):
        dbkey, year = report.name.split("-")
        header = {"report_id": f"20{year}-06-CENSUS-{dbkey.zfill(10)}", "audit_year": f"20{year}", "is_public": True}
        files = {
            name: _file(report / f"{name}.json") for name in ("findings", "findings_text", "corrective_action_plans")
        }
        rows += build(from_workbooks(header, files), 2000 + int(year)).rows
    # Two of the layouts hold the same audit in a few cases.
    usable = {(row.report_id, row.reference_number): row for row in rows if row.reject_reason is None}
    return list(usable.values())


def test_every_usable_real_finding_is_one_candidate_of_task_a(findings: list[SingleAuditFindingRow]) -> None:
    items = build_task_a([], findings, load_labels(None), 1)
    assert len(items) == len(findings) > 250
    assert wrong_ids(items) == [] and wrong_gradient(items) == []
    # No finding sorts itself under a component: without a label none can be used, and each says so.
    assert {item.reject_reason for item in items} <= {"no_label", "too_long", "too_short", "label_leak", "text_missing"}
    assert Counter(item.reject_reason for item in items)["no_label"] > 0.9 * len(items)
    assert {item.population for item in items} == {"single_audit"}
    assert all(item.gradient_bearing == (item.gold_severity is not None) for item in items)


def test_no_masked_real_finding_tells_its_tier(findings: list[SingleAuditFindingRow]) -> None:
    items = [item for item in build_task_a([], findings, load_labels(None), 1) if item.reject_reason == "no_label"]
    assert leaking(items) == []
    accuracy, _ = keyword_accuracy([item for item in items if item.gradient_bearing], "severity")
    assert accuracy is not None and accuracy <= 0.60


@pytest.fixture(scope="module")
def filings(real_data: Path) -> tuple[list[Filing], list[tuple[Filing, MaterialWeaknessRow]]]:
    with CASES.open(encoding="utf-8", newline="") as handle:
        cases = list(csv.DictReader(handle))
    with (real_data / "edgar" / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        paths = [row["path"] for row in csv.DictReader(handle)]
    read, described = [], []
    for number, case in enumerate(cases, start=1):
        path = real_data / "edgar" / next(path for path in paths if path.startswith(case["path"]))
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        cik, accession = f"{9990000 + number:010d}", f"{9990000 + number:010d}-24-000001"
        disclosed = read_disclosures(
            FilingInput(
                accession, "10-K", 2023, date(2024, 2, 21), None, (Registrant(cik, "Unnamed"),),
                (FilingDocument("report", "10-K", body),),
            )
        )  # fmt: skip
        [section], [assertion] = disclosed.sections, disclosed.assertions
        if section.text is None or assertion.mgmt_conclusion not in ("effective", "ineffective"):
            continue
        # The pool decides over several documents; one document alone gives what management says in it.
        state = "clean_management_only" if assertion.mgmt_conclusion == "effective" else "deficient"
        filing = Filing(decision(accession, cik, decision=state, fiscal_year=2023), assertion, section)
        read.append(filing)
        described += [(filing, row) for row in disclosed.weaknesses if state == "deficient"]
    return read, described


def usable(items: list[ItemRow]) -> list[ItemRow]:
    return [item for item in items if item.reject_reason is None]


def test_real_sections_become_items_of_task_c_in_both_classes(filings: tuple[list[Filing], object]) -> None:
    items = build_task_c(filings[0], 1)
    assert len(items) == len(filings[0]) >= 8
    assert wrong_ids(items) == []
    assert {item.gold_icfr for item in usable(items)} == {"clean", "deficient"}
    masked = usable(diagnostic_items(items, ["conclusion_masked"], {}))
    assert masked and not any(states_conclusion(item.text) for item in masked)


def test_real_weaknesses_are_masked_and_wait_for_a_label(
    filings: tuple[list[Filing], list[tuple[Filing, MaterialWeaknessRow]]],
) -> None:
    described = filings[1]
    assert len(described) >= 5
    for items in (build_task_a(described, [], load_labels(None), 99), build_task_d(described, load_labels(None), 99)):
        assert len(items) == len(described)
        assert {item.reject_reason for item in items} <= {None, "no_label", "too_short", "label_leak", "near_duplicate",
                                                          "registrant_already_used"}  # fmt: skip
        assert leaking(usable(items)) == []

"""Other layouts of the same data: bulk CSV, Census tables, workbooks, and real answers of the API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from single_audit_rows import finding, general, text

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.single_audit.findings import build
from benchmark_pipeline.single_audit.layouts import AuditYearRows, csv_rows, from_bulk_csv, from_census, from_workbooks


def csv_file(rows: list[dict[str, object]]) -> bytes:
    def cell(value: object) -> str:
        return '"' + str(value).replace('"', '""') + '"'

    lines = [",".join(rows[0]), *(",".join(cell(value) for value in row.values()) for row in rows)]
    return "\r\n".join(lines).encode("utf-8-sig")


def test_bulk_csv_gives_what_the_api_gives() -> None:
    words = 'Condition: Two reports, the "late" ones,\r\nwere not sent.\r\nCause: Nobody kept a calendar.'
    files = {
        "general": csv_file([general(is_public="true")]),
        "findings": csv_file([finding(), finding(award="AWARD-0002")]),
        "findings_text": csv_file([text(words=words)]),
    }
    (row,) = build(from_bulk_csv(files), 2023).rows
    assert row.reject_reason is None
    assert row.condition == 'Two reports, the "late" ones,\nwere not sent.'
    assert (row.cause, row.award_count) == ("Nobody kept a calendar.", 2)


def test_a_census_report_gets_the_id_of_the_migration() -> None:
    tables = {
        "ELECAUDITHEADER": b"AUDITYEAR,DBKEY,FYENDDATE,EIN,AUDITEENAME\n2021,4711,09/30/2021 00:00:00,001234567,TESTERVILLE\n",
        "ELECAUDITFINDINGS": b"ELECAUDITSID,AUDITYEAR,DBKEY,SIGNIFICANTDEFICIENCY,MATERIALWEAKNESS,OTHERNONCOMPLIANCE,"
        b"FINDINGREFNUMS,MODIFIEDOPINION,OTHERFINDINGS\n9,2021,4711,Y,N,N,2021-001,N,N\n",
        "ELECFINDINGSTEXT": "DBKEY,AUDITYEAR,FINDINGREFNUMS,TEXT\n4711,2021,2021-001,"
        '"Condition: The caf\u00e9\'s meals were counted twice.\r\nCause: Two lists were kept."\n'.encode("cp1252"),
    }
    (row,) = build(from_census(tables), 2021).rows
    assert row.report_id == "2021-09-CENSUS-0000004711"
    assert (row.data_source, row.tier) == ("CENSUS", "significant_deficiency")
    assert row.condition == "The café's meals were counted twice."


def test_a_census_table_without_its_columns_gives_rejected_rows() -> None:
    result = build(from_census({"ELECAUDITFINDINGS": b"A,B\n1,2\n3\n"}), 2021)
    assert [row.reject_reason for row in result.rows] == ["malformed_row", "malformed_row"]


def test_workbook_columns_of_different_length_are_refused() -> None:
    sheets = [
        {
            "name": "Form",
            "ranges": [{"name": "reference_number", "values": ["1"]}, {"name": "text_of_finding", "values": []}],
        }
    ]
    header = {"report_id": "2021-06-CENSUS-0000004711", "audit_year": "2021"}
    assert len(from_workbooks(header, {"findings_text": json.dumps(sheets).encode()}).texts.records) == 1
    sheets[0]["ranges"].append({"name": "text_of_finding", "values": ["a", "b"]})  # type: ignore[attr-defined]
    with pytest.raises(BenchError, match=r"\[1, 2\] rows"):
        from_workbooks(header, {"findings_text": json.dumps(sheets).encode()})
    with pytest.raises(BenchError, match="named ranges"):
        from_workbooks(header, {"findings_text": b"{}"})


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_or_a_clear_error(body: bytes) -> None:
    try:
        rows = csv_rows(body)
    except BenchError as error:
        assert "line" in str(error)
    else:
        assert all(isinstance(value, str | list) for row in rows for value in row.values())


@pytest.mark.real_data
def test_real_answers_of_the_api_are_read_without_loss(real_data: Path) -> None:
    rows = AuditYearRows()
    folder = real_data / "fac" / "api"
    rows.add("general", json.loads((folder / "general_excerpt.json").read_bytes()), "0" * 64)
    rows.add(
        "findings_text", json.loads((folder / "findings_text_2025-06-GSAFAC-0000402495.json").read_bytes()), "0" * 64
    )
    assert rows.malformed == []
    assert [report.is_public for report in rows.reports.records] == [True, True]
    assert rows.reports.records[1].auditee_uei is None
    assert len(rows.texts.records) == 2


@pytest.mark.real_data
def test_the_api_layout_of_the_workbooks_gives_the_same_findings(real_data: Path) -> None:
    folder = real_data / "fac"
    served = {
        name: json.loads((folder / f"{name}.json").read_bytes())
        for name in ("findings", "findings_text", "corrective_action_plans")
    }
    accepted = {}
    for year in (2016, 2021, 2022):
        rows = AuditYearRows()
        for name, part in served.items():
            rows.add(name, [row for row in part if row["audit_year"] == str(year)], "0" * 64)
        reports = {row["report_id"] for row in served["findings"] if row["audit_year"] == str(year)}
        rows.add("general", [{"report_id": one, "audit_year": str(year), "is_public": True} for one in reports], None)
        accepted[year] = build(rows, year).tiers
    assert accepted == {
        2016: {},
        2021: {"significant_deficiency": 3, "none": 1},
        2022: {"significant_deficiency": 63, "material_weakness": 32, "none": 1},
    }

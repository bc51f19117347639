"""Readers of the layouts in which findings exist besides the API: former Census tables, filing workbooks, bulk CSV.

Each gives an `AuditYearRows`, so that everything after reading is the same for all sources.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmark_pipeline.errors import BenchError

from .records import Finding, FindingText, Malformed, Plan, Read, Report, read

csv.field_size_limit(16 * 1024 * 1024)


@dataclass
class AuditYearRows:
    """All rows of one audit year (or of one file set), as read."""

    reports: Read[Report] = field(default_factory=Read)
    findings: Read[Finding] = field(default_factory=Read)
    texts: Read[FindingText] = field(default_factory=Read)
    plans: Read[Plan] = field(default_factory=Read)

    @property
    def malformed(self) -> list[Malformed]:
        """Rows of any table that could not be read."""
        return [bad for part in (self.reports, self.findings, self.texts, self.plans) for bad in part.malformed]

    def add(self, endpoint: str, rows: Iterable[object], source_sha256: str | None) -> None:
        """Reads the rows of one page of an API endpoint.

        Raises:
            BenchError: an endpoint that this benchmark does not read.
        """
        match endpoint:
            case "general":
                _extend(self.reports, read(Report, rows, source_sha256))
            case "findings":
                _extend(self.findings, read(Finding, rows, source_sha256))
            case "findings_text":
                _extend(self.texts, read(FindingText, rows, source_sha256))
            case "corrective_action_plans":
                _extend(self.plans, read(Plan, rows, source_sha256))
            case _:
                raise BenchError(f"the FAC endpoint {endpoint!r} is not read here")


def _extend(into: Read[Any], more: Read[Any]) -> None:
    into.records.extend(more.records)
    into.malformed.extend(more.malformed)


def decode(body: bytes) -> str:
    """UTF-8 with or without a byte-order mark; else Windows-1252, in which every byte has a reading."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def csv_rows(body: bytes) -> list[dict[str, str]]:
    """Rows of a CSV file; quoted fields may hold line breaks.

    Raises:
        BenchError: a quote is never closed, so that a field swallows the rest of the file.
    """
    # NUL bytes stand in some migrated texts and would end the reader.
    reader = csv.DictReader(io.StringIO(decode(body).replace("\x00", ""), newline=""))
    try:
        return [{str(key): value or "" for key, value in row.items() if key is not None} for row in reader]
    except csv.Error as error:
        raise BenchError(
            f"CSV cannot be read near line {reader.line_num}: {error}", remedy="download the file again"
        ) from error


def from_bulk_csv(files: Mapping[str, bytes]) -> AuditYearRows:
    """The FAC's bulk files: endpoint name to file. The columns are the API's."""
    result = AuditYearRows()
    for endpoint, body in files.items():
        result.add(endpoint, csv_rows(body), hashlib.sha256(body).hexdigest())
    return result


def from_census(tables: Mapping[str, bytes]) -> AuditYearRows:
    """The former Census tables of one audit year: `ELECAUDITHEADER`, `ELECAUDITFINDINGS`, `ELECFINDINGSTEXT`, `ELECCAPTEXT`.

    A report becomes `<AUDITYEAR>-<month of FYENDDATE>-CENSUS-<DBKEY, ten digits>`, as in the FAC's own migration.
    """
    months: dict[tuple[str, str], str] = {}
    header = csv_rows(tables.get("ELECAUDITHEADER", b""))
    for row in header:
        months[row.get("AUDITYEAR", ""), row.get("DBKEY", "")] = row.get("FYENDDATE", "")[:2]

    def identity(row: Mapping[str, str]) -> dict[str, str]:
        year, dbkey = row.get("AUDITYEAR", ""), row.get("DBKEY", "")
        return {
            "report_id": f"{year}-{months.get((year, dbkey), '00')}-CENSUS-{dbkey.zfill(10)}",
            "audit_year": year,
        }

    result = AuditYearRows()
    for endpoint, table, columns in _CENSUS:
        body = tables.get(table, b"")
        rows = header if table == "ELECAUDITHEADER" else csv_rows(body)
        converted = [
            {**identity(row), **{name: row.get(column, "") for name, column in columns.items()}}
            | ({"is_public": "true"} if endpoint == "general" else {})
            for row in rows
        ]
        result.add(endpoint, converted, hashlib.sha256(body).hexdigest())
    return result


_CENSUS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "general",
        "ELECAUDITHEADER",
        {
            "auditee_uei": "UEI",
            "auditee_ein": "EIN",
            "auditee_name": "AUDITEENAME",
            "auditee_certify_name": "AUDITEECERTIFYNAME",
            "auditee_contact_name": "AUDITEECONTACT",
            "auditor_firm_name": "CPAFIRMNAME",
            "auditor_contact_name": "CPACONTACT",
            "entity_type": "ENTITY_TYPE",
            "fy_end_date": "FYENDDATE",
            "fac_accepted_date": "FACACCEPTEDDATE",
        },
    ),
    (
        "findings",
        "ELECAUDITFINDINGS",
        {
            "award_reference": "ELECAUDITSID",
            "reference_number": "FINDINGREFNUMS",
            "type_requirement": "TYPEREQUIREMENT",
            "is_modified_opinion": "MODIFIEDOPINION",
            "is_other_matters": "OTHERNONCOMPLIANCE",
            "is_material_weakness": "MATERIALWEAKNESS",
            "is_significant_deficiency": "SIGNIFICANTDEFICIENCY",
            "is_other_findings": "OTHERFINDINGS",
            "is_repeat_finding": "REPEATFINDING",
        },
    ),
    ("findings_text", "ELECFINDINGSTEXT", {"finding_ref_number": "FINDINGREFNUMS", "finding_text": "TEXT"}),
    ("corrective_action_plans", "ELECCAPTEXT", {"finding_ref_number": "FINDINGREFNUMS", "planned_action": "TEXT"}),
)


def from_workbooks(report: Mapping[str, object], workbooks: Mapping[str, bytes]) -> AuditYearRows:
    """The filing workbooks of one report, as JSON of named ranges with parallel lists of values.

    Args:
        report: the report's row of `general`; at least `report_id` and `audit_year`, which no workbook holds.
        workbooks: endpoint name (`findings`, `findings_text`, `corrective_action_plans`) to file.

    Raises:
        BenchError: a workbook that is not JSON, or whose columns differ in length.
    """
    result = AuditYearRows()
    result.add("general", [report], None)
    identity = {"report_id": report["report_id"], "audit_year": report["audit_year"]}
    for endpoint, body in workbooks.items():
        columns = _WORKBOOK[endpoint]
        ranges = _ranges(body, endpoint)
        values = {name: ranges.get(column, []) for name, column in columns.items()}
        lengths = {len(column) for column in values.values() if column}
        if len(lengths) > 1:
            raise BenchError(
                f"the {endpoint} workbook of {report['report_id']} has columns of {sorted(lengths)} rows",
                remedy="export the workbook again: its named ranges must have the same length",
            )
        rows = [
            {**identity, **{name: column[i] if column else None for name, column in values.items()}}
            for i in range(lengths.pop() if lengths else 0)
        ]
        result.add(endpoint, rows, hashlib.sha256(body).hexdigest())
    return result


def _ranges(body: bytes, endpoint: str) -> dict[str, list[object]]:
    try:
        sheets = json.loads(body)
        if not isinstance(sheets, list):
            raise TypeError(f"got {type(sheets).__name__}")
        found = {part["name"]: list(part["values"]) for sheet in sheets for part in sheet["ranges"]}
    except (ValueError, TypeError, KeyError) as error:
        raise BenchError(f"the {endpoint} workbook is not a list of sheets with named ranges: {error!r}") from error
    return found


_WORKBOOK: dict[str, dict[str, str]] = {
    "findings": {
        "award_reference": "award_reference",
        "reference_number": "reference_number",
        "type_requirement": "compliance_requirement",
        "is_modified_opinion": "modified_opinion",
        "is_other_matters": "other_matters",
        "is_material_weakness": "material_weakness",
        "is_significant_deficiency": "significant_deficiency",
        "is_other_findings": "other_findings",
        "is_repeat_finding": "repeat_prior_reference",
    },
    "findings_text": {"finding_ref_number": "reference_number", "finding_text": "text_of_finding"},
    "corrective_action_plans": {"finding_ref_number": "reference_number", "planned_action": "planned_action"},
}

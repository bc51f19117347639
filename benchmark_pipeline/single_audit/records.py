"""Records of the FAC API (`api_v1_1_0`), read tolerantly.

Every reader of another layout produces these records, so the rules are written once. Unknown columns are ignored: the
API's schemas may gain columns at any time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from .flags import Flags

KEYWORD_MISSING = "GSA_MIGRATION"
"""Stands in migrated rows where the Census data held nothing."""


def present(value: object) -> str | None:
    """The value as text; null where it is empty or the migration keyword."""
    text = "" if value is None else str(value).strip()
    return None if text in ("", KEYWORD_MISSING) else text


def _date(value: object) -> date | None:
    text = present(value)
    if text is None:
        return None
    for layout in ("%Y-%m-%d", "%m/%d/%Y", "%m/%d/%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"):
        try:
            # A calendar day as filed: there is no time zone in the data.
            return datetime.strptime(text, layout).date()  # noqa: DTZ007
        except ValueError:
            continue
    raise ValueError(f"not a date: {text!r}")


def _boolean(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    text = (present(value) or "").lower()
    known = {"true": True, "t": True, "yes": True, "y": True, "false": False, "f": False, "no": False, "n": False}
    if text and text not in known:
        raise ValueError(f"neither true nor false: {value!r}")
    return known.get(text)


def _year(value: object) -> int:
    text = str(value).strip()
    if not (text.isdigit() and len(text) == 4):
        raise ValueError(f"not a year: {value!r}")
    return int(text)


Text = Annotated[str | None, BeforeValidator(present)]
Day = Annotated[date | None, BeforeValidator(_date)]
YesNo = Annotated[bool | None, BeforeValidator(_boolean)]
Year = Annotated[int, BeforeValidator(_year)]
ReportId = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-(GSAFAC|CENSUS)-\d{10}$")]


class Record(BaseModel):
    """What all records share."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)

    report_id: ReportId
    """`YYYY-MM-(GSAFAC|CENSUS)-NNNNNNNNNN`; its year may be wrong, so nothing is read out of it but the source."""
    audit_year: Year
    """Audit year."""
    source_sha256: str | None = None
    """SHA-256 of the page or file that the record stood in."""


class Report(Record):
    """A row of `general`: one report of one auditee."""

    auditee_uei: Text = None
    """Unique Entity Identifier; often missing before 2022."""
    auditee_ein: Text = None
    """Employer Identification Number, self-reported."""
    auditee_name: Text = None
    """Name of the auditee; a person's in some reports."""
    auditee_certify_name: Text = None
    """Who certified for the auditee."""
    auditee_contact_name: Text = None
    """Auditee's contact."""
    auditor_firm_name: Text = None
    """Audit firm."""
    auditor_certify_name: Text = None
    """Who certified for the auditor."""
    auditor_contact_name: Text = None
    """Auditor's contact."""
    entity_type: Text = None
    """non-profit, state, local, higher-ed, tribal, unknown."""
    fy_end_date: Day = None
    """Fiscal year end."""
    fac_accepted_date: Day = None
    """Day of acceptance; for CENSUS rows a wrong field and a day early."""
    is_public: YesNo = None
    """False: the auditee suppressed the texts (tribes may)."""
    resubmission_status: Text = None
    """`most_recent`, `original_submission`, `deprecated_via_resubmission`, …"""


class Finding(Record):
    """A row of `findings`: one finding on one federal award."""

    award_reference: Text = None
    """Award, unique only within the report."""
    reference_number: Text = None
    """Finding reference, unique only within the report."""
    type_requirement: Text = None
    """Letters of the compliance requirement."""
    is_modified_opinion: Text = None
    is_other_matters: Text = None
    is_material_weakness: Text = None
    is_significant_deficiency: Text = None
    is_other_findings: Text = None
    is_repeat_finding: Text = None
    fac_accepted_date: Day = None

    @property
    def flags(self) -> Flags:
        """The five classification flags in the order of the intake rules."""
        return Flags.read(
            self.is_modified_opinion,
            self.is_other_matters,
            self.is_material_weakness,
            self.is_significant_deficiency,
            self.is_other_findings,
        )


class FindingText(Record):
    """A row of `findings_text`."""

    finding_ref_number: Text = None
    """Finding reference."""
    finding_text: str | None = None
    """As filed, placeholders included."""


class Plan(Record):
    """A row of `corrective_action_plans`."""

    finding_ref_number: Text = None
    """Finding reference."""
    planned_action: str | None = None
    """As filed, placeholders included."""


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Malformed:
    """A row that is no record."""

    report_id: str
    reference_number: str
    detail: str
    source_sha256: str | None


@dataclass
class Read(Generic[R]):
    """What was read: every row given is in exactly one of the two lists."""

    records: list[R] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)


def read(model: type[R], rows: Iterable[object], source_sha256: str | None = None) -> Read[R]:
    """Reads raw rows (parsed JSON or CSV) as records of one kind; a row that is none is kept with its error."""
    result: Read[R] = Read()
    for row in rows:
        try:
            if not isinstance(row, Mapping):
                raise ValueError(f"a row is an object, got {type(row).__name__}")
            result.records.append(model.model_validate({**row, "source_sha256": source_sha256}))
        except (ValidationError, ValueError) as error:
            result.malformed.append(_malformed(row, _reason(error), source_sha256))
    return result


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in error.errors())[:400]
    return str(error)


def _malformed(row: object, detail: str, source_sha256: str | None) -> Malformed:
    digest = hashlib.sha256(json.dumps(row, sort_keys=True, default=str).encode()).hexdigest()
    values: Mapping[str, Any] = row if isinstance(row, Mapping) else {}
    reference = values.get("reference_number") or values.get("finding_ref_number")
    # The digest keeps the key unique where the row itself gives none.
    return Malformed(
        report_id=str(values.get("report_id") or "unknown"),
        reference_number=f"{reference or 'unknown'}#{digest[:12]}",
        detail=detail,
        source_sha256=source_sha256,
    )

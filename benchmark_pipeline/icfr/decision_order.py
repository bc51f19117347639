"""The decision order of the clean pool: fifteen named rules, the first that decides wins, and every step is kept.

The table is `DECISION_ORDER` below; read it from top to bottom. Sources: Regulation S-K Item 308 (management's report,
newly public companies), AS 2201 (the auditor's opinion), Form 8-K Item 4.02 (non-reliance), Form 20-F Item 15, Form 40-F
General Instruction B(6).

Two properties hold by construction: evidence only ever excludes (no rule turns an exclusion into `clean`), and the order
in which evidence arrives does not matter (it is sorted first).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

from benchmark_pipeline.tables.clean_pool import (
    CleanPoolRow,
    ContradictingEvidenceRow,
    Decision,
    EvidenceCode,
    ExclusionReason,
    TraceStep,
)
from benchmark_pipeline.tables.disclosures import SectionReject

from .periods import TOLERANCE
from .report_facts import Report
from .strata import Followup, FollowupEnd, NonrelianceChannel, seasoning_tier

RULE_VERSION = "clean_pool/1"

ANNUAL_FORMS = ("10-K", "10-KT", "20-F", "40-F")
ASSET_BACKED_SIC = "6189"
BLANK_CHECK_SIC = "6770"
FLAG_CHECKBOX_EFFECTIVE = date(2020, 4, 27)
"""The attestation checkbox came to the covers on this day (Release 33-10513 follow-up of March 2020)."""
LAST_FISCAL_YEAR_WITHOUT_FLAG = 2019
CONTRADICTING: tuple[EvidenceCode, ...] = ("E1", "E2", "E3", "E4", "E5", "E6", "E10")


@dataclass(frozen=True)
class PoolContext:
    """What surrounds one annual report on the day of the snapshot."""

    snapshot_date: date
    nonreliance_channel: NonrelianceChannel = "none_available"
    followup: Followup = "none"
    followup_ended: FollowupEnd | None = None
    watch: bool = False
    first_attested_year: bool | None = None


@dataclass(frozen=True)
class AnnualFiling:
    """One annual report of one registrant: what the index says, and what was read from it, if anything was."""

    accession: str
    cik: str
    form: str
    fiscal_year: int
    period_end: date | None
    filed_date: date
    assertion: Report | None = None
    unread: SectionReject = "document_missing"
    """Why there is no assertion."""

    @classmethod
    def of(cls, assertion: Report) -> AnnualFiling:
        """The filing that an assertion was read from."""
        return cls(
            assertion.accession, assertion.cik, assertion.form, assertion.fiscal_year, assertion.period_end,
            assertion.filed_date, assertion,
        )  # fmt: skip


class Outcome(NamedTuple):
    """What one rule saw, and what it decided; no decision lets the filing pass to the next rule."""

    saw: str
    decision: Decision | None = None
    reason: ExclusionReason | None = None
    deficient_by: Literal["management", "auditor", "both"] | None = None
    attest_basis: Literal["flag_and_opinion", "text_only"] | None = None

    @property
    def label(self) -> str:
        """`pass`, or the decision with its reason, as the trace stores it."""
        return "pass" if self.decision is None else f"{self.decision}:{self.reason}" if self.reason else self.decision


@dataclass(frozen=True)
class Case:
    """Everything a rule may look at."""

    filing: AnnualFiling
    context: PoolContext
    evidence: tuple[ContradictingEvidenceRow, ...] = field(default=())

    @property
    def read(self) -> Report:
        """The assertion; rules after step 2 have one, because that step excludes filings without."""
        if self.filing.assertion is None:
            raise LookupError(f"{self.filing.accession} has no assertion, so only steps 0 to 2 apply")
        return self.filing.assertion


def _exclude(reason: ExclusionReason, saw: str) -> Outcome:
    return Outcome(saw, "excluded", reason)


def out_of_universe(case: Case) -> Outcome:
    """Step 0: only annual reports of operating companies. A 20-F or 40-F may also be a registration statement."""
    form, read = case.filing.form, case.filing.assertion
    if form not in ANNUAL_FORMS:
        return _exclude("out_of_universe", f"form {form}")
    if read and read.sic_at_filing == ASSET_BACKED_SIC:
        return _exclude("out_of_universe", f"SIC {ASSET_BACKED_SIC}: asset-backed securities are exempt from Item 308")
    if read and form in ("20-F", "40-F") and read.annual_report is False:
        return _exclude("out_of_universe", f"{form} tagged as no annual report")
    return Outcome(f"form {form}, SIC {(read.sic_at_filing if read else None) or 'not known'}")


def shell(case: Case) -> Outcome:
    """Step 1: blank-check and shell companies; their reports are near-duplicates of one another."""
    read = case.filing.assertion
    sic, flag = (read.sic_at_filing, read.shell_company) if read else (None, None)
    saw = f"SIC {sic or 'not known'}, shell flag {'not tagged' if flag is None else str(flag).lower()}"
    return _exclude("shell", saw) if sic == BLANK_CHECK_SIC or flag else Outcome(saw)


_EXTRACTION: dict[SectionReject, ExclusionReason] = {
    "no_heading": "extraction_no_heading",
    "no_boundary": "extraction_no_boundary",
    "too_short": "extraction_too_short",
    "stub_cross_reference": "extraction_stub_cross_reference",
    "over_capture": "extraction_over_capture",
    "pdf_only": "extraction_pdf_only",
    "image_only": "extraction_image_only",
    "non_english": "extraction_non_english",
    "document_missing": "extraction_document_missing",
    "undecodable": "extraction_undecodable",
    "form_not_covered": "extraction_form_not_covered",
    "too_complex": "extraction_too_complex",
}


def extraction_rejected(case: Case) -> Outcome:
    """Step 2: the controls section could not be read, so nothing is known about the filing."""
    read = case.filing.assertion
    if read is None:
        return _exclude(_EXTRACTION[case.filing.unread], f"nothing read from the filing: {case.filing.unread}")
    if read.extraction_status == "rejected":
        why: SectionReject = read.extraction_reject or "document_missing"
        return _exclude(_EXTRACTION[why], f"controls section rejected: {why}")
    return Outcome(f"controls section {read.extraction_status.replace('_', ' ')}")


def not_english(case: Case) -> Outcome:
    """Step 3: version 1 is English only."""
    language = case.read.language
    saw = f"language {language or 'not detected'}"
    return _exclude("language", saw) if language not in (None, "en") else Outcome(saw)


def new_registrant(case: Case) -> Outcome:
    """Step 4: the first annual report of a newly public company holds no assessment (Instruction 1 to Item 308)."""
    read = case.read
    without = read.mgmt_conclusion in ("not_assessed", "absent")
    saw = f"conclusion {read.mgmt_conclusion}, transition statement {_yes(read.new_registrant_transition)}"
    return _exclude("new_registrant", saw) if read.new_registrant_transition and without else Outcome(saw)


def reverse_merger_year(case: Case) -> Outcome:
    """Step 5: no assessment in the year of a reverse merger (Regulation S-K C&DI 215.02)."""
    read = case.read
    without = read.mgmt_conclusion in ("not_assessed", "absent")
    saw = f"conclusion {read.mgmt_conclusion}, reverse-merger statement {_yes(read.reverse_merger_no_assessment)}"
    return _exclude("reverse_merger_year", saw) if read.reverse_merger_no_assessment and without else Outcome(saw)


def no_management_report(case: Case) -> Outcome:
    """Step 6: no conclusion of management on ICFR; a conclusion on disclosure controls answers another question."""
    read = case.read
    saw = f"ICFR conclusion {read.mgmt_conclusion}, disclosure controls {read.dcp_conclusion}"
    without = read.mgmt_conclusion in ("not_assessed", "absent")
    return _exclude("no_management_report", saw) if without else Outcome(saw)


def as_of_mismatch(case: Case) -> Outcome:
    """Step 7: the conclusion is dated otherwise than the fiscal year end, so it speaks of another day."""
    read = case.read
    if read.mgmt_as_of is None:
        return Outcome(f"conclusion undated, fiscal year end {read.period_end}")
    saw = f"conclusion as of {read.mgmt_as_of}, fiscal year end {read.period_end}"
    return _exclude("as_of_mismatch", saw) if abs(read.mgmt_as_of - read.period_end) > TOLERANCE else Outcome(saw)


def deficient(case: Case) -> Outcome:
    """Step 8: management says ineffective, or the auditor's opinion is adverse, and neither contradicts the other."""
    read = case.read
    saw = f"management {read.mgmt_conclusion}, auditor {read.attest_opinion}"
    management, adverse = read.mgmt_conclusion == "ineffective", read.attest_opinion == "adverse"
    if management and adverse:
        return Outcome(saw, "deficient", deficient_by="both")
    if management and read.attest_opinion != "unqualified":
        return Outcome(saw, "deficient", deficient_by="management")
    return Outcome(saw)


def conclusions_conflict(case: Case) -> Outcome:
    """Step 9: management and auditor, or management and itself, say two things."""
    read = case.read
    saw = f"management {read.mgmt_conclusion}, auditor {read.attest_opinion}, disclosure controls {read.dcp_conclusion}"
    opposed = {read.mgmt_conclusion, read.attest_opinion} in ({"effective", "adverse"}, {"ineffective", "unqualified"})
    if opposed or read.mgmt_conclusion == "mixed":
        return _exclude("conclusion_conflict", saw)
    if read.weaknesses_stated and not read.prior_mw_remediated:
        # Item 308(a)(3): management may not conclude effective while one material weakness exists.
        return _exclude("conclusion_conflict", f"{saw}, yet {read.weaknesses_stated} material weakness(es) described")
    if read.dcp_conclusion in ("ineffective", "mixed"):
        return _exclude("mixed_conclusion", saw)
    return Outcome(saw)


_CONTRADICTED: dict[EvidenceCode, ExclusionReason] = {
    "E1": "contradicted_E1",
    "E2": "contradicted_E2",
    "E3": "contradicted_E3",
    "E4": "contradicted_E4",
    "E5": "contradicted_E5",
    "E6": "contradicted_E6",
    "E10": "contradicted_E10",
}


def contradicted(case: Case) -> Outcome:
    """Step 10: a later document contradicts the conclusion. Ambiguous evidence counts until a person dismisses it."""
    standing = {row.code: row for row in reversed(case.evidence) if stands(row)}
    for code in CONTRADICTING:
        if code in standing:
            row = standing[code]
            return _exclude(
                _CONTRADICTED[code],
                f"{code} {row.strength} ({row.match}): {row.evidence_form} {row.evidence_accession}",
            )
    return Outcome(f"{len(case.evidence)} evidence row(s), none that contradicts")


def onset_unstated(case: Case) -> Outcome:
    """Step 11: the next annual report states a weakness and not since when: excluded unless a person dismisses it."""
    rows = [row for row in case.evidence if row.code == "E8"]
    waiting = [row for row in rows if row.resolution != "dismissed"]
    if waiting:
        return _exclude(
            "subsequent_mw_onset_unstated", f"E8: {waiting[0].evidence_form} {waiting[0].evidence_accession}"
        )
    return Outcome(f"{len(rows)} later weakness(es) of unstated onset, {len(rows)} dismissed")


def clean_attested(case: Case) -> Outcome:
    """Step 12: an unqualified ICFR opinion was found in the filing and the cover flag agrees.

    The flag alone is not enough: it says that a report was filed, not what it says. Filings from before the flag existed
    rest on the opinion alone.
    """
    read = case.read
    saw = (
        f"flag {read.attest_flag}, opinion {read.attest_opinion}, locator {_yes(read.attest_opinion_span is not None)}"
    )
    if read.attest_opinion != "unqualified" or read.attest_opinion_span is None:
        return Outcome(saw)
    if read.attest_flag == "true":
        return Outcome(saw, "clean_attested", attest_basis="flag_and_opinion")
    if read.attest_flag == "absent" and before_flag(read):
        return Outcome(f"{saw}, filed before the flag existed", "clean_attested", attest_basis="text_only")
    return Outcome(saw)


def clean_management_only(case: Case) -> Outcome:
    """Step 13: no opinion, no flag, and either the report says that it holds none or the filer owes none."""
    read = case.read
    exempt = bool(read.emerging_growth) or (read.filer_category or "").lower().startswith("non-accelerated")
    saw = (
        f"flag {read.attest_flag}, opinion {read.attest_opinion}, says no attestation {_yes(read.mgmt_says_no_attestation)}, "
        f"filer {read.filer_category or 'category not tagged'}{', emerging growth' if read.emerging_growth else ''}"
    )
    unattested = read.attest_flag in ("false", "absent") and read.attest_opinion == "none"
    clean = unattested and (read.mgmt_says_no_attestation or exempt)
    return Outcome(saw, "clean_management_only") if clean else Outcome(saw)


def attestation_unresolved(case: Case) -> Outcome:
    """Step 14: flag and text disagree, or neither tells."""
    return _exclude("attestation_unresolved", f"flag {case.read.attest_flag}, opinion {case.read.attest_opinion}")


DECISION_ORDER: tuple[Callable[[Case], Outcome], ...] = (
    out_of_universe,         # 0   -> excluded: out_of_universe
    shell,                   # 1   -> excluded: shell
    extraction_rejected,     # 2   -> excluded: extraction_*
    not_english,             # 3   -> excluded: language
    new_registrant,          # 4   -> excluded: new_registrant
    reverse_merger_year,     # 5   -> excluded: reverse_merger_year
    no_management_report,    # 6   -> excluded: no_management_report
    as_of_mismatch,          # 7   -> excluded: as_of_mismatch
    deficient,               # 8   -> deficient
    conclusions_conflict,    # 9   -> excluded: conclusion_conflict, mixed_conclusion
    contradicted,            # 10  -> excluded: contradicted_E*
    onset_unstated,          # 11  -> excluded: subsequent_mw_onset_unstated
    clean_attested,          # 12  -> clean_attested
    clean_management_only,   # 13  -> clean_management_only
    attestation_unresolved,  # 14  -> excluded: attestation_unresolved
)  # fmt: skip


def judge(assertion: Report, evidence: Sequence[ContradictingEvidenceRow], context: PoolContext) -> CleanPoolRow:
    """The decision on one annual report of one registrant, with its whole trace."""
    return judge_filing(AnnualFiling.of(assertion), evidence, context)


def judge_filing(
    filing: AnnualFiling, evidence: Sequence[ContradictingEvidenceRow], context: PoolContext
) -> CleanPoolRow:
    """The decision on a filing that may hold no assertion.

    Raises:
        ValueError: evidence about another filing was handed in.
    """
    for row in evidence:
        if (row.accession, row.cik) != (filing.accession, filing.cik):
            raise ValueError(f"evidence {row.evidence_id} is not about {filing.accession} of {filing.cik}")
    rows = tuple(sorted(evidence, key=lambda row: row.evidence_id))
    case = Case(filing, context, rows)
    trace: list[TraceStep] = []
    outcome = Outcome("")
    for step, rule in enumerate(DECISION_ORDER):
        outcome = rule(case)
        trace.append(_trace_step(step, rule.__name__, outcome.label, outcome.saw))
        if outcome.decision is not None:
            break
    read = filing.assertion
    seasoning = (context.snapshot_date - filing.filed_date).days
    decision = outcome.decision or "excluded"
    return CleanPoolRow(
        accession=filing.accession,
        cik=filing.cik,
        form=filing.form,
        fiscal_year=filing.fiscal_year,
        period_end=filing.period_end,
        decision=decision,
        reason=outcome.reason,
        deficient_by=outcome.deficient_by,
        decided_at_step=trace[-1].step,
        trace=trace,
        attest_basis=outcome.attest_basis,
        attest_opinion_span=read.attest_opinion_span if read else None,
        evidence_ids=[row.evidence_id for row in rows],
        nonreliance_channel=context.nonreliance_channel,
        followup=context.followup,
        followup_ended=context.followup_ended,
        seasoning_days=seasoning,
        seasoning_tier=seasoning_tier(context.followup, seasoning),
        watch=context.watch,
        remediated_prior_mw=bool(read and read.prior_mw_remediated and read.mgmt_conclusion == "effective"),
        scope_out=bool(read and read.scope_outs),
        little_r_overlap=any(row.code == "E9" for row in rows),
        nt_signal=any(row.code == "E11" for row in rows),
        first_attested_year=context.first_attested_year,
        rule_version=RULE_VERSION,
        snapshot_date=context.snapshot_date,
    )


@lru_cache(maxsize=65_536)
def _trace_step(step: int, rule: str, outcome: str, saw: str) -> TraceStep:
    """One object for equal steps: hundreds of thousands of filings see the same facts."""
    return TraceStep(step=step, rule=rule, outcome=outcome, saw=saw)


def stands(row: ContradictingEvidenceRow) -> bool:
    """Whether an evidence row excludes: direct, or ambiguous and not dismissed by a person."""
    if row.strength == "direct":
        return True
    return row.strength == "ambiguous" and row.resolution != "dismissed"


def before_flag(read: Report) -> bool:
    """Whether the filing is older than the attestation checkbox."""
    return read.fiscal_year <= LAST_FISCAL_YEAR_WITHOUT_FLAG or read.filed_date < FLAG_CHECKBOX_EFFECTIVE


def _yes(value: bool) -> str:
    return "yes" if value else "no"

"""Checks of the `clean_pool` stage. Blocking: a headline may not rest on a pool that breaks one of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

import dagster as dg

from benchmark_pipeline.assets.common import table_markdown
from benchmark_pipeline.checks.words import in_words
from benchmark_pipeline.icfr.decision_order import stands
from benchmark_pipeline.icfr.pool_assembly import usable
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow, WithdrawnItemRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow

SHOWN = 10
"""Examples listed in a check's metadata."""
ADVERSE_AUDITOR_BAND = (0.02, 0.20)
"""Adverse auditor opinions were 3.5 % (2010) to 15.9 % (2004) of attested filers, 7.6 % for fiscal 2022."""
ADVERSE_MANAGEMENT_BAND = (0.10, 0.35)
"""Ineffective management reports were 21 to 26 % of filers for fiscal 2020 to 2022, 15 % in a 2024 sample."""
ATTESTED_SHARE_BAND = (0.30, 0.65)
"""About 47 % of reporting filers were attested for fiscal 2022."""
BANDS = {
    "attested": ATTESTED_SHARE_BAND,
    "management ineffective": ADVERSE_MANAGEMENT_BAND,
    "auditor adverse": ADVERSE_AUDITOR_BAND,
}
FOREIGN_FORMS = ("20-F", "40-F")
SMALLEST_SAMPLE = 200
"""Below this many filings a share says nothing about the extraction."""


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The stage's checks for these settings."""

    @dg.asset_check(asset="clean_pool", blocking=True)
    def every_annual_filing_has_exactly_one_decision(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Each annual filing up to the snapshot has a decision for each registrant that was read, and none has two."""
        return _result(undecided_or_doubly_decided(
            lake.read(CleanPoolRow, "clean_pool"), lake.read(FilingIndexRow, "filing_index"),
            lake.read(IcfrAssertionRow, "icfr_assertions"), settings,
        ))  # fmt: skip

    @dg.asset_check(asset="clean_pool", blocking=True)
    def no_clean_filing_has_direct_evidence_against_it(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Neither direct evidence nor ambiguous evidence that nobody dismissed stands against a clean filing."""
        evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
        return _result(contradicted_clean(lake.read(CleanPoolRow, "clean_pool"), evidence))

    @dg.asset_check(asset="clean_pool", blocking=True)
    def every_clean_attested_filing_has_its_opinion_located(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """`clean_attested` needs the auditor's opinion found in the filing; the cover flag alone is not enough."""
        return _result(attested_without_opinion(lake.read(CleanPoolRow, "clean_pool")))

    @dg.asset_check(asset="clean_pool", blocking=True)
    def every_exclusion_has_a_reason_and_no_other_decision_has_one(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """The closed list of reasons covers every exclusion, and each trace ends with the decision."""
        return _result(unreasoned(lake.read(CleanPoolRow, "clean_pool")))

    @dg.asset_check(asset="clean_pool", blocking=True)
    def no_two_registrants_answer_for_one_another(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Evidence that a decision cites is about the same filing and registrant, and exists."""
        evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
        return _result(foreign_evidence(lake.read(CleanPoolRow, "clean_pool"), evidence))

    @dg.asset_check(asset="clean_pool")
    def shares_lie_within_published_base_rates(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where attested or deficient shares lie outside what is published; a small sample passes unjudged."""
        problems, shares = base_rates(lake.read(CleanPoolRow, "clean_pool"))
        return dg.AssetCheckResult(
            passed=not problems,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"problems": problems, "shares": table_markdown(shares)},
        )

    @dg.asset_check(asset="withdrawn_items")
    def every_published_label_still_stands(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where a published release holds an item that has to be withdrawn."""
        rows = lake.read(WithdrawnItemRow, "withdrawn_items")
        return dg.AssetCheckResult(
            passed=not rows,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={
                "withdrawn": len(rows),
                "examples": [f"{row.dataset_version} {row.item_id}: {row.cause}" for row in rows[:SHOWN]],
            },
        )

    @dg.asset_check(asset="eight_k_402_index", blocking=True)
    def every_item_402_filing_has_a_row(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """No 8-K with Item 4.02 is lost: it is read, or rejected with a reason."""
        return _result(lost_notices(
            lake.read(EightK402Row, "eight_k_402_index"), lake.read(FilingIndexRow, "filing_index"),
            lake.partitions("eight_k_402_index"),
        ))  # fmt: skip

    @dg.asset_check(asset="eight_k_402_index")
    def most_notices_name_periods_that_could_be_read(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns below 80 %: a notice without periods excludes three years of filings until a person reads it."""
        rows = lake.read(EightK402Row, "eight_k_402_index")
        read = sum(row.periods_parsed for row in rows)
        return dg.AssetCheckResult(
            passed=not rows or read / len(rows) >= 0.8,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"notices": len(rows), "periods_read": read},
        )

    return [
        every_annual_filing_has_exactly_one_decision,
        no_clean_filing_has_direct_evidence_against_it,
        every_clean_attested_filing_has_its_opinion_located,
        every_exclusion_has_a_reason_and_no_other_decision_has_one,
        no_two_registrants_answer_for_one_another,
        shares_lie_within_published_base_rates,
        every_published_label_still_stands,
        every_item_402_filing_has_a_row,
        most_notices_name_periods_that_could_be_read,
    ]


def undecided_or_doubly_decided(
    pool: Sequence[CleanPoolRow],
    index: Iterable[FilingIndexRow],
    assertions: Iterable[IcfrAssertionRow],
    settings: Settings,
) -> list[str]:
    """Filings without a decision, with two, or with one that no filing stands behind."""
    decided = Counter((row.accession, row.cik) for row in pool)
    accessions = {accession for accession, _ in decided}
    problems = [f"{accession} of {cik}: {count} decisions" for (accession, cik), count in decided.items() if count > 1]
    read = {(row.accession, row.cik) for row in assertions if row.filed_date <= settings.as_of}
    problems += [f"{accession} of {cik}: read, not decided" for accession, cik in sorted(read - set(decided))]
    listed = {
        row.accession
        for row in index
        if row.role == "annual" and usable(row) and row.filed_date and row.filed_date <= settings.as_of
    }
    problems += [f"{accession}: listed, not decided" for accession in sorted(filter(None, listed - accessions))]
    known = listed | {accession for accession, _ in read}
    problems += [f"{accession}: decided, neither listed nor read" for accession in sorted(accessions - known)]
    return problems


def contradicted_clean(pool: Iterable[CleanPoolRow], evidence: Iterable[ContradictingEvidenceRow]) -> list[str]:
    """Clean filings with evidence that stands."""
    against = {(row.accession, row.cik): row for row in evidence if stands(row)}
    return [
        f"{row.accession}: {row.decision} despite {against[row.accession, row.cik].evidence_id}"
        for row in pool
        if row.decision.startswith("clean") and (row.accession, row.cik) in against
    ]


def attested_without_opinion(pool: Iterable[CleanPoolRow]) -> list[str]:
    """Attested filings without a locator of the opinion, and clean filings that hide a basis."""
    return [
        f"{row.accession}: clean_attested, basis {row.attest_basis}, opinion {'located' if row.attest_opinion_span else 'not located'}"
        for row in pool
        if row.decision == "clean_attested" and (row.attest_opinion_span is None or row.attest_basis is None)
    ]  # fmt: skip


def unreasoned(pool: Iterable[CleanPoolRow]) -> list[str]:
    """Decisions whose reason or trace does not fit them."""
    problems = []
    for row in pool:
        if (row.decision == "excluded") != (row.reason is not None):
            problems.append(f"{row.accession}: {row.decision} with reason {row.reason}")
        elif (row.decision == "deficient") != (row.deficient_by is not None):
            problems.append(f"{row.accession}: {row.decision} by {row.deficient_by}")
        elif (
            not row.trace
            or row.trace[-1].step != row.decided_at_step
            or not row.trace[-1].outcome.startswith(row.decision)
        ):
            problems.append(f"{row.accession}: the trace does not end with the decision")
        elif any(step.outcome != "pass" for step in row.trace[:-1]):
            problems.append(f"{row.accession}: a step before the last one decided")
    return problems


def foreign_evidence(pool: Iterable[CleanPoolRow], evidence: Iterable[ContradictingEvidenceRow]) -> list[str]:
    """Evidence cited by a filing that it is not about, or that is not in the table."""
    about = {row.evidence_id: (row.accession, row.cik) for row in evidence}
    return [
        f"{row.accession}: cites {identity}"
        for row in pool
        for identity in row.evidence_ids
        if about.get(identity) != (row.accession, row.cik)
    ]


def lost_notices(
    notices: Iterable[EightK402Row], index: Iterable[FilingIndexRow], partitions: Sequence[str]
) -> list[str]:
    """8-K filings with Item 4.02 of the partitions in hand that have no row."""
    found = {row.accession for row in notices}
    listed = {
        row.accession
        for row in index
        if row.role == "item_402" and usable(row) and row.cik and row.filed_date and str(row.fiscal_year) in partitions
    }
    return [f"{accession}: no row" for accession in sorted(filter(None, listed - found))]


def base_rates(pool: Sequence[CleanPoolRow]) -> tuple[list[str], list[dict[str, object]]]:
    """Shares outside their published bands, and the shares: over all domestic filings, by fiscal year, by form.

    The bands were published for domestic filers, so 20-F and 40-F are shown apart and not judged; nor is a group too
    small to say anything.
    """
    judged = [row for row in pool if row.decision != "excluded"]
    groups: dict[str, list[CleanPoolRow]] = {"all domestic": []}
    for row in sorted(judged, key=lambda row: (row.fiscal_year, row.form)):
        if row.form not in FOREIGN_FORMS:
            groups["all domestic"].append(row)
            groups.setdefault(f"fiscal {row.fiscal_year}", []).append(row)
        groups.setdefault(row.form, []).append(row)
    problems: list[str] = []
    lines: list[dict[str, object]] = []
    for name, rows in groups.items():
        shares = _shares(rows)
        lines.append(
            {"filings of": name, "judged": len(rows), **{key: f"{share:.1%}" for key, share in shares.items()}}
        )
        if len(rows) < SMALLEST_SAMPLE or name in FOREIGN_FORMS:
            continue
        problems += [
            f"{name}: {share} {shares[share]:.1%} is outside {low:.0%} to {high:.0%}"
            for share, (low, high) in BANDS.items()
            if not low <= shares[share] <= high
        ]
    return problems, lines


def _shares(judged: Sequence[CleanPoolRow]) -> dict[str, float]:
    attested = [row for row in judged if row.decision == "clean_attested" or row.attest_opinion_span]
    deficient = [row for row in judged if row.decision == "deficient"]
    adverse = [row for row in deficient if row.deficient_by in ("auditor", "both")]
    return {
        "attested": len(attested) / len(judged) if judged else 0.0,
        "management ineffective": len(deficient) / len(judged) if judged else 0.0,
        "auditor adverse": len(adverse) / len(attested) if attested else 0.0,
    }


def _result(problems: list[str]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=not problems, description=in_words(problems),
        metadata={"problems": len(problems), "examples": problems[:SHOWN]},
    )  # fmt: skip

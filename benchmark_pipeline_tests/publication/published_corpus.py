"""A small lake with every kind of item, built through the row models, with the documents that its spans point into."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.evaluation.scoring import score_answer
from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.metrics import metric_rows
from benchmark_pipeline.publication.results import Run, collect_runs
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables import Span
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, TraceStep
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow
from benchmark_pipeline.tables.evaluation import ModelResponseRow, ParsedAnswerRow, ScoreRow
from benchmark_pipeline.tables.items import ItemRow, ScenarioRow
from benchmark_pipeline.tables.sources import FilingIndexRow, RawFilingRow, SingleAuditFindingRow

VERSION = "0.1.0"
YEAR_END = date(2024, 12, 31)
CLEAN = "concluded that our internal control over financial reporting was effective as of December 31, 2024."
DEFICIENT = "concluded that our internal control over financial reporting was not effective as of December 31, 2024."
OPINION = "maintained, in all material respects, effective internal control over financial reporting."


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def item(item_id: str, task: str = "C", **values: Any) -> ItemRow:
    """An accepted-shape item; everything that a test does not name is null."""
    text = values.pop("text", f"Text of {item_id}.")
    base: dict[str, Any] = dict.fromkeys(ItemRow.model_fields)
    base |= {
        "item_id": item_id, "task": task, "arm": "verbatim", "text": text, "text_sha256": sha(text),
        "population": "sec_annual_report", "jurisdiction": "US", "regime": "sox_404", "language": "en",
        "company_key": item_id, "source_ref": item_id, "label_source": "disclosure", "gradient_bearing": False,
        "gold_components_accepted": [], "gold_citations_accepted": [], "gold_evidence": [], "touches_itgc": False,
        "strata": [], "review_status": "pending", "reviewed_by": [], "builder_version": "i1",
    }  # fmt: skip
    return ItemRow(**(base | values))


def clean_item(number: int, rating: str = "attested", company: str | None = None, **values: Any) -> ItemRow:
    return item(f"C-{rating[:2]}{number:014d}", gold_icfr="clean", clean_rating=rating,
                company_key=company or f"co{rating}{number}", **values)  # fmt: skip


def score(row: ItemRow, model: str, *, flagged: bool = False, outcome: str = "answered", right: bool = True,
          prompt_version: str = "pv1", dataset_version: str = VERSION, run_id: str = "r1") -> ScoreRow:  # fmt: skip
    """The score that scoring gives such an answer: Task C from the flag, other tasks from `right`."""
    answered = outcome == "answered"
    base: dict[str, Any] = dict.fromkeys(ScoreRow.model_fields)
    base |= {
        "request_key": sha(f"{row.item_id}{model}{prompt_version}{dataset_version}{run_id}"),
        "dataset_version": dataset_version, "prompt_version": prompt_version, "scoring_version": "sv1",
        "model_id": model, "run_id": run_id, "task": row.task, "item_id": row.item_id, "arm": row.arm,
        "outcome": outcome, "answered": answered,
    }  # fmt: skip
    if answered and row.task == "C":
        base |= {"flagged_deficient": flagged, "correct": flagged == (row.gold_icfr == "deficient")}
        base["false_positive" if row.gold_icfr == "clean" else "true_positive"] = flagged
    elif answered:
        base |= {"correct": right}
        if row.task in "AD":
            base |= {"component_correct": right, "component_accepted": right}
        if row.task == "D":
            base |= {"citation_valid": True, "citation_exact": right, "citation_hallucinated": False,
                     "citation_abstained": False, "evidence_exact": right, "evidence_hit": right}  # fmt: skip
    return ScoreRow(**base)


def answer(row: ItemRow, flagged: bool, right: bool) -> dict[str, Any]:
    """A model's answer: Task C from the flag; elsewhere the gold, or a mistake a reader would make."""
    if row.task == "C":
        return {"answer_icfr": "deficient" if flagged else "clean"}
    component = {"answer_component": row.gold_component if right else "monitoring"}
    if row.task == "A":
        return component | {"answer_severity": row.gold_severity if right else "material_weakness"}
    if row.task == "B":
        effective = row.gold_effective if right else not row.gold_effective
        gap = {"answer_gap_type": "management_review", "answer_severity": "material_weakness"}
        return {"answer_effective": effective} | ({} if effective else gap)
    return component | {"answer_citation": row.gold_citation if right else "COSO-99",
                        "answer_evidence": row.gold_evidence[0].quote if right else "words of its own"}  # fmt: skip


class Corpus:
    """Rows of one published state; `write` puts them into a lake."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.items: list[ItemRow] = []
        self.filings: list[RawFilingRow] = []
        self.index: list[FilingIndexRow] = []
        self.assertions: list[IcfrAssertionRow] = []
        self.pool: list[CleanPoolRow] = []
        self.scores: list[ScoreRow] = []
        self.responses: list[ModelResponseRow] = []
        self.answers: list[ParsedAnswerRow] = []
        self.findings: list[SingleAuditFindingRow] = []
        self.scenarios: list[ScenarioRow] = []

    def filing(self, number: int, decision: str, *, form: str = "10-K") -> ItemRow:
        """A filing with its document, its decision and its Task C item."""
        accession, cik = f"0009{number:06d}-25-{number:06d}", f"{9_000_000 + number:010d}"
        company = f"Calder &amp; Brisk {number} Corp" if number == 1 else f"Meadowline {number} Corp"
        sentence = DEFICIENT if decision == "deficient" else CLEAN
        body = (
            f"<html><body><p>{company}</p><h2>Item 9A. Controls and Procedures</h2><p>Our management assessed our "
            f"controls and {sentence}</p><p>In our opinion, {company} {OPINION}</p></body></html>"
        ).encode()
        text = normalise(body).text
        digest = hashlib.sha256(body).hexdigest()
        section = _span(digest, text, text[text.index("Item 9A") :])
        verdict = _span(digest, text, sentence)
        opinion = _span(digest, text, OPINION) if decision != "clean_management_only" else None
        self.bodies.append(body)
        self.filings.append(RawFilingRow(
            accession=accession, cik=cik, form=form, role="annual", fiscal_year=2024,
            url=f"https://www.sec.gov/Archives/edgar/data/{int(cik)}/{accession.replace('-', '')}/annual.htm",
            document_name="annual.htm", document_type=form, sequence=1, sha256=digest, size_bytes=len(body),
            http_status=200, headers=None, retrieved_at=datetime(2025, 6, 1, tzinfo=UTC), reject_reason=None,
            reject_detail=None,
        ))  # fmt: skip
        facts: dict[str, Any] = dict.fromkeys(IcfrAssertionRow.model_fields)
        facts |= {
            "accession": accession, "cik": cik, "form": form, "fiscal_year": 2024, "partition_fiscal_year": 2024,
            "period_end": YEAR_END, "filed_date": date(2025, 2, 20), "company_name": normalise(body).text.split("\n")[0],
            "jurisdiction": "US", "regime": "sox_404", "rule_regime": "2020_amended", "extraction_status": "found",
            "mgmt_conclusion": "ineffective" if decision == "deficient" else "effective",
            "mgmt_conclusion_span": verdict, "dcp_conclusion": "absent", "attest_flag": "true",
            "attest_opinion": "unqualified" if opinion else "none", "attest_opinion_span": opinion,
            "mgmt_says_no_attestation": False, "new_registrant_transition": False,
            "reverse_merger_no_assessment": False, "scope_outs": [], "prior_mw_remediated": False,
            "error_correction_flag": "absent", "recovery_flag": "absent", "conflicts": [], "rules_fired": [],
            "extractor_version": "x1",
        }  # fmt: skip
        self.assertions.append(IcfrAssertionRow(**facts))
        self.pool.append(CleanPoolRow(
            accession=accession, cik=cik, form=form, fiscal_year=2024, period_end=YEAR_END, decision=decision,
            reason=None, deficient_by="management" if decision == "deficient" else None, decided_at_step=12,
            trace=[
                TraceStep(step=8, rule="deficient", outcome="pass", saw="management effective, auditor unqualified"),
                TraceStep(step=12, rule="clean attested", outcome=decision, saw="flag true, opinion located"),
            ],
            attest_basis="flag_and_opinion" if decision == "clean_attested" else None, attest_opinion_span=opinion,
            evidence_ids=[], nonreliance_channel="8k_402", followup="none", followup_ended=None, seasoning_days=130,
            seasoning_tier="S0", watch=False, remediated_prior_mw=False, scope_out=False, little_r_overlap=False,
            nt_signal=False, first_attested_year=None, rule_version="d1", snapshot_date=date(2025, 6, 30),
        ))  # fmt: skip
        clean = decision != "deficient"
        row = item(
            f"C-{number:016x}", text=section.quote, fiscal_year_end=YEAR_END, fiscal_year=2024, form=form, cik=cik,
            company_key=f"cik:{cik}", accession=accession, source_span=section, source_ref=f"{accession} item 9A",
            gold_icfr="clean" if clean else "deficient",
            clean_rating={"clean_attested": "attested", "clean_management_only": "management_only"}.get(decision),
            gold_evidence=[verdict], seasoning_tier="S0" if clean else None,
            strata=["scope_out"] if number % 5 == 0 else [],
        )  # fmt: skip
        self.items.append(row)
        return row

    def twin(self, original: ItemRow) -> None:
        text = (
            f"Leadership of registrant {original.cik} reviewed the controls and found them effective at year end 2024."
        )
        self.items.append(original.model_copy(update={
            "item_id": original.item_id.replace("C-0", "C-f"), "arm": "paraphrase", "twin_of": original.item_id,
            "text": text, "text_sha256": sha(text), "drafted_by": "anthropic/claude", "gold_evidence": [],
        }))  # fmt: skip

    def weakness(self, number: int, task: str, source: ItemRow) -> None:
        passage = source.gold_evidence[0]
        text = f"Reconciliations of account {task}{number} were not reviewed in time by a second person."
        self.items.append(item(
            f"{task}-{number:016x}", task, text=text, cik=source.cik, company_key=source.company_key,
            accession=source.accession, form=source.form, fiscal_year=2024, source_span=passage,
            source_ref=f"{source.accession} weakness {number}", gold_component="control_activities",
            gold_components_accepted=["control_activities"],
            gold_citation="COSO-10" if task == "D" else None,
            gold_citations_accepted=["COSO-10"] if task == "D" else [],
            gold_evidence=[Span(document_sha256=sha(text), start=0, end=15, quote=text[:15])] if task == "D" else [],
            drafted_by="anthropic/claude", label_source="llm_draft_human_verified",
        ))  # fmt: skip

    def finding(self, number: int) -> None:
        report, reference = f"2023-06-GSAFAC-{number:010d}", f"2023-{number:03d}"
        text = f"Time records of programme {number} were not approved before charging."
        values: dict[str, Any] = dict.fromkeys(SingleAuditFindingRow.model_fields)
        values |= {"report_id": report, "reference_number": reference, "audit_year": 2023, "data_source": "GSAFAC",
                   "award_count": 1, "text": text, "text_sha256": sha(text), "text_names_tier": False,
                   "tier": "significant_deficiency", "source_sha256": sha(report)}  # fmt: skip
        self.findings.append(SingleAuditFindingRow(**values))
        self.items.append(item(
            f"A-f{number:015x}", "A", text=text, population="single_audit", regime="uniform_guidance",
            source_ref=f"{report} {reference}", company_key=f"auditee{number}", gradient_bearing=True,
            gold_severity="significant_deficiency", gold_component="control_activities",
            gold_components_accepted=["control_activities"], drafted_by="anthropic/claude",
            label_source="llm_draft_human_verified",
        ))  # fmt: skip

    def pair(self, number: int, kind: str = "minimal") -> None:
        for role, effective in (("control", True), ("variant", kind == "null")):
            text = f"The controller {'who did not prepare' if role == 'control' else 'who prepared'} entry {number} reviews it."
            self.scenarios.append(ScenarioRow(
                scenario_id=f"p{number}.{role}", pair_id=f"p{number}", pair_role=role, pair_kind=kind,
                archetype="reviewer_independence", process="close", entity_size="mid", risk="Misstated accruals.",
                process_narrative="Accruals are posted monthly.", control_description=text, changed_sentence_index=1,
                designed_effectively=effective, gap_type=None if effective else "management_review",
                severity=None if effective else "control_deficiency", principle=10, compensating_control=False,
                drafted_by="anthropic/claude", drafting_prompt_sha256=None, source_path=f"scenarios/p{number}.yaml",
                source_sha256=sha(f"p{number}"),
            ))  # fmt: skip
            self.items.append(item(
                f"B-{role[0]}{number:015x}", "B", text=text, population="synthetic_scenario", jurisdiction="XX",
                regime="none", company_key=f"p{number}", source_ref=f"p{number}.{role}", gradient_bearing=True,
                gold_effective=effective, gold_gap_type=None if effective else "management_review",
                gold_severity=None if effective else "control_deficiency", pair_id=f"p{number}", pair_role=role, pair_kind=kind,
                drafted_by="anthropic/claude", label_source="llm_draft_human_verified",
            ))  # fmt: skip

    def run(self, model: str, *, flags: set[str] = frozenset(), wrong: set[str] = frozenset(),  # type: ignore[assignment]
            outcomes: dict[str, str] | None = None) -> None:  # fmt: skip
        """Answers every item: the named clean items are flagged, every deficient one that is not `wrong` too."""
        for row in self.items:
            outcome = (outcomes or {}).get(row.item_id, "answered")
            flagged = row.item_id in flags or (row.gold_icfr == "deficient" and row.item_id not in wrong)
            shared = {
                "request_key": sha(f"{row.item_id}{model}"), "dataset_version": VERSION, "prompt_version": "pv1",
                "model_id": model, "run_id": "r1", "task": row.task, "item_id": row.item_id, "arm": row.arm,
                "outcome": outcome,
            }  # fmt: skip
            given = answer(row, flagged, row.item_id not in wrong) if outcome == "answered" else {}
            parsed = ParsedAnswerRow(**(dict.fromkeys(ParsedAnswerRow.model_fields) | shared | given))
            self.answers.append(parsed)
            self.scores.append(score_answer(parsed, row))
            content = {name.removeprefix("answer_"): value for name, value in given.items()}
            self.responses.append(ModelResponseRow(**(dict.fromkeys(ModelResponseRow.model_fields) | shared | {
                "attempts": 1, "content": json.dumps(content) if given else "```json",
                "outcome_detail": "fenced" if outcome == "parse_fail" else None,
                "schema_enforcement": "none", "parameters": '{"temperature":0}', "prompt_sha256": sha(row.item_id),
                "prompt_tokens": 400, "completion_tokens": 8, "started_at": datetime(2025, 7, 1, tzinfo=UTC),
            })))  # fmt: skip

    def runs(self) -> list[Run]:
        """The runs of the rows held here."""
        return collect_runs(self.scores, self.items, VERSION, self.responses, self.answers)

    def write(self, root: str, cutoffs: Mapping[str, date | None] | None = None) -> Lake:
        """Writes lake and document store, with metrics and headline computed from the scores."""
        lake, documents = Lake(root), DocumentStore(root)
        for body in self.bodies:
            documents.put(body)
        lake.write("raw_filings", self.filings, "2024")
        lake.write("icfr_assertions", self.assertions, "2024")
        lake.write("clean_pool", self.pool)
        lake.write("single_audit_findings", self.findings, "2023")
        lake.write("scenarios", self.scenarios)
        for table in ("candidate_items", "labeled_items"):
            lake.write(table, self.items)
        lake.write("model_responses", self.responses, "all-models")
        lake.write("parsed_answers", self.answers)
        lake.write("scores", self.scores)
        runs = self.runs()
        headline = headline_rows(runs)
        lake.write("headline_false_positive_rate", headline)
        lake.write("metrics", metric_rows(runs, headline, cutoffs))
        return lake


def _span(digest: str, text: str, quote: str) -> Span:
    start = text.index(quote)
    return Span(document_sha256=digest, start=start, end=start + len(quote), quote=quote)


def full_corpus() -> Corpus:
    """34 attested, 12 management-only, 16 deficient filings, twins, weaknesses, findings, pairs, and three runs."""
    corpus = Corpus()
    attested = [corpus.filing(n, "clean_attested", form="20-F" if n % 8 == 0 else "10-K") for n in range(1, 35)]
    management = [corpus.filing(n, "clean_management_only") for n in range(35, 47)]
    bad = [corpus.filing(n, "deficient") for n in range(47, 63)]
    for original in (*attested[:4], *bad[:4]):
        corpus.twin(original)
    for number, source in enumerate(bad[:6], start=1):
        corpus.weakness(number, "A", source)
    for number, source in enumerate(bad[6:10], start=1):
        corpus.weakness(number, "D", source)
    for number in range(1, 6):
        corpus.finding(number)
    for number in range(1, 5):
        corpus.pair(number, "null" if number == 4 else "minimal")
    ids = [row.item_id for row in attested]
    corpus.run("vendor/alpha-2026-01-15", flags={*ids[:3], management[0].item_id}, wrong={bad[0].item_id})
    corpus.run("vendor/beta-2025-11-03", flags={*ids[:16], *(row.item_id for row in management[:5])},
               wrong={"B-v000000000000001", "A-0000000000000001"}, outcomes={bad[3].item_id: "refused"})  # fmt: skip
    corpus.run("vendor/gamma-2026-02-01", flags=set(ids[:2]), outcomes=dict.fromkeys(ids[5:8], "parse_fail"))
    corpus.run("baseline/always-clean", wrong={row.item_id for row in bad})
    return corpus

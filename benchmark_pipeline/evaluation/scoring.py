"""Scores: one answer against its gold. Pure functions of stored answers and items, so that a rescoring needs no call.

A measure that does not apply is null, and so is every measure of a call without an answer: how failures enter a rate
is decided by the statistics, where both versions are printed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.registry import canonical, is_registered
from benchmark_pipeline.tables.evaluation import ModelResponseRow, ParsedAnswerRow, ScoreRow
from benchmark_pipeline.tables.items import ItemRow

from .answers import AnswerA, AnswerB, AnswerC, AnswerD
from .outcomes import read_answer

SCORING_VERSION = "sv1"
"""Any change of a rule below is a new version; stored answers may be scored again under it."""

SEVERITY_TIERS: Mapping[str, int] = {"control_deficiency": 0, "significant_deficiency": 1, "material_weakness": 2}
_TOKEN = re.compile(r"\w+")


def parse_response(response: ModelResponseRow) -> ParsedAnswerRow:
    """Reads a stored answer again, strictly; what was a failure stays one.

    Raises:
        BenchError: a stored answer no longer reads as one: the file is not what was written.
    """
    answer = read_answer(response.task, response.content or "").answer if response.outcome == "answered" else None
    if response.outcome == "answered" and answer is None:
        raise BenchError(
            f"the stored answer of {response.model_id} to {response.item_id} does not match the schema any more",
            remedy="materialize model_responses of this model and task again: it is rebuilt from the response log",
        )
    return ParsedAnswerRow(
        request_key=response.request_key,
        dataset_version=response.dataset_version,
        prompt_version=response.prompt_version,
        model_id=response.model_id,
        run_id=response.run_id,
        task=response.task,
        item_id=response.item_id,
        arm=response.arm,
        outcome=response.outcome,
        answer_icfr=answer.icfr if isinstance(answer, AnswerC) else None,
        answer_effective=answer.designed_effectively if isinstance(answer, AnswerB) else None,
        answer_gap_type=answer.gap_type if isinstance(answer, AnswerB) else None,
        answer_severity=answer.severity if isinstance(answer, AnswerA | AnswerB) else None,
        answer_component=answer.component if isinstance(answer, AnswerA | AnswerD) else None,
        answer_citation=answer.citation if isinstance(answer, AnswerD) else None,
        answer_evidence=answer.evidence if isinstance(answer, AnswerD) else None,
    )


def score_answer(parsed: ParsedAnswerRow, item: ItemRow) -> ScoreRow:
    """Scores one answer against its item.

    Raises:
        ValueError: the answer belongs to another item.
    """
    if parsed.item_id != item.item_id:
        raise ValueError(f"answer of item {parsed.item_id} scored against item {item.item_id}")
    measures: dict[str, bool | int | None] = dict.fromkeys(_MEASURES)
    if parsed.outcome == "answered":
        measures.update({"A": _score_a, "B": _score_b, "C": _score_c, "D": _score_d}[parsed.task](parsed, item))
    return ScoreRow.model_validate(
        {
            **parsed.model_dump(include=set(_IDENTITY)),
            "scoring_version": SCORING_VERSION,
            "answered": parsed.outcome == "answered",
            **measures,
        }
    )


def score_answers(parsed: Iterable[ParsedAnswerRow], items: Mapping[str, ItemRow]) -> list[ScoreRow]:
    """Scores every answer whose item is in the current item set; answers to withdrawn items are left out."""
    return [score_answer(answer, items[answer.item_id]) for answer in parsed if answer.item_id in items]


def _score_a(parsed: ParsedAnswerRow, item: ItemRow) -> dict[str, bool | int | None]:
    component = parsed.answer_component == item.gold_component if item.gold_component else None
    return {"correct": component, **_component(parsed, item), **_severity(parsed, item)}


def _score_b(parsed: ParsedAnswerRow, item: ItemRow) -> dict[str, bool | int | None]:
    correct = parsed.answer_effective == item.gold_effective if item.gold_effective is not None else None
    gap_judged_gap = item.gold_effective is False and parsed.answer_effective is False
    return {
        "correct": correct,
        "gap_type_correct": parsed.answer_gap_type == item.gold_gap_type if gap_judged_gap else None,
        # Severity of a gap that the model did not see is not a severity judgement.
        **(_severity(parsed, item) if gap_judged_gap else {}),
    }


def _score_c(parsed: ParsedAnswerRow, item: ItemRow) -> dict[str, bool | int | None]:
    flagged = parsed.answer_icfr == "deficient"
    return {
        "flagged_deficient": flagged,
        "false_positive": flagged if item.gold_icfr == "clean" else None,
        "true_positive": flagged if item.gold_icfr == "deficient" else None,
        "correct": parsed.answer_icfr == item.gold_icfr if item.gold_icfr else None,
    }


def _score_d(parsed: ParsedAnswerRow, item: ItemRow) -> dict[str, bool | int | None]:
    cited = parsed.answer_citation
    given = canonical(cited) if cited is not None else None
    accepted = {canonical(citation) for citation in item.gold_citations_accepted} - {None}
    evidence = parsed.answer_evidence or ""
    return {
        "correct": given is not None and given in accepted if accepted else None,
        "citation_abstained": cited is None,
        "citation_valid": is_registered(cited) if cited is not None else None,
        # Abstaining is not hallucinating; the rate's denominator is every answered call.
        "citation_hallucinated": cited is not None and not is_registered(cited),
        "citation_exact": given is not None and given == canonical(item.gold_citation) if item.gold_citation else None,
        "evidence_exact": evidence_is_verbatim(evidence, item.text),
        "evidence_hit": any(overlap(evidence, span.quote) >= 0.5 for span in item.gold_evidence)
        if item.gold_evidence
        else None,
        **_component(parsed, item),
    }


def _component(parsed: ParsedAnswerRow, item: ItemRow) -> dict[str, bool | int | None]:
    if item.gold_component is None:
        return {}
    accepted = {item.gold_component, *item.gold_components_accepted}
    return {
        "component_correct": parsed.answer_component == item.gold_component,
        "component_accepted": parsed.answer_component in accepted,
    }


def _severity(parsed: ParsedAnswerRow, item: ItemRow) -> dict[str, bool | int | None]:
    """Only where the source could have expressed another tier; a null answer there is wrong, at no measurable distance."""
    if not item.gradient_bearing or item.gold_severity is None:
        return {}
    given = SEVERITY_TIERS.get(parsed.answer_severity or "")
    gold = SEVERITY_TIERS[item.gold_severity]
    return {"severity_correct": given == gold, "severity_distance": None if given is None else abs(given - gold)}


def evidence_is_verbatim(evidence: str, text: str) -> bool:
    """Whether the quotation is a substring of the text after folding of white space; an empty one is not."""
    folded = " ".join(evidence.split())
    return bool(folded) and folded in " ".join(text.split())


def overlap(evidence: str, span: str) -> float:
    """Share of the gold span's words (as a multiset, case folded) that the quotation holds."""
    gold = Counter(token.casefold() for token in _TOKEN.findall(span))
    given = Counter(token.casefold() for token in _TOKEN.findall(evidence))
    total = sum(gold.values())
    return sum((gold & given).values()) / total if total else 0.0


_IDENTITY = (
    "request_key",
    "dataset_version",
    "prompt_version",
    "model_id",
    "run_id",
    "task",
    "item_id",
    "arm",
    "outcome",
)
_MEASURES = tuple(name for name in ScoreRow.model_fields if name not in (*_IDENTITY, "scoring_version", "answered"))

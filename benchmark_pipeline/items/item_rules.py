"""What every item keeps, whether it is a candidate or released: each rule gives its offenders, as id and reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from benchmark_pipeline.tables.items import ItemRow

from .identity import item_id, text_sha256
from .language import english_share, is_english
from .leak_filter import Gold, leaks


def wrong_ids(items: Iterable[ItemRow]) -> list[str]:
    """Ids that stand twice, and ids or hashes that the text does not give."""
    rows = list(items)
    counts = Counter(item.item_id for item in rows)
    problems = [f"{name} stands {count} times" for name, count in counts.items() if count > 1]
    for item in rows:
        if item.text_sha256 != text_sha256(item.text):
            problems.append(f"{item.item_id}: text_sha256 is not the hash of the text")
        if item.item_id != item_id(item.task, item.source_ref, item.text, item.arm):
            problems.append(f"{item.item_id}: id does not derive from task, source and text")
    return problems


def wrong_gradient(items: Iterable[ItemRow]) -> list[str]:
    """Severity where it may not stand."""
    problems = []
    for item in items:
        if item.gold_severity is not None and not item.gradient_bearing:
            problems.append(f"{item.item_id}: severity on an item that is not gradient-bearing")
        if item.gradient_bearing and item.population == "sec_annual_report":
            problems.append(f"{item.item_id}: an annual report's item is gradient-bearing")
    return problems


def wrong_provenance(items: Iterable[ItemRow]) -> list[str]:
    """Items whose origin is not told in full."""
    regimes = {"sec_annual_report": "sox_404", "single_audit": "uniform_guidance", "synthetic_scenario": "none"}
    problems = []
    for item in items:
        said: list[str] = []
        if item.regime != regimes[item.population]:
            said.append(f"regime {item.regime}")
        if (item.jurisdiction == "XX") != (item.population == "synthetic_scenario") or len(item.jurisdiction) != 2:
            said.append(f"jurisdiction {item.jurisdiction}")
        if item.population == "sec_annual_report" and (item.accession is None or item.cik is None):
            said.append("no accession or CIK")
        if item.population == "sec_annual_report" and item.source_span is None:
            said.append("no source span")
        if item.drafted_by is None and (
            item.population == "synthetic_scenario" or item.label_source == "llm_draft_human_verified"
        ):
            said.append("no drafted_by")
        if said:
            problems.append(f"{item.item_id}: {', '.join(said)}")
    return problems


def wrong_gold(items: Iterable[ItemRow]) -> list[str]:
    """Accepted items without the gold that their task asks for."""
    problems = []
    for item in items:
        missing = {
            "A": item.gold_component is None or item.gold_component not in item.gold_components_accepted,
            "B": item.gold_effective is None
            or (item.gold_effective == (item.gold_gap_type is not None))
            or item.pair_id is None,
            "C": item.gold_icfr is None
            or ((item.gold_icfr == "clean") != (item.clean_rating is not None))
            or item.fiscal_year_end is None,
            "D": not item.gold_citations_accepted
            or item.gold_citation != item.gold_citations_accepted[0]
            # Offsets point into the text as filed; a twin takes the answer and not the place of its evidence.
            or any(item.text[span.start : span.end] != span.quote for span in item.gold_evidence)
            or (item.arm == "verbatim" and not item.gold_evidence),
        }[item.task]
        if missing:
            problems.append(f"{item.item_id}: the gold of task {item.task} is missing or contradicts itself")
    return problems


def leaking(items: Iterable[ItemRow]) -> list[str]:
    """Accepted items whose text states their gold."""
    problems = []
    for item in items:
        golds: list[Gold] = ["component"] if item.task in ("A", "D") else []
        if item.task == "A" and item.gradient_bearing:
            golds.append("severity")
        if found := leaks(item.text, *golds):
            problems.append(f"{item.item_id}: {', '.join(found)}")
    return problems


def not_english(items: Iterable[ItemRow]) -> list[str]:
    """Accepted items whose text or language column is not English."""
    return [
        f"{item.item_id}: language {item.language}, {english_share(item.text):.0%} English function words"
        for item in items
        if item.language != "en" or not is_english(item.text)
    ]


def repeated_accessions(items: Iterable[ItemRow]) -> list[str]:
    """Accessions that give two items of one task and arm."""
    counts = Counter((item.task, item.arm, item.accession) for item in items if item.accession)
    return [
        f"{accession} gives {count} items of task {task}" for (task, _, accession), count in counts.items() if count > 1
    ]


def incomplete(items: Iterable[ItemRow]) -> list[str]:
    """Pairs with a missing half and twins without their verbatim item."""
    rows = list(items)
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in rows:
        if item.pair_id is not None:
            pairs[(item.pair_id, item.arm)].append(item.pair_role or "")
    verbatim = {item.item_id for item in rows if item.arm == "verbatim"}
    problems = [
        f"pair {pair_id} has {roles}"
        for (pair_id, _), roles in pairs.items()
        if sorted(roles) != ["control", "variant"]
    ]
    problems += [f"{item.item_id}: twin of {item.twin_of}, which is not in the set" for item in rows
                 if item.arm != "verbatim" and item.twin_of not in verbatim]  # fmt: skip
    return problems

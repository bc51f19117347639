"""Construction rules of scenario pairs: what makes a pair minimal, and a set of pairs balanced.

Minimal pairs follow contrast sets (Gardner et al. 2020): the halves differ in one fact, so that a right verdict on both
shows that the fact was read. The rules look at the rows that a model would see, not at the authoring file, so that no
other way of making scenarios escapes them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from benchmark_pipeline.tables.items import ScenarioRow

from .near_duplicates import jaccard
from .scenarios import ARCHETYPES, PROCESSES, SIZES
from .sentences import diff_size, ngrams, sentences, words

MAX_CHANGED_WORDS = 15
MAX_LENGTH_DIFFERENCE = 0.10
WORDS = (120, 220)
"""Length of narrative and control together."""
FULL_SET_PAIRS = 48
"""From this many pairs on (four an archetype), gaps in coverage are errors; below it they are the author's plan."""
NULL_SHARE = (0.10, 0.15)
REVERSE_PLAUSIBLE_PAIRS = 8
"""Wanted of a full set; a smaller one wants one."""
MAX_LIKENESS = 0.15
"""Jaccard similarity of word 5-grams between two pairs. Every pair states materiality and the committee's threshold in
like words, which alone gives about 0.04; above the limit one pair is the other with names and amounts exchanged."""
_ITGC = re.compile(
    r"\b(user access|access review|password|change management|system administrator|privileged|database|batch job|"
    r"segregation of access|source code|firewall|backup|IT general controls?)\b",
    re.IGNORECASE,
)
_FORMAL = re.compile(
    r"\b(formal(?:ly)?|document(?:ed|ation|s)?|polic(?:y|ies)|procedure|committee|sign(?:s|ed|ature)?|certif\w+|"
    r"standard\w*|approved|quarterly|memorandum|checklist|template|attest\w*|report(?:s|ed)?|director|senior|"
    r"charter|framework|minutes?|comprehensive|detailed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Violation:
    """One broken rule."""

    severity: Literal["error", "warning"]
    where: str
    """Pair id, or `set`."""
    rule: str
    """Name of the rule."""
    explanation: str
    """What was seen and what was wanted."""


def validate(rows: Iterable[ScenarioRow]) -> list[Violation]:
    """All violations of the rules, pair by pair and then over the set."""
    pairs: dict[str, list[ScenarioRow]] = defaultdict(list)
    for row in rows:
        pairs[row.pair_id].append(row)
    found = [violation for pair_id in sorted(pairs) for violation in validate_pair(pair_id, pairs[pair_id])]
    return found + validate_set([pair for pair in pairs.values() if len(pair) == 2])


def validate_pair(pair_id: str, halves: Sequence[ScenarioRow]) -> list[Violation]:
    """Violations of one pair."""
    if sorted(half.pair_role for half in halves) != ["control", "variant"]:
        roles = ", ".join(half.pair_role for half in halves)
        return [
            Violation("error", pair_id, "pair_complete", f"has the halves {roles}; wanted one control, one variant")
        ]
    control, variant = sorted(halves, key=lambda half: half.pair_role)
    found = [*_same_frame(control, variant), *_one_sentence(control, variant), *_verdicts(control, variant)]
    for half in (control, variant):
        text = f"{half.process_narrative} {half.control_description}"
        count = len(words(text))
        if not WORDS[0] <= count <= WORDS[1]:
            found.append(("length", f"{half.pair_role} has {count} words; wanted {WORDS[0]} to {WORDS[1]}"))
        if match := _ITGC.search(f"{text} {half.risk}"):
            found.append(("no_it_general_controls", f"{half.pair_role} speaks of {match.group()!r}"))
        if half.principle == 11:
            found.append(("no_it_general_controls", f"{half.pair_role} stands under principle 11"))
    return [Violation("error", pair_id, rule, explanation) for rule, explanation in found]


def _same_frame(control: ScenarioRow, variant: ScenarioRow) -> list[tuple[str, str]]:
    same = ("pair_kind", "archetype", "process", "entity_size", "risk", "principle", "drafted_by")
    return [
        ("same_frame", f"{name} differs: {getattr(control, name)!r} and {getattr(variant, name)!r}")
        for name in same
        if getattr(control, name) != getattr(variant, name)
    ]


def _one_sentence(control: ScenarioRow, variant: ScenarioRow) -> list[tuple[str, str]]:
    left = [*sentences(control.process_narrative), *sentences(control.control_description)]
    right = [*sentences(variant.process_narrative), *sentences(variant.control_description)]
    found = []
    if len(left) != len(right):
        return [("one_sentence", f"the halves have {len(left)} and {len(right)} sentences")]
    differing = [index for index, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1]]
    if differing != [control.changed_sentence_index]:
        found.append(
            ("one_sentence", f"sentences {differing} differ; wanted only sentence {control.changed_sentence_index}")
        )
    size = sum(diff_size(left[index], right[index]) for index in differing)
    if size > MAX_CHANGED_WORDS:
        found.append(("small_change", f"{size} words change; at most {MAX_CHANGED_WORDS} may"))
    if not differing:
        found.append(("small_change", "the halves are identical"))
    lengths = [sum(len(sentence) for sentence in half) for half in (left, right)]
    difference = abs(lengths[0] - lengths[1]) / max(*lengths, 1)
    if difference > MAX_LENGTH_DIFFERENCE:
        found.append(("same_length", f"lengths differ by {difference:.0%}; at most {MAX_LENGTH_DIFFERENCE:.0%} may"))
    if control.pair_kind == "reverse_plausible" and len(differing) == 1 and not found:
        good, bad = (control, variant) if control.designed_effectively else (variant, control)
        texts = {control.scenario_id: left, variant.scenario_id: right}
        formal = {half.scenario_id: len(_FORMAL.findall(texts[half.scenario_id][differing[0]])) for half in (good, bad)}
        if formal[bad.scenario_id] <= formal[good.scenario_id]:
            found.append(("bad_half_sounds_formal", f"formal words by half: {formal}; the gap must have more of them"))
    return found


def _verdicts(control: ScenarioRow, variant: ScenarioRow) -> list[tuple[str, str]]:
    equal = control.designed_effectively == variant.designed_effectively
    if control.pair_kind == "null":
        gold = ("designed_effectively", "gap_type", "severity")
        moved = [name for name in gold if getattr(control, name) != getattr(variant, name)]
        return [("null_keeps_verdict", f"{', '.join(moved)} moves; a null pair must keep its gold")] if moved else []
    return [("one_half_effective", "both halves have the same verdict")] if equal else []


def validate_set(pairs: Sequence[Sequence[ScenarioRow]]) -> list[Violation]:
    """Violations of balance and coverage over complete pairs."""
    if not pairs:
        return [Violation("error", "set", "not_empty", "there is no complete pair")]
    full = len(pairs) >= FULL_SET_PAIRS
    level: Literal["error", "warning"] = "error" if full else "warning"
    rows = [row for pair in pairs for row in pair]
    found: list[tuple[str, str]] = []
    share = sum(row.designed_effectively for row in rows) / len(rows)
    tolerance = max(0.05, 1 / len(rows))  # one null pair shifts a small set by exactly one half
    if abs(share - 0.5) > tolerance:
        found.append(("balance", f"{share:.0%} of the halves are effective; wanted 50 % within {tolerance:.1%}"))
    first = [pair[0] for pair in pairs if pair[0].pair_kind != "null"]
    for name, wanted in (("archetype", ARCHETYPES), ("process", PROCESSES), ("entity_size", SIZES)):
        counts = Counter(getattr(row, name) for row in first)
        missing = [value for value in wanted if not counts[value]]
        if missing:
            found.append(("coverage", f"no pair has the {name} {', '.join(missing)}"))
        if full and max(counts.values()) > 3 * len(first) / len(wanted):
            found.append(("coverage", f"{name} {counts.most_common(1)[0][0]} has over three times its even share"))
    nulls = sum(pair[0].pair_kind == "null" for pair in pairs)
    if not NULL_SHARE[0] <= nulls / len(pairs) <= NULL_SHARE[1]:
        found.append(("null_pairs", f"{nulls} of {len(pairs)} pairs are null pairs; wanted 10 % to 15 %"))
    reverse, least = (
        sum(pair[0].pair_kind == "reverse_plausible" for pair in pairs),
        REVERSE_PLAUSIBLE_PAIRS if full else 1,
    )
    if reverse < least:
        found.append(("reverse_plausible_pairs", f"{reverse} pairs are reverse-plausible; wanted at least {least}"))
    gaps = Counter(row.severity for row in rows if row.severity)
    if gaps and max(gaps.values()) > 0.6 * sum(gaps.values()):
        found.append(("severity_spread", f"severities of the gaps: {dict(gaps)}; none should exceed 60 %"))
    alike = [Violation("error", "set", "pairs_read_apart", explanation) for explanation in _alike(pairs)]
    return [Violation(level, "set", rule, explanation) for rule, explanation in found] + alike


def _alike(pairs: Sequence[Sequence[ScenarioRow]]) -> Iterator[str]:
    grams = {
        pair[0].pair_id: ngrams(words(f"{pair[0].process_narrative} {pair[0].control_description}"), 5)
        for pair in sorted(pairs, key=lambda pair: pair[0].pair_id)
    }
    for left, right in combinations(grams, 2):
        if (likeness := jaccard(grams[left], grams[right])) > MAX_LIKENESS:
            yield f"{left} and {right} share {likeness:.0%} of their word 5-grams; at most {MAX_LIKENESS:.0%} may"


def coverage(rows: Iterable[ScenarioRow]) -> list[dict[str, str | int]]:
    """The coverage matrix: pairs by archetype and process."""
    counts: Counter[tuple[str, str]] = Counter(
        (row.archetype, row.process) for row in rows if row.pair_role == "control"
    )
    return [
        {"archetype": archetype, **{process: counts[(archetype, process)] for process in PROCESSES}}
        for archetype in ARCHETYPES
    ]

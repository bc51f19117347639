"""The twelve invariants of a paraphrase, each measured, compared and stored.

Two groups. What must stay: numbers, negations, hedges, terms of art, the label that a rule reads, length, and masked
names. What must go: runs of the original's words, because a rewritten text that shares long runs with the original
tests memory as the original does. Rephrased copies slip past n-gram filters (Yang et al. 2023), so that the overlap
limits are necessary and not sufficient, and a person reads every twin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.items.masking import Names, names_left
from benchmark_pipeline.items.sentences import ngrams, words
from benchmark_pipeline.tables.items import InvariantResult

from . import lexicon
from .similarity import TABLE, embedder

Classify = Callable[[str], str]
"""The deterministic rule that reads a label from a text."""

MAX_MODAL_DIFFERENCE = 1.0
"""Per hundred words."""
MAX_COMMON_RUN = 8
MAX_CONTAINMENT = 0.20
LENGTH_RATIO = (0.8, 1.25)
MIN_COSINE = 0.85
MIN_ENTAILMENT = 0.9
NOT_COMPUTED = "not computed"
"""How the value of a measure begins that needs what is not there; it blocks nothing."""
ADVISORY = frozenset({"entailment_both_ways"})
"""A model's opinion informs the reader and decides nothing."""


@dataclass(frozen=True)
class Entailment:
    """A judge's probability that one text says everything another says."""

    probability: float
    judged_by: str


Judgements = Mapping[tuple[str, str], Entailment]
"""By hash of premise and of hypothesis."""


def invariants(
    original: str, variant: str, names: Names, classify: Classify, judged: Judgements = MappingProxyType({})
) -> list[InvariantResult]:
    """All twelve checks of one twin.

    Args:
        original: the verbatim text with names masked, so that masks count the same on both sides.
        variant: the rewritten text.
        names: names that may not stand in the variant.
        classify: rule that reads the label of a text.
        judged: opinions of a judge model.
    """
    return [
        *_kept(original, variant),
        *_rewritten(original, variant),
        _similarity(original, variant),
        _entailment(original, variant, judged),
        _same_label(original, variant, classify),
        _length(original, variant),
        _names(variant, names),
    ]


def failed(results: list[InvariantResult]) -> list[str]:
    """Names of blocking checks that did not hold."""
    return [
        result.name
        for result in results
        if not result.passed and result.name not in ADVISORY and not result.value.startswith(NOT_COMPUTED)
    ]


def _kept(original: str, variant: str) -> Iterator[InvariantResult]:
    yield _equal_counts("numbers", lexicon.numbers(original), lexicon.numbers(variant))
    cues = (lexicon.negations(original), lexicon.negations(variant))
    lines = (lexicon.negative_sentences(original), lexicon.negative_sentences(variant))
    yield InvariantResult(
        name="negation_cues",
        value=f"cues {cues[0]} and {cues[1]}; sentences with one {lines[0]} and {lines[1]}",
        threshold="equal",
        passed=cues[0] == cues[1] and lines[0] == lines[1],
    )
    rates = [sum(lexicon.modals(text).values()) / max(len(words(text)), 1) * 100 for text in (original, variant)]
    hedges = (lexicon.hedges(original), lexicon.hedges(variant))
    yield InvariantResult(
        name="modals_and_hedges",
        value=f"{rates[0]:.2f} and {rates[1]:.2f} modals in 100 words; hedges {hedges[0]} and {hedges[1]}",
        threshold=f"modals within {MAX_MODAL_DIFFERENCE:g}, one lost at most; no hedge lost",
        passed=abs(rates[0] - rates[1]) <= MAX_MODAL_DIFFERENCE
        and not _lost(original, variant)
        and hedges[1] >= hedges[0],
    )
    yield _equal_counts("terms_of_art", lexicon.terms_of_art(original), lexicon.terms_of_art(variant))


def _lost(original: str, variant: str) -> bool:
    # A rate over a long text hides one lost hedge, so that beside the rate at most one may be missing in all.
    return sum(lexicon.modals(original).values()) - sum(lexicon.modals(variant).values()) > 1


def _rewritten(original: str, variant: str) -> Iterator[InvariantResult]:
    left, right = _runs(original), _runs(variant)
    run = _longest_common_run(left, right)
    yield InvariantResult(
        name="longest_common_run",
        value=f"{len(run)} words: {' '.join(run)}",
        threshold=f"at most {MAX_COMMON_RUN} words, terms of art left out",
        passed=len(run) <= MAX_COMMON_RUN,
    )
    fives = [{gram for part in parts for gram in ngrams(part, 5)} for parts in (left, right)]
    share = len(fives[1] & fives[0]) / len(fives[1]) if fives[1] else 0.0
    yield InvariantResult(
        name="five_gram_containment",
        value=f"{share:.3f}",
        threshold=f"at most {MAX_CONTAINMENT:g}, terms of art left out",
        passed=share <= MAX_CONTAINMENT,
    )
    thirteens = ngrams(words(original), 13) & ngrams(words(variant), 13)
    yield InvariantResult(
        name="thirteen_gram_overlap",
        value=f"{len(thirteens)}" + (f": {' '.join(sorted(thirteens)[0])}" if thirteens else ""),
        threshold="0",
        passed=not thirteens,
    )


def _similarity(original: str, variant: str) -> InvariantResult:
    found = embedder()
    cosine = found.cosine(original, variant) if found else None
    return InvariantResult(
        name="embedding_similarity",
        value=f"{NOT_COMPUTED}: the package wordllama is not installed"
        if cosine is None
        else f"{cosine:.3f} by {TABLE}",
        threshold=f"at least {MIN_COSINE:g}",
        passed=cosine is not None and cosine >= MIN_COSINE,
    )


def _entailment(original: str, variant: str, judged: Judgements) -> InvariantResult:
    hashes = (text_sha256(original), text_sha256(variant))
    ways = [judged.get(hashes), judged.get((hashes[1], hashes[0]))]
    said = [f"{way.probability:.2f} by {way.judged_by}" for way in ways if way is not None]
    return InvariantResult(
        name="entailment_both_ways",
        value="; ".join(said) if len(said) == len(ways) else f"{NOT_COMPUTED}: no model has judged both ways",
        threshold=f"at least {MIN_ENTAILMENT:g} each way, advisory",
        passed=len(said) == len(ways) and all(way is not None and way.probability >= MIN_ENTAILMENT for way in ways),
    )


def _same_label(original: str, variant: str, classify: Classify) -> InvariantResult:
    labels = (classify(original), classify(variant))
    return InvariantResult(
        name="rule_reads_same_label",
        value=f"{labels[0]} and {labels[1]}",
        threshold="equal",
        passed=labels[0] == labels[1],
    )


def _length(original: str, variant: str) -> InvariantResult:
    ratio = len(words(variant)) / max(len(words(original)), 1)
    return InvariantResult(
        name="length_ratio",
        value=f"{ratio:.3f}",
        threshold=f"{LENGTH_RATIO[0]:g} to {LENGTH_RATIO[1]:g}",
        passed=LENGTH_RATIO[0] <= ratio <= LENGTH_RATIO[1],
    )


def _names(variant: str, names: Names) -> InvariantResult:
    left = names_left(variant, names)
    return InvariantResult(name="no_names_left", value=", ".join(left) or "none", threshold="none", passed=not left)


def _equal_counts(name: str, left: Counter[str], right: Counter[str]) -> InvariantResult:
    lost, added = left - right, right - left
    said = [f"lost {key} x{count}" for key, count in sorted(lost.items())]
    said += [f"added {key} x{count}" for key, count in sorted(added.items())]
    return InvariantResult(
        name=name, value="; ".join(said) or f"{sum(left.values())} equal", threshold="equal", passed=left == right
    )


def _runs(text: str) -> list[list[str]]:
    return [found for part in lexicon.without_terms(text).split("\x1e") if (found := words(part))]


def _longest_common_run(left: list[list[str]], right: list[list[str]]) -> list[str]:
    """Longest run of words that stands in both, by dynamic programming over word positions."""
    best: list[str] = []
    first = _joined(left)
    second = _joined(right)
    previous = [0] * (len(second) + 1)
    for i, word in enumerate(first, start=1):
        current = [0] * (len(second) + 1)
        for j, other in enumerate(second, start=1):
            if word is not None and word == other:
                current[j] = previous[j - 1] + 1
                if current[j] > len(best):
                    best = [found for found in first[i - current[j] : i] if found is not None]
        previous = current
    return best


def _joined(parts: list[list[str]]) -> list[str | None]:
    """One list of words with None between the parts: a break equals nothing, so that no run crosses it."""
    joined: list[str | None] = []
    for part in parts:
        joined += [*part, None]
    return joined

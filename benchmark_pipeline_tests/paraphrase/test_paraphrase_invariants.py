from __future__ import annotations

import pytest

from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.items.masking import Names
from benchmark_pipeline.paraphrase import checks, lexicon
from benchmark_pipeline.paraphrase.checks import Entailment, failed, invariants
from benchmark_pipeline.paraphrase.similarity import embedder
from benchmark_pipeline.tables.items import InvariantResult

NAMES = Names("Tarnbrook Fittings, Inc.", "Cotterill Vance & Moy LLP")
ORIGINAL = (
    "Management assessed internal control over financial reporting by the framework of COSO (2013). It concluded that, as of "
    "December 31, 2024, internal control over financial reporting was not effective. We identified 2 material weaknesses, which "
    "could result in an error of $4.5 million. Tests of the new reviews were not finished in the fourth quarter. "
    "[COMPANY] may need more time than planned."
)
VARIANT = (
    "With the 2013 framework of COSO in hand, officers examined internal control over financial reporting. Their conclusion: "
    "internal control over financial reporting was not effective at year end, December 31, 2024. There were 2 material "
    "weaknesses, out of which a mistake of $4.5 million could follow. By the fourth quarter testing of reviews in their new "
    "form had not ended. Beyond what it planned, [COMPANY] may require longer."
)


def read(text: str) -> str:
    return "ineffective" if "not effective" in text else "effective"


def broken(variant: str) -> list[str]:
    return failed(invariants(ORIGINAL, variant, NAMES, read))


def test_a_faithful_paraphrase_keeps_every_blocking_invariant() -> None:
    assert broken(VARIANT) == []
    assert len({result.name for result in invariants(ORIGINAL, VARIANT, NAMES, read)}) == 12


@pytest.mark.parametrize(
    ("before", "after", "caught"),
    [
        ("was not effective", "was effective", {"negation_cues", "terms_of_art", "rule_reads_same_label"}),
        ("had not ended", "had ended", {"negation_cues"}),
        ("$4.5 million", "$5.4 million", {"numbers"}),
        ("December 31, 2024", "December 30, 2024", {"numbers"}),
        ("There were 2 ", "There were ", {"numbers"}),
        ("could follow", "follows", {"modals_and_hedges"}),
        ("material weaknesses", "serious flaws", {"terms_of_art"}),
        ("[COMPANY]", "Tarnbrook", {"no_names_left"}),
        ("[COMPANY]", "KPMG LLP", {"no_names_left"}),
    ],
)
def test_what_a_rewrite_may_not_move_is_caught(before: str, after: str, caught: set[str]) -> None:
    assert before in VARIANT
    assert caught <= set(broken(VARIANT.replace(before, after)))


def test_lost_hedges_are_caught() -> None:
    assert "modals_and_hedges" in broken(VARIANT.replace("could follow", "follows").replace("may require", "requires"))


def test_one_hedge_lost_in_a_long_text_is_caught_and_one_exchanged_is_not() -> None:
    long = "The board meets each quarter and reads what the auditors wrote to it about the plants and the mines. " * 20
    for hedge, other in (
        ("may", "might"),
        ("could", "may"),
        ("possibly", "potentially"),
        ("We believe that", "It is likely that"),
    ):
        said, lost, kept = (f"{word} controls fail to find an error." for word in (hedge, "", other))
        found = {end: result_of("modals_and_hedges", long + said, long + end).passed for end in (lost, kept)}
        assert found == {lost: False, kept: True}, hedge


def result_of(name: str, original: str, variant: str) -> InvariantResult:
    [result] = [result for result in invariants(original, variant, NAMES, read) if result.name == name]
    return result


def test_a_copied_passage_is_caught_by_all_three_overlap_measures() -> None:
    assert {"longest_common_run", "five_gram_containment", "thirteen_gram_overlap"} <= set(broken(ORIGINAL))


def test_a_single_copied_sentence_is_caught() -> None:
    sentence = "Tests of the new reviews were not finished in the fourth quarter."
    copied = VARIANT.replace("By the fourth quarter testing of reviews in their new form had not ended.", sentence)
    assert "longest_common_run" in broken(copied)


def test_half_a_text_is_caught() -> None:
    assert "length_ratio" in broken(VARIANT[: len(VARIANT) // 2])


installed = pytest.mark.skipif(embedder() is None, reason="the package wordllama is not installed (make install)")


@installed
def test_a_text_about_something_else_or_half_of_it_is_seen_by_its_embedding() -> None:
    other = "The kitchen served soup and bread to forty guests, who then walked to the river and took a boat home. " * 3
    for variant in (other, ORIGINAL[: len(ORIGINAL) // 4], ""):
        assert "embedding_similarity" in broken(variant)
    assert result_of("embedding_similarity", ORIGINAL, ORIGINAL).value.startswith("1.000 by WordLlama")


def test_without_the_embedding_table_the_check_says_so_and_blocks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "embedder", lambda: None)
    result = result_of("embedding_similarity", ORIGINAL, VARIANT)
    assert (result.passed, result.value) == (False, "not computed: the package wordllama is not installed")
    assert broken(VARIANT) == []


def test_a_judges_opinion_is_stored_for_both_ways_and_blocks_nothing() -> None:
    unjudged = result_of("entailment_both_ways", ORIGINAL, VARIANT)
    assert unjudged.value == "not computed: no model has judged both ways"
    hashes = (text_sha256(ORIGINAL), text_sha256(VARIANT))
    for back, passed in ((0.95, True), (0.4, False)):
        judged = {hashes: Entailment(0.97, "a/judge-2026-01-01"), hashes[::-1]: Entailment(back, "a/judge-2026-01-01")}
        results = invariants(ORIGINAL, VARIANT, NAMES, read, judged)
        [result] = [result for result in results if result.name == "entailment_both_ways"]
        assert result.passed is passed and result.value.startswith("0.97 by a/judge-2026-01-01; ")
        assert failed(results) == []


def test_one_date_in_two_spellings_is_one_number() -> None:
    assert lexicon.numbers("December 31, 2024") == lexicon.numbers("31 December 2024") == {"2024-december-31": 1}
    assert lexicon.numbers("5 percent of $1,000") == lexicon.numbers("5% of $1000")


def test_not_effective_is_not_counted_as_effective() -> None:
    assert sum(lexicon.terms_of_art("was not effective").values()) == 1
    assert lexicon.terms_of_art("was not effective") != lexicon.terms_of_art("was effective")

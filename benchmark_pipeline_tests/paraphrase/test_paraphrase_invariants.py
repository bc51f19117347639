from __future__ import annotations

import pytest

from benchmark_pipeline.items.masking import Names
from benchmark_pipeline.paraphrase import lexicon
from benchmark_pipeline.paraphrase.checks import failed, invariants

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
        ("could follow", "follows", set()),
        ("material weaknesses", "serious flaws", {"terms_of_art"}),
        ("[COMPANY]", "Tarnbrook", {"no_names_left"}),
        ("[COMPANY]", "KPMG LLP", {"no_names_left"}),
    ],
)
def test_what_a_rewrite_may_not_move_is_caught(before: str, after: str, caught: set[str]) -> None:
    assert before in VARIANT
    assert caught <= set(broken(VARIANT.replace(before, after)))


def test_lost_hedges_are_caught() -> None:
    assert broken(VARIANT.replace("could follow", "follows").replace("may require", "requires")) == [
        "modals_and_hedges"
    ]


def test_a_copied_passage_is_caught_by_all_three_overlap_measures() -> None:
    assert {"longest_common_run", "five_gram_containment", "thirteen_gram_overlap"} <= set(broken(ORIGINAL))


def test_a_single_copied_sentence_is_caught() -> None:
    sentence = "Tests of the new reviews were not finished in the fourth quarter."
    copied = VARIANT.replace("By the fourth quarter testing of reviews in their new form had not ended.", sentence)
    assert "longest_common_run" in broken(copied)


def test_half_a_text_is_caught() -> None:
    assert "length_ratio" in broken(VARIANT[: len(VARIANT) // 2])


def test_model_based_checks_say_that_they_were_not_computed_and_block_nothing() -> None:
    results = {result.name: result for result in invariants(ORIGINAL, VARIANT, NAMES, read)}
    for name in ("embedding_similarity", "entailment_both_ways"):
        assert results[name].value.startswith("not_computed")
        assert not results[name].passed


def test_one_date_in_two_spellings_is_one_number() -> None:
    assert lexicon.numbers("December 31, 2024") == lexicon.numbers("31 December 2024") == {"2024-december-31": 1}
    assert lexicon.numbers("5 percent of $1,000") == lexicon.numbers("5% of $1000")


def test_not_effective_is_not_counted_as_effective() -> None:
    assert sum(lexicon.terms_of_art("was not effective").values()) == 1
    assert lexicon.terms_of_art("was not effective") != lexicon.terms_of_art("was effective")

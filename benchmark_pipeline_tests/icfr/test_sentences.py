"""Where a sentence ends: not at an abbreviation, but at the name of a form and at a company's name that ends one."""

import pytest

from benchmark_pipeline.icfr.language import sentences

NEXT = "Based on it, our officers concluded that our disclosure controls were effective."


def _split(text):
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    "first",
    [
        "We evaluated the controls as of the end of the period covered by this Annual Report on Form 10-K.",
        "We evaluated the controls for this report on Form 20\u2011F.",
        "Our officers maintain disclosure controls for Quillmere Pumps, Inc.",
        "The report speaks of Quillmere Pumps Co., of Duluth, and of Quillmere Dyes Ltd.",
        "The controls are those of Quillmere Bank, N.A.",
        "We made the evaluation under the rules of the U.S. Commission.",
    ],
)
def test_a_sentence_ends_before_the_next_one(first):
    assert _split(f"{first} {NEXT}") == [first, NEXT]


@pytest.mark.parametrize(
    "sentence",
    [
        "Quillmere Pumps, Inc. Board members reviewed the controls.",
        "The audit by Brackwell, Thorne & Co. Partners found nothing.",
        "John Q. Thorne and Mary A. Based signed the report.",
        "See No. 4 and Rule 13a-15 of the U.S. Exchange Act.",
        "Messrs. Brackwell and Thorne have reviewed the report of Dr. Quill.",
    ],
)
def test_an_abbreviation_ends_no_sentence(sentence):
    assert _split(sentence) == [sentence]


def test_a_conclusion_is_told_by_its_own_sentence():
    told = f"We evaluated the controls covered by our Annual Report on Form 10-K. {NEXT}"
    (_, conclusion) = sentences(told)
    assert told[conclusion.start : conclusion.end] == NEXT

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_rows import SECTIONS, filing

from benchmark_pipeline.items.arms import OMISSION, diagnostic_items, states_conclusion, without_conclusion
from benchmark_pipeline.items.masking import Names
from benchmark_pipeline.items.selection import reject
from benchmark_pipeline.items.task_c import section_item
from benchmark_pipeline.tables.items import ItemRow

TEXT = (
    "Item 9A. Controls and Procedures\n"
    "Management of Tarnbrook Fittings, Inc. assessed the plants, the pay of the fitters and the stock of brass during the "
    "fourth quarter, and internal audit drew samples in each of the three plants. It concluded that internal control over "
    "financial reporting was not effective. There was a material weakness. Reviews of the brass count were not performed, and "
    "two people left.\n"
    "Cotterill Vance & Moy LLP issued an adverse opinion."
)


def item(text: str = TEXT) -> ItemRow:
    made = section_item(filing(text))
    assert made is not None and made.reject_reason is None
    return made


def test_sentences_that_state_the_conclusion_go_and_the_facts_stay() -> None:
    masked = without_conclusion(TEXT)
    assert "Reviews of the brass count were not performed, and two people left." in masked
    assert masked.count(OMISSION) == 2  # two removed sentences side by side are one mark
    assert not states_conclusion(masked)
    assert len(masked.split("\n")) == len(TEXT.split("\n"))


@pytest.mark.parametrize(
    "sentence",
    [
        "Our controls were ineffective.",
        "We identified two material weaknesses.",
        "Management reached the conclusion that nothing was amiss.",
        "The firm gave an adverse opinion.",
        "The remediation goes on.",
    ],
)
def test_each_way_of_stating_the_conclusion_is_removed(sentence: str) -> None:
    assert without_conclusion(f"{sentence} Stock was counted.") == f"{OMISSION} Stock was counted."


@given(st.lists(st.sampled_from(["We were not effective.", "Stock was counted.", "A material weakness existed."])))
def test_no_conclusion_is_ever_left(parts: list[str]) -> None:
    masked = without_conclusion(" ".join(parts))
    assert not states_conclusion(masked)
    assert masked.count("Stock was counted.") == parts.count("Stock was counted.")


def test_each_accepted_item_has_one_twin_an_arm_with_its_gold() -> None:
    original = item()
    names = {
        (original.accession or "", original.cik or ""): Names("Tarnbrook Fittings, Inc.", "Cotterill Vance & Moy LLP")
    }
    left_out = reject(item(SECTIONS[0]), "not_sampled", "")
    twins = diagnostic_items([original, left_out], ["names_masked", "conclusion_masked"], names)
    assert Counter(twin.arm for twin in twins) == {"names_masked": 1, "conclusion_masked": 1}
    assert {twin.twin_of for twin in twins} == {original.item_id}
    assert {twin.gold_icfr for twin in twins} == {original.gold_icfr}
    assert len({twin.item_id for twin in (*twins, original)}) == 3
    named = next(twin for twin in twins if twin.arm == "names_masked")
    assert "[COMPANY]" in named.text and "Tarnbrook" not in named.text and "Cotterill" not in named.text


def test_a_section_of_which_nothing_is_left_is_rejected_with_the_reason() -> None:
    text = (
        "Management concluded that internal control over financial reporting was effective for the year that has ended. "
        * 4
    )
    [twin] = diagnostic_items([item(text)], ["conclusion_masked"], {})
    assert twin.reject_reason == "too_short"

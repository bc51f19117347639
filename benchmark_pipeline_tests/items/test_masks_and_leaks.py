from __future__ import annotations

import pytest

from benchmark_pipeline.items.language import is_english
from benchmark_pipeline.items.leak_filter import keyword_component, keyword_icfr, leaks, mask_leaks, prepare
from benchmark_pipeline.items.masking import Names, company_variants, mask_names, names_left

NAMES = Names("TARNBROOK FITTINGS CORP", "Cotterill Vance & Moy LLP", ("Quillan Instruments, Inc.",))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Tarnbrook Fittings Corp. files this report.", "[COMPANY] files this report."),
        ("Tarnbrook’s officers", "[COMPANY]’s officers"),
        ("audited by Cotterill Vance & Moy LLP, which", "audited by [AUDITOR], which"),
        ("audited by KPMG LLP.", "audited by [AUDITOR]."),
        ("we bought Quillan Instruments, Inc. in May", "we bought [SUBSIDIARY_1] in May"),
        ("common stock (NYSE: TBF)", "common stock [TICKER]"),
        ("under CIK 0001234567", "under [NUMBER]"),
    ],
)
def test_names_become_marks(text: str, wanted: str) -> None:
    assert mask_names(text, NAMES) == wanted
    assert names_left(wanted, NAMES) == []
    assert names_left(text, NAMES) != []


def test_an_ordinary_first_word_alone_is_not_a_name() -> None:
    assert company_variants("General Internal Holdings, Inc.") == [
        "General Internal Holdings, Inc.",
        "General Internal",
    ]
    assert mask_names("general control", Names("General Internal Holdings, Inc.")) == "general control"


@pytest.mark.parametrize(
    "text",
    [
        "an ineffective Control Environment", "our risk assessment process", "under COSO Principle 10",
        "principles 4, 5 and 7", "Information & Communication", "monitoring activities", "Monitoring: no internal audit",
        "Committee of Sponsoring Organizations of the Treadway Commission", "AS 2201.69",
    ],
)  # fmt: skip
def test_component_and_framework_words_are_masked(text: str) -> None:
    assert leaks(text, "component")
    assert leaks(mask_leaks(text, "component"), "component") == []


@pytest.mark.parametrize(
    "text",
    ["a Material Weakness", "significant\ndeficiencies", "(MW)", "Type of Finding: Material noncompliance",
     "a repeat finding of 2021-004", "a qualified opinion on the program"],
)  # fmt: skip
def test_tier_words_and_their_consequences_are_masked(text: str) -> None:
    assert leaks(text, "severity")
    assert leaks(mask_leaks(text, "severity"), "severity") == []


@pytest.mark.parametrize("text", ["the md of the sd card", "we monitor prices", "risk of loss", "a principle of ours"])
def test_ordinary_words_stay(text: str) -> None:
    assert mask_leaks(text, "component", "severity") == text


def test_a_passage_is_shown_without_its_list_mark_names_or_labels() -> None:
    shown = prepare("•  Tarnbrook  did not maintain\na control environment.", NAMES, "component")
    assert shown == "[COMPANY] did not maintain a [COMPONENT]."


def test_keyword_rules_answer_what_their_words_say() -> None:
    assert keyword_component("insufficient complement of qualified personnel") == "control_environment"
    assert keyword_component("xyz") == "control_activities"
    assert keyword_icfr("our control was not effective") == "deficient"
    assert keyword_icfr("our control was effective; a material weakness is a deficiency such that") == "clean"


def test_english_is_told_from_other_languages() -> None:
    english = (
        "The officers of the company have concluded that the controls which we describe in this item were effective."
    )
    german = "Die Geschäftsleitung ist zu dem Schluss gekommen, dass das interne Kontrollsystem zum Ende des Jahres wirksam war und alle wesentlichen Risiken abdeckt."
    assert is_english(english)
    assert not is_english(german)

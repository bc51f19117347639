"""Baselines: rules that answer every task in the task's own schema."""

from __future__ import annotations

import json

import pytest
from evaluation_examples import CLEAN, DEFICIENT, item

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.evaluation.baselines import baseline_answers, baseline_parameters, fold_of
from benchmark_pipeline.evaluation.outcomes import read_answer
from benchmark_pipeline.tables.items import TASKS

RULES = ["always-clean", "always-deficient", "keyword", "majority", "length"]


def answers(rule: str, items: list) -> list[dict]:
    found = baseline_answers(f"baseline/{rule}", items)
    return [json.loads(found[one.item_id]) for one in items]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_answers_every_task_in_its_schema(rule, task):
    items = [item(task, company=str(number)) for number in range(12)]
    for text in baseline_answers(f"baseline/{rule}", items).values():
        assert read_answer(task, text).outcome == "answered", text


@pytest.mark.parametrize("rule", RULES)
def test_a_single_item_is_answered_too(rule):
    assert answers(rule, [item("C")])[0]["icfr"] in ("clean", "deficient")


def test_the_constant_rules_are_constant():
    items = [item("C", text=text, company=text[:9]) for text in (CLEAN, DEFICIENT)]
    assert answers("always-clean", items) == [{"icfr": "clean"}] * 2
    assert answers("always-deficient", items) == [{"icfr": "deficient"}] * 2


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (CLEAN, "clean"),
        (DEFICIENT, "deficient"),
        ("Management identified a material weakness in revenue.", "deficient"),
        ("A material weakness is a deficiency such that a misstatement could occur. Controls were effective.", "clean"),
        ("Management did not identify any material weakness. Controls were effective.", "clean"),
        ("Our controls were ineffective.", "deficient"),
    ],
)
def test_the_keyword_rule_reads_stock_phrases(text, verdict):
    assert answers("keyword", [item("C", text=text)]) == [{"icfr": verdict}]


def test_the_keyword_rule_names_a_cause_and_quotes_its_sentence():
    text = "Errors were found. The Company lacked qualified personnel in tax. They were corrected."
    answer = answers("keyword", [item("D", text=text)])[0]
    assert answer == {
        "citation": "COSO-4",
        "component": "control_environment",
        "evidence": "The Company lacked qualified personnel in tax.",
    }


def test_majority_learns_from_other_companies_only():
    # All deficient items belong to one company. Its own items see only the clean ones, the others see the majority.
    own = [item("C", text=f"own {n}", company="A", gold_icfr="deficient") for n in range(9)]
    others = [item("C", text=f"other {n}", company=name, gold_icfr="clean") for n, name in enumerate("BCDEFGHIJK")]
    assert {answer["icfr"] for answer in answers("majority", own + others)[:9]} == {"clean"}


def test_length_finds_a_length_that_gives_the_answer_away():
    items = []
    for number in range(40):
        clean = number % 2 == 0
        text = "word " * (20 if clean else 200)
        items.append(item("C", text=text, company=str(number), gold_icfr="clean" if clean else "deficient"))
    assert [answer["icfr"] for answer in answers("length", items)] == [one.gold_icfr for one in items]


def test_a_fitted_rule_is_asked_again_when_gold_changes_and_a_fixed_one_is_not():
    before = [item("C", company="1"), item("C", text=DEFICIENT, company="2")]
    after = [before[0], before[1].model_copy(update={"gold_icfr": "deficient"})]
    for rule, changes in (("majority", True), ("length", True), ("keyword", False), ("always-clean", False)):
        name = f"baseline/{rule}"
        assert (baseline_parameters(name, before) != baseline_parameters(name, after)) == changes


def test_items_of_a_company_share_a_fold():
    assert fold_of("0000000001") == fold_of("0000000001")
    assert len({fold_of(str(number)) for number in range(100)}) == 5


def test_an_unknown_rule_is_refused_with_the_known_ones():
    with pytest.raises(ConfigurationError, match="baseline/majority"):
        baseline_answers("baseline/oracle", [])

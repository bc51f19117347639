from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.candidates import auc
from benchmark_pipeline.items.scenario_rules import coverage, validate, validate_pair
from benchmark_pipeline.items.scenarios import load_scenarios
from benchmark_pipeline.items.sentences import words
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.tables.items import ScenarioRow

FOLDER = PROJECT_ROOT / "scenarios"
DEMO = FOLDER / "demo"
BASE = DEMO / "b001-reviewer-independence.yaml"


def pair() -> list[ScenarioRow]:
    return [row for row in load_scenarios(DEMO) if row.pair_id == BASE.stem]


def rules(*halves: ScenarioRow) -> set[str]:
    return {violation.rule for violation in validate_pair(halves[0].pair_id, halves)}


def test_the_authored_scenarios_keep_every_rule_of_construction() -> None:
    rows = load_scenarios(FOLDER)
    assert validate(rows) == []
    pairs = [row for row in rows if row.pair_role == "control"]
    assert len(pairs) >= 60
    kinds = Counter(row.pair_kind for row in pairs)
    assert kinds["null"] >= 8 and kinds["reverse_plausible"] >= 8
    assert all(row.drafted_by == "anthropic/claude" for row in rows)


def test_the_authored_set_follows_its_plan_of_coverage() -> None:
    pairs = [row for row in load_scenarios(FOLDER) if row.pair_role == "control"]
    assert set(Counter(row.archetype for row in pairs).values()) == {5}
    assert Counter(row.entity_size for row in pairs) == {"small": 20, "mid": 20, "large": 20}
    assert min(Counter(row.process for row in pairs).values()) >= 6
    null = Counter((row.archetype, row.designed_effectively) for row in pairs if row.pair_kind == "null")
    # A null pair puts the same verdict on both halves: one of each kind keeps the archetype balanced.
    assert all(null[(archetype, True)] == null[(archetype, False)] == 1 for archetype, _ in null)


def test_no_half_is_told_by_length_or_by_words_of_negation() -> None:
    cue = re.compile(r"\b(?:not|no|never|nothing|nobody|exempt|excluding|without|alone)\b")
    scores: dict[str, list[tuple[float, bool]]] = {"length": [], "negation": []}
    for row in load_scenarios(FOLDER):
        text = f"{row.process_narrative} {row.control_description}"
        scores["length"].append((len(words(text)), row.designed_effectively))
        scores["negation"].append((len(cue.findall(text)), row.designed_effectively))
    areas = {name: auc(found) for name, found in scores.items()}
    assert all(area is not None and 0.4 <= area <= 0.6 for area in areas.values()), areas


def test_the_demo_reads_its_own_few_pairs_and_a_full_build_reads_all() -> None:
    demo = load_scenarios(demo_settings().scenarios_folder)
    every = {row.scenario_id: row for row in load_scenarios(Settings().scenarios_folder)}
    assert len(demo) == 16
    # The path is no part of the identity: a pair is the same item in both profiles.
    assert all(every[row.scenario_id] == row for row in demo)
    assert {(PROJECT_ROOT / row.source_path).is_file() for row in every.values()} == {True}


def test_two_pairs_that_read_alike_are_seen() -> None:
    rows = load_scenarios(DEMO)
    twins = [
        row.model_copy(
            update={"pair_id": "b900", "process_narrative": row.process_narrative.replace("Tarnbrook", "Wexley")}
        )
        for row in pair()
    ]
    assert "pairs_read_apart" in {v.rule for v in validate([*rows, *twins]) if v.severity == "error"}
    assert "pairs_read_apart" not in {v.rule for v in validate(rows)}


def test_a_full_set_with_few_reverse_plausible_pairs_is_refused() -> None:
    rows = [row for row in load_scenarios(FOLDER) if row.pair_kind != "reverse_plausible"]
    assert "reverse_plausible_pairs" in {v.rule for v in validate(rows) if v.severity == "error"}


def test_the_halves_of_an_authored_pair_differ_in_the_marked_sentence_alone() -> None:
    control, variant = pair()
    assert control.process_narrative == variant.process_narrative
    assert control.designed_effectively and not variant.designed_effectively
    assert variant.gap_type == "management_review"


def test_a_second_changed_sentence_is_seen() -> None:
    control, variant = pair()
    changed = variant.model_copy(update={"process_narrative": variant.process_narrative.replace("hydraulic", "brass")})
    assert rules(control, changed) == {"one_sentence"}


def test_a_change_of_more_than_fifteen_words_is_seen() -> None:
    control, variant = pair()
    longer = variant.model_copy(
        update={"control_description": variant.control_description.replace(
            "who prepared the reconciliation, reviews it.",
            "who also prepared all of the said reconciliation in the first place and at some length, looks it over again.")}
    )  # fmt: skip
    assert "small_change" in rules(control, longer)


def test_a_pair_without_a_change_is_seen() -> None:
    control, variant = pair()
    same = variant.model_copy(update={"control_description": control.control_description})
    assert {"one_sentence", "small_change"} <= rules(control, same)


def test_a_longer_half_is_seen() -> None:
    control, variant = pair()
    sentence = "who prepared the reconciliation, reviews it."
    assert sentence in variant.control_description
    longer = variant.control_description.replace(
        sentence, "who prepared the reconciliation, reviews it" + "s" * 200 + "."
    )
    assert "same_length" in rules(control, variant.model_copy(update={"control_description": longer}))


def test_two_equal_verdicts_of_a_minimal_pair_are_seen() -> None:
    control, variant = pair()
    both = variant.model_copy(update={"designed_effectively": True, "gap_type": None, "severity": None})
    assert rules(control, both) == {"one_half_effective"}


def test_a_null_pair_that_moves_its_verdict_is_seen() -> None:
    halves = [half.model_copy(update={"pair_kind": "null"}) for half in pair()]
    assert rules(*halves) == {"null_keeps_verdict"}


def test_a_reverse_plausible_pair_whose_gap_sounds_plain_is_seen() -> None:
    halves = [half.model_copy(update={"pair_kind": "reverse_plausible"}) for half in pair()]
    assert rules(*halves) == {"bad_half_sounds_formal"}


def test_it_general_controls_are_seen() -> None:
    halves = [half.model_copy(update={"risk": half.risk + " User access is not reviewed."}) for half in pair()]
    assert rules(*halves) == {"no_it_general_controls"}


def test_a_missing_half_is_seen() -> None:
    control, _ = pair()
    assert rules(control) == {"pair_complete"}


def test_a_narrative_of_another_length_is_seen() -> None:
    halves = [
        half.model_copy(update={"control_description": half.control_description + " Noted." * 80}) for half in pair()
    ]
    assert rules(*halves) == {"length"}


def test_an_unbalanced_set_is_seen() -> None:
    null = [row for row in load_scenarios(DEMO) if row.pair_kind == "null"]
    rows = [row.model_copy(update={"pair_id": f"b{number}"}) for row in null for number in range(3)]
    assert {"balance", "null_pairs", "coverage"} <= {v.rule for v in validate(rows)}


def test_the_coverage_matrix_counts_each_pair_once() -> None:
    rows = load_scenarios(FOLDER)
    total = sum(value for line in coverage(rows) for value in line.values() if isinstance(value, int))
    assert total == len(rows) / 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"process": "marketing"}, "process"),
        ({"narrative": "No mark here.", "control": "None here either."}, "0 times"),
        (
            {"expected": {"control": {"designed_effectively": True}, "variant": {"designed_effectively": False}}},
            "gap_type",
        ),
        ({"colour": "red"}, "colour"),
        ({"pair_id": "b999-other"}, "name the file"),
    ],
)
def test_a_wrong_file_is_refused_by_name_and_field(tmp_path: Path, change: dict[str, object], said: str) -> None:
    content = {**yaml.safe_load(BASE.read_text(encoding="utf-8")), **change}
    (tmp_path / BASE.name).write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(BenchError) as error:
        load_scenarios(tmp_path)
    assert BASE.name in str(error.value) and said in str(error.value)


def test_a_pair_id_in_two_folders_is_refused(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / BASE.name).write_bytes(BASE.read_bytes())
    with pytest.raises(BenchError, match=r"used by one/"):
        load_scenarios(tmp_path)

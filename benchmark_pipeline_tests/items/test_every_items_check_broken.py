"""Every check of the stage, found by introspection: it holds on a sound lake, and fails on what it is for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import dagster as dg
import pytest
from item_rows import review
from test_items_assets import built, made_settings  # noqa: F401 - `built` is a fixture

from benchmark_pipeline.checks import items as items_checks
from benchmark_pipeline.items.identity import text_sha256
from benchmark_pipeline.items.scenarios import load_scenarios
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import AppendLog, Lake
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow, ParaphraseRow, ScenarioRow


@cache
def all_scenarios() -> list[ScenarioRow]:
    return load_scenarios(PROJECT_ROOT / "scenarios")


class Sound:
    """A lake on which every check holds, and the ways to change it."""

    def __init__(self, folder: Path) -> None:
        self.settings = made_settings(folder)
        self.lake = Lake(self.settings.storage_root)

    def items(self, table: str = "candidate_items") -> list[ItemRow]:
        return self.lake.read(ItemRow, table)

    def change(self, task: str, table: str = "candidate_items", **columns: object) -> None:
        """Changes the first accepted item of a task; of Task C the clean one."""
        rows = self.items(table)
        index = next(
            n
            for n, item in enumerate(rows)
            if item.task == task and item.reject_reason is None and item.gold_icfr in (None, "clean")
        )
        rows[index] = rows[index].model_copy(update=columns)
        self.lake.write(table, rows)

    def keep(self, wanted: Callable[[ItemRow], bool], table: str = "candidate_items") -> None:
        self.lake.write(table, [item for item in self.items(table) if wanted(item)])

    def scenarios(self, change: Callable[[ScenarioRow], ScenarioRow] | None = None, drop: int = 0) -> None:
        rows = all_scenarios()
        self.lake.write("scenarios", [change(row) if change else row for row in rows][drop:])

    def log(self, **columns: object) -> None:
        log = AppendLog(self.settings.review_log_folder)
        log.append(review("C-1", text_sha256("x"), **columns))
        log.close()

    def readers_disagree(self) -> None:
        start = datetime(2026, 1, 5, tzinfo=UTC)
        rows = [
            ItemReviewRow.model_validate(
                review(item.item_id, item.text_sha256, decision_id=f"{item.item_id}-{who}", reviewer=who, decision=what,
                       reason="no", decided_at=start + timedelta(minutes=n))
            )
            for n, item in enumerate(item for item in self.items() if item.task == "B")
            for who, what in (("M. Achterberg", "accept"), ("R. Osei", "reject"))
        ]  # fmt: skip
        self.lake.write("item_reviews", rows)

    def hard_item_left_out(self, rating: str) -> None:
        items = [
            item.model_copy(update={"clean_rating": rating}) if item.clean_rating else item for item in self.items()
        ]
        clean = next(item for item in items if item.clean_rating)
        left = clean.model_copy(update={"strata": ["scope_out"], "reject_reason": "not_sampled", "item_id": "C-1"})
        self.lake.write("candidate_items", [*items, left])

    def citation_without_evidence(self) -> None:
        described = next(item for item in self.items() if item.task == "A" and item.reject_reason is None)
        self.lake.write("candidate_items", [
            *self.items(),
            described.model_copy(update={"task": "D", "gold_citation": "COSO-10", "gold_citations_accepted": ["COSO-10"]}),
        ])  # fmt: skip

    def cued(self) -> None:
        """Leaves Task C alone, where the only deficient item is told by its keywords."""
        self.keep(lambda item: item.task == "C")

    def twin(self, **columns: object) -> None:
        [twin] = self.lake.read(ParaphraseRow, "paraphrased_subset")
        self.lake.write("paraphrased_subset", [twin.model_copy(update=columns)])


Break = Callable[[Sound], None]
BREAKS: dict[str, Sequence[Break]] = {
    "every_scenario_pair_keeps_the_construction_rules": [lambda s: s.scenarios(drop=1)],
    "scenario_pairs_are_balanced_and_cover_the_plan": [
        lambda s: s.lake.write("scenarios", all_scenarios()[:4]),
    ],
    "every_item_id_is_unique_and_derives_from_its_text": [
        lambda s: s.change("C", text="Another text."),
        lambda s: s.change("A", text_sha256=text_sha256("another")),
        lambda s: s.lake.write("candidate_items", [*s.items(), s.items()[0]]),
    ],
    "severity_stands_only_on_gradient_bearing_items": [
        lambda s: s.change("C", gradient_bearing=True),
        lambda s: s.change("C", gold_severity="material_weakness"),
        lambda s: s.change("A", gold_severity="material_weakness", gradient_bearing=False),
    ],
    "every_item_states_its_provenance_and_regime": [
        lambda s: s.change("C", jurisdiction="XX"),
        lambda s: s.change("C", regime="uniform_guidance"),
        lambda s: s.change("C", source_span=None),
        lambda s: s.change("C", accession=None),
        lambda s: s.change("B", drafted_by=None),
    ],
    "every_accepted_item_has_the_gold_of_its_task": [
        lambda s: s.change("A", gold_component=None),
        lambda s: s.change("B", gold_effective=None),
        lambda s: s.change("C", clean_rating=None),
        lambda s: s.change("C", fiscal_year_end=None),
        lambda s: s.citation_without_evidence(),
    ],
    "no_item_text_prints_its_own_label": [lambda s: s.change("A", text="a weak control environment")],
    "an_accession_gives_at_most_one_item_a_task": [
        lambda s: s.lake.write("candidate_items", [*s.items(), next(i for i in s.items() if i.task == "C")]),
    ],
    "candidates_reconcile_with_their_sources": [
        lambda s, task=task: s.keep(lambda item: item.task != task) for task in "ABCD"  # type: ignore[misc]
    ],
    "clean_share_lies_between_35_and_65_percent": [lambda s: s.keep(lambda item: item.gold_icfr != "deficient")],
    "hard_strata_hold_30_percent_of_clean_items_where_there_are_enough": [
        lambda s: s.hard_item_left_out("attested"),
        lambda s: s.hard_item_left_out("management_only"),
    ],
    "every_item_text_reads_as_english": [
        lambda s: s.change("C", text="Die Geschäftsleitung hat die Wirksamkeit der Kontrollen über die Finanzberichterstattung "
                           "zum Ende des Jahres beurteilt und ist zu dem Schluss gekommen, dass sie wirksam waren."),
        lambda s: s.change("C", language="fr"),
    ],
    "surface_rules_do_not_recover_the_gold": [
        Sound.cued,
    ],
    "every_record_of_the_review_log_is_accounted_for": [
        lambda s: s.lake.write("item_reviews", [ItemReviewRow.model_validate(review("C-1", text_sha256("x")))]),
    ],
    "no_review_decision_was_refused": [
        lambda s: s.log(reviewer="openai/gpt-5"),
        lambda s: s.log(decision="reject"),
        lambda s: s.log(decided_at="2126-01-01T00:00:00+00:00"),
    ],
    "readers_agree_beyond_chance": [Sound.readers_disagree],
    "every_usable_paraphrase_keeps_all_blocking_invariants": [
        lambda s: s.twin(status="usable"),
        lambda s: s.twin(status="usable", reject_reasons=[]),
        lambda s: s.twin(reject_reasons=[]),
        lambda s: s.twin(invariants=[]),
        lambda s: s.twin(reject_reasons=["another_twin_is_used"], invariants=passing(s)),
    ],
    "the_item_set_reconciles_with_candidates_twins_and_reviews": [
        lambda s: s.change("C", "labeled_items", review_status="accepted"),
        lambda s: s.keep(lambda item: item.task != "A", "labeled_items"),
        lambda s: s.lake.write("labeled_items", [*s.items("labeled_items"), s.items()[0].model_copy(update={"item_id": "A-1"})]),
    ],
    "every_scenario_pair_and_every_twin_is_complete": [
        lambda s: s.keep(lambda item: item.pair_role != "variant", "labeled_items"),
        lambda s: s.change("C", "labeled_items", arm="names_masked", twin_of="C-0"),
    ],
}  # fmt: skip


def passing(sound: Sound) -> list[object]:
    [twin] = sound.lake.read(ParaphraseRow, "paraphrased_subset")
    return [result.model_copy(update={"passed": True}) for result in twin.invariants]


def holds(settings: Settings, lake: Lake, name: str) -> bool:
    [check] = [check for check in items_checks.build(settings) if check.check_key.name == name]
    # The function itself: called through Dagster each of a hundred calls would set up an instance.
    result = check.node_def.compute_fn.decorated_fn(lake=lake)  # type: ignore[attr-defined]
    assert isinstance(result, dg.AssetCheckResult)
    assert result.passed or result.metadata["found"].value, "a failed check names what it found"
    return bool(result.passed)


@pytest.fixture(scope="module")
def sound(built: Path) -> Path:  # noqa: F811 - the fixture
    """The built lake with the scenarios that its items come from."""
    prepared = Sound(built)
    few = [row for row in all_scenarios() if row.source_path.startswith("scenarios/demo/")]
    prepared.lake.write("scenarios", few)
    return built


def test_every_check_of_the_stage_is_broken_here() -> None:
    assert {check.check_key.name for check in items_checks.build(Settings())} == set(BREAKS)


@pytest.mark.parametrize("name", BREAKS)
def test_a_check_holds_until_it_is_broken(sound: Path, tmp_path: Path, name: str) -> None:
    for number, broken in enumerate(BREAKS[name]):
        folder = tmp_path / str(number)
        shutil.copytree(sound / "data", folder / "data", ignore=shutil.ignore_patterns("dagster"))
        case = Sound(folder)
        if name == "surface_rules_do_not_recover_the_gold":
            everything = case.items()
            case.keep(lambda item: item.task == "B")  # no rule has anything to say about scenarios
            assert holds(case.settings, case.lake, name)
            case.lake.write("candidate_items", everything)
        else:
            if name == "scenario_pairs_are_balanced_and_cover_the_plan":
                case.scenarios()  # eight pairs alone leave gaps, and the check says so
            assert holds(case.settings, case.lake, name)
        broken(case)
        assert not holds(case.settings, case.lake, name), number

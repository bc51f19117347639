"""The evaluation stage through Dagster: partitions, a second run without a call, checks that fail when they should."""

from __future__ import annotations

import shutil
from pathlib import Path

import dagster as dg
import pytest
from evaluation_examples import CLEAN, DEFICIENT, item

from benchmark_pipeline.assets import evaluation as assets
from benchmark_pipeline.checks import evaluation as checks
from benchmark_pipeline.evaluation import audits
from benchmark_pipeline.evaluation.model_registry import ModelEntry
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.evaluation import ModelResponseRow, ParsedAnswerRow, ScoreRow
from benchmark_pipeline.tables.items import ItemRow

MODELS = ["baseline/always-deficient", "baseline/keyword"]
ITEMS = [
    item("C", text=CLEAN, company="1"),
    item("C", text=DEFICIENT, company="2", gold_icfr="deficient"),
    item("A", company="3"),
    item("B", company="4"),
    item("D", company="5"),
]


class Stage:
    """The stage over a lake of its own."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(data_root=folder)
        self.lake = Lake(self.settings.storage_root)
        self.lake.write("labeled_items", ITEMS)
        self.instance = dg.DagsterInstance.ephemeral()
        self.instance.add_dynamic_partitions("models", MODELS)
        upstream = dg.AssetSpec("labeled_items")
        self.assets = {a.key.to_user_string(): a for a in assets.build(self.settings)}
        self.checks = checks.build(self.settings)
        self.everything = [upstream, *self.assets.values(), *self.checks]

    def run(self, names: list[str], partition: str | None = None) -> dg.ExecuteInProcessResult:
        selection = dg.AssetSelection.assets(*names)
        return dg.materialize(
            self.everything,
            selection=selection | selection.required_multi_asset_neighbors() | dg.AssetSelection.checks_for_assets(*[self.assets[n] for n in names]),
            partition_key=partition,
            instance=self.instance,
            raise_on_error=False,
            resources={"lake": self.lake, "model_client": ModelClient(self.settings.response_log_folder)},
        )  # fmt: skip

    def ask_all(self) -> None:
        assert self.run(["prompt_templates"]).success
        for model in MODELS:
            for task in "ABCD":
                assert self.run(["model_responses"], dg.MultiPartitionKey({"model": model, "task": task})).success


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("evaluation"))
    stage.ask_all()
    assert stage.run(["parsed_answers", "scores"]).success
    return stage


def failed_checks(result: dg.ExecuteInProcessResult) -> set[str]:
    return {e.check_name for e in result.get_asset_check_evaluations() if not e.passed}


def test_every_item_is_asked_of_every_model_and_scored_once(stage):
    responses = stage.lake.read(ModelResponseRow, "model_responses")
    scores = stage.lake.read(ScoreRow, "scores")
    assert len(responses) == len(scores) == len(MODELS) * len(ITEMS)
    assert {row.outcome for row in responses} == {"answered"}
    assert {row.scoring_version for row in scores} == {"sv1"}
    assert {row.prompt_version for row in scores} == {"pv1"}
    flagged = [row for row in scores if row.model_id == "baseline/always-deficient" and row.task == "C"]
    assert sorted((row.false_positive, row.true_positive) for row in flagged if row.false_positive is not None) == [
        (True, None)
    ]


def test_a_second_run_makes_no_call_and_writes_the_same_bytes(stage):
    key = dg.MultiPartitionKey({"model": "baseline/keyword", "task": "C"})
    path = Path(stage.lake.path("model_responses", key))
    before = path.read_bytes()
    result = stage.run(["model_responses"], key)
    metadata = result.asset_materializations_for_node("model_responses")[0].metadata
    assert metadata["calls_made"].value == 0
    assert metadata["answered_before"].value == 2
    assert metadata["outcomes"].value == {"answered": 2}
    assert path.read_bytes() == before


def test_a_partition_key_is_model_and_task():
    assert assets.partition_of("local_gguf/smollm2@b179c952|C") == ("local_gguf/smollm2@b179c952", "C")
    for odd in ("model|E", "model", "|A"):
        with pytest.raises(Exception, match="no partition"):
            assets.partition_of(odd)


def test_a_partition_that_lost_a_row_fails_its_check(stage, tmp_path):
    shutil.copytree(stage.settings.data_root, tmp_path, dirs_exist_ok=True)
    stage = Stage(tmp_path)
    for table in ("parsed_answers", "scores"):
        Path(stage.lake.path(table)).unlink()
    key = dg.MultiPartitionKey({"model": "baseline/keyword", "task": "C"})
    rows = stage.lake.read(ModelResponseRow, "model_responses", [key])
    stage.lake.write("model_responses", rows[:1], key)
    result = stage.run(["parsed_answers", "scores"])
    assert not result.success
    assert failed_checks(result) == {"every_model_is_asked_every_item"}
    assert stage.lake.partitions("scores") == []


def test_missing_items_are_told_and_not_taken_for_an_empty_set(tmp_path):
    stage = Stage(tmp_path)
    Path(stage.lake.path("labeled_items")).unlink()
    result = stage.run(["model_responses"], dg.MultiPartitionKey({"model": MODELS[0], "task": "C"}))
    assert not result.success
    assert "materialize labeled_items first" in str(result.failure_data_for_node("model_responses").error)


def responses_of(stage) -> list[ModelResponseRow]:
    return stage.lake.read(ModelResponseRow, "model_responses")


def test_each_audit_sees_what_it_is_for(stage, tmp_path):
    rows = responses_of(stage)
    items = stage.lake.read(ItemRow, "labeled_items")
    parsed, scores = stage.lake.read(ParsedAnswerRow, "parsed_answers"), stage.lake.read(ScoreRow, "scores")
    assert audits.items_not_asked(rows, items) == []
    assert len(audits.items_not_asked(rows[1:], items)) == 1
    assert len(audits.items_not_asked(rows, items[1:])) == 2
    assert audits.repeated_request_keys(rows) == []
    assert audits.repeated_request_keys([*rows, rows[0]]) == [f"{rows[0].request_key[:12]} in 2 rows"]
    drifted = [rows[0].model_copy(update={"returned_model": "other"}), *rows[1:]]
    assert audits.runs_answered_by_several_models(rows) == []
    assert len(audits.runs_answered_by_several_models(drifted)) == 1
    asked = {"openai/m-2026-01-31": ModelEntry(id="openai/m-2026-01-31")}
    other = rows[0].model_copy(update={"model_id": "openai/m-2026-01-31", "returned_model": "m-2026-06-30"})
    assert audits.answered_by_another_model([other], asked) == [
        f"openai/m-2026-01-31, task {other.task}: 1 answers of 'm-2026-06-30'"
    ]
    assert audits.answered_by_another_model([other.model_copy(update={"returned_model": "m-2026-01-31"})], asked) == []
    lost = [rows[0].model_copy(update={"outcome": "not_run"}), *rows[1:]]
    assert len(audits.calls_without_result(lost)) == 1
    cut = [rows[0].model_copy(update={"outcome": "truncated"}), *rows[1:]]
    assert len(audits.truncated_too_often(cut)) == 1
    assert audits.answers_not_scored_once(parsed, scores, items) == []
    assert len(audits.answers_not_scored_once(parsed, scores[1:], items)) == 1
    assert len(audits.answers_not_scored_once(parsed[1:], scores, items)) == 1
    turned = [scores[0].model_copy(update={"answered": False}), *scores[1:]]
    assert len(audits.answers_not_scored_once(parsed, turned, items)) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the value my-short-secret-value", "holds the value of EXAMPLE_KEY"),
        ("Authorization: Bearer abcdefghijklmnop1234", "shaped like a key"),
        ("sk-proj-abcdefghijklmnopqrstuvwxyz", "shaped like a key"),
        ("the task-oriented-and-quite-long-hyphenated-word", None),
    ],
)
def test_key_material_in_a_log_is_found(tmp_path, text, found):
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    problems = audits.key_material([path], {"EXAMPLE_KEY": "my-short-secret-value"})
    assert [found in problem for problem in problems] == ([True] if found else [])
    assert "my-short-secret-value" not in str(problems)


def test_a_key_in_the_log_fails_the_partition(tmp_path):
    stage = Stage(tmp_path)
    assert stage.run(["prompt_templates"]).success
    folder = ModelClient(stage.settings.response_log_folder).log(MODELS[0], "C").folder
    folder.mkdir(parents=True)
    (folder / "0.jsonl").write_text("Bearer abcdefghijklmnop1234\n")
    result = stage.run(["model_responses"], dg.MultiPartitionKey({"model": MODELS[0], "task": "C"}))
    assert not result.success
    assert failed_checks(result) == {"no_key_is_in_the_response_log"}


def test_changed_stored_prompts_fail_their_check(tmp_path):
    stage = Stage(tmp_path)
    sealed = Settings(data_root=tmp_path, prompt_version="pv1")
    result = stage.run(["prompt_templates"])
    assert result.success
    from benchmark_pipeline.tables.evaluation import PromptTemplateRow

    rows = stage.lake.read(PromptTemplateRow, "prompt_templates")
    stage.lake.write("prompt_templates", [rows[0].model_copy(update={"sha256": "0" * 64}), *rows[1:]])
    check = next(
        c
        for c in checks.build(sealed)
        if c.check_specs_by_output_name and "prompts_are_the_sealed_ones" in str(c.check_keys)
    )
    verdict = check(lake=stage.lake)
    assert not verdict.passed
    assert verdict.metadata["problems"].value == 1

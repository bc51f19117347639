"""Drafting by a model behind a local OpenAI-compatible server: what is asked, kept, refused, and never paid for twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "evaluation"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "items"))

from item_rows import SECTIONS, assertion, filing, finding, weakness
from mock_openai import Behaviour, MockOpenAI

from benchmark_pipeline.assets.items import draft_paraphrases, paraphrase_rows, proposed_and_filed_labels
from benchmark_pipeline.checks.items import wrong_twins
from benchmark_pipeline.cli.drafting import Drafter
from benchmark_pipeline.drafting.labels import proposed_labels
from benchmark_pipeline.drafting.log import append_drafts, read_drafts
from benchmark_pipeline.drafting.paraphrases import sections_to_paraphrase
from benchmark_pipeline.drafting.planning import plan_drafts
from benchmark_pipeline.drafting.prompts import load_prompt
from benchmark_pipeline.errors import BenchError, ConfigurationError
from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.items.candidates import accepted, build_candidates
from benchmark_pipeline.paraphrase.drafts import ANOTHER_TWIN, one_twin_an_item
from benchmark_pipeline.resources.model_client import ModelClient
from benchmark_pipeline.settings import PROJECT_ROOT, Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.items import ItemRow

ECHO = "example/echo-2026-01-31"
OTHER = "example/other-2026-01-31"
PRICE = {"input_per_million": 2.0, "output_per_million": 8.0, "as_of": "2026-11-30", "source": "test"}
FAITHFUL = {
    "lumber": "At the lumber mill those in charge studied timber sold, logs counted and wages of sawyers. In every respect "
    "that is material to the company or to a reader of its reports, so they concluded, our internal control over "
    "financial reporting was effective at the close of the year.",
    "shipping": "Fuel, hired charters, wages aboard and docking were what the shipping officers assessed. Because of a "
    "material weakness in how impairment is reviewed, of which directors were informed and which has not been put right "
    "so far, internal control over financial reporting was not effective, they found.",
}
LABEL = {
    "component": "control_environment", "components_accepted": ["control_environment"], "citation": "COSO-4",
    "citations_accepted": ["COSO-4"], "evidence": "did not employ enough people with training in revenue accounting",
    "root_cause_stated": True, "touches_itgc": False,
}  # fmt: skip


def answer(prompt: str, earlier: int) -> Behaviour:
    """A drafter that rewrites the lumber mill's section well, copies the shipping line's, and labels the weakness."""
    if "Rewrite all of it" in prompt:
        faithful = FAITHFUL["lumber"] if "lumber mill" in prompt else SECTIONS[1]
        return Behaviour(content=json.dumps({"paraphrase": faithful}))
    if "Does the first text say everything" in prompt:
        return Behaviour(content=json.dumps({"probability": 0.95}))
    if "performance reports" in prompt:
        return Behaviour(content=json.dumps({**LABEL, "citation": "COSO-18", "citations_accepted": ["COSO-18"]}))
    return Behaviour(content=json.dumps(LABEL))


@pytest.fixture
def server() -> Iterator[MockOpenAI]:
    with MockOpenAI(answer) as running:
        yield running


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Settings]:
    """Settings whose lake holds two sections, a weakness and a finding, none of them drafted or labelled."""

    def made(url: str, **columns: Any) -> Settings:
        entry = {
            "route": "openai/echo-2026-01-31",
            "api_base": url,
            "price": PRICE,
            "enabled": False,
            "max_attempts": 1,
        }
        models = [{**entry, "id": ECHO}, {**entry, "id": OTHER}, {"id": "baseline/keyword", "kind": "baseline"}]
        (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": models}))
        settings = Settings(data_root=tmp_path / "data", models_file=tmp_path / "models.yaml", **columns)
        lake = Lake(settings.storage_root)
        clean, deficient = filing(SECTIONS[0]), filing(SECTIONS[1], 2, decision="deficient", deficient_by="management")
        pairs = [(f.assertion, f.section) for f in (clean, deficient)]
        lake.write("icfr_assertions", [pair[0] for pair in pairs], "2024")  # type: ignore[misc]
        lake.write("candidate_items", candidates(settings))
        return settings

    return made


def candidates(settings: Settings) -> list[ItemRow]:
    clean, deficient = filing(SECTIONS[0]), filing(SECTIONS[1], 2, decision="deficient", deficient_by="management")
    return build_candidates(
        decisions=[clean.decision, deficient.decision],
        assertions=[assertion(), assertion("0009000002-25-000001", "0009000002")],
        sections=[f.section for f in (clean, deficient) if f.section],
        weaknesses=[weakness(accession="0009000002-25-000001", cik="0009000002")],
        findings=[finding()],
        scenarios=[],
        labels=proposed_and_filed_labels(settings, proposed_labels(read_drafts(settings.drafts_folder, "label"))),
        items_per_registrant=1,
    )


def told(settings: Settings, question: str, model: str = ECHO, **options: Any) -> str:
    out = StringIO()
    drafter = Drafter(settings, Console(file=out, width=160, highlight=False), model, **options)
    getattr(drafter, question)()
    return out.getvalue()


def test_a_draft_that_keeps_the_invariants_is_usable_and_a_copy_is_rejected_with_the_reason(make, server) -> None:
    settings = make(server.url)
    said = told(settings, "paraphrases")
    assert "2 answered" in said and f"2 drafts by {ECHO}: 1 keep every invariant" in said
    lake = Lake(settings.storage_root)
    rows = paraphrase_rows(settings, lake, lake.read(ItemRow, "candidate_items")).rows
    assert {row.status: row.reject_reasons for row in rows} == {
        "usable": [],
        "rejected": ["longest_common_run", "five_gram_containment", "thirteen_gram_overlap"],
    }
    prompt = load_prompt(settings.prompts_folder, "paraphrase")
    assert {(row.paraphrased_by, row.drafting_prompt_sha256, row.review_status) for row in rows} == {
        (ECHO, prompt.sha256, "pending")
    }
    assert all(len(row.invariants) == 12 for row in rows)
    assert wrong_twins(rows, {item.item_id for item in accepted(lake.read(ItemRow, "candidate_items"))}) == []
    # The schema of the answer is enforced, and no model is shown a name.
    assert all(r["response_format"]["json_schema"]["name"] == "icfr_task_paraphrase" for r in server.requests)
    assert not any("Tarnbrook" in r["messages"][0]["content"] for r in server.requests)


def test_the_same_command_asks_and_writes_nothing_again(make, server) -> None:
    settings = make(server.url)
    told(settings, "paraphrases")
    again = told(settings, "paraphrases")
    assert "nothing new; 2 answered before; $0.0000" in again
    assert sum(server.asked.values()) == 2
    assert len(read_drafts(settings.drafts_folder, "paraphrase")) == 2


def test_a_kill_between_answer_and_draft_loses_nothing(make, server) -> None:
    settings = make(server.url)
    lake, model = Lake(settings.storage_root), load_registry(settings.models_file).get(ECHO)
    prompt = load_prompt(settings.prompts_folder, "paraphrase")
    passages = sections_to_paraphrase(lake.read(ItemRow, "candidate_items"), [], {}, ECHO)
    plan = plan_drafts(passages, model, prompt)
    client = ModelClient(settings.response_log_folder)
    client.run(model, prompt, plan, [])  # the process ends here: the draft log was not written
    asked = sum(server.asked.values())
    settled = client.log(ECHO, "paraphrase").settled()
    assert len(append_drafts(settings.drafts_folder, prompt, plan, passages, settled)) == 2
    assert append_drafts(settings.drafts_folder, prompt, plan, passages, settled) == []
    assert sum(server.asked.values()) == asked


def test_a_dry_run_asks_nothing_and_a_budget_stops_before_it_is_passed(make, server) -> None:
    settings = make(server.url)
    estimate = told(settings, "paraphrases", dry_run=True)
    assert "Nothing was asked" in estimate and "4,096" in estimate
    stopped = told(settings, "paraphrases", max_cost_usd=0.0)
    assert "The budget is used up" in stopped
    assert not server.asked
    assert "1 answered" in told(settings, "paraphrases", limit=1, answer_tokens=400)
    [request] = server.requests
    assert request["max_tokens"] == 400


def test_an_answer_that_is_no_draft_is_a_rejected_row_that_says_what_became_of_it(make) -> None:
    kinds = iter([Behaviour(content="Here is it."), Behaviour(content='{"paraphrase": "cut o', finish_reason="length")])
    with MockOpenAI(lambda prompt, earlier: next(kinds)) as server:
        settings = make(server.url)
        told(settings, "paraphrases")
    lake = Lake(settings.storage_root)
    rows = paraphrase_rows(settings, lake, lake.read(ItemRow, "candidate_items")).rows
    assert {row.status for row in rows} == {"rejected"}
    assert {row.reject_reasons[0] for row in rows} == {
        "draft_unreadable: parse_fail (not_json)", "draft_unreadable: truncated",
    }  # fmt: skip
    assert {row.text for row in rows} == {"Here is it.", '{"paraphrase": "cut o'}


def test_a_failed_call_is_no_draft_and_is_asked_again(make) -> None:
    with MockOpenAI(lambda prompt, earlier: answer(prompt, earlier) if earlier else Behaviour(status=500)) as server:
        settings = make(server.url)
        assert "nothing new" in told(settings, "paraphrases")
        assert read_drafts(settings.drafts_folder, "paraphrase") == []
        assert "2 answered" in told(settings, "paraphrases")


def test_of_two_models_drafts_one_is_used_and_a_section_that_has_a_twin_is_not_asked_for(make, server) -> None:
    settings = make(server.url)
    told(settings, "paraphrases")
    lake = Lake(settings.storage_root)
    items = lake.read(ItemRow, "candidate_items")
    lake.write("paraphrased_subset", paraphrase_rows(settings, lake, items).rows)
    assert "1 answered" in told(settings, "paraphrases", OTHER)  # the lumber mill's section has its twin
    rows = paraphrase_rows(settings, lake, items).rows
    [usable] = [row for row in rows if row.status == "usable"]
    second = usable.model_copy(update={"item_id": "C-0123456789abcdef", "paraphrased_by": OTHER})
    decided = one_twin_an_item([usable, second])
    assert [row.reject_reasons for row in decided] == [[], [ANOTHER_TWIN]]
    assert wrong_twins(decided, {item.item_id for item in items}) == []
    rejected = usable.model_copy(update={"review_status": "rejected"})
    assert [row.reject_reasons for row in one_twin_an_item([rejected, second])] == [[ANOTHER_TWIN], []]


def test_a_model_named_in_the_settings_drafts_when_the_table_is_built_and_not_a_second_time(make, server) -> None:
    settings = make(server.url, paraphrase_model=ECHO, paraphrase_drafts=1)
    lake, client = Lake(settings.storage_root), ModelClient(settings.response_log_folder)
    items = lake.read(ItemRow, "candidate_items")
    assert [draft_paraphrases(settings, lake, items, client) for _ in range(2)] == [1, 0]
    assert len(paraphrase_rows(settings, lake, items).rows) == 1
    without = settings.model_copy(update={"paraphrase_model": None})
    assert draft_paraphrases(without, lake, items, client) == 0


def test_a_judge_gives_its_opinion_on_both_directions_of_usable_twins(make, server) -> None:
    settings = make(server.url)
    told(settings, "paraphrases")
    lake = Lake(settings.storage_root)
    items = lake.read(ItemRow, "candidate_items")
    lake.write("paraphrased_subset", paraphrase_rows(settings, lake, items).rows)
    assert "2 answered" in told(settings, "judgements", OTHER)
    [usable] = [row for row in paraphrase_rows(settings, lake, items).rows if row.status == "usable"]
    [result] = [result for result in usable.invariants if result.name == "entailment_both_ways"]
    assert result.passed and result.value == f"0.95 by {OTHER}; 0.95 by {OTHER}"


def test_a_proposed_label_makes_an_item_that_waits_and_a_wrong_one_says_why_it_is_refused(make, server) -> None:
    settings = make(server.url)
    before = Lake(settings.storage_root).read(ItemRow, "candidate_items")
    assert {item.reject_reason for item in before if item.task in "AD"} == {"no_label"}
    said = told(settings, "labels")
    assert f"2 labels by {ECHO}: 1 keep the labelling guide" in said
    assert "COSO-18' is not in the registry" in said
    after = candidates(settings)
    by_task = {(item.task, item.population): item for item in after if item.task in "AD"}
    assert by_task["A", "single_audit"].reject_reason == "no_label"
    assert by_task["A", "single_audit"].reject_detail == (
        f"the label of {ECHO} is refused: citation 'COSO-18' is not in the registry of references"
    )
    for key in (("A", "sec_annual_report"), ("D", "sec_annual_report")):
        item = by_task[key]
        assert (item.reject_reason, item.gold_component, item.drafted_by) == (None, "control_environment", ECHO)
        assert (item.label_source, item.review_status) == ("llm_draft_human_verified", "pending")
    assert by_task["D", "sec_annual_report"].gold_citation == "COSO-4"
    told(settings, "labels")
    assert sum(server.asked.values()) == 2


def test_what_stands_in_a_label_file_is_not_asked_for_and_comes_before_a_proposal(make, server, tmp_path) -> None:
    folder = tmp_path / "labels"
    folder.mkdir()
    entry = {
        "source": {"accession": "0009000002-25-000001", "ordinal": 1}, "component": "risk_assessment",
        "root_cause_stated": True, "drafted_by": "human",
    }  # fmt: skip
    settings = make(server.url, labels_folder=folder)
    told(settings, "labels")
    (folder / "own.yaml").write_text(yaml.safe_dump([entry]))
    [item] = [item for item in candidates(settings) if (item.task, item.population) == ("A", "sec_annual_report")]
    assert (item.gold_component, item.drafted_by) == ("risk_assessment", "human")
    assert "nothing new" in told(settings, "labels")


def test_a_label_that_quotes_other_words_leaves_the_passage_out(make) -> None:
    told_quote = {**LABEL, "evidence": "words that nobody ever wrote in this passage"}
    with MockOpenAI(lambda prompt, earlier: Behaviour(content=json.dumps(told_quote))) as server:
        settings = make(server.url)
        told(settings, "labels")
    found = [item for item in candidates(settings) if item.task in "AD"]
    assert {item.reject_reason for item in found} == {"no_label"}
    assert all("words that nobody ever wrote" in (item.reject_detail or "") for item in found)


def test_baselines_unknown_models_and_an_empty_lake_are_refused_before_anything_is_asked(
    make, server, tmp_path
) -> None:
    settings = make(server.url)
    with pytest.raises(ConfigurationError, match="is a rule and drafts nothing"):
        told(settings, "paraphrases", "baseline/keyword")
    with pytest.raises(ConfigurationError, match=r"is not in models\.yaml"):
        told(settings, "labels", "example/nobody-2026-01-31")
    empty = settings.model_copy(update={"data_root": tmp_path / "empty"})
    with pytest.raises(BenchError, match="no items to draft for"):
        told(empty, "labels")
    assert not server.asked


def test_a_missing_or_broken_prompt_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be read"):
        load_prompt(tmp_path, "label")
    (tmp_path / "drafting").mkdir()
    (tmp_path / "drafting" / "label.j2").write_text("{{ text ")
    with pytest.raises(BenchError, match="is no template"):
        load_prompt(tmp_path, "label")


def test_the_prompts_show_every_principle_by_our_short_name_and_say_that_a_text_is_no_instruction() -> None:
    shown = {"text": "A passage.", "premise": "One.", "hypothesis": "Other."}
    for question in ("paraphrase", "label", "entailment"):
        [message] = load_prompt(PROJECT_ROOT / "prompts", question).messages(shown, "=== 1 ===")  # type: ignore[arg-type]
        assert "an instruction to you" in message["content"]
    [message] = load_prompt(PROJECT_ROOT / "prompts", "label").messages(shown, "=== 1 ===")
    assert "COSO-17 (monitoring_activities): acting on deficiencies" in message["content"]

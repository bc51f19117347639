"""`icfr-bench paraphrase draft`, `paraphrase judge` and `labels draft`: proposals by a model of the user's choice."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from benchmark_pipeline.assets.items import paraphrase_rows, proposed_and_filed_labels, registrant_names
from benchmark_pipeline.cli.execution import bars, quiet
from benchmark_pipeline.cli.models import Work, print_estimates
from benchmark_pipeline.drafting.entailment import judgements, pairs_to_judge
from benchmark_pipeline.drafting.labels import passages_to_label, proposed_labels
from benchmark_pipeline.drafting.log import DraftRecord, read_drafts
from benchmark_pipeline.drafting.paraphrases import sections_to_paraphrase
from benchmark_pipeline.drafting.planning import Passage, plan_drafts
from benchmark_pipeline.drafting.prompts import load_prompt
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.evaluation import preflight
from benchmark_pipeline.evaluation.answers import Drafting
from benchmark_pipeline.evaluation.model_registry import ModelEntry, load_registry
from benchmark_pipeline.evaluation.response_log import remaining
from benchmark_pipeline.evaluation.spending import Spending
from benchmark_pipeline.resources.batches import require_batch_api
from benchmark_pipeline.resources.drafts import draft
from benchmark_pipeline.resources.model_client import ModelClient, check_sendable
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.items import ItemRow, ParaphraseRow


class Drafter:
    """One drafting command: a model, its limits, and where to say what happens."""

    def __init__(
        self, settings: Settings, console: Console, model: str, *,
        limit: int | None = None, max_cost_usd: float | None = None, answer_tokens: int | None = None,
        batch: bool = False, dry_run: bool = False,
    ) -> None:  # fmt: skip
        """Reads the registry and the items.

        Raises:
            BenchError: the model is not in models.yaml, or there are no items yet.
        """
        quiet()
        self.settings, self.console = settings, console
        registry = load_registry(settings.models_file)
        self.model = _with_budget(registry.get(model), answer_tokens)
        self._evaluated = self.model.name in registry.enabled
        self._limit, self._max_cost, self._batch, self._dry_run = limit, max_cost_usd, batch, dry_run
        self.lake = Lake(settings.storage_root)
        self.items = self.lake.read(ItemRow, "candidate_items")
        if not self.items:
            command = "icfr-bench demo" if settings.profile == "demo" else "icfr-bench run"
            raise BenchError("there are no items to draft for", remedy=f"build them: {command}")

    def paraphrases(self) -> None:
        """Drafts paraphrases, then says which keep the invariants."""
        twins = self.lake.read(ParaphraseRow, "paraphrased_subset")
        names = registrant_names(self.lake)
        passages = sections_to_paraphrase(self.items, twins, names, self.model.id, self._limit)
        if self._ask("paraphrase", passages):
            rows = paraphrase_rows(self.settings, self.lake, self.items).rows
            own = [row for row in rows if row.paraphrased_by == self.model.id]
            usable = sum(row.status == "usable" for row in own)
            self.console.print(f"{len(own)} drafts by {self.model.id}: {usable} keep every invariant", markup=False)
            reasons = Counter(reason.partition(":")[0] for row in own for reason in row.reject_reasons)
            for reason, count in reasons.most_common():
                self.console.print(f"    {count} {reason}", markup=False)
            self._say_what_is_next("paraphrased_subset")

    def judgements(self) -> None:
        """Asks whether twin and original say the same, both ways."""
        twins = self.lake.read(ParaphraseRow, "paraphrased_subset")
        if self._ask("entailment", pairs_to_judge(twins, self.items, registrant_names(self.lake), self._limit)):
            given = judgements(read_drafts(self.settings.drafts_folder, "entailment"))
            self.console.print(f"{len(given)} opinions on record; they inform the reader and reject nothing")
            self._say_what_is_next("paraphrased_subset")

    def labels(self) -> None:
        """Drafts labels, then says which keep the labelling guide."""
        others = {
            proposal.key
            for proposal in proposed_labels(read_drafts(self.settings.drafts_folder, "label"))
            if proposal.label is not None and proposal.drafted_by != self.model.id
        }
        filed = proposed_and_filed_labels(self.settings, proposals=()).keys()
        if self._ask("label", passages_to_label(self.items, filed | others, self._limit)):
            proposals = proposed_labels(read_drafts(self.settings.drafts_folder, "label"))
            own = [proposal for proposal in proposals if proposal.drafted_by == self.model.id]
            kept = sum(proposal.label is not None for proposal in own)
            self.console.print(f"{len(own)} labels by {self.model.id}: {kept} keep the labelling guide", markup=False)
            for reason, count in Counter(proposal.refused for proposal in own if proposal.refused).most_common(10):
                self.console.print(f"    {count} {reason}", markup=False)
            self._say_what_is_next("candidate_items")

    def _ask(self, question: Drafting, passages: Sequence[Passage]) -> bool:
        """Makes the calls that have no result; False where nothing was to be done, or only the plan was wanted."""
        prompt = load_prompt(self.settings.prompts_folder, question)
        plan = plan_drafts(passages, self.model, prompt)
        client = ModelClient(self.settings.response_log_folder)
        log = client.log(self.model.name, question)
        work = Work(self.model, question, prompt, plan, remaining(plan, log.known()))
        if self._dry_run:
            print_estimates([work], self.console)
            return False
        if not plan:
            self.console.print("Nothing waits for a draft.")
            return False
        preflight.check(self.model, work.open, os.environ)
        check_sendable(self.model, prompt, work.open)
        if self._batch:
            require_batch_api(self.model)
        Spending(self.model, work.open, self._max_cost)
        if self._evaluated:
            self.console.print(
                f"note: {self.model.name} is evaluated too; results are split by drafting model", style="yellow",
                markup=False,
            )  # fmt: skip
        with bars(self.console):
            drafted = draft(client, self.model, prompt, passages, self.settings.drafts_folder,
                            max_cost_usd=self._max_cost, batch=self._batch)  # fmt: skip
        summary = drafted.summary
        self._report(drafted.written, answered_before=summary.answered_before, spent=summary.spent_usd)
        if summary.stopped_by_budget:
            self.console.print("The budget is used up; the same command asks the rest.", style="yellow")
        return True

    def _report(self, written: Sequence[DraftRecord], *, answered_before: int, spent: float) -> None:
        outcomes = Counter(record.outcome for record in written)
        said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "nothing new"
        self.console.print(f"{said}; {answered_before} answered before; ${spent:,.4f}", markup=False)

    def _say_what_is_next(self, table: str) -> None:
        command = "icfr-bench demo" if self.settings.profile == "demo" else "icfr-bench run"
        self.console.print(f"Apply: materialize {table} (in the UI, or {command}). Each draft waits for a reviewer.")


def _with_budget(model: ModelEntry, tokens: int | None) -> ModelEntry:
    if tokens is None:
        return model
    name = "max_completion_tokens" if model.parameters.get("max_completion_tokens") else "max_tokens"
    return model.model_copy(update={"parameters": {**model.parameters, name: tokens}})

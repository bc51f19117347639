"""Training cutoffs: which items a model cannot have read, by what its maker states.

A filing is public some weeks after its fiscal year ends. An item counts as past a cutoff where its year ended on or after
that day, and as before it where the year ended at least `PUBLIC_AFTER` earlier; what lies between is neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.evaluation.model_registry import ModelEntry, load_registry

from .results import ItemSet, Run

PUBLIC_AFTER = timedelta(days=120)
"""Latest regular filing of an annual report after its year end: a 20-F has four months."""


def training_cutoffs(models_file: Path) -> dict[str, date | None]:
    """Cutoff of each model of `models.yaml`; None where the maker states none."""
    return {
        entry.id: entry.training_cutoff.day if entry.training_cutoff else None
        for entry in load_registry(models_file).models
    }


def cutoff_statements(models_file: Path) -> dict[str, str]:
    """What each language model of `models.yaml` states of its training data, in words: day or none, source, day it was read."""
    return {entry.id: _statement(entry) for entry in load_registry(models_file).models if entry.kind == "model"}


def _statement(entry: ModelEntry) -> str:
    cutoff = entry.training_cutoff
    if cutoff is None:
        return "none stated in models.yaml"
    return f"{cutoff.day or 'none stated'} ({cutoff.source}; read {cutoff.read_on})"


def past(items: ItemSet, cutoff: date | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each item whether it is before and whether it is past a cutoff; both False where either date is unknown."""
    if cutoff is None:
        return np.zeros(len(items), dtype=bool), np.zeros(len(items), dtype=bool)
    # Comparisons with an unknown date are False.
    ended, last = items.year_end, np.datetime64(cutoff, "D")
    return np.asarray(ended + np.timedelta64(PUBLIC_AFTER) <= last), np.asarray(ended >= last)


@dataclass(frozen=True)
class PastMost:
    """Which items are past the cutoff of more than half of the models that state one."""

    items: NDArray[np.bool_]
    """One entry an item; all False where no model states a cutoff."""
    stating: int
    """Models that were run and state a cutoff: the ones that are counted."""
    silent: int
    """Models that were run and state none. Nothing is known of what they read, so they have no vote."""

    @property
    def note(self) -> str:
        """Who was counted, in words."""
        return (
            f"over the {self.stating} of {self.stating + self.silent} models that state a cutoff; {self.silent} without"
        )


def past_most(items: ItemSet, runs: Sequence[Run], cutoffs: Mapping[str, date | None]) -> PastMost:
    """Which items are past the cutoff of most models that were run, and of how many that is known."""
    models = sorted({run.identity.model_id for run in runs if run.kind == "model"})
    stated = [day for model in models if (day := cutoffs.get(model)) is not None]
    votes = np.zeros(len(items), dtype=np.int64)
    for day in stated:
        votes += past(items, day)[1]
    return PastMost(2 * votes > len(stated) if stated else votes > 0, len(stated), len(models) - len(stated))

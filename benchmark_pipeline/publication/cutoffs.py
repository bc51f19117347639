"""Training cutoffs: which items a model cannot have read, by what its maker states.

A filing is public some weeks after its fiscal year ends. An item counts as past a cutoff where its year ended on or after
that day, and as before it where the year ended at least `PUBLIC_AFTER` earlier; what lies between is neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmark_pipeline.evaluation.model_registry import load_registry

from .results import ItemSet, Run

PUBLIC_AFTER = timedelta(days=120)
"""Latest regular filing of an annual report after its year end: a 20-F has four months."""


def training_cutoffs(models_file: Path) -> dict[str, date | None]:
    """Cutoff of each model of `models.yaml`; None where the maker states none."""
    return {
        entry.id: entry.training_cutoff.day if entry.training_cutoff else None
        for entry in load_registry(models_file).models
    }


def past(items: ItemSet, cutoff: date | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each item whether it is before and whether it is past a cutoff; both False where either date is unknown."""
    if cutoff is None:
        return np.zeros(len(items), dtype=bool), np.zeros(len(items), dtype=bool)
    # Comparisons with an unknown date are False.
    ended, last = items.year_end, np.datetime64(cutoff, "D")
    return np.asarray(ended + np.timedelta64(PUBLIC_AFTER) <= last), np.asarray(ended >= last)


def past_most(items: ItemSet, runs: Sequence[Run], cutoffs: Mapping[str, date | None]) -> NDArray[np.bool_]:
    """For each item whether it is past the cutoff of more than half of the models that were run.

    A model without a stated cutoff counts as one that may have read the item.
    """
    models = sorted({run.identity.model_id for run in runs if run.kind == "model"})
    votes = np.zeros(len(items), dtype=np.int64)
    for model in models:
        votes += past(items, cutoffs.get(model))[1]
    return 2 * votes > len(models) if models else np.zeros(len(items), dtype=bool)

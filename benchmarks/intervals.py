"""Coverage of the headline's interval: how often a nominal 95 % interval holds the true rate.

Usage: python benchmarks/intervals.py [--replications 20000] [--bootstrap 300]

Each cell draws companies with a geometric number of items and beta-binomial outcomes of a given intra-company correlation,
the cells of the analysis plan's table, and prints coverage and mean width of the Korn-Graubard interval as published. Beside
it stand the same interval with companies - 1 degrees of freedom (R's `survey`), Wilson over items, and on the first data
sets of each cell the bootstrap over companies. Exit code 1 where the published interval covers less than 90 % in some cell.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product

import numpy as np

from benchmark_pipeline.statistics.bootstrap import cluster_bootstrap, ratio
from benchmark_pipeline.statistics.clusters import ClusterCounts
from benchmark_pipeline.statistics.intervals import Interval, korn_graubard, wilson

FLOOR = 0.90
CELLS = [cell for cell in product((30, 100), (1, 3, 8), (0.0, 0.1, 0.3), (0.05, 0.15)) if cell[1] > 1 or cell[2] == 0]
"""Companies, mean items a company, intra-company correlation, true rate."""


def draw(generator: np.random.Generator, companies: int, mean_items: int, icc: float, rate: float) -> ClusterCounts:
    """One data set: `mean_items` is the mean of the geometric number of items a company."""
    n = generator.geometric(1 / mean_items, companies) if mean_items > 1 else np.ones(companies, dtype=np.int64)
    shares = np.full(companies, rate)
    if icc:
        size = (1 - icc) / icc
        shares = generator.beta(rate * size, (1 - rate) * size, companies)
    return ClusterCounts(k=generator.binomial(n, shares), n=n)


def intervals(counts: ClusterCounts, resamples: int) -> list[Interval | None]:
    """The published interval, with companies - 1 degrees of freedom, over items, and by bootstrap where asked for."""
    found = [
        korn_graubard(counts),
        korn_graubard(counts, freedom=counts.clusters - 1),
        wilson(counts.successes, counts.trials),
    ]
    if resamples:
        table = np.column_stack([counts.k, counts.n]).astype(np.float64)
        found.append(cluster_bootstrap(table, ratio, resamples=resamples))
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--replications", type=int, default=20_000)
    options.add_argument("--bootstrap", type=int, default=300, help="data sets of each cell that are bootstrapped too")
    options.add_argument("--resamples", type=int, default=1000, help="of each bootstrap")
    chosen = options.parse_args()
    generator = np.random.default_rng(20260101)
    begin, lowest = time.perf_counter(), 1.0
    print(f"{chosen.replications} data sets a cell; coverage in % (mean width in points)")
    heads = ("published", "companies - 1", "Wilson", "bootstrap")
    print(f"{'companies':>9} {'items':>5} {'ICC':>4} {'rate':>5}   " + "  ".join(f"{head:>13}" for head in heads))
    for companies, items, icc, rate in CELLS:
        hits, widths, made = np.zeros(4), np.zeros(4), np.zeros(4)
        for number in range(chosen.replications):
            counts = draw(generator, companies, items, icc, rate)
            point = Interval(counts.rate or 0.0, counts.rate or 0.0, "point")
            for at, found in enumerate(intervals(counts, chosen.resamples if number < chosen.bootstrap else 0)):
                interval = found or point
                made[at] += 1
                hits[at] += interval.low <= rate <= interval.high
                widths[at] += 100 * (interval.high - interval.low)
        made = np.maximum(made, 1)
        cover, width = hits / made, widths / made
        lowest = min(lowest, float(cover[0]))
        cells = "  ".join(f"{100 * c:6.1f} ({w:4.1f})" for c, w in zip(cover, width, strict=True))
        print(f"{companies:9} {items:5} {icc:4.1f} {rate:5.0%}   {cells}", flush=True)
    error = 100 * np.sqrt(lowest * (1 - lowest) / chosen.replications)
    print(f"lowest coverage {100 * lowest:.1f} % (standard error {error:.1f}); {time.perf_counter() - begin:.0f} s")
    sys.exit(lowest < FLOOR)


if __name__ == "__main__":
    main()

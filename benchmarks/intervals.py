"""Coverage of the headline's interval: how often a nominal 95 % interval holds the true rate.

Usage: python benchmarks/intervals.py [--replications 400]

Each cell draws companies with a geometric number of items and beta-binomial outcomes of a given intra-company correlation,
as in the analysis plan, and prints coverage and mean width of the Korn-Graubard interval, with the Wilson interval over
items and the bootstrap over companies beside it. Exit code 1 where Korn-Graubard covers less than 90 % in some cell, beyond
what the number of replications can tell (two standard errors).
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

NOMINAL_FLOOR = 0.90


def draw(generator: np.random.Generator, companies: int, mean_items: int, icc: float, rate: float) -> ClusterCounts:
    """One data set: `mean_items` is the mean of the geometric number of items a company."""
    n = generator.geometric(1 / mean_items, companies) if mean_items > 1 else np.ones(companies, dtype=np.int64)
    shares = np.full(companies, rate)
    if icc:
        size = (1 - icc) / icc
        shares = generator.beta(rate * size, (1 - rate) * size, companies)
    return ClusterCounts(k=generator.binomial(n, shares), n=n)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--replications", type=int, default=400)
    options.add_argument("--resamples", type=int, default=1000, help="of each bootstrap")
    chosen = options.parse_args()
    generator = np.random.default_rng(20260101)
    begin, failed = time.perf_counter(), False
    print(f"{chosen.replications} replications a cell; coverage in % (mean width in points)")
    print(
        f"{'companies':>9} {'items':>5} {'ICC':>4} {'rate':>5}  {'Korn-Graubard':>15} {'Wilson':>13} {'bootstrap':>13}"
    )
    for companies, items, icc, rate in product((30, 100), (1, 3, 8), (0.0, 0.1, 0.3), (0.05, 0.15)):
        if items == 1 and icc:
            continue
        hits, widths = np.zeros(3), np.zeros(3)
        for _ in range(chosen.replications):
            counts = draw(generator, companies, items, icc, rate)
            table = np.column_stack([counts.k, counts.n]).astype(np.float64)
            point = Interval(counts.rate or 0.0, counts.rate or 0.0, "point")
            found = (
                korn_graubard(counts) or point,
                wilson(counts.successes, counts.trials) or point,
                cluster_bootstrap(table, ratio, resamples=chosen.resamples) or point,
            )
            hits += [interval.low <= rate <= interval.high for interval in found]
            widths += [100 * (interval.high - interval.low) for interval in found]
        cover, width = hits / chosen.replications, widths / chosen.replications
        low = cover[0] + 2 * np.sqrt(cover[0] * (1 - cover[0]) / chosen.replications) < NOMINAL_FLOOR
        failed = failed or bool(low)
        cells = "  ".join(f"{100 * c:5.1f} ({w:4.1f})" for c, w in zip(cover, width, strict=True))
        print(f"{companies:9} {items:5} {icc:4.1f} {rate:5.0%}   {cells}{'  below 90 %' if low else ''}", flush=True)
    print(f"{time.perf_counter() - begin:.0f} s")
    sys.exit(failed)


if __name__ == "__main__":
    main()

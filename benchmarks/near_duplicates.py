"""Near duplicates at the size of a full build: seconds, memory, and whether planted repeats are found.

    python benchmarks/near_duplicates.py [--sections 20000]

Sections are assembled from sentences of the demo's corpus and of generated prose, so that many share boilerplate without
being repeats, as filings do. Every twentieth is a repeat of an earlier one with its dates and one sentence exchanged.
"""

from __future__ import annotations

import argparse
import random
import resource
import time

from benchmark_pipeline.items.near_duplicates import near_duplicates

SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ri",
    "so",
    "tu",
    "va",
    "we",
    "xi",
    "yo",
    "zu",
]
BOILERPLATE = [
    "Because of its inherent limitations, internal control over financial reporting may not prevent or detect misstatements.",
    "Projections of any evaluation of effectiveness to future periods are subject to the risk that controls may become "
    "inadequate because of changes in conditions, or that the degree of compliance may deteriorate.",
    "Our management is responsible for establishing and maintaining adequate internal control over financial reporting.",
    "There was no change in our internal control over financial reporting during the last quarter that has materially affected it.",
    "Our disclosure controls and procedures were designed to provide reasonable assurance of achieving their objectives.",
    "Management used the criteria of the framework of 2013 in its assessment.",
]


def sections(count: int, seed: int = 7) -> tuple[list[str], list[str], set[int]]:
    """Texts of about 450 words, their companies, and which of them repeat another."""
    chance = random.Random(seed)
    vocabulary = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(6000)]
    texts: list[str] = []
    planted: set[int] = set()
    for number in range(count):
        if number % 20 == 19:
            parts = texts[chance.randrange(number)].split(". ")
            parts[chance.randrange(len(parts))] = " ".join(chance.choices(vocabulary, k=12))
            texts.append(". ".join(parts).replace("2023", "2024"))
            planted.add(number)
            continue
        own = [" ".join(chance.choices(vocabulary, k=chance.randint(12, 30))).capitalize() for _ in range(16)]
        shared = chance.sample(BOILERPLATE, k=chance.randint(2, 6))
        parts = [*own, *(sentence.rstrip(".") for sentence in shared), "As of December 31, 2023 it was effective"]
        chance.shuffle(parts)
        texts.append(". ".join(parts) + ".")
    return texts, [f"company {number}" for number in range(count)], planted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", type=int, default=20_000)
    texts, companies, planted = sections(parser.parse_args().sections)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, processor = time.perf_counter(), time.process_time()
    found = near_duplicates(texts, companies)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    words = sum(len(text.split()) for text in texts) / len(texts)
    print(
        f"{len(texts):,} sections of {words:.0f} words: {wall:.1f} s, {processor:.1f} s of processor time, "
        f"{len(texts) / processor:.0f} a second, peak {peak / 1024:.0f} MB ({(peak - before) / 1024:.0f} MB of it here)"
    )
    print(
        f"planted repeats found: {len(planted & found.keys())} of {len(planted)}; others called repeats: {len(found.keys() - planted)}"
    )


if __name__ == "__main__":
    main()

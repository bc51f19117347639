"""Which registrant took the place of which: the one trace of it in EDGAR's lists (`successions`).

A registrant that takes another's place (a holding company above the old one, a reincorporation, a merger into a new
company) gets a CIK of its own. Exchange Act Rules 12g-3 and 15d-5 make it report the succession on Form 8-K, filed as
8-K12B, 8-K12G3 or 8-K15D5, and where the filing names both as filers, EDGAR's indexes list it under both CIKs. A change
of name alone keeps the CIK (`formerNames`), and a co-registrant's filing is in each one's list: neither needs a link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

SUCCESSION_FORMS = ("8-K12B", "8-K12B/A", "8-K12G3", "8-K12G3/A", "8-K15D5", "8-K15D5/A")


@dataclass(frozen=True)
class SuccessionNotice:
    """A filing that reports a succession."""

    accession: str
    filed_date: date
    ciks: tuple[str, ...]
    """Its filers."""


@dataclass(frozen=True)
class Succession:
    """What a successor files from this day on bears on what its predecessor filed before."""

    predecessor: str
    successor: str
    since: date
    accession: str
    """The notice that says so."""


def successions(notices: Iterable[SuccessionNotice], first_annual: Mapping[str, date]) -> list[Succession]:
    """Links from predecessor to successor, in a fixed order.

    Of the filers of a notice, those with an annual report before it are predecessors and those without are successors.
    A notice whose filers are all of one kind (two companies that both reported already, or a notice of the successor
    alone) tells no direction and gives no link.

    Args:
        notices: Filings of the forms in `SUCCESSION_FORMS`.
        first_annual: CIK to the day of its first annual report.
    """
    found: dict[tuple[str, str], Succession] = {}
    for notice in sorted(notices, key=lambda notice: (notice.filed_date, notice.accession)):
        old = sorted(cik for cik in set(notice.ciks) if first_annual.get(cik, notice.filed_date) < notice.filed_date)
        new = sorted(set(notice.ciks) - set(old))
        for predecessor in old:
            for successor in new:
                link = Succession(predecessor, successor, notice.filed_date, notice.accession)
                found.setdefault((predecessor, successor), link)
    return sorted(found.values(), key=lambda link: (link.predecessor, link.since, link.successor))


def successors(links: Sequence[Succession]) -> dict[str, tuple[Succession, ...]]:
    """Each registrant's successors, and theirs: one company may change its shell twice."""
    direct: dict[str, list[Succession]] = defaultdict(list)
    for link in links:
        direct[link.predecessor].append(link)
    whole: dict[str, tuple[Succession, ...]] = {}
    for cik in sorted(direct):
        chain: dict[str, Succession] = {}
        waiting = list(direct[cik])
        while waiting:
            link = waiting.pop(0)
            if link.successor == cik or link.successor in chain:
                continue
            chain[link.successor] = link
            waiting += direct.get(link.successor, [])
        whole[cik] = tuple(chain.values())
    return whole

"""The closed registry of references of Task D: COSO principles and AS 2201 paragraphs, by number.

Numbers identify the standards; the short names and topics are this project's own words. The texts of the COSO
framework and of the PCAOB standards are not reproduced. The paragraph ranges follow AS 2201 as in force for fiscal
years from 2007 on, with Appendix A (definitions), B (special topics) and C (special reports).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmark_pipeline.tables.items import Component


@dataclass(frozen=True)
class Principle:
    """A principle of the COSO framework (2013)."""

    number: int
    component: Component
    name: str
    """Our short name."""

    @property
    def citation(self) -> str:
        """Reference as answers give it."""
        return f"COSO-{self.number}"


@dataclass(frozen=True)
class ParagraphRange:
    """Consecutive paragraphs of AS 2201 on one topic."""

    prefix: str
    """Empty for the body, else the appendix letter."""
    first: int
    last: int
    topic: str
    """Our words."""

    def citations(self) -> Iterator[str]:
        """Each paragraph as a reference."""
        for number in range(self.first, self.last + 1):
            yield f"AS2201.{self.prefix}{number:02d}" if not self.prefix else f"AS2201.{self.prefix}{number}"


PRINCIPLES: tuple[Principle, ...] = (
    Principle(1, "control_environment", "integrity and ethics"),
    Principle(2, "control_environment", "independent board oversight"),
    Principle(3, "control_environment", "structure and authority"),
    Principle(4, "control_environment", "competent people"),
    Principle(5, "control_environment", "accountability"),
    Principle(6, "risk_assessment", "clear objectives"),
    Principle(7, "risk_assessment", "risk identification"),
    Principle(8, "risk_assessment", "fraud risk"),
    Principle(9, "risk_assessment", "significant change"),
    Principle(10, "control_activities", "controls that answer risks"),
    Principle(11, "control_activities", "general IT controls"),
    Principle(12, "control_activities", "policies put to work"),
    Principle(13, "information_and_communication", "quality information"),
    Principle(14, "information_and_communication", "internal communication"),
    Principle(15, "information_and_communication", "external communication"),
    Principle(16, "monitoring_activities", "ongoing and separate evaluations"),
    Principle(17, "monitoring_activities", "acting on deficiencies"),
)

AS2201: tuple[ParagraphRange, ...] = (
    ParagraphRange("", 1, 8, "purpose of the audit and its integration"),
    ParagraphRange("", 9, 13, "planning, risk and scaling"),
    ParagraphRange("", 14, 15, "fraud risk"),
    ParagraphRange("", 16, 20, "work of others, materiality"),
    ParagraphRange("", 21, 21, "top-down approach"),
    ParagraphRange("", 22, 25, "entity-level controls and control environment"),
    ParagraphRange("", 26, 27, "period-end reporting process"),
    ParagraphRange("", 28, 33, "significant accounts and assertions"),
    ParagraphRange("", 34, 38, "sources of misstatement and walkthroughs"),
    ParagraphRange("", 39, 41, "choice of controls to test"),
    ParagraphRange("", 42, 43, "design effectiveness"),
    ParagraphRange("", 44, 45, "operating effectiveness"),
    ParagraphRange("", 46, 49, "evidence follows risk"),
    ParagraphRange("", 50, 61, "nature, timing and extent of tests"),
    ParagraphRange("", 62, 70, "evaluation of deficiencies: likelihood, size, indicators"),
    ParagraphRange("", 71, 77, "forming an opinion"),
    ParagraphRange("", 78, 84, "communications"),
    ParagraphRange("", 85, 98, "report and subsequent events"),
    ParagraphRange("A", 1, 11, "definitions"),
    ParagraphRange("B", 1, 9, "integration of the two audits"),
    ParagraphRange("B", 10, 16, "locations and scope"),
    ParagraphRange("B", 17, 27, "service organisations"),
    ParagraphRange("B", 28, 33, "benchmarking of automated controls"),
    ParagraphRange("C", 1, 17, "special reporting situations"),
)

_COMPONENT = {principle.citation: principle.component for principle in PRINCIPLES}
_PARAGRAPHS = {citation: part for part in AS2201 for citation in part.citations()}
_AS2201 = re.compile(r"AS\s?2201\.\s?([ABC]?)0*(\d{1,3})")
_COSO = re.compile(r"COSO-0*(\d{1,2})")


def all_citations() -> tuple[str, ...]:
    """Every reference of the registry, principles first."""
    return (*_COMPONENT, *_PARAGRAPHS)


def canonical(citation: str) -> str | None:
    """The reference in the registry's spelling (`COSO-10`, `AS2201.69`, `AS2201.B17`), or None where it does not exist.

    Leading zeros and one blank after `AS` are spelling; a number that the standard does not have is a reference that
    does not exist.
    """
    if match := _COSO.fullmatch(citation.strip()):
        found = f"COSO-{int(match[1])}"
        return found if found in _COMPONENT else None
    if match := _AS2201.fullmatch(citation.strip()):
        number = int(match[2])
        found = f"AS2201.{match[1]}{number}" if match[1] else f"AS2201.{number:02d}"
        return found if found in _PARAGRAPHS else None
    return None


def is_registered(citation: str) -> bool:
    """Whether a reference exists in the registry."""
    return canonical(citation) is not None


def component_of_principle(number: int) -> Component:
    """Component of a COSO principle.

    Raises:
        KeyError: there is no such principle.
    """
    return _COMPONENT[f"COSO-{number}"]


def component_of_citation(citation: str) -> Component | None:
    """Component of a COSO reference; None for a paragraph of AS 2201, which belongs to no component."""
    return _COMPONENT.get(canonical(citation) or "")


def topic(citation: str) -> str | None:
    """Short name of a reference in this project's words; None where it does not exist."""
    found = canonical(citation)
    if found is None:
        return None
    if found in _PARAGRAPHS:
        return _PARAGRAPHS[found].topic
    return next(principle.name for principle in PRINCIPLES if principle.citation == found)

"""Reads a chart back from its SVG: texts, and what was drawn where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Drawn:
    """The marks of one chart. Lengths are in pixels from where the scale begins."""

    root: Xml.Element

    def layer(self, name: str) -> list[Xml.Element]:
        groups = [g for g in self.root.iter(f"{SVG}g") if f"{name}_marks" in g.get("class", "").split()]
        return [mark for group in groups for mark in group]

    def texts(self, name: str) -> list[str]:
        return [mark.text or "" for mark in self.layer(name)]

    def places(self, name: str) -> list[tuple[float, float]]:
        return [place(mark) for mark in self.layer(name)]

    @property
    def ticks(self) -> dict[str, float]:
        """Printed tick and where it stands."""
        axis = next(g for g in self.root.iter(f"{SVG}g") if "role-axis-label" in g.get("class", ""))
        return {str(tick.text): place(tick)[0] for tick in axis}

    @property
    def size(self) -> tuple[float, float]:
        return float(self.root.get("width", "nan")), float(self.root.get("height", "nan"))

    @property
    def origin(self) -> tuple[float, float]:
        """Where the plot begins on the sheet."""
        return place(next(self.root.iter(f"{SVG}g")))


def place(mark: Xml.Element) -> tuple[float, float]:
    found = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", mark.get("transform", ""))
    assert found, mark.attrib
    return float(found[1]), float(found[2])


def drawn(svg: str) -> Drawn:
    return Drawn(Xml.fromstring(svg))

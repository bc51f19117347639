"""What is asked of every stretch that may be the section: its length, what it speaks of, and where it ends."""

from __future__ import annotations

import re
from collections.abc import Callable

MAX_CHARACTERS = 60_000
"""A longer section is an over-capture; none of the sections seen came near."""
MIN_CHARACTERS = 500
"""A shorter section, which points nowhere and neither concludes nor says that an assessment is left out, is no disclosure."""
ABOUT_CONTROLS = re.compile(r"disclosure\s+controls?|internal\s+controls?", re.IGNORECASE)

Concludes = Callable[[str], bool]
"""Whether a text states a conclusion on ICFR; given by the caller, who reads conclusions."""


class Closings:
    """The first closing heading after each of a row of positions; where they ascend, the text is searched once."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern, self._text = pattern, text
        self._found: re.Match[str] | None = None
        self._from: int | None = None

    def after(self, position: int) -> re.Match[str] | None:
        """The first match that starts at or after `position`."""
        known = self._from is not None and self._from <= position
        if not known or (self._found is not None and self._found.start() < position):
            self._found, self._from = self._pattern.search(self._text, position), position
        return self._found

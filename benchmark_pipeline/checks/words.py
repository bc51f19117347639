"""What a check says of what it found, beside its verdict in the UI and in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

NAMED = 3
"""Problems named in the sentence; more are in the check's metadata."""


def in_words(problems: Sequence[str]) -> str | None:
    """How many problems there are, and the first of them; None where there are none."""
    if not problems:
        return None
    more = f"; and {len(problems) - NAMED} more" if len(problems) > NAMED else ""
    return "; ".join(problems[:NAMED]) + more

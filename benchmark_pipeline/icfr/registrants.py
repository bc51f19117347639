"""Telling apart the registrants of a combined filing (a holding company and its utilities, for example)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SUFFIX = re.compile(
    r"[,\s]+(?:inc|incorporated|corp|corporation|company|co|llc|l\.l\.c|lp|l\.p|ltd|limited|plc|n\.v|s\.a|/[a-z]{2}/?|holdings?)\.?$",
    re.IGNORECASE,
)
_EVERYONE = re.compile(
    r"\b(?:each|both|all)\s+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?(?:registrants?|companies|issuers?)\b|\b(?:the|our)\s+registrants\b",
    re.IGNORECASE,
)

_HEADING_CHARACTERS = 120


@dataclass(frozen=True)
class Registrant:
    """One registrant of a filing, as of the filing."""

    cik: str
    name: str
    sic: str | None = None
    state_of_incorporation: str | None = None


@dataclass(frozen=True)
class Voice:
    """How one registrant of a filing is named in it, and how the others are.

    Full names are compared without case; a short name (`Energy` for one of two utilities) only with its capital,
    because it is a common noun as well.
    """

    own: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def concerns(self, sentence: str) -> bool:
        """Whether a sentence is about this registrant: it names it, or everyone, or no one."""
        if not self.others or _EVERYONE.search(sentence):
            return True
        named = self.named(sentence)
        return True in named or False not in named

    def named(self, text: str) -> set[bool]:
        """Which registrants a text names: True for this one, False for another."""
        found: set[bool] = set()
        left = " ".join(text.split())
        # The longest names go first: a parent's name is often the beginning of its subsidiary's.
        for name in sorted((*self.own, *self.others), key=len, reverse=True):
            flags = re.IGNORECASE if " " in name else 0
            pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", flags)
            if pattern.search(left):
                found.add(name in self.own)
                left = pattern.sub(" ", left)
        return found

    def own_text(self, text: str) -> str:
        """The text with what stands under another registrant's heading blanked; every offset stays what it was."""
        if not self.others:
            return text
        foreign = False
        lines: list[str] = []
        for line in text.split("\n"):
            if len(line) <= _HEADING_CHARACTERS and not line.rstrip().endswith((".", ";", ":")):
                short = _short(line.strip())
                if short in {name.lower() for name in self.own}:
                    foreign = False
                elif short in {name.lower() for name in self.others}:
                    foreign = True
            elif foreign and (_EVERYONE.search(line) or True in self.named(line)):
                lines.append(line)
                continue
            lines.append(" " * len(line) if foreign else line)
        return "\n".join(lines)


def voices(registrants: Sequence[Registrant]) -> dict[str, Voice]:
    """CIK to `Voice`, for the registrants of one filing."""
    if len(registrants) < 2:
        return {registrant.cik: Voice() for registrant in registrants}
    names = {registrant.cik: _short(registrant.name) for registrant in registrants}
    words = [word for name in names.values() for word in set(name.split())]
    aliases = {
        cik: tuple(
            dict.fromkeys(
                (name, *(word.capitalize() for word in name.split() if words.count(word) == 1 and len(word) >= 4))
            )
        )
        for cik, name in names.items()
    }
    return {
        cik: Voice(own, tuple(alias for other, found in aliases.items() if other != cik for alias in found))
        for cik, own in aliases.items()
    }


def _short(name: str) -> str:
    previous, short = "", " ".join(name.lower().split())
    while short != previous:
        previous, short = short, _SUFFIX.sub("", short)
    return short or name.lower()

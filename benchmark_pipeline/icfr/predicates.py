"""What one sentence says about which kind of control: effective or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .language import DCP, ICFR, WEAK_ICFR

Subject = Literal["icfr", "dcp", "both", "unnamed"]

_BE = r"(?:was|were|is|are|be|been|remain(?:s|ed)?|being|operated|operating|functioning|functioned)"
_ADVERB = r"(?:(?:and|also|still|therefore|thus|generally|overall|reasonably|sufficient|fully|presently|currently|sufficiently|designed|operating|adequate|adequately|properly|each|both|all|now|again|once|nonetheless|nevertheless|indeed|completely|entirely|wholly|considered|deemed|determined|concluded|to|be|in|material|respects|a|level|at|the|reasonable|assurance)[\s,]+)"
_NEGATIVE = re.compile(
    rf"\b{_BE}\s*,?\s*(?:as\s+of\s+[^;]{{4,60}}?,\s*|at\s+[a-z]+\s+\d+,\s+\d{{4}},\s*)?{_ADVERB}{{0,5}}(?:(?:not|neither)\s+{_ADVERB}{{0,5}}(?:effective|adequate|sufficient)(?:ly)?\b|(?:ineffective|inadequate|deficient)\b)"
    rf"|\b(?:not|never)\s+{_ADVERB}{{0,4}}(?:effective|operating\s+effectively)\b"
    r"|\bineffective\b|\bless\s+than\s+(?:fully\s+)?effective\b|\b(?:did|does|do|has|have)\s+not\s+(?:been\s+)?operat\w+\s+effectively\b"
    r"|\b(?:(?:did|does|do)\s+not\s+(?:currently\s+|yet\s+)?have|lack(?:s|ed|ing)?|no)\s+(?:in\s+place\s+)?(?:an?\s+|fully\s+)?effective\s+(?:system\s+of\s+)?(?:internal|disclosure)"
    r"|\b(?:did|does|do|has|have|had)\s+not\b[\s,]*(?:in\s+all\s+material\s+respects[\s,]*)?(?:\w+\s+){0,2}maintain(?:ed)?\b|\bnot\s+maintained\b|\bfail(?:s|ed)?\s+to\s+(?:maintain|be\s+effective)\b"
    r"|\beffective\s+(?:system\s+of\s+)?internal\s+controls?\s+over\s+financial\s+reporting\s+(?:was|were|is|has\s+been)\s+not\s+maintained\b"
    r"|\b(?:did|does|do)\s+not\s+meet\s+(?:those|these|the|such)\s+(?:COSO\s+)?criteria\b|\bno\s+longer\s+(?:operating\s+)?effective(?:ly)?\b|\black(?:s|ed)?\s+(?:of\s+)?effectiveness\b",
    re.IGNORECASE,
)
_POSITIVE = re.compile(
    rf"\b{_BE}\s*,?\s*(?:as\s+of\s+[^;]{{4,60}}?,\s*|at\s+[a-z]+\s+\d+,\s+\d{{4}},\s*)?{_ADVERB}{{0,6}}effective\b"
    r"|\b(?:maintain(?:s|ed)?|had|has|have)\s*,?\s*(?:in\s+all\s+material\s+respects\s*,?\s*)?(?:an?\s+)?effective\s+(?:system\s+of\s+)?(?:internal|disclosure)"
    r"|\b(?:consider(?:s|ed)?|find|finds|found|deem(?:s|ed)?|judged?|hold|held|thought|regard(?:s|ed)?)\b[^.;,]{0,140}?\beffective\b"
    r"|\b(?:assess(?:ed|es)|rated|rates|evaluated|classified)\b[^.;,]{0,140}?\bas\s+(?:being\s+)?effective\b"
    r"|\beffective\s+(?:system\s+of\s+)?internal\s+controls?\s+over\s+financial\s+reporting\s+(?:was|were|is|has\s+been)\s+maintained\b"
    r"|\bm(?:et|eets)\s+(?:all\s+(?:of\s+)?)?(?:those|these|the|such)\s+(?:COSO\s+)?criteria\b|\bconfirmed\s+the\s+effectiveness\s+of|\b(?:operated|operating|functioned|functioning)\s+effectively\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"no\s+matter\s+how\s+well|even\s+(?:those|effective|an?\s+effective|if|when|one\b)"
    r"|projections?\s+of\s+any\s+evaluation|effective\s+at\s+doing\s+so|effective\s+only\s+if|necessary\s+for\s+us\s+to"
    r"|\bif\s+(?:we|our|the\s+company|management|one\s+or\s+more|not|any)\b|\bunless\b|\buntil\b|\bonce\b|\bin\s+order\s+to\s+(?:be|provide)|\bto\s+(?:ensure|make\s+sure|assure)\s+that\s+[^,.;]{0,80}\binternal\s+controls?[^,.;]{0,40}\s(?:is|are)\s+effective"
    r"|\b(?:will|would|may|might|could|cannot|can|should|must|shall)\s+(?:not\s+)?(?:\w+\s+)?(?:be\s+(?:\w+\s+){0,4}(?:effective|considered|concluded)|operate|conclude|maintain|continue)"
    r"|\b(?:can\s*not|could\s+not|(?:is|are|was|were|been|be)\s+(?:unable|not\s+(?:\w+\s+)?able|not\s+permitted|precluded)(?:\s+(?:to|from))?|has\s+not|have\s+not|did\s+not|not\s+yet|unable\s+to|not\s+permitted\s+to)\s+(?:yet\s+)?(?:be\s+)?(?:conclude|concluding|concluded|considered|state|stating|report|assert|assure|certify|determined?|guarantee)\b"
    r"|\bno\s+(?:assurance|guarantee|certainty|reason\s+to\s+believe|evidence|indication)\b|nothing\s+(?:has\s+)?c(?:o|a)me\s+to|(?:does|do|did)\s+not\s+(?:\w+\s+)?(?:mean|imply|indicate|suggest)"
    r"|\b(?:no\s+longer|not)\s+be\s+relied|\b(?:was|were|is)\s+(?:incorrect|erroneous|in\s+error)\b"
    r"|whether\s+(?:our|the|effective|its|or\s+not)"
    r"|management\s+is\s+(?:not\s+permitted|precluded)|a\s+material\s+weakness\s+is|there\s+is\s+a\s+reasonable\s+possibility"
    r"|designed\s+to\s+be\s+effective|when\s+effective|audit\s+to\s+obtain",
    re.IGNORECASE,
)
"""Doubt, definition or condition: the sentence concludes nothing."""
_DUTY = re.compile(
    r"reasonable\s+assurance\s+(?:with\s+respect\s+to|that\s+the\s+objectives)|inherent\s+limitations|is\s+responsible\s+for"
    r"|to\s+determine\s+whether|assessing\s+whether|evaluat\w+\s+whether|plan\s+and\s+perform",
    re.IGNORECASE,
)
"""What controls are for and how they were looked at; a conclusion may follow in the same sentence."""
_THEREUPON = re.compile(r"\b(?:concluded|determined|believes?)\b", re.IGNORECASE)
_NOT_BELIEVED = re.compile(
    r"\b(?:do|does|did)\s+not\s+(?:\w+\s+)?(?:believe|consider|find|think|deem|regard)\b[^.;]*$", re.IGNORECASE
)
"""`Management does not believe that … was effective`."""
_NEITHER = re.compile(r"\bneither\b[^.;]*\bnor\b[^.;]*$", re.IGNORECASE)
_NAMED_IN_PASSING = re.compile(r"\b(?:includ(?:ing|es?)|inclusive\s+of)\s+(?:\w+['\u2019]?\w*\s+){0,3}$", re.IGNORECASE)
"""`Disclosure controls, including internal control over financial reporting, were …` speaks of disclosure controls."""
_CONCLUDES = re.compile(
    r"\b(?:conclu\w+|believes?|determin\w+|opinion|assess(?:ed|ment)|evaluat(?:ed|ion)|reports?|asserts?|certif\w+|found|maintain\w*|maintained|consider\w*|deemed|was|were|is|are)\b",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"^(?:previously|originally|initially),|\bat\s+the\s+time\s+(?:of|that|when|(?:the|our|its|we)\b)[^.;]{0,80}\b(?:filed|filing|original|issued)\b|\b(?:previously|originally|initially)\s+(?:\w+\s+)?(?:concluded|reported|disclosed|determined|stated|issued)|\bhad\s+(?:previously\s+)?(?:concluded|been\s+(?:effective|ineffective))"
    r"|in\s+(?:our|its|the)\s+(?:prior|original|previous)\s+(?:year|annual|form|filing|report)",
    re.IGNORECASE,
)
_CONCLUDED_HAD_BEEN = re.compile(
    r"(?<!had )(?<!previously )\bconcluded\b[^.;]{0,120}\bhad\s+been\s+effective", re.IGNORECASE
)
"""A conclusion in the past perfect: the year that it speaks of has ended."""
_EXCEPT = re.compile(
    r"\beffective\b[^.]{0,40}\b(?:except\s+(?:for|as)|with\s+the\s+exception\s+of|other\s+than|apart\s+from|aside\s+from|save\s+for|subject\s+to(?![^.]{0,60}\blimitation))\b"
    r"|\beffective\b[^.]{0,90}\bexcept\s+that\b(?![^.]{0,120}\b(?:exclud\w+|did\s+not\s+include|no\s+evaluation))"
    r"|\bexcept\s+for\b[^.]{0,200}\beffective\b"
    r"|\b(?:other\s+than|with\s+the\s+exception\s+of|apart\s+from|aside\s+from|save\s+for|but\s+for)\b[^.,]{0,60}\b(?:weakness|deficienc|matter|issue|above|below|described|noted|disclosed|identified)[^.]{0,200}\beffective\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due\s+to|as\s+a\s+result\s+of|resulting\s+from|in\s+light\s+of|given|based\s+(?:up)?on|owing\s+to|described|which|solely)\b",
    re.IGNORECASE,
)
_COORDINATED = re.compile(
    r"^\s*(?:\([^()]*\)\s*)*,?\s*(?:and|or|as\s+well\s+as|nor)\s+(?:\w+['\u2019]?\w*\s+){0,4}$", re.IGNORECASE
)
_ONLY_PART = re.compile(
    r"\b(?:remediat\w+|new|these|such|certain|this|following|specific)\s+(?:\w+\s+){0,3}controls?\b(?!\s+over\s+financial)|general\s+controls|\bcontrols?\s+(?:activities|environment)\b",
    re.IGNORECASE,
)

_WHOLE = re.compile(r"\b(?:these|those|such|the)\s+(?:same\s+)?controls?(?:\s+and\s+procedures)?[\s,]*$", re.IGNORECASE)
"""`These controls` before the verb stand for what the sentence before named."""
_PRONOUN = re.compile(r"\b(?:it|they|these|those|both|the\s+same|that\s+control|controls?|system)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Predicate:
    """One statement of effectiveness."""

    subject: Subject
    effective: bool
    earlier: bool
    """It tells what was concluded before."""
    except_for: bool
    """`Effective except for …`, which the rules do not permit."""


def predicates(sentence: str) -> list[Predicate]:
    """The statements of effectiveness in a sentence; boilerplate, hypotheses and definitions give none."""
    lowered = sentence.lower()
    if not any(word in lowered for word in ("ffective", "maintain", "adequate", "criteria", "deficient")):
        return []
    if not _CONCLUDES.search(sentence):
        return []
    duty = list(_DUTY.finditer(sentence))
    if duty:
        thereupon = _THEREUPON.search(sentence, duty[-1].end())
        if thereupon is None:
            return []
        sentence = sentence[thereupon.start() :]
    if _HYPOTHETICAL.search(sentence):
        return []
    found: list[Predicate] = []
    earlier = bool(_EARLIER.search(sentence)) and not _CONCLUDED_HAD_BEEN.search(sentence)
    excepted = bool(_EXCEPT.search(sentence))
    negatives = list(_NEGATIVE.finditer(sentence))
    for match in negatives:
        subject = _subject(sentence, match)
        if subject is not None:
            found.append(Predicate(subject, False, earlier, False))
    for match in _POSITIVE.finditer(sentence):
        if any(n.start() < match.end() and match.start() < n.end() for n in negatives):
            continue
        subject = _subject(sentence, match)
        if subject is None:
            continue
        before = sentence[: match.start()]
        neither = _NEITHER.search(before) is not None
        if neither and {"icfr", "dcp"} <= {named for _, _, named in mentions(before)}:
            subject = "both"
        denied = neither or _NOT_BELIEVED.search(before) is not None
        found.append(Predicate(subject, not denied, earlier, excepted and not denied))
    return found


def _subject(sentence: str, match: re.Match[str]) -> Subject | None:
    """What the predicate is about: the last noun before it, or its object after `maintain`."""
    after = sentence[match.end() : match.end() + 160]
    verb = match[0].lower()
    if "maintain" in verb or verb.endswith(("internal", "disclosure", "effectiveness of")):
        window = sentence[match.start() : match.end() + 160]
        nearest = _first(window)
        if verb.startswith("maintain") and not verb.startswith("maintained") and not ICFR.search(window):
            return None
        if nearest is None or ("maintain" in verb and "effective" not in window.lower()):
            return None
        if (
            "maintain" in verb
            and not verb.startswith(("maintain", "had", "has", "have", "effective"))
            and _is_cause_list(window)
        ):
            return None
        return nearest
    inside = mentions(match[0])
    if inside:
        return inside[-1][2]
    before = sentence[: match.start()]
    subject = _last(before)
    if subject is None:
        if _first(after[:90]) and re.match(r"\s*(?:in|over|as)?\s*(?:our|its|the)?\s*internal", after, re.IGNORECASE):
            return "icfr"
        if _ONLY_PART.search(before[-120:]) and not _WHOLE.search(before[-120:]):
            return None
        return "unnamed" if _PRONOUN.search(before) else None
    return subject


def _is_cause_list(window: str) -> bool:
    """`Did not maintain effective controls over …` is a weakness, not the conclusion on ICFR."""
    return not re.search(
        r"maintain\w*\s*,?\s*(?:in\s+all\s+material\s+respects\s*,?\s*)?(?:an?\s+|our\s+|its\s+)?effective\s+(?:system\s+of\s+)?(?:internal\s+control|disclosure|ICFR)",
        window,
        re.IGNORECASE,
    )


def mentions(text: str) -> list[tuple[int, int, Subject]]:
    """Where a text names ICFR and disclosure controls: (start, end, which), in order."""
    found: list[tuple[int, int, Subject]] = [(m.start(), m.end(), "icfr") for m in ICFR.finditer(text)]
    found += [(m.start(), m.end(), "dcp") for m in DCP.finditer(text)]
    taken = [(start, end) for start, end, _ in found]
    found += [
        (m.start(), m.end(), "icfr")
        for m in WEAK_ICFR.finditer(text)
        if not any(start < m.end() and m.start() < end for start, end in taken)
    ]
    return sorted(found)


def _last(before: str) -> Subject | None:
    named = mentions(before)
    # A noun inside "because of the weakness in our …" is a cause, unless no other noun stands before the predicate.
    free = [m for m in named if not _in_cause(before, m[0]) and not _NAMED_IN_PASSING.search(before[: m[0]])]
    chosen = (free or named)[-1:]
    if not chosen:
        return None
    start, _, subject = chosen[0]
    others = [m for m in named if m[2] != subject and m[1] <= start]
    if others:
        between = before[others[-1][1] : start]
        if _COORDINATED.match(between) and not _THEREUPON.search(between):
            return "both"
    return subject


def _in_cause(text: str, position: int) -> bool:
    """Whether a clause of cause runs from its first word to `position` without a comma that ends it."""
    causes = list(_CAUSE.finditer(text, max(0, position - 160), position))
    if not causes:
        return False
    cause = causes[-1]
    if cause[0].lower() == "because" and not re.match(r"\s+of\b", text[cause.end() :], re.IGNORECASE):
        # A clause of its own, whose subject may be named in it.
        return False
    between = text[cause.end() : position]
    return "," not in between and not re.search(r"\b(?:that|conclu\w+|determin\w+|believ\w+)\b", between, re.IGNORECASE)


def _first(text: str) -> Subject | None:
    named = mentions(text)
    return named[0][2] if named else None

"""The words by which a weakness is named, described, denied, told as past or answered by remediation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .blocks import Block
from .language import MATERIAL_WEAKNESS
from .predicates import predicates

Kind = Literal["list_item", "bullet", "run_in_heading", "prose"]


@dataclass(frozen=True)
class Weakness:
    """One weakness: characters [start, end) of the section's text."""

    start: int
    end: int
    kind: Kind
    component: str | None


DEFINITION = re.compile(
    r"material\s+weakness(?:es)?,?\s+(?:is|are|means)\s+(?:defined|a\s+(?:deficiency|control|significant|combination)|deficienc|present\s+where)"
    r"|reasonable\s+possibility|reasonably\s+possible",
    re.IGNORECASE,
)
DEFICIENT = re.compile(
    r"\b(?:not|no|nobody|none|never|lack\w*|insufficient\w*|inadequa\w+|ineffective\w*|fail\w*|absence|deficien\w+|limited|dominated|improper\w*|weakness|unable|without)\b",
    re.IGNORECASE,
)
"""Words by which a short list item (`Lack of an audit committee`) is told from a heading."""
DENIES = re.compile(
    r"\bwhether\b[^.]{0,60}\bany\b|\b(?:no|not\s+any|did\s+not\s+(?:identify|find|constitute)|none\s+of|not\s+a)\b(?:(?!,\s+which\b)[^.]){0,60}material\s+weakness"
    r"|(?:did|do|does)\s+not\s+(?:result|have\s+an\s+effect\b)",
    re.IGNORECASE,
)
REMEDIATED = re.compile(
    r"\b(?:has|have|had|was|were|is|are)\s+(?:been\s+)?(?:now\s+)?(?:fully\s+|successfully\s+)?remediated"
    r"|\b(?:we|the\s+company|management)\s+(?:have\s+|has\s+)?(?:fully\s+|successfully\s+)?remediated\b"
    r"|previously\s+(?:reported|disclosed|identified)\s+material\s+weakness(?:es)?\s+(?:has|have|was|were)",
    re.IGNORECASE,
)
NOT_SAID = re.compile(
    r"\b(?:if|may|might|could|would|any|whether|prior|previous\w*|remediat\w*|plan(?:s|ned|ning)?|intend\w*|address\w*|correct\w*)\b",
    re.IGNORECASE,
)
"""Doubt, condition, the past or a plan: the sentence does not say that several exist now."""
CONSEQUENCE = re.compile(
    r"^the\s+(?:effects?|impacts?|consequences?)\s+of\b|^(?:these|this|the|each\s+of\s+(?:the|these)|as\s+a\s+result\s+of|because\s+of|notwithstanding|due\s+to|although|despite|the\s+aforementioned)"
    r"\s+(?:(?!company|management|registrant|was|were|is|are)\w+\s+){0,3}?(?:material\s+weakness(?:es)?|control\s+deficienc\w+|deficienc\w+)\s+(?:\w+\s+){0,2}(?:result|could|did|may|led|ha[sd]|ha[sv]e|create|contribut|above|described|discussed|exist)",
    re.IGNORECASE,
)
INTRODUCES = re.compile(
    r"\b(?:constitut\w+|represent\w*|amount\w*\s+to|r[io]se\w*\s+to\s+(?:the\s+level\s+of)?|(?<!there )(?:is|was|are|were|be|been|as)(?:\s+(?:also|itself|considered|determined|deemed|to|be|as))*"
    r"|considered|deemed)\s+an?\s+(?:\w+\s+)?material\s+weakness\b",
    re.IGNORECASE,
)
"""Words that call what was told a material weakness, for the first time."""
ANOTHER = re.compile(
    r"\b(?:another|an\s+additional|a\s+(?:second|third|separate|further|new)|one\s+(?:other|additional))\s+material\s+weakness\b|\balso\s+(?:identified|had|have|has|reported)\s+a\s+material\s+weakness\b"
    + r"|\b(?:additionally|in\s+addition|furthermore|moreover),\s+[^.]{0,40}?\b(?:identified|found|noted|reported|had|have|has|was|exists)\s+a\s+material\s+weakness\b",
    re.IGNORECASE,
)
EARLIER = re.compile(
    r"\bpreviously\b|\b(?:in|for|during|of)\s+(?:the|our)\s+(?:prior|previous|preceding)\s+(?:fiscal\s+)?(?:year|annual|period|form)|\bprior\s+years?\b|\b(?:our|the)\s+(?:\d{4}\s+(?:annual|form)|(?:annual\s+report|form\s+10-k)[^.]{0,40}\bfor\s+(?:the\s+)?(?:fiscal\s+)?(?:year|\d{4}))",
    re.IGNORECASE,
)
"""A sentence about what an earlier report said."""
CURED = re.compile(
    r"(?<!until )(?<!when )\b(?:has|have|had|was|were)\s+(?:been\s+)?(?:now\s+)?(?:fully\s+|successfully\s+)?remediated\b"
    r"|\b(?:we|the\s+company|management)\s+(?:have\s+|has\s+)?(?:fully\s+|successfully\s+)?remediated\b|\b(?:completed?|concluded)\b[^.]{0,40}\bremediation\s+of\b",
    re.IGNORECASE,
)
"""A weakness that is said to exist no longer."""
SEVERAL = re.compile(
    r"material\s+weaknesses\b|(?:another|second|additional|also\s+identified\s+a)\s+material\s+weakness", re.IGNORECASE
)
"""Words that speak of more than one weakness."""
ONE_CONSEQUENCE = re.compile(
    r"^the\s+(?:effects?|impacts?|consequences?)\s+of\b|^(?:this|the)\s+(?:\w+\s+){0,3}?(?:material\s+weakness|control\s+deficiency|deficiency)\b(?!\s+(?:above|described))",
    re.IGNORECASE,
)
"""What followed from one weakness of a numbered list, told below it: the next number may follow."""
ABSENT = re.compile(
    r"(?:an?\s+|the\s+|our\s+)?(?:no|not|lack\w*|absence|insufficient\w*|inadequa\w+|ineffective\w*|failure|deficien\w+|limited|improper|poor|weak\w*)\b"
    r"|(?:we|the\s+company|management|there)\s+(?:do|does|did|has|have|had|is|are|was|were)\s+(?:not|no)\b|(?:we|the\s+company)\s+lack\w*\b",
    re.IGNORECASE,
)
"""The first words of an item that says what is missing; a plan may be what is missing."""
_ANSWER = (
    r"\bremediat\w*\s+(?:plan|effort|activit|action|initiative|step|measure|status|of\s+(?:the\s+|our\s+|prior\s+)?material)"
    r"|\b(?:plan|plans|planned|steps|measures|efforts|actions|intend\w*|continue\w*|working|commenced|begun|initiated|implement\w*)\b[^.]{0,120}\b(?:to\s+)?(?:remediat\w+|remed\w+|address|correct|strengthen|improve|enhance)"
    r"|^(?:in\s+order\s+)?to\s+(?:address|remediate|remedy|correct|mitigate)\b|^in\s+response\s+to\b"
)
ANSWER = re.compile(_ANSWER, re.IGNORECASE)
"""A sentence about what is done against a weakness."""
_ANSWER_HEADING = re.compile(
    r"^(?:[\w\u2019' ]{0,40}\b)?(?:remediat\w*|remed(?:y|ies)|corrective|steps|measures|actions?|response|plans?|efforts|what\s+we\s+are\s+doing)\b",
    re.IGNORECASE,
)
_ANSWER_RUN_IN = re.compile(
    r"^(?:management['\u2019]?s?\s+)?(?:plans?\s+(?:for|of)\s+)?(?:remediation|response|remedy|plan|corrective\s+actions?)\b[^.:]{0,50}[.:\u2013\u2014]\s",
    re.IGNORECASE,
)
_OTHER_RUN_IN = re.compile(
    r"^(?:attestation|changes?|management['\u2019]?s?\s+(?:annual\s+)?report|disclosure\s+controls|evaluation|(?:inherent\s+)?limitations?|auditor|internal\s+control\s+over)\b[^.:]{0,90}[.:\u2013\u2014](?:\s|$)",
    re.IGNORECASE,
)
TURNS = re.compile(
    r"^(?:attestation|changes?\s+in|management['\u2019]?s?\s+(?:annual\s+)?report|disclosure\s+controls|evaluation\s+of|(?:inherent\s+)?limitations?\b"
    r"|(?:report|opinion)\s+of|auditor|internal\s+control\s+over|this\s+(?:annual\s+)?report|item\s+\d|part\s+i|notwithstanding|because\s+of\s+its\s+inherent|conclusion)",
    re.IGNORECASE,
)
"""A heading or paragraph that turns to another matter of the item."""
NAMED_HEADING = re.compile(r"^(?:the\s+|our\s+)?material\s+weakness(?:es)?\b", re.IGNORECASE)


def answers(block: Block) -> bool:
    """Whether a block opens the remediation passage."""
    words = block.words
    if NAMED_HEADING.match(words) and block.is_heading:
        return False
    if block.is_heading:
        return _ANSWER_HEADING.search(words) is not None
    if _ANSWER_RUN_IN.match(words):
        return True
    first = words[:260]
    return ANSWER.search(first) is not None and not re.search(r"identified|existed|conclude", first, re.IGNORECASE)


def opens_with_title(block: Block) -> bool:
    """Whether a block that answers is the title of the passage, or opens with one."""
    return block.is_heading or _ANSWER_RUN_IN.match(block.words) is not None


def leaves(block: Block) -> bool:
    """Whether a block turns to another matter: any other heading, or a run-in one."""
    return block.is_heading or _OTHER_RUN_IN.match(block.words) is not None


def turns_away(block: Block) -> bool:
    """Whether a paragraph after the remediation turns to another matter: it opens so, or with a conclusion."""
    return TURNS.match(block.words) is not None or any(
        predicate.subject != "unnamed" and not predicate.earlier for predicate in predicates(_opening(block.words))
    )


def _opening(words: str) -> str:
    return re.split(r"(?<=[.;])\s+(?=[A-Z])", words, maxsplit=1)[0]


def names_weakness(text: str) -> bool:
    """Whether a text names a weakness as existing: no denial, no definition alone, no past one."""
    return any(
        MATERIAL_WEAKNESS.search(part) and not DENIES.search(part) and not DEFINITION.search(part)
        for part in re.split(r"(?<=[.:])\s+(?=[A-Z])", text)
    )


def not_existing(sentence: str) -> bool:
    """Whether a sentence denies a weakness, defines one or tells one as remediated."""
    return any(pattern.search(sentence) for pattern in (DEFINITION, DENIES, REMEDIATED))

"""Item numbers of an 8-K from its header, whichever way the header names them.

The tagged spelling has numbers (`<ITEMS>4.02`), the text spelling of a full submission has titles (`ITEM INFORMATION`).
Only the items that the benchmark looks at are told from their titles (Form 8-K, Items 4.01 and 4.02).
"""

from __future__ import annotations

import re

from .sgml_header import SubmissionHeader

_TITLES = {
    "4.01": re.compile(r"changes?\s+in\s+(?:the\s+)?registrant[’\']?s?\s+certifying\s+accountants?", re.I),
    "4.02": re.compile(r"non-?\s?reliance\s+on\s+previously\s+issued\s+financial\s+statements?", re.I),
}
_NUMBER = re.compile(r"\d{1,2}\.\d{2}", re.ASCII)


def header_items(header: SubmissionHeader) -> tuple[str, ...]:
    """Item numbers, in the order of the header."""
    numbers = [item for item in header.items if _NUMBER.fullmatch(item)]
    numbers += [number for title in header.item_titles for number, words in _TITLES.items() if words.search(title)]
    return tuple(dict.fromkeys(numbers))

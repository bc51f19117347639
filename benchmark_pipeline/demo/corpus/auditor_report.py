"""The auditor's report: combined or apart, with an opinion on ICFR or without one."""

from __future__ import annotations

from .authored import Filing, Registrant, firms
from .prose import Node, fill, long_date, parse

TITLE = "REPORT OF INDEPENDENT REGISTERED PUBLIC ACCOUNTING FIRM"


def _words(registrant: Registrant, filing: Filing) -> dict[str, str]:
    return {
        "company": registrant.name,
        "as_of": long_date(filing.period),
        "start": long_date(registrant.fiscal_start(filing)),
        "weaknesses": filing.auditor_weaknesses.strip(),
    }


def _signature(registrant: Registrant, filing: Filing) -> list[Node]:
    firm = firms()[filing.auditor or registrant.auditor or ""]
    return [
        Node("p", f"/s/ [[AuditorName={firm.name}]]"),
        Node("p", f"[[AuditorLocation={firm.city}]] (PCAOB ID [[AuditorFirmId={firm.firm_id}]])"),
        Node("p", long_date(filing.filed)),
    ]


def _addressee(registrant: Registrant) -> Node:
    return Node("p", f"To the Shareholders and the Board of Directors of {registrant.name}:")


def statements_report(registrant: Registrant, filing: Filing, with_icfr: bool) -> list[Node]:
    """The report on the statements; `with_icfr` makes it the combined one."""
    firm = firms()[filing.auditor or registrant.auditor or ""]
    words = _words(registrant, filing)
    nodes = [Node("title", TITLE), _addressee(registrant)]
    texts: tuple[str, ...]
    if with_icfr:
        opinion = firm.icfr_adverse if filing.icfr_opinion == "adverse" else firm.icfr_unqualified
        texts = ("### Opinions on the Financial Statements and Internal Control over Financial Reporting", firm.opinion, opinion, "### Basis for Opinions", firm.basis, firm.icfr_basis, "### Definition and Limitations of Internal Control over Financial Reporting", firm.definition)  # fmt: skip
    else:
        texts = ("### Opinion on the Financial Statements", firm.opinion, "### Basis for Opinion", firm.basis)
        if filing.icfr_opinion == "none" and not attested_elsewhere(filing):
            texts += (firm.no_icfr_audit,)
    for text in texts:
        nodes += parse(fill(text, words))
    return nodes + _signature(registrant, filing)


def icfr_report(registrant: Registrant, filing: Filing) -> list[Node]:
    """The separate report on ICFR."""
    firm = firms()[filing.auditor or registrant.auditor or ""]
    words = _words(registrant, filing)
    opinion = firm.icfr_adverse if filing.icfr_opinion == "adverse" else firm.icfr_unqualified
    nodes = [Node("title", TITLE), _addressee(registrant)]
    texts = ("### Opinion on Internal Control over Financial Reporting", opinion, "### Basis for Opinion", firm.icfr_basis, "### Definition and Limitations of Internal Control over Financial Reporting", firm.definition)  # fmt: skip
    for text in texts:
        nodes += parse(fill(text, words))
    return nodes + [_untagged(node) for node in _signature(registrant, filing)]


def attested_elsewhere(filing: Filing) -> bool:
    """The cover claims an opinion that these pages do not hold."""
    return bool(filing.flag) and filing.icfr_opinion == "none"


def _untagged(node: Node) -> Node:
    """The firm is tagged once a document."""
    text = node.text
    for element in ("AuditorName", "AuditorLocation", "AuditorFirmId"):
        text = text.replace(f"[[{element}=", "").replace("]]", "") if element in text else text
    return Node(node.kind, text, node.label)

"""Documents as EDGAR shows them: XHTML with inline XBRL, or plain HTML, in the looks of several filing tools."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from html import escape

from .prose import Node, long_date

FACT = re.compile(r"\[\[(\w+)(?:@(\d))?=([^\]]*)\]\]")

TRUE_GLYPHS = ("☒", "þ", "☑")
FALSE_GLYPHS = ("☐", "¨", "☐")

_NAMESPACES = {
    "ix": "http://www.xbrl.org/2013/inlineXBRL",
    "xbrli": "http://www.xbrl.org/2003/instance",
    "xbrldi": "http://xbrl.org/2006/xbrldi",
    "xlink": "http://www.w3.org/1999/xlink",
    "link": "http://www.xbrl.org/2003/linkbase",
    "iso4217": "http://www.xbrl.org/2003/iso4217",
    "ixt-sec": "http://www.sec.gov/inlineXBRL/transformation/2015-08-31",
}
_TRANSFORMS = (
    ("http://www.xbrl.org/inlineXBRL/transformation/2020-02-12", "ixt:fixed-true", "ixt:fixed-false", "ixt:date-monthname-day-year-en"),
    ("http://www.xbrl.org/inlineXBRL/transformation/2015-02-26", "ixt:booleantrue", "ixt:booleanfalse", "ixt:datemonthdayyearen"),
    ("http://www.xbrl.org/inlineXBRL/transformation/2020-02-12", "ixt-sec:boolballotbox", "ixt-sec:boolballotbox", "ixt:date-monthname-day-year-en"),
)  # fmt: skip


@dataclass
class Facts:
    """Tagged facts of one document."""

    ciks: tuple[str, ...]
    start: date
    end: date
    taxonomy_year: int
    dialect: int
    stem: str
    hidden: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def tag(self, element: str, context: str | None, value: str) -> str:
        """One inline fact."""
        self.count += 1
        _, true, false, dates = _TRANSFORMS[self.dialect]
        shown, form = escape(value), ""
        if value in {"true", "false"}:
            glyphs = TRUE_GLYPHS if value == "true" else FALSE_GLYPHS
            shown, form = glyphs[self.dialect], f' format="{true if value == "true" else false}"'
            if element == "EntityShellCompany" and self.dialect == 1 and value == "false":
                shown = "þ"  # the ticked box beside "No": the value is in the transform, not in the glyph
        elif re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            shown, form = escape(long_date(date.fromisoformat(value))), f' format="{dates}"'
        elif element == "EntityIncorporationStateCountryCode":
            form = ' format="ixt-sec:edgarprovcountryen"'
        elif element == "EntityFilerCategory":
            form = ' format="ixt-sec:entityfilercategoryen"'
        return (
            f'<ix:nonNumeric contextRef="c-{context or 1}" name="dei:{element}"{form} id="f-{self.count}">'
            f"{shown}</ix:nonNumeric>"
        )

    def amount(self, element: str, value: float, instant: bool) -> str:
        """One inline amount, in millions."""
        self.count += 1
        sign = ' sign="-"' if value < 0 else ""
        number = (
            f'<ix:nonFraction unitRef="usd" contextRef="{"c-i" if instant else "c-1"}" decimals="-5" '
            f'name="us-gaap:{element}" scale="6"{sign} format="ixt:num-dot-decimal" id="f-{self.count}">'
            f"{abs(value):,.1f}</ix:nonFraction>"
        )
        return f"({number})" if value < 0 else number

    def namespaces(self) -> str:
        """Attributes of the root element."""
        names = _NAMESPACES | {
            "ixt": _TRANSFORMS[self.dialect][0],
            "dei": f"http://xbrl.sec.gov/dei/{self.taxonomy_year}",
            "us-gaap": f"http://fasb.org/us-gaap/{self.taxonomy_year}",
        }
        names[self.prefix] = f"http://{self.prefix}.invalid/{self.end:%Y%m%d}"
        return "".join(f' xmlns:{key}="{value}"' for key, value in names.items())

    @property
    def prefix(self) -> str:
        """Namespace prefix of the registrant's own elements."""
        return self.stem.split("-")[0]

    def header(self) -> str:
        """The ix:header with hidden facts, contexts and units."""
        hidden = "".join(self._hidden(element, value) for element, value in self.hidden.items())
        contexts = "".join(self._context(f"c-{n}", cik, n) for n, cik in enumerate(self.ciks, 1))
        instant = (
            f'<xbrli:context id="c-i"><xbrli:entity>{_identifier(self.ciks[0])}</xbrli:entity><xbrli:period>'
            f"<xbrli:instant>{self.end}</xbrli:instant></xbrli:period></xbrli:context>"
        )
        return (
            f'<div style="display:none"><ix:header><ix:hidden>{hidden}</ix:hidden><ix:references xml:lang="en-US">'
            f'<link:schemaRef xlink:type="simple" xlink:href="{self.stem}.xsd"/></ix:references>'
            f'<ix:resources>{contexts}{instant}<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure>'
            "</xbrli:unit></ix:resources></ix:header></div>"
        )

    def _hidden(self, element: str, value: str) -> str:
        form = ""
        if value in {"true", "false"}:
            _, true, false, _ = _TRANSFORMS[min(self.dialect, 1)]
            form = f' format="{true if value == "true" else false}"'
        return f'<ix:nonNumeric contextRef="c-1" name="dei:{element}"{form} id="h-{element}">{escape(value)}</ix:nonNumeric>'

    def _context(self, name: str, cik: str, number: int) -> str:
        segment = ""
        if number > 1:
            segment = (
                '<xbrli:segment><xbrldi:explicitMember dimension="dei:LegalEntityAxis">'
                f"{self.prefix}:SubsidiaryRegistrantMember</xbrldi:explicitMember></xbrli:segment>"
            )
        return (
            f'<xbrli:context id="{name}"><xbrli:entity>{_identifier(cik)}{segment}</xbrli:entity><xbrli:period>'
            f"<xbrli:startDate>{self.start}</xbrli:startDate><xbrli:endDate>{self.end}</xbrli:endDate>"
            "</xbrli:period></xbrli:context>"
        )


def _identifier(cik: str) -> str:
    return f'<xbrli:identifier scheme="http://www.sec.gov/CIK">{cik}</xbrli:identifier>'


def inline(text: str, facts: Facts | None) -> str:
    """Text of one block as markup: facts tagged, bold words, everything else escaped."""
    done = []
    position = 0
    for match in FACT.finditer(text):
        done.append(_plain(text[position : match.start()]))
        element, context, value = match.groups()
        if element.startswith("usgaap_"):
            amount = float(value)
            name = element.removeprefix("usgaap_")
            done.append(facts.amount(name, amount, name == "Assets") if facts else _money(amount))
        elif facts:
            done.append(facts.tag(element, context, value))
        else:
            done.append(_plain({"true": "☒", "false": "☐"}.get(value) or untagged(value)))
        position = match.end()
    return "".join(done) + _plain(text[position:])


def untagged(value: str) -> str:
    """A fact as it is shown where nothing is tagged."""
    if value in {"true", "false"}:
        return "[X]" if value == "true" else "[ ]"
    return long_date(date.fromisoformat(value)) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else value


def _money(value: float) -> str:
    return f"({abs(value):,.1f})" if value < 0 else f"{value:,.1f}"


def _plain(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text, quote=False)).replace("'", "&#8217;")


_FONT = "font-family:'Times New Roman',sans-serif;font-size:10pt"


def _span(weight: int, body: str, extra: str = "") -> str:
    return f'<span style="color:#000000;{_FONT};font-weight:{weight};line-height:120%{extra}">{body}</span>'


def _block(look: int, node: Node, body: str) -> str:
    label = escape(node.label, quote=False)
    if look == 0:  # spans in divs, the commonest tool of large filers
        shapes = {
            "title": f'<div style="text-align:center">{_span(700, body)}</div>',
            "center": f'<div style="text-align:center">{_span(400, body)}</div>',
            "part": f'<div style="margin-top:9pt;text-align:center">{_span(700, body)}</div>',
            "item": f'<div style="margin-top:9pt">{_span(700, f"{label}&#160;&#160;&#160;&#160;{body}")}</div>',
            "sub": f'<div style="margin-top:6pt">{_span(700, body, ";font-style:italic")}</div>',
            "sub2": f'<div style="margin-top:6pt">{_span(400, body, ";font-style:italic")}</div>',
            "li": f'<div style="padding-left:36pt;text-indent:-18pt">{_span(400, f"{label}{body}")}</div>',
        }
        return shapes.get(node.kind, f'<div style="margin-top:6pt;text-align:justify">{_span(400, body)}</div>')
    if look == 1:  # paragraphs with styles
        shapes = {
            "title": f'<p style="text-align:center;margin:0"><b>{body}</b></p>',
            "center": f'<p style="text-align:center;margin:0">{body}</p>',
            "part": f'<p style="text-align:center"><b>{body}</b></p>',
            "item": f'<p style="margin:12pt 0 6pt"><b>{label.upper()} {body.upper()}</b></p>',
            "sub": f"<p><b>{body}</b></p>",
            "sub2": f"<p><b><i>{body}</i></b></p>",
            "li": f'<p style="margin-left:24pt;text-indent:-12pt">{label} {body}</p>',
        }
        return shapes.get(node.kind, f'<p style="margin:0 0 8pt;text-align:justify">{body}</p>')
    if look == 2:  # headings and list items as tables
        shapes = {
            "title": f'<p align="center"><font size="2"><b>{body}</b></font></p>',
            "center": f'<p align="center"><font size="2">{body}</font></p>',
            "part": f'<p align="center"><font size="2"><b>{body}</b></font></p>',
            "item": f'<table cellspacing="0" border="0" width="100%"><tr><td width="10%" valign="top"><font size="2"><b>{label}</b></font></td><td valign="top"><font size="2"><b>{body.upper()}</b></font></td></tr></table>',
            "sub": f'<p><font size="2"><b><i>{body}</i></b></font></p>',
            "sub2": f'<p><font size="2"><u>{body}</u></font></p>',
            "li": f'<table cellspacing="0" border="0" width="100%"><tr><td width="4%" valign="top"><font size="2">{label}</font></td><td valign="top"><font size="2">{body}</font></td></tr></table>',
        }
        return shapes.get(node.kind, f'<p><font size="2">{body}</font></p>')
    shapes = {  # lists as lists
        "title": f'<p style="text-align:center;font-weight:bold">{body}</p>',
        "center": f'<p style="text-align:center">{body}</p>',
        "part": f'<p style="text-align:center;font-weight:bold">{body}</p>',
        "item": f'<p style="font-weight:bold">{label} &#8211; {body}</p>',
        "sub": f'<p style="text-decoration:underline">{body}</p>',
        "sub2": f"<p><i>{body}</i></p>",
        "li": f"<ul><li>{body}</li></ul>" if node.label == "•" else f"<p>{label}&#160;{body}</p>",
    }
    return shapes.get(node.kind, f"<p>{body}</p>")


def render(nodes: list[Node], look: int, facts: Facts | None, title: str) -> str:
    """A whole document.

    Args:
        nodes: Its parts.
        look: Which filing tool's markup.
        facts: Facts to tag; null for plain HTML.
        title: Title element.
    """
    body: list[str] = []
    page = 0
    rows: list[str] = []
    for node in nodes:
        if node.kind == "row":
            cells = "".join(f"<td>{inline(cell.strip(), facts)}</td>" for cell in node.text.split("|"))
            rows.append(f"<tr>{cells}</tr>")
            continue
        if rows:
            body.append(f'<table style="width:100%">{"".join(rows)}</table>')
            rows = []
        if node.kind == "page":
            page += 1
            body.append(_page(look, page))
        else:
            body.append(_block(look, node, inline(node.text, facts)))
    if rows:
        body.append(f'<table style="width:100%">{"".join(rows)}</table>')
    inner = "\n".join(body)
    if facts is None:
        return f"<html>\n<head>\n<title>{escape(title)}</title>\n</head>\n<body>\n{inner}\n</body>\n</html>\n"
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        f'<html xmlns="http://www.w3.org/1999/xhtml"{facts.namespaces()} xml:lang="en-US"><head>'
        f'<meta http-equiv="Content-Type" content="text/html"/>\n<title>{escape(title)}</title></head><body>'
        f"{facts.header()}\n{inner}\n</body></html>\n"
    )


def _page(look: int, number: int) -> str:
    if look == 0:
        return (
            f'<div style="text-align:center">{_span(400, str(number))}</div><hr style="page-break-after:always"/>'
            f'<div><a href="#toc">{_span(400, "Table of Contents")}</a></div>'
        )
    return f'<p style="text-align:center">{number}</p><hr style="page-break-after:always"/>'

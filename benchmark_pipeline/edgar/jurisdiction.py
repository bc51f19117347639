"""Country of incorporation as ISO 3166 alpha-2, from EDGAR's state and country codes or from a name on the cover."""

from __future__ import annotations

UNKNOWN = "ZZ"
"""User-assigned code of ISO 3166: the country is not known."""

_US = frozenset(
    [
        "AL",
        "AK",
        "AZ",
        "AR",
        "CA",
        "CO",
        "CT",
        "DE",
        "DC",
        "FL",
        "GA",
        "HI",
        "ID",
        "IL",
        "IN",
        "IA",
        "KS",
        "KY",
        "LA",
        "ME",
        "MD",
        "MA",
        "MI",
        "MN",
        "MS",
        "MO",
        "MT",
        "NE",
        "NV",
        "NH",
        "NJ",
        "NM",
        "NY",
        "NC",
        "ND",
        "OH",
        "OK",
        "OR",
        "PA",
        "RI",
        "SC",
        "SD",
        "TN",
        "TX",
        "UT",
        "VT",
        "VA",
        "WA",
        "WV",
        "WI",
        "WY",
        "X1",
        "US",
    ]
)
_US_NAMES = frozenset(
    [
        "alabama",
        "alaska",
        "arizona",
        "arkansas",
        "california",
        "colorado",
        "connecticut",
        "delaware",
        "district of columbia",
        "florida",
        "georgia",
        "hawaii",
        "idaho",
        "illinois",
        "indiana",
        "iowa",
        "kansas",
        "kentucky",
        "louisiana",
        "maine",
        "maryland",
        "massachusetts",
        "michigan",
        "minnesota",
        "mississippi",
        "missouri",
        "montana",
        "nebraska",
        "nevada",
        "new hampshire",
        "new jersey",
        "new mexico",
        "new york",
        "north carolina",
        "north dakota",
        "ohio",
        "oklahoma",
        "oregon",
        "pennsylvania",
        "rhode island",
        "south carolina",
        "south dakota",
        "tennessee",
        "texas",
        "utah",
        "vermont",
        "virginia",
        "washington",
        "west virginia",
        "wisconsin",
        "wyoming",
        "united states",
        "united states of america",
    ]
)
_EDGAR = {
    **dict.fromkeys(("A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "B0", "Z4"), "CA"),
    "C1": "AR", "C3": "AU", "C4": "AT", "C5": "BS", "C9": "BE", "D0": "BM", "D5": "BR", "D8": "VG", "E9": "KY",
    "F3": "CL", "F4": "CN", "F5": "TW", "F8": "CO", "G7": "DK", "H9": "FI", "I0": "FR", "2M": "DE", "J3": "GR",
    "K3": "HK", "K7": "IN", "L2": "IE", "L3": "IL", "L6": "IT", "M0": "JP", "M5": "KR", "N4": "LU", "N8": "MY",
    "1T": "MH", "O5": "MX", "P7": "NL", "P8": "CW", "Q2": "NZ", "Q8": "NO", "R1": "PA", "R5": "PE", "S1": "PT",
    "U0": "SG", "T3": "ZA", "U3": "ES", "V7": "SE", "V8": "CH", "X0": "GB", "Y7": "GG", "Y8": "IM", "Y9": "JE",
}  # fmt: skip
_NAMES = {
    "canada": "CA", "alberta": "CA", "british columbia": "CA", "ontario": "CA", "quebec": "CA", "québec": "CA",
    "manitoba": "CA", "nova scotia": "CA", "saskatchewan": "CA", "new brunswick": "CA", "yukon": "CA",
    "argentina": "AR", "australia": "AU", "austria": "AT", "bahamas": "BS", "belgium": "BE", "bermuda": "BM",
    "brazil": "BR", "british virgin islands": "VG", "cayman islands": "KY", "chile": "CL", "china": "CN",
    "people's republic of china": "CN", "colombia": "CO", "curaçao": "CW", "denmark": "DK", "england and wales": "GB",
    "finland": "FI", "france": "FR", "germany": "DE", "greece": "GR", "guernsey": "GG", "hong kong": "HK",
    "india": "IN", "ireland": "IE", "isle of man": "IM", "israel": "IL", "italy": "IT", "japan": "JP", "jersey": "JE",
    "republic of korea": "KR", "luxembourg": "LU", "malaysia": "MY", "marshall islands": "MH", "mexico": "MX",
    "netherlands": "NL", "the netherlands": "NL", "new zealand": "NZ", "norway": "NO", "panama": "PA", "peru": "PE",
    "portugal": "PT", "singapore": "SG", "south africa": "ZA", "spain": "ES", "sweden": "SE", "switzerland": "CH",
    "taiwan": "TW", "united kingdom": "GB",
}  # fmt: skip


def country(value: str | None) -> str:
    """ISO 3166 alpha-2 of a state or country as EDGAR codes it or a cover prints it; `ZZ` where it is not known."""
    if value is None:
        return UNKNOWN
    word = " ".join(value.split())
    if word.upper() in _US:
        return "US"
    if word.upper() in _EDGAR:
        return _EDGAR[word.upper()]
    name = word.lower().removeprefix("the ").removeprefix("republic of the ")
    if name in _US_NAMES:
        return "US"
    return _NAMES.get(word.lower(), _NAMES.get(name, UNKNOWN))

"""The demonstration: an authored corpus in EDGAR's and the FAC's own formats, behind a local server."""

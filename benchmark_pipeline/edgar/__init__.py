"""EDGAR: indexes, submissions, filing folders, full-submission text, sections. Pure: bytes in, values out."""

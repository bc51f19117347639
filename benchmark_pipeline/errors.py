"""Errors that a user reads: each names the item and the remedy."""

from __future__ import annotations


class BenchError(Exception):
    """A failure that a user can act on. The command line prints it without a traceback."""

    def __init__(self, what: str, *, remedy: str | None = None) -> None:
        self.what = what
        self.remedy = remedy
        super().__init__(f"{what}\nRemedy: {remedy}" if remedy else what)


class CorruptFileError(BenchError):
    """A stored file is not what was written."""


class MissingModelError(BenchError):
    """A model's file or package is not installed."""


class ConfigurationError(BenchError):
    """A setting is missing or wrong."""

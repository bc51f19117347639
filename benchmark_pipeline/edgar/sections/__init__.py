"""Locating the controls section of an annual report."""

from .candidates import MAX_CHARACTERS
from .locate import locate
from .model import FilingDocument, Rejection, Section, Stretch
from .readability import language

__all__ = ["MAX_CHARACTERS", "FilingDocument", "Rejection", "Section", "Stretch", "language", "locate"]

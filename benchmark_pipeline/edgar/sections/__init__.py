"""Locating the controls section of an annual report."""

from .locate import MAX_CHARACTERS, locate
from .model import FilingDocument, Rejection, Section, Stretch
from .readability import language

__all__ = ["MAX_CHARACTERS", "FilingDocument", "Rejection", "Section", "Stretch", "language", "locate"]

"""The report: one HTML page that needs no network, made from the published warehouse alone."""

from .render import render, write_report

__all__ = ["render", "write_report"]

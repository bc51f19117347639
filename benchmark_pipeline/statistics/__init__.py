"""Counting: rates with intervals clustered by company, paired comparisons, and scores over fixed labels.

Arrays and counts in, numbers out. Which rows belong to which number is decided in `publication.metrics`.
"""

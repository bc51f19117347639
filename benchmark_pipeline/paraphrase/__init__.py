"""Paraphrase twins of disclosure items: authored drafts, and the invariants that each must keep."""

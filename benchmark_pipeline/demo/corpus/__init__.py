"""An authored corpus of fictional registrants, written out in EDGAR's own formats.

The sources are the YAML files in `registrants/` and `firms.yaml`: facts and prose, drafted by a language model and
marked so. The modules here turn them, always into the same bytes, into the documents, indexes and submission lists that
EDGAR would serve. No company, auditor or person in it exists.
"""

"""Drafts by language models: paraphrases, labels, and the judgement of two texts. Proposals, never truth.

A draft is asked for through the client that evaluates models, with the same request identity and response log, so that
none is paid for twice. What came back is appended to the draft log, the refused ones with their reason; the item builders
read it from there, and a person accepts a draft or it stays out of every release.
"""

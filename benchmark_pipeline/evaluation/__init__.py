"""Prompts, requests, the response log, outcomes and scores: how a model's answers are asked for, kept and read."""

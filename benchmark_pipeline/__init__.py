"""Reference benchmark of language models on internal control over financial reporting (ICFR).

Importing this package has no side effect: no wiring, no configuration, no network.
"""

__version__ = "0.1.0"

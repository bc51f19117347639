"""Human review: a local page, the append-only log that it writes, and the exchange with other tools."""

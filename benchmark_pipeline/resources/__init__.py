"""What assets talk to: EDGAR, the FAC, the lake, models and the warehouse. The only code that does network I/O."""

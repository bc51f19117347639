"""What leaves the pipeline: metrics, the headline, the warehouse, the report, the dataset folder, and the trace behind them.

Rows in, rows and files out. Nothing in here knows Dagster or opens a connection to another machine.
"""

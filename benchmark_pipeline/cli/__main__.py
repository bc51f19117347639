"""`python -m benchmark_pipeline.cli`, where the script `icfr-bench` is not on the path."""

from benchmark_pipeline.cli.app import main

main()

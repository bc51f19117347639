"""Assets, one module a stage. An asset reads, calls a domain function, writes and attaches metadata: nothing else."""

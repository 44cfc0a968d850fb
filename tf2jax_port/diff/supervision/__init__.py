"""Run comparisons in child processes, which may crash."""

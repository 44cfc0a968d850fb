"""Ratios, side by side in one process. `python -m benchmarks` prints them; see `__main__`."""

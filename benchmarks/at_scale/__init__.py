"""Compare a pair of programs of realistic size: `python -m benchmarks.at_scale`."""

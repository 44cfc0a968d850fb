"""A pair of programs of the size that is compared in practice: `python -m benchmarks.at_scale`."""

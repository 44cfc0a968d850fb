"""Run a comparison, a recording or a comparison with a golden in this process."""

"""Run a whole comparison, a recording or a comparison with a golden in this process."""

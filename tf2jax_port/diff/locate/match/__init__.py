"""Which values of two runs are the same."""

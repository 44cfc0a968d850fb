"""Match the values of two runs."""

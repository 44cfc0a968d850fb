"""Match equal values of the original's run and the port's run."""

"""Match equal values in the recorded runs of the original program and the port."""

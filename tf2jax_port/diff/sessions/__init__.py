"""Run a whole comparison, recording or replay in this process."""

"""Present the results of a scan."""

"""Plant faults into a port that is equal, to find out which faults the cases can detect."""

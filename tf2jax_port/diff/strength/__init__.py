"""Plant faults into a port that is equal, to find out what its cases could have caught."""

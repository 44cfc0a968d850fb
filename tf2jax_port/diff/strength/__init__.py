"""Plant faults into a port that is equal, to tell what its cases could have caught."""

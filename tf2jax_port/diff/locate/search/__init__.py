"""Search for the port's first faulty operation, by putting the original's values into its run."""

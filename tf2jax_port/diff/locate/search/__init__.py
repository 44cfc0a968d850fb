"""Search for the first place of the port where injecting the original's value fixes the results."""

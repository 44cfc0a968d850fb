"""Define the file of a golden, which holds the results of an original."""

"""Define the format of goldens, files that hold the results of an original program."""

"""The file of a golden: what an original gave."""

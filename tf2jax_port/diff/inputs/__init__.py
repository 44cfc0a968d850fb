"""Collect the inputs of a comparison: from functions, files, signatures or recorded calls."""

"""Measure the distance of two arrays, or of two samples of random arrays."""

"""Measure how far apart two arrays, or two samples, are."""

"""Planted porting faults: how many are found, and how many at the right line. See `__main__`."""

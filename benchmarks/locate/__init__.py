"""Plant porting faults, and count those found and those located; see `__main__`."""

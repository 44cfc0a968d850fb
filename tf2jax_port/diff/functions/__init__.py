"""The functions that are compared: found by name, or imported from a graph."""

"""Load the functions to compare, by name or from a graph."""

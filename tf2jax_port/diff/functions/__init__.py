"""Load the functions to compare, from a specification or an imported graph."""

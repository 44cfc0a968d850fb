"""Point at the place of a mistake, and propose what was meant."""

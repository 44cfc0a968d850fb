"""Point at a mistake, and propose what was probably meant."""

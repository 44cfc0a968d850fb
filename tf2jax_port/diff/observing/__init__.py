"""All lanes on one case."""

"""Import statements after a rewrite."""

"""Change import statements after a rewrite."""

"""Update import statements after a rewrite."""

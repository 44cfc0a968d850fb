"""Change single operators and constants of the product, and see whether its tests notice."""

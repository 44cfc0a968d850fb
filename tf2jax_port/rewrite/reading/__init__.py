"""Read the text of a file: decode bytes, resolve scopes, find references."""

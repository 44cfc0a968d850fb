"""How new text is put into a file."""

"""Plan and apply edits of a file's text."""

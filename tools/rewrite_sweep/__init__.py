"""Rewrite every operator of the table in every context of its arguments, and run the text that is written."""

"""Notebooks: their code cells as one program."""

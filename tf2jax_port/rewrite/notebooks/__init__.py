"""Rewrite notebooks by joining their code cells into one program."""

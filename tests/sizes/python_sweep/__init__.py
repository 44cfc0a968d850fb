"""Sweep Python's operators and builtins over sizes, made by rule."""

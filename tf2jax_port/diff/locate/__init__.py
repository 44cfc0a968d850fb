"""Locate the first divergence: the first operation whose inputs agree and whose result differs."""

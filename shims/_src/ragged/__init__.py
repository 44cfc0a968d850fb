"""Ragged tensors: rows of different lengths, as values and the places where rows end."""

from shims._src.ragged import binding as binding

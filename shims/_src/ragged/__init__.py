"""Define ragged tensors: rows of different lengths, stored as values and row splits."""

from shims._src.ragged import binding as binding

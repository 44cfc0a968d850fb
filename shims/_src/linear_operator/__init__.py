"""Provide `LinearOperator` and its subclasses: matrices represented by their structure."""

from shims._src.linear_operator import binding as binding

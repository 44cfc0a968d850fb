"""`LinearOperator` and its kinds: matrices known by their structure."""

from shims._src.linear_operator import binding as binding

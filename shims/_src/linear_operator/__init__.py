"""`LinearOperator` and its kinds: matrices known by their structure."""

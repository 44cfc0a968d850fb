"""When two results count as the same."""

from tf2jax_port.diff.parity.tolerance import difference, differences, expected_dtype

__all__ = ["difference", "differences", "expected_dtype"]

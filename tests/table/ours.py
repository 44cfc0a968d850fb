"""What `shims` gives for a case, in each of the ways in which it is called."""

from tf2jax_port.diff.parity.port_side import (
    eager,
    flat,
    floating_outputs,
    function_of,
    gradients,
    of_arrays,
    split,
)

__all__ = [
    "eager",
    "flat",
    "floating_outputs",
    "function_of",
    "gradients",
    "of_arrays",
    "split",
]

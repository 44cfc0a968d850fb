"""Define the JAX expressions that replace a function of `shims` for the usual arguments, by names of table rows."""

from __future__ import annotations

from tf2jax_port.table.row import Native

# The expression, and the argument that must be a number in the text: `tf.split` takes a list, too, which means
# sizes in TensorFlow and positions in JAX.
OF_NUMBERS = {
    "split": (
        "num_or_size_splits",
        Native("jnp.split({value}, {num_or_size_splits}, axis={axis})", optional=("axis",)),
    ),
}
# Functions that take the same arguments by position, if all operands are arrays.
OF_ARRAYS = {"einsum": "jnp.einsum"}

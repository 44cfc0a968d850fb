"""Programs of ordinary Python and `jax.numpy` over selections, drawn from a grammar."""

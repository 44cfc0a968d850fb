"""Compare TF graph, TF XLA and JAX on every operator of the table."""

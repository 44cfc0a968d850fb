"""Compare TF graph, TF XLA and JAX on every operator in the operator table."""

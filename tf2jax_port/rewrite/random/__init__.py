"""Random draws that are given keys of JAX."""

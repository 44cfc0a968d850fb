"""Run a function in TensorFlow or in JAX, and compute its gradients."""

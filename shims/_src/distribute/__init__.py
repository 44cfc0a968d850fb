"""Provide `tf.distribute` as a thin layer over the meshes of JAX."""

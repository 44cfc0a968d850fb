"""Provide `tf.experimental.numpy`: the functions of `jax.numpy` that TensorFlow's namespace has."""

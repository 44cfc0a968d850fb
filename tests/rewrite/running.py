"""Runs a program before and after its rewrite, and compares what it assigns."""

import numpy as np

X = np.array([[0.25, -1.5, 2.0], [1.0, 0.75, -0.5]], np.float32)


def run(code, x, file):
    """Executes a program that may read `x`; gives its variables, imports and functions left out."""
    file.write_text(code)  # what converts functions reads their source
    namespace = {"x": x, "__name__": "program"}
    exec(compile(code, str(file), "exec"), namespace)
    found = {}
    for name, value in namespace.items():
        if name.startswith("__") or name == "x" or callable(value) or hasattr(value, "__path__"):
            continue
        found[name] = value
    return {name: value for name, value in found.items() if type(value).__name__ != "module"}


def leaves(value):
    """Arrays in nested lists and tuples, as NumPy arrays."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "dtype"):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def assert_same(old, new, tolerance=1e-6):
    """Both programs assigned the same names, and to each equal values of equal dtype and shape."""
    assert set(old) == set(new)
    assert old, "the program assigns nothing"
    for name in old:
        pairs = list(zip(leaves(old[name]), leaves(new[name]), strict=True))
        for theirs, ours in pairs:
            assert theirs.dtype == ours.dtype, name
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, err_msg=name)


def both(before, after, folder):
    """What the TensorFlow program and the JAX program assign, for the same `x`."""
    import jax.numpy as jnp
    import tensorflow as tf

    old = run(before, tf.constant(X), folder / "before.py")
    return old, run(after, jnp.asarray(X), folder / "after.py")

"""The scores as a function of arrays, stored in a file: `python scorer.py weights.npz scorer.bin`."""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import export


def read(path):
    """Return the arrays of the two layers, by scope and name."""
    arrays = np.load(path)
    return {
        layer: {name: arrays[f"model/{layer}/{name}"] for name in ("kernel", "bias")}
        for layer in ("events", "visitors")
    }


def dense(layer, x):
    """Return a layer of a network."""
    return x @ layer["kernel"] + layer["bias"]


def scores(weights, events, lengths):
    """Return a score for each visitor; the padding of shorter ones never is the largest."""
    real = jnp.arange(events.shape[1]) < lengths[:, None]
    hidden = jax.nn.relu(dense(weights["events"], events))
    visitors = jnp.max(hidden, axis=1, where=real[:, :, None], initial=-jnp.inf)
    return dense(weights["visitors"], visitors)[:, 0]


def stored(weights):
    """Return the scores as bytes, for any number of visitors and events, with their gradient."""
    sizes = export.symbolic_shape("visitors, events")
    shapes = (
        jax.ShapeDtypeStruct((*sizes, 3), jnp.float32),
        jax.ShapeDtypeStruct(sizes[:1], jnp.int32),
    )
    bound = jax.jit(lambda events, lengths: scores(weights, events, lengths))
    exported = export.export(bound, platforms=["cpu", "cuda", "tpu"])(*shapes)
    return exported.serialize(vjp_order=1)


def loaded(path):
    """Return the function that a file holds; it needs JAX, and none of the code above."""
    return export.deserialize(bytearray(pathlib.Path(path).read_bytes())).call


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(stored(read(sys.argv[1])))

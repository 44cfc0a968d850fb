"""Train, and write the loss of every step and the trained weights: `python steps.py original steps.npz`."""

import importlib
import sys

import numpy as np
from cases import batches, start


def trained(name):
    """Return the arrays to compare, by name."""
    program = importlib.import_module(name)
    model = start(program.tagger())
    losses = program.train(model, batches())
    weights = {f"{i}_{w.name}": np.asarray(w) for i, w in enumerate(model.weights)}
    return {"losses": np.float32(losses), **weights}


if __name__ == "__main__":
    np.savez(sys.argv[2], **trained(sys.argv[1]))

"""Train, and write losses and weights, before and after: `python steps.py original steps.npz`."""

import importlib
import sys

import numpy as np
from cases import cases

NAMES = {
    "embed": ("kernel", "bias"),
    "norm": ("scale", "offset"),
    "query": ("kernel", "bias"),
    "scores": ("kernel", "bias"),
}


def weights(model):
    """Return the weights of the original or of the port, by layer and name."""
    return {
        f"{layer}/{name}": np.array(getattr(getattr(model, layer), name))
        for layer, names in NAMES.items()
        for name in names
    }


def weights_of_flax(model):
    """Return the parameters of the port to Flax, by the names that the original has for them."""
    return {
        f"{layer}/{name}": getattr(getattr(model, layer), {"offset": "bias"}.get(name, name))
        for layer, names in NAMES.items()
        for name in names
    }


def results(name):
    """Return the arrays to compare, by name."""
    program = importlib.import_module(name)
    start = {f"start/{name}": value for name, value in weights(program.model).items()}
    losses = program.train(cases())
    return start | {"losses": np.float32(losses)} | weights(program.model)


if __name__ == "__main__":
    np.savez(sys.argv[2], **results(sys.argv[1]))

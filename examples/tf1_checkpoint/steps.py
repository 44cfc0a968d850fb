"""Serve and train on from the checkpoint, and write what results: `python steps.py original expected.npz`."""

import importlib
import sys

import numpy as np
from cases import requests

PATH = "trained/model-20"


def results(name):
    """Return the arrays to compare, by name."""
    program = importlib.import_module(name)
    arrays = {}
    for i, batch in enumerate(requests()):
        arrays[f"scores/{i}"], arrays[f"slopes/{i}"] = program.served(PATH, batch)
    losses, weights = program.continued(PATH)
    return arrays | {"losses": np.float32(losses)} | weights


if __name__ == "__main__":
    np.savez(sys.argv[2], **results(sys.argv[1]))

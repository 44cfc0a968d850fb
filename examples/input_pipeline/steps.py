"""Read and train, and write batches, losses and the table: `python steps.py original FILE.tfrecord steps.npz`."""

import importlib
import sys

import numpy as np
from cases import table

EPOCHS = 2


def trained(name, path, orders):
    """Return the arrays to compare, by name, for each order: its name, and the seed of `shuffle`."""
    program, arrays = importlib.import_module(name), {}
    for order, seed in orders.items():
        data = list(program.batches(path, EPOCHS, seed))
        for i, (tokens, scores) in enumerate(data):
            arrays[f"{order}/{i}/tokens"] = np.asarray(tokens)
            arrays[f"{order}/{i}/scores"] = np.asarray(scores)
        found, losses = program.train(table(), data)
        arrays |= {f"{order}/table": found, f"{order}/losses": np.float32(losses)}
    return arrays


if __name__ == "__main__":
    np.savez(sys.argv[3], **trained(*sys.argv[1:3], orders={"in_order": None, "shuffled": 7}))

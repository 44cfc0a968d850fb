"""Write sentences to a file of records: `python records.py sentences.tfrecord`. It needs no TensorFlow."""

import sys

import numpy as np

from shims.io import TFRecordWriter
from shims.train import Example, Feature, Features, FloatList, Int64List


def write(path, count=23):
    """Write sentences of 1 to 12 tokens, each with a score."""
    rng = np.random.default_rng(0)
    with TFRecordWriter(path) as writer:
        for length in rng.integers(1, 13, size=count):
            tokens = Int64List(value=rng.integers(1, 20, size=length).tolist())
            score = FloatList(value=[float(length) / 10])
            named = {"tokens": Feature(int64_list=tokens), "score": Feature(float_list=score)}
            writer.write(Example(features=Features(feature=named)).SerializeToString())


if __name__ == "__main__":
    write(sys.argv[1])

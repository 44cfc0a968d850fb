"""Feed a model with sentences of different lengths: records, buckets by length, padded batches."""

import bisect

import grain
import jax
import jax.numpy as jnp
import numpy as np

from shims.data import TFRecordDataset
from shims.io import FixedLenFeature, VarLenFeature, parse_single_example

BOUNDS = [5, 9]
SIZES = [4, 3, 2]  # sentences of a batch, by bucket
FEATURES = {"tokens": VarLenFeature(jnp.int64), "score": FixedLenFeature([], jnp.float32)}


def parse(record):
    """Return the tokens of a sentence, and what is to be predicted."""
    example = parse_single_example(record, FEATURES)
    return np.asarray(example["tokens"].values, np.int32), np.asarray(example["score"])


def long_enough(sentence):
    """Return whether a sentence has two tokens or more."""
    return len(sentence[0]) >= 2


def padded(sentences):
    """Return a batch: tokens, padded with 0, and scores."""
    tokens = np.zeros((len(sentences), max(len(t) for t, _ in sentences)), np.int32)
    for row, (sentence, _) in zip(tokens, sentences, strict=True):
        row[: len(sentence)] = sentence
    return tokens, np.stack([score for _, score in sentences])


class Buckets(grain.IterDataset):
    """Batches of sentences of similar lengths; what is left at the end makes smaller ones."""

    def __iter__(self):
        return _Batches(iter(self.parents[0]))


class _Batches(grain.DatasetIterator):
    """The batches; the position is that of the sentences, and the buckets that are not full."""

    def __init__(self, sentences):
        super().__init__(sentences)
        self.sentences, self.buckets = sentences, [[] for _ in SIZES]

    def __next__(self):
        for sentence in self.sentences:
            place = bisect.bisect_right(BOUNDS, len(sentence[0]))
            self.buckets[place].append(sentence)
            if len(self.buckets[place]) == SIZES[place]:
                return self.emptied(place)
        for place, bucket in enumerate(self.buckets):
            if bucket:
                return self.emptied(place)
        raise StopIteration

    def emptied(self, place):
        """Return the sentences of a bucket as a batch."""
        sentences, self.buckets[place] = self.buckets[place], []
        return padded(sentences)

    def get_state(self):
        return {"sentences": self.sentences.get_state(), "buckets": list(map(list, self.buckets))}

    def set_state(self, state):
        self.sentences.set_state(state["sentences"])
        self.buckets = list(map(list, state["buckets"]))


def batches(path, epochs, seed=None):
    """Return the batches: tokens, padded with 0, and scores; in a random order if there is a seed."""
    data = grain.MapDataset.source(list(TFRecordDataset(path).as_numpy_iterator()))
    if seed is not None:
        data = data.shuffle(seed=seed)
    data = data.repeat(epochs).to_iter_dataset()  # reads and parses ahead, in threads
    return Buckets(data.map(parse).filter(long_enough))


@jax.jit
def loss(table, tokens, scores):
    """Return the mean error of the sentences; a sentence is the mean of its vectors."""
    real = (tokens != 0)[:, :, None]
    sentences = jnp.mean(table[tokens], axis=1, where=real)
    return jnp.mean((jnp.sum(sentences, axis=1) - scores) ** 2)


def train(table, data, rate=0.5):
    """Descend along the gradient of every batch, and return the table and the losses."""
    losses, step = [], jax.jit(jax.value_and_grad(loss))
    for tokens, scores in data:
        error, gradient = step(table, tokens, scores)
        table = table - rate * gradient
        losses.append(float(error))
    return np.array(table), losses

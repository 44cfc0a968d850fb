"""Feed a model with sentences of different lengths: records, buckets by length, padded batches."""

import jax.numpy as jnp
import numpy as np
import shims

BOUNDS = [5, 9]
SIZES = [4, 3, 2]  # sentences of a batch, by bucket


def parse(record):
    """Return the tokens of a sentence, and what is to be predicted."""
    features = {
        "tokens": shims.io.VarLenFeature(jnp.int64),
        "score": shims.io.FixedLenFeature([], jnp.float32),
    }
    example = shims.io.parse_single_example(record, features)
    return shims.sparse.to_dense(example["tokens"]).astype(jnp.int32), example["score"]


def long_enough(tokens, score):
    """Return whether a sentence has two tokens or more."""
    return jnp.size(tokens) >= 2


def batches(path, epochs, seed=None):
    """Return the batches: tokens, padded with 0, and scores; in a random order if there is a seed."""
    data = shims.data.TFRecordDataset(path).map(parse).filter(long_enough)
    if seed is not None:
        data = data.shuffle(16, seed=seed)
    data = data.repeat(epochs)
    data = data.bucket_by_sequence_length(
        lambda tokens, score: jnp.size(tokens), BOUNDS, SIZES, drop_remainder=False
    )
    return data.prefetch(2)


@shims.function(
    input_signature=[
        shims.TensorSpec([None, 3]),
        shims.TensorSpec([None, None], jnp.int32),
        shims.TensorSpec([None]),
    ]
)
def loss(table, tokens, scores):
    """Return the mean error of the sentences; a sentence is the mean of its vectors."""
    real = jnp.not_equal(tokens, 0)
    rows = shims.repeat(jnp.arange(jnp.shape(tokens)[0]), jnp.sum(real.astype(jnp.int32), axis=1))
    vectors = shims.gather(table, shims.boolean_mask(tokens, real))
    sentences = shims.math.segment_mean(vectors, rows)
    return shims.reduce_mean(shims.square(shims.reduce_sum(sentences, axis=1) - scores))


def train(table, data, rate=0.5):
    """Descend along the gradient of every batch, and return the table and the losses."""
    table, losses = shims.Variable(table), []
    for tokens, scores in data:
        with shims.GradientTape() as tape:
            error = loss(table, tokens, scores)
        gradient = jnp.asarray(tape.gradient(error, table))  # of rows before
        table.assign_sub(rate * gradient)
        losses.append(float(error))
    return np.array(table)[()], losses

"""Provide losses over a few sampled classes: sampled softmax and noise-contrastive estimation."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import agreeing, describe, operand
from shims._src.nn.embedding import embedding_lookup
from shims._src.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from shims._src.random.candidates import log_uniform_candidate_sampler
from shims._src.random.global_seed import consume_seed
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import canonical_dtype

# TensorFlow adds this to the logits of accidental hits.
_NEVER = -np.finfo(np.float32).max


def sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=True,
    seed=None,
    name="sampled_softmax_loss",
):
    """Compute the softmax cross-entropy over the true classes and a few sampled classes.

    Args:
      weights: floating-point array `[classes, features]`, or a list of parts of it.
      biases: vector `[classes]`.
      labels: integer array `[batch, num_true]`.
      inputs: array `[batch, features]`.
      num_sampled: the number of sampled classes.
      num_classes: the number of classes.
      num_true: the number of true classes per example.
      sampled_values: `(sampled, true_expected_count, sampled_expected_count)`; the result of
        `random.log_uniform_candidate_sampler` when `None`.
      remove_accidental_hits: whether sampled classes that equal a true class are ignored.
      seed: an integer for the samples; see `random.set_seed`.
      name: ignored.

    Returns:
      A vector, one loss per example.

    Raises:
      InvalidArgumentError: shapes or dtypes are incompatible, or a label is out of range.

    Differs from TensorFlow:
      The samples equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      The size of the batch may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/sampled_softmax_loss
    """
    if sampled_values is None:
        sampled_values = _samples(labels, num_true, num_sampled, num_classes, seed)
    given = (weights, biases, labels, inputs, num_true, sampled_values)
    if remove_accidental_hits:
        consume_seed(None)  # TensorFlow's search for hits consumes a seed
    return _softmax_loss(*given, num_sampled if remove_accidental_hits else None)


def nce_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=False,
    name="nce_loss",
):
    """Compute the noise-contrastive estimation loss, against a few sampled classes.

    Args:
      weights: floating-point array `[classes, features]`, or a list of parts of it.
      biases: vector `[classes]`.
      labels: integer array `[batch, num_true]`.
      inputs: array `[batch, features]`.
      num_sampled: the number of sampled classes.
      num_classes: the number of classes.
      num_true: the number of true classes per example.
      sampled_values: `(sampled, true_expected_count, sampled_expected_count)`; the result of
        `random.log_uniform_candidate_sampler` when `None`.
      remove_accidental_hits: whether sampled classes that equal a true class are ignored.
      name: ignored.

    Returns:
      A vector, one loss per example.

    Raises:
      InvalidArgumentError: shapes or dtypes are incompatible, or a label is out of range.

    Differs from TensorFlow:
      The samples equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      The size of the batch may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/nce_loss
    """
    if sampled_values is None:
        sampled_values = _samples(labels, num_true, num_sampled, num_classes, None)
    given = (weights, biases, labels, inputs, num_true, sampled_values)
    if remove_accidental_hits:
        consume_seed(None)  # TensorFlow's search for hits consumes a seed
    return _sigmoid_loss(*given, num_sampled if remove_accidental_hits else None)


@operator
def _softmax_loss(*given):
    """Compute the sampled softmax loss, given the sampled classes."""
    logits, targets = _sampled_logits("sampled_softmax_loss", *given)
    return softmax_cross_entropy_with_logits(labels=targets, logits=logits)


@operator
def _sigmoid_loss(*given):
    """Compute the noise-contrastive loss, given the sampled classes."""
    logits, targets = _sampled_logits("nce_loss", *given)
    return jnp.sum(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits), axis=1)


def _samples(labels, num_true, num_sampled, num_classes, seed):
    """Sample classes with the default log-uniform sampler."""
    classes = operand(labels)
    if not jnp.issubdtype(classes.dtype, jnp.integer):
        classes = classes.astype(jnp.int32)
    return log_uniform_candidate_sampler(
        classes, num_true, num_sampled, True, num_classes, seed=seed
    )


def _sampled_logits(
    function, weights, biases, labels, inputs, num_true, sampled_values, num_sampled
):
    """Compute the logits of the true and the sampled classes, concatenated, and their targets.

    Samples that equal a true class (accidental hits) are excluded; with `num_sampled=None` they are
    kept.
    """
    inputs, labels = operand(inputs), operand(labels)
    if not jnp.issubdtype(labels.dtype, jnp.integer):
        labels = labels.astype(canonical_dtype(jnp.int64))
    if labels.ndim != 2 or labels.shape[1] != num_true or inputs.ndim != 2:
        raise checks.invalid(
            function,
            "the shapes of the operands do not match.",
            required=f"labels [batch, {num_true}], inputs [batch, features]",
            received=f"labels {describe(labels)}, inputs {describe(inputs)}",
        )
    labels = primitives.unify_axis(labels, 0, inputs.shape[0], label=function)
    sampled, true_count, sampled_count = (
        lax.stop_gradient(operand(value)) for value in sampled_values
    )
    checks.check_vector(function, "sampled_values[0]", sampled)
    # Expected counts may be a single number for all classes.
    if not _is_single(sampled_count):
        checks.check_vector(function, "sampled_values[2]", sampled_count)
        if is_known(sampled_count.shape[0]):
            sampled, sampled_count = agreeing(function, [sampled, sampled_count], (0,))
        else:  # its size may be 1 at run time
            sampled_count = primitives.unify_axis(
                sampled_count, 0, sampled.shape[0], label=function, broadcasts=True
            )
    if not _is_single(true_count):
        true_count = primitives.unify_axis(
            true_count, 0, inputs.shape[0], label=function, broadcasts=True
        )
    # Look both up at once, as in TensorFlow, so that the gradient is a single set of rows.
    flat = labels.reshape(-1)
    both = jnp.concatenate([flat, sampled.astype(flat.dtype)])
    rows = embedding_lookup(weights, both).astype(inputs.dtype)
    offsets = embedding_lookup(biases, both).astype(inputs.dtype)
    _check_parameters(function, rows, offsets, inputs)
    rows = primitives.unify_axis(rows, 1, inputs.shape[1], label=function)
    true_rows, sampled_rows = rows[: flat.shape[0]], rows[flat.shape[0] :]
    true_rows = true_rows.reshape(*labels.shape, rows.shape[1])
    true_logits = jnp.sum(inputs[:, None, :] * true_rows, axis=2)
    true_logits = true_logits + offsets[: flat.shape[0]].reshape(labels.shape)
    sampled_logits = jnp.matmul(inputs, sampled_rows.T) + offsets[flat.shape[0] :]
    if num_sampled is not None:
        is_hit = jnp.any(_hits(labels, sampled), axis=1)
        is_hit = _require_sample_count(function, is_hit, sampled, num_sampled)
        sampled_logits = sampled_logits + jnp.where(is_hit, _NEVER, 0).astype(inputs.dtype)
    true_logits = true_logits - jnp.log(true_count)
    sampled_logits = sampled_logits - jnp.log(sampled_count)
    targets = [jnp.ones_like(true_logits) / num_true, jnp.zeros_like(sampled_logits)]
    return jnp.concatenate([true_logits, sampled_logits], 1), jnp.concatenate(targets, 1)


def _is_single(counts) -> bool:
    """Return whether `counts` is a single expected count, which applies to all samples."""
    return not counts.ndim or (is_known(counts.shape[0]) and counts.shape[0] == 1)


def _require_sample_count(function, is_hit, sampled, num_sampled):
    """Check that there are `num_sampled` samples, or a single one; return the mask of hits.

    For a single sample, TensorFlow accepts any `num_sampled`; the mask `is_hit` is then padded to it.
    """
    count = checks.static_int(function, "num_sampled", num_sampled)
    problem = "the size of `sampled_values` differs from `num_sampled`."
    if not is_known(sampled.shape[0]):
        unlike = primitives.as_size(sampled.shape[0]) != count
        checks.check_data(unlike, function, problem, required=f"{count} samples")
        return is_hit
    if sampled.shape[0] == count:
        return is_hit
    if sampled.shape[0] != 1 or count < 1:
        received = describe(sampled)
        raise checks.invalid(function, problem, required=f"{count} samples", received=received)
    return jnp.pad(is_hit, [(0, 0), (0, count - 1)])


def _check_parameters(function, rows, offsets, inputs) -> None:
    """Check that the shapes of the gathered weights and biases match the inputs."""
    sizes = [a.shape[-1] for a in (rows, inputs)] if rows.ndim == 2 else []
    fits = offsets.ndim == 1 and sizes and (not all(map(is_known, sizes)) or len(set(sizes)) == 1)
    if not fits:
        raise checks.invalid(
            function,
            "the shapes of the operands do not match.",
            required="weights [classes, features], biases [classes], inputs [batch, features]",
            received=f"rows of weights {describe(rows)} and of biases {describe(offsets)}, "
            f"inputs {describe(inputs)}",
        )


def _hits(labels, sampled):
    """Return the mask `[batch, num_true, sampled]` of samples that equal a true class.

    Of equal samples only the last is marked.
    """
    later = jnp.triu(jnp.ones((sampled.shape[0], sampled.shape[0]), bool), 1)
    is_last = ~jnp.any((sampled[:, None] == sampled) & later, axis=1)
    return (labels[:, :, None] == sampled.astype(labels.dtype)) & is_last


@operator(fresh=True)
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Find the sampled classes that equal a true class of an example.

    Args:
      true_classes: int64 array `[batch, num_true]`.
      sampled_candidates: int64 vector.
      num_true: the number of true classes per example.
      seed: ignored.
      name: ignored.

    Returns:
      Per hit, the index of the example, the index of the sample, and the weight `-3.4e38`.

    Raises:
      InvalidArgumentError: the shapes are incompatible.

    Differs from TensorFlow:
      Results of dtype int64 are int32 unless `jax_enable_x64` is on; int32 classes are accepted,
      too.

    Under jit:
      The number of hits depends on data: call it inside `shims.function`.

    https://www.tensorflow.org/api_docs/python/tf/nn/compute_accidental_hits
    """
    labels, sampled = operand(true_classes), operand(sampled_candidates)
    if labels.ndim != 2 or labels.shape[1] != num_true or sampled.ndim != 1:
        raise checks.invalid(
            "compute_accidental_hits",
            "the shapes of the operands do not match.",
            required=f"true_classes [batch, {num_true}], sampled_candidates a vector",
            received=f"{describe(labels)} and {describe(sampled)}",
        )
    hits = _hits(labels, sampled)
    if is_known(sampled.shape[0]) and sampled.shape[0] == 0:  # argmax over no samples is undefined
        hits = jnp.zeros((*labels.shape, 1), bool)
    any_hit = jnp.any(hits, axis=2).reshape(-1)
    example = jnp.broadcast_to(
        jnp.arange(labels.shape[0], dtype=jnp.int32)[:, None], labels.shape
    ).reshape(-1)
    place = jnp.argmax(hits, axis=2).reshape(-1).astype(jnp.result_type(int))
    chosen = primitives.compress(example, any_hit)
    weights = jnp.full(chosen.shape, _NEVER, jnp.float32)
    return chosen, primitives.compress(place, any_hit), weights

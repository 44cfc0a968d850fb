"""Provide `contrib.crf`: conditional random fields over sequences of tags."""

from __future__ import annotations

import numpy as np

import shims
from shims._src.types.dtypes import float32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.rnn.cell import RNNCell
from shims._src.v1.rnn.dynamic import dynamic_rnn
from shims._src.v1.variables.get_variable import get_variable


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """Return the sum of the potentials of the given tags: `[batch]`.

    Args:
      tag_indices: `[batch, time]`, integers.
      sequence_lengths: `[batch]`.
      inputs: `[batch, time, tags]`, the potentials.
    """
    given = [convert_to_tensor(x) for x in (tag_indices, sequence_lengths, inputs)]
    return operation_of(_unary, given, {}, public="reduce_sum")


def _unary(tags, lengths, inputs):
    found = shims.gather(inputs, tags[..., None], batch_dims=2, axis=2)[..., 0]
    return shims.reduce_sum(found * _mask(lengths, tags, inputs.dtype), 1)


def _mask(lengths, tags, dtype):
    return shims.sequence_mask(lengths, shims.shape(tags)[1], dtype)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """Return the sum of the potentials of the given transitions: `[batch]`.

    Args:
      tag_indices: `[batch, time]`, integers.
      sequence_lengths: `[batch]`.
      transition_params: `[tags, tags]`, the potentials.
    """
    given = [convert_to_tensor(x) for x in (tag_indices, sequence_lengths, transition_params)]
    return operation_of(_binary, given, {}, public="reduce_sum")


def _binary(tags, lengths, transitions):
    pairs = shims.stack([tags[:, :-1], tags[:, 1:]], 2)
    mask = _mask(lengths, tags, transitions.dtype)[:, 1:]
    return shims.reduce_sum(shims.gather_nd(transitions, pairs) * mask, 1)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """Return the unnormalized scores of sequences of tags; see `crf_log_likelihood`."""
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


class CrfForwardRnnCell(RNNCell):
    """A cell whose state is the logarithm of the sum over all paths to each tag.

    Args:
      transition_params: `[tags, tags]`, the potentials.
    """

    def __init__(self, transition_params):
        super().__init__()
        self._transitions = convert_to_tensor(transition_params)
        self._tags = self._transitions.shape[0].value

    @property
    def state_size(self):
        """The number of tags."""
        return self._tags

    @property
    def output_size(self):
        """The number of tags."""
        return self._tags

    def __call__(self, inputs, state, scope=None):
        """Return the state for the next time step, also as the output."""
        found = operation_of(_forward, (inputs, state, self._transitions), {}, public="add")
        return found, found


def _forward(inputs, state, transitions):
    return inputs + shims.reduce_logsumexp(state[:, :, None] + transitions, 1)


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """Return the logarithm of the sum over all sequences of tags: `[batch]`; 0 for length 0.

    Args:
      inputs: `[batch, time, tags]`, the potentials.
      sequence_lengths: `[batch]`.
      transition_params: `[tags, tags]`, the potentials.
    """
    inputs, sequence_lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_lengths)
    _, alphas = dynamic_rnn(
        CrfForwardRnnCell(transition_params),
        inputs[:, 1:],
        _steps(sequence_lengths),
        inputs[:, 0],
        float32,
    )
    return operation_of(_norm, (alphas, sequence_lengths), {}, public="reduce_logsumexp")


def _norm(alphas, lengths):
    found = shims.reduce_logsumexp(alphas, 1)
    return shims.where(lengths <= 0, shims.zeros_like(found), found)


def _steps(lengths):
    """Return the number of transitions of sequences."""
    return operation_of(lambda n: shims.maximum(n - 1, 0), (lengths,), {}, public="maximum")


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """Compute the log-likelihood of sequences of tags.

    Args:
      inputs: `[batch, time, tags]`, the potentials of each tag.
      tag_indices: `[batch, time]`, the tags.
      sequence_lengths: `[batch]`.
      transition_params: `[tags, tags]`; a new variable `transitions` when `None`.

    Returns:
      The log-likelihoods, `[batch]`, and the potentials of the transitions.
    """
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2].value
        transition_params = get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def viterbi_decode(score, transition_params):
    """Return the best sequence of tags, and its score, for NumPy arrays.

    Args:
      score: `[time, tags]`, the potentials of each tag.
      transition_params: `[tags, tags]`, the potentials of the transitions.

    Returns:
      A list of tags, and a number.
    """
    best = score[0]
    back = []
    for row in score[1:]:
        paths = best[:, None] + transition_params
        back.append(np.argmax(paths, 0).astype(np.int32))
        best = (row + np.max(paths, 0)).astype(score.dtype)
    tags = [np.argmax(best)]
    for before in reversed(back):
        tags.append(before[tags[-1]])
    return tags[::-1], np.max(best)


class _BestPath(CrfForwardRnnCell):
    """A cell whose state is the best score of a path to each tag, and its output the tag before."""

    def __call__(self, inputs, state, scope=None):
        return operation_of(_best, (inputs, state, self._transitions), {}, public="argmax")


def _best(inputs, state, transitions):
    paths = state[:, :, None] + transitions
    return shims.argmax(paths, 1, shims.int32), inputs + shims.reduce_max(paths, 1)


class _Backward(RNNCell):
    """A cell that follows the outputs of `_BestPath` back."""

    state_size = output_size = 1

    def __call__(self, inputs, state, scope=None):
        found = operation_of(_before, (inputs, state), {}, public="gather_nd")
        return found, found


def _before(inputs, state):
    return shims.gather(inputs, state, batch_dims=1, axis=1)


def crf_decode(potentials, transition_params, sequence_length):
    """Return the best sequences of tags, and their scores.

    Args:
      potentials: `[batch, time, tags]`.
      transition_params: `[tags, tags]`.
      sequence_length: `[batch]`.

    Returns:
      The tags, `[batch, time]` of int32, which are 0 after the end; and the scores, `[batch]`.
    """
    potentials = convert_to_tensor(potentials)
    sequence_length = convert_to_tensor(sequence_length)
    steps = _steps(sequence_length)
    back, scores = dynamic_rnn(
        _BestPath(transition_params), potentials[:, 1:], steps, potentials[:, 0], shims.int32
    )
    back = operation_of(_reversed, (back, steps), {}, public="reverse_sequence")
    last = operation_of(_last_tag, (scores,), {}, public="argmax")
    tags, _ = dynamic_rnn(_Backward(), back, steps, last, shims.int32)
    found = operation_of(_in_order, (last, tags, sequence_length), {}, public="reverse_sequence")
    return found, operation_of(_best_score, (scores, sequence_length), {}, public="reduce_max")


def _reversed(values, lengths):
    return shims.reverse_sequence(values, lengths, seq_axis=1, batch_axis=0)


def _last_tag(scores):
    return shims.argmax(scores, 1, shims.int32)[:, None]


def _in_order(last, tags, lengths):
    return _reversed(shims.concat([last, tags[..., 0]], 1), lengths)


def _best_score(scores, lengths):
    found = shims.reduce_max(scores, 1)
    return shims.where(lengths <= 0, shims.zeros_like(found), found)

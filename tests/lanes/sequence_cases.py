"""Decoders of sequences, and arrays whose rows are told apart."""

from __future__ import annotations

import numpy as np

from .case import Case

_SCORES = np.random.default_rng(7).normal(size=(4, 2, 3)).astype(np.float32)
_FRAMES = np.int32([4, 2])
_DECODED = {"inputs": (_SCORES, _FRAMES), "shapes": ((None, None, 3), (None,))}


def _of_version_1(tf):
    """Where the names of version 1 are; ours stand among all others."""
    return tf.compat.v1 if hasattr(tf, "compat") else tf


CASES = (
    Case(
        "ctc-greedy-decoder",
        ("nn.ctc_greedy_decoder",),
        lambda tf, x, n: tf.nn.ctc_greedy_decoder(x, n),
        **_DECODED,
        xla="unsupported: no kernel",
    ),
    Case(
        "ctc-beam-search-decoder",
        ("nn.ctc_beam_search_decoder",),
        lambda tf, x, n: tf.nn.ctc_beam_search_decoder(x, n, beam_width=4, top_paths=2),
        **_DECODED,
        xla="unsupported: no kernel",
    ),
    Case(
        "setdiff1d",
        ("v1.setdiff1d",),
        lambda tf, x, y: _of_version_1(tf).setdiff1d(x, y),
        (np.float32([3.0, 1.0, 3.0, 2.0, np.nan]), np.float32([2.0, 7.0])),
        ((np.float32([1.0]), np.float32([1.0])),),
        no_gradient="TensorFlow registers no gradient",
        xla="unsupported: no kernel",
    ),
    Case(
        "parallel-stack",
        ("parallel_stack",),
        lambda tf, a, b: tf.parallel_stack([a, b]),
        (np.float32([1, 2, 3]), np.float32([4, 5, 6])),
        shapes=((3,), (3,)),
        graph_only="not compatible with eager execution",
        no_gradient="TensorFlow registers no gradient",
        xla="unsupported: no kernel",
    ),
)

"""Ascent from the worst input that was found."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from tf2jax_port.diff.functions.loading import named
from tf2jax_port.diff.golden_file.document import from_bytes
from tf2jax_port.diff.golden_file.golden import unpack_call
from tf2jax_port.diff.sessions.run import Request, compare_functions


def softplus(x, k):
    return tf.math.log1p(tf.exp(x)) * k


def port(x, k):
    return jnp.where(x > 1, x + jnp.exp(-x), jax.nn.softplus(x)) * k


def cases():
    yield (np.float32([0.5, -3.0, 4.0, 5.0]), 3)


def test_a_small_difference_becomes_a_large_one():
    request = Request(named(softplus), named(port), "", x64=False, worst=True)
    report = compare_functions(request, cases)
    (note,) = [note for note in report.notes if note.what == "worst input"]
    assert note.why.startswith("output of case 0: 10 steps of gradient ascent change the error")
    document, store = from_bytes(report.worst_input)
    case = unpack_call(document["cases"][0], store)
    x, k = case.fill(case.arrays)
    assert k == 3
    assert x.min() >= -3
    assert x.max() <= 5
    before, after = (np.abs(port(a, k) - softplus(a, k)).max() for a in (*next(cases())[:1], x))
    assert after > 100 * before


def test_what_cannot_be_moved_is_said():
    request = Request(named(tf.size), named(lambda x: jnp.int32(x.size)), "", x64=False, worst=True)
    report = compare_functions(request, lambda: [(np.int32([1, 2]),), (np.int32([3]),)])
    assert (
        report.notes[-1].why
        == "the output has no floating-point inputs, or the output cannot be computed"
    )
    assert report.worst_input is None

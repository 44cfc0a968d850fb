"""The line is found where loops over groups become `vmap` with a matrix of members, and in what is assembled."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tests.diff.test_locating import lines
from tf2jax_port.diff import compare
from tf2jax_port.diff.locate.finder import locate
from tf2jax_port.diff.locate.result.located import Located
from tf2jax_port.diff.sessions.located import locate_in_cases
from tf2jax_port.diff.values.arguments import bind

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(14, 3)).astype(np.float32)
WEIGHTS = RANDOM.uniform(0.5, 2.0, 14).astype(np.float32)
IDS = np.array([0, 2, 1, 1, 3, 0, 2, 2, 3, 3, 3, 0, 1, 2], np.int32)
TIMES = RANDOM.normal(size=(5, 4)).astype(np.float32)


def mended(old, new, *arguments) -> Located:
    """What is located on one call."""
    located = locate(old, new, bind(0, arguments, old))
    assert isinstance(located, Located), located.reason
    return located


def by_group(x, w, ids):
    means, spreads = [], []
    for g in range(4):
        rows = tf.boolean_mask(x, tf.equal(ids, g))
        weight = tf.boolean_mask(w, tf.equal(ids, g))
        share = weight / tf.reduce_sum(weight)
        mean = tf.reduce_sum(rows * share[:, None], 0)
        centered = rows - mean
        white = tf.tanh(tf.transpose(centered))
        spreads.append(tf.reduce_sum(share * tf.reduce_sum(white**2, 0)))
        means.append(mean)
    return tf.stack(means), tf.stack(spreads)


def unweighted(x, w, ids):
    def one(m):
        share = m / m.sum()
        mean = share @ x
        white = jnp.tanh(((x - mean) * m[:, None]).T)
        return mean, share @ jnp.sum(white**2, 0)

    return jax.vmap(one)((ids[None, :] == jnp.arange(4)[:, None]).astype(x.dtype))


def about_the_mean_of_all(x, w, ids):
    def one(m):
        share = w * m / (w * m).sum()
        mean = share @ x
        centered = (x - x.mean(0)) * m[:, None]
        white = jnp.tanh(centered.T)
        return mean, share @ jnp.sum(white**2, 0)

    return jax.vmap(one)((ids[None, :] == jnp.arange(4)[:, None]).astype(x.dtype))


def without_the_power(x, w, ids):
    def one(m):
        share = w * m / (w * m).sum()
        mean = share @ x
        white = jnp.tan(((x - mean) * m[:, None]).T)
        return mean, share @ jnp.sum(white**2, 0)

    return jax.vmap(one)((ids[None, :] == jnp.arange(4)[:, None]).astype(x.dtype))


@pytest.mark.parametrize(
    ("new", "line"),
    [
        (unweighted, "share = m / m.sum()"),
        (about_the_mean_of_all, "centered = (x - x.mean(0)) * m[:, None]"),
        (without_the_power, "white = jnp.tan(((x - mean) * m[:, None]).T)"),
    ],
)
def test_a_loop_over_groups_becomes_a_matrix_of_members(new, line):
    assert lines(mended(by_group, new, X, WEIGHTS, IDS))[1] == line


def by_segment(x, w, ids):
    total = tf.math.unsorted_segment_sum(w, ids, 4)
    mean = tf.math.unsorted_segment_sum(x * w[:, None], ids, 4) / total[:, None]
    off = tf.sqrt(tf.reduce_sum((x - tf.gather(mean, ids)) ** 2, 1))
    weight = w / (1.0 + off)
    return tf.math.unsorted_segment_sum(weight * off, ids, 4) / tf.math.unsorted_segment_sum(
        weight, ids, 4
    )


def by_column(x, w, ids):
    def one(m):
        mean = (m * w) @ x / (m * w).sum()
        off = jnp.sqrt(jnp.sum((x - mean) ** 2, 1))
        weight = w / (1.0 + off)
        return (weight @ off) / weight.sum()

    return jax.vmap(one, in_axes=1)(jax.nn.one_hot(ids, 4))


def test_a_mask_that_is_missing_before_two_sums_is_missing_where_both_come_from():
    located = mended(by_segment, by_column, X, WEIGHTS, IDS)
    assert lines(located)[1] == "weight = w / (1.0 + off)"
    assert not located.confirmed


RETURNS = """import tensorflow as tf

def returns(rewards, values):
    acc = tf.zeros_like(values[0])
    found = []
    for t in reversed(range(5)):
        acc = rewards[t] - values[t] + 0.9 * acc
        found.append(acc + values[t])
    return tf.stack(found[::-1])
"""


def test_the_parts_of_an_array_are_wrong_and_not_the_array(tmp_path):
    text = RETURNS.replace("import tensorflow as tf", "import jax.numpy as tf")
    pair = []
    for name, source in (("old", RETURNS), ("new", text.replace("acc + values[t])", "acc)"))):
        (tmp_path / f"{name}.py").write_text(source)
        inside: dict[str, Any] = {}
        exec(compile(source, str(tmp_path / f"{name}.py"), "exec"), inside)
        pair.append(inside["returns"])
    located = mended(*pair, TIMES, TIMES[::-1].copy())
    assert lines(located)[1] == "found.append(acc)"


def advantages(r, v):
    delta = r[:-1] + 0.9 * v[1:] - v[:-1]
    later = tf.cumsum(delta, reverse=True) + v[:-1]
    after = tf.concat([later[1:], v[-1:]], 0)
    adv = r[:-1] + 0.9 * after - v[:-1]
    adv = (adv - tf.reduce_mean(adv)) / (tf.math.reduce_std(adv) + 1e-6)
    return later, adv


def of_the_first_values(r, v):
    delta = r[:-1] + 0.9 * v[1:] - v[:-1]
    later = jnp.cumsum(delta[::-1], 0)[::-1] + v[:-1]
    adv = r[:-1] + 0.9 * v[1:] - v[:-1]
    adv = (adv - jnp.mean(adv)) / (jnp.std(adv) + 1e-6)
    return later, adv


def test_a_value_that_is_computed_again_was_meant_to_be_another():
    located = mended(advantages, of_the_first_values, TIMES, TIMES[::-1].copy())
    assert lines(located)[1] == "adv = r[:-1] + 0.9 * v[1:] - v[:-1]"


def mean_of_rows(x, lengths):
    rows, width = x.shape
    return tf.reduce_sum(x, 1) / (tf.cast(lengths, x.dtype) + rows) + width


def mean_by_rows(x, lengths):
    rows, width = x.shape
    return jnp.sum(x, 1) / (width + jnp.zeros(rows) + rows) + width


def test_a_size_that_is_used_wrongly_is_not_wrong_where_it_is_read():
    located = mended(mean_of_rows, mean_by_rows, X, IDS)
    assert lines(located)[1] == "return jnp.sum(x, 1) / (width + jnp.zeros(rows) + rows) + width"


def rescaled(x):
    return tf.tanh(x) * tf.reduce_sum(tf.exp(x))


def rescaled_port(x):
    scale = jnp.sum(jnp.exp(x)) if x.shape[0] > 6 else jnp.sum(jnp.sin(x))
    factor = 1.0 if x.shape[0] > 6 else 0.5
    return jnp.tanh(x) * scale if factor < 1.0 else jnp.tanh(x) + scale


def test_a_place_is_only_confirmed_if_another_case_has_it():
    few, many = (bind(n, (X[:size, 0].copy(),), rescaled) for n, size in enumerate((5, 9)))
    alone = locate_in_cases(rescaled, rescaled_port, few, [])
    both = locate_in_cases(rescaled, rescaled_port, few, [many])
    assert isinstance(alone, Located)
    assert isinstance(both, Located)
    assert (
        lines(alone)[1]
        == lines(both)[1]
        == ("scale = jnp.sum(jnp.exp(x)) if x.shape[0] > 6 else jnp.sum(jnp.sin(x))")
    )
    assert alone.confirmed
    assert not both.confirmed


def divided(x, w):
    h = tf.matmul(x, w)
    return tf.reduce_sum(h / tf.cast(tf.shape(x)[0], tf.float32), 1)


def raising(x, w):
    h = x @ w
    h = h / x.shape[1]
    return jnp.sum(h.reshape(7, 11), 1)


def test_a_port_that_raises_in_every_lane_has_a_line_and_what_differs_before_it():
    report = compare(divided, raising, [(X[:4], X[:3])], locate=True)
    assert report.verdict == "error"
    assert report.located.kind == "error"
    assert report.located.new.place.text == "return jnp.sum(h.reshape(7, 11), 1)"
    (earlier,) = report.located.further
    assert earlier.new.place.text == "h = h / x.shape[1]"

"""Only what differs is searched, in the precision in which it differs, and confirmed if nothing else would do."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from tf2jax_port.diff import compare
from tf2jax_port.diff.locate.finder import locate
from tf2jax_port.diff.locate.result.located import Located, Spot
from tf2jax_port.diff.locate.values import _on_other_lines
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.values.arguments import bind

from .test_locating import found, lines

# Both of `x / 49 * 49` and `x` are this number in single precision, and differ in double precision.
TIED = np.float32(1.7294966)
W = np.float32([0.3, -1.2, 2.1])


def tie_and_sum(x, w):
    i = tf.argmax(tf.stack([x / 49 * 49, x]), output_type=tf.int32)
    return i, tf.reduce_sum(tf.square(w))


def cube(x, w):
    i = jnp.argmax(jnp.stack([x / 49 * 49, x]))
    return i.astype(jnp.int32), jnp.sum(w**3)


def test_an_output_that_is_equal_is_neither_searched_nor_confirmed():
    report = compare(tie_and_sum, cube, [(TIED, W)], locate=True, x64=False)
    assert report.verdict == "different"
    assert lines(report.located)[1] == "return i.astype(jnp.int32), jnp.sum(w**3)"
    assert report.located.confirmed


def picked(x, w):
    y = tf.stack([x / 49 * 49, x])
    kept = tf.gather(w, tf.argmax(y))
    scale = tf.reduce_sum(tf.square(w))
    return kept * scale


def picked_and_cubed(x, w):
    y = jnp.stack([x / 49 * 49, x])
    kept = w[jnp.argmax(y[::-1]) * 0 + jnp.argmax(y)]
    scale = jnp.sum(w**3)
    return kept * scale


def test_where_double_precision_takes_another_way_single_precision_decides():
    y = np.stack([TIED / np.float32(49) * np.float32(49), TIED])
    assert y[0] == y[1]
    located = found(picked, picked_and_cubed, TIED, W)
    assert lines(located)[1] == "scale = jnp.sum(w**3)"


def two_ways(x, w):
    a = tf.nn.softplus(x)
    return tf.reduce_sum(a * w)


def own_formula(x, w):
    b = jnp.exp(x) * 1.1
    a = jnp.log(1.0 + b)
    return jnp.sum(a * w)


def test_what_mending_elsewhere_would_mend_as_well_is_only_likely():
    x = np.float32([0.4, -1.0, 0.7])
    located = locate(two_ways, own_formula, bind(0, (x, W), two_ways))
    assert located.new.place.text in ("a = jnp.log(1.0 + b)", "b = jnp.exp(x) * 1.1")
    assert not located.confirmed


def test_a_later_fault_is_not_the_first_line_again():
    on = [
        Located("value", 0, None, Spot(Place("f.py", line), "add"), iteration=n)
        for n, line in enumerate((3, 3, 5, 5))
    ]
    assert _on_other_lines(on[0], on[1:]) == (on[2],)

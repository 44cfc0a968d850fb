"""One size of one argument is changed: what TensorFlow refuses is refused, the rest is equal.

Programs whose sizes nobody knows beforehand are where a size of 1 could be spread in silence.
"""

import warnings

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences
from tf2jax_port.diff.parity import original_side, port_side

from . import cases, rows
from .test_function import signature

MOST = 10  # of one row

NOT_COMPARED = {
    "histogram_fixed_width": "TensorFlow ends the process at some",
    "nn.convolution": "TensorFlow gives the input back where the window is larger",
    "nn.pool": "TensorFlow ends the process where the window is larger",
    "random.categorical": "the numbers depend on what was drawn before",
    "random.uniform": "the numbers depend on what was drawn before",
    "signal.irfft": "TensorFlow ends the process at a size of 1",
    "signal.irfft2d": "TensorFlow ends the process at a size of 1",
    "signal.irfft3d": "TensorFlow ends the process at a size of 1",
}


def resized(arrays):
    """What was changed, and the arrays with it: sizes of 1, one less, and 2 instead of 1."""
    leaves, tree = jax.tree.flatten(arrays)
    for i, leaf in enumerate(leaves):
        for axis, size in enumerate(leaf.shape):
            kept = {"one": [0], "fewer": range(size - 1), "two": [0, 0]}
            for what in ["two"] if size == 1 else ["one", "fewer"][: max(size - 1, 0)]:
                new = np.take(leaf, kept[what], axis)
                yield (
                    f"{leaf.shape} to {new.shape}",
                    tree.unflatten([*leaves[:i], new, *leaves[i + 1 :]]),
                )


def as_given(point) -> dict[str, object]:
    """The array arguments with the dtypes that TensorFlow gets, 64 bits among them."""
    given = cases.arguments(point)
    found = {name: given[name] for name in point.case.arrays()}
    listed = {n: list(v) if isinstance(v, tuple) else v for n, v in found.items()}
    return jax.tree.map(np.asarray, listed)


def many(point) -> bool:
    """Whether there are two arrays, or axes, of which one can change alone."""
    leaves = jax.tree.leaves(as_given(point))
    return cases.succeeds(point) and sum(leaf.ndim for leaf in leaves) > 1


def programs(point):
    """The case as a function of arrays of unknown sizes: TensorFlow's, eagerly and as a graph, and ours."""
    arrays, (_, rest) = as_given(point), port_side.split(point)
    function, rest = original_side.function_of(point.row), original_side.tensors(rest)

    def theirs(given):
        both = {**given, **rest}
        ordered = {name: both[name] for name, _ in point.case.arguments}
        return original_side.flat(cases.apply(function, point.row, ordered))

    spec = jax.tree.map(lambda a: tf.TensorSpec([None] * a.ndim, a.dtype), arrays)
    graph = tf.function(theirs, input_signature=[spec], autograph=False)
    of_arrays = port_side.of_arrays(point)
    mine = shims.function(
        lambda given: jax.tree.leaves(of_arrays(given)), [signature(arrays)], autograph=False
    )
    return theirs, graph, mine


def answer(program, arrays):
    """What it gives, or `None` where it refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constants made of sizes, and of TensorFlow's own
            return list(map(np.asarray, program(arrays)))
    except Exception:  # noqa: BLE001 - which one is what test_errors is about
        return None


def problem(point, want, found) -> str:
    """What is wrong with an answer of ours; to refuse more than TensorFlow is not."""
    if found is None:
        return ""
    return "gives an answer" if want is None else differences(found, want, 2 * point.row.tolerance)


def is_compared(row) -> bool:
    return row.name not in NOT_COMPARED and any(map(many, rows.points_of(row)))


@pytest.mark.parametrize("row", rows.parameters(is_compared))
def test_refused_or_equal(row):
    point = rows.points_of(row, many)[0]
    eager, graph, mine = programs(point)
    problems = {}
    for (what, given), _ in zip(resized(as_given(point)), range(MOST), strict=False):
        tensors, found = jax.tree.map(tf.constant, given), answer(mine, given)
        problems[what] = problem(point, answer(graph, tensors), found)
        if problems[what]:  # a graph refuses some that run eagerly
            problems[what] = problem(point, answer(eager, tensors), found)
    rows.report(problems)


def test_what_is_not_compared_is_there():
    assert NOT_COMPARED.keys() <= {row.name for row in cases.operators()}

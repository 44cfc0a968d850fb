"""What TensorFlow refuses of maps, folds and branches, and lists that take fewer slices."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.outcomes import same_error

X = np.arange(1, 6, dtype=np.float32)
NOTHING = np.zeros((0, 3), np.float32)

REFUSED = {
    "map_fn-dtype": lambda m: m.map_fn(lambda v: m.cast(v, m.int32), m.constant(X)),
    "scan-dtype": lambda m: m.scan(
        lambda a, v: m.cast(a, m.int32), m.constant(X), initializer=m.constant(1.0)
    ),
    "vectorized_map-lengths": lambda m: m.vectorized_map(
        lambda e: e[0] + e[1], (m.constant(X), m.constant(X[:3]))
    ),
    "case-pairs": lambda m: m.case([(m.constant(True),)], default=lambda: m.constant(1.0)),
    "switch_case-float": lambda m: m.switch_case(m.constant(1.0), [lambda: X, lambda: X]),
    "gather_nd-from-nothing": lambda m: m.gather_nd(m.constant(NOTHING), m.zeros([2, 1], m.int32)),
    "gather_nd-no-columns": lambda m: m.gather_nd(m.zeros([3, 0]), m.zeros([2, 1], m.int32)),
    "unstack-too-many": lambda m: m.TensorArray(m.float32, size=2).unstack(m.constant(X)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - TensorFlow decides the class
        REFUSED[case](tf)
    with pytest.raises(Exception) as ours:  # noqa: PT011
        REFUSED[case](shims)
    assert same_error(ours.value, theirs.value)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("RaggedTensor", lambda x: shims.foldl(shims.add, shims.RaggedTensor.from_tensor(x))),
        ("SparseTensor", lambda x: shims.foldl(shims.add, shims.sparse.from_dense(x))),
    ],
)
def test_elements_of_their_own_sizes_are_refused(name, call):
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        call(np.ones((2, 1), np.float32))
    lines = [x for x in str(raised.value).split("\n") if not x.startswith("  At:")]
    assert lines == [
        f"foldl: `elems` contains a {name}, whose slices have different sizes.",
        "  Required: arrays",
        "  Do:       first convert `elems` to a dense array (`to_tensor()`), or map the values: "
        "`shims.ragged.map_flat_values`, `shims.sparse.map_values`",
    ]


def unstacked(m, x):
    made = m.TensorArray(m.float32, size=4).unstack(x)
    return made.stack(), made.size()


@pytest.mark.parametrize("size", [4, 2, 1])
def test_fewer_slices_than_elements(size):
    wanted = unstacked(tf, tf.constant(X[:size]))
    inside = shims.function(
        lambda x: unstacked(shims, x), input_signature=[shims.TensorSpec([None])]
    )
    for found in (unstacked(shims, jnp.asarray(X[:size])), inside(X[:size])):
        assert np.asarray(found[0]).tolist() == wanted[0].numpy().tolist()
        assert int(found[1]) == int(wanted[1])


def test_more_slices_than_elements_inside_a_function():
    inside = shims.function(
        lambda x: unstacked(shims, x), input_signature=[shims.TensorSpec([None])]
    )
    with pytest.raises(shims.InvalidArgumentError, match="more slices than elements"):
        inside(X)


READS = {
    "gather_nd": lambda x: shims.gather_nd(jnp.zeros((0, 3)), shims.where(x > 9)),
    "take": lambda x: jnp.take(jnp.zeros((0, 3)), shims.where(x > 9)[:, 0], axis=0),
    "index": lambda x: jnp.zeros((0, 3))[shims.where(x > 9)[:, 0]],
}


@pytest.mark.parametrize("read", READS)
def test_nothing_is_read_from_nothing(read):
    run = shims.function(READS[read], input_signature=[shims.TensorSpec([None])])
    assert run(X).shape == (0, 3)
    with pytest.raises(shims.InvalidArgumentError):
        run(X * 5)

"""`variable[key].assign(x)`, eagerly and in converted functions, with every form of index.

All numbers are small whole ones, which no rounding changes: equality holds on every processor.
"""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, Dtypes, assert_same

# Evaluated with a variable `v` of shape [3, 4], and each library as `m`.
CALLS = (
    "v[1].assign([9, 8, 7, 6])",
    "v[-1].assign([9, 8, 7, 6])",
    "v[1, 2].assign(9)",
    "v[1:3].assign([[1, 2, 3, 4], [5, 6, 7, 8]])",
    "v[::-1].assign([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])",
    "v[::2, 1:-1].assign([[1, 2], [3, 4]])",
    "v[..., 0].assign([7, 8, 9])",
    "v[None, 1].assign([[1, 2, 3, 4]])",
    "v[m.constant(1)].assign([1, 2, 3, 4])",
    "v[m.constant(0):m.constant(2)].assign(m.cast([[1, 2, 3, 4], [5, 6, 7, 8]], v.dtype))",
    "v[1:3].assign(5)",
    "v[1:3].assign([1, 2, 3, 4], name='part')",
    "v[3:].assign(m.zeros([0, 4], v.dtype))",
    "v[...].assign(m.zeros([3, 4], v.dtype))",
    "v[:].assign(val=m.zeros([3, 4], v.dtype))",
)
WRONG = ("v[1:3].assign([1, 2])", "v[7].assign([1, 2, 3, 4])", "v[0, -5].assign(1)")


def assigned(m, call, dtype):
    v = m.Variable(np.arange(12).reshape(3, 4).astype(dtype))
    returned = eval(call, {"m": m, "v": v})
    return v.numpy(), np.asarray(returned)


@pytest.mark.parametrize("call", CALLS)
def test_as_tensorflow(call):
    for dtype in ("float32", "int32"):
        for ours, theirs in zip(
            assigned(shims, call, dtype), assigned(tf, call, dtype), strict=True
        ):
            assert_same(ours, theirs, EXACT, Dtypes.SAME)


@pytest.mark.parametrize("call", WRONG)
def test_what_does_not_fit_is_refused(call):
    for m in (tf, shims):
        with pytest.raises(m.errors.InvalidArgumentError):
            assigned(m, call, "float32")


def test_bools_and_single_numbers():
    found = []
    for m in (tf, shims):
        b, one = m.Variable([True, False, True]), m.Variable(1.0)
        b[1:].assign([True, False])
        one[...].assign(3.0)
        found.append([*b.numpy(), one.numpy()])
    assert found[0] == found[1]


def test_a_slice_is_an_array_of_its_own():
    v = shims.Variable([1.0, 2.0])
    everything = v[...]
    everything.assign([3.0, 4.0])
    assert everything.tolist() == [1.0, 2.0]
    assert v.numpy().tolist() == [3.0, 4.0]
    assert isinstance(v[0], jnp.ndarray)
    assert not hasattr(v.read_value(), "assign")
    for part in (v[v > 3.0], v[0] + 0):
        with pytest.raises(AttributeError):
            part.assign(1.0)


def steps(m, v, x, n, i):
    """Assignments to slices of several kinds, in a branch and in a loop."""
    v[1:3, ::2].assign(x[:2, :2])
    v[:n].assign(x[:n] * 2)
    v[i].assign(v[i] + 1)
    if n > 1:
        v[0, 0].assign(-1)
    for k in m.range(n):
        v[k, 1].assign(v[k, 0])
    return v[0] + 0


def test_inside_of_functions():
    x = np.arange(12, dtype=np.float32).reshape(3, 4) + 20
    found = []
    for m in (tf, shims):
        v = m.Variable(np.zeros((3, 4), np.float32))

        def f(x, n, i, m=m, v=v):
            return steps(m, v, x, n, i)

        if m is shims:
            numbers = [shims.TensorSpec([], shims.int32)] * 2
            f = shims.function(f, input_signature=[shims.TensorSpec([None, None]), *numbers])
        for n, i in ((1, 2), (3, -1), (0, 0)):
            row = f(m.constant(x), m.constant(n), m.constant(i))
            found.append((np.asarray(row), v.numpy()))
        with pytest.raises(m.errors.InvalidArgumentError):
            f(m.constant(x), m.constant(1), m.constant(3))
    for (row, value), (their_row, their_value) in zip(found[3:], found[:3], strict=True):
        np.testing.assert_array_equal(row, their_row)
        np.testing.assert_array_equal(value, their_value)


def test_a_tape_sees_reads_and_not_what_was_assigned():
    found = []
    for m in (tf, shims):
        v, x = m.Variable([[1.0, 2.0], [3.0, 4.0]]), m.constant([5.0, 6.0])
        with m.GradientTape() as tape:
            tape.watch(x)
            v[1].assign(x)
            y = m.reduce_sum(v * v) + m.reduce_sum(v[0])
        by_x, by_v = tape.gradient(y, [x, v])
        assert by_x is None
        found.append(np.asarray(m.convert_to_tensor(by_v)))
    np.testing.assert_array_equal(*found)

"""Where TensorFlow refuses ragged values, so does `shims`, with the same error; messages whole."""

import numpy as np
import pytest
import tensorflow as tf

import shims

from .messages import MESSAGES


def _rt(m):
    return m.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]])


def _other(m):
    return m.ragged.constant([[1.0, 2.0], [3.0], [3.0, 4.0]])


R = "RaggedTensor"

# What is called, the error's name in TensorFlow, and our message without the place of the call.
CALLS = (
    ("nesting", lambda m: m.ragged.constant([[1], 2]), "ValueError"),
    ("nesting-rank", lambda m: m.ragged.constant([[1], [2]], ragged_rank=2), "ValueError"),
    ("inner-shape", lambda m: m.ragged.constant([[[1, 2], [3]]], ragged_rank=1), "ValueError"),
    ("float-as-int", lambda m: m.ragged.constant([[1.5]], dtype=m.int32), "TypeError"),
    ("row-too-far", lambda m: _rt(m)[5], "IndexError"),
    ("row-before", lambda m: _rt(m)[-4], "InvalidArgumentError"),
    ("inner-position", lambda m: _rt(m)[:, 1], "ValueError"),
    ("other-rows", lambda m: _rt(m) + _other(m), "InvalidArgumentError"),
    ("other-count", lambda m: _rt(m) + m.constant([[1.0], [2.0]]), "InvalidArgumentError"),
    ("other-lengths", lambda m: _rt(m) + m.ones([3, 2]), "InvalidArgumentError"),
    (
        "other-dtype",
        lambda m: _rt(m) + m.ragged.constant([[1, 2], [], [3, 4, 5]]),
        "InvalidArgumentError",
    ),
    ("truth", lambda m: bool(_rt(m)), "TypeError"),
    ("argmax", lambda m: m.argmax(_rt(m), axis=1), "ValueError"),
    ("to_tensor-rank", lambda m: _rt(m).to_tensor(shape=[2]), "InvalidArgumentError"),
    ("gather-too-far", lambda m: m.gather(_rt(m), [5]), "InvalidArgumentError"),
    ("gather-negative", lambda m: m.gather(_rt(m), [-1]), "InvalidArgumentError"),
    ("coordinates-too-far", lambda m: m.gather_nd(_rt(m), [[5]]), "InvalidArgumentError"),
    ("coordinates-inside", lambda m: m.gather_nd(_rt(m), [[2, 3]]), "InvalidArgumentError"),
    ("coordinates-batch", lambda m: m.gather_nd(_rt(m), [[0]], batch_dims=1), "ValueError"),
    ("squeeze-no-axis", lambda m: m.squeeze(_rt(m)), "ValueError"),
    ("squeeze-lengths", lambda m: m.squeeze(_rt(m), 1), "InvalidArgumentError"),
    ("squeeze-rows", lambda m: m.squeeze(_rt(m), 0), "InvalidArgumentError"),
    ("concat-rows", lambda m: m.concat([_rt(m), _rt(m)[:2]], 1), "InvalidArgumentError"),
    ("mask-length", lambda m: m.ragged.boolean_mask(_rt(m), [True, False]), "ValueError"),
    (
        "mask-rows",
        lambda m: m.ragged.boolean_mask(_rt(m), m.ragged.constant([[True], [False], [True]])),
        "InvalidArgumentError",
    ),
    ("mask-scalar", lambda m: m.ragged.boolean_mask(_rt(m), True), "ValueError"),
    ("range-step", lambda m: m.ragged.range([1], [2], [0]), "InvalidArgumentError"),
    ("range-end", lambda m: m.ragged.range([1.0], [float("inf")]), "InvalidArgumentError"),
    ("range-nan", lambda m: m.ragged.range([1.0], [2.0], [float("nan")]), "InvalidArgumentError"),
    ("gather-rows", lambda m: m.gather(_rt(m), [[0], [0]], batch_dims=1), "ValueError"),
    (
        "gather-ragged-rows",
        lambda m: m.gather(m.ones([3, 2]), m.ragged.constant([[0], [1]]), batch_dims=1),
        "ValueError",
    ),
    ("range-lengths", lambda m: m.ragged.range([1, 2], [2, 3, 4]), "InvalidArgumentError"),
    (
        "splits-end",
        lambda m: m.RaggedTensor.from_row_splits([1, 2], [0, 5]),
        "InvalidArgumentError",
    ),
    (
        "splits-begin",
        lambda m: m.RaggedTensor.from_row_splits([1, 2], [1, 2]),
        "InvalidArgumentError",
    ),
    (
        "splits-decrease",
        lambda m: m.RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2]),
        "InvalidArgumentError",
    ),
    ("splits-none", lambda m: m.RaggedTensor.from_row_splits([1, 2], []), "ValueError"),
    ("lengths", lambda m: m.RaggedTensor.from_row_lengths([1, 2], [1]), "InvalidArgumentError"),
    (
        "rowids-order",
        lambda m: m.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2, 1]),
        "InvalidArgumentError",
    ),
    ("rowids-count", lambda m: m.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2]), "ValueError"),
    (
        "rowids-range",
        lambda m: m.RaggedTensor.from_value_rowids([1, 2], [0, 2], nrows=2),
        "ValueError",
    ),
    ("cross-list", lambda m: m.ragged.cross_hashed(_rt(m), 5), "TypeError"),
    (
        "cross-rank",
        lambda m: m.ragged.cross_hashed([m.ragged.constant([[[1]], []])], 5),
        "ValueError",
    ),
    (
        "cross-rows",
        lambda m: m.ragged.cross_hashed([m.ragged.constant([[1]]), m.constant([[1], [2]])], 5),
        "InvalidArgumentError",
    ),
    (
        "cross-buckets",
        lambda m: m.ragged.cross_hashed([m.ragged.constant([[1]])], -1),
        "InvalidArgumentError",
    ),
    ("uniform", lambda m: m.RaggedTensor.from_uniform_row_length([1, 2, 3], 2), "ValueError"),
    ("tensor-rank", lambda m: m.RaggedTensor.from_tensor([1, 2]), "ValueError"),
    (
        "tensor-both",
        lambda m: m.RaggedTensor.from_tensor([[1]], lengths=[1], padding=0),
        "ValueError",
    ),
    ("clip-limits", lambda m: m.clip_by_value(_rt(m), 0.0, _rt(m)), "InvalidArgumentError"),
    ("clip-by-rows", lambda m: m.clip_by_value(m.ones([5]), 0.0, _rt(m)), "InvalidArgumentError"),
    ("map-scalar", lambda m: m.ragged.map_flat_values(m.reduce_sum, _rt(m)), "ValueError"),
    (
        "map-ranks",
        lambda m: m.ragged.map_flat_values(m.add, _rt(m), m.ragged.constant([[[1.0]], [], []])),
        "ValueError",
    ),
    ("map-fewer", lambda m: m.ragged.map_flat_values(lambda x: x[:2], _rt(m)), "ValueError"),
)


def _names(error):
    return {c.__name__ for c in type(error).__mro__}


@pytest.mark.parametrize(("call", "name"), [pytest.param(*c[1:], id=c[0]) for c in CALLS])
def test_the_error_is_tensorflows(call, name):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - which one is what is compared
        call(tf)
    assert name in _names(theirs.value)
    with pytest.raises(Exception) as ours:  # noqa: PT011 - which one is what is compared
        call(shims)
    assert name in _names(ours.value), repr(ours.value)


@pytest.mark.parametrize(("name", "call"), [pytest.param(*c[:2], id=c[0]) for c in CALLS])
def test_messages(name, call):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the whole text is compared
        call(shims)
    lines = str(raised.value).split("\n")
    assert "\n".join(x for x in lines if not x.startswith("  At:")) == MESSAGES[name]


INSIDE = (
    ("splits", lambda v, k: shims.RaggedTensor.from_row_splits(v, [0, k])),
    ("lengths", lambda v, k: shims.RaggedTensor.from_row_lengths(v, shims.stack([k]))),
    ("rows", lambda v, k: shims.RaggedTensor.from_row_splits(v, [0, 1, 3])[k]),
    ("gather", lambda v, k: shims.gather(shims.RaggedTensor.from_row_splits(v, [0, 1, 3]), [k])),
    ("range", lambda v, k: shims.ragged.range([3], deltas=k - 5)),
    (
        "range-end",
        lambda v, k: shims.ragged.range([0.0], v[:1] / shims.cast(k - 5, shims.float32)),
    ),
    (
        "gather-rows",
        lambda v, k: shims.gather(
            v[:, None], shims.ragged.range(shims.ones([k], shims.int32)), batch_dims=1
        ),
    ),
    (
        "equal-rows",
        lambda v, k: (
            shims.RaggedTensor.from_row_splits(v, [0, 1, 3])
            + shims.RaggedTensor.from_row_lengths(v, shims.stack([k - 3, 6 - k]))
        ),
    ),
)


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in INSIDE])
def test_inside_a_function_it_raises_after_the_call(program):
    @shims.function(input_signature=[shims.TensorSpec([None]), shims.TensorSpec([], np.int32)])
    def run(values, k):
        return program(values, k)

    with pytest.raises(shims.InvalidArgumentError):
        run(np.float32([1, 2, 3]), np.int32(5))

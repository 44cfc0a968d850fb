"""Every program of the table equals TensorFlow: eagerly, and inside functions for all sizes."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences, report

from .programs import FLAT, NESTED, ROWS, TWICE, WITH_ROWS

_CHUNK = 12
_MASKS = ([True] * 4, [False] * 4, [False, True, False, False], [True, False, True, True])


def _chunks(programs, kind):
    for start in range(0, len(programs), _CHUNK):
        yield pytest.param(programs[start : start + _CHUNK], id=f"{kind}-{start}")


def _ragged(m, rows, rank=1):
    return m.ragged.constant(rows, dtype=np.float32, ragged_rank=rank)


@pytest.mark.parametrize("size", ROWS)
@pytest.mark.parametrize(
    ("programs", "rows", "rank"),
    [(FLAT, ROWS, 1), (WITH_ROWS, ROWS, 1), (TWICE, NESTED, 2)],
    ids=["flat", "with-rows", "nested"],
)
def test_eagerly(programs, rows, rank, size):
    if programs is WITH_ROWS and size == "no-rows":
        assert not rows[size]
        return
    theirs, ours = (_ragged(m, rows[size], rank) for m in (tf, shims))
    report({name: differences(f(shims, ours), f(tf, theirs), 2e-6) for name, f in programs})


def _inside(programs, rank):
    """One function that runs programs over rows which a mask leaves: any number of them."""

    @shims.function(
        input_signature=[
            shims.RaggedTensorSpec([None] * (rank + 1), ragged_rank=rank),
            shims.TensorSpec([None], np.bool_),
        ]
    )
    def run(rt, keep):
        rt = shims.ragged.boolean_mask(rt, keep)
        return [f(shims, rt) for _, f in programs]

    return run


@pytest.mark.parametrize(
    ("programs", "rows", "rank"),
    [
        *((*p.values, ROWS, 1) for p in _chunks(FLAT, "flat")),
        *((*p.values, NESTED, 2) for p in _chunks(TWICE, "nested")),
    ],
)
def test_inside_a_function(programs, rows, rank):
    run = _inside(programs, rank)
    found = {}
    for size, mask in itertools.product([s for s in ("others", "hollow") if s in rows], _MASKS):
        theirs, ours = (_ragged(m, rows[size], rank) for m in (tf, shims))
        left = tf.ragged.boolean_mask(theirs, mask)
        results = run(ours, np.asarray(mask))
        for (name, f), result in zip(programs, results, strict=True):
            found[f"{name} {size} {mask}"] = differences(result, f(tf, left), 2e-6)
    report(found)


def test_rows_inside_a_function():
    run = _inside(WITH_ROWS, 1)
    theirs, ours = (_ragged(m, ROWS["others"]) for m in (tf, shims))
    mask = [False, True, True, False]
    left = tf.ragged.boolean_mask(theirs, mask)
    results = run(ours, np.asarray(mask))
    report(
        {
            name: differences(result, f(tf, left), 2e-6)
            for (name, f), result in zip(WITH_ROWS, results, strict=True)
        }
    )

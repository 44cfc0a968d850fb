"""Rows as sets, and sequences compared: TensorFlow's values, eagerly and inside functions."""

import functools
import itertools

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences

A = np.asarray([[[1, 2, 2], [3, 0, 3]], [[5, 4, 5], [7, 7, 7]]], np.int32)
B = np.asarray([[[2, 9], [3, 1]], [[1, 1], [7, 7]]], np.int32)
OPERATORS = ("difference", "intersection", "union")
KINDS = tuple(itertools.product((False, True), repeat=2))


def _operand(library, array, sparse):
    return library.sparse.from_dense(array) if sparse else library.constant(array)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kinds", KINDS, ids=["arrays", "b-sparse", "a-sparse", "sparse"])
@pytest.mark.parametrize("rows", [2, 1, 0])
def test_sets(name, kinds, rows):
    results = []
    for library in (tf, shims):
        a, b = (_operand(library, x[:rows], k) for x, k in zip((A, B), kinds, strict=True))
        results.append(getattr(library.sets, name)(a, b))
    assert not differences(*reversed(results), 2e-6)


@pytest.mark.parametrize("kinds", KINDS, ids=["arrays", "b-sparse", "a-sparse", "sparse"])
def test_the_other_difference(kinds):
    results = [
        m.sets.difference(*(_operand(m, x, k) for x, k in zip((A, B), kinds, strict=True)), False)
        for m in (tf, shims)
    ]
    assert not differences(*reversed(results), 2e-6)


def _all(library, a, b):
    return [
        *(getattr(library.sets, name)(a, b) for name in OPERATORS),
        library.sets.size(a),
        library.edit_distance(a, b),
        library.edit_distance(a, b, normalize=False),
    ]


SPARSE = [shims.SparseTensorSpec([None, None, None], np.int32)] * 2
EITHER = shims.function(lambda a, b: _all(shims, a, b), input_signature=SPARSE)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("function", [lambda a, b: _all(shims, a, b), EITHER])
def test_sparse_operands(function, seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, (3, 2, 5)) * rng.integers(0, 2, (3, 2, 5))
    b = rng.integers(0, 4, (3, 2, 4)) * rng.integers(0, 2, (3, 2, 1)) * (seed != 4)
    a, b = a.astype(np.int32), b.astype(np.int32)
    theirs = _all(tf, *(tf.sparse.from_dense(x) for x in (a, b)))
    assert not differences(function(*(shims.sparse.from_dense(x) for x in (a, b))), theirs, 2e-6)


@shims.function(
    input_signature=[
        shims.TensorSpec([None, 2, None], np.int32),
        shims.TensorSpec([None, 2, None], np.int32),
    ]
)
def of_arrays(a, b):
    return [getattr(shims.sets, name)(a, b) for name in OPERATORS]


@pytest.mark.parametrize("rows", [2, 1])
def test_arrays_of_unknown_sizes(rows):
    theirs = [getattr(tf.sets, name)(A[:rows], B[:rows]) for name in OPERATORS]
    assert not differences(of_arrays(A[:rows], B[:rows]), theirs, 2e-6)


def test_sequences_of_other_numbers_of_rows():
    a, b = ([m.sparse.from_dense(x) for m in (tf, shims)] for x in (A[:1], B[:, :1]))
    theirs, ours = (m.edit_distance(x, y, False) for m, x, y in zip((tf, shims), a, b, strict=True))
    assert not differences(ours, theirs, 2e-6)


REFUSED = {
    "size of an array": (lambda m: m.sets.size(m.constant(A)), "TypeError"),
    "floats": (lambda m: m.sets.union(m.constant([[1.0]]), m.constant([[1.0]])), "TypeError"),
    "two dtypes": (
        lambda m: m.sets.union(m.constant([[1]]), m.cast(m.constant([[1]]), m.int8)),
        "TypeError",
    ),
    "ranks": (lambda m: m.sets.union(m.constant(A), m.constant(B[0])), "InvalidArgumentError"),
    "rows": (lambda m: m.sets.union(m.constant(A), m.constant(B[:1])), "InvalidArgumentError"),
    "vectors": (lambda m: m.sets.union(m.constant([1]), m.constant([2])), "InvalidArgumentError"),
    "distance of arrays": (lambda m: m.edit_distance(A, m.sparse.from_dense(A)), "TypeError"),
    "distance of ranks": (
        lambda m: m.edit_distance(m.sparse.from_dense(A), m.sparse.from_dense(A[0])),
        "InvalidArgumentError",
    ),
    "distance of dtypes": (
        lambda m: m.edit_distance(
            m.sparse.from_dense(A), m.sparse.from_dense(A.astype(np.float32))
        ),
        "InvalidArgumentError",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, name = REFUSED[case]
    for library in (tf, shims):
        with pytest.raises(Exception) as raised:  # noqa: PT011 - TensorFlow decides the class
            call(library)
        assert name in {c.__name__ for c in type(raised.value).__mro__}, repr(raised.value)


BAD = {
    "out of order": [[0, 1], [1, 0], [0, 0]],
    "repeated": [[0, 1], [0, 1], [1, 0]],
    "row out of range": [[0, 1], [1, 0], [2, 0]],
    "column out of range": [[0, 1], [0, 3], [1, 0]],
}
INSIDE = {
    name: shims.function(
        lambda *pair, name=name: getattr(shims.sets, name)(*pair),
        input_signature=[shims.SparseTensorSpec([None, None], np.int32)] * (2 - (name == "size")),
    )
    for name in (*OPERATORS, "size")
}


def _pair(library, places):
    values = np.asarray([3, 1, 2], np.int32)
    kinds = (np.asarray(places, np.int64), [[0, 0], [0, 2], [1, 1]])
    return [library.SparseTensor(where, values, [2, 3]) for where in kinds]


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("case", BAD)
def test_coordinates_are_checked(name, case):
    for library in (tf, shims):
        pair = _pair(library, BAD[case])[: 2 - (name == "size")]
        with pytest.raises(library.errors.InvalidArgumentError):
            getattr(library.sets, name)(*pair)
    with pytest.raises(shims.errors.InvalidArgumentError):
        INSIDE[name](*pair)


def test_coordinates_that_are_not_checked_need_no_order():
    unordered, ordered = (
        _pair(shims, BAD["out of order"][k:] + BAD["out of order"][:k]) for k in (0, 2)
    )
    values = shims.gather(unordered[0].values, [2, 0, 1])
    ordered = shims.SparseTensor(ordered[0].indices, values, [2, 3])
    for name in OPERATORS:
        found = getattr(shims.sets, name)(*unordered, validate_indices=False)
        assert not differences(
            found, getattr(tf.sets, name)(_in_tf(ordered), _in_tf(unordered[1])), 2e-6
        )


def _in_tf(sp):
    return tf.SparseTensor(*(np.asarray(a) for a in (sp.indices, sp.values, sp.dense_shape)))


def _selected_sets(library, name, kinds, x):
    """Compute the set operation of two selections, and what needs its size: a sort, a part, a padding."""
    a = library.boolean_mask(x, x > 0)[None]
    b = library.boolean_mask(x, x > 2)[None] + 1
    a, b = (library.sparse.from_dense(v) if k else v for v, k in zip((a, b), kinds, strict=True))
    y = library.sparse.to_dense(getattr(library.sets, name)(a, b))[0]
    count = library.shape(y)[0]
    largest = library.nn.top_k(y, k=library.minimum(count, 2))[0]
    return y, largest, library.pad(y, [(0, 10 - count)])


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kinds", KINDS, ids=["arrays", "b-sparse", "a-sparse", "sparse"])
def test_sets_of_selections(name, kinds):
    # Under an enclosing `jit` no capacity can grow, so that the sizes need bounds.
    f = jax.jit(shims.dynamic(functools.partial(_selected_sets, shims, name, kinds)))
    for x in ([3, -1, 7, 2, 9], [-1] * 5, [-1, 4, -1, -1, -1], [1, 2, 3, 4, 5]):
        want = _selected_sets(tf, name, kinds, tf.constant(x))
        got = [y.unpad() if isinstance(y, shims.Padded) else y for y in f(np.asarray(x, np.int32))]
        assert not differences(tuple(got), want, 0)


@pytest.mark.parametrize(
    ("name", "capacity"), [("intersection", 3), ("difference", 4), ("union", 7)]
)
def test_the_capacity_follows_from_the_operands(name, capacity):
    def f(a, b):
        return shims.sparse.to_dense(getattr(shims.sets, name)(a[None], b[None]))[0]

    a, b = np.arange(4, dtype=np.int32), np.arange(2, 5, dtype=np.int32)
    assert jax.eval_shape(shims.dynamic(f), a, b).values.shape == (capacity,)

"""Each comparison fails on what it must not let pass, and says how to see it again."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

import shims

from . import jax_side, tensorflow_side
from .compare import (
    EXACT,
    Dtypes,
    Tolerance,
    assert_same,
    assert_same_bits,
    assert_same_tree,
    difference,
    differences,
    expected_dtype,
    report,
    within,
)
from .flatten import flatten, unpadded
from .outcomes import Outcome, check_raises, check_same, outcome, outcomes_apart, same_error
from .padding import FILLINGS, bits, pad
from .weights import cotangent, jax_loss, polynomial_loss, traced_cotangent

NAN, INF = np.nan, np.inf
F = np.float32
RAGGED = shims.ragged.constant([[1.0, 2.0], [], [3.0]])
SPARSE = shims.sparse.from_dense([[0.0, 3.0]])


def sliced(values, shape=(4,)):
    return shims.IndexedSlices(jnp.float32(values), jnp.int32([0, 2]), shape)


# What must be told apart: (got, reference, how the difference begins).
DIFFERENT = {
    "value": (F([1, 2.1]), F([1, 2]), "result: value at (1,): "),
    "number of 0 dimensions": (F(1.1), F(1), "result: value at (): "),
    "integer": (np.int32([1, 3]), np.int32([1, 2]), "result: value at (1,): "),
    "large integer": (np.int32([2**30 + 1]), np.int32([2**30]), "result: value at (0,): "),
    "bool": (np.array([True]), np.array([False]), "result: value at (0,): "),
    "text": (np.array([b"a"], object), np.array([b"b"], object), "result: value at (0,): "),
    "bfloat16": (
        np.array([1], ml_dtypes.bfloat16),
        np.array([1.01], ml_dtypes.bfloat16),
        "result: value at (0,): ",
    ),
    "NaN of bfloat16": (
        np.array([NAN, 1], ml_dtypes.bfloat16),
        np.array([1, 1], ml_dtypes.bfloat16),
        "result: value at (0,): ",
    ),
    "complex": (np.complex64([1 + 2j]), np.complex64([1 + 2.1j]), "result: value at (0,): "),
    "dtype": (np.int32([1]), F([1]), "result: dtype int32, should be float32"),
    "too wide": (np.float64([1]), F([1]), "result: dtype float64, should be float32"),
    "not narrowed": (np.int64([1]), np.int64([1]), "result: dtype int64, should be int32"),
    "shape": (F([1, 1]), F([[1, 1]]), "result: shape (2,), should be (1, 2)"),
    "no broadcasting": (F(1), F([1]), "result: shape (), should be (1,)"),
    "empty of a different shape": (np.ones((0, 2)), np.ones((2, 0)), "result: shape (0, 2)"),
    "NaN for a number": (F([NAN]), F([1]), "result: NaN at (0,): "),
    "a number for NaN": (F([1]), F([NAN]), "result: NaN at (0,): "),
    "NaN elsewhere": (F([NAN, 1]), F([1, NAN]), "result: NaN at (0,): "),
    "NaN for inf": (F([NAN]), F([INF]), "result: NaN at (0,): "),
    "inf for a number": (F([INF]), F([1]), "result: inf at (0,): "),
    "a number for inf": (F([3e38]), F([INF]), "result: inf at (0,): "),
    "-inf for inf": (F([-INF]), F([INF]), "result: inf at (0,): "),
    "a complex inf": (
        np.complex64([complex(INF, 1)]),
        np.complex64([complex(INF, 2)]),
        "result: inf at (0,): ",
    ),
    "None for an array": (None, F([0]), "structure None, should be *"),
    "an array for None": ([F(0)], [None], "structure [*], should be [None]"),
    "missing output": ([F(1)], [F(1), F(1)], "structure [*], should be [*, *]"),
    "one output too many": ([F(1), F(1)], [F(1)], "structure [*, *], should be [*]"),
    "nothing for None": ([], None, "structure [], should be None"),
    "other nesting": ([[F(1)], F(1)], [F(1), [F(1)]], "structure [[*], *], should be [*, [*]]"),
    "missing key": (
        {"a": F(1)},
        {"a": F(1), "b": F(1)},
        "structure ['a'][*], should be ['a', 'b'][*, *]",
    ),
    "other key": ({"a": F(1)}, {"b": F(1)}, "structure ['a'][*], should be ['b'][*]"),
    "True for an array": (True, np.array(True), "structure True, should be *"),
    "False for True": ([False], [True], "structure [False], should be [True]"),
    "a second output": ([F(1), F(2)], [F(1), F(3)], "result[1]: value at (): "),
    "ragged values": (RAGGED * 2.0, RAGGED, "result.flat_values: value at (0,): "),
    "ragged rows": (
        shims.ragged.constant([[1.0], [2.0], [3.0]]),
        RAGGED,
        "result.nested_row_splits[0]: value at (1,): ",
    ),
    "dense for ragged": (F([1, 2]), RAGGED, "structure *, should be RaggedTensor("),
    "sparse values": (SPARSE * 2.0, SPARSE, "result.values: value at (0,): "),
    "sparse places": (
        shims.sparse.from_dense([[3.0, 0.0]]),
        SPARSE,
        "result.indices: value at (0, 1): ",
    ),
    "sparse shape": (
        shims.sparse.from_dense([[0.0, 3.0, 0.0]]),
        SPARSE,
        "result.dense_shape: value at (1,): ",
    ),
    "slices": (sliced([1, 2]), sliced([1, 3]), "result.values: value at (1,): "),
    "slices of a different shape": (sliced([1, 2], (5,)), sliced([1, 2]), "result.dense_shape: "),
    "slices without a shape": (sliced([1, 2], None), sliced([1, 2]), "structure IndexedSlices("),
    "dense for slices": (F([1, 2]), sliced([1, 2]), "structure *, should be IndexedSlices("),
}

SAME = {
    "NaN": (F([NAN, INF, -INF]), F([NAN, INF, -INF])),
    "rounding": (F([1.000001, 1e30]), F([1, 1.000001e30])),
    "NaN of bfloat16": (np.array([NAN, 1], ml_dtypes.bfloat16),) * 2,
    "narrowed": ([np.int32([1]), F([1])], [np.int64([1]), np.float64([1])]),
    "composites": ([RAGGED, SPARSE, sliced([1, 2])], [RAGGED, SPARSE, sliced([1, 2])]),
    "of TensorFlow": (
        {"r": RAGGED, "s": (SPARSE, None)},
        {
            "r": tf.ragged.constant([[1.0, 2.0], [], [3.0]]),
            "s": [tf.sparse.from_dense([[0.0, 3.0]]), None],
        },
    ),
    "padded": (shims.Padded.pad(F([1, 2]), 5), F([1, 2])),
    "empty": (F([]), F([])),
}


@pytest.mark.parametrize(("got", "want", "text"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_is_found(got, want, text):
    assert differences(got, want, within(1e-5)).startswith(text)
    with pytest.raises(AssertionError, match=r"again with: python -m pytest .*test_harness\.py::"):
        assert_same(got, want, within(1e-5))


@pytest.mark.parametrize(("got", "want"), SAME.values(), ids=SAME)
def test_what_is_the_same_passes(got, want):
    assert differences(got, want, within(2e-6)) == ""
    assert_same(got, want, within(2e-6))


def test_which_dtype_is_right():
    narrow, wide = np.int32([1]), np.int64([1])
    assert difference(narrow, wide, EXACT) == ""
    assert difference(narrow, wide, EXACT, Dtypes.SAME) == "dtype int32, should be int64"
    assert difference(narrow, F([1]), EXACT, Dtypes.ANY) == ""
    assert difference(narrow, F([1.5]), EXACT, Dtypes.ANY).startswith("value at (0,)")
    with jax.enable_x64(True):
        assert difference(narrow, wide, EXACT) == "dtype int32, should be int64"
        assert expected_dtype(np.dtype("complex128")) == np.complex128
    assert expected_dtype(np.dtype("complex128")) == np.complex64
    assert expected_dtype(np.dtype("int16")) == np.int16


def test_how_far_is_too_far():
    want = F([1000, 1])
    assert difference(want, want, EXACT) == ""
    assert difference(want + F([0, 1e-6]), want, EXACT).startswith("value at (1,)")
    for tolerance in (
        Tolerance(relative=1e-3),
        Tolerance(absolute=1.5),
        Tolerance(of_largest=1e-3),
    ):
        assert difference(want + F([0.9, 0]), want, tolerance) == ""
        assert difference(want + F([2, 0]), want, tolerance).startswith("value at (0,)")
    assert difference(want + F([0, 0.5]), want, Tolerance(relative=1e-3))
    assert difference(want + F([0, 0.5]), want, Tolerance(of_largest=1e-3)) == ""
    assert difference(F([0.5e-3]), F([0]), Tolerance(of_largest=1e-3)) == ""
    assert difference(F([2e-3]), F([0]), Tolerance(of_largest=1e-3))
    # An infinity makes nothing else close.
    assert difference(F([INF, 2]), F([INF, 1]), Tolerance(of_largest=1e-3))


def test_lists_and_tuples_are_alike_unless_asked_for():
    assert differences([F(1)], (F(1),), EXACT) == ""
    assert (
        differences([F(1)], (F(1),), EXACT, kinds=True) == "structure list[*], should be tuple[*]"
    )


def test_pytrees():
    assert_same_tree((1.0, [2], True), (F(1), [np.int32(2)], np.array(True)))
    assert_same_tree(2, F(2), Dtypes.ANY)
    for got, want in (
        (2, 2.0),
        ([1], (1,)),
        (1.0, 1.00001),
        ((1, None), (1,)),
        ({"a": 1}, {"b": 1}),
    ):
        with pytest.raises(AssertionError):
            assert_same_tree(got, want)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (np.zeros(2), -np.zeros(2)),
        (F([1]), np.float64([1])),
        (F([1]), F([[1]])),
        (F([1]), np.nextafter(F([1]), F(2))),
        ([F(1)], [F(1), F(1)]),
        ([F(1), F(2)], [F(1), F(3)]),
        (None, F(1)),
    ],
)
def test_bits(got, want):
    assert_same_bits(got, got)
    with pytest.raises(AssertionError, match="filling 1: "):
        assert_same_bits(got, want, "filling 1")


def test_nothing_to_report():
    report({"a": "", "b": ""})
    with pytest.raises(AssertionError, match=r"^b: wrong\nagain with: python "):
        report({"a": "", "b": "wrong"})


def test_outcomes():
    raised = outcome(lambda: [].pop())
    assert isinstance(raised.error, IndexError)
    assert outcome(lambda x: x + 1, 1) == Outcome(2, None)
    assert outcomes_apart(Outcome(F(1), None), Outcome(F(1), None), EXACT) == ""
    assert outcomes_apart(Outcome(F(1), None), Outcome(F(2), None), EXACT)
    assert outcomes_apart(raised, raised, EXACT) == ""
    assert outcomes_apart(raised, Outcome(None, None), EXACT).startswith("raises IndexError(")
    assert outcomes_apart(Outcome(None, None), raised, EXACT).startswith(
        "raises None, should raise"
    )
    assert outcomes_apart(raised, Outcome(None, KeyError()), EXACT)
    assert same_error(
        shims.errors.InvalidArgumentError("x"), tf.errors.InvalidArgumentError("", "", "x")
    )
    assert not same_error(LookupError(), IndexError())
    assert not same_error(None, IndexError())


def unlike(m, x):
    return x + 1.0 if m is tf else x


def test_one_program_in_both_libraries():
    check_same(lambda m, x: (m.sin(x), None), F([1, 2]))
    with pytest.raises(
        AssertionError, match=r"unlike\(m, np\.array\(\[1\.0\], 'float32'\)\) \(.*\d\): "
    ):
        check_same(unlike, F([1]))
    with pytest.raises(AssertionError, match="dtype int32, should be int64"):
        check_same(lambda m: m.constant(1, m.int64))
    check_raises(lambda m: m.no_such_name)
    with pytest.raises(AssertionError, match="TensorFlow does not raise"):
        check_raises(unlike, F([1]))
    with pytest.raises(AssertionError, match=r"raises None, should raise ValueError\(\)"):
        check_raises(raises_in_tensorflow, ValueError)
    with pytest.raises(AssertionError, match=r"raises KeyError\(\), should raise ValueError\(\)"):
        check_raises(raises_in_tensorflow, ValueError, KeyError)


def raises_in_tensorflow(m, theirs, ours=None):
    error = theirs if m is tf else ours
    if error:
        raise error


def squares(m, x, k):
    return {"square": x * x, "count": m.size(x), "k": k}


def square_only(results):
    return tf.reduce_sum(results["square"])


def test_tensorflow_in_each_way():
    given, shapes = (F([1, 2, 3]), np.int32(4)), [(None,), ()]
    want = tensorflow_side.eager(squares, given)
    for options in ({"signature": tensorflow_side.specs(shapes, given)}, {"jit_compile": True}):
        assert_same(tensorflow_side.graph(squares, **options)(*given), want, EXACT, Dtypes.SAME)
    run = tensorflow_side.graph(squares, tensorflow_side.specs(shapes, given))
    results, (slope,) = tensorflow_side.with_slopes(run, given, (0,), square_only)
    assert_same([results, slope], [want, F([2, 4, 6])], EXACT, Dtypes.SAME)
    assert [a.dtype.name for a in tensorflow_side.as_numpy(want)] == ["int32", "int32", "float32"]
    nothing = tensorflow_side.with_slopes(run, given, (0,), lambda _: None)[1]
    assert nothing == [None]


def test_shims_in_each_way():
    given = (F([1, -2, 3]), np.int32(4))
    f = lambda x, k: {"chosen": shims.boolean_mask(x, x > 0) * 2.0, "k": k}
    want = {"chosen": F([2, 6]), "k": np.int32(4)}
    slopes = (F([2 * np.cos(2.0), 0, 2 * np.cos(6.0)]),)
    program, places = jax_side.with_loss(f), jax_side.floating(given)
    assert places == (0,)
    signature = jax_side.specs([(None,), ()], given)
    for run in (
        jax_side.around_dynamic(program, places),
        jax_side.inside_dynamic(program, places),
        jax_side.function(program, places, signature),
        jax_side.function(program, places),
    ):
        result = run(*given)
        assert_same(unpadded(result), (want, slopes), within(1e-6), Dtypes.SAME)
    assert jax_side.differentiated(program, ())(*given).gradients == ()
    results, by_tape = jax_side.by_tape(f, given, places, jax_loss)
    assert_same((results, by_tape), (want, slopes), within(1e-6), Dtypes.SAME)
    assert jax_side.by_tape(f, given, places, lambda _: None)[1] == [None]
    found = jax_side.mapped(f, given, places, [[F([1, -2, 3])], [F([-1, -1, 5])]])
    assert_same(found, [want, {**want, "chosen": F([10])}], EXACT, Dtypes.SAME)


def test_programs_of_jax():
    assert jax_side.symbolic_results(lambda x: (x, x.T), "a, b") == ["[a, b]", "[b, a]"]
    assert jax_side.primitives_of(lambda x: jnp.sin(x), F(1)) == ["sin"]
    for jit in (False, True):
        assert_same(jax_side.gradient(lambda x, n: (x * x, n), F(3), 1, jit=jit), F(9), EXACT)


def test_weights():
    x = F([[1, 2, 3], [4, 5, 6]])
    assert len(set(cotangent(x).ravel())) == 6
    assert_same(traced_cotangent(jnp.asarray(x)), cotangent(x), within(1e-6))
    structure = [x, np.int32(3)]
    of_tensorflow = tf.nest.map_structure(tf.constant, structure)
    assert_same(jax_loss(structure), tensorflow_side.tensorflow_loss(of_tensorflow), within(1e-5))
    assert_same(polynomial_loss(shims, structure), polynomial_loss(tf, of_tensorflow), within(1e-5))
    assert polynomial_loss(shims, [np.int32(3)]) is None


def test_padding():
    for dtype in ("float32", "complex64", "int32", "uint8", "bool"):
        x = np.ones((2, 3), dtype)
        found = [pad(x, {1: 5}, number) for number in range(5)]
        assert all(p.values.shape == (2, 5) for p in found)
        assert_same([p.unpad() for p in found], [x] * 5, EXACT)
        assert len({np_of(p).tobytes() for p in found}) > 1
    assert {len(fillings) for fillings in FILLINGS.values()} == {5}
    assert bits([F([0])]) != bits([F([-0.0])])
    assert bits([np.zeros(1, jax.dtypes.float0)]) == []


def np_of(padded):
    return np.asarray(padded.values)


def test_structures():
    assert flatten({"b": [F(1), None], "a": "x"})[0] == "['a', 'b']['x', [*, None]]"
    assert list(flatten({"b": [F(1), None]})[1]) == ["result['b'][0]"]
    assert flatten(RAGGED)[0] == "RaggedTensor(*, [*])"

"""What a function tells of one of its programs, beside TensorFlow's own concrete functions."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.arange(15, dtype=np.float32).reshape(5, 3)
MASK = np.array([True, False, True, False, False])


def program(library):
    @library.function
    def kept(x, m, scale=2.0):
        rows = library.boolean_mask(x, m)
        return {"mean": library.reduce_mean(rows, 0), "rows": rows * scale}

    return kept


def specs(library):
    return library.TensorSpec([None, 3], library.float32), library.TensorSpec([None], library.bool)


@pytest.fixture(params=[tf, shims], ids=["tensorflow", "shims"])
def concrete(request):
    return program(request.param).get_concrete_function(*specs(request.param))


def test_it_takes_and_gives_what_its_specs_say(concrete):
    assert [tuple(s.shape) for s in concrete.inputs] == [(None, 3), (None,)]
    assert concrete.output_shapes["mean"].as_list() == [3]
    assert concrete.output_shapes["rows"].as_list() == [None, 3]
    assert [tuple(s.shape) for s in concrete.outputs] == [(3,), (None, 3)]
    assert concrete.structured_outputs["rows"].shape.as_list() == [None, 3]
    assert {np.dtype(getattr(d, "as_numpy_dtype", d)) for d in concrete.output_dtypes.values()} == {
        np.dtype(np.float32)
    }
    args, _ = concrete.structured_input_signature
    assert [a.dtype for a in args[:2]] == [s.dtype for s in concrete.inputs]
    assert "kept" in str(concrete.name)


def test_it_runs(concrete):
    module = shims if isinstance(concrete.inputs[0], shims.TensorSpec) else tf
    for mask in (MASK, ~MASK, np.zeros(5, bool), np.ones(5, bool)):
        out = concrete(module.constant(X), module.constant(mask))
        np.testing.assert_array_equal(out["rows"], 2 * X[mask])


def test_python_values_belong_to_the_program():
    tripled = program(shims).get_concrete_function(*specs(shims), scale=3.0)
    np.testing.assert_array_equal(tripled(X, MASK)["rows"], 3 * X[MASK])
    assert len(tripled.inputs) == 2


def test_arrays_stand_for_their_kind():
    function = program(shims)
    fixed = function.get_concrete_function(X, MASK)
    assert [tuple(s.shape) for s in fixed.inputs] == [(5, 3), (5,)]
    np.testing.assert_array_equal(fixed(X, ~MASK)["rows"], 2 * X[~MASK])


def test_a_function_with_a_signature_needs_no_arguments():
    function = shims.function(lambda x: x[x > 0], input_signature=[shims.TensorSpec(["batch"])])
    concrete = function.get_concrete_function()
    assert concrete.outputs[0].shape.as_list() == [None]
    assert function.experimental_get_tracing_count() == 1
    assert concrete(np.float32([1, -1, 2])).tolist() == [1, 2]
    assert str(concrete.jaxpr).count("compress") == 1
    assert isinstance(concrete(np.float32([1])), jax.Array)


@pytest.mark.parametrize("m", [shims, tf], ids=["shims", "tf"])
def test_the_concrete_function_of_a_method_knows_its_instance(m):
    class Scaled:
        def __init__(self, by):
            self.by = by

        @m.function
        def call(self, x):
            return x * self.by

        @m.function(input_signature=[m.TensorSpec([None], m.float32)])
        def fixed(self, x):
            return x + self.by

    two, three = Scaled(2.0), Scaled(3.0)
    for scaled in (two, three):
        call = scaled.call.get_concrete_function(m.TensorSpec([2], m.float32))
        assert np.asarray(call(m.constant([1.0, 4.0]))).tolist() == [scaled.by, 4 * scaled.by]
        fixed = scaled.fixed.get_concrete_function()
        assert np.asarray(fixed(m.constant([1.0]))).tolist() == [1 + scaled.by]
        assert np.asarray(scaled.fixed(m.constant([1.0]))).tolist() == [1 + scaled.by]


def _ragged(t):
    return t.ragged.constant([[1.0, 2.0], [3.0]])


def _sparse(t):
    return t.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])


@pytest.mark.parametrize(
    ("spec", "value", "another"),
    [
        (_ragged, _ragged, lambda t: t.ragged.constant([[4.0], [5.0, 6.0, 7.0]])),
        (lambda t: t.RaggedTensorSpec([None, None], t.float32), _ragged, _ragged),
        (_sparse, _sparse, lambda t: t.sparse.from_dense([[0.0, 3.0], [0.0, 4.0]])),
        (lambda t: t.SparseTensorSpec([None, 2], t.float32), _sparse, _sparse),
        (lambda t: t.TensorSpec(None), lambda t: t.constant(1.0), lambda t: t.ones([2, 1])),
    ],
)
def test_of_composites_and_of_unknown_rank(spec, value, another):
    def total(t):
        def f(x):
            x = t.sparse.to_dense(x) if hasattr(x, "indices") else x
            return t.reduce_sum(t.square(x))

        concrete = t.function(f).get_concrete_function(spec(t))
        return [float(concrete(v(t))) for v in (value, another)]

    assert total(shims) == total(tf)


def test_of_unknown_rank_there_is_no_single_program():
    concrete = shims.function(lambda x: x + 1).get_concrete_function(shims.TensorSpec(None))
    with pytest.raises(ValueError, match="each rank of an argument"):
        concrete.structured_outputs  # noqa: B018


@pytest.mark.parametrize("given", [lambda t: t.constant("a"), lambda t: t.TensorSpec([], t.string)])
def test_of_strings(given):
    def read(t):
        concrete = t.function(lambda a: t.strings.join([a, a])).get_concrete_function(given(t))
        return [concrete(t.constant("b")).numpy(), concrete(a=t.constant("c")).numpy()]

    assert read(shims) == read(tf)


def test_a_graph_is_told_to_be_absent():
    concrete = shims.function(lambda x: x).get_concrete_function(shims.ones([2]))
    with pytest.raises(AttributeError, match="has no TensorFlow graph"):
        concrete.graph  # noqa: B018


MISMATCHES = {
    "rank": (lambda t: t.TensorSpec([None], t.int32), lambda t: t.constant([[1]])),
    "size": (lambda t: t.TensorSpec([3], t.int32), lambda t: t.constant([1, 2])),
    "dtype": (lambda t: t.TensorSpec([None], t.int32), lambda t: t.constant([1.0])),
    "list": (lambda t: t.TensorSpec([None], t.int32), lambda t: [[1, 2]]),
    "string": (lambda t: t.TensorSpec([None], t.string), lambda t: t.constant("x")),
    "number": (lambda t: t.TensorSpec([None], t.string), lambda t: t.constant([1])),
    "key": (lambda t: {"a": t.TensorSpec([1], t.int32)}, lambda t: {"b": t.constant([1])}),
    "inside": (lambda t: {"a": t.TensorSpec([3], t.int32)}, lambda t: {"a": t.constant([1])}),
    "ragged": (lambda t: t.RaggedTensorSpec([None, None], t.int32), lambda t: t.constant([[1]])),
    "ragged rank": (
        lambda t: t.RaggedTensorSpec([None, None], t.int32),
        lambda t: t.ragged.constant([[[1]]]),
    ),
}


@pytest.mark.parametrize("name", MISMATCHES)
@pytest.mark.parametrize("library", [tf, shims], ids=["tensorflow", "shims"])
def test_another_argument_than_the_signature_is_a_type_error(name, library):
    spec, value = MISMATCHES[name]
    function = library.function(lambda x: x, input_signature=[spec(library)])
    with pytest.raises(TypeError):
        function(value(library))


def test_former_keywords_are_taken():
    options = {"experimental_implements": "f", "experimental_compile": True}
    f = shims.function(lambda x: x * 2, experimental_relax_shapes=True, **options)
    for n in range(3, 9):
        assert f(shims.ones([n])).tolist() == [2.0] * n
    assert f.stats().traces == 1

"""The functions of `tf.keras.backend` that Keras 3 lacks, against Keras's own, which compute with TensorFlow."""

import importlib

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.facade import keras_backend

K = shims.keras.backend
THEIRS = importlib.import_module("keras._tf_keras.keras.backend")
X = np.float32([[0.2, 0.7], [-0.9, 0.4], [1.5, 0.0]])
P = np.float32(
    [[0.2, 0.8], [0.0, 1.0], [0.6, 0.4]]
)  # probabilities, at the ends of their range, too
Y = np.float32([[0, 1], [1, 0], [0, 1]])
N = np.int32([[1, 2], [3, 4], [5, 6]])
B = np.array([[True, False], [False, True], [True, True]])
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 8
VOLUME = np.arange(128, dtype=np.float32).reshape(1, 4, 4, 4, 2) / 32
KERNEL = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 2, 2, 3)
KERNEL_3D = np.linspace(-1, 1, 32, dtype=np.float32).reshape(2, 2, 2, 2, 2)
STEP = lambda i, s: (i + s[0], [i + s[0]])
SKIPPED = np.array([[True, True, False, True]] * 4)

# By name the arguments of each call; arrays become tensors, `V` makes a variable of one.
V = type("V", (tuple,), {})


def one_of(*names, values=((X,), (N,))):
    return {name: [(value, {}) for value in values] for name in names}


FLOATS = ((X,),)
REDUCED = [((X,), {}), ((N,), {"axis": 0}), ((X,), {"axis": -1, "keepdims": True})]
OF_BOOLS = [((B,), {}), ((B,), {"axis": 1, "keepdims": True})]
LOSSES = [((Y, P), {}), ((Y, X), {"from_logits": True})]
CALLS = {
    **one_of("abs", "square", "sign", "flatten", "batch_flatten", "transpose", "zeros_like"),
    **one_of("ones_like", "shape", "int_shape", "ndim", "dtype", "to_dense", "is_sparse"),
    **one_of("cast_to_floatx", "count_params", "get_value", "eval"),
    **one_of("cos", "exp", "log", "sin", "tanh", "sigmoid", "softplus", values=FLOATS),
    **one_of("softsign", "sqrt", "round", "hard_sigmoid", values=FLOATS),
    **{n: [((X, Y), {})] for n in ("equal", "greater", "greater_equal", "less", "less_equal")},
    **{n: [((X, Y), {})] for n in ("maximum", "minimum", "not_equal")},
    **dict.fromkeys(("max", "min", "prod", "sum", "mean"), REDUCED),
    **{n: [REDUCED[0], REDUCED[2], *OF_BOOLS] for n in ("std", "var")},
    **dict.fromkeys(("all", "any"), OF_BOOLS),
    **{n: [((X,), {}), ((N,), {"axis": 0})] for n in ("argmax", "argmin", "cumsum", "cumprod")},
    **dict.fromkeys(("binary_crossentropy", "categorical_crossentropy"), LOSSES),
    "binary_focal_crossentropy": [*LOSSES, ((Y, P), {"apply_class_balancing": True})],
    "categorical_focal_crossentropy": LOSSES,
    "sparse_categorical_crossentropy": [
        ((N[:, 0] % 2, P), {}),
        ((N[:, 0] % 2, X), {"from_logits": True}),
        ((N[:, 0] % 2, P), {"ignore_class": 0}),
        ((N[:2] % 2, np.stack([P[:2], P[1:]])), {"axis": -1}),
        ((N[0] % 2, P[:, :2].T @ P), {"axis": 0}),
    ],
    "arange": [((5,), {}), ((1, 5, 2), {"dtype": "float32"}), ((-3,), {})],
    "batch_dot": [
        ((X, Y), {}),
        ((VOLUME[0, 0], VOLUME[0, 1]), {"axes": (1, 1)}),
        ((VOLUME[0], VOLUME[0, 0].transpose(0, 2, 1)), {}),
    ],
    "batch_get_value": [(([V((X,)), V((N,))],), {})],
    "batch_normalization": [((X, X[0], P[0], Y[0], Y[1]), {})],
    "bias_add": [((X, Y[0]), {}), ((IMAGE, Y[0]), {}), ((IMAGE, IMAGE[0]), {})],
    "cast": [((X, "int32"), {}), ((N, "float32"), {})],
    "clip": [((X, 0.0, 0.5), {}), ((X, None, 0.5), {}), ((X, 1.0, 0.0), {})],
    "concatenate": [(([X, Y],), {}), (([X, Y],), {"axis": 0})],
    "constant": [(([1, 2],), {}), ((3,), {"dtype": "int32", "shape": (2,)})],
    "conv1d": [((IMAGE[0], KERNEL[0]), {"padding": p}) for p in ("valid", "same", "causal")],
    "conv2d": [((IMAGE, KERNEL), {}), ((IMAGE, KERNEL), {"strides": (2, 2), "padding": "same"})],
    "conv2d_transpose": [((IMAGE, KERNEL.transpose(0, 1, 3, 2), (1, 5, 5, 3)), {})],
    "conv3d": [((VOLUME, KERNEL_3D), {}), ((VOLUME, KERNEL_3D), {"dilation_rate": (2, 1, 1)})],
    "ctc_batch_cost": [
        ((N[:, :1] * 0, P[:, None] + P[None], N[:, :1] * 0 + 3, N[:, :1] * 0 + 1), {})
    ],
    "ctc_decode": [
        ((P[:, None] + P[None], N[:, 0] * 0 + 3), {"greedy": greedy}) for greedy in (True, False)
    ],
    "ctc_label_dense_to_sparse": [((N, N[:, 0] * 0 + 1), {})],
    "depthwise_conv2d": [((IMAGE, KERNEL), {}), ((IMAGE, KERNEL), {"padding": "same"})],
    "dot": [((X, Y.T), {}), ((IMAGE, X.T @ Y), {}), ((IMAGE, KERNEL[0]), {})],
    "dropout": [((X, 0.5), {"seed": 3})],
    "elu": [((X,), {}), ((X,), {"alpha": 0.5})],
    "expand_dims": [((X,), {}), ((X,), {"axis": 0})],
    "eye": [((3,), {})],
    "foldl": [((lambda a, x: a - x, X), {})],
    "foldr": [((lambda a, x: a - x, X), {})],
    "gather": [((X, N[0]), {})],
    "in_top_k": [((P, N[:, 0] % 2, 1), {})],
    "l2_normalize": [((X,), {}), ((X,), {"axis": 1})],
    "map_fn": [((lambda x: x * 2, X), {})],
    "moving_average_update": [((V((X,)), Y, 0.9), {})],
    "one_hot": [((N[0], 4), {})],
    "permute_dimensions": [((IMAGE, (0, 3, 1, 2)), {})],
    "pool2d": [((IMAGE, (2, 2)), {"pool_mode": mode}) for mode in ("max", "avg")],
    "pool3d": [((VOLUME, (2, 2, 2)), {"pool_mode": mode}) for mode in ("max", "avg")],
    "pow": [((P, 3), {}), ((N, 2), {})],
    "relu": [
        ((X,), {}),
        ((X,), {"alpha": 0.1}),
        ((X,), {"max_value": 1.0, "threshold": 0.3, "alpha": 0.1}),
        ((X,), {"max_value": 6.0}),
    ],
    "repeat": [((X, 2), {})],
    "repeat_elements": [((X, 2, 1), {})],
    "reshape": [((X, (2, 3)), {}), ((X, (-1,)), {})],
    "resize_images": [
        ((IMAGE, 2, 2, "channels_last"), {"interpolation": i}) for i in ("nearest", "bilinear")
    ],
    "resize_volumes": [((VOLUME, 2, 1, 2, "channels_last"), {})],
    "reverse": [((X, 0), {}), ((X, [0, 1]), {})],
    "rnn": [
        ((STEP, IMAGE[0], [X[:1] * np.ones((4, 1), np.float32)]), keywords)
        for keywords in (
            {},
            {"unroll": True},
            {"go_backwards": True},
            {"mask": SKIPPED},
            {"mask": SKIPPED, "zero_output_for_mask": True, "unroll": True},
            {"return_all_outputs": False},
        )
    ],
    "separable_conv2d": [((IMAGE, KERNEL, np.ones((1, 1, 6, 2), np.float32)), {})],
    "softmax": [((X,), {}), ((X,), {"axis": 0})],
    "spatial_2d_padding": [((IMAGE,), {}), ((IMAGE,), {"padding": ((1, 0), (0, 2))})],
    "spatial_3d_padding": [((VOLUME,), {})],
    "squeeze": [((IMAGE, 0), {})],
    "stack": [(([X, Y],), {}), (([X, Y],), {"axis": 1})],
    "stop_gradient": [((X,), {})],
    "switch": [
        ((B, X, Y), {}),
        ((np.array(True), lambda: X, lambda: Y), {}),
        ((B[:, :1], X, Y), {}),
    ],
    "temporal_padding": [((IMAGE[0],), {}), ((IMAGE[0],), {"padding": (2, 0)})],
    "tile": [((X, (2, 1)), {}), ((X[0], 2), {})],
    **{n: [((V((X,)), Y), {})] for n in ("update", "update_add", "update_sub")},
    **{n: [(((3, 2),), {}), (((2,), "int32"), {})] for n in ("zeros", "ones")},
    "variable": [((X,), {}), ((N,), {"dtype": "int32"})],
    **{
        n: [(((3, 2),), {"seed": 3})]
        for n in ("random_normal", "random_uniform", "truncated_normal")
    },
    "random_bernoulli": [(((3, 2), 0.5), {"seed": 3})],
    **{
        n: [(((3, 2), 0.0, 2.0), {"seed": 3})]
        for n in ("random_normal_variable", "random_uniform_variable")
    },
    # These return nothing; what they assign is compared by a test of its own.
    "batch_set_value": [],
    "set_value": [],
    "name_scope": [],
}
LISTED = [(name, number) for name, calls in CALLS.items() for number in range(len(calls))]
# What gives Python a value, assigns, or draws the same numbers in each run of a compiled program.
NOT_TRACED = {
    *(
        "get_value",
        "eval",
        "batch_get_value",
        "int_shape",
        "ndim",
        "dtype",
        "is_sparse",
        "count_params",
    ),
    *("update", "update_add", "update_sub", "moving_average_update", "variable"),
    *("ctc_label_dense_to_sparse", "ctc_batch_cost", "dropout"),
}
# What has a size that values decide, on the way or in its result.
COMPILED = dict.fromkeys(("ctc_decode", "sparse_categorical_crossentropy"), shims.function)


def of(library, value):
    """A value with the tensors and variables of a library in place of arrays."""
    if isinstance(value, V):
        return library.Variable(value[0])
    if isinstance(value, np.ndarray):
        return library.constant(value)
    return [of(library, v) for v in value] if isinstance(value, list) else value


def leaves(result):
    """What a result holds, as NumPy arrays."""
    if isinstance(result, (list, tuple)):
        return [leaf for value in result for leaf in leaves(value)]
    if hasattr(result, "dense_shape"):
        return [np.asarray(v) for v in (result.indices, result.values, result.dense_shape)]
    return [np.asarray(result.numpy() if hasattr(result, "numpy") else result)]


def check(got, want):
    assert len(got) == len(want)
    for ours, theirs in zip(got, want, strict=True):
        assert ours.dtype in (theirs.dtype, jax.dtypes.canonicalize_dtype(theirs.dtype))
        if theirs.dtype.kind == "U":
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-6)


def arguments(library, name, number):
    positional, keywords = CALLS[name][number]
    return [of(library, v) for v in positional], {k: of(library, v) for k, v in keywords.items()}


@pytest.mark.parametrize(("name", "number"), LISTED)
def test_it_computes_what_tensorflow_computes(name, number):
    tf.random.set_seed(1)
    shims.random.set_seed(1)
    positional, keywords = arguments(tf, name, number)
    want = leaves(getattr(THEIRS, name)(*positional, **keywords))
    positional, keywords = arguments(shims, name, number)
    check(leaves(getattr(K, name)(*positional, **keywords)), want)
    own = [i for i, v in enumerate(positional) if isinstance(v, jax.Array)]
    if name not in NOT_TRACED and own:

        @COMPILED.get(name, jax.jit)
        def traced(arrays):
            values = dict(enumerate(positional)) | dict(zip(own, arrays, strict=True))
            result = getattr(K, name)(*values.values(), **keywords)
            return result if name != "shape" else shims.convert_to_tensor(result)

        check(leaves(traced([positional[i] for i in own])), want)


def test_every_function_is_called():
    assert set(CALLS) == set(keras_backend._functions())


def test_values_are_assigned():
    variable = shims.Variable(X)
    K.set_value(variable, Y)
    np.testing.assert_array_equal(variable.numpy(), Y)
    K.batch_set_value([(variable, P)])
    np.testing.assert_array_equal(variable.numpy(), P)


def test_a_symbolic_tensor_is_refused_and_taken_in_a_layer():
    inputs = shims.keras.Input((2,))
    with pytest.raises(
        ValueError, match=r"Do: +call the function inside a layer, such as `keras\.layers\.Lambda`"
    ):
        K.l2_normalize(inputs, axis=1)
    outputs = shims.keras.layers.Lambda(lambda x: K.l2_normalize(x, axis=1))(inputs)
    model = shims.keras.Model(inputs, outputs)
    want = leaves(THEIRS.l2_normalize(tf.constant(X), axis=1))
    check([np.asarray(model(X))], want)


def test_arrays_of_other_code_keep_their_own_attributes():
    K.mean(shims.constant(X))
    assert type(shims.constant(X).shape) is tuple
    assert not hasattr(shims.constant(X), "numpy")


OF_SELECTIONS = {
    **dict.fromkeys(("ones_like", "abs", "sum", "mean", "exp", "relu", "argmax", "cumsum"), ()),
    **dict.fromkeys(("not_equal", "maximum", "greater"), (1.0,)),
    "clip": (1.0, 2.0),
    "cast": ("int32",),
    "gather": ([0],),
    "expand_dims": (0,),
}


@pytest.mark.parametrize("name", OF_SELECTIONS)
def test_functions_of_selections(name):
    function = getattr(shims.keras.backend, name)

    def of_selection(x):
        return function(shims.boolean_mask(x, x > 0), *OF_SELECTIONS[name])

    x = jax.numpy.array([[1.0, -2.0, 3.0], [4.0, -1.0, 0.0]])
    want = np.asarray(of_selection(x))
    for compiled in (jax.jit(of_selection), jax.jit(shims.dynamic(of_selection))):
        found = compiled(x)
        found = found.unpad() if isinstance(found, shims.Padded) else found
        np.testing.assert_allclose(found, want)


def test_a_gradient_around_a_choice_by_a_static_size():
    """`size(x) > 0` is a NumPy number, of which Keras asks the rank."""

    def loss(x):
        return K.switch(shims.size(x) > 0, K.mean(x), shims.constant(0.0))

    np.testing.assert_allclose(jax.grad(loss)(np.ones(4, np.float32)), np.full(4, 0.25))

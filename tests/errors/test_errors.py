"""Each bad input: the class of its error, and its whole message."""

from __future__ import annotations

import re

import jax
import numpy as np
import pytest
from jax import lax

import shims as tf
from tests.errors import refused_inputs as calls

CASES = (
    (
        calls.unbounded,
        tf.errors.CapacityError,
        "range: this data-dependent size has no bound, and inside an enclosing trace its capacity cannot grow.\n  "
        "Required: a count with a bound that follows from the inputs\n  At:       refused_inputs.py:N  return "
        "jax.jit(tf.dynamic(lambda k: tf.range(k)))(np.int32(3))\n  Do:       write `shims.bounded(k, max=...)` for "
        "the count, or call the function through `shims.function` at the top level",
    ),
    (
        calls.outgrown,
        tf.errors.CapacityError,
        "a data-dependent size exceeds its capacity.\n  Required: capacity 8100\n  Received: capacity "
        "16\n  At:       refused_inputs.py:N  return tf.function(lambda k: tf.range(k * k), "
        'overflow="raise")(np.int32(90))\n  Do:       raise the bound to 8100, or use '
        '`shims.function(overflow="grow")`, which raises the bound itself',
    ),
    (
        calls.outgrown_bound_under_jit,
        tf.errors.CapacityError,
        (
            "Padded: the data needed more entries than the capacity, so the values are not valid.\n  Required: room "
            "for 9 entries\n  Received: 4 entries\n  At:       refused_inputs.py:N  return padded.unpad()\n  "
            "Do:       raise the bound to 9, or call the function through `shims.function`, which enlarges its "
            "buffers"
        ),
    ),
    (
        calls.a_loop_without_a_bound,
        tf.errors.CapacityError,
        (
            "while_loop: the size of this value has no bound, and inside an enclosing JAX trace no buffer can "
            "grow.\n  Required: a bound on the number of iterations, or of elements of a `TensorArray`\n  At:       "
            "refused_inputs.py:N  lambda x: tf.while_loop(\n  Do:       pass `maximum_iterations` to `while_loop`; "
            "create a growing `TensorArray` with its largest size and cut the result, as in `TensorArray(dtype, n)` "
            "and `.stack()[:k]`; or call the function through `shims.function` at the top level"
        ),
    ),
    (
        calls.more_than_there_is,
        tf.errors.InvalidArgumentError,
        "top_k: the input has fewer than k columns.\n"
        "  Required: k <= input.shape[-1]\n"
        "  Received: k=4, input.shape[-1]=u0\n"
        "  Size:     u0: refused_inputs.py:N  return tf.function(lambda x, m: tf.math.top_k(x[m][:, 0], 4))(X, M)\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x, m: tf.math.top_k(x[m][:, 0], 4))(X, M)",
    ),
    (
        calls.a_shape_that_does_not_fit,
        tf.errors.InvalidArgumentError,
        "reshape: the input has 3 values, but the requested shape has a different number of values.\n  Required: as "
        "many values as shape=(2, 2) contains\n  Received: shape (n0)\n  At:       refused_inputs.py:N  return "
        "tf.function(lambda x: x.reshape(2, 2), [tf.TensorSpec([None])])(np.ones(3, np.float32))",
    ),
    (
        calls.sizes_that_differ,
        tf.errors.InvalidArgumentError,
        (
            "add: the sizes of two operands differ.\n  Required: equal sizes: u1 == u0 (axis 0)\n  Received: u1 = "
            "2\n  Size:     u0: refused_inputs.py:N  return tf.function(lambda x, m, k: tf.boolean_mask(x, m) + "
            "tf.boolean_mask(x, k))(X, M, K)\n  Size:     u1: refused_inputs.py:N  return tf.function(lambda x, m, "
            "k: tf.boolean_mask(x, m) + tf.boolean_mask(x, k))(X, M, K)\n  At:       refused_inputs.py:N  return "
            "tf.function(lambda x, m, k: tf.boolean_mask(x, m) + tf.boolean_mask(x, k))(X, M, K)\n  Do:       "
            "select both operands with the same mask, or cut both to the same size"
        ),
    ),
    (
        calls.sizes_that_differ_under_jit,
        tf.errors.InvalidArgumentError,
        (
            "add: the sizes of two operands differ.\n  Required: equal sizes: u1 == u0 (axis 0)\n  Received: u1 = a "
            "number that is known only at run time\n  Size:     u0: refused_inputs.py:N  padded = "
            "jax.jit(tf.dynamic(lambda x, m, k: x[m] + x[k]))(X, M, K)\n  Size:     u1: refused_inputs.py:N  padded "
            "= jax.jit(tf.dynamic(lambda x, m, k: x[m] + x[k]))(X, M, K)\n  At:       refused_inputs.py:N  padded = "
            "jax.jit(tf.dynamic(lambda x, m, k: x[m] + x[k]))(X, M, K)\n  Do:       select both operands with the "
            "same mask, or cut both to the same size"
        ),
    ),
    (
        calls.sizes_that_are_known_to_differ,
        tf.errors.InvalidArgumentError,
        "same_size: the sizes of two operands differ.\n  Required: size 2 along axis 0\n  Received: size 4\n  "
        "At:       refused_inputs.py:N  return tf.same_size(X, X[:2])",
    ),
    (
        calls.a_size_and_a_number,
        tf.errors.InvalidArgumentError,
        (
            "add: the sizes of two operands differ.\n  Required: equal sizes: u0 == 2 (axis 0)\n  Received: u0 = "
            "3\n  Size:     u0: refused_inputs.py:N  return tf.function(lambda x, m: x[m] + jnp.ones((2, 2)))(X, "
            "M)\n  At:       refused_inputs.py:N  return tf.function(lambda x, m: x[m] + jnp.ones((2, 2)))(X, M)\n  "
            "Do:       select both operands with the same mask, or cut both to the same size"
        ),
    ),
    (
        calls.sizes_of_one_name,
        tf.errors.InvalidArgumentError,
        "function: two sizes named `n` differ.\n"
        "  Required: n = 4\n"
        "  Received: n = 2 (argument 1, axis 0)\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x, y: x, input_signature=specs)(X, X[0])",
    ),
    (
        calls.too_small,
        tf.errors.CapacityError,
        "Padded.pad: `x` is larger than the capacity.\n  Required: at most 2 entries along axis 0\n  Received: 4\n  "
        "At:       refused_inputs.py:N  return tf.Padded.pad(X, 2)",
    ),
    (
        calls.above_a_stated_bound,
        tf.errors.CapacityError,
        "bounded: `x` is 9, which exceeds the declared bound.\n  Required: x <= 4\n  Received: 9\n  At:       "
        "refused_inputs.py:N  return tf.bounded(np.int32(9), max=4)\n  Do:       raise the bound: `shims.bounded(x, "
        "max=9)`",
    ),
    (
        calls.another_dtype,
        TypeError,
        "function: the dtype of argument 0 differs from the spec of this argument.\n"
        "  Required: int32\n"
        "  Received: float32\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x: x, input_signature=[spec])(X[0])",
    ),
    (
        calls.another_shape,
        TypeError,
        "function: the shape of argument 0 differs from the spec of this argument.\n"
        "  Required: (None, 3)\n"
        "  Received: (4, 2)\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x: x, input_signature=[tf.TensorSpec([None, 3])])(X)",
    ),
    (
        calls.another_structure,
        TypeError,
        "function: the arguments do not have the structure of `input_signature`.\n"
        "  Required: ({'a': TensorSpec(shape=(None,), dtype=tf.float32, name=None)},)\n"
        "  Received: ({'b': (6,)},)\n"
        '  At:       refused_inputs.py:N  return tf.function(lambda d: d, input_signature=[{"a": SPEC}])({"b": V})',
    ),
    (
        calls.one_argument_too_many,
        TypeError,
        "function: `<lambda>` needs as many arguments as `input_signature` has specs.\n  Required: 1 argument\n  "
        "Received: 2\n  At:       refused_inputs.py:N  return tf.function(lambda x: x, input_signature=[SPEC])(V, V)",
    ),
    (
        calls.an_option_beside_the_signature,
        TypeError,
        "function: `<lambda>` needs as many arguments as `input_signature` has specs.\n  Required: 1 argument\n  "
        "Received: 2\n  At:       refused_inputs.py:N  return tf.function(lambda x, flag=True: x, "
        "input_signature=[SPEC])(V, False)",
    ),
    (
        calls.one_argument_too_few,
        TypeError,
        "function: `<lambda>` needs as many arguments as `input_signature` has specs.\n  Required: 2 arguments\n  "
        "Received: 1\n  At:       refused_inputs.py:N  return tf.function(lambda x, y: x, input_signature=[SPEC, "
        "SPEC])(V)",
    ),
    (
        calls.an_unknown_keyword,
        TypeError,
        "function: the arguments do not match the parameters of `<lambda>`: got an unexpected keyword argument 'z'.\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x: x, input_signature=[SPEC])(V, z=V)",
    ),
    (
        calls.past_the_last_bucket,
        tf.errors.CapacityError,
        "function: an input is larger than the largest bucket.\n"
        "  Required: at most 3 entries\n"
        "  Received: 4\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x: x, input_signature=[spec], buckets=[2, 3])(X)\n"
        "  Do:       add 4 to `buckets`",
    ),
    (
        calls.buckets_of_another_kind,
        ValueError,
        'function: `buckets` has an invalid value.\n  Required: "powers_of_two", a capacity, a list of '
        "capacities, or a function of the size\n  Received: 'primes'\n  At:       refused_inputs.py:N  return "
        'tf.function(lambda x: x, buckets="primes")',
    ),
    (
        calls.nothing_to_compile_for,
        ValueError,
        "precompile: the sizes to compile for are not specified.\n"
        "  Required: example arguments, `sizes`, or a list of `buckets`\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x: x, input_signature=[SPEC]).precompile()\n"
        "  Do:       write `precompile(sizes=[64, 256, 1024])`",
    ),
    (
        calls.a_constant_size,
        tf.errors.SpecializationError,
        (
            "<lambda>: an unknown input size has become a constant: the function is compiled once per size, as by "
            "`jax.jit`.\n  Received: sizes [6]; an index or a count of the size `n0` needs the number\n  At:       "
            "refused_inputs.py:N  lambda x: np.zeros(x.shape[0]) + x, input_signature=[SPEC], "
            'on_specialize="raise"\n  Do:       use a function that accepts the size itself (`jnp.zeros(n)` in '
            "place of `np.zeros(n)`), or declare a static size"
        ),
    ),
    (
        calls.a_mask_of_another_length,
        tf.errors.InvalidArgumentError,
        "boolean_mask: `mask` must match the leading axes of `tensor`.\n  Required: mask.shape == tensor.shape[0:1] "
        "(axis=0)\n  Received: tensor f32[4, 2], mask bool[3]\n  At:       refused_inputs.py:N  return "
        "tf.boolean_mask(X, np.ones(3, bool))\n  Do:       build the mask from `tensor`, or give both sizes the "
        "same name in the spec",
    ),
    (
        calls.a_mask_of_a_higher_rank,
        tf.errors.InvalidArgumentError,
        "boolean_mask: `mask` must match the leading axes of `tensor`.\n  Required: mask.shape == tensor.shape[0:3] "
        "(axis=0)\n  Received: tensor f32[4, 2], mask bool[4, 2, 1]\n  At:       refused_inputs.py:N  return "
        "tf.boolean_mask(X, np.ones((4, 2, 1), bool))\n  Do:       build the mask from `tensor`, or give both sizes "
        "the same name in the spec",
    ),
    (
        calls.a_mask_without_an_axis,
        tf.errors.InvalidArgumentError,
        "boolean_mask: `mask` is a scalar.\n"
        "  Required: a mask with at least one axis\n"
        "  At:       refused_inputs.py:N  return tf.boolean_mask(X, True)",
    ),
    (
        calls.an_index_of_another_length,
        IndexError,
        "x[mask]: the shape of the mask must match the leading axes of the array.\n  Required: bool[4]\n  Received: "
        "bool[3] for float32[4, 2]\n  At:       refused_inputs.py:N  return tf.function(lambda x, m: x[m])(X, "
        "M[:3])\n  Do:       build the mask from the array from which it selects",
    ),
    (
        calls.an_index_of_a_higher_rank,
        IndexError,
        "x[mask]: the shape of the mask must match the leading axes of the array.\n  Required: rank 2 or less\n  "
        "Received: bool[4, 2, 1] for float32[4, 2]\n  At:       refused_inputs.py:N  return tf.function(lambda x, "
        "m: x[m])(X, np.ones((4, 2, 1), bool))\n  Do:       build the mask from the array from which it selects",
    ),
    (
        calls.traced_bounds_twice,
        tf.errors.UnimplementedError,
        "x.at[...]: a slice with traced bounds is combined with another traced index.\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x, k: x.at[:k, :k].set(0.0))(X, np.int32(1))\n"
        "  Do:       update in two steps, or use `shims.where` with a mask",
    ),
    (
        calls.a_traced_axis,
        tf.errors.FreshSizeError,
        "reduce_sum: `axis` depends on traced data.\n"
        "  Required: axis known while the program is traced\n"
        "  At:       refused_inputs.py:N  return tf.function(lambda x, k: tf.reduce_sum(x, axis=k))(X, np.int32(0))\n"
        "  Do:       pass a Python number",
    ),
    (
        calls.windows_of_unknown_extent,
        tf.errors.UnsupportedPrimitiveError,
        "`gather` accesses several windows whose sizes are unknown.\n  Received: float32[u0]\n  Size:     u0: "
        "refused_inputs.py:N  y = x[x > 0]\n  At:       refused_inputs.py:N  return jax.vmap(lambda s: "
        "lax.dynamic_slice(y, (s,), (y.shape[0] // 2,)))(starts)\n  Do:       access whole rows, or windows of "
        "static size",
    ),
    (
        calls.random_rows_of_the_older_threefry,
        tf.errors.UnsupportedPrimitiveError,
        "random numbers of an unknown shape need partitionable Threefry.\n"
        "  Received: shape (u0,)\n"
        "  Size:     u0: refused_inputs.py:N  n = x[x > 0].shape[0]\n"
        "  At:       refused_inputs.py:N  return jax.random.normal(key, (n,))\n"
        "  Do:       set `jax.config.update('jax_threefry_partitionable', True)`, which is JAX's default",
    ),
    (
        calls.padded_in_numpy,
        tf.errors.PaddedUseError,
        (
            "Padded: a padded value was passed to a JAX function, which would read the padding.\n  Received: "
            "Padded(float32[5x2], axis 0: 3)\n  At:       refused_inputs.py:N  return "
            "np.asarray(tf.Padded.pad(X[:3], 5))\n  Do:       wrap the whole computation with "
            "`shims.dynamic(f)(x)`, or use an operator of shims, such as `shims.reduce_sum` for a sum"
        ),
    ),
    (
        calls.padded_in_a_sum,
        tf.errors.PaddedUseError,
        (
            "Padded: a padded value was passed to a JAX function, which would read the padding.\n  Received: "
            "Padded(float32[5x2], axis 0: traced)\n  At:       refused_inputs.py:N  return "
            "jnp.sum(tf.Padded.pad(X[:3], 5))\n  Do:       wrap the whole computation with `shims.dynamic(f)(x)`, "
            "or use an operator of shims, such as `shims.reduce_sum` for a sum"
        ),
    ),
    (
        calls.padded_has_no_length,
        tf.errors.PaddedUseError,
        (
            "len: Python needs the contents of a padded value, which are known only at run time.\n  Received: "
            "Padded(float32[5x2], axis 0: 3)\n  At:       refused_inputs.py:N  return len(tf.Padded.pad(X[:3], "
            "5))\n  Do:       outside of `jit`, use the array without padding, `x.unpad()`; inside `jit`, use an operator "
            "such as `shims.size(x)`, `shims.where` or `shims.cond`"
        ),
    ),
    (
        calls.a_decision_in_a_loop,
        tf.errors.FreshSizeError,
        "the trace needs a condition on the size `- u0 + 2`, but this size differs between iterations.\n  Size:     "
        "u0: refused_inputs.py:N  return lax.fori_loop(0, 3, lambda i, c: c + (x[x > c].shape[0] > 2), 0)\n  "
        "At:       refused_inputs.py:N  return lax.fori_loop(0, 3, lambda i, c: c + (x[x > c].shape[0] > 2), 0)\n  "
        "Do:       use `shims.cond` or `shims.where` on the number, or write `shims.map_fn` in place of "
        "`jax.lax.map`",
    ),
    (
        calls.a_size_out_of_a_loop,
        tf.errors.FreshSizeError,
        "the data-dependent size `u0` of a loop body, a branch or one row is used outside of the loop body, the "
        "branch or the row.\n  Size:     u0: refused_inputs.py:N  lax.map(lambda t: kept.append(x[x > t].shape[0]) "
        "or t, x)\n  At:       refused_inputs.py:N  return tf.function(f, autograph=False)(V)\n  Do:       return "
        "the number itself, `shims.size(y)`, from the loop or the branch",
    ),
    (
        calls.no_dynamic_trace,
        tf.errors.OutsideDynamicTraceError,
        (
            "boolean_mask: the size of the result depends on traced data.\n"
            "  Required: a dynamic trace\n"
            "  At:       refused_inputs.py:N  return jax.jit(primitives.compress)(X, M)\n"
            "  Do:       call the function that contains this step through `shims.function` or "
            "`shims.dynamic(f)`"
        ),
    ),
)


def rendered(text):
    """A message without the numbers of lines and without JAX's footer."""
    return re.sub(r"(\w+\.py):\d+", r"\1:N", str(text)).partition("\n-----")[0]


@pytest.mark.parametrize(("call", "error", "text"), CASES, ids=[c[0].__name__ for c in CASES])
def test_message(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error
    assert rendered(raised.value) == text


def test_the_table_has_every_call():
    bodies = {f for f in vars(calls).values() if getattr(f, "__module__", "") == calls.__name__}
    assert bodies == {c[0] for c in CASES}


def test_a_padded_value_in_lax_is_refused_for_the_same_reason():
    with pytest.raises(TypeError) as raised:
        lax.exp(tf.Padded.pad(calls.X[:3], 5))  # JAX puts an error of its own around ours
    assert type(raised.value.__cause__) is tf.errors.PaddedUseError
    assert rendered(raised.value.__cause__) == (
        "Padded: a padded value was passed to a JAX function, which would read the padding.\n  Received: "
        "Padded(float32[5x2], axis 0: 3)\n  At:       test_errors.py:N  lax.exp(tf.Padded.pad(calls.X[:3], 5))  # "
        "JAX puts an error of its own around ours\n  Do:       wrap the whole computation with "
        "`shims.dynamic(f)(x)`, or use an operator of shims, such as `shims.reduce_sum` for a sum"
    )


def test_a_size_that_becomes_a_constant_warns_once():
    @tf.function(input_signature=[calls.SPEC])
    def f(x):
        return np.zeros(x.shape[0]) + x

    with pytest.warns(tf.errors.SpecializationWarning) as warned:
        np.testing.assert_array_equal(f(calls.V), calls.V)
    assert [rendered(w.message) for w in warned] == [
        (
            "f: an unknown input size has become a constant: the function is compiled once per size, as by "
            "`jax.jit`.\n  Received: sizes [6]; an index or a count of the size `n0` needs the number\n  At:       "
            "test_errors.py:N  return np.zeros(x.shape[0]) + x\n  Do:       use a function that accepts the size "
            "itself (`jnp.zeros(n)` in place of `np.zeros(n)`), or declare a static size"
        )
    ]
    np.testing.assert_array_equal(f(calls.V[:4]), calls.V[:4])  # a second warning would be an error


def test_an_assumption_that_does_not_hold_says_so_when_it_is_read():
    def f(x, m):
        if x[m].shape[0] == 2:
            raise ValueError("two rows are too few")
        return x[m]

    padded = jax.jit(tf.dynamic(f, autograph=False))(calls.X, calls.K)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        padded.unpad()
    assert rendered(raised.value) == (
        "the program raises an error for the sizes of these data: ValueError: two rows are too few\n  Received: "
        'data for which `u0 == 2` is True\n  At:       test_errors.py:N  raise ValueError("two rows are too '
        'few")\n  Do:       call the function through `shims.function` at the top level, where the values are known'
    )


@pytest.mark.parametrize("option", ["overflow", "on_specialize"])
def test_an_unknown_option(option):
    allowed = {"overflow": "('grow', 'raise')", "on_specialize": "('warn', 'raise')"}[option]
    with pytest.raises(
        ValueError, match=re.escape(f"function: `{option}` must be one of {allowed}, not 'x'")
    ):
        tf.function(lambda x: x, **{option: "x"})


def test_errors_belong_to_the_public_module():
    classes = [c for c in vars(tf.errors).values() if isinstance(c, type)]
    assert {c.__name__ for c in classes} >= {"DtypeMismatchError", "CapacityError", "OpError"}
    assert {c.__module__ for c in classes} == {"shims.errors"}

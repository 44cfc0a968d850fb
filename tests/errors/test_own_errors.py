"""The table of the FAQ lists every error and warning that only `shims` has; the programs in its place run."""

import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims
from shims import errors
from tests.meta import tree

X = np.float32([3, 1, 2, 0])
N = np.int32(3)
PAGE = "docs/faq.md"
HEAD = "### Which errors and warnings does `shims` itself raise"


def selected(x):
    return shims.boolean_mask(x, x > 1)


def powers(n, **bound):
    start = jnp.int32(0), jnp.ones(1)
    step = lambda i, x: (i + 1, jnp.concatenate([x, x[-1:] * 2]))
    return shims.while_loop(lambda i, x: i < n, step, start, **bound)[1]


def squares(x):
    y = x[x > 1]
    return lax.linalg.hessenberg(jnp.outer(y, y))[0]


def squares_of_all(x):
    y = jnp.where(x > 1, x, 0)
    return lax.linalg.hessenberg(jnp.outer(y, y))[0]


def checked(x):
    shims.debugging.assert_greater(x, -1.0)
    return x


def in_jit(function):
    return lambda x: jax.jit(function)(x)


def dynamic(function):
    return lambda x: jax.jit(shims.dynamic(function))(x)


def fixed(function, **options):
    return shims.function(function, input_signature=[shims.TensorSpec([None])], **options)


def with_64_bits(x):
    with jax.enable_x64(True):
        return shims.constant(5_000_000_000, shims.int64)


# The class, a program that has it, the program that the page advises, and its result.
PROGRAMS = (
    (
        errors.DtypeMismatchError,
        lambda x: shims.add(np.int32([1]), x[:1]),
        lambda x: shims.add(shims.cast(np.int32([1]), shims.float32), x[:1]),
        [4],
    ),
    (
        errors.MissingKernelError,
        lambda x: shims.sqrt(np.int32([4])),
        lambda x: shims.sqrt(shims.cast(np.int32([4]), shims.float32)),
        [2],
    ),
    (
        errors.NarrowingError,
        lambda x: shims.constant(5_000_000_000, shims.int64),
        with_64_bits,
        5_000_000_000,
    ),
    (
        errors.CapacityError,
        lambda x: in_jit(shims.range)(N),
        lambda x: in_jit(lambda n: shims.range(shims.bounded(n, max=8)))(N),
        [0, 1, 2],
    ),
    (
        errors.CapacityError,
        lambda x: fixed(shims.square, buckets=[2])(x),
        lambda x: fixed(shims.square, buckets=[2, 4])(x),
        [9, 1, 4, 0],
    ),
    (
        errors.PaddedUseError,
        in_jit(lambda x: jnp.sum(selected(x))),
        dynamic(lambda x: jnp.sum(selected(x))),
        5,
    ),
    (
        errors.PaddedUseError,
        in_jit(lambda x: jnp.sum(selected(x))),
        in_jit(lambda x: shims.reduce_sum(selected(x))),
        5,
    ),
    (
        errors.FreshSizeError,
        lambda x: shims.function(lambda x: shims.map_fn(lambda t: x[x > t], x))(x),
        lambda x: shims.function(lambda x: shims.map_fn(lambda t: shims.reduce_sum(x[x > t]), x))(
            x
        ),
        [0, 5, 3, 6],
    ),
    (
        errors.TracedValueError,
        lambda x: shims.function(lambda n: [4, 5, 6, 7][n])(N),
        lambda x: shims.function(lambda n: jnp.array([4, 5, 6, 7])[n])(N),
        7,
    ),
    (
        errors.TracedValueError,
        lambda x: shims.function(lambda x: np.exp(x))(x[3:]),
        lambda x: shims.function(lambda x: jnp.exp(x))(x[3:]),
        [1],
    ),
    (
        errors.SpecializationWarning,
        fixed(lambda x: np.zeros(x.shape[0])),
        fixed(lambda x: jnp.zeros(x.shape[0])),
        [0, 0, 0, 0],
    ),
    (
        errors.SpecializationError,
        fixed(lambda x: np.zeros(x.shape[0]), on_specialize="raise"),
        fixed(lambda x: jnp.zeros(x.shape[0]), on_specialize="raise"),
        [0, 0, 0, 0],
    ),
    (
        errors.GrowingStateError,
        lambda x: in_jit(powers)(N),
        lambda x: dynamic(lambda n: powers(n, maximum_iterations=4))(N),
        [1, 2, 4, 8],
    ),
    (
        errors.UnsupportedPrimitiveError,
        dynamic(squares),
        dynamic(squares_of_all),
        np.array(squares_of_all(X)).tolist(),
    ),
    (
        errors.FrozenRandomWarning,
        in_jit(lambda x: x + 0 * shims.random.normal([4])),
        lambda x: shims.function(lambda x: x + 0 * shims.random.normal([4]))(x),
        X.tolist(),
    ),
    (
        errors.FrozenRandomWarning,
        in_jit(lambda x: x + 0 * shims.random.normal([4])),
        lambda x: jax.jit(lambda x, seed: x + 0 * shims.random.stateless_normal([4], seed))(
            x, np.int32([1, 2])
        ),
        X.tolist(),
    ),
    (
        errors.UncheckedAssertionWarning,
        in_jit(checked),
        lambda x: shims.function(checked)(x),
        X.tolist(),
    ),
)
# Operators make a dynamic trace of their own; only their primitives need one around them.
WITHOUT_A_PROGRAM = {errors.OutsideDynamicTraceError}


def outcome(program):
    """Return the result as a list, and the classes of what is raised or warned."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = program(X)
        except errors.OpError as error:
            return None, [type(error)]
    result = result.unpad() if isinstance(result, shims.Padded) else result
    return np.asarray(result).tolist(), [w.category for w in warned]


@pytest.mark.parametrize(
    ("kind", "program", "advised", "result"),
    PROGRAMS,
    ids=[f"{kind.__name__}-{n}" for n, (kind, *_) in enumerate(PROGRAMS)],
)
def test_the_advised_program_runs(kind, program, advised, result):
    assert outcome(program)[1] == [kind]
    found, raised = outcome(advised)
    assert raised == []
    np.testing.assert_allclose(found, result, rtol=1e-5)


def own_classes():
    """Return the names of the public classes of `shims.errors` that `tf.errors` does not have."""
    theirs = (tree.ROOT / "tf2jax_port/rewrite/data/tf_internal_names.json").read_text()
    assert '"errors.AbortedError"' in theirs
    return {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type)
        and issubclass(value, Exception)
        and f'"errors.{name}"' not in theirs
    }


def test_the_table_lists_every_class():
    text = (tree.ROOT / PAGE).read_text()
    section = text[text.index(HEAD) :].partition("\n### ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(listed) == sorted(own_classes())
    assert {kind.__name__ for kind, *_ in PROGRAMS} | {
        kind.__name__ for kind in WITHOUT_A_PROGRAM
    } == set(listed)

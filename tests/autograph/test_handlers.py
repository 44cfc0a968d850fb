"""`except` and `with` of converted code handle what the exact program raises, not what unknown sizes cause."""

import collections
import contextlib
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.array([3.0, -2.0, 1.0, 5.0, 7.0])
TABLE = [5.0, 6.0, 7.0, 8.0, 9.0]


def by_the_size(x):
    y = x[x > 0]
    try:
        return y.sum() * TABLE[y.shape[0]]
    except Exception:  # noqa: BLE001
        return jnp.float32(-1)


def beyond_the_end(x):
    y = x[x > 0]
    try:
        z = y.sum() * TABLE[y.shape[0] + 2]
    except IndexError as error:
        z = jnp.float32(-len(str(error)[:1]))
    return z


def whatever_happens(x):
    y = x[x > 0]
    try:
        return y.sum() * TABLE[y.shape[0]]
    except:  # noqa: E722
        return jnp.float32(-1)


def suppressed(x):
    y = x[x > 0]
    r = jnp.float32(-1)
    with contextlib.suppress(Exception):
        r = y.sum() * TABLE[y.shape[0]]
    return r


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True


def suppressed_by_a_class(x):
    y = x[x > 0]
    r = jnp.float32(-1)
    with Quiet():
        r = y.sum() * TABLE[y.shape[0]]
    return r


def of_an_attribute(x):
    y = x[x > 0]
    try:
        return y.nothing
    except AttributeError:
        return y.sum() * 3


def of_its_own(x):
    y = x[x > 0]
    try:
        if y.shape[0] == 0:
            raise ValueError("empty")
        return y.mean()
    except ValueError:
        return jnp.float32(0)


def finally_too(x):
    y, r = x[x > 0], []
    try:
        return y.sum()
    finally:
        r.append(1)


def finally_instead(x):
    y, r = x[x > 0], x.sum()
    try:
        if y.shape[0] == 0:
            raise ValueError("empty")
        r = r + y.sum()
    finally:
        return r  # noqa: B012 - it ends the error


def finally_goes_on(x):
    y, r = x[x > 0], jnp.float32(0)
    for i in range(4):
        try:
            try:
                if y.shape[0] == i:
                    raise ValueError("as many")
            except ValueError:
                r = r + 100
                raise
            r = r + 10
        finally:
            if i < 3:
                continue  # noqa: B012 - it ends the error
            r = r + 1000
    return r


PROGRAMS = [
    by_the_size,
    beyond_the_end,
    whatever_happens,
    suppressed,
    suppressed_by_a_class,
    of_an_attribute,
    of_its_own,
    finally_too,
    finally_instead,
    finally_goes_on,
]
UNKNOWN = [shims.TensorSpec([None])]
LANES = {
    "function": shims.function,
    "unknown": lambda f: shims.function(f, input_signature=UNKNOWN),
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "as written": lambda f: shims.function(f, autograph=False),
    "jit as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_result_is_that_of_the_exact_program(program, lane):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        for x in (X, -X, -jnp.ones(3)):
            assert LANES[lane](program)(x) == program(x)


def test_a_refusal_is_handled_nowhere():
    for autograph in (True, False):
        run = jax.jit(shims.dynamic(by_the_size, autograph=autograph))
        with pytest.raises(shims.errors.FreshSizeError, match="TABLE"):
            run(jnp.ones(40))  # a size that may be one of many


def counted(x):
    n = x[x > 0].shape[0]
    return x.sum() * len(collections.Counter([n, 4]))


def in_a_set(x):
    n = x[x > 0].shape[0]
    return x.sum() * len({n, 4} | frozenset([4, n, 5]))


def added(x):
    n = x[x > 0].shape[0]
    s = set()
    s.add(n)
    s.add(4)
    return x.sum() * len(s & {4, n})


def as_keys(x):
    n = x[x > 0].shape[0]
    return x.sum() * len(dict.fromkeys([n, 4]))


def looked_up(x):
    n = x[x > 0].shape[0]
    return x.sum() * {4: 2.0, 3: 5.0}.get(n, 7.0)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", [counted, in_a_set, added, as_keys, looked_up])
def test_equal_sizes_are_one_element(program, lane):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        for x in (X, -X):
            assert LANES[lane](program)(x) == program(x)


def of_two_structures(x):
    try:
        if x[0] > 5:
            y = jnp.zeros(3)
        else:
            y = (1.0, 2.0)
    except Exception:  # noqa: BLE001
        y = -10.0
    return y


def of_texts(x):
    y = -10.0
    with contextlib.suppress(Exception):
        if x[0] > 5:
            y = "a"
        else:
            y = 1.0
    return y


def of_one_branch(x):
    try:
        if x[0] > 0:
            z = x.sum()
        return z * 1
    except Exception:  # noqa: BLE001
        return jnp.float32(-10)


def of_a_loop(x):
    y = 1.0
    try:
        while x[0] > 5:
            y = "a"
    except (TypeError, ValueError):
        y = -10.0
    return y


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.function(f))])
@pytest.mark.parametrize("f", [of_two_structures, of_texts, of_one_branch, of_a_loop])
def test_what_cannot_be_staged_reaches_no_handler(f, lane):
    with pytest.raises((TypeError, ValueError, shims.errors.UnimplementedError), match="At: "):
        lane(f)(X)


def with_an_error_in_a_loop(x):
    try:
        while shims.reduce_sum(x) > 1:
            x = x - 1.0
            if shims.reduce_min(x) < -4:
                raise ValueError("too low")
        return x
    except ValueError:
        return x * 0


@pytest.mark.parametrize("lane", [shims.function, shims.dynamic])
def test_data_decide_on_a_loop_that_has_an_error_with_a_handler(lane):
    run = lane(with_an_error_in_a_loop)
    for x in (X, X - 4, X * 0 - 9):
        np.testing.assert_array_equal(run(x), with_an_error_in_a_loop(x))
    with pytest.raises(
        shims.errors.FreshSizeError, match=r"raise ValueError[\s\S]*leave the loop with `break`"
    ):
        jax.jit(lane(with_an_error_in_a_loop))(X)

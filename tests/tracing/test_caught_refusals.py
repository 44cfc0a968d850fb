"""A refusal that the traced program catches does not decide its result; the program's own exceptions do."""

import contextlib
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

LANES = {
    "function": shims.function,
    "as written": lambda f: shims.function(f, autograph=False),
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}
DATA = [[1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 2.0, 4.0], [-1.0, -2.0, -3.0, -4.0]]


def reshaped(x):
    try:
        return x[x > 0].reshape(2, -1).sum()
    except Exception:  # noqa: BLE001 - the subject of the test
        return jnp.float32(-1)


def reshaped_and_anything(x):
    try:
        return x[x > 0].reshape(2, -1).sum()
    except:  # noqa: E722 - the subject of the test
        return jnp.float32(-1)


def product(x):
    found = jnp.float32(-1)
    with contextlib.suppress(TypeError):
        found = jnp.dot(x[x > 0], jnp.ones(4))
    return found


def stacked(x):
    try:
        return jnp.stack([x[x > 0], jnp.ones(4)]).sum()
    except ValueError:
        return jnp.float32(-1)


def another_exception(x):
    try:
        return jnp.dot(x[x > 0], jnp.ones(4))
    except TypeError:
        raise ValueError("another size") from None


DECIDED = (reshaped, reshaped_and_anything, product, stacked, another_exception)


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", DECIDED)
def test_a_refusal_is_not_the_programs_own_exception(program, lane):
    run = LANES[lane](program)
    for data in DATA:
        x = jnp.array(data)
        try:
            want = float(program(x))
        except ValueError as error:
            want = str(error)
        if isinstance(want, str) and lane == "jit":
            assert np.isnan(run(x))  # the value of an error there
        elif isinstance(want, str):
            with pytest.raises(ValueError, match=want):
                run(x)
        else:
            assert float(run(x)) == want


@pytest.mark.parametrize("count", [0, 3, 4, 5, 40])
def test_a_size_of_many_numbers_is_compared(count):
    x = jnp.where(jnp.arange(40) < count, 1.0, -1.0)
    assert jax.jit(shims.dynamic(stacked))(x) == stacked(x)


def own_lookup(x):
    try:
        return x * {1: 2.0}[7]
    except KeyError:
        return x * x[x > 0].shape[0]


def own_position(x):
    try:
        return [1.0, 2.0, 3.0][x[x > 0].shape[0]]
    except IndexError:
        return 5.0


def any_position(x):
    try:
        return [1.0, 2.0, 3.0][x[x > 0].shape[0]]
    except:  # noqa: E722 - the subject of the test
        return 5.0


def cleared_in_c(x):
    return len(list(itertools.islice(range(9), x[x > 0].shape[0])))


def of_static_shapes(x):
    try:
        return jnp.ones(3) @ jnp.ones(4)
    except TypeError:
        return x[x > 0].sum()


def a_value_of_the_input(x):
    try:
        return x * float(x[0])
    except jax.errors.ConcretizationTypeError:
        return x * x[0]


ANSWERED = (
    own_lookup,
    own_position,
    any_position,
    cleared_in_c,
    of_static_shapes,
    a_value_of_the_input,
)


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", ANSWERED)
def test_a_handler_runs_where_exact_arrays_raise(program, lane):
    run = LANES[lane](program)
    for data in DATA:
        np.testing.assert_allclose(run(jnp.array(data)), program(jnp.array(data)))


@pytest.mark.parametrize("lane", LANES)
def test_a_value_of_a_selection_is_not_known(lane):
    def program(x):
        try:
            return x[x > 0].tolist()[0]
        except Exception:  # noqa: BLE001 - the subject of the test
            return -1.0

    with pytest.raises(Exception, match=r"tolist\(\)"):
        LANES[lane](program)(jnp.array(DATA[0]))

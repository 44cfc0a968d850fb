"""Python decisions on data-dependent sizes: right for every size, in every lane.

The lanes with data decide by the data of the call. Under a foreign `jax.jit` the program is staged for
both answers.
"""

from __future__ import annotations

import operator
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf
from tests.harness import jax_itself

SELECTIONS = {
    "full": [3.0, 2.0, 1.0, 5.0],
    "some": [3.0, -2.0, 1.0, -5.0],
    "one": [-3.0, -2.0, 1.0, -5.0],
    "none": [-3.0, -2.0, -1.0, -5.0],
}
LANES = {
    "function": lambda f: tf.function(f),
    "as written": lambda f: tf.function(f, autograph=False),
    "dynamic": lambda f: tf.dynamic(f, autograph=False),
    "jit": lambda f: jax.jit(tf.dynamic(f, autograph=False)),
    "converted jit": lambda f: jax.jit(tf.dynamic(f)),
}
NOT_EMPTY = ("full", "some", "one")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def exact(result):
    return jax.tree.map(
        lambda x: np.asarray(x.unpad() if isinstance(x, tf.Padded) else x),
        result,
        is_leaf=lambda x: isinstance(x, tf.Padded),
    )


def check(body, lane, amounts=tuple(SELECTIONS)):
    """Compare a lane with the same function of exact arrays."""
    run = LANES[lane](body)
    for amount in amounts:
        x = np.asarray(SELECTIONS[amount], np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tf.errors.SpecializationWarning)
            got = exact(run(x))
        want = jax.tree.map(np.asarray, body(jnp.asarray(x)))
        assert jax.tree.structure(got) == jax.tree.structure(want)
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
            assert a.shape == b.shape, (lane, amount)
            assert a.dtype == b.dtype, (lane, amount)
            np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name, lane):
    compare = getattr(operator, name)

    def body(x):
        y = x[x > 0]
        out = jnp.float32(0)
        for number in (0, 2, 3):
            if compare(y.shape[0], number):
                out = out * 10 + y.sum()
            else:
                out = out * 10 - 1
        return out

    check(body, lane)


def negative_slice(x):
    y = x[x > 0]
    return y[-1:] * 2, y[:1], y[1:], y[1:-1], y[::-1], jnp.concatenate([y[1:], y[:1]])


def truth(x):
    y = x[x > 0]
    return y.sum() if y.shape[0] else x.sum()


def counted(x):
    y = x[x > 0]
    return jnp.float32(y.shape[0] - 1), jnp.zeros(3) + (y.shape[0] - 2) * 0.5


def of_two_selections(x):
    a, b = x[x > 0], x[x < 0]
    return a.sum() * 10 if a.shape[0] > b.shape[0] else b.sum()


def raises_for_many(x):
    y = x[x > 0]
    if y.shape[0] > 8:
        raise ValueError("too many")
    return y.sum()


def results_of_two_sizes(x):
    y = x[x > 0]
    return y * 2 if y.shape[0] > 1 else jnp.concatenate([y, y, x[:1]])


def divisible(x):
    y = x[x > 0]
    return jnp.packbits(y > 2)


def rolled(x):
    y = x[x > 0]
    return jnp.roll(y, 1)


def guarded_maxima(x):
    y, z = x[x > 0], x[x < 0]
    if y.shape[0] > 0 and z.shape[0] > 0:
        return y.max() - z.min()
    return jnp.float32(0)


def guarded_by_cond(x):
    y = x[x > 0]
    return jax.lax.cond(y.sum() > 0, lambda: y.max(), lambda: jnp.float32(0))


def diagonal(x):
    y = x[x > 0]
    return jnp.diag(y[:, None] * y[None]).sum()


def merged_sizes(x):
    y = x[x > 0]
    return x.sum() * len({y.shape[0], 2})


def emptiness_asked_by_jax(x):
    y = x[x > 0]
    places = jnp.zeros(2, int)
    return jnp.resize(y, 2), jnp.take_along_axis(y, places, 0), jnp.packbits(y > 2)


def numbers_of_turns(x):
    y = jnp.stack([x[x > 0]] * 2)
    return jnp.rot90(x.reshape(1, 4), y.shape[1] % 4).sum(1, keepdims=True), jnp.fft.rfftfreq(
        y.shape[1] + 1
    )


BODIES = (
    emptiness_asked_by_jax,
    numbers_of_turns,
    negative_slice,
    truth,
    counted,
    of_two_selections,
    raises_for_many,
    results_of_two_sizes,
    divisible,
    rolled,
    guarded_maxima,
    diagonal,
)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("body", BODIES, ids=[b.__name__ for b in BODIES])
def test_programs(body, lane):
    check(body, lane)


@pytest.mark.parametrize("lane", LANES)
def test_histograms(lane):
    amounts = tuple(SELECTIONS) if jax_itself.HISTOGRAM_OF_NOTHING else NOT_EMPTY
    check(lambda x: jnp.histogram(x[x > 0], 3), lane, amounts)


@pytest.mark.parametrize("lane", ["function", "dynamic"])
def test_a_step_that_takes_no_unknown_size_gets_the_size_of_the_call(lane):
    check(lambda x: jnp.fft.fft(x[x > 0]).real, lane, ["full", "some", "one", "full"])
    check(lambda x: jax.random.permutation(jax.random.key(0), x[x > 0]), lane)


def _quantiles(y):
    return jnp.nanquantile(y, y / 8)


@pytest.mark.parametrize(
    "body",
    [
        lambda y: jnp.ix_(y)[0],
        lambda y: jnp.take(y, jnp.stack([y, y]).astype(int)),
        _quantiles,
        lambda y: jnp.fft.rfft(y),
    ],
)
def test_nothing_of_another_rank_or_dtype_is_an_error_of_that_call(body):
    """JAX's results of nothing have other types here, or none: a program has results of one type."""
    run = jax.jit(tf.dynamic(lambda x: body(x[x > 0])))
    has_one_type = body is _quantiles and jax_itself.QUANTILES_OF_NOTHING_KEEP_THEIR_SHAPE
    for amount in SELECTIONS if has_one_type else NOT_EMPTY:
        x = np.asarray(SELECTIONS[amount], np.float32)
        np.testing.assert_allclose(exact(run(x)), body(jnp.asarray(x[x > 0])), rtol=1e-5)
    if has_one_type:
        return
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"results for empty data and for nonempty data|has no result",
    ):
        exact(run(np.asarray(SELECTIONS["none"], np.float32)))


@pytest.mark.parametrize("lane", LANES)
def test_a_fill_value_changes_the_dtype_of_positions(lane):
    follows = jax_itself.NO_POSITIONS_HAVE_THE_DTYPE_OF_THE_FILL_VALUE
    check(lambda x: jnp.nonzero(x > 0, fill_value=0.5), lane, SELECTIONS if follows else NOT_EMPTY)
    check(lambda x: jnp.argwhere(x > 0), lane)


def test_a_guard_of_lax_cond():
    """Exact arrays have no maximum of nothing, not even in a branch that is not taken."""
    run = jax.jit(tf.dynamic(guarded_by_cond))
    assert [float(run(jnp.asarray(v))) for v in SELECTIONS.values()] == [5, 3, 1, 0]


def test_equal_sizes_are_one_key():
    for values in SELECTIONS.values():
        x = np.asarray(values, np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tf.errors.SpecializationWarning)
            assert float(tf.function(merged_sizes)(x)) == merged_sizes(x)


def test_the_change_to_constants_is_reported_and_can_be_refused():
    x = np.asarray(SELECTIONS["some"], np.float32)
    zeros = lambda x: jnp.asarray(np.zeros(x[x > 0].shape[0]))
    with pytest.warns(tf.errors.SpecializationWarning, match="data-dependent sizes have become"):
        tf.function(zeros)(x)
    with pytest.raises(tf.errors.SpecializationError, match=r"test_decisions\.py"):
        tf.function(zeros, on_specialize="raise")(x)


def test_gradients_under_a_foreign_jit():
    def body(x):
        y = x[x > 0]
        return (y * y).sum() if y.shape[0] > 2 else (3 * y).sum() if y.shape[0] == 1 else y.sum()

    run = jax.jit(jax.grad(tf.dynamic(body, autograph=False)))
    for values in SELECTIONS.values():
        x = np.asarray(values, np.float32)
        np.testing.assert_allclose(run(x), jax.grad(body)(jnp.asarray(x)))


def test_integers_of_rows_with_different_answers():
    """An integer cannot be NaN: the answer of another row must not raise the error of this one."""

    def body(x):
        y = x[x > 0]
        counts = jnp.histogram(y, 2)[0] if jax_itself.HISTOGRAM_OF_NOTHING else ()
        return y.astype(int)[0] if y.shape[0] > 0 else jnp.argmax(x), counts

    rows = jnp.asarray([SELECTIONS[amount] for amount in SELECTIONS])
    found = jax.jit(jax.vmap(tf.dynamic(body, autograph=False)))(rows)
    for i, row in enumerate(rows):
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(body(row)), strict=True):
            np.testing.assert_array_equal(a[i], b)


def test_a_program_that_fails_for_both_answers_names_the_size():
    def body(x):
        y = x[x > 0]
        if y.shape[0] > 2:
            raise ValueError("too many")
        raise KeyError("too few")

    with pytest.raises(tf.errors.FreshSizeError) as raised:
        jax.jit(tf.dynamic(body, autograph=False))(np.ones(3, np.float32))
    assert "u0" in str(raised.value)
    assert "too many" in str(raised.value)
    assert "test_decisions.py" in str(raised.value)


def test_the_program_that_fails_for_one_answer_is_an_error_value_for_that_answer_only():
    def body(x):
        y = x[x > 0]
        if y.shape[0] == 0:
            raise ValueError("nothing")
        return y.sum()

    run = jax.jit(tf.dynamic(body, autograph=False))
    assert float(run(np.asarray(SELECTIONS["some"], np.float32))) == 4
    assert np.isnan(run(np.asarray(SELECTIONS["none"], np.float32)))


def test_one_program_serves_all_sizes_with_equal_answers():
    @tf.function(autograph=False)
    def run(x):
        y = x[x > 0]
        return y * 2 if y.shape[0] > 2 else y

    for count in (3, 4, 5, 1, 2, 0, 6):
        x = np.where(np.arange(6) < count, 1, -1).astype(np.float32)
        assert run(x).tolist() == [2.0 if count > 2 else 1.0] * count
    assert run.stats().traces == 2


def reshaped(x):
    y = x[x > 0]
    return jnp.float32(0) if y.shape[0] == 0 else (y.reshape(1, -1) * 2).sum()


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("make", [tf.function, tf.dynamic])
def test_an_eager_gradient_decides_by_its_data(make, autograph):
    for values in SELECTIONS.values():
        x = jnp.asarray(values)
        got = jax.grad(make(reshaped, autograph=autograph))(x)
        assert got.tolist() == jax.grad(reshaped)(x).tolist()


def test_a_step_that_cannot_be_staged_is_no_answer():
    def body(x):
        y = x[x > 0]
        return (
            jnp.float32(0)
            if y.shape[0] == 0
            else jax.lax.linalg.hessenberg(jnp.outer(y, y))[0].sum()
        )

    with pytest.raises(tf.errors.UnsupportedPrimitiveError):
        jax.jit(tf.dynamic(body, autograph=False))(np.ones(3, np.float32))


def of_the_largest(x):
    y = x[x > 0]
    if y.shape[0] > 0:
        return jnp.argmax(y)
    return jnp.int32(-1)


@pytest.mark.parametrize("autograph", [True, False])
def test_a_guarded_integer_has_no_error_in_any_row(autograph):
    rows = jnp.asarray([[0.0, -1.0, -2.0], [1.0, 3.0, -1.0], [-1.0, -2.0, -3.0]])
    run = jax.jit(jax.vmap(tf.dynamic(of_the_largest, autograph=autograph)))
    assert run(rows).tolist() == [-1, 1, -1]


def test_an_integer_without_a_value_names_the_line_of_the_operator(caplog):
    run = jax.jit(tf.dynamic(lambda x: jnp.argmax(x[x > 0])))
    with pytest.raises(Exception, match=r"test_decisions\.py:\d+  run = jax.jit\(tf.dynamic"):
        jax.block_until_ready(run(-jnp.ones(3)))
    assert not caplog.records

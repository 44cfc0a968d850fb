"""Stateful random numbers are new whenever a program runs, or a warning says that they are not."""

import os
import re
import subprocess
import sys
import textwrap
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims
from tests.table import cases

from .draws import CALLS, METHODS

BOTH = {**CALLS, **METHODS}
# `seed=None` is no seed of their own: these draw nothing.
DRAW_NOTHING = {"image.stateless_random_saturation", "nn.compute_accidental_hits"}


# Tested at every change; the others belong to `make test-long`.
ALWAYS = {"random.normal", "nn.dropout", "image.sample_distorted_bounding_box", "normal"}


def parameters(names):
    return [n if n in ALWAYS else pytest.param(n, marks=pytest.mark.long) for n in names]


def flat(result):
    return np.concatenate(
        [np.asarray(x, np.float64).ravel() for x in jax.tree.leaves(result)] or [np.zeros(0)]
    )


def as_array(draw):
    """The draw as a function of one array, which is flat whatever the operator returns."""
    return lambda: jnp.concatenate(
        [jnp.ravel(x).astype(jnp.float32) for x in jax.tree.leaves(draw())]
    )


def test_every_operator_with_an_optional_seed_is_among_the_calls():
    named = {row.name for row in cases.operators() if re.search(r"\bseed=(None|0)", row.params)}
    assert named - DRAW_NOTHING <= set(CALLS)


@pytest.mark.parametrize("name", parameters(BOTH))
def test_eager_calls_and_functions_draw_anew(name):
    draw = as_array(BOTH[name])
    function = shims.function(draw, autograph=False)
    for lane in (draw, function):
        assert not np.array_equal(flat(lane()), flat(lane()))


LOOPS = {
    "lax.scan": lambda draw: lax.scan(lambda c, _: (c, draw()), 0, None, length=3)[1],
    "lax.map": lambda draw: lax.map(lambda _: draw(), jnp.arange(3)),
    "lax.fori_loop": lambda draw: lax.fori_loop(
        0, 3, lambda i, rows: rows.at[i].set(draw()), jnp.zeros((3, 4))
    ),
    "lax.while_loop": lambda draw: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1].at[c[0]].set(draw())), (0, jnp.zeros((3, 4)))
    )[1],
    "shims.while_loop": lambda draw: shims.while_loop(
        lambda i, rows: i < jnp.int32(3),
        lambda i, rows: (i + 1, rows.at[i].set(draw())),
        (jnp.int32(0), jnp.zeros((3, 4))),
    )[1],
    "shims.scan": lambda draw: shims.scan(lambda c, _: draw(), jnp.arange(3), jnp.zeros(4)),
    "shims.map_fn": lambda draw: shims.map_fn(lambda _: draw(), jnp.arange(3.0)),
    "lax.cond in lax.scan": lambda draw: lax.scan(
        lambda c, i: (c, lax.cond(i > 5, lambda: draw() * 0, draw)), 0, jnp.arange(3)
    )[1],
    "lax.switch": lambda draw: jnp.stack(
        [lax.switch(jnp.int32(1), [lambda: draw() * 0, draw]) for _ in range(3)]
    ),
    "jax.jit": lambda draw: _called_thrice(jax.jit(draw)),
    "jax.checkpoint": lambda draw: _called_thrice(jax.checkpoint(draw)),
    "jax.grad": lambda draw: _called_thrice(
        lambda: jax.grad(lambda x: jnp.sum(x * draw()))(jnp.ones(4))
    ),
}


def _called_thrice(f):
    return jnp.stack([f(), f(), f()])


def distinct_rows(rows):
    return len({tuple(r) for r in np.asarray(rows).reshape(3, -1).tolist()}) == 3


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    "name", ["random.uniform", pytest.param("uniform", marks=pytest.mark.long)]
)
def test_every_iteration_of_a_function_draws_anew(loop, name):
    draw = as_array(BOTH[name])
    function = shims.function(lambda: LOOPS[loop](draw), autograph=False)
    first, second = np.asarray(function()), np.asarray(function())
    assert distinct_rows(first)
    assert distinct_rows(second)
    assert not np.isin(first, second).any()


@pytest.mark.parametrize("name", parameters(BOTH))
def test_every_operator_draws_anew_in_a_scan_of_a_function(name):
    draw = as_array(BOTH[name])
    if name == "binomial":
        pytest.xfail("the number of blocks depends on the arguments, which are traced in the body")
    function = shims.function(
        lambda: lax.scan(lambda c, _: (c, draw()), 0, None, length=3)[1], autograph=False
    )
    assert distinct_rows(function())


def test_a_condition_that_draws():
    @shims.function(autograph=False)
    def f():
        draw = lambda: shims.random.uniform([])
        return lax.while_loop(lambda c: draw() < 0.9, lambda c: c + 1, 0)

    assert len({int(f()) for _ in range(12)}) > 1


@pytest.mark.parametrize("name", parameters(CALLS))
def test_an_enclosing_jit_warns_once(name):
    frozen = jax.jit(as_array(CALLS[name]))
    with pytest.warns(shims.errors.FrozenRandomWarning) as caught:
        first = frozen()
    assert "Do:       use `shims.function`" in str(caught[0].message)
    assert caught[0].filename == __file__ or caught[0].filename.endswith("draws.py")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(frozen(), first)


@pytest.mark.parametrize("name", parameters(METHODS))
def test_an_enclosing_jit_cannot_keep_a_generator(name):
    with pytest.raises(shims.errors.FailedPreconditionError, match="generator's state"):
        jax.jit(as_array(METHODS[name]))()


FROZEN = {
    "scan": lambda draw: lax.scan(lambda c, _: (c, draw()), 0, None, length=3)[1],
    "jit of dynamic": lambda draw: jax.jit(shims.dynamic(lambda x: x + draw()))(jnp.ones(4)),
    "jit of function": lambda draw: jax.jit(lambda x: x + shims.function(draw)())(jnp.ones(4)),
    "scan in dynamic": lambda draw: shims.dynamic(
        lambda x: lax.scan(lambda c, _: (c, draw()), 0, None, length=3)[1] + x.sum()
    )(jnp.ones(4)),
    "loop of ours in jit": lambda draw: jax.jit(
        lambda n: shims.while_loop(
            lambda i, y: i < n, lambda i, y: (i + 1, y + draw()), (0, jnp.zeros(4))
        )[1]
    )(3),
    "branch of ours in jit": lambda draw: jax.jit(lambda n: shims.cond(n > 1, draw, draw))(3),
}


@pytest.mark.parametrize("program", FROZEN)
def test_other_programs_that_freeze_numbers(program):
    with pytest.warns(shims.errors.FrozenRandomWarning):
        FROZEN[program](as_array(CALLS["random.uniform"]))


NOT_FROZEN = {
    "grad": lambda draw: jax.grad(lambda x: jnp.sum(x * draw()))(jnp.ones(4)),
    "vmap": lambda draw: jax.vmap(lambda x: x + draw())(jnp.ones((2, 4))),
    "dynamic": lambda draw: shims.dynamic(lambda x: x + draw())(jnp.ones(4)),
    "tape": lambda draw: _taped(draw),
    "eager loop": lambda draw: shims.scan(lambda c, _: draw(), jnp.arange(3), jnp.zeros(4)),
}


def _taped(draw):
    x = jnp.ones(4)
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = x * draw()
    return tape.gradient(y, x)


@pytest.mark.parametrize("program", NOT_FROZEN)
def test_programs_that_run_once_do_not_warn(program):
    draw = as_array(CALLS["random.uniform"])
    assert not np.array_equal(NOT_FROZEN[program](draw), NOT_FROZEN[program](draw))


def test_the_remedy_works():
    noisy = jax.jit(lambda x, seed: x + shims.random.stateless_uniform([2], seed))
    assert not np.array_equal(noisy(0.0, jnp.int32([0, 1])), noisy(0.0, jnp.int32([0, 2])))
    function = shims.function(lambda x: x + shims.random.uniform([2]))
    assert not np.array_equal(function(jnp.float32(0)), function(jnp.float32(0)))


IN_KERAS = """
    import warnings
    import jax, keras, numpy as np
    import shims
    from tests.random.draws import CALLS
    warnings.simplefilter("error", shims.errors.FrozenRandomWarning)
    seen = {}

    class Noise(keras.layers.Layer):
        def call(self, x):
            for name in NAMES:
                draw = CALLS[name]
                jax.debug.callback(lambda *a, n=name: seen.setdefault(n, []).append(a), *jax.tree.leaves(draw()))
            loop = shims.while_loop(
                lambda i, y: i < 2 + x.shape[0] * 0, lambda i, y: (i + 1, 10 * y + draw_one()), (0, 0.0)
            )
            jax.debug.callback(lambda a: seen.setdefault("loop", []).append((a,)), loop[1])
            return x

    def draw_one():
        return shims.random.uniform([])

    model = keras.Sequential([keras.Input((3,)), Noise(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((8, 3)), np.ones((8, 1)), batch_size=4, epochs=2, verbose=0)
    jax.effects_barrier()
    for name, steps in seen.items():
        rows = {b"".join(np.asarray(x).tobytes() for x in step) for step in steps}
        print(name, len(steps), len(rows))
"""


@pytest.mark.parametrize(
    "names", [["nn.dropout"], pytest.param([*CALLS], marks=pytest.mark.long)], ids=len
)
def test_every_step_of_keras_draws_anew(names):
    done = subprocess.run(
        [sys.executable, "-c", f"NAMES = {names}\n{textwrap.dedent(IN_KERAS)}"],
        capture_output=True,
        text=True,
        env={**os.environ, "KERAS_BACKEND": "jax", "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0, done.stderr
    counts = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert counts == {key: ["4", "4"] for key in [*names, "loop"]}

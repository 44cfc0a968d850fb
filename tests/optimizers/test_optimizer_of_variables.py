"""`shims.optax.Optimizer`: its state in variables, in functions too; what is refused."""

import importlib.util
import re
import runpy

import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.optimizers import library
from tests.meta import tree

optax = pytest.importorskip("optax", reason="Optax is not installed")

make = shims.optax.Optimizer
GRADIENTS = [np.float32([1.0, -2.0]), np.float32([0.5, 1e-6]), np.float32([-3.0, 0.0])]


def walked(optimizer, gradients=GRADIENTS, start=(1.0, 2.0)):
    variable = shims.Variable(list(start))
    for gradient in gradients:
        optimizer.apply_gradients([(jnp.asarray(gradient), variable)])
    return variable.numpy()


def test_a_function_finds_the_state():
    variable, optimizer = shims.Variable([1.0, 2.0]), make(shims.optax.adam(0.1))

    @shims.function
    def step(rows):
        with shims.GradientTape() as tape:
            loss = shims.reduce_sum(rows * variable)
        optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
        return loss

    batches = [np.stack([g] * n) / n for n, g in enumerate(GRADIENTS, 1)]
    for batch in batches:  # each of a different shape: a trace of its own
        step(jnp.asarray(batch))
    np.testing.assert_allclose(variable, walked(make(shims.optax.adam(0.1))), rtol=1e-6)
    assert int(optimizer.iterations) == 3
    assert [v.dtype.name for v in optimizer.variables] == ["int32"] + ["float32"] * 3


def test_any_transformation_is_taken():
    plain = optax.chain(optax.clip(0.5), optax.adam(0.1))
    values, state = jnp.float32([1.0, 2.0]), plain.init(jnp.float32([1.0, 2.0]))
    for gradient in GRADIENTS:
        changes, state = plain.update(jnp.asarray(gradient), state)
        values = optax.apply_updates(values, changes)
    optimizer = make(plain)
    np.testing.assert_allclose(walked(optimizer), values, rtol=1e-6)
    assert int(optimizer.iterations) == 3
    assert len(optimizer.variables) == 4
    with pytest.raises(AttributeError, match="inject_hyperparams"):
        float(optimizer.learning_rate)


def test_the_rate_of_injected_parameters_can_be_set():
    optimizer = make(optax.inject_hyperparams(optax.sgd)(0.5))
    optimizer.learning_rate = 0.25
    assert float(optimizer.learning_rate) == 0.25
    np.testing.assert_allclose(walked(optimizer, GRADIENTS[:1]), [0.75, 2.5])


@pytest.mark.parametrize("transformation", [optax.sgd(0.1, 0.9), shims.optax.sgd(0.1, 0.9)])
def test_what_has_no_gradient_stays(transformation):
    first, second = shims.Variable([1.0]), shims.Variable([1.0])
    optimizer = make(transformation)
    for gradient in ([1.0], None, [1.0]):
        given = None if gradient is None else jnp.float32(gradient)
        pairs = [(given, first), (jnp.float32([1.0]), second)]
        if given is None:
            with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['Var"):
                optimizer.apply_gradients(pairs)
        else:
            optimizer.apply_gradients(pairs)
    np.testing.assert_allclose(first, [1 - 0.1 - 0.19], rtol=1e-6)
    np.testing.assert_allclose(second, [1 - 0.1 - 0.19 - 0.271], rtol=1e-6)


def test_the_state_is_saved_and_read():
    whole = walked(make(shims.optax.adam(0.1)))
    first, variable = make(shims.optax.adam(0.1)), shims.Variable([1.0, 2.0])
    first.apply_gradients([(jnp.asarray(GRADIENTS[0]), variable)])
    saved = [v.numpy() for v in first.variables]
    other, again = make(shims.optax.adam(0.3)), shims.Variable(variable.read_value())
    other.build([again])
    for kept, value in zip(other.variables, saved, strict=True):
        kept.assign(value)
    for gradient in GRADIENTS[1:]:
        other.apply_gradients([(jnp.asarray(gradient), again)])
    np.testing.assert_allclose(again, whole, rtol=1e-6)
    other.state = first.state
    assert int(other.iterations) == 1
    with pytest.raises(ValueError, match="structure of the given state differs"):
        other.state = make(shims.optax.sgd()).init([again.read_value()])


def test_its_functions_are_pure():
    optimizer = make(shims.optax.sgd(0.5))
    change, state = optimizer.update({"w": jnp.ones(2)}, optimizer.init({"w": jnp.ones(2)}))
    assert change["w"].tolist() == [-0.5, -0.5]
    assert (int(state.count), int(optimizer.iterations)) == (1, 0)


def test_a_rate_may_be_read_at_each_step():
    rate, variable = shims.Variable(0.5), shims.Variable([1.0])
    for given in (rate, lambda: rate * 1.0):
        optimizer = make(shims.optax.gradient_descent_v1(given))
        step = shims.function(lambda o=optimizer: o.apply_gradients([(jnp.ones(1), variable)]))
        for value, result in ((0.5, 0.5), (0.25, 0.25)):
            rate.assign(value)
            step()
            np.testing.assert_allclose(variable, [result])
        variable.assign([1.0])


def test_a_schedule_is_read_and_not_set():
    optimizer = make(shims.optax.sgd(shims.optax.piecewise_constant_decay([1], [0.5, 0.25])))
    variable, seen = shims.Variable([1.0]), []
    for _ in range(3):
        seen.append(float(optimizer.learning_rate))
        optimizer.apply_gradients([(jnp.ones(1), variable)])
    assert seen == [0.5, 0.5, 0.25]
    with pytest.raises(TypeError, match="not settable"):
        optimizer.learning_rate = 0.1
    with pytest.raises(TypeError, match="no function"):
        make(shims.optax.sgd(0.1)).learning_rate = lambda count: 0.1


def test_version_1_takes_more_variables():
    first, second = shims.Variable([1.0]), shims.Variable([2.0])
    optimizer = make(shims.optax.momentum_v1(0.1, 0.9))
    optimizer.apply_gradients([(jnp.ones(1), first)])
    optimizer.apply_gradients([(jnp.ones(1), second), (jnp.ones(1), first)])
    np.testing.assert_allclose([first[0], second[0]], [1 - 0.1 - 0.19, 1.9], rtol=1e-6)


def test_a_loss_is_minimized():
    variable, step = shims.Variable([3.0]), shims.Variable(0)
    optimizer = make(shims.optax.gradient_descent_v1(0.25))
    optimizer.minimize(lambda: variable * variable, global_step=step)
    optimizer.minimize(lambda: variable * variable, var_list=lambda: [variable])
    with shims.GradientTape() as tape:
        loss = variable * variable
    optimizer.minimize(loss, [variable], tape=tape)
    np.testing.assert_allclose(variable, [3.0 / 8])
    assert (int(step), int(optimizer.iterations)) == (1, 3)
    ((gradient, of),) = optimizer.compute_gradients(
        lambda: variable * 1.0, [variable], grad_loss=jnp.float32([5.0])
    )
    assert (gradient.tolist(), of is variable) == ([5.0], True)


def test_constraints_are_applied():
    variable = shims.Variable([1.0, 2.0], constraint=lambda x: jnp.maximum(x, 0.9))
    make(shims.optax.sgd(1.0)).apply([jnp.float32([1.0, 0.5])], [variable])
    np.testing.assert_allclose(variable, [0.9, 1.5])


def _built():
    optimizer = make(shims.optax.adam())
    optimizer.build([shims.Variable([1.0])])
    return optimizer


V = shims.Variable([1.0])
REFUSED = {
    "no transformation": (lambda: make(0.1), TypeError, "not an Optax transformation"),
    "nothing": (lambda: make(optax.sgd(0.1)).apply_gradients([]), ValueError, "No variables"),
    "no gradient": (
        lambda: make(optax.sgd(0.1)).apply_gradients([(None, V)]),
        ValueError,
        "No gradients provided",
    ),
    "twice": (
        lambda: make(optax.sgd(0.1)).apply_gradients([(jnp.ones(1), V)] * 2),
        ValueError,
        "twice",
    ),
    "an array": (
        lambda: make(optax.sgd(0.1)).apply_gradients([(jnp.ones(1), jnp.ones(1))]),
        TypeError,
        "of `shims` and of Keras",
    ),
    "another variable": (lambda: _built().build([V]), ValueError, "Unknown variable"),
    "another number": (lambda: _built().apply([jnp.ones(1)] * 2), ValueError, "2 gradients"),
    "no state": (lambda: make(shims.optax.adam()).state, ValueError, "no state yet"),
    "no tape": (lambda: _built().minimize(jnp.ones(1), [V]), ValueError, "`tape` is required"),
    "no parameters": (
        lambda: shims.optax.ftrl().update(jnp.ones(1), shims.optax.ftrl().init(jnp.ones(1))),
        ValueError,
        "needs the values of the parameters",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    attempt, error, text = REFUSED[case]
    with pytest.raises(error, match=text):
        attempt()


def test_without_optax_the_way_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install optax"):
        library.load()


def test_the_page_runs(tmp_path):
    page = (tree.ROOT / "docs" / "optimizers.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    plain = [block for block in blocks if "keras" not in block]
    assert len(plain) == 4
    script = tmp_path / "page.py"  # a file, because control flow is read from there
    script.write_text("\n".join(plain[:3]))
    end = runpy.run_path(str(script))
    assert [v.numpy().tolist() for v in end["other"].variables] == [
        v.numpy().tolist() for v in end["optimizer"].variables
    ]
    script.write_text(plain[3])
    runpy.run_path(str(script))

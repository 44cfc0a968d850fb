"""A training step over variables, with an optimizer of Optax, and values that go to and from a file.

The model is written as in TensorFlow: variables in a module, a tape around the loss. Gradients and
values are pytrees for Optax; what it gives is added to the variables, and its own state is a pytree
that the step takes and returns.
"""

from __future__ import annotations

import jax
import numpy as np
import optax

import shims


class Linear(shims.Module):
    """`x @ w + b`, and how many steps it has been trained for."""

    def __init__(self, width: int):
        super().__init__()
        with self.name_scope:
            self.w = shims.Variable(shims.ones([width, 1]) / width, name="w")
            self.b = shims.Variable(shims.zeros([1]), name="b")
            self.steps = shims.Variable(0, trainable=False, name="steps")

    def __call__(self, x):
        """The prediction for each row of `x`."""
        return shims.matmul(x, self.w) + self.b


def values_of(variables) -> dict[str, jax.Array]:
    """The values of variables by name: a pytree for Optax, `jax.grad`, or an archive."""
    return {v.name.removesuffix(":0"): v.read_value() for v in variables}


def assign_values(variables, values) -> None:
    """Give variables the values of a tree such as `values_of` returns."""
    for v in variables:
        v.assign(values[v.name.removesuffix(":0")])


def make_step(model: Linear, optimizer: optax.GradientTransformation):
    """A compiled `step(x, y, state) -> (loss, state)` for batches of any size, and the first state."""
    variables = model.trainable_variables
    state = optimizer.init(values_of(variables))
    of_state = jax.tree.map(lambda x: shims.TensorSpec(x.shape, x.dtype), state)
    width = model.w.shape[0]

    @shims.function(
        input_signature=[shims.TensorSpec(["n", width]), shims.TensorSpec(["n", 1]), of_state]
    )
    def step(x, y, state):
        with shims.GradientTape() as tape:
            kept = shims.reduce_any(x > 0, axis=1)  # how many rows are left depends on the data
            error = shims.boolean_mask(model(x) - y, kept)
            loss = shims.reduce_mean(error * error)
        values = values_of(variables)
        gradients = dict(zip(values, tape.gradient(loss, variables), strict=True))
        updates, state = optimizer.update(gradients, state, values)
        assign_values(variables, optax.apply_updates(values, updates))
        model.steps.assign_add(1)
        return loss, state

    return step, state


def save(path, module: shims.Module) -> None:
    """Write the values of a module's variables as a NumPy archive."""
    np.savez(path, **{name: np.asarray(x) for name, x in values_of(module.variables).items()})


def load(path, module: shims.Module) -> None:
    """Read what `save` wrote."""
    with np.load(path) as archive:
        assign_values(module.variables, archive)

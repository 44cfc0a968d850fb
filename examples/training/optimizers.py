"""Training as a function of pytrees, with Optax and TensorFlow's numbers.

`shims.optax` has a function for each optimizer and each schedule of TensorFlow. Each gives what Optax
gives: a transformation, which `optax.chain` takes and `jax.jit` compiles.
"""

from __future__ import annotations

import jax
import optax

from shims.optax import adam, exponential_decay


def make_step(loss, optimizer: optax.GradientTransformation):
    """A compiled `step(params, state, *data) -> (params, state, loss)`."""

    @jax.jit
    def step(params, state, *data):
        value, gradients = jax.value_and_grad(loss)(params, *data)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    return step


def fit(loss, params, batches, optimizer=None):
    """Makes a step for each batch.

    Args:
      loss: a function of the parameters and of what a batch holds, with a scalar result.
      params: a pytree of arrays.
      batches: tuples of arrays.
      optimizer: a transformation; `tf.keras.optimizers.Adam` with a falling rate unless given.

    Returns:
      The parameters after the last step, and the loss of each batch before its step.
    """
    optimizer = adam(exponential_decay(0.1, 10, 0.5)) if optimizer is None else optimizer
    step, state = make_step(loss, optimizer), optimizer.init(params)
    losses = []
    for batch in batches:
        params, state, value = step(params, state, *batch)
        losses.append(float(value))
    return params, losses

"""Define the hand-written table rows of `tf.keras`: schedules, reductions and the old back end."""

from __future__ import annotations

from tf2jax_port.table import keras_backend
from tf2jax_port.table.row import Native, Row, Shim

# Reductions of version 1, whose losses are not part of Keras.
_REDUCTIONS = (
    ("NONE", "none"),
    ("SUM", "weighted_sum"),
    ("MEAN", "weighted_mean"),
    ("SUM_OVER_BATCH_SIZE", "weighted_sum_over_batch_size"),
    ("SUM_BY_NONZERO_WEIGHTS", "weighted_sum_by_nonzero_weights"),
    ("SUM_OVER_NONZERO_WEIGHTS", "weighted_sum_by_nonzero_weights"),
)
_NOW = "the new function returns the learning rate at once, while TensorFlow 1 returns a tensor or a function"
_STEP = "learning_rate, global_step, decay_steps"


def _schedule(name: str, params: str, made: str) -> Row:
    """Build the table row of a TensorFlow 1 learning-rate decay, which a Keras schedule replaces."""
    call = "{x}" if params.startswith("x,") else "{global_step}"
    target = Native(f"keras.optimizers.schedules.{made}({call})")
    return Row(f"train.{name}", f"{params}, name=None", target, differs=_NOW)


_SCHEDULES = (
    _schedule(
        "exponential_decay",
        f"{_STEP}, decay_rate, staircase=False",
        "ExponentialDecay({learning_rate}, {decay_steps}, {decay_rate}, staircase={staircase})",
    ),
    _schedule(
        "inverse_time_decay",
        f"{_STEP}, decay_rate, staircase=False",
        "InverseTimeDecay({learning_rate}, {decay_steps}, {decay_rate}, staircase={staircase})",
    ),
    _schedule(
        "polynomial_decay",
        f"{_STEP}, end_learning_rate=0.0001, power=1.0, cycle=False",
        "PolynomialDecay({learning_rate}, {decay_steps}, {end_learning_rate}, power={power}, "
        "cycle={cycle})",
    ),
    _schedule(
        "cosine_decay",
        f"{_STEP}, alpha=0.0",
        "CosineDecay({learning_rate}, {decay_steps}, alpha={alpha})",
    ),
    *(
        _schedule(name, "x, boundaries, values", "PiecewiseConstantDecay({boundaries}, {values})")
        for name in ("piecewise_constant", "piecewise_constant_decay")
    ),
)
ROWS: tuple[Row, ...] = (
    Row("keras.__version__", None, Shim("keras.__version__")),
    Row("keras.losses.Reduction", None, Native("str")),
    Row("keras.losses.Reduction.AUTO", None, Native("'sum_over_batch_size'")),
    Row("keras.losses.Reduction.NONE", None, Native("'none'")),
    Row("keras.losses.Reduction.SUM", None, Native("'sum'")),
    Row("keras.losses.Reduction.SUM_OVER_BATCH_SIZE", None, Native("'sum_over_batch_size'")),
    *(Row(f"losses.Reduction.{name}", None, Native(repr(value))) for name, value in _REDUCTIONS),
    *_SCHEDULES,
    *keras_backend.ROWS,
)

"""Spell losses, with Optax where it has them, and learning rates that decay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import SUM, Expression, as_expression, text_of, value_of
from tf2jax_port.exporting.rules.spelling import fill
from tf2jax_port.importing.rule import UnsupportedError

_BY_NONZERO = ("weighted_sum_by_nonzero_weights", "weighted_sum_over_nonzero_weights")


def _sparse_entropy(call: Any, labels: Any, logits: Any) -> Expression:
    return fill("optax.softmax_cross_entropy_with_integer_labels({0}, {1})", logits, labels)


def _entropy(call: Any, labels: Any, logits: Any, axis: Any = -1) -> Expression:
    if value_of(axis) not in (-1, (as_expression(logits).rank or 0) - 1):
        raise UnsupportedError("the axis of the classes is not the last axis")
    return fill("optax.softmax_cross_entropy({0}, {1})", logits, labels)


def _entropy_of_constants(call: Any, labels: Any, logits: Any, axis: Any = -1) -> Expression:
    return _entropy(
        call,
        fill("lax.stop_gradient({0})", labels) if _is_computed(labels) else labels,
        logits,
        axis,
    )


def _is_computed(labels: Any) -> bool:
    return not as_expression(labels).is_name


def _sigmoid_entropy(call: Any, labels: Any = None, logits: Any = None) -> Expression:
    return fill(call.helper("sigmoid_cross_entropy") + "({0}, {1})", logits, labels)


def _poisson(call: Any, targets: Any, log_input: Any, compute_full_loss: Any = False) -> Expression:
    if compute_full_loss:
        raise UnsupportedError("`compute_full_loss` has no rule")
    return fill(call.helper("log_poisson_loss") + "({0}, {1})", targets, log_input)


def _weighted(losses: Callable[..., Expression]) -> Callable[..., Expression]:
    """Return the rule of a loss of `tf.losses`: weighted, then summed or averaged."""

    def rule(
        call: Any,
        *given: Any,
        weights: Any = 1.0,
        reduction: Any = _BY_NONZERO[0],
        **arguments: Any,
    ) -> Expression:
        for ignored in ("scope", "loss_collection"):
            arguments.pop(ignored, None)
        found = losses(call, *given, **arguments)
        factor = as_expression(weights)
        if reduction == "none":
            return fill("{0:p} * {1:u}", found, factor, level=5)
        if reduction not in (*_BY_NONZERO, "weighted_sum", "weighted_sum_over_batch_size"):
            raise UnsupportedError(f"the reduction {reduction} has no rule")
        if factor.is_static and factor.text in ("1", "1.0"):
            how = "jnp.sum" if reduction == "weighted_sum" else "jnp.mean"
            return fill(how + "({0})", found)
        if reduction in _BY_NONZERO:
            return fill(call.helper("weighted_mean") + "({0}, {1})", found, factor)
        how = "jnp.sum" if reduction == "weighted_sum" else "jnp.mean"
        return fill(how + "({0:p} * {1:u})", found, factor)

    return rule


def _squared(call: Any, labels: Any, predictions: Any) -> Expression:
    return fill("({0:s} - {1:p})**2", predictions, labels, level=7)


def _absolute(call: Any, labels: Any, predictions: Any) -> Expression:
    return fill("jnp.abs({0:s} - {1:p})", predictions, labels)


def _huber(call: Any, labels: Any, predictions: Any, delta: Any = 1.0) -> Expression:
    options = "" if value_of(delta) == 1 else ", delta={2}"
    return fill("optax.huber_loss({0}, {1}" + options + ")", predictions, labels, delta)


def _softmax_loss(
    call: Any, onehot_labels: Any, logits: Any, label_smoothing: Any = 0
) -> Expression:
    if label_smoothing:
        onehot_labels = fill("optax.smooth_labels({0}, {1})", onehot_labels, label_smoothing)
    return _entropy(call, onehot_labels, logits)


def _sigmoid_loss(
    call: Any, multi_class_labels: Any, logits: Any, label_smoothing: Any = 0
) -> Expression:
    if label_smoothing:
        raise UnsupportedError("`label_smoothing` has no rule here")
    return _sigmoid_entropy(call, multi_class_labels, logits)


def _log_loss(call: Any, labels: Any, predictions: Any, epsilon: Any = 1e-7) -> Expression:
    p, y = call.named(predictions), call.named(labels)
    e = text_of(epsilon)
    return Expression(f"-{y} * jnp.log({p} + {e}) - (1 - {y}) * jnp.log(1 - {p} + {e})", SUM)


# ---- learning rates ------------------------------------------------------------------------------


def _exponential(
    call: Any, rate: Any, step: Any, decay_steps: Any, decay_rate: Any, staircase: Any = False
) -> Expression:
    done = fill("{0:p} / {1:u}", step, decay_steps, level=5)
    if staircase:
        done = fill("jnp.floor({0})", done)
    return fill("{0:p} * {1:a} ** {2:a}", rate, decay_rate, done, level=5)


def _polynomial(
    call: Any, rate: Any, step: Any, decay_steps: Any, end: Any, power: Any
) -> Expression:
    if call.captured("cycle"):
        raise UnsupportedError("a polynomial decay that repeats has no rule")
    left = "(1 - jnp.minimum({1}, {2}) / {2:u})"
    left += "" if value_of(power) == 1 else " ** {4:a}"
    base = "{0:u}" if value_of(end) == 0 else "({0:s} - {3:p})"
    tail = "" if value_of(end) == 0 else " + {3:p}"
    return fill(
        base + " * " + left + tail, rate, step, decay_steps, end, power, level=SUM if tail else 5
    )


def _piecewise(call: Any, x: Any, boundaries: Any, values: Any) -> Expression:
    limits = fill("jnp.searchsorted(jnp.array({1}), {0})", x, boundaries)
    return fill("jnp.array({0})[{1}]", values, limits)


def _cosine(call: Any, rate: Any, step: Any, decay_steps: Any, alpha: Any) -> Expression:
    text = "{0:p} * ((1 - {3}) * 0.5 * (1 + jnp.cos(jnp.pi * jnp.minimum({1}, {2}) / {2:u})) + {3})"
    return fill(text, rate, step, decay_steps, alpha, level=5)


_RATES = "shims._src.v1.train.learning_rate_decay."
_LOSSES = "shims._src.nn.weighted_losses."

RULES: dict[str, Callable[..., Any]] = {
    "shims.nn.sparse_softmax_cross_entropy_with_logits": _sparse_entropy,
    "shims.nn.softmax_cross_entropy_with_logits": _entropy,
    "shims._src.v1.ops.softmax_losses._loss_with_constant_labels": _entropy_of_constants,
    "shims.nn.sigmoid_cross_entropy_with_logits": _sigmoid_entropy,
    "shims.nn.log_poisson_loss": _poisson,
    _LOSSES + "sparse_softmax_cross_entropy": _weighted(_sparse_entropy),
    _LOSSES + "softmax_cross_entropy": _weighted(_softmax_loss),
    _LOSSES + "sigmoid_cross_entropy": _weighted(_sigmoid_loss),
    _LOSSES + "mean_squared_error": _weighted(_squared),
    _LOSSES + "absolute_difference": _weighted(_absolute),
    _LOSSES + "huber_loss": _weighted(_huber),
    _LOSSES + "log_loss": _weighted(_log_loss),
    _LOSSES + "compute_weighted_loss": _weighted(lambda call, losses: as_expression(losses)),
    _RATES + "_exponential": _exponential,
    _RATES + "polynomial_decay.<locals>.f": _polynomial,
    _RATES + "piecewise_constant.<locals>.f": _piecewise,
    _RATES + "cosine_decay.<locals>.f": _cosine,
}

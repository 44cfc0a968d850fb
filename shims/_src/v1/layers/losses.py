"""Provide `tf.losses` for graphs; each loss is also added to a collection."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import shims
from shims._src.nn import weighted_losses
from shims._src.v1.graph.conversion import constant
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.variables.variables import GraphKeys

_add_n = deferred(shims.add_n, "add_n")
# The type of the last operation of a loss, by its reduction.
_LAST = {weighted_losses.NONE: "Mul", weighted_losses.SUM: "Sum"}


class Reduction:
    """The methods of reducing per-example losses to one loss.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/Reduction
    """

    __module__ = "shims.compat.v1.losses"
    NONE = weighted_losses.NONE
    SUM = weighted_losses.SUM
    SUM_OVER_BATCH_SIZE = weighted_losses.OVER_BATCH
    MEAN = weighted_losses.MEAN
    SUM_BY_NONZERO_WEIGHTS = weighted_losses.BY_NONZERO
    SUM_OVER_NONZERO_WEIGHTS = weighted_losses.OVER_NONZERO

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all reductions."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key) -> None:
        """Raise `ValueError` unless `key` is a valid reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of ({cls.all()}).")


def _collect_loss(f: Callable, scope_name: str) -> Callable:
    """Wrap a loss function: a call opens a name scope and adds the loss to a collection."""
    signature = inspect.signature(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        if executing_eagerly():
            return f(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        scope, collection = arguments.pop("scope"), arguments.pop("loss_collection")
        last = _LAST.get(arguments["reduction"], "value")
        graph = get_default_graph()
        with graph.name_scope(scope or scope_name):
            loss = operation_of(
                f, (), arguments, public=f"losses.{f.__name__}", name=last, type_="DivNoNan"
            )
        add_loss(loss, collection)
        return loss

    return call


absolute_difference = _collect_loss(weighted_losses.absolute_difference, "absolute_difference")
compute_weighted_loss = _collect_loss(weighted_losses.compute_weighted_loss, "weighted_loss")
cosine_distance = _collect_loss(weighted_losses.cosine_distance, "cosine_distance_loss")
hinge_loss = _collect_loss(weighted_losses.hinge_loss, "hinge_loss")
huber_loss = _collect_loss(weighted_losses.huber_loss, "huber_loss")
log_loss = _collect_loss(weighted_losses.log_loss, "log_loss")
mean_squared_error = _collect_loss(weighted_losses.mean_squared_error, "mean_squared_error")
sigmoid_cross_entropy = _collect_loss(
    weighted_losses.sigmoid_cross_entropy, "sigmoid_cross_entropy_loss"
)
softmax_cross_entropy = _collect_loss(
    weighted_losses.softmax_cross_entropy, "softmax_cross_entropy_loss"
)
sparse_softmax_cross_entropy = _collect_loss(
    weighted_losses.sparse_softmax_cross_entropy, "sparse_softmax_cross_entropy_loss"
)


def add_loss(loss, loss_collection=GraphKeys.LOSSES) -> None:
    """Add a loss to a collection.

    Args:
      loss: a tensor.
      loss_collection: the collection; `None` for none.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/add_loss
    """
    if loss_collection and not executing_eagerly():
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES) -> list:
    """Return the losses of a collection.

    Args:
      scope: a regular expression that the beginning of a name must match.
      loss_collection: the collection.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/get_losses
    """
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope=None) -> list:
    """Return the losses of the regularizers of variables.

    Args:
      scope: a regular expression that the beginning of a name must match.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/get_regularization_losses
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """Sum the losses of the regularizers of variables.

    Args:
      scope: a regular expression that the beginning of a name must match.
      name: the name of the sum.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/get_regularization_loss
    """
    losses = get_regularization_losses(scope)
    return _add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """Sum all losses.

    Args:
      add_regularization_losses: whether to include the regularization losses.
      name: the name of the sum.
      scope: a regular expression that the beginning of a name must match.

    Raises:
      ValueError: there are no losses.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/get_total_loss
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    if not losses:
        raise ValueError("add_n: `inputs` must be a list of at least one Tensor: no loss was added")
    return _add_n(losses, name=name)

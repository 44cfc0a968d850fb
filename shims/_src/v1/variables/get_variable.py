"""Provide `get_variable`, which returns a variable of the current scope and creates it if needed."""

from __future__ import annotations

from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.variables.variable_scope import open_scopes
from shims._src.v1.variables.variables import GraphKeys


def get_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=None,
    aggregation=None,
):
    """Return the variable called `name` in the current variable scope, and create it if it does not exist.

    Args:
      name: the name, relative to the scope.
      shape: the shape; omit it if `initializer` is a tensor or numbers.
      dtype: the dtype. `None` stands for the dtype of the scope, which is float32 by default.
      initializer: a function of shape and dtype, a function without arguments, an initializer
        class, a tensor, or numbers. If `None`, the initializer of the scope, or else
        `glorot_uniform_initializer` (zeros for integers and bools).
      regularizer: a function of the variable that returns a loss for `REGULARIZATION_LOSSES`.
      trainable: whether to add the variable to the collection of trainable variables.
      collections: the collections to add the variable to; the collection of global variables when
        `None`.
      caching_device: accepted and ignored.
      partitioner: a function of shape and dtype that returns the number of parts per axis.
      validate_shape: whether the variable has the static shape of its initial value.
      use_resource: whether to create a resource variable, each read of which is an operation.
      custom_getter: a function that is called with `getter` and all arguments.
      constraint: a function that optimizers apply after an update.
      synchronization: accepted and ignored; there is one copy.
      aggregation: accepted and ignored; there is one copy.

    Returns:
      A variable, or a `PartitionedVariable`.

    Raises:
      ValueError: `reuse` requires a new variable, but the variable exists, or the reverse; or an
        existing variable has a different shape or dtype; or neither shape nor initializer is given.
      RuntimeError: eager execution is on.

    Differs from TensorFlow:
      Nothing in a graph. Eager execution is not supported.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
      ...     session.run(w.initializer)
      ...     print(session.run(w))
      [1. 1.]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_variable
    """
    if executing_eagerly():
        raise RuntimeError(
            "tf.get_variable() needs a graph: call tf.disable_v2_behavior() first, or open "
            "`with tf.Graph().as_default():`."
        )
    scopes = open_scopes()
    return scopes.current.get_variable(
        scopes.store,
        name,
        custom_getter=custom_getter,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        reuse=None,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(*args, **kwargs):
    """Return a local, non-trainable variable; see `get_variable`.

    Args:
      *args: the arguments of `get_variable`.
      **kwargs: the keyword arguments of `get_variable`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_local_variable
    """
    kwargs["trainable"] = False
    kwargs["collections"] = [*kwargs.get("collections", ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(*args, **kwargs)

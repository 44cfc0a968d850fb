"""`get_variable`: a variable by its name in the open variable scope."""

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
    """The variable of a name in the open variable scope: a new one, or the one that is there.

    Args:
      name: its name behind that of the scope.
      shape: its shape; not given where `initializer` is a tensor or numbers.
      dtype: its dtype; that of the scope, float32 mostly, if `None`.
      initializer: a function of shape and dtype, a function of nothing, a class of such
        functions, a tensor, or numbers; that of the scope if `None`, and
        `glorot_uniform_initializer` (zeros for integers and bools) without one.
      regularizer: a function of the variable that gives a loss for `REGULARIZATION_LOSSES`.
      trainable: whether it goes to the collection of trainable variables.
      collections: the collections that it goes to; that of global variables if `None`.
      caching_device: accepted.
      partitioner: a function of shape and dtype that gives the number of parts per axis.
      validate_shape: whether its shape is that of the initial value.
      use_resource: whether each read is an operation of its own.
      custom_getter: a function that is called with `getter` and all arguments.
      constraint: a function that optimizers apply after an update.
      synchronization: accepted; there is one copy.
      aggregation: accepted; there is one copy.

    Returns:
      A variable, or a `PartitionedVariable`.

    Raises:
      ValueError: the variable is there and must not be, or the reverse; it has another shape or
        dtype; there is neither shape nor initializer.
      RuntimeError: eager execution is on.

    Differs from TensorFlow:
      Nothing in a graph. Eagerly there are no variables by name.

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
    """`get_variable` of a local variable, which is not trainable.

    Args:
      *args: the arguments of `get_variable`.
      **kwargs: the same.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_local_variable
    """
    kwargs["trainable"] = False
    kwargs["collections"] = [*kwargs.get("collections", ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(*args, **kwargs)

"""Create variables as `contrib.framework` does; model variables have their own collection."""

from __future__ import annotations

import functools

from shims._src.v1.contrib.arg_scope import add_arg_scope
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.variable_scope import get_variable_scope
from shims._src.v1.variables.variables import GraphKeys


@add_arg_scope
def variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    caching_device=None,
    device=None,
    partitioner=None,
    custom_getter=None,
    use_resource=None,
    synchronization=None,
    aggregation=None,
):
    """Create a variable with `get_variable`; `arg_scope` can set defaults of the arguments.

    Args:
      name: the name of the variable in the scope.
      shape: the shape of the variable.
      dtype: the dtype of the variable.
      initializer: the initializer of the variable.
      regularizer: a function from the variable to a loss.
      trainable: whether optimizers update the variable.
      collections: the collections to which the variable is added.
      caching_device: accepted and ignored.
      device: accepted and ignored.
      partitioner: a function that returns the number of partitions per axis.
      custom_getter: a function to call instead of `get_variable`.
      use_resource: whether each read is a separate operation.
      synchronization: accepted and ignored; there is one copy.
      aggregation: accepted and ignored; there is one copy.
    """
    del device, synchronization, aggregation
    chosen = list(dict.fromkeys([*(collections or [GraphKeys.GLOBAL_VARIABLES])]))
    getter = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    return getter(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=chosen,
        caching_device=caching_device,
        partitioner=partitioner,
        use_resource=use_resource,
    )


@add_arg_scope
def model_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    caching_device=None,
    device=None,
    partitioner=None,
    custom_getter=None,
    use_resource=None,
    synchronization=None,
    aggregation=None,
):
    """Create a variable by `variable` and add it to the collection of model variables.

    Args:
      name: the name of the variable in the scope.
      shape: the shape of the variable.
      dtype: the dtype of the variable.
      initializer: the initializer of the variable.
      regularizer: a function from the variable to a loss.
      trainable: whether optimizers update the variable.
      collections: the collections to which the variable is added.
      caching_device: accepted and ignored.
      device: accepted and ignored.
      partitioner: a function that returns the number of partitions per axis.
      custom_getter: a function to call instead of `get_variable`.
      use_resource: whether each read is a separate operation.
      synchronization: accepted and ignored; there is one copy.
      aggregation: accepted and ignored; there is one copy.
    """
    wanted = [*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=wanted,
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )

"""Provide functions that list variables of a graph and create operations to initialize them."""

from __future__ import annotations

import numpy as np

from shims._src.types.dtypes import int32, string
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group, no_op
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


def global_variables(scope=None) -> list:
    """Return the global variables, which checkpoints contain.

    Args:
      scope: a regular expression that must match the beginning of the names.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [2])
      ...     print([v.name for v in tf.global_variables()])
      ['w:0']

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/global_variables
    """
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def local_variables(scope=None) -> list:
    """Return the local variables of the process, mostly counters of metrics.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/local_variables
    """
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope=None) -> list:
    """Return the variables that optimizers train.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [2])
      ...     print([v.name for v in tf.trainable_variables()])
      ['w:0']

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/trainable_variables
    """
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope=None) -> list:
    """Return the variables of the model, without the variables that are used only for training.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/model_variables
    """
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope=None) -> list:
    """Return the variables that have a moving average.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/moving_average_variables
    """
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list, name="init") -> Operation:
    """Create an operation that assigns variables their initial values.

    Args:
      var_list: the variables.
      name: the name of the operation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variables_initializer
    """
    if not var_list:
        return no_op(name=name)
    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Operation:
    """Create an operation that initializes all global variables.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     v = tf.get_variable("v", [], initializer=tf.constant_initializer(3.0))
      ...     session.run(tf.global_variables_initializer())
      ...     print(session.run(v))
      3.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/global_variables_initializer
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """Create an operation that initializes all local variables.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     mean, update = tf.metrics.mean([1.0, 3.0])
      ...     session.run(tf.local_variables_initializer())
      ...     print(session.run(update))
      2.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/local_variables_initializer
    """
    return variables_initializer(local_variables())


initialize_variables = variables_initializer
initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer


def is_variable_initialized(variable: GraphVariable) -> Tensor:
    """Return a bool tensor: whether a variable is initialized.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/is_variable_initialized
    """
    return variable.is_initialized()


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables") -> Tensor:
    """Return the names of the variables that have no value.

    Args:
      var_list: the variables; all global and local variables when `None`.
      name: the name of the operation.

    Returns:
      A tensor of strings, one per uninitialized variable.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/report_uninitialized_variables
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)

    def compute(session, op, values):
        del op, values
        missing = [v.op.name.encode() for v in variables if v not in session.values]
        found = np.empty(len(missing), object)
        found[:] = missing
        return [found]

    graph = get_default_graph()
    with graph.name_scope(name):
        op = Operation(
            graph,
            "Reshape",
            graph.unique_name("boolean_mask/GatherV2" if variables else "Const"),
            compute,
            (),
            [((None,) if variables else (0,), string)],
            graph.present_control_inputs(),
        )
    op.on_host = True
    op.links = (frozenset(),)
    return op.outputs[0]


def assert_variables_initialized(var_list=None) -> Tensor | None:
    """Create an operation that fails if a variable has no value.

    Args:
      var_list: the variables; all global and local variables when `None`.

    Returns:
      A tensor to run, or `None` if there are no variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/assert_variables_initialized
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not variables:
        return None

    def compute(run, op, values):
        del values
        for variable in variables:
            run.read(variable, op)
        return [np.int32(ranks[0] if len(ranks) == 1 else ranks)]

    ranks = [v.shape.rank or 0 for v in variables]
    graph = get_default_graph()
    op = Operation(
        graph,
        "Rank",
        graph.unique_name("Rank"),
        compute,
        (),
        [(() if len(ranks) == 1 else (len(ranks),), int32)],
        graph.present_control_inputs(),
    )
    op.attributes["variables"] = tuple(variables)
    op.links = (frozenset(),)
    return op.outputs[0]

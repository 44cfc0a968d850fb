"""Switch between the behaviors of TensorFlow 1 and 2, and keep the stack of open graphs."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

from shims._src.platform.thread_state import ThreadStack
from shims._src.random import streams
from shims._src.recording import contexts


@dataclasses.dataclass
class Modes:
    """Global behavior switches.

    Attributes:
      eager: whether operators run eagerly when no graph is open.
      tensor_shape_v2: whether shapes contain numbers and `None` instead of `Dimension`s.
      resource_variables: whether variables are resource variables, for which each read is an
        operation.
      tensor_equality: whether `==` compares the elements of tensors.
      control_flow_v2: whether branches and loops are named as in TensorFlow 2.
    """

    eager: bool = True
    tensor_shape_v2: bool = True
    resource_variables: bool = True
    tensor_equality: bool = True
    control_flow_v2: bool = True


MODES = Modes()


# The graphs of the open blocks; `None` stands for an eager block.
_GRAPHS: ThreadStack[Any] = ThreadStack()


def disable_v2_behavior():
    """Switch to the behavior of TensorFlow 1: graphs, `Dimension`s, reference variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/disable_v2_behavior
    """
    MODES.eager = MODES.tensor_shape_v2 = MODES.resource_variables = False
    MODES.tensor_equality = MODES.control_flow_v2 = False


def enable_v2_behavior():
    """Switch to the behavior of TensorFlow 2."""
    MODES.eager = MODES.tensor_shape_v2 = MODES.resource_variables = True
    MODES.tensor_equality = MODES.control_flow_v2 = True


def disable_eager_execution():
    """Add operators to the default graph instead of running them."""
    MODES.eager = False


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Run operators eagerly when no graph is open."""
    del config, device_policy, execution_mode
    MODES.eager = True


def disable_v2_tensorshape():
    """Make the elements of shapes `Dimension`s."""
    MODES.tensor_shape_v2 = False


def enable_v2_tensorshape():
    """Make the elements of shapes numbers and `None`."""
    MODES.tensor_shape_v2 = True


def disable_resource_variables():
    """Use reference variables, which are read once, where they are created."""
    MODES.resource_variables = False


def enable_resource_variables():
    """Use resource variables, each read of which is an operation."""
    MODES.resource_variables = True


def disable_control_flow_v2():
    """Name branches and loops as in TensorFlow 1: `cond/Merge:0`, `while/Exit:0`."""
    MODES.control_flow_v2 = False


def enable_control_flow_v2():
    """Name branches and loops as in TensorFlow 2: `cond/Identity:0`."""
    MODES.control_flow_v2 = True


def control_flow_v2_enabled() -> bool:
    """Return whether branches and loops are named as in TensorFlow 2."""
    return MODES.control_flow_v2


def resource_variables_enabled() -> bool:
    """Return whether new variables are resource variables."""
    return MODES.resource_variables


def disable_tensor_equality():
    """Make `==` compare tensors by identity."""
    MODES.tensor_equality = False


def enable_tensor_equality():
    """Make `==` compare the elements of tensors."""
    MODES.tensor_equality = True


def executing_eagerly() -> bool:
    """Return whether calls run eagerly or inside a `shims.function`, instead of building a graph."""
    if _GRAPHS.items:
        return _GRAPHS.top is None
    return MODES.eager


streams.ask_before_draws(lambda: not executing_eagerly())


def runs_at_once() -> bool:
    """Return whether operators run eagerly, instead of being added to a graph or traced.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/executing_eagerly
    """
    return executing_eagerly() and contexts.executing_eagerly()


def open_graphs() -> list:
    """Return the graphs of the open `with` blocks; `None` is a block that runs eagerly."""
    return _GRAPHS.items


def graph_scope(graph) -> contextlib.AbstractContextManager[Any]:
    """Add new operations to `graph` inside a `with` block; `None` runs them eagerly."""
    return _GRAPHS.pushed(graph)

"""The switches between the behavior of TensorFlow 1 and 2, and the stack of open graphs."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

from shims._src.platform.thread_state import ThreadStack
from shims._src.recording import contexts


@dataclasses.dataclass
class Modes:
    """The switches of the program.

    Attributes:
      eager: operators run at once where no graph is open.
      tensor_shape_v2: shapes give numbers and `None`, and not `Dimension`s.
      resource_variables: each read of a variable is an operation of its own.
      tensor_equality: `==` compares the elements of tensors.
      control_flow_v2: branches and loops are called as in TensorFlow 2.
    """

    eager: bool = True
    tensor_shape_v2: bool = True
    resource_variables: bool = True
    tensor_equality: bool = True
    control_flow_v2: bool = True


MODES = Modes()


# The graphs of the open blocks; `None` stands for a block that runs at once.
_GRAPHS: ThreadStack[Any] = ThreadStack()


def disable_v2_behavior():
    """Let everything be as in TensorFlow 1: graphs, `Dimension`s, reference variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/disable_v2_behavior
    """
    MODES.eager = MODES.tensor_shape_v2 = MODES.resource_variables = False
    MODES.tensor_equality = MODES.control_flow_v2 = False


def enable_v2_behavior():
    """Let everything be as in TensorFlow 2 again."""
    MODES.eager = MODES.tensor_shape_v2 = MODES.resource_variables = True
    MODES.tensor_equality = MODES.control_flow_v2 = True


def disable_eager_execution():
    """Put operators into the default graph instead of running them."""
    MODES.eager = False


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Run operators at once where no graph is open."""
    del config, device_policy, execution_mode
    MODES.eager = True


def disable_v2_tensorshape():
    """Let shapes give `Dimension`s."""
    MODES.tensor_shape_v2 = False


def enable_v2_tensorshape():
    """Let shapes give numbers and `None`."""
    MODES.tensor_shape_v2 = True


def disable_resource_variables():
    """Let variables be read once, where they are made."""
    MODES.resource_variables = False


def enable_resource_variables():
    """Let each read of a variable be an operation of its own."""
    MODES.resource_variables = True


def disable_control_flow_v2():
    """Let branches and loops be called as in TensorFlow 1: `cond/Merge:0`, `while/Exit:0`."""
    MODES.control_flow_v2 = False


def enable_control_flow_v2():
    """Let branches and loops be called as in TensorFlow 2: `cond/Identity:0`."""
    MODES.control_flow_v2 = True


def control_flow_v2_enabled() -> bool:
    """Whether branches and loops are called as in TensorFlow 2."""
    return MODES.control_flow_v2


def resource_variables_enabled() -> bool:
    """Whether each read of a variable is an operation of its own."""
    return MODES.resource_variables


def disable_tensor_equality():
    """Let `==` ask whether two tensors are one."""
    MODES.tensor_equality = False


def enable_tensor_equality():
    """Let `==` compare the elements of tensors."""
    MODES.tensor_equality = True


def executing_eagerly() -> bool:
    """Whether operators go to no graph here: they run at once, or a function traces them."""
    if _GRAPHS.items:
        return _GRAPHS.top is None
    return MODES.eager


def runs_at_once() -> bool:
    """Whether operators run at once here: they go to no graph, and no function traces them.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/executing_eagerly
    """
    return executing_eagerly() and contexts.executing_eagerly()


def open_graphs() -> list:
    """Return the graphs of the open `with` blocks; `None` stands for a block that runs at once."""
    return _GRAPHS.items


def graph_scope(graph) -> contextlib.AbstractContextManager[Any]:
    """Let new operations go to `graph`; `None` runs them at once, as a session does."""
    return _GRAPHS.pushed(graph)

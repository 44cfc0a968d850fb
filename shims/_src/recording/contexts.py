"""Define TensorFlow's context managers: name scopes, control dependencies, devices."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable

import jax

from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording import recording, state
from shims._src.sizes import trace

# The names of the open scopes, and the open variable creators.
_NAMES: ThreadSlot[tuple[str, ...]] = ThreadSlot(())
_CREATORS: ThreadSlot[tuple[Callable, ...]] = ThreadSlot(())


class name_scope:
    """A block that prefixes the names of operations and variables.

    Args:
      name: the name. An empty name, or a name that ends in `/`, starts from the root again.

    Raises:
      ValueError: `name` is not a string.

    Differs from TensorFlow:
      Names of operations appear in profiles and compiled programs only. A name that is used twice is
      not made unique.

    Under jit:
      Acts as `jax.named_scope`.

    Example:
      >>> import shims
      >>> with shims.name_scope("block") as scope:
      ...     print(scope, shims.Variable(1.0, name="w").name)
      block/ block/w:0

    https://www.tensorflow.org/api_docs/python/tf/name_scope
    """

    __module__ = "shims"

    def __init__(self, name):
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, not {name!r}.")
        self._name = name
        self._open: list[tuple[tuple[str, ...], contextlib.ExitStack]] = []

    @property
    def name(self) -> str:
        """The name that was passed."""
        return self._name

    def __enter__(self) -> str:
        stack = contextlib.ExitStack()
        self._open.append((_NAMES.value, stack))
        parts = tuple(filter(None, self._name.split("/")))
        is_absolute = not self._name or self._name.endswith("/")
        _NAMES.value = parts if is_absolute else (*_NAMES.value, *parts)
        if parts:
            stack.enter_context(jax.named_scope("/".join(parts)))
        return f"{'/'.join(_NAMES.value)}/" if _NAMES.value else ""

    def __exit__(self, *error) -> None:
        _NAMES.value, stack = self._open.pop()
        stack.__exit__(*error)


def get_current_name_scope() -> str:
    """Return the names of the open scopes, outermost first, joined by `/`.

    https://www.tensorflow.org/api_docs/python/tf/get_current_name_scope
    """
    return "/".join(_NAMES.value)


def scoped_name(name: str) -> str:
    """Prefix a variable name with the open name scopes."""
    return "/".join((*_NAMES.value, name))


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    """Intercept the creation of variables in a block.

    Args:
      variable_creator: `f(next_creator, **kwargs)`, which receives the arguments of `Variable` and
        calls `next_creator(**kwargs)`, or creates something else.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/variable_creator_scope
    """
    with _CREATORS.holding((*_CREATORS.value, variable_creator)):
        yield


def variable_creators() -> tuple[Callable, ...]:
    """Return the active variable creators, the innermost last."""
    return _CREATORS.value


@contextlib.contextmanager
def control_dependencies(control_inputs):
    """Run a block after its `control_inputs`, which program order ensures anyway.

    Args:
      control_inputs: operations and arrays, or `None`.

    Differs from TensorFlow:
      `control_inputs` have no effect, because assignments, checks and prints always happen in
      program order, also in `shims.function`, and none is left out.

    Under jit:
      The order is that of the program, as in eager execution.

    Example:
      >>> import shims
      >>> with shims.control_dependencies([shims.debugging.assert_positive([1.0])]):
      ...     print(shims.identity([1.0]))
      [1.]

    https://www.tensorflow.org/api_docs/python/tf/control_dependencies
    """
    del control_inputs
    yield


@contextlib.contextmanager
def init_scope():
    """Run a block eagerly, outside of every function being traced and of every tape.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Arrays that the block creates are constants of the program.

    Example:
      >>> import shims
      >>> @shims.function
      ... def f(x):
      ...     with shims.init_scope():
      ...         assert shims.executing_eagerly()
      ...     return x

    https://www.tensorflow.org/api_docs/python/tf/init_scope
    """
    with (
        recording.unrecorded(),
        trace.resume(None),
        state.state_scope(None),
        jp.under(jp.core.eval_trace),
    ):
        yield


_DEVICE = re.compile(r"(?:.*/)?(?:device:)?(cpu|gpu|tpu):?(\d+|\*)?$", re.IGNORECASE)


@contextlib.contextmanager
def device(device_name):
    """Create the arrays of a block on a device.

    Args:
      device_name: the name of a device in TensorFlow's form, such as `/CPU:0` or `/device:GPU:1`;
        `None` changes nothing.

    Raises:
      ValueError: the name is not of that form.

    Differs from TensorFlow:
      A missing device is ignored, as TensorFlow does with soft placement.

    Under jit:
      Has no effect: a compiled program runs on the device of its arguments.

    https://www.tensorflow.org/api_docs/python/tf/device
    """
    found = (
        None if device_name is None else find_device(str(getattr(device_name, "name", device_name)))
    )
    if found is None or found == (jax.config.jax_default_device or jax.devices()[0]):
        yield
        return
    with jax.default_device(found):
        yield


def find_device(name: str):
    """Return the device of TensorFlow's name, `None` if there is none."""
    if not name:
        return None
    parsed = _DEVICE.match(name)
    if parsed is None:
        raise ValueError(f"Unknown attribute {name!r} is encountered while parsing the device name")
    kind, number = parsed.groups()
    try:
        devices = jax.devices(kind.lower())
    except RuntimeError:  # no such backend
        return None
    index = 0 if number in (None, "*") else int(number)
    return devices[index] if index < len(devices) else None


def executing_eagerly() -> bool:
    """Return whether operators run eagerly: outside of every trace, and inside `init_scope`.

    https://www.tensorflow.org/api_docs/python/tf/executing_eagerly
    """
    return trace.current() is None and jp.ambient_is_eager()


def inside_function() -> bool:
    """Return whether a function is being traced.

    https://www.tensorflow.org/api_docs/python/tf/inside_function
    """
    return not executing_eagerly()

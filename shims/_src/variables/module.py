"""Define `Module`, which finds the variables and modules among its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping

from shims._src.recording.contexts import get_current_name_scope, name_scope
from shims._src.variables.tracked import AutoTrackable
from shims._src.variables.variable import Variable

_CAMEL = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))")


class Module(AutoTrackable):
    """A base class that collects the variables and modules in its attributes.

    Args:
      name: a Python identifier; the class name in snake case when `None`.

    Raises:
      ValueError: `name` is not a Python identifier.

    Under jit: A module is a plain Python object. If a function uses a module, `shims.function`
      finds the variables of this module.

    Example:
      >>> import shims
      >>> class Layer(shims.Module):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.w = shims.Variable(2.0, name="w")
      >>> [v.name for v in Layer().trainable_variables]
      ['w:0']

    https://www.tensorflow.org/api_docs/python/tf/Module
    """

    __module__ = "shims"

    def __init__(self, name=None):
        if name is None:
            name = _CAMEL.sub(r"_\1", type(self).__name__).lower()
        elif not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid "
                "Python identifiers (e.g. a valid class name)."
            )
        self._name = name
        scope = get_current_name_scope()
        self._scope_name = f"{scope}/{name}/" if scope else f"{name}/"

    @property
    def name(self) -> str:
        """The name given to the module."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The name scope in which variables get the module's name as a prefix."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and its submodules, with attributes sorted by name."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes watch."""
        return tuple(self._flatten(predicate=lambda x: _is_variable(x) and x.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes do not watch."""
        return tuple(self._flatten(predicate=lambda x: _is_variable(x) and not x.trainable))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules nested in this one."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    def _flatten(self, recursive: bool = True, predicate: Callable = lambda _: True) -> Iterator:
        """Yield, each once, the values nested in the attributes that satisfy a predicate."""
        yield from _leaves_of(self, recursive, predicate, {id(self)})

    @classmethod
    def with_name_scope(cls, method):
        """Decorate a method to run inside the module's name scope."""

        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _is_variable(x) -> bool:
    return isinstance(x, Variable)


def _leaves_of(module: Module, recursive: bool, predicate: Callable, seen: set[int]) -> Iterator:
    inner = []
    for name in sorted(vars(module)):
        for leaf in _flat_leaves(vars(module)[name]):
            if id(leaf) in seen:
                continue
            seen.add(id(leaf))
            if predicate(leaf):
                yield leaf
            if recursive and isinstance(leaf, Module):
                inner.append(leaf)
    for submodule in inner:
        yield from _leaves_of(submodule, recursive, predicate, seen)


def _flat_leaves(value) -> Iterator:
    """Yield the values nested in lists, tuples and dictionaries; dictionaries are sorted by key."""
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from _flat_leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat_leaves(item)
    else:
        yield value

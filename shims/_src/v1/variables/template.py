"""Provide `make_template`, which makes all calls of a function use the same variables."""

from __future__ import annotations

import functools

from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.variables.variable_scope import variable_scope


class Template:
    """A function whose calls all use the same variables: the result of `make_template`.

    Attributes:
      name: the name of the variable scope.
    """

    __module__ = "shims.compat.v1"

    def __init__(self, name, func, unique_name, custom_getter):
        self._name, self._func = name, func
        self._unique_name, self._custom_getter = unique_name, custom_getter
        self._scope = None
        self._has_run = False

    @property
    def name(self) -> str:
        """The name of the variable scope."""
        return self._name if self._scope is None else self._scope.name

    @property
    def func(self):
        """The wrapped function."""
        return self._func

    @property
    def variable_scope(self):
        """The variable scope, or `None` if it does not exist yet."""
        return self._scope

    @property
    def trainable_variables(self) -> list:
        """The trainable variables of the scope."""
        return [] if self._scope is None else self._scope.trainable_variables()

    @property
    def global_variables(self) -> list:
        """The global variables of the scope."""
        return [] if self._scope is None else self._scope.global_variables()

    variables = weights = global_variables

    def open_scope(self):
        """Return a context manager that enters the variable scope of the template."""
        if self._scope is not None:
            return variable_scope(self._scope, reuse=True if self._has_run else None)
        if self._unique_name is not None:
            return variable_scope(self._unique_name, custom_getter=self._custom_getter)
        return variable_scope(None, self._name, custom_getter=self._custom_getter)

    def __call__(self, *args, **kwargs):
        """Call the function in the variable scope."""
        if executing_eagerly():
            return self._func(*args, **kwargs)
        with self.open_scope() as scope:
            self._scope = self._scope or scope
            result = self._func(*args, **kwargs)
        self._has_run = True
        return result


def make_template(
    name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs
):
    """Wrap a function so that its first call creates variables and later calls share them.

    Args:
      name_: the name of the variable scope; a number is appended if the name is in use.
      func_: a function that creates variables with `get_variable`.
      create_scope_now_: whether to open the scope now instead of at the first call.
      unique_name_: a name that is used unchanged.
      custom_getter_: see `variable_scope`.
      **kwargs: arguments that are passed to each call.

    Raises:
      ValueError: `unique_name_` is given without `create_scope_now_`.

    Differs from TensorFlow:
      Nothing is shared in eager execution: keep references to the variables instead.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/make_template
    """
    template = Template(
        name_, functools.partial(func_, **kwargs) if kwargs else func_, unique_name_, custom_getter_
    )
    if create_scope_now_ and not executing_eagerly():
        with template.open_scope() as scope:
            template._scope = scope
    return template

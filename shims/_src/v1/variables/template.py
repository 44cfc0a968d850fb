"""`make_template`: a function whose variables are made by its first call and shared by the others."""

from __future__ import annotations

import functools

from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.variables.variable_scope import variable_scope


class Template:
    """What `make_template` returns.

    Attributes:
      name: the name of its scope.
    """

    __module__ = "shims.compat.v1"

    def __init__(self, name, func, unique_name, custom_getter):
        self._name, self._func = name, func
        self._unique_name, self._custom_getter = unique_name, custom_getter
        self._scope = None
        self._has_run = False

    @property
    def name(self) -> str:
        """The name of its scope."""
        return self._name if self._scope is None else self._scope.name

    @property
    def func(self):
        """The function."""
        return self._func

    @property
    def variable_scope(self):
        """Its scope, `None` before it is made."""
        return self._scope

    @property
    def trainable_variables(self) -> list:
        """Its trainable variables."""
        return [] if self._scope is None else self._scope.trainable_variables()

    @property
    def global_variables(self) -> list:
        """Its global variables."""
        return [] if self._scope is None else self._scope.global_variables()

    variables = weights = global_variables

    def open_scope(self):
        """The block in which its variables are."""
        if self._scope is not None:
            return variable_scope(self._scope, reuse=True if self._has_run else None)
        if self._unique_name is not None:
            return variable_scope(self._unique_name, custom_getter=self._custom_getter)
        return variable_scope(None, self._name, custom_getter=self._custom_getter)

    def __call__(self, *args, **kwargs):
        """Call the function in its scope."""
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
    """A function whose variables are made by its first call and shared by the others.

    Args:
      name_: the name of its scope; a number is put behind one in use.
      func_: a function that makes variables by `get_variable`.
      create_scope_now_: whether the name is taken now, and not at the first call.
      unique_name_: a name that is used as it stands.
      custom_getter_: as for `variable_scope`.
      **kwargs: arguments that are passed to each call.

    Raises:
      ValueError: there is a `unique_name_`, and the name is not to be taken now.

    Differs from TensorFlow:
      Where it runs eagerly nothing is shared: keep the variables yourself.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/make_template
    """
    template = Template(
        name_, functools.partial(func_, **kwargs) if kwargs else func_, unique_name_, custom_getter_
    )
    if create_scope_now_ and not executing_eagerly():
        with template.open_scope() as scope:
            template._scope = scope
    return template

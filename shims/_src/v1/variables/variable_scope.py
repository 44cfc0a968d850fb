"""Provide `variable_scope`, which determines names, sharing and default options of variables."""

from __future__ import annotations

import contextlib
import enum
import functools
from collections.abc import Iterator
from typing import Any

from shims._src.types.dtypes import as_dtype, float32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.scope_functions import graph_of
from shims._src.v1.variables.variable_store import VariableStore
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


class _ReuseMode(enum.Enum):
    """The value of `tf.AUTO_REUSE`: use existing variables, and create missing ones."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


class VariableScope:
    """The defaults of `get_variable` and the prefix of variable names.

    Attributes:
      name: the prefix of variable names.
      original_name_scope: the name scope that was opened when the scope was created.
      reuse: whether variables must exist (`True`), must not (`False`), or may (`AUTO_REUSE`).
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource,
        constraint: the defaults of the arguments of `get_variable`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/VariableScope
    """

    __module__ = "shims.compat.v1"

    def __init__(
        self,
        reuse,
        name="",
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        name_scope="",
        dtype=float32,
        use_resource=None,
        constraint=None,
    ):
        self.reuse = reuse
        self.name = name
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.original_name_scope = name_scope
        self.dtype = dtype
        self.use_resource = use_resource
        self.constraint = constraint

    def reuse_variables(self) -> None:
        """Make `get_variable` return existing variables and create none."""
        self.reuse = True

    def set_initializer(self, initializer) -> None:
        """Set the default initializer."""
        self.initializer = initializer

    def set_dtype(self, dtype) -> None:
        """Set the default dtype."""
        self.dtype = dtype

    def set_use_resource(self, use_resource) -> None:
        """Set whether variables are resource variables, each read of which is an operation."""
        self.use_resource = use_resource

    def set_regularizer(self, regularizer) -> None:
        """Set the default regularizer."""
        self.regularizer = regularizer

    def set_caching_device(self, caching_device) -> None:
        """Store the caching device, which has no effect: JAX decides the placement."""
        self.caching_device = caching_device

    def set_partitioner(self, partitioner) -> None:
        """Set the default partitioner."""
        self.partitioner = partitioner

    def set_custom_getter(self, custom_getter) -> None:
        """Set the default custom getter."""
        self.custom_getter = custom_getter

    def get_collection(self, name) -> list:
        """Return the values of a collection that belong to this scope."""
        return get_default_graph().get_collection(name, f"{self.name}/" if self.name else "")

    def trainable_variables(self) -> list:
        """Return the trainable variables of this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list:
        """Return the global variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list:
        """Return the local variables of this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(self, store: VariableStore, name: str, *, custom_getter=None, **options):
        """Return a variable of this scope; see the function `get_variable`."""
        defaults = ("regularizer", "caching_device", "partitioner", "use_resource", "reuse")
        for option in defaults:
            if options.get(option) is None:
                options[option] = getattr(self, option)
        getter = self.custom_getter if custom_getter is None else custom_getter
        full_name = f"{self.name}/{name}" if self.name else name
        initializer, dtype = options["initializer"], options["dtype"]
        with get_default_graph().name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                given = convert_to_tensor(initializer).dtype
                if given != as_dtype(dtype):
                    raise ValueError(
                        f"Initializer type '<dtype: '{given.name}'>' and explicit dtype "
                        f"'<dtype: '{as_dtype(dtype).name}'>' don't match."
                    )
            if initializer is None:
                options["initializer"] = self.initializer
            if options.get("constraint") is None:
                options["constraint"] = self.constraint
            options["dtype"] = as_dtype(self.dtype if dtype is None else dtype)
            return store.get_variable(full_name, getter, options)


class OpenScopes:
    """The current variable scope of a graph, and the number of times that each scope was entered."""

    def __init__(self):
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}
        self.store = VariableStore()

    def open(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def close_inner(self, name: str) -> None:
        """Reset the counts of the scopes inside a scope.

        When the scope is opened again, the scopes inside it then get the same names.
        """
        for other in self.counts:
            if other.startswith(f"{name}/"):
                self.counts[other] = 0

    def unique(self, prefix: str) -> str:
        """Return `prefix`, with a number appended if a variable scope with this name was already entered."""
        name = f"{self.current.name}/{prefix}" if self.current.name else prefix
        if not self.counts.get(name):
            return prefix
        number = 1
        while self.counts.get(f"{name}_{number}"):
            number += 1
        return f"{prefix}_{number}"


def open_scopes() -> OpenScopes:
    storage = get_default_graph().storage
    if "variable scopes" not in storage:
        storage["variable scopes"] = OpenScopes()
    return storage["variable scopes"]


def variables_by_name() -> dict[str, GraphVariable]:
    """Return a dict from names to the variables that `get_variable` created in the default graph.

    The parts of partitioned variables are separate entries.
    """
    return open_scopes().store.variables


def get_variable_scope() -> VariableScope:
    """Return the current variable scope.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     with tf.variable_scope("layer"):
      ...         print(tf.get_variable_scope().name)
      layer

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_variable_scope
    """
    return open_scopes().current


class variable_scope:
    """Context manager that sets names, sharing and defaults of `get_variable`.

    Args:
      name_or_scope: a name, or an existing `VariableScope`.
      default_name: the name if `name_or_scope` is `None`; a number is appended if the name is in
        use.
      values: tensors whose graph is used.
      initializer, regularizer, partitioner, custom_getter, dtype, use_resource, constraint: the
        defaults of the arguments of `get_variable`.
      caching_device: accepted and ignored.
      reuse: `True` shares existing variables; `AUTO_REUSE` also creates missing variables; `None`
        and `False` inherit from the enclosing scope.
      auxiliary_name_scope: whether to open a name scope as well.

    Raises:
      TypeError: no name is given.
      ValueError: `reuse` has a different value.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     with tf.variable_scope("layer"):
      ...         w = tf.get_variable("w", [2, 3])
      ...     print(w.name)
      layer/w:0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variable_scope
    """

    __module__ = "shims.compat.v1"

    def __init__(
        self,
        name_or_scope,
        default_name=None,
        values=None,
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        reuse=None,
        dtype=None,
        use_resource=None,
        constraint=None,
        auxiliary_name_scope=True,
    ):
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name, self._default_name = name_or_scope, default_name
        self._values = values
        self._reuse = reuse or None
        self._defaults = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "use_resource": use_resource,
        }
        self._custom_getter, self._constraint = custom_getter, constraint
        self._auxiliary = auxiliary_name_scope
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as stack:
            scope = stack.enter_context(self._opened())
            self._open.append(stack.pop_all())
        return scope

    def __exit__(self, *error) -> None:
        self._open.pop().__exit__(*error)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[VariableScope]:
        name = self._name
        if name is not None and not isinstance(name, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if name is None and self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        graph = graph_of(self._values or ())
        with graph.as_default(), contextlib.ExitStack() as stack:
            opened = ""
            if not self._auxiliary:
                around = graph.get_name_scope()
                opened = stack.enter_context(graph.name_scope(f"{around}/" if around else None))
            elif part := self._part_of_name():
                opened = stack.enter_context(graph.name_scope(part))
            if isinstance(name, VariableScope):
                yield stack.enter_context(self._reopen(name))
            else:
                if name is None:
                    name = open_scopes().unique(self._default_name)
                yield stack.enter_context(self._open_inner(name, opened))

    def _part_of_name(self) -> str:
        if self._name is None:
            return self._default_name
        name = self._name
        return name if isinstance(name, str) else name.name.split("/")[-1]

    @contextlib.contextmanager
    def _open_inner(self, name: str, opened: str) -> Iterator[VariableScope]:
        """Open a new variable scope inside the current one."""
        scopes = open_scopes()
        outer = scopes.current
        full = f"{outer.name}/{name}" if outer.name else name
        scope = self._derive_scope(outer, full, opened, self._reuse or outer.reuse)
        scopes.open(full)
        scopes.current = scope
        try:
            yield scope
        finally:
            self._check_nesting(scopes, scope)
            scopes.close_inner(full)
            scopes.current = outer

    @contextlib.contextmanager
    def _reopen(self, given: VariableScope) -> Iterator[VariableScope]:
        """Open an existing variable scope again; the current scope does not affect its name."""
        scopes = open_scopes()
        outer = scopes.current
        scope = self._derive_scope(
            given, given.name, given.original_name_scope, self._reuse or given.reuse
        )
        scopes.open(given.name)
        counts = dict(scopes.counts)
        scopes.current = scope
        try:
            yield scope
        finally:
            self._check_nesting(scopes, scope)
            scopes.counts = counts
            scopes.current = outer

    def _derive_scope(self, other: VariableScope, name, name_scope, reuse) -> VariableScope:
        options: dict[str, Any] = {
            option: getattr(other, option) if value is None else value
            for option, value in self._defaults.items()
        }
        getter = other.custom_getter
        if self._custom_getter is not None:
            getter = _compose_getters(self._custom_getter, getter)
        return VariableScope(
            reuse,
            name,
            custom_getter=getter,
            name_scope=name_scope,
            constraint=self._constraint,
            **options,
        )

    @staticmethod
    def _check_nesting(scopes: OpenScopes, scope: VariableScope) -> None:
        if scopes.current is not scope:
            raise RuntimeError("Improper nesting of variable_scope.")


def _compose_getters(inner, outer):
    """Combine two custom getters of nested scopes: `inner` calls `outer` to get the variable."""
    if outer is None:
        return inner

    def custom_getter(getter, *args, **kwargs):
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return custom_getter


@contextlib.contextmanager
def variable_op_scope(
    values,
    name_or_scope,
    default_name=None,
    initializer=None,
    regularizer=None,
    caching_device=None,
    partitioner=None,
    custom_getter=None,
    reuse=None,
    dtype=None,
    use_resource=None,
    constraint=None,
):
    """Open a `variable_scope`, whose arguments are given in a different order.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variable_op_scope
    """
    with variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    ) as scope:
        yield scope

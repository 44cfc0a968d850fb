"""Define `Variable`, a value that can be assigned to."""

from __future__ import annotations

import functools
import inspect
import operator

import jax
import numpy as np

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.recording import replicas, state
from shims._src.recording.contexts import scoped_name, variable_creators
from shims._src.sizes.initial_values import known_value
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import as_numpy_dtype
from shims._src.types.variable_options import VariableAggregation, VariableSynchronization
from shims._src.variables.variable_part import read_part
from shims._src.variables.variable_scatter import Scattered


class _VariableMeta(type):
    """A metaclass that creates variables through the creators of `variable_creator_scope`."""

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature of the constructor."""
        own = inspect.signature(Variable.__init__)
        return own.replace(parameters=list(own.parameters.values())[1:])

    def __call__(cls, *args, **kwargs):
        """Create a variable through the enclosing creators."""
        creators = variable_creators()
        if not creators:
            return super().__call__(*args, **kwargs)
        given = {p.name: p.default for p in cls.__signature__.parameters.values()}
        given.update(zip(given, args), **kwargs)
        make = functools.partial(super().__call__)
        for creator in creators:
            make = functools.partial(creator, make)
        return make(**given)


class Variable(Scattered, metaclass=_VariableMeta):
    """A named value that can be assigned to.

    Args:
      initial_value: an array, numbers, or a function of no arguments that returns an array or
        numbers.
      trainable: whether tapes watch the variable; True by default.
      validate_shape: accepted and ignored, because shapes are always checked.
      caching_device: not supported.
      name: the name, without TensorFlow's suffix `:0`, which is added.
      variable_def: not supported.
      dtype: the dtype of Python numbers in the initial value.
      import_scope: not supported.
      constraint: a function that optimizers apply after an update; the variable stores the
        function, and does not call it.
      synchronization: when the values of replicas are combined.
      aggregation: how the values that replicas assign are combined.
      shape: a shape whose unknown sizes may differ from one value to the next.
      experimental_enable_variable_lifting: accepted and ignored.

    Raises:
      ValueError: there is no initial value, or its shape or dtype contradicts `shape` or `dtype`.
      UnimplementedError: a given argument is not supported.

    Differs from TensorFlow:
      `assign` returns the variable itself. There is no resource handle and no device. In functions that are
      not converted (`autograph=False`), `variable[1:3]` is a tracer, which has no `assign`: write
      `variable.assign(variable.value().at[1:3].set(x))`.

    Under jit:
      `shims.function` turns the variables that a function uses into inputs and outputs. Inside an
      enclosing `jax.jit` a read is a constant of the trace, as for any Python object, and an
      assignment raises an error, because it would leak a tracer. As a pytree a variable has no
      leaves: the variable is passed by reference, and is equal only to itself.

    Example:
      >>> counter = Variable(0)
      >>> int(counter.assign_add(2))
      2

    https://www.tensorflow.org/api_docs/python/tf/Variable
    """

    __module__ = "shims"
    # Whether an assignment that an enclosing JAX trace cannot keep is an error, and not dropped.
    is_kept_by_traces = True
    __array_ufunc__ = None  # so that `numpy_array + variable` calls `__radd__`

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        import_scope=None,
        constraint=None,
        synchronization=None,
        aggregation=None,
        shape=None,
        experimental_enable_variable_lifting=True,
    ):
        del validate_shape, experimental_enable_variable_lifting
        _refuse_arguments(
            caching_device=caching_device, variable_def=variable_def, import_scope=import_scope
        )
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `Variable` must be specified.")
        if callable(initial_value) and not isinstance(initial_value, Variable):
            with jax.ensure_compile_time_eval():
                initial_value = initial_value()
        value = as_array(initial_value, None if dtype is None else as_numpy_dtype(dtype))
        self._shape = TensorShape(value.shape if shape is None else shape)
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"In this `Variable` creation, the initial value's shape ({value.shape}) is not "
                f"compatible with the explicitly supplied `shape` argument ({shape})."
            )
        self._dtype = value.dtype
        self._name = scoped_name("Variable" if name is None else name)
        self._synchronization = VariableSynchronization(synchronization or 0)
        self._aggregation = VariableAggregation(aggregation or 0)
        read_only = self._synchronization is VariableSynchronization.ON_READ
        self._trainable = not read_only if trainable is None else bool(trainable)
        self._constraint = constraint
        if read_only and self._aggregation is VariableAggregation.SUM:
            value = replicas.sum_of_copies(value)
        known = known_value(value)
        self.stored_value = state.UNKNOWN if known is None else known
        scope = state.current_scope()
        if scope is not None:
            scope.create(self, value)
        elif known is None:
            raise errors.FailedPreconditionError(
                errors.message(
                    "Variable",
                    "`initial_value` is being traced, so its value is not known yet.",
                    received=f"{value.dtype.name}{list(value.shape)} under a JAX transformation",
                    do="create the variable outside of the transformation, or inside `shims.function`.",
                )
            )

    @property
    def name(self) -> str:
        """The name, with TensorFlow's suffix `:0`."""
        return f"{self._name}:0"

    @property
    def dtype(self) -> np.dtype:
        """The dtype, which never changes."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape that every value must be compatible with."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable."""
        return self._trainable

    @property
    def constraint(self):
        """The function that an optimizer applies after an update, or `None`."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The time at which values of replicas are combined: on assignment, or after `Strategy.run`."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The way to combine the values that replicas assign."""
        return self._aggregation

    def set_shape(self, shape) -> None:
        """Refine the static shape.

        Raises:
          ValueError: the shapes are not compatible.
        """
        self._shape = self._shape.merge_with(shape)

    def get_shape(self) -> TensorShape:
        """Return the shape that every value must be compatible with."""
        return self._shape

    def is_initialized(self, name=None) -> bool:
        """Return True: a variable is initialized when it is created."""
        return True

    def read_value(self):
        """Return the current value as an array."""
        return state.read(self)

    def value(self):
        """Return the current value as an array."""
        return state.read(self)

    def initialized_value(self):
        """Return the current value as an array."""
        return state.read(self)

    def numpy(self) -> np.ndarray:
        """Return the current value as a new NumPy array, outside of every trace."""
        return np.array(state.read(self))

    def assign(self, value, use_locking=None, name=None, read_value=True):
        """Assign a new value.

        Args:
          value: an array or numbers of the variable's shape and dtype.
          use_locking: accepted and ignored, because no change by another thread is lost.
          name: accepted and ignored.
          read_value: whether to return the variable.

        Raises:
          ValueError: the shape or the dtype is not that of the variable.
          FailedPreconditionError: the value is traced by an enclosing JAX transformation.
        """
        del use_locking, name
        return self._set(self._given(value), read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """Add `delta` to the value; the other arguments are those of `assign`."""
        del use_locking, name
        with state.changing():
            value, delta = self._both("assign_add", delta)
            return self._set(value + delta, read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """Subtract `delta` from the value; the other arguments are those of `assign`."""
        del use_locking, name
        with state.changing():
            value, delta = self._both("assign_sub", delta)
            return self._set(value - delta, read_value)

    def _given(self, value):
        """Convert an operand of an assignment to an array; that of several replicas is combined."""
        value = as_array(value, self._dtype)
        if self._synchronization is VariableSynchronization.ON_READ:
            return value  # there is a copy for each replica
        return replicas.combined(value, self._aggregation)

    def _both(self, method: str, delta):
        """Return the current value and `delta` as arrays, which must have the same shape."""
        value, delta = state.read(self), self._given(delta)
        if not TensorShape(value.shape).is_compatible_with(delta.shape):
            raise errors.InvalidArgumentError(
                errors.message(
                    f"Variable.{method}",
                    "`delta` and the variable have different shapes.",
                    required=f"shape {TensorShape(value.shape)}",
                    received=f"shape {TensorShape(delta.shape)}",
                )
            )
        return value, delta

    def _set(self, value, read_value):
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable "
                f"shape {self._shape}, and the assigned value shape {TensorShape(value.shape)} "
                "are incompatible."
            )
        state.write(self, value)
        return self if read_value else None

    def ref(self) -> Reference:
        """Return a hashable reference to the variable, for use as a dictionary key."""
        return Reference(self)

    experimental_ref = ref

    def __jax_array__(self):
        return state.read(self)

    def __array__(self, dtype=None, copy=None):
        return np.array(state.read(self), dtype=dtype, copy=True if copy is None else copy)

    def __getitem__(self, key):
        return read_part(self, state.read(self), key)

    def __iter__(self):
        return iter(state.read(self))

    def __bool__(self) -> bool:
        return bool(state.read(self))

    def __int__(self) -> int:
        return int(state.read(self))

    def __index__(self) -> int:
        return operator.index(state.read(self))

    def __float__(self) -> float:
        return float(state.read(self))

    def __complex__(self) -> complex:
        return complex(state.read(self))

    def __format__(self, spec) -> str:
        return format(repr(self), spec)

    def __deepcopy__(self, memo) -> Variable:
        copied = Variable(
            state.read(self),
            trainable=self._trainable,
            constraint=self._constraint,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
            shape=self._shape,
        )
        copied._name = self._name
        return copied

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __repr__(self) -> str:
        text = f"<tf.Variable {self.name!r} shape={self._shape} dtype={self._dtype.name}"
        value = state.read(self)
        if isinstance(value, jax.core.Tracer):
            return f"{text}>"
        value = np.asarray(value)
        return f"{text}, numpy={value!r}>" if value.ndim else f"{text}, numpy={value.item()!r}>"


class Reference:
    """A hashable reference to a variable; `deref()` returns the variable."""

    __slots__ = ("_variable",)

    def __init__(self, variable: Variable):
        self._variable = variable

    def deref(self) -> Variable:
        """Return the variable that this reference was created for."""
        return self._variable

    def __eq__(self, other) -> bool:
        return isinstance(other, Reference) and self._variable is other._variable

    def __hash__(self) -> int:
        return id(self._variable)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._variable!r}>"


def _refuse_arguments(**arguments) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise errors.UnimplementedError(
            errors.message(
                "Variable",
                f"`{'`, `'.join(given)}` is not supported.",
                do="remove this argument, because it has no meaning outside of a TensorFlow graph.",
            )
        )


_UNARY = ("neg", "pos", "abs", "invert")
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"),
    *("rand", "ror", "rxor", "lt", "le", "gt", "ge", "eq", "ne"),
)
_IN_PLACE = {"iadd": "+", "isub": "-", "imul": "*", "itruediv": "/", "ipow": "**"}


def _unary(name):
    def method(self):
        return getattr(state.read(self), name)()

    method.__name__ = name
    return method


def _binary(name):
    def method(self, other):
        return getattr(state.read(self), name)(
            state.read(other) if isinstance(other, Variable) else other
        )

    method.__name__ = name
    return method


def _in_place(name, symbol):
    verb = {"+": "assign_add", "-": "assign_sub"}.get(symbol, "assign")

    def method(self, other):
        raise RuntimeError(
            f"`variable {symbol}= value` with `Variable`s is not supported. Use `variable.{verb}` "
            f"to modify the variable, or `out = variable {symbol} value` if you need to get a new "
            "array."
        )

    method.__name__ = name
    return method


for _name in _UNARY:
    setattr(Variable, f"__{_name}__", _unary(f"__{_name}__"))
for _name in _BINARY:
    setattr(Variable, f"__{_name}__", _binary(f"__{_name}__"))
for _name, _symbol in _IN_PLACE.items():
    setattr(Variable, f"__{_name}__", _in_place(f"__{_name}__", _symbol))


def _flatten_variable(variable):
    """Flatten a variable to its current value, when JAX passes it to a function of its own.

    Without this, jitted functions of JAX such as `jnp.square` would reuse an old value.
    """
    return (state.read(variable),), variable.ref()


def _unflatten_variable(reference, leaves):
    """Return the variable if the leaf is still its value, otherwise the new value."""
    (leaf,) = leaves
    variable = reference.deref()
    return variable if leaf is variable.read_value() else leaf


jax.tree_util.register_pytree_node(Variable, _flatten_variable, _unflatten_variable)

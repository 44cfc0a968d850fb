"""Describe a call of a compiled function: its flat arguments, and the plan for similar calls."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from typing import Any

import jax
import numpy as np

from shims._src.arguments.conversion import narrow_array
from shims._src.errors import errors
from shims._src.function.signature import pad_to
from shims._src.platform import jax_private as jp
from shims._src.platform.weak_keys import static_key
from shims._src.recording import state
from shims._src.sizes.padded import Padded
from shims._src.sizes.sites import Settled
from shims._src.variables.references import dereferenced

# After this number of calls with the same sizes, a program for exactly these sizes is compiled: a loop
# over batches of the same size needs no padding, and varying lengths still compile one program per bucket.
REPEATS = 16
_NOTHING = contextlib.nullcontext()


@dataclasses.dataclass(eq=False)
class Plan:
    """A reusable plan to run calls whose arguments have a given structure, shapes and dtypes.

    Attributes:
      entry: the traced program.
      places: the positions of the operands among the flat arguments.
      dtypes: for each operand the dtype to convert to, or `None`.
      shapes: for each operand its padded shape.
      sizes: the input sizes, one per size variable of the program.
      capacities: for each of `sizes` its bucket.
      elements: the number of elements of the operands, before and after padding.
      calls: how often the plan was reused.
      is_exact: whether the plan runs a program for exactly these sizes, as it does after enough calls.
    """

    entry: Any
    places: tuple[int, ...]
    dtypes: tuple
    shapes: tuple
    sizes: tuple[int, ...]
    capacities: tuple[int, ...]
    elements: tuple[int, int]
    calls: int = 0
    is_exact: bool = False

    def launch(self, operands):
        """Pad the operands and run the program."""
        found, calls_host = self.entry.found, self.entry.calls_host
        # A call that calls Python functions is not repeated, whatever other threads assign.
        replaced = None if found is None or calls_host else found.stored_values()
        is_exact = self.is_exact and jp.nothing_looks_on()  # no derivatives are wanted
        shapes = [x.shape for x in operands] if is_exact else self.shapes
        arrays = [
            x if type(x) is jp.ArrayImpl and x.shape == s else pad_to(x, s)
            for x, s in zip(operands, shapes, strict=True)
        ]
        arrays = self._with_variables(arrays)
        with state.awaiting(found.written) if found and calls_host else _NOTHING:
            if is_exact:
                outcome = self.entry.call_exactly(arrays, self.sizes)
            else:
                outcome = self.entry.call(arrays, self.sizes, self.capacities)
        outcome.replaced = replaced
        return outcome

    def _with_variables(self, arrays):
        found = self.entry.found
        return arrays if found is None else [*found.values(), *arrays]

    def came_again(self, operands) -> bool:
        """Count a call; return whether a program for exactly these sizes was traced at this call.

        Calls of equal sizes that are repeated often enough use such a program, which needs no padding.
        """
        if not self.sizes or self.calls == REPEATS or not jp.nothing_looks_on():
            return False
        self.calls += 1
        if self.calls < REPEATS:
            return False
        self.is_exact = self.entry.can_be_exact(self._with_variables(operands), self.sizes)
        return self.is_exact

    def operands(self, leaves):
        """Return the operands among the flat arguments of another call, converted to their dtypes."""
        found = [leaves[i] for i in self.places]
        return [
            x if d is None else narrow_array(np.asarray(x), d)
            for x, d in zip(found, self.dtypes, strict=True)
        ]


def plan_key(leaves, tree):
    """Return the key under which a call's plan is stored; `None` if an argument is not hashable."""
    key = []
    for x in leaves:
        if type(x) is jp.ArrayImpl:
            key.append((x.shape, x.dtype, x.weak_type))
        elif isinstance(x, (jax.Array, np.ndarray)):
            key.append((x.shape, x.dtype, getattr(x, "weak_type", False)))
        else:
            try:
                hash(x)
            except TypeError:
                return None
            key.append(static_key(x))
    return tree, tuple(key)


@dataclasses.dataclass(eq=False)
class Call:
    """The flat arguments of one call of a compiled function.

    If `is_example`, only the shapes and dtypes of the arguments matter.
    """

    tree: object
    leaves: list
    places: list[int]
    specs: list
    given: list
    is_example: bool = False

    def __post_init__(self):
        self.operands = [self.leaves[i] for i in self.places]
        # The signature may have converted dtypes; leaves keep their order.
        self.conversions = [
            None
            if getattr(self.given[i], "dtype", None) == self.leaves[i].dtype
            else self.leaves[i].dtype
            for i in self.places
        ]
        self.statics = tuple(
            static_key(x) for i, x in enumerate(self.leaves) if i not in set(self.places)
        )

    def key(self, unknown):
        """Return a key that is equal for calls that differ only in values and in the sizes `unknown`."""
        open_axes = {(u.operand, u.axis) for u in unknown}
        shapes = tuple(
            (
                tuple(None if (i, a) in open_axes else d for a, d in enumerate(np.shape(x))),
                str(x.dtype),
                bool(getattr(x, "weak_type", False)),
            )
            for i, x in enumerate(self.operands)
        )
        return self.tree, tuple(self.places), self.statics, shapes

    def receiver(self):
        """Return the object whose method was called; `None` for a plain function."""
        first = self.leaves[0] if self.leaves and 0 not in self.places else None
        return None if isinstance(first, ARGUMENT_TYPES) else dereferenced(first)

    def over_operands(self, f):
        """Return `f` as a function of the call's array operands alone; all other arguments are fixed."""
        leaves, tree, places = [*map(dereferenced, self.leaves)], self.tree, list(self.places)

        def flat(*xs):
            full = list(leaves)
            for i, x in zip(places, xs, strict=True):
                full[i] = x
            args, kwargs = jax.tree.unflatten(tree, full)
            return f(*args, **kwargs)

        return flat


@dataclasses.dataclass(frozen=True, eq=False)
class Request:
    """A request to find or trace a program for a call.

    Attributes:
      call: the flat arguments.
      unknown: the unknown dimensions of the operands.
      pattern: for each unknown dimension, the size variable or constant that represents it.
      sizes: the values of the size variables in this call.
      settled: what earlier runs found out, such as sizes to replace by constants.
    """

    call: Call
    unknown: list
    pattern: tuple
    sizes: list[int]
    settled: Settled

    @property
    def key(self) -> object:
        """A key that is equal for requests that the same programs can serve."""
        return self.call.key(self.unknown), self.pattern, self.settled.key


def variable_sizes(pattern, dims):
    sizes: list[int] = []
    for (kind, index), size in zip(pattern, dims, strict=True):
        if kind == "variable" and index == len(sizes):
            sizes.append(size)
    return sizes


def bind_positional(f, args, kwargs, count):
    """Convert arguments to positional ones for an input signature of `count` arguments.

    For a method, the object it is called on comes before these.

    Raises:
      TypeError: the number of arguments is not that of the signature.
    """
    bound = args
    if kwargs:
        try:
            arguments = inspect.signature(f).bind_partial(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(
                errors.message(
                    "function",
                    f"the arguments do not match the parameters of `{f.__name__}`: {error}.",
                )
            ) from None
        bound = tuple(arguments.values())[: max(count, len(args) + len(kwargs))]
    own = bound[: len(bound) - count]
    if len(bound) < count or len(own) > 1 or any(isinstance(x, ARGUMENT_TYPES) for x in own):
        raise TypeError(
            errors.message(
                "function",
                f"`{f.__name__}` needs as many arguments as `input_signature` has specs.",
                required=f"{count} argument{'s' if count != 1 else ''}",
                received=f"{len(bound)}",
            )
        )
    return bound


# Types of arguments; an object of a different type before them is the receiver of a method.
ARGUMENT_TYPES = (
    jax.Array,
    np.ndarray,
    np.generic,
    int,
    float,
    complex,
    str,
    list,
    tuple,
    dict,
    Padded,
)

"""One call of a function: its arguments laid flat, and the plan by which equal ones run again."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import jax
import numpy as np

from shims._src.arguments.conversion import narrowed
from shims._src.errors import errors
from shims._src.function.signature import pad_to
from shims._src.platform import jax_private as jp
from shims._src.sizes.padded import Padded
from shims._src.sizes.sites import Settled
from shims._src.variables.references import dereferenced

# After so many calls on the same sizes they are compiled for: a loop over batches of one size pays
# for no padding, and lengths that vary compile no more than one program per bucket.
REPEATS = 16


@dataclasses.dataclass(eq=False)
class Plan:
    """How arguments of one structure, shapes and dtypes run: found once, used again.

    Attributes:
      entry: the program.
      places: which leaves of the arguments are operands.
      dtypes: per operand the dtype to convert to, or `None`.
      shapes: per operand its padded shape.
      sizes: the sizes of the input variables.
      capacities: their buckets.
      elements: how many elements the operands have, before and after padding.
      calls: how often it was used again.
      is_exact: from some call on, it runs a program for these very sizes.
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
        if self.is_exact and jp.nothing_looks_on():  # no derivatives are wanted
            arrays = [pad_to(x, x.shape) for x in operands]
            return self.entry.call_exactly(self._with_variables(arrays), self.sizes)
        arrays = [pad_to(x, s) for x, s in zip(operands, self.shapes, strict=True)]
        return self.entry.call(self._with_variables(arrays), self.sizes, self.capacities)

    def _with_variables(self, arrays):
        found = self.entry.found
        return arrays if found is None else [*found.values(), *arrays]

    def came_again(self, operands) -> bool:
        """Count a call; whether a program for these very sizes was made for it."""
        if not self.sizes or self.calls == REPEATS or not jp.nothing_looks_on():
            return False
        self.calls += 1
        if self.calls < REPEATS:
            return False
        self.is_exact = self.entry.can_be_exact(self._with_variables(operands), self.sizes)
        return self.is_exact

    def operands(self, leaves):
        """The operands among the leaves of other arguments of the same kind."""
        found = [leaves[i] for i in self.places]
        return [
            x if d is None else narrowed(np.asarray(x), d)
            for x, d in zip(found, self.dtypes, strict=True)
        ]


def plan_key(leaves, tree):
    """What two calls share that run by one plan; `None` when that cannot be told."""
    key = []
    for x in leaves:
        if isinstance(x, (jax.Array, np.ndarray)):
            key.append((x.shape, x.dtype, getattr(x, "weak_type", False)))
        else:
            key.append((type(x), x))
    key = (tree, tuple(key))
    try:
        hash(key)
    except TypeError:
        return None
    return key


@dataclasses.dataclass(eq=False)
class Call:
    """The arguments of one call, flat.

    `is_example` where they only stand for their shapes and dtypes.
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
            _static_key(x) for i, x in enumerate(self.leaves) if i not in set(self.places)
        )

    def key(self, unknown):
        """What two calls share whose program may be the same."""
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
        """The object that a method was called on; `None` for a plain function."""
        first = self.leaves[0] if self.leaves and 0 not in self.places else None
        return None if isinstance(first, _VALUES) else dereferenced(first)

    def over_operands(self, f):
        """`f` as a function of the flat operands."""
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
    """What a program is asked for: a call, and how its sizes are told apart.

    Attributes:
      call: the arguments.
      unknown: the unknown dimensions of the operands.
      pattern: for each of them its variable or constant.
      sizes: the sizes of the variables at this call.
      settled: what earlier runs have settled.
    """

    call: Call
    unknown: list
    pattern: tuple
    sizes: list[int]
    settled: Settled

    @property
    def key(self) -> object:
        """Equal for requests that the same programs may answer."""
        return self.call.key(self.unknown), self.pattern, self.settled.key


def _static_key(x):
    try:
        hash(x)
    except TypeError:
        return (type(x), id(x))
    return (type(x), x)


def variable_sizes(pattern, dims):
    sizes: list[int] = []
    for (kind, index), size in zip(pattern, dims, strict=True):
        if kind == "variable" and index == len(sizes):
            sizes.append(size)
    return sizes


def bind_positional(f, args, kwargs, count):
    """Positional arguments for a signature of `count` arguments; `self` may come before them.

    Raises:
      TypeError: there are more arguments, or fewer, than the signature has.
    """
    bound = args
    if kwargs:
        try:
            arguments = inspect.signature(f).bind_partial(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(errors.message("function", f"`{f.__name__}` {error}.")) from None
        bound = tuple(arguments.values())[: max(count, len(args) + len(kwargs))]
    own = bound[: len(bound) - count]
    if len(bound) < count or len(own) > 1 or any(isinstance(x, _VALUES) for x in own):
        raise TypeError(
            errors.message(
                "function",
                f"`{f.__name__}` takes as many arguments as `input_signature` has.",
                required=f"{count} argument{'s' if count != 1 else ''}",
                received=f"{len(bound)}",
            )
        )
    return bound


# What a call passes; the object in front of them is the one that a method belongs to.
_VALUES = (jax.Array, np.ndarray, np.generic, int, float, complex, str, list, tuple, dict, Padded)

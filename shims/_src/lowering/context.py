"""Hold the state of a lowering, and convert lowered values between layouts."""

from __future__ import annotations

import dataclasses
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering import packing, spread_padding, uses, wide_numbers
from shims._src.lowering.extents import (
    common_axis,
    common_extent,
    is_uniform,
    one_extent,
    same_axes,
)
from shims._src.lowering.refusals import (
    inner_size_error,
    line_of,
    ragged_rows_error,
    reused_size_error,
)
from shims._src.lowering.repeats import Frame, Repeats
from shims._src.lowering.report import Condition, Report
from shims._src.lowering.value import Axis, Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, equal_forms, error_values
from shims._src.sizes.sites import Site

SERIALS = itertools.count()


@dataclasses.dataclass(frozen=True)
class Largest:
    """The largest array of a program: its bytes, the primitive that computes it, and the user's line."""

    bytes: int = 0
    primitive: str = ""
    line: str = ""


class Root:
    """The state that all contexts of one lowering share.

    Attributes:
      buckets: a dict from sites (sizes without a bound, or buffers) to their capacities; `None`
        inside an enclosing trace, where capacities cannot grow.
      notes: the lines of text about sizes that `explain()` shows; `None` if they are not wanted.
      unbounded: the sizes without a bound, numbered in order of appearance.
    """

    def __init__(
        self, interpret, state, buckets: dict[Site, int] | None = None, notes=None, program=None
    ):
        self.interpret = interpret
        self._program = program
        self.state = state
        self.buckets = buckets
        self.notes: list[str] | None = notes
        self.unbounded: dict[str, int] = {}
        self.symbolic: dict[int, tuple[object, bool]] = {}
        self.fresh_capacity: dict[str, int] = {}
        self.largest = Largest()
        self.frames: list[Frame] = []  # the programs being lowered, innermost last
        self.repeats = Repeats()
        self.is_irreversible = False  # whether JAX would fail to transpose a loop of the program
        self.unread: list = []  # for each read that may give NaN, whether there was nothing to read

    @functools.cached_property
    def deciding(self) -> set[int]:
        """The identities of the equations of the program whose results cannot be marked by NaN."""
        return set() if self._program is None else uses.deciding(jp.open_jaxpr(self._program)[0])


class Context:
    """The scope of one jaxpr in a lowering: its sizes, and a cache of arrays such as masks."""

    def __init__(self, root: Root, env=None, cache=None):
        self.root = root
        self.env: dict[str, dims.Binding] = dict(env or {})
        self.cache: dict[object, object] = dict(cache or {})
        self.fillers: dict[object, object] = {}  # arrays of one number, of this scope only
        self.reports: list[Report] = []
        self.jaxpr = None  # the program that is being lowered
        self.owned: set[str] = set()  # sizes made in this scope
        self.inherited: set[str] = set()  # sizes made in the scopes around this one
        self.carried: set[str] = set()  # sizes that come with the operands of this scope
        self.ambiguous: set[str] = set()  # names of sizes that left an inner program twice
        self.unreturned: set[str] = (
            set()
        )  # sizes of called functions that none of their results has
        self.is_derivative = False  # whether a tangent rule is lowered, which JAX may transpose
        self.decides_loop = False  # whether the condition of a loop is lowered
        self.error_value = error_values.plain

    def child(self) -> Context:
        """Return a nested scope with the sizes of this one; changes to the nested scope stay in it."""
        inner = Context(self.root, self.env, self.cache)
        inner.ambiguous = set(self.ambiguous)
        inner.is_derivative = self.is_derivative
        inner.decides_loop = self.decides_loop
        inner.error_value = self.error_value
        inner.inherited = self.owned | self.inherited
        return inner

    def knows(self, name: str) -> bool:
        """Return whether the size `name` was created in this scope or an enclosing one.

        If so, `name` stands for one and the same size in both scopes.
        """
        return name in self.owned or (name in self.inherited and name not in self.carried)

    # ---- sizes -------------------------------------------------------------------------------

    def bind(self, name, size, capacity, *, low=0, fresh=False, valid=None, serial=None):
        """Set the run-time size and capacity of a dimension variable in this scope; return the binding."""
        serial = next(SERIALS) if serial is None else serial
        binding = dims.Binding(size, max(int(capacity), 0), low, serial, fresh, valid)
        self.env[name] = binding
        if fresh:
            self.root.fresh_capacity[name] = max(
                binding.capacity, self.root.fresh_capacity.get(name, 0)
            )
        return binding

    def note(self, eqn, dim, origin: str, capacity: int, layout: str) -> None:
        """Add a line for `explain()` about a new size."""
        if self.root.notes is not None:
            text = f"`{dim}`: {origin}, at most {capacity}, {layout}  ({line_of(eqn)})"
            self.root.notes.append(text)

    def bind_missing(self, name: str) -> None:
        """Set a size that only another branch of a conditional creates to 0 in this branch.

        Its capacity is the one from the other branch, since the results of all branches have equal shapes.
        """
        self.bind(
            name,
            jnp.int32(0),
            self.root.fresh_capacity.get(name, 1),
            serial=dims.Unnumbered.MISSING,
        )

    def require(self, d) -> None:
        """Raise an error if a dimension contains sizes that are unknown or ambiguous in this scope."""
        for name in jp.variables(d):
            if name in self.ambiguous:
                raise reused_size_error(d)
            if name not in self.env:
                raise inner_size_error(d)

    def capacity(self, d) -> int:
        """Return the static extent that a packed axis of dimension `d` has in the lowered program."""
        if not jp.is_symbolic(d):
            return int(d)
        self.require(d)
        return max(dims.interval(d, self.env)[1], 1)

    def size(self, d):
        """Return the run-time value of a dimension, at least 0."""
        if not jp.is_symbolic(d):
            return int(d)
        key = ("size", d, self._serials(d))
        if key not in self.cache:
            value = jp.as_jax(dims.evaluate(d, self.env), jnp.int32)
            if dims.is_wide(d, self.env):
                wide_numbers.report_beyond(self, dims.beyond(d, self.env), "")
            if dims.interval(d, self.env)[0] < 0:
                value = lax.max(value, jnp.int32(0))
            self.cache[key] = value
        return self.cache[key]

    def _serials(self, d):
        self.require(d)
        return tuple(sorted((v, self.env[v].serial) for v in jp.variables(d)))

    def axis(self, d) -> Axis | None:
        """Return the packed axis of a dimension; `None` if the dimension is static."""
        if not jp.is_symbolic(d):
            return None
        return Axis(d, self.size(d), self._packed_token(d))

    def _packed_token(self, d):
        return "packed", equal_forms.key(d), self._serials(d)

    def axes(self, shape) -> tuple[Axis | None, ...]:
        """Return the axes of a symbolic shape, all in the packed layout."""
        return tuple(self.axis(d) for d in shape)

    def shape(self, shape) -> tuple[int, ...]:
        """Return the static extents of a symbolic shape in the packed layout."""
        return tuple(self.capacity(d) for d in shape)

    # ---- validity ----------------------------------------------------------------------------

    def valid(self, axis: Axis, extent: int):
        """Return the validity mask of an axis, a vector of length `extent`."""
        if axis.valid is not None:
            return axis.valid
        key = ("valid", axis.token, extent)
        if key not in self.cache:
            self.cache[key] = lax.iota(jnp.int32, extent) < axis.size
        return self.cache[key]

    def valid_over(self, value: Value, axes=None):
        """Return the combined validity mask of some axes (by default all), in the shape of the array.

        Returns `None` if every slot is valid.
        """
        shape = value.array.shape
        result = None
        for i, axis in enumerate(value.axes):
            if axis is None or axis.uniform or (axes is not None and i not in axes):
                continue
            full = self.valid(axis, shape[i])
            full = full if len(shape) == 1 else lax.broadcast_in_dim(full, shape, (i,))
            result = full if result is None else lax.bitwise_and(result, full)
        return result

    def fill(self, value: Value, number, axes=None) -> Value:
        """Set the invalid slots of a value (along the given axes) to `number`."""
        if _same_number(value.pad, number):
            return value
        valid = self.valid_over(value, axes)
        if valid is None:
            return value
        array = value.array
        filler = array if _is_key(array) else self._filler(array.shape, number, array.dtype)
        pad = number if axes is None or _covers(value, axes) else None
        spread = value.spread and pad is None
        out = lax.select(valid, array, filler)
        return Value(out, value.axes, pad, value.bounds, spread=spread)

    def _filler(self, shape, number, dtype):
        """Return an array in which every element is `number`.

        While a program is traced, the array is cached, so that equal arrays are one value of the program.
        """
        number = np.asarray(number, dtype)
        key = shape, dtype, number.tobytes()
        found = self.fillers.get(key)
        if found is None:
            found = lax.broadcast_in_dim(number, shape, ())
            if jp.is_tracer(found):  # an array would take memory
                self.fillers[key] = found
        return found

    def clear_padding(self, value: Value, axes=None) -> Value:
        """Set invalid slots of a value that might hold NaN or infinity to 0.

        Derivatives multiply by the content of the padding, and 0 times NaN would reach the valid
        slot that the padding was copied from. Every rule that may copy elements into padding therefore
        ends with this call.
        """
        if not jnp.issubdtype(value.array.dtype, jnp.inexact):
            return value
        alike = [i for i, a in enumerate(value.axes) if a is not None and not a.per_row]
        axes = alike if axes is None else [i for i in axes if i in alike]
        return self.fill(value, np.zeros((), value.array.dtype), axes)

    def clear_spread(self, value: Value) -> Value:
        """Set the padding of a broadcast array to 0, but only if derivatives are computed.

        Otherwise the padding is unknown, and the value is marked as `spread`. A rule that creates such values passes
        the mark on to its results. See `spread_padding.py`.
        """
        if self.is_derivative or jp.is_differentiated() or not _is_staged(value.array):
            return self.clear_padding(value)
        if not jnp.issubdtype(value.array.dtype, jnp.inexact):
            return value
        valid = self.valid_over(value)
        if valid is None or any(a is not None and a.per_row for a in value.axes):
            return self.clear_padding(value)
        array = spread_padding.cleared(value.array, valid)
        return Value(array, value.axes, None, value.bounds, spread=True)

    def without_spread(self, value: Value) -> Value:
        """Clear the padding of a value if it may hold NaN or infinity."""
        return self.clear_padding(value) if value.spread else value

    # ---- layouts -----------------------------------------------------------------------------

    def materialize(self, value: Value, i: int) -> Value:
        """Expand a uniform axis (one stored slot stands for all) to a packed axis."""
        axis = value.axes[i]
        shape = list(value.array.shape)
        shape[i] = self.capacity(axis.dim)
        array = lax.broadcast_in_dim(value.array, shape, range(len(shape)))
        real = Value(array, value.with_axis(i, self.axis(axis.dim)), None, value.bounds)
        return self.clear_padding(real, (i,))

    def pack(self, value: Value, i: int) -> Value:
        """Move the valid slots of axis `i` to the front, and cut the axis to its capacity."""
        axis = value.axes[i]
        if axis is None or axis.packed:
            if axis is not None and axis.per_row:
                raise ragged_rows_error(axis.dim)
            return value
        if axis.uniform:
            return self.materialize(value, i)
        capacity = self.capacity(axis.dim)
        key = ("pack", axis.token, capacity)
        packed = Axis(axis.dim, axis.size, self._packed_token(axis.dim))
        rows = any(a is not None and a.per_row for a in value.axes)
        if key not in self.cache and (rows or not self._moves_directly(value.array)):
            self.cache[key] = packing.positions(axis.valid, capacity)
        places = self.cache.get(key)
        axes = value.with_axis(i, packed)
        if rows:
            axes = tuple(
                a and a.moved(i, lambda sizes: packing.take(sizes, places, i)) for a in axes
            )
        if places is None:
            array = packing.direct(value.array, axis.valid, capacity)
            return Value(array, axes, None, value.bounds)
        array = packing.take(value.array, places, i)
        return self.clear_padding(Value(array, axes, None, value.bounds), (i,))

    def _moves_directly(self, array) -> bool:
        """Return whether an array may be packed by one sequential loop over its slots.

        JAX cannot transpose this loop, so it must not be used while a derivative is computed.
        """
        return packing.is_direct(array) and not _is_key(array) and not self.is_derivative

    def pack_all(self, value: Value) -> Value:
        """Pack all dynamic axes; those whose size differs from row to row are packed already."""
        for i, axis in enumerate(value.axes):
            if axis is not None and not axis.per_row:
                value = self.pack(value, i)
        return value

    def expand_uniform(self, value: Value, axes=None) -> Value:
        """Expand the uniform axes of a value (by default all): those that store one slot for all slots."""
        for i, axis in enumerate(value.axes):
            if axis is not None and axis.uniform and (axes is None or i in axes):
                value = self.materialize(value, i)
        return value

    def align(
        self, values: list[Value], spread: bool = False
    ) -> tuple[list[Value], tuple[Axis | None, ...]]:
        """Convert values of equal rank to a common layout along each axis; leave scalars unchanged.

        Args:
          values: the values.
          spread: whether the padding of a value that is broadcast is cleared only where it is differentiated.

        Returns:
          The values, whose arrays have the same shape, and the common axes.
        """
        ranked = [v for v in values if v.axes]
        rank = max((len(v.axes) for v in ranked), default=0)
        for i in range(rank):
            tokens = {
                v.axes[i].token for v in ranked if v.axes[i] is not None and not v.axes[i].uniform
            }
            if len(tokens) > 1:
                ranked = [self.pack(v, i) if not is_uniform(v, i) else v for v in ranked]
                self._check_one_token(ranked, i)
            ranked = one_extent(ranked, i)
        axes = tuple(common_axis(ranked, i) for i in range(rank))
        shape = tuple(common_extent(v.array.shape[i] for v in ranked) for i in range(rank))
        ranked = [self._broadcast(v, shape, axes, spread) for v in ranked]
        aligned = iter(ranked)
        return [next(aligned) if v.axes else v for v in values], axes

    def _broadcast(self, value: Value, shape, axes, spread) -> Value:
        if value.array.shape == shape and same_axes(value, axes):
            return dataclasses.replace(value, axes=axes, unfilled=None)
        array = lax.broadcast_in_dim(value.array, shape, range(len(shape)))
        wide = Value(array, axes, None, value.bounds, spread=value.spread)
        if same_axes(value, axes):
            return wide
        return self.clear_spread(wide) if spread else self.clear_padding(wide)

    def _check_one_token(self, values, i) -> None:
        tokens = {v.axes[i].token for v in values if v.axes[i] is not None and not is_uniform(v, i)}
        if len(tokens) > 1:
            dim = next(v.axes[i].dim for v in values if v.axes[i] is not None)
            raise reused_size_error(dim)

    # ---- run-time conditions -----------------------------------------------------------------

    def report(self, condition: Condition, bad, payload) -> None:
        """Add a run-time check that fails if `bad` is true; `payload` is the number shown in its message."""
        payload = jnp.asarray(payload, jnp.int32)
        code = jnp.where(bad, lax.max(payload, jnp.int32(0)), jnp.int32(-1))
        self.reports.append(Report(condition, code))

    def adopt(self, conditions, codes) -> None:
        """Add the run-time checks of an inner scope, given the codes that the inner program returned."""
        for condition, code in zip(conditions, codes, strict=True):
            code = jnp.max(code, initial=-1) if jnp.ndim(code) else code
            self.reports.append(Report(condition, code))


def _is_staged(array) -> bool:
    return jp.is_jaxpr_tracer(array) and not jp.has_manual_axes()


def _covers(value: Value, axes) -> bool:
    return all(a is None or a.uniform or i in axes for i, a in enumerate(value.axes))


def _same_number(a, b) -> bool:
    if a is None:
        return False
    a, b = np.asarray(a), np.asarray(b)
    return bool(a == b) and bool(np.signbit(a) == np.signbit(b)) if a.dtype.kind == "f" else a == b


def _is_key(array) -> bool:
    return jax.dtypes.issubdtype(array.dtype, jax.dtypes.extended)

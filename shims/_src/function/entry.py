"""Trace one program of a compiled function, and compile it once per combination of bucket sizes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.function.joint_buckets import JointBuckets
from shims._src.function.lift import Found
from shims._src.function.signature import powers_of_two
from shims._src.lowering.exact_program import exact_program
from shims._src.platform import accelerators, jaxprs
from shims._src.platform import jax_private as jp
from shims._src.platform.placement import placed_like
from shims._src.recording.recording import whole
from shims._src.sizes import room, trace
from shims._src.sizes.padded import OK, Padded
from shims._src.sizes.sites import Site
from shims._src.tracing.dynamic import exact_all
from shims._src.tracing.program import Program, Size, lower, measured_sizes, trace_program


@dataclasses.dataclass(frozen=True)
class Form:
    """Representation of an input size in a program: a symbol, a constant, a multiple of a symbol."""

    kind: str = "symbol"
    number: int = 0

    def fits(self, size: int) -> bool:
        """Return whether this form represents a size: the size equals the constant, or is a multiple."""
        if self.kind == "constant":
            return size == self.number
        return self.kind == "symbol" or size % self.number == 0

    def capacity(self, bucket: int) -> int:
        """Return the capacity of an axis, given the bucket of the symbol in its size."""
        return self.number * bucket if self.kind == "multiple" else bucket

    def symbol_size(self, size: int) -> int:
        """Return the value of the symbol if the represented size is `size`."""
        return size // self.number if self.kind == "multiple" else size


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass(eq=False)
class Outcome:
    """The results of a compiled program as a pytree.

    Attributes:
      arrays: the arrays, still padded.
      masks: the validity masks of selections, with which the host removes the padding.
      numbers: one vector of the result sizes, followed by the codes of the run-time checks.
      facts: static data: the layouts of the results, and the checks.
      replaced: the values, before the call, of the variables that it assigns; `None` if the call assigns them
        whatever their values are by then. Not part of the pytree.
    """

    arrays: Any
    masks: Any
    numbers: Any
    facts: tuple
    replaced: tuple | None = None

    def tree_flatten(self):
        """Return arrays, masks and numbers as children, and `facts` as static data."""
        return (self.arrays, self.masks, self.numbers), self.facts

    @classmethod
    def tree_unflatten(cls, facts, children):
        """Create an `Outcome` from the static data and children that `tree_flatten` returned."""
        return cls(*children, facts)


def _specifications(shapes, operands):
    return [
        jax.ShapeDtypeStruct(s, o.dtype, weak_type=getattr(o, "weak_type", False))
        for s, o in zip(shapes, operands, strict=True)
    ]


def input_name(i: int) -> str:
    """Return the name of the dimension variable for the input size with index `i`."""
    return f"n{i}"


class Entry:
    """A traced program for one pattern of sizes, one set of guards and one set of assumptions.

    Args:
      f: the function of the flat operands.
      operands: the operands of the call that is traced.
      places: the unknown dimensions of the operands.
      pattern: for each unknown dimension, the size variable or constant that represents it.
      sizes: the values of the size variables in the call that is traced.
      forms: the representation of each size variable.
      settled: what earlier runs found out, such as sizes to replace by constants.
      host_cuts: whether the host removes the padding of results.

    Attributes:
      found: the `Variable`s that the program uses, or `None`.
    """

    def __init__(self, f, operands, places, pattern, sizes, forms, settled, host_cuts):
        self.forms, self.pattern, self.places = forms, pattern, places
        self.buckets: dict[Site, int] = {}
        self.notes: list[str] = []
        self.compilations = 0
        self.found: Found | None = None
        self._joint_buckets = JointBuckets()
        # The host's own selection is faster than any packing that XLA has on CPU.
        self.host_cuts = host_cuts and accelerators.on_cpu(*operands)
        self.unpads = host_cuts
        self._jitted: dict[object, Any] = {}
        symbols = {
            input_name(i): form.symbol_size(size)
            for i, (form, size) in enumerate(zip(forms, sizes, strict=True))
            if form.kind != "constant"
        }
        state = trace.DynamicTrace(symbols, settled, may_assume=True)
        self.shapes = self._symbolic_shapes(operands, state)
        data = None if any(map(jp.is_tracer, operands)) else operands
        specs = _specifications(self.shapes, operands)
        self.program: Program = trace_program(state, f, specs, data)

        def measured() -> Mapping[str, int]:
            state = trace.DynamicTrace(symbols, settled, may_assume=True)
            specs = _specifications(self._symbolic_shapes(operands, state), operands)
            return measured_sizes(state, f, specs, data)

        # The data-dependent sizes of the call that is traced, until its program has run.
        self.measured_sizes: Callable[[], Mapping[str, int]] | None = measured

    def take_variables(self, jaxpr, found: Found) -> None:
        """Replace the program by a version whose first inputs are the values of `Variable`s."""
        self.program = dataclasses.replace(self.program, jaxpr=jaxpr)
        self.found, self.host_cuts = found, False

    @functools.cached_property
    def calls_host(self) -> bool:
        """Whether the program calls Python functions."""
        return jaxprs.calls_host(self.program.jaxpr)

    def _symbolic_shapes(self, operands, state):
        shapes = [list(o.shape) for o in operands]
        for place, (kind, index) in zip(self.places, self.pattern, strict=True):
            shapes[place.operand][place.axis] = (
                index if kind == "constant" else self._dimension_of(index, state)
            )
        return [tuple(s) for s in shapes]

    def _dimension_of(self, index, state):
        form = self.forms[index]
        if form.kind == "constant":
            return form.number
        d = state.dimension(input_name(index))
        return form.number * d if form.kind == "multiple" else d

    def matches(self, sizes) -> bool:
        """Return whether the program is valid for these values of its size variables."""
        if not all(f.fits(s) for f, s in zip(self.forms, sizes, strict=True)):
            return False
        symbols = {
            input_name(i): f.symbol_size(s)
            for i, (f, s) in enumerate(zip(self.forms, sizes, strict=True))
        }
        return self.program.state.decisions.hold_for(symbols)

    def capacities(self, sizes, bucket) -> tuple[int, ...]:
        """Return the capacity for each size variable; with the default buckets, they are chosen jointly."""
        open_sizes = [
            f.symbol_size(s) for f, s in zip(self.forms, sizes, strict=True) if f.kind != "constant"
        ]
        buckets = tuple(map(bucket, open_sizes))
        if bucket is powers_of_two:
            buckets = self._joint_buckets.choose(buckets)
        else:
            self._joint_buckets.note(buckets)
        left = iter(buckets)
        return tuple(
            s if f.kind == "constant" else f.capacity(next(left))
            for f, s in zip(self.forms, sizes, strict=True)
        )

    def call(self, arrays, sizes, capacities):
        """Run the program on padded arrays, and return the `Outcome`."""
        key = frozenset(self.buckets.items())
        if key not in self._jitted:
            self._jitted[key] = jax.jit(self._padded_body(dict(self.buckets)))
        numbers = np.asarray(
            [f.symbol_size(s) for f, s in zip(self.forms, sizes, strict=True)], np.int32
        )
        given = list(arrays), numbers, _Static(capacities)
        with whole():
            try:
                return self._jitted[key](*given)
            except _MayNotFit as doubt:
                self._jitted[key] = _proven(
                    self._padded_body(dict(self.buckets), proven=True), given, doubt.largest
                )
                return self._jitted[key](*given)

    def call_exactly(self, arrays, sizes):
        """Run a version of the program for exactly these sizes, without padding; return the `Outcome`."""
        outcome = self._exact_program(sizes)(list(arrays))
        outcome.arrays += arrays
        return outcome

    def can_be_exact(self, arrays, sizes) -> bool:
        """Trace a version of the program for exactly these sizes, and return whether that succeeded."""
        try:
            jax.eval_shape(self._exact_program(sizes), list(arrays))
        except Exception:  # noqa: BLE001 - the padded program handles every failure
            return False
        return True

    def _exact_program(self, sizes):
        key = (frozenset(self.buckets.items()), sizes)
        if key not in self._jitted:
            self._jitted[key] = jax.jit(self._exact_body(dict(self.buckets), sizes))
        return self._jitted[key]

    def _exact_body(self, buckets, sizes):
        symbols = {
            input_name(i): f.symbol_size(s)
            for i, (f, s) in enumerate(zip(self.forms, sizes, strict=True))
            if f.kind != "constant"
        }
        program = dataclasses.replace(
            self.program, jaxpr=exact_program(self.program.jaxpr, symbols)
        )
        bound = {name: Size(size, size, size) for name, size in symbols.items()}

        def body(arrays):
            self.compilations += 1
            values, ctx = lower(program, arrays, bound, buckets, masks=self.host_cuts)
            return _make_outcome(self._placed(values, arrays), ctx, arrays)

        return body

    def _padded_body(self, buckets, proven=False):
        def body(arrays, numbers, capacities):
            self.compilations += 1
            sizes = {
                input_name(i): Size(numbers[i], f.symbol_size(c), 1 if f.kind == "multiple" else 2)
                for i, (f, c) in enumerate(zip(self.forms, capacities.value, strict=True))
                if f.kind != "constant"
            }
            self.notes = []
            values, ctx = lower(
                self.program, arrays, sizes, buckets, self.notes, masks=self.host_cuts
            )
            if not proven and room.lacking(ctx.root.largest.bytes) is not None:
                raise _MayNotFit(ctx.root.largest)
            return _make_outcome(self._placed(values, arrays), ctx)

        return body

    def _placed(self, values, arrays):
        """Let results that stay padded be sharded along their leading axis as the operands are."""
        if self.unpads:
            return values
        return [
            dataclasses.replace(v, array=placed_like(v.array, arrays)) if any(v.axes[:1]) else v
            for v in values
        ]


class _MayNotFit(Exception):
    """Raised if a program has an array larger than free memory; compilation may eliminate it."""

    def __init__(self, largest):
        super().__init__(largest)
        self.largest = largest


def _proven(body, given, largest):
    """Compile a program that may not fit into memory, and return it if the compiled program fits.

    Raises:
      ResourceExhaustedError: the results and temporaries of the compiled program do not fit.
    """
    program = jax.jit(body)
    used = program.lower(*given).compile().memory_analysis()
    needed = largest.bytes if used is None else used.temp_size_in_bytes + used.output_size_in_bytes
    free = room.lacking(needed)
    if free is not None:
        raise room.exhausted(largest.primitive, needed, free, "the program", largest.line)
    return program


class _Static:
    """A container that passes a hashable Python value through `jit` as static data, not an array."""

    def __init__(self, value):
        self.value = value


jax.tree_util.register_pytree_node(_Static, lambda s: ((), s.value), lambda v, _: _Static(v))


def _make_outcome(values, ctx, inputs=()) -> Outcome:
    """Assemble the `Outcome` of a program from its lowered results.

    For results that are selections from `inputs`, only masks are returned, because the host already has the
    inputs; the caller appends these to `Outcome.arrays`.
    """
    numbers: list[jax.Array] = []
    masks: list[jax.Array] = []
    axes = []
    for value in values:
        own = []
        for i, axis in enumerate(value.axes):
            if axis is not None and axis.valid is not None:
                own.append((i, -1 - len(masks)))
                masks.append(axis.valid)
            elif axis is not None:
                own.append((i, len(numbers)))
                numbers.append(jnp.asarray(axis.size, jnp.int32))
        axes.append(tuple(own))
    conditions = tuple(r.condition for r in ctx.reports)
    first_code = len(numbers)
    numbers += [r.code for r in ctx.reports]
    vector = jnp.stack(numbers) if numbers else None
    # Selections from the same array, which differ only in their masks, return it once.
    whole_arrays = [v.array if v.unfilled is None else v.unfilled for v in values]
    given = {id(x): i for i, x in enumerate(inputs)}
    from_given = [
        id(a) in given and any(at < 0 for _, at in own)
        for a, own in zip(whole_arrays, axes, strict=True)
    ]
    arrays = {id(a): a for a, known in zip(whole_arrays, from_given, strict=True) if not known}
    places = {key: i for i, key in enumerate(arrays)}
    results = tuple(
        (len(arrays) + given[id(a)] if known else places[id(a)], own)
        for a, known, own in zip(whole_arrays, from_given, axes, strict=True)
    )
    return Outcome(list(arrays.values()), masks, vector, (results, first_code, conditions))


def read_codes(outcome: Outcome, with_sizes: bool = True):
    """Read the sizes and the codes of run-time checks, with at most one transfer from the device.

    Args:
      outcome: the outcome of a call.
      with_sizes: whether the caller needs the sizes; if not, and nothing is to be checked, the device is not
        waited for.

    Returns `(numbers, [(check, code)])`, where `numbers` are all numbers of the outcome.
    """
    _, first_code, conditions = outcome.facts
    if outcome.numbers is None or not (with_sizes or conditions):
        return None, []
    numbers = np.asarray(outcome.numbers)
    return numbers, list(zip(conditions, numbers[first_code:].tolist(), strict=True))


def exact_results(outcome: Outcome, numbers):
    """Return the results as exact arrays, given the numbers that `read_codes` returned."""
    if not any(own for _, own in outcome.facts[0]):
        return [outcome.arrays[place] for place, _ in outcome.facts[0]]
    return exact_all(
        [
            (
                outcome.arrays[place],
                {axis: int(numbers[at]) for axis, at in own if at >= 0},
                {axis: outcome.masks[-1 - at] for axis, at in own if at < 0},
            )
            for place, own in outcome.facts[0]
        ]
    )


def padded_results(outcome: Outcome):
    """Return the results as `Padded` values, whose sizes stay on the device."""
    return [
        Padded(outcome.arrays[i], {axis: outcome.numbers[at] for axis, at in own}, jnp.int32(OK))
        if own
        else outcome.arrays[i]
        for i, own in outcome.facts[0]
    ]


def is_static(x) -> bool:
    """Return whether a flat argument is a Python value, which becomes part of the program."""
    return not (hasattr(x, "dtype") and hasattr(x, "shape")) and not jp.is_tracer(x)

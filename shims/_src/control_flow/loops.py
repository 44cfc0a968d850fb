"""Define `while_loop`, and stage traced loops as `lax.scan` or `lax.while_loop`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core as jex

from shims._src.arguments.conversion import as_array
from shims._src.control_flow import growing, untaken_branches
from shims._src.control_flow.loop_state import LoopState
from shims._src.control_flow.staging import current_value, is_array, is_number, is_staged
from shims._src.control_flow.tensor_array_state import ListState
from shims._src.control_flow.trip_count import Trips, find_trips
from shims._src.errors import errors
from shims._src.numeric.forward_mode_only import forward_mode_only
from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import buffers, primitives, trace
from shims._src.tracing import postponed_errors
from shims._src.types.tensor_shape import TensorShape


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
):
    """Repeat `body` on the loop variables while `cond` is true, and return the loop variables.

    Args:
      cond: a function of the loop variables that returns a bool scalar.
      body: a function of the loop variables that returns their next values, in the same structure.
      loop_vars: a list or tuple of arrays, numbers, or nested structures of them.
      shape_invariants: shapes that the variables keep; checked where the loop is not traced.
      parallel_iterations: accepted and ignored: iterations run one after the other.
      back_prop: False lets a bounded loop end early, without reverse-mode differentiation.
      swap_memory: accepted and ignored.
      maximum_iterations: the largest number of iterations.
      name: accepted and ignored.

    Returns:
      The final loop variables, in the structure of `loop_vars`.

    Raises:
      TypeError: a variable changes its structure or dtype.
      ValueError: there are no loop variables, or a variable breaks its shape invariant.
      UnimplementedError: the condition is traced, and a variable changes its shape, but a `jax.jit` without
        `shims.dynamic` calls the function, or the variable changes its rank.
      CapacityError: inside of an enclosing trace, a variable grows without a bound on the number of iterations,
        or by more in later iterations, as a variable that doubles.

    Differs from TensorFlow:
      Under a trace, `shape_invariants` are not checked, and a variable keeps its rank.

    Under jit:
      A loop whose condition is known while tracing is unrolled. In eager execution, also under
      `jax.grad`, shapes may change. All other loops are staged. A staged loop supports reverse-mode
      differentiation if its number of iterations has a bound: `maximum_iterations`, or a condition
      `t < n` (perhaps combined with other conditions), where the integer `t` starts at a known
      number and grows by a constant, and `n` is a size. A loop without a bound supports reverse
      mode inside of `shims.function`, which stages a fixed number of iterations, and stages more
      iterations if the loop needs more. In a call of a `shims.function` or of `shims.dynamic(f)`, a
      variable may change its sizes: it is stored in a buffer, which grows if it is too small. Inside
      of an enclosing trace, such as `jax.jit(shims.dynamic(f))`, the buffer cannot grow: pass
      `maximum_iterations`, and let each iteration add at most the same number of elements.

    Example:
      >>> while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + i), (0, 0))[1].item()
      3

    https://www.tensorflow.org/api_docs/python/tf/while_loop
    """
    del parallel_iterations, swap_memory, name
    if not isinstance(loop_vars, (list, tuple)) or not loop_vars:
        raise ValueError("while_loop: `loop_vars` must be a list or tuple of loop variables.")
    values = list(_with_arrays(loop_vars))
    limit = current_value(maximum_iterations)
    done = 0

    def step(state: Sequence) -> list:
        return _next_values(body(*state), len(values))

    while is_staged(limit) or limit is None or done < limit:
        holds = current_value(cond(*values))
        if is_staged(holds) or is_staged(limit):
            values = _stage_loop(cond, step, values, limit, done, back_prop)
            break
        if not holds:
            break
        values, done = step(values), done + 1
        _check_invariants(shape_invariants, values)
    return _pack_like(loop_vars, values)


def _next_values(results, count: int) -> list:
    """Return the results of the body as a list with one value per loop variable."""
    if not isinstance(results, (list, tuple)):
        results = (results,)
    if len(results) != count:
        raise ValueError(
            errors.message(
                "while_loop",
                "`body` must return as many values as there are loop variables.",
                required=str(count),
                received=str(len(results)),
            )
        )
    return list(_with_arrays(results))


def _with_arrays(values):
    """Convert numbers to arrays; a `TensorArray` stays itself, whose elements may differ in shape."""
    return jax.tree.map(_to_array, values, is_leaf=lambda v: isinstance(v, ListState))


def _to_array(leaf):
    return as_array(leaf) if is_array(leaf) or is_number(leaf) or jp.is_symbolic(leaf) else leaf


def _pack_like(template, values):
    """Pack `values` in a list or tuple, like the loop variables that the user passed."""
    if hasattr(template, "_fields"):
        return type(template)(*values)
    return type(template)(values)


def _check_invariants(invariants, values) -> None:
    if invariants is None:
        return
    expected = jax.tree.leaves(invariants, is_leaf=_is_shape)
    found = jax.tree.leaves(
        values, is_leaf=lambda v: hasattr(v, "shape") or isinstance(v, ListState)
    )
    for given, value in zip(expected, found):
        shape = TensorShape(getattr(given, "shape", given))
        if hasattr(value, "shape") and not shape.is_compatible_with(value.shape):
            raise ValueError(
                errors.message(
                    "while_loop",
                    "a loop variable violates its shape invariant.",
                    required=str(shape),
                    received=str(tuple(value.shape)),
                )
            )


def _is_shape(value) -> bool:
    """Return whether a value is a shape, such as that of an array, or a `TensorSpec`."""
    if isinstance(value, (list, tuple)):
        return all(size is None or is_number(size) or jp.is_symbolic(size) for size in value)
    return hasattr(value, "is_compatible_with")


def _stage_loop(cond, step, values, limit, done: int, back_prop: bool) -> list:
    names = [f"loop_vars[{i}]" for i in range(len(values))]
    if limit is not None:
        limit = as_array(limit) - done if is_staged(limit) else int(limit) - done
    body = lambda state, _: (step(state), ())
    try:
        loop, grown = growing.trace_growing_loop(
            body, values, names, label="while_loop", limit=limit
        )
    except postponed_errors.REFUSALS as error:
        untaken_branches.check_not_reached(lambda: _has_iterations(cond(*values), limit), error)
        return values
    test = lambda state: cond(*grown.open(state))
    return grown.open(stage_while(loop, test, limit, back_prop=back_prop)[0])


def _has_iterations(holds, limit):
    """Return a traced bool that tells whether a loop runs at least one iteration."""
    return jnp.asarray(holds) if limit is None else jnp.asarray(holds) & (limit > 0)


def stage_while(
    loop: LoopState, test: Callable, limit=None, *, back_prop: bool = True, earlier=None
):
    """Stage a loop whose body is traced, and which runs while a test of its state is true.

    Args:
      loop: the traced body.
      test: a function from the state to a bool scalar.
      limit: the largest number of iterations: an int, a dimension, a traced scalar, or `None`.
      back_prop: whether the loop should support reverse-mode differentiation if possible.
      earlier: the state some iterations ago, if these iterations ran as ordinary Python.

    Returns:
      `(values, emitted, live)`: the state after the loop, the outputs of each possible iteration, and a mask
      of the iterations that ran. `emitted` is `None` if the number of iterations has no bound.
    """
    loop.vary_as(limit)
    condition = loop.condition(test)
    trips = find_trips(condition, loop.step_jaxpr(), loop.known(), loop.known_of(earlier))
    if limit is not None:
        trips = _tighter_bound(trips, limit)
    has_items = bool(jax.tree.leaves(loop.emitted))
    differentiated = back_prop and (jp.is_differentiated() or _DIFFERENTIATED.value)
    if trips is not None and differentiated and is_staged(trips.count) and jp.is_inner_trace():
        # The backward pass of the loop around this one cannot have a data-dependent length.
        trips = None if _may_grow() else trips
    if trips is not None and (has_items or trips.exact or back_prop):
        length = _scan_length(trips.count)
        if length is not None:
            return stage_scan(loop, (), length, None if trips.exact else condition)
    if (has_items or differentiated) and _may_grow():
        return _stage_in_bucket(loop, condition)
    if has_items:
        raise_unbounded(loop.label)
    carry = _run_while(loop, condition, limit)
    # Inside of a dynamic trace `lax.while_loop` does that.
    carry = forward_mode_only(carry) if trace.current() is None else carry
    return loop.finish(carry), None, None


# Set from outside, since `gradients` in a graph comes after the loop that it differentiates.
_DIFFERENTIATED = ThreadSlot(False)


def to_be_differentiated(is_so: bool) -> contextlib.AbstractContextManager[object]:
    """Return a context manager in which loops without a bound are staged in a differentiable form."""
    return _DIFFERENTIATED.holding(is_so or _DIFFERENTIATED.value)


def _may_grow() -> bool:
    state = trace.current()
    return state is not None and state.may_assume


def _stage_in_bucket(loop: LoopState, condition):
    """Stage a loop without a bound as a scan with a fixed number of steps that can grow."""
    capacity = buffers.growable(loop.label)
    carry, emitted, flags = _run_scan(loop, (), capacity.slots, condition)
    step = lambda c: (c[0] + 1, loop.step(c[1])[0])
    rest = lax.while_loop(
        lambda c: jex.jaxpr_as_fun(condition)(*c[1])[0],
        step,
        (jnp.zeros((), jnp.int32), jax.tree.map(lax.stop_gradient, carry)),
    )[0]
    trips = jnp.sum(flags, dtype=jnp.int32) + rest
    primitives.check_capacity(trips, capacity.site, capacity.slots)
    return loop.finish(carry), emitted, flags


def _tighter_bound(trips: Trips | None, limit) -> Trips:
    """Return the smaller of the bound inferred from the loop's condition and the stated limit.

    If they cannot be compared while tracing, the limit is returned.
    """
    if trips is None or not isinstance(trips.count, int) or not isinstance(limit, int):
        return Trips(max(limit, 0) if isinstance(limit, int) else limit, exact=False)
    return trips if trips.count <= limit else Trips(limit, exact=trips.exact)


def _scan_length(count):
    """Convert a bound of the iterations to the length of a scan; `None` if no capacity holds it."""
    if not is_staged(count):
        return jnp.arange(count).shape[0]  # never negative, even for a symbolic size
    positions = None if trace.current() is None else primitives.positions_of_loop(count)
    return None if positions is None else positions.shape[0]


def stage_scan(loop: LoopState, items, length, live=None):
    """Stage a loop that runs a traced body once per slice of `items`, while `live` is true.

    Args:
      loop: the traced body.
      items: arrays `[length, ...]`, nested; the body gets one slice of each.
      length: the number of iterations, an int or a dimension.
      live: closed jaxpr of a condition on the carry; once it is false, further iterations do
        nothing.

    Returns:
      `(values, emitted, live)` as `stage_while`; `live` is `None` if every iteration ran.
    """
    carry, emitted, flags = _run_scan(loop, items, length, live)
    return loop.finish(carry), emitted, flags


def _run_scan(loop: LoopState, items, length, live):
    xs = (
        items,
        jnp.arange(length, dtype=jnp.int32),
    )  # the only way to give `scan` a symbolic length
    if live is None:
        carry, emitted = lax.scan(lambda carry, x: loop.step(carry, x[0]), loop.initial(), xs)
        return carry, emitted, None

    def step(carry, x):
        (holds,) = jex.jaxpr_as_fun(live)(*carry)
        zeros = jax.tree.map(lambda a: jp.varying_as(jnp.zeros(a.shape, a.dtype), a), loop.emitted)
        carry, emitted = lax.cond(
            holds, lambda: loop.step(carry, x[0]), lambda: (list(carry), zeros)
        )
        return carry, (emitted, holds)

    carry, (emitted, flags) = lax.scan(step, loop.initial(), xs)
    return carry, emitted, flags


def _run_while(loop: LoopState, condition, limit):
    """Run a loop as `lax.while_loop`, and return the arrays that it carries after the last iteration."""
    if limit is None:
        return lax.while_loop(
            lambda carry: jex.jaxpr_as_fun(condition)(*carry)[0],
            lambda carry: loop.step(carry)[0],
            loop.initial(),
        )
    limit = as_array(limit)
    return lax.while_loop(
        lambda c: (c[0] < limit) & jex.jaxpr_as_fun(condition)(*c[1])[0],
        lambda c: (c[0] + 1, loop.step(c[1])[0]),
        (jnp.zeros((), limit.dtype), loop.initial()),
    )[1]


def stage_counted(loop: LoopState, count, item: Callable, live=None):
    """Stage a loop that runs a traced body `count` times, where `count` is traced and has no bound.

    Args:
      loop: the traced body, which emits nothing.
      count: int32 scalar.
      item: a function from the index of an iteration to its item.
      live: closed jaxpr of a condition on the carry that ends the loop early.

    Returns:
      `(values, None, None)`, as `stage_while`.
    """

    def goes_on(c):
        holds = c[0] < count
        return holds if live is None else holds & jex.jaxpr_as_fun(live)(*c[1])[0]

    _, carry = lax.while_loop(
        goes_on,
        lambda c: (c[0] + 1, loop.step(c[1], item(c[0]))[0]),
        (jnp.zeros((), jnp.int32), loop.initial()),
    )
    return loop.finish(carry), None, None


def raise_unbounded(label: str):
    """Raise the error for a loop that collects outputs but has no bound on its iterations."""
    raise errors.CapacityError(
        errors.message(
            label,
            "a list grows in a loop whose number of iterations is traced and has no bound.",
            required="a bound on the number of iterations",
            do="call this code inside a `shims.function`, or write `for i in range(shims.bounded(n, max=...))`.",
        )
    )

"""Number the values of a trace: equal computations get equal numbers and equal sizes.

A traced program is a graph of equations; two masks computed by the same equations from the same
inputs select alike. Abstract evaluation cannot tell, because JAX caches it by types, so every
data-dependent size gets its name from these numbers. Traced scalars that were computed from sizes are
mapped back to symbolic dimensions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes import size_bounds

_DEPTH = 60


def size_of_selection(state, mask):
    """Return `(name, dimension)` of the size that counts the true entries of `mask`."""
    name, dim = state.size_of(("selection", number(state, mask)), mask)
    state.fresh.state_bound(name, size_bounds.upper_bound(state, mask.shape[0]))
    return name, dim


def size_of_count(state, count, bound=None):
    """Return `(name, dimension)` of the size whose run-time value is the scalar `count`."""
    name, dim = state.size_of(("count", number(state, count)), count)
    if bound is not None:
        state.fresh.state_bound(name, size_bounds.upper_bound(state, bound))
    return name, dim


def number(state, x) -> int:
    """Return the value number of a tracer; tracers of equal computations have equal numbers."""
    return _number_tracer(state, jp.primal_tracer(x), 0)


def _number_tracer(state, x, depth) -> int:
    known = state.numbers.known(x)
    return _new_number(state, x, depth) if known is None else known


def _new_number(state, x, depth) -> int:
    # Numbers instead of nested keys: a program is a graph, and its paths are many.
    try:
        found = state.numbers.of(_computation_key(state, x, depth))
    except TypeError:  # a parameter cannot be hashed
        found = state.numbers.of(_key_of_input(state, x))
    return state.numbers.remember(x, found)


def _number_of_operand(state, x, depth) -> int:
    known = state.numbers.known(x)
    if known is not None:
        return known
    if jp.is_literal(x):  # a new object for each equation
        return state.numbers.of(_key_of_constant(state, jp.constant_of(x)))
    primal = jp.primal_tracer(x)
    return (_new_number if primal is x else _number_tracer)(state, primal, depth)


def _key_of_input(state, x):
    return state.numbers.keep(x, ("input", jp.identity_of(x)))


def _computation_key(state, x, depth):
    found = jp.defining_equation(x)
    if found is not None and depth <= _DEPTH:
        eqn, position = found
        operands = [_number_of_operand(state, a, depth + 1) for a in jp.operand_atoms(eqn)]
        return ("equation", eqn.primitive.name, _key_of_params(eqn.params), position, *operands)
    constant = jp.constant_of(x)
    if jp.is_tracer(constant):  # a value of the enclosing program
        return _computation_key(state, jp.primal_tracer(constant), depth + 1)
    return _key_of_input(state, x) if constant is None else _key_of_constant(state, constant)


def _key_of_constant(state, constant):
    if np.ndim(constant) == 0:
        array = np.asarray(constant)
        if array.dtype != object:
            return ("constant", array.dtype, array.tobytes())
    return state.numbers.keep(constant, ("object", id(constant)))


def _key_of_params(params):
    if not params:
        return ()
    items = tuple(sorted(params.items()))
    if not jaxprs.sub_jaxprs(params):
        return items
    # Inner programs are traced once per function and types: identity is equality.
    return tuple(
        (name, ("id", id(value)) if jaxprs.is_jaxpr(value) else value) for name, value in items
    )


# The primitives that give the number of a size.
SIZE_READERS = ("dim_as_value", "size_number")


def equations_behind(x, ends=SIZE_READERS, known: Collection[int] = ()) -> Iterator[Any]:
    """Yield the equations that compute a staged value, from the last one, and `None` for each input.

    Args:
      x: a tracer.
      ends: the names of primitives whose operands are left out.
      known: the `id`s of tracers that are left out.
    """
    seen: dict[int, object] = {}
    left = [jp.primal_tracer(x)]
    while left:
        x = left.pop()
        if id(x) in seen or id(x) in known:
            continue
        seen[id(x)] = x
        constant = jp.constant_of(x)
        if jp.is_tracer(constant):  # a value of the enclosing program
            left.append(jp.primal_tracer(constant))
        elif constant is None:
            found = jp.defining_equation(x)
            yield found and found[0]
            if found is not None and found[0].primitive.name not in ends:
                left += map(jp.primal_tracer, jp.operand_atoms(found[0]))


def sizes_behind(x, known: Collection[int] = ()) -> list | None:
    """Return the sizes from which alone a traced value was computed, `None` if there are other inputs."""
    sizes = {}
    for eqn in equations_behind(x, known=known):
        if eqn is None:
            return None
        if eqn.primitive.name in SIZE_READERS:
            sizes[str(eqn.params["dim"])] = eqn.params["dim"]
    return list(sizes.values())


def symbolic_value(x):
    """Return the dimension or integer from which a traced integer scalar was computed, or `None`."""
    try:
        found = _evaluate(jp.primal_tracer(x), 0)
    except _NotSymbolic:
        return None
    if found.ndim:
        return None
    value = found.item()
    return value if jp.is_symbolic(value) else int(value)


class _NotSymbolic(Exception):
    pass


def _evaluate(x, depth) -> np.ndarray:
    """Evaluate the equations behind a small integer tracer, on object arrays of ints and dimensions."""
    constant = jp.constant_of(x)
    if constant is not None:
        if jp.is_tracer(constant):  # a value of the enclosing program
            return _evaluate(jp.primal_tracer(constant), depth + 1)
        array = np.asarray(constant)
        if array.size > 64 or array.dtype.kind not in "iu":
            raise _NotSymbolic
        return array.astype(object)
    found = jp.defining_equation(x)
    if found is None or depth > _DEPTH:
        raise _NotSymbolic
    eqn, position = found

    def operands():
        atoms = map(jp.primal_tracer, jp.operand_atoms(eqn))
        return [_evaluate(atom, depth + 1) for atom in atoms]

    return _apply(eqn, operands)[position]


def _apply(eqn, operands):
    """Evaluate an equation on object arrays; `operands()` computes them if the equation has a rule."""
    name, params = eqn.primitive.name, eqn.params
    if name in SIZE_READERS:
        return [_object_scalar(params["dim"])]
    if name in ("jit", "pjit"):
        return _apply_inner(params, operands())
    rule = _RULES.get(name)
    if rule is None:
        raise _NotSymbolic
    result = rule(params, *operands())
    # NumPy returns the object itself in place of an object array of rank 0.
    return [result if isinstance(result, np.ndarray) else _object_scalar(result)]


def _apply_inner(params, values):
    named = _NAMED.get(params["name"])
    if named is not None and len(values) == 2 and all(v.ndim == 0 for v in values):
        return [_object_scalar(named(values[0].item(), values[1].item()))]
    jaxpr, consts = jp.open_jaxpr(params["jaxpr"])
    known = dict(zip(jaxpr.constvars, map(_as_object_array, consts), strict=True))
    known.update(zip(jaxpr.invars, values, strict=True))
    return jaxprs.evaluate(
        jaxpr,
        known,
        lambda eqn, given: _apply(eqn, lambda: given),
        lambda literal: _as_object_array(literal.val),
    )


def _as_object_array(number) -> np.ndarray:
    return np.asarray(number).astype(object)


def _object_scalar(value):
    out = np.empty((), object)
    out[()] = value
    return out


def _elementwise_rule(f):
    def rule(params, a, b):
        out = np.empty(np.broadcast_shapes(a.shape, b.shape), object)
        for i in np.ndindex(out.shape):
            out[i] = f(np.broadcast_to(a, out.shape)[i], np.broadcast_to(b, out.shape)[i])
        return out

    return rule


def _convert_rule(params, a):
    if np.dtype(params["new_dtype"]).kind not in "iu":
        raise _NotSymbolic
    return a


def _slice_rule(params, a):
    strides = params["strides"] or (1,) * a.ndim
    bounds = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return a[tuple(slice(*b) for b in bounds)]


def _broadcast_rule(params, a):
    shape = params["shape"]
    if any(jp.is_symbolic(d) for d in shape):
        raise _NotSymbolic
    expanded = [1] * len(shape)
    for i, j in enumerate(params["broadcast_dimensions"]):
        expanded[j] = a.shape[i]
    return np.broadcast_to(a.reshape(expanded), shape)


def _reshape_rule(params, a):
    if any(jp.is_symbolic(d) for d in params["new_sizes"]):
        raise _NotSymbolic
    order = params.get("dimensions")
    return (a if order is None else a.transpose(order)).reshape(params["new_sizes"])


def _product_rule(params, a):
    if a.ndim != 1:
        raise _NotSymbolic
    out = 1
    for item in a:
        out = item * out
    return _object_scalar(out)


_NAMED = {"floor_divide": lambda a, b: a // b, "remainder": lambda a, b: a % b}
_RULES = {
    "add": _elementwise_rule(lambda a, b: a + b),
    "sub": _elementwise_rule(lambda a, b: a - b),
    "mul": _elementwise_rule(lambda a, b: a * b),
    "max": _elementwise_rule(jp.core.max_dim),
    "min": _elementwise_rule(jp.core.min_dim),
    "neg": lambda params, a: -a,
    "convert_element_type": _convert_rule,
    "copy": lambda params, a: a,
    "copy_p": lambda params, a: a,
    "slice": _slice_rule,
    "squeeze": lambda params, a: np.squeeze(a, tuple(params["dimensions"])),
    "reshape": _reshape_rule,
    "broadcast_in_dim": _broadcast_rule,
    "concatenate": lambda params, *parts: np.concatenate(parts, params["dimension"]),
    "stack": lambda params, *parts: np.stack(parts, params["axis"]),
    "reduce_prod": _product_rule,
}

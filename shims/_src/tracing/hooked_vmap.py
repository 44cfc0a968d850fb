"""Support `vmap` in a dynamic trace; if rows have different sizes, they are processed one by one."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import jax
from jax import lax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import (
    equations,
    evaluate,
    own_equations,
    program_between,
    sub_jaxprs,
)
from shims._src.sizes import primitives, trace
from shims._src.tracing import own_programs

rows_p = jp.Primitive("rows")
rows_p.multiple_results = True


def batch(state, original, fun, axis_data, in_dims, out_dim_dests, *rest, **options):
    """Batch a function for `vmap`, tracing it to a jaxpr first to find out whether it creates sizes."""
    fun = jp.batch_over(fun, functools.partial(_trace_body_first, jp.emptying_stores(fun)))
    return original(fun, axis_data, in_dims, out_dim_dests, *rest, **options)


def _trace_body_first(empty_stores, f, *args):
    """Trace the function mapped by `vmap` to a jaxpr, and evaluate that.

    `empty_stores` lets the function be called once more.

    If its data-dependent sizes differ between the rows, the function becomes a single equation, `rows`.
    """
    state = trace.current()
    if state is None or not any(jp.is_batched(a) for a in args):
        return f(*args)
    if not all(hasattr(a, "dtype") for a in args):
        return f(*args)
    specs = [jp.abstract(jp.aval_of(a)) for a in args]
    before = len(state.fresh)

    def body(*xs):
        empty_stores()
        return list(f(*xs))

    closed = own_programs.traced(lambda body: jax.make_jaxpr(body)(*specs), body, specs)
    jaxpr, consts = jp.open_jaxpr(closed)
    if len(state.fresh) == before or not _size_depends_on_batch(jaxpr, args, consts):
        return jp.core.eval_jaxpr(jaxpr, consts, *args)
    return _by_rows(jp.close(jaxpr, len(consts)), [*consts, *args])


def _by_rows(closed, args):
    """Run a batched body row by row, except for its collectives over the batch, such as `psum`.

    A collective needs the operands of all rows, so these are computed first, by a separate program,
    from the results of the earlier collectives.
    """
    jaxpr, _ = jp.open_jaxpr(closed)
    steps = own_equations(jaxpr)
    collectives = [(i, e) for i, e in enumerate(steps) if jp.is_collective(e)]
    if any(any(sub_jaxprs(e.params)) for _, e in collectives):
        raise _nested_collective()
    variables, values = list(jaxpr.invars), list(args)
    for count, eqn in collectives:
        needed = [v for v in eqn.invars if not isinstance(v, jp.Literal)]
        found = iter(_rows_of(jaxpr, count, variables, values, needed))
        operands = [v.val if isinstance(v, jp.Literal) else next(found) for v in eqn.invars]
        variables += eqn.outvars
        values += jp.bind(eqn, operands)
    return _rows_of(jaxpr, len(steps), variables, values, jaxpr.outvars)


def _rows_of(jaxpr, count: int, variables, values, outvars):
    """Compute variables of a batched body's first `count` equations row by row, given the values of others."""
    program, used = program_between(jaxpr, count, variables, outvars)
    kept = [x for x, is_used in zip(values, used, strict=True) if is_used]
    if not any(map(jp.is_batched, kept)):
        return jp.core.jaxpr_as_fun(program)(*kept)
    return rows_p.bind(*kept, jaxpr=program)


def _nested_collective() -> errors.UnimplementedError:
    return errors.UnimplementedError(
        errors.message(
            "vmap",
            "a loop or another inner program computes over all rows at once, but the rows have different sizes.",
            required="`psum` and other collectives outside of loops, branches and `jax.jit`",
            do="call the collective on the result of the inner program",
        )
    )


def _size_depends_on_batch(jaxpr, args, consts) -> bool:
    """Return whether a mapped function creates a data-dependent size that differs between the rows."""
    return _depends(jaxpr, map(jp.is_batched, args), map(jp.is_batched, consts))[0]


def _depends(jaxpr, inputs: Iterable[bool], constants: Iterable[bool]) -> tuple[bool, list[bool]]:
    """Return whether a jaxpr creates a size from inputs or constants that are marked, and which results are marked."""
    env = dict(zip(jaxpr.invars, inputs, strict=True))
    env.update(zip(jaxpr.constvars, constants, strict=True))
    found = False

    def step(eqn, marked):
        nonlocal found
        found |= eqn.primitive.name in primitives.SIZE_MAKERS and marked[-1]
        results = [any(marked)] * len(eqn.outvars)
        if any(marked) and not found:
            inner = [_depends_inside(closed, eqn, marked) for closed in sub_jaxprs(eqn.params)]
            found = any(makes for makes, _ in inner)
            if inner and _inputs_inside(eqn, marked) is not None:
                results = list(map(any, zip(*(of_inner for _, of_inner in inner), strict=True)))
        return results

    results = evaluate(jaxpr, env, step, lambda literal: False)
    return found, list(results)


_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "remat", "checkpoint"})


def _inputs_inside(eqn, marked: list[bool]) -> list[bool] | None:
    """Return the marks of the inputs of the jaxprs in an equation, if these are its operands."""
    if eqn.primitive.name in _CALLS:
        return marked
    return marked[1:] if eqn.primitive.name == "cond" and not marked[0] else None


def _depends_inside(closed, eqn, marked: list[bool]) -> tuple[bool, list[bool]]:
    jaxpr, _ = jp.open_jaxpr(closed)
    inputs = _inputs_inside(eqn, marked)
    inputs = [True] * len(jaxpr.invars) if inputs is None else inputs
    return _depends(jaxpr, inputs, [False] * len(jaxpr.constvars))


def _batch_rows(args, dims, *, jaxpr):
    mapped = [i for i, d in enumerate(dims) if d is not jp.NOT_MAPPED]
    moved = [jax.numpy.moveaxis(args[i], dims[i], 0) for i in mapped]

    def row(parts):
        full = list(args)
        for i, part in zip(mapped, parts, strict=True):
            full[i] = part
        return jp.core.jaxpr_as_fun(jaxpr)(*full)

    for aval in jaxpr.out_avals:
        for d in getattr(aval, "shape", ()):
            if jp.is_symbolic(d) and _made_inside(jaxpr, d):
                raise ragged_rows(d)
    outs = lax.map(row, moved)
    return outs, [0] * len(outs)


def _made_inside(jaxpr, d) -> bool:
    makers = (e for e in equations(jaxpr) if e.primitive.name in primitives.SIZE_MAKERS)
    return bool(jp.variables(d) & {e.params["name"] for e in makers})


def ragged_rows(d) -> errors.FreshSizeError:
    """Create the error for a `vmap` whose result would have rows of different sizes."""
    return errors.FreshSizeError(
        errors.message(
            "vmap",
            f"the data-dependent size `{d}` of the result differs from row to row.",
            required="rows of the same size",
            do="reduce or pad each row inside the mapped function, or apply `jax.vmap` outside of the function; the "
            "result is then a `Padded` in which each row has its own size",
        )
    )


jp.batching.primitive_batchers[rows_p] = _batch_rows


@rows_p.def_abstract_eval
def _rows_aval(*avals, jaxpr):
    return jaxpr.out_avals

"""Add carriers of sizes to nested jaxprs, so that differentiation keeps sizes computable.

When JAX differentiates a nested jaxpr, it splits the jaxpr and drops equations whose results are not
read. A size occurs only in shapes, which do not count as reads: `fill([size(y) + 1], a)` does not read
`y`. So the results of an equation with a size that none of its operands has are passed through
`sized(result, carrier)`, where the carrier is an array of that length.
"""

from __future__ import annotations

import contextlib

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import equations, evaluate, own_equations, with_equations
from shims._src.sizes import primitives, trace


@contextlib.contextmanager
def inner_program():
    """Open a block that traces a branch or loop body; sizes created in it are defined only there."""
    state = trace.current()
    if state is None:
        yield
        return
    with state.fresh.inside_program():
        yield


def attached(closed):
    """Add carriers to a nested jaxpr, so that each array depends on the source of its sizes.

    Args:
      closed: the closed jaxpr of a branch or a loop body, traced under the current trace.

    Returns:
      The changed jaxpr; `closed` itself if no carrier is missing.
    """
    state = trace.current()
    inner = frozenset() if state is None else state.fresh.inner
    if not inner:
        return closed
    if not any(_missing_sizes(eqn, inner) for eqn in own_equations(closed)):
        return closed
    return _CarrierPass(state.fresh, inner, closed).run()


def attached_in_call(closed):
    """Add carriers to the jaxpr of a called function, for the sizes that the function itself makes.

    Args:
      closed: the jaxpr, closed or open.

    Returns:
      The changed jaxpr; `closed` itself if no carrier is missing.
    """
    makers = (e for e in equations(closed) if e.primitive.name in primitives.SIZE_MAKERS)
    names = frozenset(e.params["name"] for e in makers)
    if not any(_missing_sizes(eqn, names) for eqn in own_equations(closed) if names):
        return closed
    return _CarrierPass(None, names, closed).run()


def _missing_sizes(eqn, names: frozenset[str]) -> set[str]:
    """Return which of the sizes `names` occur in an equation but in none of its operands."""
    if eqn.primitive.name in primitives.SIZE_MAKERS or eqn.primitive is primitives.sized_p:
        return set()
    have = set().union(
        *(_variables_in(v.aval.shape) for v in eqn.outvars if hasattr(v.aval, "shape"))
    )
    have |= _variables_in(tuple(eqn.params.values()))
    if have.isdisjoint(names):
        return set()
    given = (_variables_in(a.aval.shape) for a in eqn.invars if hasattr(a.aval, "shape"))
    return (have & names).difference(*given)


def _variables_in(value) -> frozenset[str]:
    if isinstance(value, tuple):
        return frozenset().union(*map(_variables_in, value))
    return jp.variables(value) if jp.is_symbolic(value) else frozenset()


class _CarrierPass:
    """A compiler pass over one nested jaxpr that adds the missing carriers.

    Args:
      fresh: the sizes of the trace, to find carriers in the enclosing program; `None` to use none of it.
      inner: the names of the sizes that need carriers.
      closed: the jaxpr.
    """

    def __init__(self, fresh, inner, closed):
        self._fresh, self._inner, self._closed = fresh, inner, closed
        self._jaxpr, _ = jp.open_jaxpr(closed)
        self._carriers: dict[str, object] = {}  # by size: a variable that long
        self._made: dict[str, object] = {}  # by size: the equation that makes it
        self._equations: list = []
        self._more: list[tuple] = []  # variables and values of carriers from the enclosing program

    def run(self):
        """Return the nested jaxpr with carriers added."""
        env: dict = {v: v for v in (*self._jaxpr.constvars, *self._jaxpr.invars)}
        for var in env:
            self._use_as_carrier(var)
        outvars = evaluate(self._jaxpr, env, self._add, lambda literal: literal)
        return with_equations(
            self._closed, self._jaxpr.invars, self._equations, outvars, self._more
        )

    def _add(self, eqn, operands) -> list:
        """Append an equation to the new jaxpr; return its results, with missing carriers attached."""
        # Results that nothing reads may become carriers, so they must be variables.
        results = list(map(jp.readable_variable, eqn.outvars))
        eqn = eqn.replace(invars=operands, outvars=results)
        lacking = _missing_sizes(eqn, self._inner) if results else set()
        carriers = [self._find_carrier(name, results[0]) for name in sorted(lacking)]
        carriers = [c for c in carriers if c is not None]
        self._equations.append(eqn)
        renamed = {v: self._attach_carriers(eqn, v, carriers) for v in results if carriers}
        self._record_carriers(eqn)
        return [renamed.get(v, v) for v in results]

    def _use_as_carrier(self, var) -> None:
        """Record a variable as the carrier of each size in its shape that has none yet."""
        for d in getattr(var.aval, "shape", ()):
            if jp.is_symbolic(d) and str(d) in self._inner:
                self._carriers.setdefault(str(d), var)

    def _record_carriers(self, eqn) -> None:
        if eqn.primitive is primitives.compress_p:
            self._made.setdefault(eqn.params["name"], eqn)
        elif eqn.primitive is not primitives.expand_p:
            for var in eqn.outvars:
                self._use_as_carrier(var)

    def _attach_carriers(self, eqn, var, carriers):
        new = jp.another_variable(var, var.aval)
        self._equations.append(
            eqn.replace(
                primitive=primitives.sized_p,
                invars=[var, *carriers],
                outvars=[new],
                params={},
                effects=frozenset(),
            )
        )
        return new

    def _find_carrier(self, name: str, like):
        """Return a variable whose length is the size `name`, or `None` if the size's trace has ended.

        For the size of a selection, the mask is compressed by itself.
        """
        if name in self._carriers:
            return self._carriers[name]
        if name in self._made:
            self._carriers[name] = self._compress_mask(self._made[name], like)
        else:
            value = None if self._fresh is None else self._fresh.carrier(name)
            if value is None:
                return None
            var = jp.another_variable(like, jp.core.typeof(value))
            self._more.append((var, value))
            self._carriers[name] = var
        return self._carriers[name]

    def _compress_mask(self, eqn, like):
        mask = eqn.invars[1]
        shape = (eqn.outvars[0].aval.shape[eqn.params["axis"]],)
        var = jp.another_variable(like, mask.aval.update(shape=shape))
        params = {**eqn.params, "axis": 0}
        self._equations.append(eqn.replace(invars=[mask, mask], outvars=[var], params=params))
        return var

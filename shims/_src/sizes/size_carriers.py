"""Sizes made in a branch or a loop body, as operands of what has them.

JAX's differentiation takes an inner program apart and leaves out what nothing reads. A size stands in
shapes and is read by nobody: `fill([size(y) + 1], a)` does not read `y`. So what has a size that none
of its operands has is given one: `sized(result, carrier)`, where the carrier is an array that long.
"""

from __future__ import annotations

import contextlib

from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace


@contextlib.contextmanager
def inner_program():
    """What is traced inside is a branch or a body: its sizes are known there only."""
    state = trace.current()
    if state is None:
        yield
        return
    with state.fresh.inside_program():
        yield


def attached(closed):
    """An inner program in which whatever has a size depends on what makes it.

    Args:
      closed: the closed jaxpr of a branch or a loop body, traced under the present trace.

    Returns:
      The same where nothing is to be added.
    """
    state = trace.current()
    inner = frozenset() if state is None else state.fresh.inner
    if not inner:
        return closed
    jaxpr, _ = jp.open_jaxpr(closed)
    if not any(_lacking(eqn, inner) for eqn in jaxpr.eqns):
        return closed
    return _Attaching(state.fresh, closed).run()


def _lacking(eqn, names: frozenset[str]) -> set[str]:
    """Of these sizes, those that an equation has and none of its operands has."""
    if eqn.primitive.name in primitives.SIZE_MAKERS or eqn.primitive is primitives.sized_p:
        return set()
    have = set().union(*(_names(v.aval.shape) for v in eqn.outvars if hasattr(v.aval, "shape")))
    have |= _names(tuple(eqn.params.values()))
    if have.isdisjoint(names):
        return set()
    given = (_names(a.aval.shape) for a in eqn.invars if hasattr(a.aval, "shape"))
    return (have & names).difference(*given)


def _names(value) -> frozenset[str]:
    if isinstance(value, tuple):
        return frozenset().union(*map(_names, value))
    return jp.variables(value) if jp.is_symbolic(value) else frozenset()


class _Attaching:
    """One pass over an inner program."""

    def __init__(self, fresh, closed):
        self._fresh, self._inner, self._closed = fresh, fresh.inner, closed
        self._jaxpr, self._consts = jp.open_jaxpr(closed)
        self._carriers: dict[str, object] = {}  # by size: a variable that long
        self._made: dict[str, object] = {}  # by size: the equation that makes it
        self._eqns: list = []
        self._more: list[tuple] = []  # variables and values of carriers from around

    def run(self):
        """The program with carriers."""
        renamed: dict = {}
        for var in (*self._jaxpr.constvars, *self._jaxpr.invars):
            self._note(var)
        for eqn in self._jaxpr.eqns:
            eqn = eqn.replace(invars=[_read(renamed, a) for a in eqn.invars])
            read = [v for v in eqn.outvars if not isinstance(v, jp.core.DropVar)]
            lacking = _lacking(eqn, self._inner) if read else set()
            carriers = [self._carrier(name, read[0]) for name in sorted(lacking)]
            carriers = [c for c in carriers if c is not None]
            self._eqns.append(eqn)
            for var in read if carriers else ():
                renamed[var] = self._sized(eqn, var, carriers)
            self._learn(eqn)
        jaxpr = self._jaxpr.replace(
            constvars=[*self._jaxpr.constvars, *(var for var, _ in self._more)],
            eqns=self._eqns,
            outvars=[_read(renamed, a) for a in self._jaxpr.outvars],
        )
        consts = [*self._consts, *(value for _, value in self._more)]
        return self._closed.replace(jaxpr=jaxpr, consts=consts)

    def _note(self, var) -> None:
        """A variable that is as long as a size is a carrier of it."""
        for d in () if isinstance(var, jp.core.DropVar) else getattr(var.aval, "shape", ()):
            if jp.is_symbolic(d) and str(d) in self._inner:
                self._carriers.setdefault(str(d), var)

    def _learn(self, eqn) -> None:
        if eqn.primitive is primitives.compress_p:
            self._made.setdefault(eqn.params["name"], eqn)
        elif eqn.primitive is not primitives.expand_p:
            for var in eqn.outvars:
                self._note(var)

    def _sized(self, eqn, var, carriers):
        new = jp.another_variable(var, var.aval)
        self._eqns.append(
            eqn.replace(
                primitive=primitives.sized_p,
                invars=[var, *carriers],
                outvars=[new],
                params={},
                effects=frozenset(),
            )
        )
        return new

    def _carrier(self, name: str, like):
        """A variable as long as a size; of a selection the smallest there is, which may be kept."""
        if name in self._carriers:
            return self._carriers[name]
        if name in self._made:
            self._carriers[name] = self._selected(self._made[name], like)
        else:
            value = self._fresh.carrier(name)
            if value is None:
                return None
            var = jp.another_variable(like, jp.core.typeof(value))
            self._more.append((var, value))
            self._carriers[name] = var
        return self._carriers[name]

    def _selected(self, eqn, like):
        mask = eqn.invars[1]
        shape = (eqn.outvars[0].aval.shape[eqn.params["axis"]],)
        var = jp.another_variable(like, mask.aval.update(shape=shape))
        params = {**eqn.params, "axis": 0}
        self._eqns.append(eqn.replace(invars=[mask, mask], outvars=[var], params=params))
        return var


def _read(renamed, atom):
    return atom if isinstance(atom, jp.Literal) else renamed.get(atom, atom)

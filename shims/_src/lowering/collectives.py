"""Choose between branches on the devices of a `shard_map`, which wait for each other in collectives.

Where devices take different branches, each must still take part in every collective. A collective that
all branches have is therefore taken out of them: the program chooses the operand, runs the collective,
and chooses the rest of a branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core as jex

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs

_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "remat", "checkpoint"})


def switch(index, branches, *operands) -> Any:
    """Call the branch that `index` selects, as `lax.switch`; devices may take different ones."""
    if not jp.manual_axes():
        return lax.switch(index, branches, *operands)
    if jp.has_manual_axes() and jp.is_batched(index):
        return _selected(index, branches, operands)
    flat, tree = jax.tree.flatten(operands)

    def traced_branch(f):
        return jax.make_jaxpr(lambda *xs: f(*jax.tree.unflatten(tree, xs)), return_shape=True)(
            *flat
        )

    traced = list(map(traced_branch, branches))
    if not any(map(has_collectives, (closed for closed, _ in traced))):
        return lax.switch(index, branches, *operands)
    results = _chosen(index, [_Part.of(closed, flat) for closed, _ in traced])
    return jax.tree.unflatten(jax.tree.structure(traced[0][1]), results)


def _selected(index, branches, operands):
    """Call all branches and select, as `vmap` does; JAX's rule for it forgets what varies over mesh axes."""
    found = [f(*operands) for f in branches]
    index = jnp.clip(index, 0, len(branches) - 1)
    pick = lambda *xs: lax.select_n(
        *jp.varying_as((jnp.broadcast_to(index, xs[0].shape), *xs), [index, *xs])
    )
    return jax.tree.map(pick, *found)


def cond(predicate, if_true, if_false, *operands) -> Any:
    """Call the branch that a condition selects, as `lax.cond`; devices may take different ones."""
    if not jp.manual_axes():
        return lax.cond(predicate, if_true, if_false, *operands)
    return switch(jnp.asarray(predicate).astype(jnp.int32), [if_false, if_true], *operands)


class _Part(NamedTuple):
    """The rest of a branch, after the collectives that were taken out of it.

    Attributes:
      equations: its equations.
      results: the variables and literals that it returns.
      known: the values of other variables that all branches share.
      own: the variables whose values only this branch has computed.
    """

    equations: Sequence
    results: Sequence
    known: dict
    own: tuple

    @classmethod
    def of(cls, closed, operands):
        jaxpr, constants = jp.open_jaxpr(_inlined(closed, operands))
        known = dict(zip(jaxpr.constvars, constants, strict=True))
        known.update(zip(jaxpr.invars, operands, strict=True))
        return cls(jaxprs.own_equations(jaxpr), jaxpr.outvars, known, ())

    def values(self, variables, own_values) -> list:
        """Compute variables, given the values of `own`."""
        env = {**self.known, **dict(zip(self.own, own_values, strict=True))}

        def read(atom):
            return atom.val if isinstance(atom, jex.Literal) else env[atom]

        for eqn in _needed(self.equations, variables):
            env.update(zip(eqn.outvars, jp.bind(eqn, list(map(read, eqn.invars))), strict=True))
        return [jnp.asarray(read(v)) for v in variables]


def _needed(equations, variables) -> list:
    """Return the equations that compute variables, in order."""
    wanted, kept = set(_variables(variables)), []
    for eqn in reversed(equations):
        if jp.acts(eqn) or not wanted.isdisjoint(eqn.outvars):
            kept.append(eqn)
            wanted.update(_variables(eqn.invars))
    return kept[::-1]


def _variables(atoms) -> list:
    return [v for v in atoms if not isinstance(v, jex.Literal)]


def _chosen(index, parts: list[_Part], own=()) -> list:
    """Return the results of the part that `index` selects.

    Args:
      index: the number of a part.
      parts: the parts of all branches.
      own: the values of the variables of each branch, `own[i]` those of `parts[i]`.
    """
    own = own or [()] * len(parts)
    first = [next((i for i, e in enumerate(p.equations) if _is_one(e)), None) for p in parts]
    places = [i for i in first if i is not None]
    if not places:
        return _rest(index, parts, own)
    if None in first:
        raise _unlike(parts, first)
    collectives = [p.equations[i] for p, i in zip(parts, places, strict=True)]
    if not _are_alike(collectives):
        raise _unlike(parts, first)
    kept = [_kept(p, i) for p, i in zip(parts, places, strict=True)]
    parts, kept = _with_shared(parts, kept, own)
    firsts = [
        (p._replace(equations=p.equations[:i]), (*c.invars, *k))
        for p, i, c, k in zip(parts, places, collectives, kept, strict=True)
    ]
    operands, own_after = _first_parts(index, firsts, own, len(collectives[0].invars))
    outputs = jp.bind(collectives[0], operands)
    rest = [
        _Part(
            p.equations[i + 1 :],
            p.results,
            {**p.known, **dict(zip(c.outvars, outputs, strict=True))},
            k,
        )
        for p, i, c, k in zip(parts, places, collectives, kept, strict=True)
    ]
    return _chosen(index, rest, own_after)


def _kept(part: _Part, place: int) -> tuple:
    """Return the variables known before a collective, other than shared ones, that are read after it."""
    after = part.equations[place + 1 :]
    read = set(_variables([*(v for e in after for v in e.invars), *part.results]))
    made = [*part.own, *(v for e in part.equations[:place] for v in e.outvars)]
    return tuple(v for v in made if v in read)


_FEW = 16  # equations


def _with_shared(parts, kept, own):
    """Compute once what all branches compute in the same way in a few steps, such as a copy of a variable."""
    texts = [
        {_text(p, v): v for v in k if len(_needed(p.equations, [v])) <= _FEW}
        for p, k in zip(parts, kept, strict=True)
    ]
    common = [t for t in texts[0] if t is not None and all(t in other for other in texts)]
    values = parts[0].values([texts[0][t] for t in common], own[0])
    known = [{of[t]: x for t, x in zip(common, values, strict=True)} for of in texts]
    return (
        [p._replace(known={**p.known, **k}) for p, k in zip(parts, known, strict=True)],
        [tuple(v for v in vs if v not in k) for vs, k in zip(kept, known, strict=True)],
    )


def _first_parts(index, firsts, own, count: int):
    """Return the operands of the collective, and for each branch the values that it needs later."""
    shapes = [[v.aval for v in variables[count:]] for _, variables in firsts]

    def branch(i):
        part, variables = firsts[i]

        def run(own):
            values = part.values(variables, own[i])
            others = [[jnp.zeros(a.shape, a.dtype) for a in avals] for avals in shapes]
            others[i] = values[count:]
            return _varying((values[:count], others))

        return run

    return lax.switch(index, [branch(i) for i in range(len(firsts))], own)


def _rest(index, parts, own) -> list:
    """Return the results of parts without collectives; those that all parts compute in the same way need no choice."""
    sources = [[_before_cast(p, v) for v in p.results] for p in parts]
    texts = [[_text(p, v) for v in each] for p, each in zip(parts, sources, strict=True)]
    alike = [None not in each and len(set(each)) == 1 for each in zip(*texts, strict=True)]
    shared = parts[0].values([v for v, a in zip(sources[0], alike, strict=True) if a], own[0])
    chosen: list = []
    if not all(alike):
        wanted = [[v for v, a in zip(p.results, alike, strict=True) if not a] for p in parts]
        runs = [
            lambda own, i=i: _varying(parts[i].values(wanted[i], own[i])) for i in range(len(parts))
        ]
        chosen = lax.switch(index, runs, own)
    found = {True: iter(shared), False: iter(chosen)}
    return [next(found[a]) for a in alike]


def _before_cast(part: _Part, result):
    """Return a result as it was before it was declared to vary over mesh axes, as the result of one branch does."""
    for eqn in reversed(part.equations):
        if eqn.primitive.name == "pvary" and result in eqn.outvars:
            result = eqn.invars[eqn.outvars.index(result)]
    return result


def _text(part: _Part, result):
    """Return what determines how a part computes a result from shared values; `None` if it uses values of its own."""
    equations = _needed(part.equations, [result])
    names: dict = {}
    lines: list = []

    def name(atom):
        if isinstance(atom, jex.Literal):
            return "literal", str(atom.aval), repr(atom.val)
        if atom in part.known:
            return "shared", id(part.known[atom])
        return names[atom]

    own = set(part.own)
    read = [result, *(v for e in equations for v in e.invars)]
    if any(map(jp.acts, equations)) or not own.isdisjoint(_variables(read)):
        return None
    for eqn in equations:
        params = str(sorted((k, str(v)) for k, v in eqn.params.items()))
        lines.append((eqn.primitive.name, params, tuple(map(name, eqn.invars))))
        names.update((v, (len(lines), i)) for i, v in enumerate(eqn.outvars))
    return (*lines, name(result))


def _varying(tree):
    if not jp.has_manual_axes():
        return tree
    return jax.tree.map(lambda x: jp.varying(x, jp.manual_axes()), tree)


def _inlined(closed, operands):
    """Return a jaxpr with the equations of calls that hold collectives in the place of the calls."""

    def step(eqn, values):
        inner = jaxprs.sub_jaxprs(eqn.params)
        if eqn.primitive.name in _CALLS and any(map(has_collectives, inner)):
            return run(inner[0], values)
        return jp.bind(eqn, values)

    def run(program, values):
        jaxpr, constants = jp.open_jaxpr(program)
        env = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *values], strict=True))
        return jaxprs.evaluate(jaxpr, env, step, lambda literal: literal.val)

    return jax.make_jaxpr(lambda *xs: run(closed, xs))(*operands)


def _is_one(eqn) -> bool:
    return jp.is_collective(eqn) and eqn.primitive.name != "axis_index"


def has_collectives(jaxpr) -> bool:
    """Return whether a program, or one nested in it, has collectives."""
    return any(map(_is_one, jaxprs.equations(jaxpr)))


def _are_alike(equations) -> bool:
    first = equations[0]
    return not jaxprs.sub_jaxprs(first.params) and all(
        e.primitive is first.primitive
        and str(e.params) == str(first.params)
        and [(v.aval.shape, v.aval.dtype) for v in e.invars]
        == [(v.aval.shape, v.aval.dtype) for v in first.invars]
        for e in equations
    )


def _unlike(parts, places) -> errors.UnimplementedError:
    names = [
        "none" if i is None else p.equations[i].primitive.name
        for p, i in zip(parts, places, strict=True)
    ]
    return errors.UnimplementedError(
        errors.message(
            "cond",
            "the branches call different collectives, so devices that take different branches would wait for each "
            "other.",
            required="the same collectives in all branches, on arrays of the same shapes, outside of loops",
            received=f"the first collectives that differ: {', '.join(names)}",
            do="compute the operands in the branches, and call the collective after the branches",
        )
    )

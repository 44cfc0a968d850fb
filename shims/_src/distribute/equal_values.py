"""Find out which results of a program are equal on all replicas, whatever their operands are."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from jax.extend import core as jex

from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs


class Kind(enum.Enum):
    """Knowledge of a value: it is equal on all replicas, may differ, or stands for an error."""

    EQUAL = 0
    DIFFERS = 1
    FAILURE = 2


_COLLECTIVES = frozenset({"psum", "pmax", "pmin", "all_gather"})  # results are equal on all devices
_OF_DEVICE = frozenset({"axis_index", "ppermute", "all_to_all", "reduce_scatter"})
_FORWARD = frozenset({"broadcast_in_dim", "convert_element_type", "reshape", "copy", "reshard"})


def kinds_of_results(jaxpr, given: Sequence[Kind], axis: str) -> list[Kind]:
    """Return what is known of each result of a jaxpr on the devices of a mesh axis.

    Args:
      jaxpr: an open or closed jaxpr; its constants are equal on all devices.
      given: what is known of its operands.
      axis: the mesh axis.
    """
    jaxpr, _ = jp.open_jaxpr(jaxpr)
    known = dict(zip(jaxpr.invars, given, strict=True))

    def kind(atom) -> Kind:
        return Kind.EQUAL if isinstance(atom, jex.Literal) else known.get(atom, Kind.EQUAL)

    for eqn in jaxprs.own_equations(jaxpr):
        found = _of_equation(eqn, [kind(v) for v in eqn.invars], axis)
        known.update(zip(eqn.outvars, found, strict=True))
    return [kind(v) for v in jaxpr.outvars]


def _any(kinds) -> Kind:
    return Kind.DIFFERS if Kind.DIFFERS in kinds else Kind.EQUAL


def _of_equation(eqn, given: list[Kind], axis: str) -> list[Kind]:
    name, params = eqn.primitive.name, eqn.params
    if name in _COLLECTIVES and _is_over(params, axis):
        return [Kind.EQUAL]
    if name == "select_n" and Kind.FAILURE in given:
        # A replica that fails has NaN where the others have numbers: it is the error that differs.
        return [_any([k for k in given[1:] if k is not Kind.FAILURE])]
    if name in _FORWARD:
        return given[:1]
    if name == "invalid_tangent":
        return [Kind.FAILURE] * len(eqn.outvars)
    if name in _NESTED:
        return _NESTED[name](params, given, axis)
    inner = jaxprs.sub_jaxprs(params)
    if inner and len(jp.open_jaxpr(inner[0])[0].invars) == len(given):
        return kinds_of_results(inner[0], given, axis)
    differs = bool(inner) or name in _OF_DEVICE or bool(eqn.effects)
    return [Kind.DIFFERS if differs else _any(given)] * len(eqn.outvars)


def _is_over(params, axis: str) -> bool:
    names = params.get("axes", params.get("axis_name", ()))
    names = names if isinstance(names, tuple) else (names,)
    return axis in names and params.get("axis_index_groups") is None


def _of_branches(params, given, axis):
    branches = [kinds_of_results(b, given[1:], axis) for b in params["branches"]]
    return [_any((given[0], *each)) for each in zip(*branches, strict=True)]


def _of_while(params, given, axis):
    of_test, of_body = params["cond_nconsts"], params["body_nconsts"]
    tested, constants = given[:of_test], given[of_test : of_test + of_body]

    def step(carry):
        test = kinds_of_results(params["cond_jaxpr"], [*tested, *carry], axis)
        after = kinds_of_results(params["body_jaxpr"], [*constants, *carry], axis)
        return [_any((*test, a)) for a in after]

    return _settled(step, given[of_test + of_body :])


def _of_scan(params, given, axis):
    n_constants, n_carry = jp.scan_counts(params)
    constants, rest = given[:n_constants], given[n_constants:]

    def run(carry):
        return kinds_of_results(params["jaxpr"], [*constants, *carry, *rest[n_carry:]], axis)

    carry = _settled(lambda c: run(c)[:n_carry], rest[:n_carry])
    return [*carry, *run(carry)[n_carry:]]


def _settled(step, carry: list[Kind]) -> list[Kind]:
    """Return what is known of a carry after any number of steps."""
    while True:
        after = [_any(pair) for pair in zip(carry, step(carry), strict=True)]
        if after == carry:
            return carry
        carry = after


_NESTED = {"cond": _of_branches, "while": _of_while, "scan": _of_scan}

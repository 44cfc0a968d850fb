"""Check that branches do not compute with placeholder zeros of another branch's sizes.

Under differentiation, each branch also returns zeros in place of what other branches save for the
backward pass. Such zeros may have a size that only the saving branch creates; the other branches
must not compute with it. This can happen in branches that were not traced here (the user's own
`jax.lax.cond`); if only the size of a selection is used, differentiation leaves the selection
out of such a branch (`size_carriers.py`).
"""

from __future__ import annotations

from shims._src.lowering.refusals import inner_size_error
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import evaluate, sub_jaxprs


def check(closed, names: set[str]) -> None:
    """Check that a branch uses the given sizes only for shapes of constants.

    Args:
      closed: the jaxpr of the branch.
      names: the sizes that neither the branch creates nor its operands have.

    Raises:
      FreshSizeError: the branch computes with such a size, which would be 0.
    """
    jaxpr, _ = jp.open_jaxpr(closed)

    def step(eqn, are_constant):
        nonlocal names
        if eqn.primitive.name in ("compress", "fresh_range"):
            names = names - {eqn.params["name"]}  # this program makes the size itself
        dims = [_missing_dim(eqn, names), *(_missing_in_aval(a.aval, names) for a in eqn.invars)]
        dim = next((d for d in dims if d is not None), None)
        is_constant = all(are_constant)
        if dim is None:
            for inner in sub_jaxprs(eqn.params):
                check(inner, names)
        elif not is_constant or any(_missing_in_aval(v.aval, names) is None for v in eqn.outvars):
            raise inner_size_error(dim)
        return [is_constant] * len(eqn.outvars)

    if names:
        inputs = dict.fromkeys((*jaxpr.constvars, *jaxpr.invars), False)
        evaluate(jaxpr, inputs, step, lambda literal: True)


def _missing_dim(eqn, names):
    """Return a dimension of an equation's results or parameters with a size in `names`, or `None`."""
    found = [_missing_in_aval(v.aval, names) for v in eqn.outvars]
    found += [d for d in eqn.params.values() if jp.is_symbolic(d) and jp.variables(d) & names]
    return next((d for d in found if d is not None), None)


def _missing_in_aval(aval, names):
    shape = getattr(aval, "shape", ())
    return next((d for d in shape if jp.is_symbolic(d) and jp.variables(d) & names), None)

"""Decide the calls that read or compute static sizes: in the new text they are Python or NumPy numbers."""

from __future__ import annotations

import dataclasses

from tf2jax_port.rewrite.calls import forms
from tf2jax_port.rewrite.calls.arguments import CallSite
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.sites.decision import Decision
from tf2jax_port.rewrite.values.static_sizes import Static
from tf2jax_port.table import Native
from tf2jax_port.table.static_numbers import (
    AS_IT_IS,
    FORMS,
    PART_OF_AXES,
    RANGE,
    SHAPE_AS_ARRAY,
    SHAPE_AS_TUPLE,
    SIZE_OF_DTYPE,
    UNSTACK,
)

_SIZE = "the static size, which is a number instead of an array"
_COMPUTED = "the result is computed from static sizes, so it is a number instead of an array"


def compute_statically(site: CallSite, symbol: str) -> Decision | None:
    """Return the decision about a call whose result is known while JAX traces, `None` for others."""
    form = site.values.sizes.of(site.call)
    if form in (None, Static.LITERAL):
        return None
    target = _target(site, form)
    if target is None:
        return None
    reads = site.row.name in ("shape", "size", "rank")
    if reads and site.values.sizes.is_size(site.bound.arguments["input"].node):
        target = dataclasses.replace(target, expression=target.expression.replace("jnp.", "np."))
    row = dataclasses.replace(site.row, target=target)
    site = dataclasses.replace(site, row=row, static=not reads)
    edits = forms.write_native(site)
    if edits is None:
        return None
    message = _SIZE if reads else _COMPUTED
    return Decision(State.REWRITTEN, "TJ108", message, symbol, site.call, tuple(edits))


def _target(site: CallSite, form: Static | None) -> Native | None:
    """Return the expression of Python or NumPy for a call."""
    if site.row.name == "shape":
        return SHAPE_AS_TUPLE if form is Static.SHAPE else SHAPE_AS_ARRAY
    if site.row.name == "size" and "out_type" in site.bound.arguments:
        return SIZE_OF_DTYPE
    if site.row.name == "unstack":
        value = site.bound.arguments["value"].node
        return AS_IT_IS if site.values.sizes.of(value) is Static.SHAPE else UNSTACK
    if site.row.name == RANGE and form is Static.ARRAY:
        return PART_OF_AXES
    return FORMS.get(site.row.name)

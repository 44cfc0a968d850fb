"""Rewrite one call of a TensorFlow operator.

Three methods are tried in order: change the call in place, which keeps comments and line breaks;
write the JAX expression of the table row around the arguments; call the function of `shims` with
TensorFlow's own signature.
"""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.calls.anew import write_anew
from tf2jax_port.rewrite.calls.arguments import (
    CallSite,
    adaptation,
    default_text,
    has_comment,
    holds_references,
    inserted,
    is_traced,
    may_be_dropped,
    removals,
    renamed,
)
from tf2jax_port.rewrite.knowledge.bind import Bound, defaults, signature
from tf2jax_port.rewrite.reading.layout import Argument
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.rewrite.writing.template import Slot, Template, parse_template
from tf2jax_port.table import Native


def write_native(site: CallSite) -> list[Edit] | None:
    """Return the edits that replace a call by the JAX expression of its table row.

    Return `None` if no edits can do that.
    """
    target = site.row.target
    assert isinstance(target, Native)
    template = parse_template(target.expression, target.optional)
    if site.bound.surplus or not site.spelling.allows(template.names):
        return None
    implied = _find_implied(site, target)
    if any(has_comment(site, argument.start, argument.end) for argument in implied.values()):
        return None
    if implied or site.bound.dropped:
        given = {n: a for n, a in site.bound.arguments.items() if n not in implied}
        site = dataclasses.replace(site, bound=Bound(given))
    if any(name not in site.bound.arguments for name in target.needs):
        return None
    for name in site.bound.arguments:
        if is_traced(site, name):
            return None
    for name in site.bound.arguments:
        if name not in template.parameters and not may_be_dropped(site, name):
            return None
    edits = _in_place(site, template)
    return edits if edits is not None else write_anew(site, template)


def _find_implied(site: CallSite, target: Native) -> dict[str, Argument]:
    """Return the arguments equal to TensorFlow's default that must stay, since JAX's default differs."""
    if not (target.defaults or target.needs):
        return {}
    usual = defaults(site.row.params or "")
    unlike = {*(name for name, _ in target.defaults), *target.needs}
    return {
        name: argument
        for name, argument in site.bound.arguments.items()
        if name in unlike and ast.unparse(argument.node) == usual[name]
    }


def write_facade(site: CallSite, function: str, unknown: list[str]) -> list[Edit] | None:
    """Return the edits that rename the called function to one of `shims` and keep the arguments.

    Args:
      site: the call.
      function: the name of the new function, `shims.something`.
      unknown: the arguments to drop because the new function does not accept them.

    Returns:
      The edits, `None` if a dropped argument contains a comment or a TensorFlow reference.
    """
    if any(holds_references(site, site.bound.arguments[name].node) for name in unknown):
        return None
    order = [p.name for p in signature(site.row.params or "") if not p.keyword_only]
    edits = [Edit(*site.source.span(site.function), (site.spelling.text(function),))]
    keywords = False
    kept = [
        a
        for a in site.layout.arguments
        if a in site.bound.surplus or site.parameter_of(a) not in ("", *unknown)
    ]
    for index, argument in enumerate(kept):
        name = site.parameter_of(argument)
        if argument.keyword is not None:
            keywords = True
            edits += renamed(argument, name or argument.keyword)
        elif name and (keywords or order.index(name) != index):
            keywords = True
            edits.append(inserted(argument.start, f"{name}="))
    dropped = [argument for argument in site.layout.arguments if argument not in kept]
    if any(has_comment(site, argument.start, argument.end) for argument in dropped):
        return None
    return edits + removals(site, kept)


def _in_place(site: CallSite, template: Template) -> list[Edit] | None:
    """Return edits that rename the function and keywords, and drop or add arguments, moving none."""
    if not template.function or template.repeats or site.layout.opened < 0:
        return None
    by_hole, positional = template.by_parameter, template.positional
    edits = [Edit(*site.source.span(site.function), (site.spelling.text(template.function),))]
    written: list[Slot] = []
    kept = [a for a in site.layout.arguments if site.parameter_of(a) in by_hole]
    for argument in kept:
        slot = by_hole[site.parameter_of(argument)]
        if slot.keyword is None and [*written, slot] != positional[: len(written) + 1]:
            return None
        if slot.keyword is None and has_comment(site, argument.start, argument.value):
            return None
        edits += _as_slot(argument, slot) + _adapt_argument(site, argument, slot.hole or "")
        written.append(slot)
    added = _missing_arguments(site, template, written)
    if added is None:
        return None
    if added:
        place = kept[-1].end if kept else site.layout.opened + 1
        edits.append(inserted(place, (", " if kept else "") + ", ".join(added)))
    return edits + removals(site, kept)


def _as_slot(argument: Argument, slot: Slot) -> list[Edit]:
    """Return the edits that make an argument positional, or rename its keyword, as JAX expects."""
    if slot.keyword is None:
        return [Edit(argument.start, argument.value)] if argument.keyword else []
    if argument.keyword is not None:
        return renamed(argument, slot.keyword)
    wrap = isinstance(argument.node, ast.NamedExpr) and not argument.parenthesized
    opening = [inserted(argument.start, f"{slot.keyword}=" + "(" * wrap)]
    return opening + ([inserted(argument.end, ")")] if wrap else [])


def _missing_arguments(site: CallSite, template: Template, written: list[Slot]) -> list[str] | None:
    """Return the texts of arguments that JAX needs and the call omits.

    Return `None` if they cannot be appended to the arguments of the call.
    """
    assert isinstance(site.row.target, Native)
    added: list[str] = []
    for index, slot in enumerate(template.slots):
        if slot in written:
            continue
        if slot.hole in site.row.target.optional and index:
            continue
        text = slot.text if slot.hole is None else default_text(site, slot.hole)
        if slot.keyword is None:
            if len(written) + len(added) != index:
                return None
            added.append(site.spelling.text(text))
        else:
            added.append(f"{slot.keyword}={site.spelling.text(text)}")
    return added


def _adapt_argument(site: CallSite, argument: Argument, parameter: str) -> list[Edit]:
    """Return the edits that convert a list argument to an array or a tuple, as JAX requires."""
    before, after, inner = adaptation(site, argument, parameter)
    edits = inner
    if before:
        edits = [inserted(argument.value, before), *inner, inserted(argument.end, after)]
    return edits

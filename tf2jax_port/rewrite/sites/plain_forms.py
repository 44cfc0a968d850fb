"""Decide the calls that need a function of `shims` in general, but not with the arguments that they pass."""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.calls import forms
from tf2jax_port.rewrite.calls.arguments import CallSite
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.values.ragged_values import is_ragged
from tf2jax_port.rewrite.values.selections import is_selection
from tf2jax_port.rewrite.values.static_sizes import Static
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.table import Row
from tf2jax_port.table.plain_forms import OF_ARRAYS, OF_NUMBERS


def for_number(site: CallSite) -> Row:
    """Return the row with JAX's expression as its target, if the argument on which that depends is a number."""
    parameter, target = OF_NUMBERS.get(site.row.name, ("", None))
    argument = site.bound.arguments.get(parameter)
    if target is None or argument is None:
        return site.row
    constant = isinstance(argument.node, ast.Constant) and type(argument.node.value) is int
    if not (constant or site.values.sizes.of(argument.node) in (Static.LITERAL, Static.NUMBER)):
        return site.row
    return dataclasses.replace(site.row, target=target, tensors=target.fields[:1])


def of_arrays(file: File, site: CallSite, symbol: str) -> Decision | None:
    """Return the decision about a call for which the function of JAX takes the same arguments, or `None`."""
    function = OF_ARRAYS.get(site.row.name)
    arguments = site.layout.arguments
    if function is None or any(argument.keyword is not None for argument in arguments):
        return None
    nodes = [argument.node for argument in arguments]
    if any(_is_no_array(file, node) for node in nodes) or file.corners.at(site).met:
        return None
    edits = forms.write_facade(site, function, [])
    if edits is None or not site.spelling.allows([function.partition(".")[0]]):
        return None
    return Decision(
        State.REWRITTEN,
        "TJ101",
        "JAX has the same operator",
        symbol,
        site.call,
        tuple(edits),
    )


def _is_no_array(file: File, node: ast.expr) -> bool:
    """Return whether an argument is a list, several arguments, a selection or ragged."""
    if isinstance(node, ast.Starred) or file.values.kind(node) is Kind.LIST:
        return True
    lists = file.corners.lists.may_be_list(node)
    return lists or is_selection(file.values, node) or is_ragged(file.values, node)

"""Provide `variable[1:3].assign(x)` in converted code."""

from __future__ import annotations

from shims._src.variables.variable import Variable
from shims._src.variables.variable_part import Parts


def part_of(value):
    """Return the object to subscript for `value[...].assign(x)`."""
    return Parts(value) if isinstance(value, Variable) else value

"""Parts of variables in converted code: `variable[1:3].assign(x)`."""

from __future__ import annotations

from shims._src.variables.variable import Variable
from shims._src.variables.variable_part import Parts


def part_of(value):
    """What stands before the brackets of `value[...].assign(x)`."""
    return Parts(value) if isinstance(value, Variable) else value

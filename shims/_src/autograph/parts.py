"""Let converted code assign to a part of a variable: `variable[1:3].assign(x)`."""

from __future__ import annotations

from shims._src.variables.keras_state import standing_for
from shims._src.variables.variable import Variable
from shims._src.variables.variable_part import Parts


def part_of(value):
    """Wrap a variable, also one of Keras, so that `value[1:3].assign(x)` works on it; return other values unchanged."""
    found = standing_for(value)
    return Parts(found) if isinstance(found, Variable) else value

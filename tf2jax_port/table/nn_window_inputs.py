"""Define test inputs for rows with sliding windows."""

from __future__ import annotations

from tf2jax_port.table.inputs import Draw, Values, draw, f32

EXPLICIT = [[0, 0], [1, 0], [0, 2], [0, 0]]
IMAGE = draw(2, 5, 4, 3)
LINE = draw(2, 5, 3)
BLOCK = draw(1, 4, 3, 2, 2)


def ints(*shape: int) -> Draw:
    """Describe an int32 array of random integers from -4 to 4."""
    return Draw(shape, "int32", -4, 5)


def line(values: object) -> Values:
    """Describe an image of one row and one channel by its elements."""
    assert isinstance(values, list)
    return f32([[[[v] for v in values]]])

"""Define the table rows of `tf.sets` and `tf.edit_distance`, which have hand-written tests."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.row import Row

_TESTS = "tests/sparse"

ROWS: tuple[Row, ...] = (
    *(
        shim(f"sets.{name}", params, "sparse.sets", fresh=True, tests=_TESTS)
        for name, params in (
            ("difference", "a, b, aminusb=True, validate_indices=True"),
            ("intersection", "a, b, validate_indices=True"),
            ("size", "a, validate_indices=True"),
            ("union", "a, b, validate_indices=True"),
        )
    ),
    shim(
        "edit_distance",
        "hypothesis, truth, normalize=True, name='edit_distance'",
        "sparse.edit_distance",
        tests=_TESTS,
    ),
)

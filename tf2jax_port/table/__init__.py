"""Define the table of operators, the single source for the meanings of TensorFlow names."""

from __future__ import annotations

import difflib

from tf2jax_port.table import (
    array,
    array_windows,
    bitwise,
    constructs,
    debugging,
    dtypes,
    image,
    image_pixels,
    image_random,
    linalg,
    linalg_matrices,
    linear_operator,
    losses_v1,
    math_elementwise,
    math_numbers,
    math_reduction,
    math_segment,
    math_special,
    nn,
    nn_convolutions,
    nn_depthwise,
    nn_losses,
    nn_normalization,
    nn_pools,
    optimizers,
    program,
    quantization,
    ragged,
    random,
    raw_ops,
    sets,
    signal,
    sparse,
    strings,
    surroundings,
    version_1,
)
from tf2jax_port.table.row import Case, Keep, Manual, Native, Row, Shim, Target

__all__ = [
    "CONSTRUCTS",
    "ROWS",
    "Case",
    "Keep",
    "Manual",
    "Native",
    "Row",
    "Shim",
    "Target",
    "UnknownNameError",
    "by_name",
    "find",
]

ROWS: tuple[Row, ...] = (
    *array.ROWS,
    *array_windows.ROWS,
    *bitwise.ROWS,
    *debugging.ROWS,
    *dtypes.ROWS,
    *image.ROWS,
    *image_pixels.ROWS,
    *image_random.ROWS,
    *linalg.ROWS,
    *linalg_matrices.ROWS,
    *linear_operator.ROWS,
    *losses_v1.ROWS,
    *math_elementwise.ROWS,
    *math_numbers.ROWS,
    *math_reduction.ROWS,
    *math_segment.ROWS,
    *math_special.ROWS,
    *nn.ROWS,
    *nn_convolutions.ROWS,
    *nn_depthwise.ROWS,
    *nn_losses.ROWS,
    *nn_normalization.ROWS,
    *nn_pools.ROWS,
    *program.ROWS,
    *quantization.ROWS,
    *random.ROWS,
    *ragged.ROWS,
    *signal.ROWS,
    *raw_ops.ROWS,
    *sets.ROWS,
    *sparse.ROWS,
    *strings.ROWS,
)
# Names that are not operators, for the rewriter only: no facade is generated from these rows.
CONSTRUCTS: tuple[Row, ...] = (
    *constructs.ROWS,
    *surroundings.ROWS,
    *optimizers.ROWS,
    *version_1.ROWS,
)


class UnknownNameError(KeyError):
    """Raised if a name has no row in the table."""

    def __str__(self) -> str:
        return str(self.args[0])


def by_name(rows: tuple[Row, ...]) -> dict[str, Row]:
    """Return a dict from names (canonical names and aliases) to table rows.

    Raises:
      ValueError: two rows have the same name.
    """
    table: dict[str, Row] = {}
    for row in rows:
        for name in row.names:
            if name in table:
                raise ValueError(
                    f"Two rows have the name `{name}`: `{table[name].name}` and `{row.name}`."
                )
            table[name] = row
    return table


_BY_NAME = by_name(ROWS)


def find(name: str) -> Row:
    """Return the table row of a TensorFlow name, canonical or alias, without `tf.`.

    Raises:
      UnknownNameError: no row has that name; the message lists the nearest ones.
    """
    row = _BY_NAME.get(name)
    if row is None:
        near = difflib.get_close_matches(name, _BY_NAME, n=3, cutoff=0.6)
        hint = f" Nearest: {', '.join(f'`{n}`' for n in near)}." if near else ""
        raise UnknownNameError(f"The table has no row for `{name}`.{hint}")
    return row

"""Define the table rows of `tf.linalg.LinearOperator` classes, which have hand-written tests."""

from __future__ import annotations

from tf2jax_port.table.row import Row, Shim

_HINTS = "is_non_singular=None, is_self_adjoint=None, is_positive_definite=None"
_USUAL = f"{_HINTS}, is_square=None"


def _row(kind: str, module: str, arguments: str, hints: str = _USUAL, *, named: bool = True) -> Row:
    """Build the table row of a linear-operator class."""
    name = f"LinearOperator{kind}"
    label = repr(name) if named else "None"
    return Row(
        f"linalg.{name}",
        f"{arguments}, {hints}, name={label}",
        Shim(f"shims.linalg.{name}"),
        own=f"linear_operator.{module}:{name}",
        tests="tests/linear_operator",
    )


_SHAPES = "assert_proper_shapes=False"

ROWS: tuple[Row, ...] = (
    Row(
        "linalg.LinearOperator",
        f"dtype, graph_parents=None, {_USUAL}, name=None, parameters=None",
        Shim("shims.linalg.LinearOperator"),
        own="linear_operator.base:LinearOperator",
        tests="tests/linear_operator",
    ),
    _row("Diag", "diag", "diag"),
    _row("LowerTriangular", "lower_triangular", "tril"),
    _row("FullMatrix", "full_matrix", "matrix"),
    _row(
        "Identity",
        "identity",
        "num_rows, batch_shape=None, dtype=None",
        "is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True, "
        + _SHAPES,
    ),
    _row(
        "ScaledIdentity",
        "scaled_identity",
        "num_rows, multiplier",
        f"{_HINTS}, is_square=True, {_SHAPES}",
    ),
    _row(
        "Zeros",
        "zeros",
        "num_rows, num_columns=None, batch_shape=None, dtype=None",
        "is_non_singular=False, is_self_adjoint=True, is_positive_definite=False, is_square=True, "
        + _SHAPES,
    ),
    _row("Composition", "composition", "operators", named=False),
    _row("BlockDiag", "block_diag", "operators", f"{_HINTS}, is_square=True", named=False),
    _row("Kronecker", "kronecker", "operators", named=False),
    _row(
        "LowRankUpdate",
        "low_rank_update",
        "base_operator, u, diag_update=None, v=None, is_diag_update_positive=None",
    ),
    _row("Adjoint", "adjoint", "operator", named=False),
    _row("Inversion", "inversion", "operator", named=False),
    _row("Permutation", "permutation", "perm, dtype=tf.float32"),
    _row("Householder", "householder", "reflection_axis"),
    _row(
        "Circulant",
        "circulant",
        "spectrum, input_output_dtype=tf.complex64",
        f"{_HINTS}, is_square=True",
    ),
    *(
        _row(
            f"Circulant{depth}D",
            "circulant",
            "spectrum, input_output_dtype=tf.complex64",
            f"{_HINTS}, is_square=True",
        )
        for depth in (2, 3)
    ),
    _row("Toeplitz", "toeplitz", "col, row"),
    _row("Tridiag", "tridiag", "diagonals, diagonals_format='compact'"),
    _row("BlockLowerTriangular", "block_lower_triangular", "operators"),
)

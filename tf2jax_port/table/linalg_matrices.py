"""Rows of `tf.linalg` that take matrices apart, solve with them, or move what stands in them."""

from __future__ import annotations

from tf2jax_port.table.families import native, shim
from tf2jax_port.table.inputs import NAN, Draw, bools, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case

_TESTS = "tests/linalg"
_REFUSED = "InvalidArgumentError"
_KERNELS = "float32 float64 complex64 complex128"
_LU = "lower_upper, perm"
_CHECKED = "validate_args=False, name=None"
_SINGULAR_IS = "JAX gives infinities or NaN for a matrix that TensorFlow refuses as not invertible"

# Positive definite, general, triangular beside what is not read; far from singular.
_SPD = f32([((4, 1, 0.5), (1, 3, -1), (0.5, -1, 5)), ((2, 0.5, 0), (0.5, 1.5, 0.2), (0, 0.2, 1))])
_PLAIN = f32([((1, 2, -1), (3, -1, 0.5), (0, 2, 4)), ((0, 1, 2), (-1, 3, 1), (2, 0, 1))])
_LOWER = f32([((2, 9, 9), (1, -3, 9), (0.5, 2, 1.5)), ((1, 9, 9), (0.5, 2, 9), (-1, 1, 4))])
_SINGULAR = f32([[1, 2], [2, 4]])
_SMALL = f32([[1, 2], [3, 4]])
_COLUMN = f32([[1], [2]])
# Triangular factors of two matrices, and the orders of their rows.
_FACTORS = f32([((3, 4), (0.25, 1)), ((2, -1), (0.5, 3))])
_ORDERS = i32([(1, 0), (0, 1)])

_FACTORISED: tuple[Row, ...] = (
    native(
        "linalg.cholesky",
        "input, name=None",
        "jnp.linalg.cholesky({input})",
        own="factorisations.cholesky",
        tensors=("input",),
        takes=_KERNELS,
        tolerance=1e-5,
        note="JAX reads both triangles of a matrix, TensorFlow the lower one",
        inputs=(
            case("batch", input=_SPD),
            case("lower-only", input=f32([[4, 100], [2, 3]])),
            case("nothing", input=empty(0, 0)),
            case("empty", input=empty(0, 2, 2)),
            case("not-square", raises=_REFUSED, input=draw(2, 3)),
            case("vector", raises=_REFUSED, input=draw(2)),
        ),
    ),
    shim(
        "linalg.qr",
        "input, full_matrices=False, name=None",
        "factorisations",
        tensors=("input",),
        takes=f"{_KERNELS} float16",
        tolerance=2e-5,
        inputs=(
            case("batch", input=_PLAIN),
            case("high", input=draw(4, 2)),
            case("wide", input=draw(2, 4)),
            case("full", input=draw(4, 2), full_matrices=True, gradient=()),
            case("diagonal", input=f32([[1, 0], [0, -2]])),
            case("nothing", input=empty(0, 2), gradient=()),
            case("no-columns", input=empty(2, 0), full_matrices=True, gradient=()),
            case("vector", raises=_REFUSED, input=draw(2)),
        ),
    ),
    shim(
        "linalg.svd",
        "tensor, full_matrices=False, compute_uv=True, name=None",
        "factorisations",
        tensors=("tensor",),
        takes=_KERNELS,
        note="singular vectors are determined up to a sign; the tests compare what is determined",
        tests=_TESTS,
    ),
    shim(
        "linalg.lu",
        "input, output_idx_type=tf.int32, name=None",
        "lu_factors",
        tensors=("input",),
        takes=_KERNELS,
        tolerance=1e-5,
        no_gradient="TensorFlow has no rule for the factors",
        inputs=(
            case("batch", input=_PLAIN),
            case("int64", input=_SMALL, output_idx_type="int64"),
            case("nothing", input=empty(0, 0)),
            case("nan", input=f32([[1, NAN], [3, 4]])),
            case("singular", raises=_REFUSED, input=_SINGULAR),
            case("not-square", raises=_REFUSED, input=draw(2, 3)),
        ),
    ),
    shim(
        "linalg.lu_solve",
        f"{_LU}, rhs, {_CHECKED}",
        "lu_factors",
        tensors=("lower_upper", "rhs"),
        tolerance=1e-5,
        inputs=(
            case("batch", lower_upper=_FACTORS, perm=_ORDERS, rhs=draw(2, 2, 3)),
            case("one", lower_upper=_FACTORS, perm=_ORDERS, rhs=draw(2, 1)),
            case("vector", raises="ValueError", lower_upper=_SMALL, perm=i32([1, 0]), rhs=draw(2)),
            case(
                "sizes",
                raises="ValueError",
                lower_upper=_SMALL,
                perm=i32([1, 0]),
                rhs=draw(3, 1),
            ),
        ),
    ),
    shim(
        "linalg.lu_matrix_inverse",
        f"{_LU}, {_CHECKED}",
        "lu_factors",
        tensors=("lower_upper",),
        tolerance=1e-5,
        inputs=(
            case("batch", lower_upper=_FACTORS, perm=_ORDERS),
            case("one", lower_upper=_SMALL, perm=i32([1, 0])),
            case("vector", raises="ValueError", lower_upper=draw(2), perm=i32([1, 0])),
        ),
    ),
    shim(
        "linalg.lu_reconstruct",
        f"{_LU}, {_CHECKED}",
        "lu_factors",
        tensors=("lower_upper",),
        tolerance=1e-5,
        inputs=(
            case("batch", lower_upper=_FACTORS, perm=_ORDERS),
            case("three", lower_upper=draw(3, 3), perm=i32([2, 0, 1])),
            case("vector", raises="ValueError", lower_upper=draw(2), perm=i32([1, 0])),
        ),
    ),
)

_SOLVED: tuple[Row, ...] = (
    native(
        "linalg.inv",
        "input, adjoint=False, name=None",
        "jnp.linalg.inv({input})",
        own="solving.inv",
        tensors=("input",),
        takes=f"{_KERNELS} float16",
        tolerance=1e-5,
        note=_SINGULAR_IS,
        inputs=(
            case("batch", input=_PLAIN),
            case("adjoint", input=_SMALL, adjoint=True),
            case("nan", input=f32([[1, NAN], [2, 4]])),
            case("nothing", input=empty(0, 0)),
            case("singular", raises=_REFUSED, input=_SINGULAR),
            case("not-square", raises=_REFUSED, input=draw(2, 3)),
        ),
    ),
    native(
        "linalg.solve",
        "matrix, rhs, adjoint=False, name=None",
        "jnp.linalg.solve({matrix}, {rhs})",
        own="solving.solve",
        tensors=("matrix", "rhs"),
        takes=_KERNELS,
        tolerance=1e-5,
        note=_SINGULAR_IS,
        inputs=(
            case("batch", matrix=_PLAIN, rhs=draw(2, 3, 2)),
            case("adjoint", matrix=_SMALL, rhs=_COLUMN, adjoint=True),
            case("nothing", matrix=empty(0, 0), rhs=empty(0, 1)),
            case("singular", raises=_REFUSED, matrix=_SINGULAR, rhs=_COLUMN),
            case("vector", raises=_REFUSED, matrix=_SMALL, rhs=draw(2)),
            case("rows", raises=_REFUSED, matrix=_SMALL, rhs=draw(3, 1)),
            case("leading-axes", raises=_REFUSED, matrix=_PLAIN, rhs=draw(1, 3, 1)),
        ),
    ),
    shim(
        "linalg.triangular_solve",
        "matrix, rhs, lower=True, adjoint=False, name=None",
        "solving",
        tensors=("matrix", "rhs"),
        takes=_KERNELS,
        tolerance=1e-5,
        inputs=(
            case("batch", matrix=_LOWER, rhs=draw(2, 3, 2)),
            case("upper", matrix=_LOWER, rhs=draw(2, 3, 1), lower=False),
            case("adjoint", matrix=_LOWER, rhs=draw(2, 3, 1), adjoint=True),
            case("broadcast", matrix=_LOWER, rhs=draw(3, 1)),
            case("not-read", matrix=f32([[1, NAN], [1, 1]]), rhs=_COLUMN),
            case("singular", matrix=f32([[0, 0], [1, 1]]), rhs=_COLUMN, gradient=()),
            case("vector", raises=_REFUSED, matrix=_SMALL, rhs=draw(2)),
            case("rows", raises=_REFUSED, matrix=_SMALL, rhs=draw(3, 1)),
        ),
    ),
    shim(
        "linalg.cholesky_solve",
        "chol, rhs, name=None",
        "solving",
        tensors=("chol", "rhs"),
        takes=_KERNELS,
        tolerance=1e-5,
        inputs=(
            case("batch", chol=_LOWER, rhs=draw(2, 3, 2)),
            case("broadcast", chol=f32([[2, 0], [1, 3]]), rhs=draw(3, 2, 1)),
            case("rows", raises=_REFUSED, chol=_SMALL, rhs=draw(3, 1)),
        ),
    ),
    shim(
        "linalg.lstsq",
        "matrix, rhs, l2_regularizer=0.0, fast=True, name=None",
        "solving",
        tensors=("matrix", "rhs"),
        tolerance=5e-5,
        inputs=(
            case("batch", matrix=_PLAIN, rhs=draw(2, 3, 1)),
            case("high", matrix=draw(5, 2), rhs=draw(5, 2), pad=()),
            case("wide", matrix=draw(2, 5), rhs=draw(2, 1), pad=()),
            case("regularised", matrix=draw(3, 2), rhs=draw(3, 1), l2_regularizer=0.5, pad=()),
            case("any-rank", matrix=_SINGULAR, rhs=_COLUMN, fast=False, gradient=(), pad=()),
            case("rows", raises=_REFUSED, matrix=_SMALL, rhs=draw(3, 1)),
        ),
    ),
    native(
        "linalg.det",
        "input, name=None",
        "jnp.linalg.det({input})",
        own="determinants.det",
        tensors=("input",),
        takes=_KERNELS,
        tolerance=1e-5,
        inputs=(
            case("batch", input=_PLAIN),
            case("singular", input=_SINGULAR, gradient=()),
            case("one", input=f32([[-3]])),
            case("nan", input=f32([[1, NAN], [2, 4]])),
            case("nothing", input=empty(0, 0), gradient=()),
            case("not-square", raises=_REFUSED, input=draw(2, 3)),
        ),
    ),
    shim(
        "linalg.slogdet",
        "input, name=None",
        "determinants",
        tensors=("input",),
        takes=_KERNELS,
        tolerance=1e-5,
        inputs=(
            case("batch", input=_PLAIN),
            case("singular", input=_SINGULAR, gradient=()),
            case("negative", input=_SMALL),
            case("nan", input=f32([[1, NAN], [2, 4]]), gradient=()),
            case("nothing", input=empty(0, 0)),
            case("not-square", raises=_REFUSED, input=draw(2, 3)),
        ),
    ),
    shim(
        "linalg.logdet",
        "matrix, name=None",
        "determinants",
        tensors=("matrix",),
        takes=_KERNELS,
        tolerance=1e-5,
        inputs=(
            case("batch", matrix=_SPD),
            case("lower-only", matrix=f32([[4, 100], [2, 3]])),
            case("not-positive", matrix=_SINGULAR, gradient=()),
            case("not-square", raises=_REFUSED, matrix=draw(2, 3)),
        ),
    ),
)

_SPECTRA: tuple[Row, ...] = (
    shim(
        "linalg.eigh",
        "tensor, name=None",
        "eigenvalues",
        tensors=("tensor",),
        takes=_KERNELS,
        note="eigenvectors are determined up to a sign; the tests compare what is determined",
        tests=_TESTS,
    ),
    shim(
        "linalg.eigvalsh",
        "tensor, name=None",
        "eigenvalues",
        tensors=("tensor",),
        takes=_KERNELS,
        tolerance=1e-5,
        inputs=(
            case("batch", tensor=_SPD),
            case("lower-only", tensor=f32([[4, 100], [2, 3]])),
            case("equal", tensor=f32([[2, 0], [0, 2]])),
            case("nothing", tensor=empty(0, 0), gradient=()),
            case("nan", raises=_REFUSED, tensor=f32([[NAN, 1], [1, 2]])),
            case("not-square", raises=_REFUSED, tensor=draw(2, 3)),
        ),
    ),
    shim(
        "linalg.eig",
        "tensor, name=None",
        "eigenvalues",
        tensors=("tensor",),
        aliases=("eig",),
        note="the order and the phases are not determined; the tests compare what is determined",
        tests=_TESTS,
    ),
    shim(
        "linalg.eigvals",
        "tensor, name=None",
        "eigenvalues",
        tensors=("tensor",),
        aliases=("eigvals",),
        note="the order is not determined; the tests compare what is determined",
        tests=_TESTS,
    ),
    native(
        "linalg.expm",
        "input, name=None",
        "jax.scipy.linalg.expm({input})",
        own="matrix_functions.expm",
        tensors=("input",),
        takes=_KERNELS,
        tolerance=2e-5,
        inputs=(
            case("batch", input=_PLAIN),
            case("small", input=draw(2, 2, low=-0.1, high=0.1)),
            case("zero", input=f32([[0, 0], [0, 0]])),
            case("overflow", input=f32([[100, 2], [3, -4]]), gradient=()),
            case("nan", input=f32([[1, NAN], [3, 4]]), gradient=()),
            case("not-square", raises=_REFUSED, input=draw(2, 3)),
        ),
    ),
    shim(
        "linalg.pinv",
        f"a, rcond=None, {_CHECKED}",
        "matrix_functions",
        tensors=("a",),
        takes="float32 float64",
        tolerance=2e-5,
        inputs=(
            case("batch", a=_PLAIN),
            case("high", a=draw(4, 2)),
            case("wide", a=draw(2, 4)),
            case("singular", a=_SINGULAR, gradient=()),
            case("rcond", a=f32([[1, 0], [0, 0.1]]), rcond=0.5),
            case("integers", raises="TypeError", a=i32([[1, 2], [3, 4]])),
            case("vector", raises="ValueError", a=draw(2)),
        ),
    ),
    native(
        "linalg.matrix_rank",
        f"a, tol=None, {_CHECKED}",
        "jnp.linalg.matrix_rank({a})",
        own="matrix_functions.matrix_rank",
        tensors=("a",),
        takes="float32 float64",
        inputs=(
            case("batch", a=_PLAIN),
            case("singular", a=_SINGULAR),
            case("zero", a=f32([[0, 0, 0], [0, 0, 0]])),
            case("tol", a=f32([[1, 0], [0, 0.1]]), tol=0.5),
            case("integers", raises="TypeError", a=i32([[1, 2], [3, 4]])),
        ),
    ),
)

_COMPACT = f32([[(1, 1, 0), (4, 5, 4), (0, -1, 1)], [(2, 0.5, 9), (5, 4, 3), (9, 1, 0.5)]])
_FORMAT = "diagonals_format='compact'"

_BANDED: tuple[Row, ...] = (
    shim(
        "linalg.tridiagonal_solve",
        f"diagonals, rhs, {_FORMAT}, transpose_rhs=False, conjugate_rhs=False, name=None, "
        "partial_pivoting=True, perturb_singular=False",
        "tridiagonal",
        tensors=("diagonals", "rhs"),
        tolerance=1e-5,
        inputs=(
            case("batch", diagonals=_COMPACT, rhs=draw(2, 3, 2)),
            case("vectors", diagonals=_COMPACT, rhs=draw(2, 3)),
            case("transposed", diagonals=_COMPACT, rhs=draw(2, 1, 3), transpose_rhs=True),
            case(
                "matrix",
                diagonals=f32([[4, 1, 7], [2, 5, 1], [7, 1, 4]]),
                rhs=draw(3, 1),
                diagonals_format="matrix",
                pad=(),
            ),
            case(
                "sequence",
                diagonals=(draw(2), f32([4, 5, 6]), draw(2)),
                rhs=draw(3, 1),
                diagonals_format="sequence",
                pad=(),
            ),
            case(
                "format",
                raises="ValueError",
                diagonals=_COMPACT,
                rhs=draw(2, 3, 1),
                diagonals_format="wide",
            ),
        ),
    ),
    shim(
        "linalg.tridiagonal_matmul",
        f"diagonals, rhs, {_FORMAT}, name=None",
        "tridiagonal",
        tensors=("diagonals", "rhs"),
        inputs=(
            case("batch", diagonals=_COMPACT, rhs=draw(2, 3, 2)),
            case(
                "not-read",
                diagonals=f32([[1, 1, NAN], [4, 4, 4], [NAN, 1, 1]]),
                rhs=draw(3, 1),
                pad=(),
            ),
            case("vector", raises="ValueError", diagonals=_COMPACT, rhs=draw(3)),
        ),
    ),
    shim(
        "linalg.banded_triangular_solve",
        "bands, rhs, lower=True, adjoint=False, name=None",
        "tridiagonal",
        tensors=("bands", "rhs"),
        tolerance=1e-5,
        inputs=(
            case("batch", bands=f32([[(2, 3, 2), (0, 1, 1)]] * 2), rhs=draw(2, 3, 2)),
            case("upper", bands=f32([(1, 1, 0), (2, 3, 2)]), rhs=draw(3, 1), lower=False, pad=()),
            case(
                "adjoint", bands=f32([(2, 3, 2), (0, 1, 1)]), rhs=draw(3, 1), adjoint=True, pad=()
            ),
            case("one", bands=f32([(2, 3, 2)]), rhs=draw(3, 1), pad=()),
            case("singular", raises=_REFUSED, bands=f32([(2, 0, 2), (0, 1, 1)]), rhs=draw(3, 1)),
        ),
    ),
    shim(
        "linalg.eigh_tridiagonal",
        "alpha, beta, eigvals_only=True, select='a', select_range=None, tol=None, name=None",
        "tridiagonal",
        tensors=("alpha", "beta"),
        tolerance=1e-5,
        inputs=(
            case("all", alpha=f32([1, 2, 3]), beta=f32([1, 0.5]), pad=()),
            case("batch", alpha=draw(2, 3), beta=draw(2, 2)),
            case(
                "numbers",
                alpha=f32([1, 2, 3]),
                beta=f32([1, 0.5]),
                select="i",
                select_range=(0, 1),
                pad=(),
            ),
            case("select", raises="ValueError", alpha=f32([1, 2]), beta=f32([1]), select="q"),
        ),
    ),
)

_WIDE = Draw((3, 4), "float32", -9, 9)

_MOVED: tuple[Row, ...] = (
    native(
        "linalg.diag_part",
        "input, name='diag_part', k=0, padding_value=0, align='RIGHT_LEFT'",
        "jnp.diagonal({input}, axis1=-2, axis2=-1)",
        own="diagonals.diag_part",
        tensors=("input",),
        inputs=(
            case("batch", input=draw(2, 3, 3)),
            case("wide", input=_WIDE, pad=()),
            case("above", input=_WIDE, k=3, pad=()),
            case("below", input=_WIDE, k=-2, pad=()),
            case("band", input=_WIDE, k=(-1, 1), pad=()),
            case("everything", input=_WIDE, k=(-2, 3), padding_value=9.0, pad=()),
            case("left-left", input=_WIDE, k=(-2, 3), align="LEFT_LEFT", pad=()),
            case("right-right", input=_WIDE, k=(-2, 3), align="RIGHT_RIGHT", pad=()),
            case(
                "left-right", input=_WIDE, k=(-2, 3), align="LEFT_RIGHT", padding_value=-1.0, pad=()
            ),
            case("bool", input=bools([[1, 0], [1, 1]]), pad=()),
            case("int32", input=i32([[1, 2], [3, 4]]), pad=()),
            case("empty", input=empty(0, 3)),
            case("outside", raises=_REFUSED, input=_WIDE, k=4),
            case("order", raises=_REFUSED, input=_WIDE, k=(1, -1)),
            case("vector", raises=_REFUSED, input=draw(2)),
            case("alignment", raises=_REFUSED, input=_WIDE, k=(0, 1), align="LEFT"),
        ),
    ),
    shim(
        "linalg.diag",
        "diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0, align='RIGHT_LEFT'",
        "diagonals",
        tensors=("diagonal",),
        inputs=(
            case("vector", diagonal=draw(3)),
            case("batch", diagonal=draw(2, 3)),
            case("above", diagonal=draw(2), k=1),
            case("below", diagonal=draw(2), k=-1, num_rows=3, pad=()),
            case("padding", diagonal=draw(2), padding_value=7.0),
            case("band", diagonal=draw(2, 3), k=(-1, 0), pad=()),
            case("three", diagonal=draw(3, 3), k=(-1, 1), align="LEFT_RIGHT", pad=()),
            case("wide", diagonal=draw(2), num_cols=4, pad=()),
            case("high", diagonal=draw(2), num_rows=5, pad=()),
            case("int32", diagonal=i32([1, 2]), pad=()),
            case("empty", diagonal=empty(0)),
            case("too-small", raises=_REFUSED, diagonal=draw(3), num_rows=2),
            case("too-large", raises=_REFUSED, diagonal=draw(2), num_rows=3, num_cols=3),
            case("scalar", raises=_REFUSED, diagonal=f32(1)),
            case("count", raises=_REFUSED, diagonal=draw(2, 3), k=(-1, 1)),
        ),
    ),
    shim(
        "linalg.set_diag",
        "input, diagonal, name='set_diag', k=0, align='RIGHT_LEFT'",
        "diagonals",
        tensors=("input", "diagonal"),
        inputs=(
            case("batch", input=draw(2, 3, 3), diagonal=draw(2, 3)),
            case("wide", input=_WIDE, diagonal=draw(3), pad=()),
            case("above", input=_WIDE, diagonal=draw(3), k=1, pad=()),
            case("band", input=_WIDE, diagonal=draw(2, 3), k=(0, 1), pad=()),
            case("left", input=_WIDE, diagonal=draw(2, 3), k=(-1, 0), align="LEFT_LEFT", pad=()),
            case("nan", input=f32([[NAN, 1], [2, NAN]]), diagonal=f32([1, 2]), pad=()),
            case("length", raises=_REFUSED, input=_WIDE, diagonal=draw(2)),
            case("outside", raises=_REFUSED, input=_WIDE, diagonal=draw(2), k=4),
            case("leading-axes", raises=_REFUSED, input=draw(2, 2, 2), diagonal=draw(2)),
            case("dtypes", raises=_REFUSED, input=_WIDE, diagonal=i32([1, 2, 3])),
        ),
    ),
    shim(
        "linalg.tensor_diag",
        "diagonal, name=None",
        "diagonals",
        tensors=("diagonal",),
        takes=f"{_KERNELS} float16 bfloat16 index",
        inputs=(
            case("vector", diagonal=draw(3)),
            case("matrix", diagonal=draw(2, 3)),
            case("int32", diagonal=i32([1, 2])),
            case("scalar", raises=_REFUSED, diagonal=f32(1)),
            case("bool", raises=_REFUSED, diagonal=bools([1])),
        ),
    ),
    shim(
        "linalg.tensor_diag_part",
        "input, name=None",
        "diagonals",
        tensors=("input",),
        takes=f"{_KERNELS} float16 bfloat16 index",
        inputs=(
            case("matrix", input=draw(3, 3), pad=()),
            case("four-axes", input=draw(2, 3, 2, 3), pad=()),
            case("empty", input=empty(0, 0)),
            case("three-axes", raises=_REFUSED, input=draw(1, 2, 2)),
            case("sizes", raises=_REFUSED, input=draw(2, 3)),
        ),
    ),
    shim(
        "linalg.band_part",
        "input, num_lower, num_upper, name=None",
        "matrix_layout",
        tensors=("input",),
        inputs=(
            case("batch", input=draw(2, 3, 4), num_lower=1, num_upper=0),
            case("lower", input=draw(3, 3), num_lower=-1, num_upper=0),
            case("upper", input=_WIDE, num_lower=0, num_upper=-1),
            case("bool", input=bools([[1, 1], [1, 1]]), num_lower=0, num_upper=0),
            case("nan", input=f32([[NAN, NAN], [NAN, NAN]]), num_lower=0, num_upper=0),
            case("all", input=draw(2, 2), num_lower=2, num_upper=2),
            case("too-many", raises=_REFUSED, input=draw(2, 2), num_lower=3, num_upper=0),
            case("vector", raises=_REFUSED, input=draw(2), num_lower=1, num_upper=0),
            case("float", raises="TypeError", input=draw(2, 2), num_lower=1.0, num_upper=0),
        ),
    ),
    native(
        "linalg.matrix_transpose",
        "a, name='matrix_transpose', conjugate=False",
        "jnp.matrix_transpose({a})",
        own="matrix_layout.matrix_transpose",
        tensors=("a",),
        inputs=(
            case("matrix", a=draw(2, 3)),
            case("batch", a=draw(2, 3, 4)),
            case("conjugate", a=draw(2, 3), conjugate=True),
            case("empty", a=empty(0, 3)),
            case("vector", raises="ValueError", a=draw(2)),
        ),
    ),
    native(
        "linalg.adjoint",
        "matrix, name=None",
        "jnp.conj(jnp.matrix_transpose({matrix}))",
        own="matrix_layout.adjoint",
        tensors=("matrix",),
        inputs=(
            case("matrix", matrix=draw(2, 3)),
            case("batch", matrix=draw(2, 3, 4)),
            case("int32", matrix=i32([[1, 2]])),
        ),
    ),
    native(
        "linalg.cross",
        "a, b, name=None",
        "jnp.cross({a}, {b})",
        own="vectors.cross",
        tensors=("a", "b"),
        takes="real",
        note="JAX broadcasts, and takes vectors of two elements",
        inputs=(
            case("batch", a=draw(2, 3), b=draw(2, 3)),
            case("vector", a=draw(3), b=draw(3)),
            case("int32", a=i32([1, 2, 3]), b=i32([4, 5, 7])),
            case("shapes", raises=_REFUSED, a=draw(1, 3), b=draw(3)),
        ),
    ),
    shim(
        "linalg.normalize",
        "tensor, ord='euclidean', axis=None, name=None",
        "vectors",
        tensors=("tensor",),
        inputs=(
            case("all", tensor=draw(3, 4)),
            case("axis1", tensor=draw(3, 4), axis=1),
            case("ord1", tensor=draw(3, 4), ord=1, axis=0),
            case("zero", tensor=f32([0, 0])),
            case("matrix", tensor=draw(2, 3, 4), axis=(1, 2)),
        ),
    ),
)

ROWS: tuple[Row, ...] = (*_FACTORISED, *_SOLVED, *_SPECTRA, *_BANDED, *_MOVED)

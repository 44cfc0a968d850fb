"""Every row with arrays of every dtype: refused where TensorFlow refuses, of its dtype otherwise.

The first case of a row is called with the arrays of one dtype made another; 64-bit types are on.
"""

import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import shims
from tf2jax_port.diff.parity import original_side, port_side

from . import cases

DTYPES = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
# TensorFlow stumbles over these in Python, which nobody catches; ours says what is wrong.
ACCIDENTS = ("AttributeError", "AssertionError", "InternalError")
# What is left, and why. A row that comes to agree has to leave this list.
_TYPES_OF_IDS = "TensorFlow has labels of the dtype of its own sampler only; ours casts them"
_ORDERS = "TensorFlow stumbles over orders of 64 bits for several matrices"
DIFFERENT: dict[str, str] = {
    "linalg.lu_matrix_inverse": _ORDERS,
    "linalg.lu_reconstruct": _ORDERS,
    "linalg.matrix_rank": "ours takes complex matrices, on which TensorFlow stumbles",
    "histogram_fixed_width": "TensorFlow refuses this range of integers, which a cast makes empty",
    "linalg.eigh_tridiagonal": "ours has no float16, and complex eigenvalues of complex numbers",
    "nn.collapse_repeated": "ours refuses booleans",
    "nn.compute_accidental_hits": _TYPES_OF_IDS,
    "nn.ctc_loss": "ours takes float64 and other integers",
    "nn.nce_loss": _TYPES_OF_IDS,
    "nn.sampled_softmax_loss": _TYPES_OF_IDS,
    "nn.compute_average_loss": "ours divides small integers in float64",
    "nn.max_pool_with_argmax": "ours refuses unsigned integers of 32 and 64 bits",
    "nn.scale_regularization_loss": "ours divides integers in float32",
    "nn.sufficient_statistics": "ours refuses integers",
}


@pytest.fixture(autouse=True)
def wide_types():
    with jax.enable_x64(True):
        yield


def first_case(row):
    """The first case of a row that TensorFlow answers and that has arrays, or `None`."""
    points = [p for p in cases.POINTS if p.row is row and cases.succeeds(p) and p.case.arrays()]
    return points[0] if points else None


def groups(point) -> dict[str, list[str]]:
    """The arguments of a case by dtype."""
    given, found = cases.arguments(point), {}
    for name in point.case.arrays():
        value = given[name][0] if isinstance(given[name], tuple) else given[name]
        found.setdefault(np.asarray(value).dtype.name, []).append(name)
    return found


def converted(array, name):
    """An array in a different dtype: positive where it becomes an integer, as positions have to be."""
    dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
    array = np.asarray(array)
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real
    if array.dtype.kind in "fc":
        array = np.nan_to_num(array, nan=0, posinf=1, neginf=0)
        array = np.abs(array) + 1 if dtype.kind in "iub" else array
    elif dtype.kind == "u":
        array = np.abs(array.astype(int))
    return array.astype(dtype)


def arguments(point, names, dtype):
    given = cases.arguments(point)
    for name in names:
        value = given[name]
        several = isinstance(value, tuple)
        given[name] = (
            tuple(converted(v, dtype) for v in value) if several else converted(value, dtype)
        )
    return given


def theirs(row, given):
    """The dtypes of TensorFlow's results, or the name of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what TensorFlow warns of itself
            out = cases.apply(original_side.function_of(row), row, original_side.tensors(given))
    except Exception as error:  # noqa: BLE001 - which one is what the test is about
        return type(error).__name__
    return [
        t.dtype.name if hasattr(t, "dtype") else type(t).__name__ for t in original_side.flat(out)
    ]


def mine(point, given):
    """The dtypes of our results, or the names of our error's classes; nothing is computed."""
    row, names = point.row, point.case.arrays()
    as_jax = lambda v: list(map(jnp.asarray, v)) if isinstance(v, tuple) else jnp.asarray(v)
    arrays = {n: as_jax(v) for n, v in given.items() if n in names}

    def call(arrays):
        return cases.apply(
            port_side.function_of(row), row, {n: arrays.get(n, v) for n, v in given.items()}
        )

    try:
        out = jax.eval_shape(call, arrays)
    except Exception:  # noqa: BLE001 - some calls need the numbers
        try:
            out = call(arrays)
        except Exception as error:  # noqa: BLE001 - TensorFlow decides which
            return {c.__name__ for c in type(error).__mro__}
    leaves = jax.tree.leaves(out, is_leaf=lambda v: isinstance(v, shims.Padded))
    return [jnp.dtype((x.values if isinstance(x, shims.Padded) else x).dtype).name for x in leaves]


def differences(row) -> list[str]:
    """What sets the two apart, dtype by dtype."""
    point, found = first_case(row), []
    for names in groups(point).values():
        for dtype in DTYPES:
            given = arguments(point, names, dtype)
            want, got = theirs(row, given), mine(point, given)
            if isinstance(want, str) and isinstance(got, set):
                same = want in got or want in ACCIDENTS
            else:
                same = want == got
            if not same:
                found.append(f"{', '.join(names)} {dtype}: {got}, TensorFlow {want}")
    return found


ROWS = [pytest.param(row, id=row.name) for row in cases.operators() if first_case(row)]


@pytest.mark.parametrize("row", ROWS)
def test_dtypes(row):
    found = differences(row)
    if row.name in DIFFERENT:
        assert found, f"nothing differs, although: {DIFFERENT[row.name]}"
    else:
        assert not found, "\n".join(found)


def test_the_list_of_what_differs_names_rows():
    assert set(DIFFERENT) <= {row.name for row in cases.operators()}

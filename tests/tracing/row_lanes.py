"""How does a row of the programs table run: exactly, under an enclosing `jax.jit`, at the top level?

Every lane gives a `Result`. The gradients are those of `jax_loss(outputs)`, with respect to the
floating-point arguments.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tests.harness import jax_side
from tests.harness.compare import Dtypes, Tolerance, assert_same
from tests.harness.flatten import is_padded, unpadded
from tests.harness.jax_side import Result, differentiated, floating, with_loss
from tests.tracing.programs.row import MASKS, Masked, Refused, Selecting, Sized

DOCUMENTED = (
    shims.errors.FreshSizeError,
    shims.errors.UnsupportedPrimitiveError,
    shims.CapacityError,
)


class Exact:
    """The operators that `Selecting` programs use, on concrete arrays, in plain NumPy terms."""

    @staticmethod
    def boolean_mask(x, mask, axis=0):
        return jnp.take(x, np.nonzero(mask)[0], axis=axis) if np.ndim(mask) == 1 else x[mask]

    @staticmethod
    def where(mask):
        return jnp.argwhere(mask)

    @staticmethod
    def range(count):
        return jnp.arange(int(count))

    @staticmethod
    def unique(x):
        """Values in order of appearance, and the position of each element's value."""
        _, first, inverse = np.unique(np.asarray(x), return_index=True, return_inverse=True)
        order = np.argsort(first)
        return x[np.sort(first)], jnp.asarray(np.argsort(order)[inverse], jnp.int32)


def through_a_mask(f):
    """The program `f` of the rows of `x` that `m` selects."""
    return lambda x, m: f(shims.boolean_mask(x, m))


def positions_of(row) -> tuple[int, ...]:
    """Positions of a row's differentiable arguments; none where the row is not differentiated."""
    if not row.gradient:
        return ()
    if isinstance(row, Masked):
        return () if row.integers else (0,)
    if isinstance(row, Selecting):
        return floating(next(iter(row.cases().values())))
    return tuple(i for i in range(len(row.specs)) if i not in row.integers)


def function_of(row):
    """The function of the arrays that the lanes run."""
    if isinstance(row, Masked):
        return through_a_mask(row.f)
    if isinstance(row, Selecting):
        return functools.partial(row.f, shims)
    return row.f


def cases_of(row) -> dict[str, tuple]:
    """The row's arguments by case."""
    if isinstance(row, Masked):
        return {kind: (row.x(), mask) for kind, mask in MASKS.items()}
    if isinstance(row, Selecting):
        return row.cases()
    return {str(size): row.arguments(size) for size in row.sizes}


def few_cases_of(row) -> tuple[str, ...]:
    """Some of them: nothing and a part of it all, or every other one."""
    return ("zero", "some") if isinstance(row, Masked) else tuple(cases_of(row))[::2]


@functools.cache
def exact(row, case: str) -> Result:
    """The reference: plain JAX on exact arrays."""
    if isinstance(row, Masked):
        return _exact_masked(row, case)
    if isinstance(row, Selecting):
        arguments = row.cases()[case]
        program = with_loss(row.reference or functools.partial(row.f, Exact))
        result = differentiated(program, positions_of(row))(*map(jnp.asarray, arguments))
        return Result(jax.tree.map(jnp.asarray, result.outputs), result.gradients)
    arguments = cases_of(row)[case]
    return exactly(row)(*arguments)


def _exact_masked(row: Masked, kind: str) -> Result:
    mask = MASKS[kind]
    y = row.x()[mask]
    if kind == "zero" and row.empty is not Refused and callable(row.empty):
        gradients = (np.zeros(row.shape, np.float32),) if positions_of(row) else ()
        return Result(row.empty(y), gradients)
    result = exactly(row)(y)
    if not positions_of(row):
        return result
    gradient = np.zeros(row.shape, np.float32)
    gradient[mask] = result.gradients[0]
    return Result(result.outputs, (gradient,))


@functools.cache
def exactly(row):
    """The row over exact arrays, under plain `jax.jit`."""
    return jax.jit(differentiated(with_loss(row.f), positions_of(row)))


@functools.cache
def foreign(row):
    """Run the row under one `jax.jit`, differentiated from outside of `shims.dynamic`."""
    return jax_side.around_dynamic(with_loss(function_of(row)), positions_of(row))


@functools.cache
def inside(row):
    """Run the row under one `jax.jit`, differentiated inside of `shims.dynamic`."""
    return jax_side.inside_dynamic(with_loss(function_of(row)), positions_of(row))


@functools.cache
def top_level(row):
    """Run the row as a `shims.function`, differentiated inside of it."""
    signature = None
    if isinstance(row, Sized):
        signature = [
            shims.TensorSpec(list(spec), np.int32 if i in row.integers else np.float32)
            for i, spec in enumerate(row.specs)
        ]
    return jax_side.function(with_loss(function_of(row)), positions_of(row), signature)


def run(lane, row, case: str) -> Result:
    """One case of a row through one lane, exact."""
    result = lane(row)(*cases_of(row)[case])
    return Result(unpadded(result.outputs), result.gradients)


def is_flagged(row, case: str) -> bool:
    """Whether a foreign `jit` has no right answer for this case, only an error value."""
    return case in getattr(row, "assumes", ())


def is_error_value(leaf) -> bool:
    """Whether a result cannot be mistaken for data: `unpad` raises, floats are NaN."""
    if not is_padded(leaf):
        return bool(jnp.issubdtype(leaf.dtype, jnp.inexact) and jnp.isnan(leaf).all())
    try:
        leaf.unpad()
    except shims.errors.InvalidArgumentError:
        return True
    return False


def selected(row, case: str, gradient):
    """The part of a gradient that depends on the program: what is not selected has none."""
    return gradient[MASKS[case]] if isinstance(row, Masked) else gradient


def assert_exact_or_error_value(lane, row, case: str) -> None:
    """Raises unless each result is either right or an error value."""
    got, want = lane(row)(*cases_of(row)[case]), exact(row, case)
    pairs = [
        *zip(jax.tree.leaves(got[0], is_leaf=is_padded), jax.tree.leaves(want[0]), strict=True),
        *((selected(row, case, a), selected(row, case, b)) for a, b in zip(got[1], want[1])),
    ]
    for a, b in pairs:
        if not is_error_value(a):
            assert_close(unpadded(a), b, row.tolerance, f"{row.name}, {case}")


def assert_close(got, want, tolerance: float, what: str = "outputs") -> None:
    """Fail unless two results agree relative to the reference's largest magnitude."""
    assert_same(got, want, Tolerance(of_largest=tolerance), Dtypes.SAME, what=what)

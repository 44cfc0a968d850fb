"""Are two results the same? Structures, shapes and dtypes, NaN and infinities in place, numbers."""

from __future__ import annotations

import enum
import os
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .flatten import flatten, is_padded


class Tolerance(NamedTuple):
    """How far a floating-point number may be from the reference.

    Attributes:
      relative: times the number's own magnitude.
      absolute: whatever the number is.
      of_largest: times the largest finite magnitude of the reference, or 1 if that is larger.
    """

    relative: float = 0.0
    absolute: float = 0.0
    of_largest: float = 0.0

    def allowed(self, want: np.ndarray) -> np.ndarray:
        """Compute the largest allowed distance for each of some finite numbers."""
        size = np.abs(want)
        fixed = self.absolute + self.of_largest * float(size.max(initial=1.0))
        return fixed + self.relative * size


EXACT = Tolerance()


def within(tolerance: float) -> Tolerance:
    """Allow the same relative and absolute distance."""
    return Tolerance(relative=tolerance, absolute=tolerance)


class Dtypes(enum.Enum):
    """Which dtype is right."""

    SAME = "the reference's"
    AS_JAX = "the reference's, of 32 bits where JAX has no 64"
    ANY = "any"


_NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def expected_dtype(dtype: np.dtype) -> np.dtype:
    """TensorFlow's dtype as JAX has it: 64 bits only with `jax_enable_x64`."""
    name = np.dtype(dtype).name
    return dtype if jax.config.jax_enable_x64 or name not in _NARROW else np.dtype(_NARROW[name])


def difference(got, want, tolerance: float | Tolerance, dtypes: Dtypes = Dtypes.AS_JAX) -> str:
    """Describe what sets an array apart from the reference, `""` if nothing does.

    Args:
      got: an array.
      want: the reference.
      tolerance: of floating-point numbers; a number is `within(tolerance)`.
      dtypes: which dtype is right.
    """
    got, want = _as_numpy(got), _as_numpy(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, should be {want.shape}"
    right = expected_dtype(want.dtype) if dtypes is Dtypes.AS_JAX else want.dtype
    if dtypes is not Dtypes.ANY and got.dtype != right:
        return f"dtype {got.dtype}, should be {right}"
    if not (np.issubdtype(got.dtype, np.inexact) or np.issubdtype(want.dtype, np.inexact)):
        both_nan = (got != got) & (want != want)  # of dtypes that NumPy does not know as numbers
        return _first((got != want) & ~both_nan, got, want, "value")
    tolerance = tolerance if isinstance(tolerance, Tolerance) else within(tolerance)
    wide = np.complex128 if np.iscomplexobj(got) or np.iscomplexobj(want) else np.float64
    return _distance(got.astype(wide), want.astype(wide), tolerance)


def _as_numpy(value) -> np.ndarray:
    return np.asarray(value.unpad() if is_padded(value) else value)


def _distance(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> str:
    found = _first(np.isnan(got) != np.isnan(want), got, want, "NaN")
    infinite = np.isinf(got) | np.isinf(want)
    unlike = infinite & _differ_at_infinity(got, want, tolerance) & ~np.isnan(want)
    found = found or _first(unlike, got, want, "inf")
    finite = np.isfinite(got) & np.isfinite(want)
    far = np.zeros(got.shape, bool)
    far[finite] = ~(np.abs(got[finite] - want[finite]) <= tolerance.allowed(want[finite]))
    return found or _first(far, got, want, "value")


def _differ_at_infinity(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Find where infinite numbers differ; a finite part beside an infinite one may be rounded."""
    if not np.iscomplexobj(got):
        return np.asarray(got != want)
    unlike = np.zeros(got.shape, bool)
    for a, b in ((got.real, want.real), (got.imag, want.imag)):
        with np.errstate(invalid="ignore"):
            near = np.isfinite(a) & (
                np.abs(a - b) <= tolerance.absolute + tolerance.relative * np.abs(b)
            )
        unlike |= (a != b) & ~near
    return unlike


def _first(wrong, got: np.ndarray, want: np.ndarray, what: str) -> str:
    if not np.any(wrong):
        return ""
    place = tuple(np.argwhere(wrong)[0])
    return (
        f"{what} at {tuple(map(int, place))}: {got[place]!r}, should be {want[place]!r} "
        f"({int(np.sum(wrong))} of {np.size(wrong)} differ)"
    )


def differences(
    got,
    want,
    tolerance: float | Tolerance,
    dtypes: Dtypes = Dtypes.AS_JAX,
    *,
    kinds: bool = False,
) -> str:
    """Describe all that sets a result apart from the reference, a line each, `""` if nothing does.

    Args:
      got: arrays, `None`, text and truth values in structures and composite tensors.
      want: the reference.
      tolerance: of floating-point numbers; a number is `within(tolerance)`.
      dtypes: which dtypes are right.
      kinds: whether a list differs from a tuple.
    """
    (form, ours), (right, theirs) = flatten(got, kinds=kinds), flatten(want, kinds=kinds)
    if form != right or ours.keys() != theirs.keys():
        return f"structure {form}, should be {right}"
    found = {path: difference(ours[path], theirs[path], tolerance, dtypes) for path in theirs}
    return "\n".join(f"{path}: {text}" for path, text in found.items() if text)


def assert_same(
    got,
    want,
    tolerance: float | Tolerance,
    dtypes: Dtypes = Dtypes.AS_JAX,
    *,
    what: str = "results",
    kinds: bool = False,
) -> None:
    """Fail with all `differences`, and with how to see them again."""
    report({what: differences(got, want, tolerance, dtypes, kinds=kinds)})


def assert_same_tree(got, want, dtypes: Dtypes = Dtypes.SAME) -> None:
    """Fail unless two results are one pytree to JAX, lists and tuples told apart, to float32's accuracy.

    Python's numbers count as the arrays that JAX makes of them.
    """
    got, want = jax.tree.map(jnp.asarray, (got, want))
    assert_same(got, want, Tolerance(relative=2e-6, absolute=1e-6), dtypes, kinds=True)


def assert_same_bits(got, want, what: str = "results") -> None:
    """Fail unless all arrays of two results have the same shapes, dtypes and bytes.

    Whoever compares two programs or two libraries so says on what it rests: processors may fuse.
    """
    (form, ours), (right, theirs) = flatten(got), flatten(want)
    found = "" if form == right else f"structure {form}, should be {right}"
    pairs = {path: (_as_numpy(ours[path]), _as_numpy(theirs[path])) for path in theirs if not found}
    lines = [f"{path}: {text}" for path, (a, b) in pairs.items() if (text := _other_bits(a, b))]
    report({what: found or "\n".join(lines)})


def _other_bits(got: np.ndarray, want: np.ndarray) -> str:
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape}, should be {want.dtype}{want.shape}"
    if got.tobytes() == want.tobytes():
        return ""
    return f"other bits: {got.tolist()}, should be {want.tolist()}"


def report(found: dict[str, str]) -> None:
    """Fail with all problems that were found, and with how to see them again.

    Args:
      found: what is wrong by what it is wrong with; `""` where nothing is.
    """
    lines = [f"{what}: {text}" for what, text in found.items() if text]
    assert not lines, "\n".join([*lines, *_rerun()])


def _rerun() -> list[str]:
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    return [f"again with: python -m pytest {test!r}"] if test else []

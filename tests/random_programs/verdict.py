"""Whether two answers are the same, and where a difference is nobody's fault.

Rounding is judged by TensorFlow's own sensitivity: the program runs again with every rounded
intermediate value moved by a few units in the last place. Where TensorFlow's own answer moves as far
as ours is away, or takes another branch (a floor, a comparison, an order), the place is a *knife
edge*: counted, and only so many are allowed.
"""

from __future__ import annotations

import enum
import zlib

import numpy as np
import tensorflow as tf

from tests.harness.compare import difference
from tests.harness.outcomes import same_error

from . import tensorflow_answer
from .operators import (
    BY_COMPLEX_PRODUCTS,
    BY_DROPPED_GRADIENTS,
    BY_ELIMINATION,
    BY_SERIES,
)
from .program import Program
from .tensorflow_answer import Answer

TOLERANCE = 1e-5
ULPS = 3
SAMPLES = 8
SLACK = 8.0


class Verdict(enum.Enum):
    SAME = "same"
    KNIFE_EDGE = "knife edge"
    WRONG = "wrong"


def problems(got: Answer, want: Answer, *, tolerance: float = TOLERANCE) -> list[str]:
    """What sets our answer apart from TensorFlow's: one line a value, gradient or error."""
    if _is_their_fault(want.error):
        return []
    if isinstance(want.error, tf.errors.InternalError) and got.error is not None:
        return []  # TensorFlow met it where it did not look for it: its class says nothing
    if want.error is not None or got.error is not None:
        return [] if same_error(got.error, want.error) else [_errors(got.error, want.error)]
    lines = []
    for name, value in got.values.items():
        found = difference(value, want.values[name], tolerance)
        lines += [f"{name}: {found}"] if found else []
    if want.gradients is not None:
        for name, value in got.gradients.items():
            found = difference(value, want.gradients[name], 10 * tolerance)
            lines += [f"gradient by {name}: {found}"] if found else []
    return lines


def _is_their_fault(error) -> bool:
    """Whether TensorFlow contradicts itself, or tells of a library and not of the arguments.

    `repeat` of nothing gives another shape than it says; oneDNN finds no way to run a convolution.
    """
    contradicts = isinstance(error, ValueError) and "not compatible with supplied" in str(error)
    return contradicts or isinstance(error, tf.errors.AbortedError)


def _errors(got, want) -> str:
    describe = lambda e: "no error" if e is None else f"{type(e).__name__}: {str(e)[:400]}"
    return f"raises {describe(got)}\n  should be {describe(want)}"


def judge(program: Program, got: Answer, want: Answer) -> tuple[Verdict, list[str]]:
    """The verdict on one lane, and what is wrong."""
    found = problems(got, want)
    if not found:
        return Verdict.SAME, []
    if got.error is not None or want.error is not None:
        return Verdict.WRONG, found
    drops = any(call.row.name in BY_DROPPED_GRADIENTS for call in program.calls)
    if drops and not problems(_with_their_gradients_for_nan(got, want), want):
        return Verdict.KNIFE_EDGE, found
    moved = [tensorflow_answer.answer(program, Nudge(seed)) for seed in range(SAMPLES)]
    if _is_knife_edge(got, want, moved):
        return Verdict.KNIFE_EDGE, found
    return Verdict.WRONG, found


def _with_their_gradients_for_nan(got: Answer, want: Answer) -> Answer:
    if got.gradients is None or want.gradients is None:
        return got
    true = want.gradients
    gradients = {n: np.where(np.isnan(g), true[n], g) for n, g in got.gradients.items()}
    return got._replace(gradients=gradients)


def _is_knife_edge(got: Answer, want: Answer, moved: list[Answer]) -> bool:
    """Whether every difference is where TensorFlow's own answer moves as far."""
    if any(m.error is not None for m in moved):
        return True
    if want.gradients is not None and any(m.gradients is None for m in moved):
        return True  # of what rounding has left above 0, there is one, and of 0 none
    for kind, scale in (("values", 1), ("gradients", 10)):
        ours, true = getattr(got, kind), getattr(want, kind) or {}
        for name in true if kind == "gradients" else ours:
            samples = [getattr(m, kind)[name] for m in moved]
            if difference(ours[name], true[name], scale * TOLERANCE) and not _moves(
                ours[name], true[name], samples
            ):
                return False
    return True


def _moves(got, want, samples) -> bool:
    """Whether, wherever `got` is not `want`, a sample is as far away or of another form."""
    if got.shape != want.shape or any(s.shape != want.shape for s in samples):
        return any(s.shape != want.shape for s in samples)
    samples = np.stack(samples)
    if want.dtype.kind not in "fc":
        return bool(((got == want) | (samples != want).any(axis=0)).all())
    finite = np.isfinite(want)
    jumps = (np.isfinite(samples) != finite).any(axis=0)
    same = np.where(finite, np.isfinite(got), (got == want) | (np.isnan(got) & np.isnan(want)))
    true = np.where(finite, want, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        reach = np.where(np.isfinite(samples) & finite, np.abs(samples - true), 0)
        allowed = SLACK * reach.max(initial=0) + TOLERANCE * (1 + np.abs(true))
        near = ~finite | (np.abs(got - true) <= allowed)
    return bool((jumps | (same & near)).all())


class Nudge:
    """Moves values that an operator has rounded by a few units in the last place.

    What is exact in every implementation stays: copies of operands, and short binary fractions.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count = 0

    def __call__(self, call, value):
        if value.dtype not in (tf.float32, tf.float16) or not value.shape.num_elements():
            return value
        self._count += 1
        rng = np.random.default_rng(zlib.crc32(f"{self._seed}-{self._count}".encode()))
        array = value.numpy()
        step = np.finfo(array.dtype).eps * rng.integers(-ULPS, ULPS + 1, array.shape)
        if call.row.name.startswith((*BY_ELIMINATION, *BY_COMPLEX_PRODUCTS)):
            # What cancels there leaves the rounding of what it cancelled, or nothing.
            largest = np.max(np.abs(array), where=np.isfinite(array), initial=0.0)
            return value + tf.constant((step * largest).astype(array.dtype))
        if not call.row.name.startswith(BY_SERIES):
            step = np.where(_is_short(array), 0, step)
        return value * tf.constant((1 + step).astype(array.dtype))


def _is_short(array: np.ndarray) -> np.ndarray:
    """Elements of at most ten binary digits, which no implementation rounds."""
    with np.errstate(all="ignore"):
        fraction, _ = np.frexp(array.astype(np.float64))
        return ~np.isfinite(array) | (np.ldexp(fraction, 10) == np.round(np.ldexp(fraction, 10)))

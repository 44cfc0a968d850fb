"""Run programs over sizes in every lane, and judge each outcome against the run on concrete arrays."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import types
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tests.sizes.python_sweep.cases import STATIC, Case, source

SELECTIONS = {
    "full": (1.0, 2.0, 3.0, 0.5, 1.5, 2.5),
    "some": (3.0, -2.0, 1.0, -1.0, 5.0, -4.0),
    "one": (-1.0, -2.0, 3.0, -1.0, -5.0, -4.0),
    "none": (-1.0, -2.0, -3.0, -1.0, -5.0, -4.0),
}
_SIGNATURE = [
    shims.TensorSpec([None]),
    shims.TensorSpec([], shims.int32),
    shims.TensorSpec([3]),
]
LANES: dict[str, Callable] = {
    "function": lambda f: shims.function(f, input_signature=_SIGNATURE),
    "function, as written": lambda f: shims.function(
        f, input_signature=_SIGNATURE, autograph=False
    ),
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "jit, as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}
# The lanes in which sizes of inputs are unknown while tracing.
_OF_UNKNOWN_INPUTS = ("function", "function, as written")


# Python's `type` reads the class of an object, and nothing replaces it in code that runs as written.
_NOT_AS_WRITTEN = re.compile(r"\btype\(")


def lanes_of(case: Case) -> list[str]:
    """Return the lanes in which the size of a case is unknown while tracing, and its program has a meaning."""
    lanes = _OF_UNKNOWN_INPUTS if case.size in STATIC else LANES
    converted = [lane for lane in lanes if "as written" not in lane]
    return converted if _NOT_AS_WRITTEN.search(case.body) else list(lanes)


def load(programs: list[Case], folder: pathlib.Path) -> types.ModuleType:
    """Write programs to a module, and import it."""
    path = folder / "programs_over_sizes.py"
    path.write_text(source(programs))
    spec = importlib.util.spec_from_file_location("programs_over_sizes", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _operands(values):
    return jnp.asarray(values), jnp.int32(3), jnp.asarray([2.0, 0.5, 3.0])


def _plain(result) -> list[np.ndarray]:
    """Return a result as NumPy arrays; texts are bytes, as in TensorFlow."""
    result = jax.tree.map(
        lambda p: p.unpad() if isinstance(p, shims.Padded) else p,
        result,
        is_leaf=lambda p: isinstance(p, shims.Padded),
    )
    leaves = jax.tree.leaves(result)
    return [np.asarray(x.encode() if isinstance(x, str) else x) for x in leaves]


def reference(program: Callable, values) -> list[np.ndarray] | Exception:
    """Run a program on concrete arrays, where a size is an `int`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _plain(program(*_operands(values)))
    except Exception as error:  # noqa: BLE001 - the outcome is the error
        return error


def _is_text(array: np.ndarray) -> bool:
    return array.dtype.kind in "SU"


def _kind(array: np.ndarray) -> str:
    return "i" if array.dtype.kind == "u" else array.dtype.kind


_ORDER = "bifc"


# An operand chosen at run time has the dtype and the rank to which both operands are promoted.
_CHOOSES = re.compile(r" if .* else |\band\b|\bor\b|\belse:|\b(min|max)\(")


def _widest(references: list, body: str) -> tuple[str, int]:
    """Return the kinds of dtypes, and the highest rank, that a result may have instead of Python's."""
    single = [r[0] for r in references if isinstance(r, list) and len(r) == 1]
    kinds = {_kind(r) for r in single}
    if _CHOOSES.search(body):
        kinds |= {kind for known in kinds for kind in _ORDER[_ORDER.find(known) + 1 :]}
    return "".join(kinds), max((r.ndim for r in single), default=0)


def _same(got: list[np.ndarray], want: list[np.ndarray], widest: tuple[str, int]) -> str:
    """Return the state of a result: `right`, `NaN`, or a description of the difference."""
    if len(got) != len(want):
        return f"wrong: {len(got)} results, not {len(want)}"
    for a, b in zip(got, want, strict=True):
        if not b.ndim and a.ndim == widest[1]:
            b = np.broadcast_to(b, a.shape)
        if a.shape != b.shape:
            return f"wrong: shape {a.shape}, not {b.shape}"
        if _is_text(b):
            if a.tolist() != b.tolist():
                return f"wrong: {a}, not {b}"
            continue
        if _kind(a) != _kind(b) and _kind(a) not in widest[0]:
            return f"wrong: {a.dtype} {a}, not {b.dtype} {b}"
        with np.errstate(all="ignore"):
            if not np.allclose(
                a.astype(complex), b.astype(complex), rtol=1e-4, atol=1e-5, equal_nan=True
            ):
                nan = a.dtype.kind in "fc" and np.isnan(a).any() and not np.isnan(b).any()
                return f"NaN, not {b}" if nan else f"wrong: {a}, not {b}"
    return "right"


def _judged(got: list[np.ndarray], want, lane: str, widest: tuple[str, int]) -> str:
    """Return the state of a result; NaN is the value of an error under an enclosing `jit`."""
    is_error = lane.startswith("jit") and bool(got) and all(map(_is_nan, got))
    if isinstance(want, Exception):
        return "right" if is_error else f"no error: {got}, not {type(want).__name__}: {want}"
    if is_error and any(b.dtype.kind == "c" for b in want):
        return "refused: NaN, since the number is complex"
    return _same(got, want, widest)


def _is_nan(array: np.ndarray) -> bool:
    return array.dtype.kind in "fc" and bool(np.isnan(array).all())


def _judged_error(error: Exception, want) -> str:
    """Return the state of an error: `right` if Python raises one, too, and this is of its class or clear."""
    text = f"{type(error).__name__}: {error}" + "".join(
        f" | {note}" for note in getattr(error, "__notes__", ())
    )
    clear = "programs_over_sizes.py" in text and "Do: " in text
    if isinstance(want, Exception):
        if clear or isinstance(error, type(want)):
            return "right"
        return f"unclear: {text}, not {type(want).__name__}: {want}"
    return f"refused: {text}" if clear else f"unclear: {text}"


def outcomes(program: Callable, lane: str, case: Case) -> dict[str, str]:
    """Return the state of a program for each selection, in one lane; `jax.jit` returns no texts."""
    found: dict[str, str] = {}
    run: Any = LANES[lane](program)
    references = {name: reference(program, values) for name, values in SELECTIONS.items()}
    widest = _widest(list(references.values()), case.body)
    for name, values in SELECTIONS.items():
        want = references[name]
        if lane.startswith("jit") and not isinstance(want, Exception) and any(map(_is_text, want)):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                got = _plain(run(*_operands(values)))
        except Exception as error:  # noqa: BLE001 - the outcome is the error
            found[name] = _judged_error(error, want)
            continue
        found[name] = _judged(got, want, lane, widest)
    return found


def is_allowed(state: str) -> bool:
    """Return whether a program may end so: with the right result, or refused with line and remedy."""
    return state == "right" or state.startswith("refused")

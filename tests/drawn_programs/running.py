"""Run drawn programs over concrete arrays and in every lane, and judge each outcome."""

from __future__ import annotations

import importlib.util
import pathlib
import types
import warnings
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tests.drawn_programs import grammar

SELECTIONS = {
    "some": ([3.0, -2.0, 1.0, -1.0, 0.5, -4.0], [1.0, -1.0, 2.0, 1.0, -3.0, 0.0]),
    "none": ([-1.0, -2.0, -3.0, -1.0, -5.0, -4.0], [-1.0, 0.0, -2.0, 0.0, -1.0, -3.0]),
    "full": ([1.0, 2.0, 3.0, 0.5, 1.5, 2.5], [0.5, 1.0, 2.0, 0.25, 1.0, 2.0]),
    "one": ([-1.0, -2.0, 3.0, -1.0, -5.0, -4.0], [-1.0, -2.0, 1.0, 0.0, 0.0, -1.0]),
}
LANES: dict[str, Callable] = {
    "function": shims.function,
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "grad": lambda f: jax.jit(jax.grad(shims.dynamic(f))),
}


def load(texts: list[str], path: pathlib.Path) -> types.ModuleType:
    """Write programs to a module, and import it."""
    path.write_text("import jax\nimport jax.numpy as jnp\n\n" + grammar.HEAD + "\n\n".join(texts))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _operands(name: str):
    return tuple(jnp.asarray(row, jnp.float32) for row in SELECTIONS[name])


def _outcome(program: Callable, name: str):
    """Return a number or an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = program(*_operands(name))
            return np.asarray(result.unpad() if isinstance(result, shims.Padded) else result)
        except Exception as error:  # noqa: BLE001 - the outcome is the error
            return error


def references(program: Callable, lane: str) -> dict[str, np.ndarray | Exception]:
    """Run a program over concrete arrays, or differentiate it."""
    run = jax.grad(lambda x, y: 1.0 * program(x, y)) if lane == "grad" else program
    return {name: _outcome(run, name) for name in SELECTIONS}


def judged(got, want, lane: str) -> str:
    """Return `right`, `refused: …`, `NaN`, `no error: …` or `wrong: …`."""
    compiled = lane in ("jit", "grad")
    if isinstance(got, Exception):
        text = f"{type(got).__name__}: {got}"
        return "right" if isinstance(want, Exception) else f"refused: {text}"
    is_error = compiled and got.dtype.kind == "f" and np.isnan(got).all()
    if isinstance(want, Exception):
        return "right" if is_error else f"no error: {got}, not {type(want).__name__}: {want}"
    if got.shape != want.shape:
        return f"wrong: shape {got.shape}, not {want.shape}"
    if np.allclose(got, want, rtol=1e-4, atol=1e-4, equal_nan=True):
        return "right"
    return f"NaN, not {want}" if np.isnan(got).any() else f"wrong: {got}, not {want}"


def outcomes(program: Callable, lane: str) -> dict[str, str]:
    """Return the state of each selection's call of one compiled program."""
    wants = references(program, lane)
    run = LANES[lane](program)
    return {name: judged(_outcome(run, name), wants[name], lane) for name in SELECTIONS}

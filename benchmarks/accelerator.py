"""Compare `shims` on an accelerator with hand-written JAX and, if it is installed, with torch.

    python -m benchmarks.accelerator             # prints the ratios
    python -m benchmarks.accelerator --write     # and the table of docs/accelerators.md, which names the card
    python -m benchmarks.accelerator --pretend   # small arrays on a CPU that is taken for an accelerator

It needs JAX and NumPy. Arrays lie on the device before a call and after it; results are exact, as a user gets
them. Without an accelerator nothing is written.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import pathlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import shims
from benchmarks import page
from benchmarks.timing import Result, compare, in_turns
from shims._src.platform import accelerators

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "accelerators.md"
BEGIN, END = "<!-- written by `make check-gpu` -->", "<!-- end of what `make check-gpu` writes -->"
SIZES, SMALL_SIZES = (10**5, 10**6, 10**7, 10**8), (10**4,)
PARTS, SEGMENTS, BEST = 4, 1000, 100
EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "detection"
EXAMPLE_GOAL = 1.5e-3  # seconds
Calls = Mapping[str, Callable[[], object]]


def given(size: int) -> dict[str, np.ndarray]:
    """Create the operands of the questions."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=size).astype(np.float32)
    ids = draw.integers(0, SEGMENTS, size).astype(np.int32)
    parts = ids % PARTS
    return {"x": x, "mask": x > 0, "ids": ids, "rising": np.sort(ids), "parts": parts}


def best_packing(x, mask):
    """Pack a vector in the fastest form of plain JAX: a cumulative sum and a scatter to unique positions."""
    n = x.shape[0]
    places = jnp.where(mask, jnp.cumsum(mask) - 1, n + jnp.arange(n))
    return jnp.zeros_like(x).at[places].set(x, mode="drop", unique_indices=True)


def masked_mean(x, mask):
    """Compute a mean with an explicit mask."""
    return jnp.sum(jnp.where(mask, x, 0)) / jnp.sum(mask)


def questions() -> Iterator[tuple[str, Callable, tuple[str, ...], dict[str, tuple[Any, float]]]]:
    """Yield `(name, ours, operands, {against: (call, goal)})`; a text is a call of torch."""
    mask = shims.boolean_mask
    yield "boolean_mask", lambda x, m: mask(x, m), ("x", "mask"), {"torch": ("x[m]", 2.0)}
    yield "where", lambda m: shims.where(m), ("mask",), {"torch": ("torch.nonzero(m)", 2.0)}
    yield (
        f"dynamic_partition, {PARTS} parts",
        lambda x, i: shims.dynamic_partition(x, i, PARTS),
        ("x", "parts"),
        {"torch": (f"[x[p == k] for k in range({PARTS})]", 2.0)},
    )
    unique = "torch.unique(i, return_inverse=True)"
    yield "unique", lambda i: shims.unique(i), ("ids",), {"torch": (unique, 2.0)}
    yield "sort", lambda x: shims.sort(x), ("x",), {"plain JAX": (jnp.sort, 1.2)}
    yield "cumsum", lambda x: shims.cumsum(x), ("x",), {"plain JAX": (jnp.cumsum, 1.2)}
    top = lambda x: jax.lax.top_k(x, BEST)
    yield "top_k", lambda x: shims.math.top_k(x, BEST), ("x",), {"plain JAX": (top, 1.2)}
    segments = lambda x, i: jax.ops.segment_sum(x, i, SEGMENTS, indices_are_sorted=True)
    ours = lambda x, i: shims.math.segment_sum(x, i)
    yield "segment_sum", ours, ("x", "rising"), {"plain JAX": (segments, 1.2)}


def programs() -> Iterator[tuple[str, Callable, Callable, str, float]]:
    """Yield `(name, ours, theirs, against, goal)` of jitted programs of `x` and `mask`."""
    mean = shims.dynamic(lambda x, m: jnp.mean(shims.boolean_mask(x, m)))
    by_hand = jax.value_and_grad(masked_mean)
    yield "masked mean, value and gradient", jax.value_and_grad(mean), by_hand, "by hand", 1.1
    inside = shims.dynamic(lambda x, m: jax.value_and_grad(lambda x: jnp.mean(x[m]))(x))
    yield "the same, gradient inside of `dynamic`", inside, by_hand, "by hand", 1.1
    packed = shims.dynamic(lambda x, m: shims.boolean_mask(x, m))
    yield "jit(dynamic(boolean_mask))", packed, best_packing, "best form", 1.5


def of_torch(text: str, names, operands: dict[str, np.ndarray]) -> Callable[[], object] | None:
    """Return a call of torch on the same kind of device; `None` if there is none."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and jax.default_backend() != "cpu":
        return None
    letters = {"x": "x", "mask": "m", "ids": "i", "parts": "p"}
    values = {letters[n]: torch.from_numpy(operands[n]).to(device) for n in names}
    code, scope = compile(text, "torch", "eval"), {"torch": torch, **values}

    def call():
        out = eval(code, scope)  # one of the texts above
        if device == "cuda":
            torch.cuda.synchronize()
        return [out]

    return call


def measure(size: int, rounds: int) -> list[Result]:
    """Time all questions on arrays of a size."""
    operands, found = given(size), []
    on_device = {name: jnp.asarray(value) for name, value in operands.items()}
    for name, ours, names, others in questions():
        mine = [on_device[n] for n in names]
        spec = [shims.TensorSpec([None], x.dtype) for x in mine]
        function = shims.function(ours, input_signature=spec, autograph=False)
        calls: dict[str, Callable[[], object]] = {"shims": lambda f=function, a=mine: f(*a)}
        goals = {}
        for against, (theirs, goal) in others.items():
            call = of_torch(theirs, names, operands) if isinstance(theirs, str) else None
            if callable(theirs):
                plain = jax.jit(theirs)
                call = lambda f=plain, a=mine: f(*a)
            if call is not None:
                calls[against], goals[against] = call, goal
        found += _timed(f"{name}, {size:.0e}", calls, goals, rounds)
    x, m = on_device["x"], on_device["mask"]
    for name, ours, theirs, against, goal in programs():
        pair = {"shims": jax.jit(ours), against: jax.jit(theirs)}
        calls = {k: lambda f=f: f(x, m) for k, f in pair.items()}
        found += _timed(f"{name}, {size:.0e}", calls, {against: goal}, rounds)
    return found


def _timed(question: str, calls: Calls, goals, rounds: int) -> list[Result]:
    if not goals:
        return []
    times = in_turns(calls, rounds=rounds, warm=20)  # sizes that come again are compiled for
    return compare(question.replace("e+0", "e"), times, "shims", goals)


def detection() -> Callable[[], object]:
    """Return a step of the detection example, loss and gradients, on arrays of the device."""
    source = (EXAMPLE / "detection_tf.py").read_text()
    program = types.ModuleType("detection_on_shims")
    sys.modules[program.__name__] = program
    text = source.replace("import tensorflow as tf", "import shims as tf")
    program.__file__ = str(EXAMPLE / "detection_tf.py")
    exec(compile(text, program.__file__, "exec"), program.__dict__)
    cases: dict[str, Any] = {}
    exec((EXAMPLE / "cases.py").read_text(), cases)
    args = [jnp.asarray(a) for a in next(cases["cases"]())]
    return lambda: program.step(*args)


def of_the_example(rounds: int) -> list[Result]:
    """Time the detection example beside its goal."""
    times = in_turns({"shims": detection()}, rounds=rounds, warm=20)["shims"]
    both = {"shims": times, "the goal": [EXAMPLE_GOAL] * len(times)}
    return compare("detection example, loss and gradients", both, "shims", {"the goal": 1.0})


def table(results: list[Result], card: str) -> str:
    """Format the results as Markdown."""
    versions = f"JAX {jax.__version__}"
    if importlib.util.find_spec("torch") is not None:
        versions += f", torch {importlib.import_module('torch').__version__}"
    lines = [f"Measured on one {card}, {versions}.", ""]
    lines += ["| question | against | ours | theirs | ratio | spread | goal |", "|---" * 7 + "|"]
    for row in results:
        spread = page.said_spread(row)
        goal = page.said_goal(row)
        cells = (row.question, row.against, row.ours, row.theirs, f"{row.ratio:.3g}", spread, goal)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(text: str, block: str) -> str:
    """Return a page with the block between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has lost its markers {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Measure, print and, on an accelerator, write; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accelerator", description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--pretend", action="store_true")
    parser.add_argument("--sizes", type=float, nargs="+", help="numbers of elements")
    asked = parser.parse_args(arguments)
    is_real = jax.default_backend() != "cpu"
    if asked.pretend:
        accelerators.pretended = not is_real
    elif not is_real:
        print("JAX has no accelerator here: nothing is measured. --pretend runs this on the CPU.")
        return 0
    sizes = [int(n) for n in asked.sizes or (SIZES if is_real else SMALL_SIZES)]
    rounds = 20 if is_real else 8
    results = [row for size in sizes for row in measure(size, rounds)] + of_the_example(rounds)
    if not is_real:  # the goals are those of an accelerator
        results = [dataclasses.replace(row, goal=None) for row in results]
    device = jax.devices()[0].device_kind
    card = device if is_real else f"CPU ({device}) that was taken for an accelerator"
    print(table(results, card))
    if asked.write and is_real:
        PAGE.write_text(write(PAGE.read_text(), table(results, card)))
    elif asked.write:
        print(f"{PAGE.name} stays as it is: no accelerator was measured.")
    return int(is_real and any(row.verdict == "missed" for row in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

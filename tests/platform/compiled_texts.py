"""Read what programs are compiled from, for machines that are not at hand: JAX lowers without one."""

from __future__ import annotations

import collections
import contextlib
import re
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from shims._src.function import entry

ACCELERATORS = ("cuda", "tpu")
_FUNCTION = re.compile(r"func\.func \w+ @([\w$.]+)")
_OPERATION = re.compile(r'(?:= |^\s+)"?(?:stablehlo|chlo)\.(\w+)', re.MULTILINE)
_CALL = re.compile(r"call @([\w$.]+)\(")
_SCATTER = re.compile(r'"stablehlo\.scatter".*')
# A computation on the host, a copy to it, and libraries that only a CPU has.
_ON_THE_HOST = re.compile(
    r"custom_call @([\w$.]*(?:callback|host|placement|lapack|ducc|cpu)[\w$.]*)"
    r"|stablehlo\.(send|recv|infeed|outfeed)\b"
)
# XLA computes float64 on a TPU in pairs of float32, and has no bits of such a pair.
_BITS_OF_FLOAT64 = re.compile(r"bitcast_convert.*f64")


def lowered(f, args, platform: str) -> str:
    """Return the text that a jitted function, or one that is jitted here, is compiled from."""
    f = f if hasattr(f, "trace") else jax.jit(f)
    return f.trace(*args).lower(lowering_platforms=(platform,)).as_text()


@contextlib.contextmanager
def programs_run() -> Iterator[list[tuple[Any, tuple]]]:
    """Return a list of the programs that `shims.function` runs in the block, with their operands."""
    found = []
    original = entry.Entry.call

    def call(self, arrays, sizes, capacities):
        outcome = original(self, arrays, sizes, capacities)
        forms = zip(self.forms, sizes, strict=True)
        numbers = np.asarray([form.symbol_size(size) for form, size in forms], np.int32)
        program = self._jitted[frozenset(self.buckets.items())]
        found.append((program, (list(arrays), numbers, entry._Static(capacities))))
        return outcome

    entry.Entry.call = call
    try:
        yield found
    finally:
        entry.Entry.call = original


def operations(text: str) -> collections.Counter[str]:
    """Count the operations of a program, those of a function as often as it is called."""
    bodies = {_FUNCTION.match(part)[1]: part for part in re.split(r"(?=func\.func )", text)[1:]}

    def count(name):
        found = collections.Counter(_OPERATION.findall(bodies[name]))
        for called in _CALL.findall(bodies[name]):
            found.update(count(called))
        return found

    return count("main")


def scatters(text: str, *, unique: bool) -> int:
    """Count the scatters whose positions are known to be unique, or those whose are not."""
    return sum(("unique_indices = true" in found) is unique for found in _SCATTER.findall(text))


def faults(text: str, platform: str, *, may_loop=False, may_combine=False) -> list[str]:
    """Return what a program for an accelerator should not have.

    Args:
      text: what it is compiled from.
      platform: the accelerator.
      may_loop: whether the operator is computed by a loop on every platform.
      may_combine: whether several updates of one element are what the operator is about.
    """
    found = [f"on the host: {m[0]}" for m in _ON_THE_HOST.finditer(text)]
    if platform == "tpu":
        found += [f"not on a TPU: {m[0]}" for m in _BITS_OF_FLOAT64.finditer(text)]
    if not may_loop and "stablehlo.while" in text:
        found.append("a loop")
    if not may_combine and scatters(text, unique=False):
        found.append("a scatter to positions that may be equal")
    return found

"""Run a case in a lane, for each number of selected slots, beside the exact arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

import shims
from tools.jax_scorecard.cases import Case
from tools.jax_scorecard.operands import AMOUNTS, AXES, MASKS, array_of, selected

LANES = {
    "function": "`shims.function`, called with arrays of several lengths",
    "input": "`shims.function` whose inputs have unknown sizes, without a selection",
    "dynamic": "`shims.dynamic`, called eagerly",
    "jit": "`jax.jit` of `shims.dynamic`",
    "grad": "`jax.jit` of `jax.grad` of `shims.dynamic`; the differentiated value is the sum of squares of the results",
    "vmap": "`jax.jit` of `jax.vmap` of `shims.dynamic`, over two rows with different numbers of selected slots",
    "shard_map": "`jax.jit` of `jax.shard_map` of `shims.dynamic` on a mesh of one device",
}
# Beside a number of selected slots, the number in the second row under `vmap`.
_SECOND = dict(zip(AMOUNTS, AMOUNTS[1:] + AMOUNTS[:1], strict=True))


def traced(case: Case) -> Callable[..., Any]:
    """Return the user's function: it selects from its inputs by a mask, and calls the function."""
    axes = [AXES[c.kind] for c in case.chosen()]

    def call(mask, *inputs):
        parts = [selected(x, a, mask) for x, a in zip(inputs, axes, strict=True)]
        size = mask[mask].shape[0] if case.has_size else 0
        return as_data(case.run(parts, size))

    return call


def as_data(result: Any) -> Any:
    """Return a result with keys as their data, so that it can be compared."""

    def data(x):
        is_key = hasattr(x, "dtype") and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)
        return jax.random.key_data(x) if is_key else x

    return jax.tree.map(data, result, is_leaf=lambda x: isinstance(x, shims.Padded))


def _total(result: Any) -> Any:
    leaves = [x for x in jax.tree.leaves(result) if hasattr(x, "dtype")]
    inexact = [x for x in leaves if jnp.issubdtype(x.dtype, jnp.inexact)]
    if not inexact:
        raise NotApplicable("no floating-point result")
    return sum(jnp.sum(jnp.real(x * jnp.conj(x))) for x in inexact)


class NotApplicable(Exception):
    """A case has no meaning in a lane."""


def _differentiated(case: Case) -> tuple[int, ...]:
    arrays = [array_of(c) for c in case.chosen()]
    places = tuple(i + 1 for i, x in enumerate(arrays) if x.dtype == np.float32)
    if not places:
        raise NotApplicable("no floating-point selection")
    return places


def program(case: Case, lane: str) -> Callable[..., Any]:
    """Return the function of a mask and inputs that a lane calls."""
    call = traced(case)
    dynamic = shims.dynamic(call)
    match lane:
        case "function":
            return shims.function(call)
        case "dynamic":
            return dynamic
        case "jit":
            return jax.jit(dynamic)
        case "grad":
            loss = shims.dynamic(lambda mask, *inputs: _total(call(mask, *inputs)))
            return jax.jit(jax.grad(loss, _differentiated(case)))
        case "vmap":
            return jax.jit(jax.vmap(dynamic))
        case "shard_map":
            mesh = jax.make_mesh((1,), ("devices",), devices=jax.devices()[:1])
            replicated = PartitionSpec()
            mapped = jax.shard_map(dynamic, mesh=mesh, in_specs=replicated, out_specs=replicated)
            return jax.jit(mapped)
        case "input":
            if not case.chosen() or case.has_size:
                raise NotApplicable("no array of unknown size alone")
            return shims.function(lambda *inputs: as_data(case.run(list(inputs), 0)))
    raise ValueError(lane)


def arguments(case: Case, lane: str, amount: str) -> list[Any]:
    """Return the arguments of a lane's program."""
    arrays = [array_of(c) for c in case.chosen()]
    mask = MASKS[amount]
    if lane == "input":
        kinds = [AXES[c.kind] for c in case.chosen()]
        return [jnp.asarray(selected(x, a, mask)) for x, a in zip(arrays, kinds, strict=True)]
    if lane == "vmap":
        masks = np.stack([mask, MASKS[_SECOND[amount]]])
        return [jnp.asarray(masks), *(jnp.asarray(np.stack([x, x])) for x in arrays)]
    return [jnp.asarray(mask), *map(jnp.asarray, arrays)]


def expected(case: Case, lane: str, amount: str) -> Any:
    """Compute what the exact arrays give in a lane; under `vmap`, a list of the results of both rows."""
    if lane == "vmap":
        return [_exact(case, amount), _exact(case, _SECOND[amount])]
    if lane == "grad":
        return _exact_gradient(case, amount)
    return _exact(case, amount)


def precise_gradient(case: Case, amount: str) -> Any:
    """Compute the gradients of the exact arrays in float64."""
    with jax.enable_x64(True):
        return _exact_gradient(case, amount, np.float64)


def other_ways(case: Case, lane: str, amount: str) -> list[Callable[[], Any]]:
    """Return other ways to compute what the exact arrays give, for calls at which JAX raises an error.

    JAX traces branches that are not taken, and some of its reverse derivatives divide by the length of an empty
    result. Without tracing, and in forward mode, it gives a number.
    """
    if lane == "grad":
        return [lambda: _exact_gradient(case, amount, derive=jax.jacfwd)]
    return [] if lane == "vmap" else [lambda: as_data(case.exact(amount))]


@functools.lru_cache(maxsize=64)
def _exact_result(case_key: tuple[int, str], amount: str) -> Any:
    case = _CASES[case_key]
    try:
        return as_data(case.exact(amount))
    except Exception as error:  # noqa: BLE001 - the reference is the error
        return error


_CASES: dict[tuple[int, str], Case] = {}


def _exact(case: Case, amount: str) -> Any:
    key = (id(case), case.label)
    _CASES.clear()
    _CASES[key] = case
    result = _exact_result(key, amount)
    if isinstance(result, Exception):
        raise result
    return result


def _exact_gradient(case: Case, amount: str, dtype=np.float32, derive=jax.grad) -> Any:
    mask = MASKS[amount]
    axes = [AXES[c.kind] for c in case.chosen()]
    arrays = [array_of(c) for c in case.chosen()]
    inputs = [jnp.asarray(x, dtype if x.dtype == np.float32 else x.dtype) for x in arrays]

    def loss(*inputs):
        parts = [selected(x, a, mask) for x, a in zip(inputs, axes, strict=True)]
        return _total(case.run(parts, int(mask.sum())))

    places = tuple(i - 1 for i in _differentiated(case))
    return derive(loss, places)(*inputs)

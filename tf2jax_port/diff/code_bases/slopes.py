"""Differentiate the weighted sum of a call's results, with weights that original and port share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.building import Builder
from tf2jax_port.diff.code_bases.call_file import Call
from tf2jax_port.diff.code_bases.encoding import UnfitError
from tf2jax_port.diff.code_bases.port_objects import value_of
from tf2jax_port.diff.code_bases.results import leaves_of

GRADIENTS = "gradients"


def cotangent(index: int, shape: Sequence[int]) -> np.ndarray:
    """Return random weights of the result at a position; weights of 1 would miss errors that cancel in a sum."""
    drawn = np.random.RandomState(index).standard_normal(tuple(shape))
    return np.asarray(drawn, np.float32)


def gradients(
    run: Callable[..., Any], inputs: list[Any], call: Call, builder: Builder
) -> list[Any]:
    """Return the gradients of the port that the original has, too.

    Args:
      run: calls the port with the tensors of the call.
      inputs: the tensors.
      call: the call.
      builder: has made its objects.
    """
    import jax
    import jax.numpy as jnp

    import shims

    variables = builder.every_variable()
    stateless = shims.stateless(lambda *tensors: list(leaves_of(run(*tensors))), variables)
    values = [value_of(variable) for variable in variables]
    owner = call.arguments.get("owner", {})
    state = [id(v) for v in builder.variables_of_owner(owner)] if "state" in owner else []
    numbers = {id(variable): index for index, variable in enumerate(variables)}

    def place(kind: str, index: int) -> tuple[int, int]:  # in `[values, inputs]`
        if kind == "tensor":
            return 1, index
        key = state[index] if kind == "state" else id(builder.variable(index))
        if key not in numbers:
            raise UnfitError("gradients of variables of objects that cannot be restored")
        return 0, numbers[key]

    places = [place(kind, index) for kind, index, _ in call.gradients["to"]]

    def weighted(sources: list[Any]) -> list[Any]:
        both = [list(values), list(inputs)]
        for (which, index), source in zip(places, sources, strict=True):
            both[which][index] = source
        found, _ = stateless(both[0], *both[1])
        return [jnp.asarray(found[index]) for index in call.gradients["of"]]

    try:
        results, pull_back = jax.vjp(weighted, [[values, inputs][w][i] for w, i in places])
    except shims.errors.PaddedUseError as error:
        raise UnfitError("gradients of results from which the port removes padding") from error
    weights = [
        jnp.asarray(cotangent(index, result.shape), result.dtype)
        for index, result in zip(call.gradients["of"], results, strict=True)
    ]
    (found,) = pull_back(weights)
    return list(found)


def named(detail: str, call: Call) -> str:
    """Return how gradients differ, with the names of their variables or arguments."""
    place, colon, rest = detail.partition(": ")
    if not colon or not place.startswith("value "):
        return detail
    name = call.gradients["to"][int(place.removeprefix("value "))][2]
    return f"the gradient with respect to {name}: {rest}"

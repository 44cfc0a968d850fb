"""Determine with respect to which tensors TensorFlow has a second gradient, rather than `None`.

The derivative of a linear function does not depend on its argument, so TensorFlow returns no second
gradient. Here one operation computes a whole backward pass, so its traced program is inspected.
Some derivatives depend on their argument only through a comparison, such as that of `relu`:
TensorFlow returns zeros if the derivative is a separate kernel, and no gradient if it is composed
of comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax

from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.recording.connectivity import links_through
from shims._src.sizes import trace
from shims._src.tracing.program import trace_program
from shims._src.v1.control_flow.blocks import PARAMETER
from shims._src.v1.gradients.gradient_paths import GradientPaths
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import specs_of
from shims._src.v1.session.export import to_function

# The errors of programs that cannot be traced with symbolic sizes.
_REFUSALS = (ArithmeticError, IndexError, TypeError, ValueError, errors.OpError)


# Operations whose derivative is a kernel with a second derivative of zeros.
_ZEROS = frozenset({"Abs", "LeakyRelu", "MaxPool", "MaxPoolV2", "Relu", "Relu6"})


def depends(graph, ys: Sequence[Tensor], sources: Sequence, operations) -> list[bool]:
    """Return, for each source, whether TensorFlow returns a gradient of `ys`, and not `None`.

    Args:
      graph: the graph.
      ys: the results.
      sources: tensors and variables.
      operations: the operations between sources and results.

    Returns:
      A bool for each source; all of them are true if the program cannot be traced.
    """
    given = [x for x in sources if isinstance(x, Tensor)]
    open_ = [t for op in operations for t in _placeholders(op, set(given))]
    feeds = list(dict.fromkeys([*given, *open_]))
    try:
        used, linked, variables = _trace_inputs(graph, ys, feeds)
    except _REFUSALS:
        return [True] * len(sources)
    places = {t: i for i, t in enumerate(feeds)}
    names = {name: len(feeds) + i for i, name in enumerate(variables)}
    found = [places.get(x) if isinstance(x, Tensor) else names.get(x.op.name) for x in sources]
    kernels = [op for op in operations if op.type in _ZEROS]
    return [
        i is not None
        and used[i]
        and (i in linked or any(GradientPaths(op.inputs).reaches(x) for op in kernels))
        for i, x in zip(found, sources, strict=True)
    ]


def _placeholders(op, given) -> list[Tensor]:
    """Return the placeholders, also those of loop bodies, on which an operation depends, other than through the tensors `given`."""
    found, waiting, seen = [], [op], set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.type in ("Placeholder", PARAMETER):
            found.extend(one.outputs)
        waiting.extend(t.op for t in one.inputs if t not in given)
    return found


def _trace_inputs(graph, ys, feeds) -> tuple[list[bool], set[int], tuple[str, ...]]:
    """Trace the tensors `ys` as a function of feeds and variables, and find the inputs that it uses.

    Returns:
      For each input whether it is used; the positions of the inputs with respect to which the result is
      differentiable; and the names of the variables, which follow the feeds.
    """
    f = to_function(graph, list(ys), feeds)
    variables = [v.value() for v in f.owners]

    def program(*values):
        return f(dict(zip(f.variables, values[len(feeds) :], strict=True)), *values[: len(feeds)])

    leaves = [*feeds, *variables]
    unknown = [t for t in leaves if t.shape.rank is None]
    with jax.enable_x64(True), state.state_scope(state.Overlay()):
        traced = trace.DynamicTrace(may_assume=True)
        specs = specs_of(traced, leaves, dict.fromkeys(unknown, (None, None)))
        with refusals.translating():
            closed = trace_program(traced, program, specs).jaxpr
    linked = {i for link in links_through(closed) for i in link}
    return jp.used_inputs(closed), linked, f.variables

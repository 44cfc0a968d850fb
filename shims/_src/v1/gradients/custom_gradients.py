"""Provide `custom_gradient` for graphs: the function and its gradient rule are recorded once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import jax

import shims
from shims._src.errors import errors
from shims._src.recording.connectivity import is_differentiable
from shims._src.v1.control_flow.blocks import (
    BlockRun,
    Part,
    add_outer,
    begin,
    finish,
    parameter,
    record,
)
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.flat_structures import Rebuild, flat_tensors
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor


def custom_gradient(f=None):
    """Wrap a function so that it is differentiated by the rule that it returns.

    Args:
      f: a function of tensors that returns `(y, grad_fn)`; `grad_fn(*dy)` takes a tensor for each
        tensor of `y` and returns a tensor for each argument, or `None` for no gradient. Both functions are
        called once, while the graph is built.

    Returns:
      A function of the same arguments that returns `y`.

    Raises:
      ValueError: `grad_fn` does not return one gradient for each argument.
      UnimplementedError: `f` reads variables, and `grad_fn` takes `variables`.

    Differs from TensorFlow:
      Variables that `f` reads have no gradient: pass them as arguments.

    https://www.tensorflow.org/api_docs/python/tf/custom_gradient
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def call(*args, **kwargs):
        if executing_eagerly():
            return shims.custom_gradient(f)(*args, **kwargs)
        return _record_custom_gradient(f, args, kwargs)

    return call


def _record_custom_gradient(f: Callable, args, kwargs):
    graph = get_default_graph()
    given = [convert_to_tensor(x) for x in jax.tree.leaves(args)]
    tree = jax.tree.structure(args)
    found: dict = {}

    def forward() -> list[Tensor]:
        found["parameters"] = _add_parameters(graph, given)
        result, grad_fn = f(*jax.tree.unflatten(tree, found["parameters"]), **kwargs)
        found["function"] = grad_fn
        outputs, found["structure"] = flat_tensors(result)
        found["rule"] = record(graph, lambda: _call_rule(graph, found, outputs, len(given)))
        # Tensors that the rule uses must be computed even if no output needs them.
        return [*outputs, *found["rule"].captured]

    with graph.name_scope("custom_gradient"):
        part = record(graph, forward)
        rule: Part = found["rule"]
        count = len(part.outputs) - len(rule.captured)
        outputs = part.outputs[:count]
        specs = [(t.shape, t.dtype) for t in outputs]
        compute = _compute(part, found, count)
        name = graph.unique_name("IdentityN")
        op = add_outer(graph, "IdentityN", name, compute, given, specs, [part])
    own = frozenset(i for i, t in enumerate(op.inputs[: len(given)]) if is_differentiable(t))
    kept = frozenset(i for i in own if i in found["present"])
    op.links = tuple(kept if is_differentiable(t) else frozenset() for t in op.outputs)
    structure: Rebuild = found["structure"]
    return structure(op.outputs)


def _add_parameters(graph, tensors) -> list[Tensor]:
    return [parameter(graph, graph.unique_name("Parameter"), t.shape, t.dtype) for t in tensors]


def _requires_variables(rule, cotangents) -> bool:
    """Return whether a gradient rule requires the argument `variables` in addition to the cotangents."""
    try:
        signature = inspect.signature(rule)
    except ValueError:  # a function written in C
        return False
    if "variables" not in signature.parameters:
        return False
    given = signature.bind_partial(*cotangents).arguments
    parameter = signature.parameters["variables"]
    return parameter.default is parameter.empty and "variables" not in given


def _call_rule(graph, found, outputs, count: int) -> list[Tensor]:
    """Call the gradient rule; return its gradients without those that are `None`.

    The positions of the arguments that have a gradient are stored in `found["present"]`.
    """
    found["cotangents"] = _add_parameters(graph, outputs)
    if _requires_variables(found["function"], found["cotangents"]):
        raise errors.UnimplementedError(
            errors.message(
                "custom_gradient",
                "a custom gradient that also returns gradients of variables is not supported "
                "in a graph.",
                do="pass the variables to the function as arguments",
            )
        )
    gradients = found["function"](*found["cotangents"])
    listed = list(gradients) if isinstance(gradients, (list, tuple)) else [gradients]
    if len(listed) != count:
        raise ValueError(
            f"custom_gradient function expected to return {count} gradients, but returned "
            f"{len(listed)} instead."
        )
    found["present"] = [i for i, g in enumerate(listed) if g is not None]
    return [convert_to_tensor(listed[i]) for i in found["present"]]


def _compute(part: Part, found: dict, count: int):
    parameters, cotangents, present = found["parameters"], found["cotangents"], found["present"]
    rule: Part = found["rule"]

    def compute(run, op, values):
        begin(run, op)
        outside = dict(zip(op.inputs, values, strict=True))

        def f(*arrays):
            given = {**outside, **dict(zip(parameters, arrays, strict=True))}
            inner = BlockRun(run, op, part, given)
            results = inner.outputs()

            def backward(*weights):
                known = {**inner.values, **dict(zip(cotangents, weights, strict=True))}
                gradients = BlockRun(inner, op, rule, known).outputs()
                full = dict(zip(present, gradients, strict=True))
                return [full.get(i) for i in range(len(parameters))]

            return tuple(results[:count]), backward

        outputs = shims.custom_gradient(f)(*values[: len(parameters)])
        finish(run, op)
        return list(outputs)

    return compute

"""Define `custom_gradient`, for functions whose gradient is written by the user."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.control_flow.staging import is_number
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording import recording, state
from shims._src.recording.connectivity import is_differentiable
from shims._src.recording.indexed_slices import dense
from shims._src.recording.operation import conjugate
from shims._src.recording.recording import VariableWatcher
from shims._src.variables.variable import Variable


def custom_gradient(f=None):
    """Differentiate a function by the gradient function that it returns.

    Args:
      f: a function of arrays that returns `(y, grad_fn)`. `grad_fn(*dy)` takes a cotangent for each array of `y`,
        and returns a gradient or `None` for each array among the arguments. If `f` reads trainable variables,
        `grad_fn` also takes `variables=` and returns `(gradients, gradients of the variables)`.

    Returns:
      A function of the same arguments that returns `y`.

    Raises:
      TypeError: `f` reads variables, and `grad_fn` does not take them.
      ValueError: `grad_fn` returns a wrong number of gradients.

    Differs from TensorFlow:
      Forward mode (`jax.jvp`) raises an error for such functions.

    Under jit:
      Becomes a `jax.custom_vjp`. Arrays that `f` closes over get no gradient.

    Example:
      >>> @custom_gradient
      ... def twice(x):
      ...     return x, lambda dy: 2 * dy
      >>> jax.grad(twice)(1.0).item()
      2.0

    https://www.tensorflow.org/api_docs/python/tf/custom_gradient
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def call(*args, **kwargs):
        args = jax.tree.map(_as_operand, args, is_leaf=_is_variable)
        if jp.below(jp.current_trace()) is jp.core.eval_trace and not _any_traced(args):
            return with_rule(f, args, kwargs)
        return _call_staged(f, args, kwargs)

    return call


def _as_operand(leaf):
    return as_array(leaf) if is_number(leaf) or hasattr(leaf, "__array__") else leaf


def _is_variable(x) -> bool:
    return isinstance(x, Variable)


def _any_traced(args) -> bool:
    return any(jp.is_tracer(x) for x in jax.tree.leaves(args))


# ---- on values: tapes record the rule ------------------------------------------------------------


def with_rule(f, args, kwargs, *, hidden: bool = False):
    """Call `f` on arrays, and record its custom gradient on the active tapes.

    Args:
      f: returns `(y, grad_fn)`.
      args: its arguments; arrays among them have gradients.
      kwargs: its keyword arguments, which have no gradients.
      hidden: whether the operations that `f` runs are not recorded.
    """
    with VariableWatcher() as seen:
        result, grad_fn = f(*args, **kwargs)
    # Read again, since the body may have hidden its reads from the tapes.
    reads = [(v, state.read(v)) for v, _ in _trainable(seen.reads, (args, kwargs))]
    outputs, tree = jax.tree.flatten(result)
    # New arrays, so that the operations of the body are not differentiated.
    computed = [as_array(y) for y in outputs]
    outputs = [recording.renamed(y) for y in computed]
    operands = _array_leaves(args)
    backward = _flat_rule(grad_fn, operands, reads)
    values = [v for _, v in reads]
    recording.record([*operands, *values], outputs, backward, () if hidden else computed)
    return jax.tree.unflatten(tree, outputs)


def _trainable(reads, arguments) -> list[tuple[Variable, object]]:
    """Return `(variable, value)` for each trainable variable that was read and is not an argument."""
    own = {id(x) for x in jax.tree.leaves(arguments, is_leaf=_is_variable)}
    return [
        (variable, values[-1])
        for key, (variable, values) in reads.items()
        if variable.trainable and key not in own
    ]


def _array_leaves(args) -> list:
    return [x for x in jax.tree.leaves(args) if isinstance(x, jax.Array)]


def _flat_rule(grad_fn: Callable, operands: Sequence, reads: Sequence) -> Callable:
    """Return `grad_fn` as a function from flat cotangents to flat gradients, those of variables last."""
    variables = [variable for variable, _ in reads]
    if variables and not _takes_variables(grad_fn):
        raise TypeError(
            errors.message(
                "custom_gradient",
                "`grad_fn` must accept the keyword argument `variables`, because the function reads variables.",
                received=", ".join(v.name for v in variables),
                do=(
                    "write `def grad_fn(*dy, variables=None)` and return the gradients of the "
                    "variables as the second result"
                ),
            )
        )

    def backward(*cotangents):
        if not variables:
            return _flatten_gradients("arguments", grad_fn(*cotangents), len(operands))
        gradients, own = grad_fn(*cotangents, variables=variables)
        return [
            *_flatten_gradients("arguments", gradients, len(operands)),
            *_flatten_gradients("variables", own, len(variables)),
        ]

    return backward


def _takes_variables(grad_fn) -> bool:
    try:
        parameters = inspect.signature(grad_fn).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _flatten_gradients(what: str, gradients, count: int) -> list:
    if not isinstance(gradients, (list, tuple, dict)):
        gradients = [gradients]
    flat = jax.tree.leaves(gradients, is_leaf=_is_gradient)
    if len(flat) != count:
        raise ValueError(
            errors.message(
                "custom_gradient",
                f"`grad_fn` must return one gradient for each of the {what}.",
                required=str(count),
                received=str(len(flat)),
            )
        )
    return [g if g is None or hasattr(g, "to_dense") else as_array(g) for g in flat]


def _is_gradient(x) -> bool:
    return x is None or hasattr(x, "to_dense")


# ---- on tracers: a custom rule of JAX ------------------------------------------------------------


def _call_staged(f, args, kwargs):
    """Call `f` through a `jax.custom_vjp` function; both `f` and its gradient are traced once.

    Values that the two functions close over become operands.
    """
    leaves, tree = jax.tree.flatten(args)
    places = [i for i, x in enumerate(leaves) if isinstance(x, jax.Array)]
    operands = [leaves[i] for i in places]
    box: dict = {}

    def forward(*values):
        full = list(leaves)
        for i, value in zip(places, values, strict=True):
            full[i] = value
        with VariableWatcher() as seen:
            result, grad_fn = f(*jax.tree.unflatten(tree, full), **kwargs)
        outputs, box["tree"] = jax.tree.flatten(result)
        outputs = [as_array(y) for y in outputs]
        reads = _trainable(seen.reads, (args, kwargs))
        box["reads"] = [value for _, value in reads]
        rule = _jax_rule(_flat_rule(grad_fn, values, reads), box)
        specs = [jax.ShapeDtypeStruct(y.shape, y.dtype) for y in outputs]
        closed = jax.make_jaxpr(rule)(*specs)
        jaxpr, residuals = jp.open_jaxpr(closed)
        box["rule"], box["count"] = jaxpr, len(outputs)
        return [*outputs, *residuals]

    closed = jax.make_jaxpr(forward)(*operands)
    jaxpr, captured = jp.open_jaxpr(closed)
    own = _places_of_reads(captured, box["reads"])

    def run(captured, *values):
        return jp.core.eval_jaxpr(jaxpr, captured, *values)

    @jax.custom_vjp
    def staged(captured, *values):
        return run(captured, *values)[: box["count"]]

    def fwd(captured, *values):
        residuals = run(captured, *values)[box["count"] :]
        # Call it with the rule, so that second derivatives use the rule, too.
        return staged(captured, *values), (residuals, list(captured), list(values))

    def bwd(saved, cotangents):
        residuals, captured, values = saved
        found = iter(jp.core.eval_jaxpr(box["rule"], residuals, *cotangents))
        given = [next(found) if there else None for there in box["there"]]
        gradients = _cast_gradients(given[: len(values)], values)
        outer = [None] * len(captured)
        for place, gradient in zip(own, given[len(values) :], strict=True):
            if place is not None:
                outer[place] = gradient
        return (_cast_gradients(outer, captured), *gradients)

    staged.defvjp(fwd, bwd)
    return jax.tree.unflatten(box["tree"], staged(list(captured), *operands))


def _jax_rule(backward, box):
    """Convert a gradient function to JAX's convention: complex ones conjugated, no `None`.

    `box["there"]` is set to a list that tells which gradients were not `None`.
    """

    def rule(*cotangents):
        gradients = backward(*[conjugate(c) for c in cotangents])
        box["there"] = [g is not None for g in gradients]
        return [conjugate(dense(g)) for g in gradients if g is not None]

    return rule


def _places_of_reads(captured, reads) -> list[int | None]:
    keys = {jp.key_of(x): i for i, x in enumerate(captured)}
    return [keys.get(jp.key_of(value)) for value in reads]


def _cast_gradients(gradients, values) -> list:
    """Convert gradients to the dtypes of `values`; `None` stays `None`."""
    return [
        None if g is None or not is_differentiable(x) else jnp.asarray(g, x.dtype)
        for g, x in zip(gradients, values, strict=True)
    ]

"""Dispatch operator calls: run eagerly, in a dynamic trace, or inside an enclosing JAX trace."""

from __future__ import annotations

import functools
import inspect
import sys

import jax

from shims._src.arguments import kernels, text_parameters
from shims._src.errors import errors
from shims._src.errors.failing_call import failing_call
from shims._src.platform import jax_messages
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace
from shims._src.sizes.padded import Padded
from shims._src.tracing import (
    explicit_operands,
    graph_operands,
    keras_tensors,
    static_results,
    text_operands,
)
from shims._src.tracing.dynamic import entered, run_dynamic
from shims._src.tracing.repeated import Repeated
from shims._src.types.composite import OperatorCall

# JAX's errors for reading the value of a tracer.
_CONCRETIZATION_ERRORS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)


def operator(f=None, *, fresh: bool = False, compiled: bool = False):
    """Make a function an operator that accepts arrays, tracers and `Padded` values.

    Args:
      f: the operator, written for arrays whose dimensions may be symbolic.
      fresh: whether the size of the result of `f` depends on data; a call on tracers outside of a dynamic
        trace then runs as `shims.dynamic(f)`.
      compiled: whether repeated eager calls are compiled; only for operators without side effects.
    """
    if f is None:
        return functools.partial(operator, fresh=fresh, compiled=compiled)
    takes, texts = kernels.of(f), text_parameters.of(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        if texts and text_operands.are_among(texts, args, kwargs):
            return text_operands.compute(call, texts, args, kwargs)
        if takes:
            kernels.check_call(f.__name__, takes, args, kwargs)
        try:
            return f(*args, **kwargs) if trace.current() is not None else outside(*args, **kwargs)
        except _CALLED_OTHERWISE as error:
            return _call_otherwise(f, call, args, kwargs, error, sys._getframe())
        except Exception as error:
            _explain(f.__name__, args, kwargs, error)
            raise

    outside = _outside_dynamic_traces(f, call, fresh)
    known = static_results.computed if f.__name__ in static_results.OPERATORS else _unchanged
    if not compiled:
        return known(call)

    @functools.wraps(f)
    def checked(*args, **kwargs):
        kernels.check_call(f.__name__, takes, args, kwargs)
        return f(*args, **kwargs)

    repeated = Repeated(checked if takes else f, call)

    @functools.wraps(f)
    def call_or_repeat(*args, **kwargs):
        if trace.current() is None:
            return repeated(*args, **kwargs)
        return call(*args, **kwargs)

    return known(call_or_repeat)


def _unchanged(call):
    return call


_CALLED_OTHERWISE = (
    errors.OutsideDynamicTraceError,
    errors.PaddedUseError,
    errors.CompositeOperandError,
    graph_operands.DrawnInGraph,
)


def _call_otherwise(f, call, args, kwargs, error, frame):
    """Call an operator in the way that an exception of its first call, in a frame, asks for."""
    if isinstance(error, errors.CompositeOperandError):
        return _call_composites(call, f.__name__, args, kwargs, error)
    if isinstance(error, graph_operands.DrawnInGraph):
        if error.frame is not frame:
            raise error
        return graph_operands.added(call, args, kwargs)
    return _run_across_traces(f, args, kwargs, error)


def _run_across_traces(f, args, kwargs, error):
    """Run an operator again after an argument turned out to be from another kind of trace.

    Such an argument is a traced size outside of a dynamic trace, or, inside a dynamic trace, a `Padded`
    from outside.
    """
    if isinstance(error, errors.OutsideDynamicTraceError):
        return _in_dynamic_trace(f, args, kwargs)
    if trace.current() is None:
        raise error
    args, kwargs = entered((args, kwargs))
    return f(*args, **kwargs)


def _outside_dynamic_traces(f, call, fresh):
    """Return the version of the operator `f` for calls outside of a dynamic trace."""
    eagerly = jp.moving_data(f)

    def outside(*args, **kwargs):
        if all(map(jp.is_plain, (*args, *kwargs.values()))):
            return eagerly(*args, **kwargs)
        if explicit_operands.are_among(args, kwargs):
            return explicit_operands.call(call, args, kwargs)
        if _needs_dynamic(args, kwargs, fresh):
            # Trace `call`, not `f`, so that composites are handled inside the trace as well.
            return _in_dynamic_trace(call, args, kwargs)
        if keras_tensors.are_among(args, kwargs):
            return keras_tensors.symbolic_call(call, args, kwargs)
        return eagerly(*args, **kwargs)

    return outside


def _in_dynamic_trace(f, args, kwargs):
    """Run `f` as a dynamic program whose operands are the traced arguments.

    The other arguments stay concrete, because they may determine the size of the result, as the shape of a
    sparse tensor does.
    """
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=lambda x: isinstance(x, Padded))
    moving = [i for i, x in enumerate(leaves) if isinstance(x, Padded) or jp.is_tracer(x)]

    @functools.wraps(f)
    def of_moving(*given):
        full = list(leaves)
        for i, x in zip(moving, given, strict=True):
            full[i] = x
        given_args, given_kwargs = jax.tree.unflatten(tree, full)
        return f(*given_args, **given_kwargs)

    return run_dynamic(of_moving, tuple(leaves[i] for i in moving))


def _call_composites(call, name: str, args, kwargs, error):
    """Let a composite argument compute the operator, which failed because it needs arrays.

    Raises:
      CompositeOperandError: the given `error`, if no composite supports the operator.
    """
    arguments = inspect.signature(call).bind(*args, **kwargs).arguments
    asked = OperatorCall(call, name, args, kwargs, arguments)
    for value in asked.composites():
        result = value.__shims_call__(asked)
        if result is not NotImplemented:
            return result
    raise error


def _explain(name: str, args, kwargs, error: Exception) -> None:
    """Raise a clearer error for an argument that has no value yet."""
    graph_operands.check(name, args, kwargs)
    if isinstance(error, (*_CONCRETIZATION_ERRORS, RuntimeError)):
        _raise_needs_value(name, error)


def _raise_needs_value(name: str, error: Exception):
    """Raise a clear error for an operator that needs the value of a traced argument."""
    if isinstance(error, RuntimeError):
        _raise_too_large(name, error)
    if failing_call(error).line:  # in a function of the user's that the operator calls
        raise error
    raise errors.FreshSizeError(
        errors.message(
            name,
            "an argument depends on data, but must be known while the program is traced.",
            received=str(error).splitlines()[0],
            do="pass Python numbers",
        )
    ) from error


def _raise_too_large(name: str, error: Exception):
    """Raise a clear error if `error` is XLA's for more than int64 elements; otherwise raise `error`."""
    if not jax_messages.is_too_large(error):
        raise error
    raise errors.InvalidArgumentError(
        errors.message(name, "an array would have more elements than an int64 can count.")
    ) from error


def _needs_dynamic(args, kwargs, fresh) -> bool:
    leaves = jax.tree.leaves((args, kwargs), is_leaf=lambda x: isinstance(x, Padded))
    return any(isinstance(x, Padded) or (fresh and jp.is_tracer(x)) for x in leaves)

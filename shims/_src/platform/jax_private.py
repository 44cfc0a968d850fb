"""Import every private JAX name that the shims need; no other module imports `jax._src`."""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import numpy as np
from jax._src import array as _array
from jax._src import compiler, config, core, dtypes, flatten_util, tree_util, xla_bridge
from jax._src import effects as _effects
from jax._src import linear_util as lu
from jax._src import literals as _literals
from jax._src import source_info_util as _source_info
from jax._src import tree as _tree
from jax._src.export import shape_poly, shape_poly_decision
from jax._src.interpreters import ad, batching, mlir, pxla
from jax._src.interpreters import partial_eval as pe
from jax._src.lib import xla_client as _xc
from jax._src.lib.mlir import ir as _ir
from jax._src.lib.mlir.dialects import hlo as _hlo
from jax._src.lib.mlir.dialects import sdy as _sdy
from jax._src.numpy import indexing as _indexing
from jax._src.sharding_impls import ShardingContext as _ShardingContext

from shims._src.platform import user_frames

DimExpr = shape_poly._DimExpr
ShapedArray = core.ShapedArray
ArrayImpl = _array.ArrayImpl
Tracer = core.Tracer
Literal = core.Literal
Primitive = core.Primitive
InconclusiveDimensionOperation = core.InconclusiveDimensionOperation
dim_as_value_p = shape_poly.dim_as_value_p

# Where JAX logs the errors that callbacks raise.
CALLBACK_LOGGER = "jax._src.callback"
__all__ = ["ArrayImpl", "DimExpr", "ad", "batching", "core", "lu", "mlir", "pe", "shape_poly"]


# The modules in which JAX goes through trees.
TREE_FILES = frozenset({tree_util.__file__, _tree.__file__, flatten_util.__file__})
# The functions that combine the leaves of several trees.
COMBINES_TREES = frozenset(
    (tree_util.__file__, name) for name in ("tree_map", "tree_map_with_path")
)

# Part of the keys of JAX's trace caches, so that a program traced under other sizes is not reused.
_TRACE_KEY = jax.make_user_context()


def trace_key():
    """Return the shims' part of the keys of JAX's trace caches in this thread."""
    return _TRACE_KEY.value


def set_trace_key(value) -> None:
    """Set the shims' part of the keys of JAX's trace caches in this thread; the caller restores it."""
    _TRACE_KEY._obj.set_local(value)


def as_jax(x, dtype=None):
    """Convert a value to a JAX array like `jnp.asarray`, but faster if it is a JAX array already."""
    if isinstance(x, jax.Array) and (dtype is None or (x.dtype == dtype and not x.aval.weak_type)):
        return x
    if type(x) is np.ndarray and (dtype is None or dtype == x.dtype):
        return from_numpy(x)
    return jax.numpy.asarray(x, dtype)


def from_numpy(x: np.ndarray):
    """Convert a NumPy array as `jnp.asarray` does, but compile nothing for its shape at the top level.

    The result has a copy of the numbers. (JAX's `device_put` may use the memory of an array, whatever `may_alias` says.)
    """
    return jax.device_put(np.array(x)) if ambient_is_eager() else jax.numpy.asarray(x)


def is_symbolic(d) -> bool:
    """Return whether a dimension is symbolic."""
    return isinstance(d, DimExpr)


def is_symbolic_shape(shape) -> bool:
    """Return whether any dimension of a shape is symbolic."""
    return any(isinstance(d, DimExpr) for d in shape)


# `(var_name, None, (), exponent)` or `(None, operation, operands, exponent)`.
Factor: TypeAlias = tuple[Any, Any, Any, int]


def terms(d: DimExpr) -> tuple[tuple[tuple[Factor, ...], int], ...]:
    """Return the terms of a symbolic dimension: `((factors, coefficient), ...)`."""
    key = id(d._sorted_terms)
    found = _TERMS.get(key)
    if found is None or found[0] is not d._sorted_terms:
        if len(_TERMS) >= _MOST_TERMS:
            _TERMS.clear()
        found = _TERMS[key] = d._sorted_terms, _terms(d)
    return found[1]


# By the identity of JAX's own tuple of terms, which the entry keeps alive: to compare two dimensions takes longer than
# to take them apart, and does so once per operation in them.
_TERMS: dict[int, tuple[Any, tuple]] = {}
_MOST_TERMS = 4096


def _terms(d: DimExpr) -> tuple[tuple[tuple[Factor, ...], int], ...]:
    out = []
    for term, coefficient in d._sorted_terms:
        factors = tuple((f.var, f.operation, f.operands, e) for f, e in term._factors)
        out.append((factors, int(coefficient)))
    return tuple(out)


# The terms of a dimension, whose operands are forms, too: equal for equal structures, in any scope.
Form: TypeAlias = tuple[tuple[tuple[tuple[Any, Any, tuple["Form", ...], int], ...], int], ...]


def form(d) -> Form:
    """Convert a dimension to nested tuples of its terms, factors and operands.

    Unlike dimensions, they are compared and hashed as plain data, without JAX's decision procedures.
    """
    if not isinstance(d, DimExpr):
        return (((), int(d)),)
    return tuple(
        (
            tuple((f.var, f.operation, tuple(map(form, f.operands)), e) for f, e in term._factors),
            int(k),
        )
        for term, k in d._sorted_terms
    )


def hashed_by(d: DimExpr, inherited: Callable[[Any], int], key: Callable[[Any], object]) -> int:
    """Return the hash of a dimension, computed from `key(d)` in place of JAX's hash.

    It is stored in the dimension at the first call. `inherited` is JAX's own method, which is called, too.
    """
    is_new = d._hash is None
    number = inherited(d)
    if is_new and (equal := key(d)) is not d:
        number = hash(equal)
        setattr(d, "_hash", number)  # noqa: B010 - JAX annotates it as `None`
    return number


def factors(d: DimExpr) -> list[DimExpr]:
    """Return the variables and the operations (`min`, `floordiv`, ...) of which the terms of a dimension are products."""
    found = [factor for term, _ in d._sorted_terms for factor, _ in term._factors]
    made = [shape_poly._DimTerm.from_factor(factor, 1) for factor in dict.fromkeys(found)]
    return [DimExpr._from_term(term, 1, d.scope) for term in made]  # type: ignore[misc]


def length_of(d: DimExpr) -> int:
    """Return the length of a dimension as JAX measures it: about the number of coefficients, sizes and operations."""
    return d._size


def variables(d) -> frozenset[str]:
    """Return the names of the variables in a dimension."""
    return frozenset(d._get_vars()) if isinstance(d, DimExpr) else frozenset()


def _bounds(d: DimExpr) -> tuple[float, float]:
    return shape_poly._bounds_decision(d, shape_poly.BoundsPrecision.BEST)


# The code by which JAX tests the dimensions of every shape: it expects that a symbolic one is no integer.
CANONICALIZE_DIMENSION = core._canonicalize_dimension.__code__


def never_zero(d: DimExpr) -> bool:
    """Return whether the bounds of a dimension exclude 0."""
    low, high = _bounds(d)
    return low > 0 or high < 0


def never_negative(d: DimExpr) -> bool:
    """Return whether the bounds of a dimension exclude negative numbers."""
    return _bounds(d)[0] >= 0


def forget_bounds(d: DimExpr) -> None:
    """Clear JAX's cache of the bounds of all dimensions in the symbolic scope of `d`."""
    d.scope._bounds_cache.clear()


def renamed_dimension(d: DimExpr, name: str) -> DimExpr:
    """Create a dimension variable `name` in the symbolic scope of the dimension `d`."""
    return dimension_variable(name, d.scope)


def dimension_variable(name: str, scope) -> DimExpr:
    """Create a dimension variable in a scope, as `jax.export.symbolic_shape` does from text."""
    made: DimExpr = DimExpr._from_var(name, scope)  # type: ignore[assignment]
    return made


def same_scope(d: DimExpr, scope) -> bool:
    """Return whether a symbolic dimension belongs to the given symbolic scope."""
    return d.scope is scope


def primal_tracer(x):
    """Return the primal value inside nested tracers of differentiation; other values unchanged."""
    if type(x) is pe.DynamicJaxprTracer:  # the most frequent kind
        return x
    while isinstance(x, (ad.JVPTracer, ad.LinearizeTracer)):
        x = x.primal
    return x


def along_tangent(x):
    """Return `(value, tangent)` of a tracer of `jax.jvp`; `None` for others and for a tangent of zeros."""
    if not isinstance(x, ad.JVPTracer) or isinstance(x.tangent, ad.Zero):
        return None
    return x.primal, x.tangent


def is_linearized(x) -> bool:
    """Return whether JAX linearizes what is computed from a value, which reverse-mode differentiation begins with."""
    while isinstance(x, ad.JVPTracer):
        x = x.primal
    return isinstance(x, ad.LinearizeTracer)


def defining_equation(x):
    """Return the equation that computes a staged tracer, and which of its outputs that is.

    Returns `None` for an input or a constant.
    """
    if not isinstance(x, pe.DynamicJaxprTracer) or x.parent is None:
        return None
    for i, var in enumerate(x.parent.outvars):
        if var is x.val:
            return x.parent, i
    return None


def staging_trace():
    """Return the trace to which this thread currently adds equations."""
    return core.trace_ctx.trace


def program_trace():
    """Return the trace of the program to which this thread adds equations, inside those of differentiation."""
    trace = core.trace_ctx.trace
    while isinstance(trace, (ad.JVPTrace, ad.LinearizeTrace)):
        trace = trace.parent_trace
    return trace


def staging_in(trace):
    """Return a context manager in which operations are staged in the given trace."""
    return core.set_current_trace(trace)


def belongs_to(x, trace) -> bool:
    """Return whether `x`, inside tracers of differentiation if any, is a tracer of the given trace."""
    return getattr(primal_tracer(x), "_trace", None) is trace


def equations_so_far(trace) -> list:
    """Return the equations of a trace in progress, as from `staging_trace`."""
    return trace.frame.get_eqns()


def program_so_far(trace, x, also=()):
    """Return `(closed jaxpr, constants)` that compute a tracer of a trace in progress.

    Args:
      trace: the trace, as from `staging_trace`.
      x: a tracer of that trace.
      also: further variables that the program computes.

    Returns:
      A closed jaxpr without effects, whose inputs are the constants followed by the inputs of the trace.
    """
    frame, needed, equations = trace.frame, {x.val, *also}, []
    constants = {var: _constant_value(value) for var, value in frame.constvar_to_val.items()}
    for eqn in reversed(frame.get_eqns()):
        if not needed.isdisjoint(eqn.outvars):
            needed.update(v for v in eqn.invars if not isinstance(v, core.Literal))
            equations.append(eqn)
    constants = {var: value for var, value in constants.items() if var in needed}
    inputs = [*constants, *frame.invars]
    names = core.DebugInfo("program_so_far", "size", ("",) * len(inputs), ("",))
    jaxpr = core.Jaxpr([], inputs, [x.val], equations[::-1], core.no_effects, names)
    return pe.close_jaxpr(jaxpr), list(constants.values())


def operand_atoms(eqn):
    """Return the operands of an equation that is being staged, as tracers and literals."""
    return eqn.in_tracers


def plain_constant(x):
    """Return an array of NumPy for JAX's array of a literal, which before JAX 0.10 is none of NumPy's."""
    typed = isinstance(x, _literals.TypedNdArray) and not isinstance(x, np.ndarray)
    return np.asarray(x) if typed else x


def is_literal(x) -> bool:
    """Return whether an operand of an equation that is being staged is a literal."""
    return type(getattr(x, "val", None)) is core.Literal


def constant_of(x):
    """Return the concrete value of a literal or captured constant; `None` for other tracers."""
    if isinstance(x, core.Literal):
        return x.val
    if not isinstance(x, pe.DynamicJaxprTracer):
        return None if isinstance(x, Tracer) else x
    if isinstance(x.val, core.Literal):
        return x.val.val
    return _constant_value(x._trace.frame.constvar_to_val.get(x.val))


# In JAX 0.9, a frame keeps each of its constants in two forms.
_TWO_FORMS = getattr(pe, "Constants", ())


def _constant_value(constant):
    """Return the value of a constant of a frame."""
    return constant.canonical if isinstance(constant, _TWO_FORMS) else constant


def as_outside(x):
    """Return the tracer of the enclosing trace that the inner tracer `x` captures, else `x`."""
    outside = constant_of(x)
    return outside if isinstance(outside, pe.DynamicJaxprTracer) else x


def variable_of(x):
    """Return the jaxpr variable of a tracer whose trace has ended, or `None`."""
    return x.val if isinstance(x, pe.DynamicJaxprTracer) and is_finished(x) else None


def identity_of(x) -> object:
    """Return a hashable identity of a staged input or another value without a defining equation."""
    if isinstance(x, pe.DynamicJaxprTracer):
        return (id(x._trace.frame), id(x.val))
    return ("object", id(x))


def is_finished(x) -> bool:
    """Return whether the trace that a tracer belongs to has ended."""
    while isinstance(x, core.Tracer):
        if isinstance(x, pe.DynamicJaxprTracer):
            return not x._trace.frame.tracing_eqns  # emptied when the trace ends
        if x._trace._invalidated:
            return True
        x = getattr(x, "primal", getattr(x, "val", None))
    return False


def is_batched(x) -> bool:
    """Return whether a value is a tracer of `vmap`."""
    return isinstance(x, batching.BatchTracer)


def is_tracer(x) -> bool:
    """Return whether a value is a tracer."""
    return isinstance(x, core.Tracer)


def is_jaxpr_tracer(x) -> bool:
    """Return whether a value is a tracer of a trace that stages a jaxpr."""
    return isinstance(x, pe.DynamicJaxprTracer)


def ambient_is_eager() -> bool:
    """Return whether no JAX trace is in progress in this thread; gradient tapes do not count."""
    context = core.trace_ctx
    return below(context.trace) is core.eval_trace and context.axis_env is core.top_axis_env


class _Report(_effects.Effect):
    """The effect of an operation that reports a run-time check and has no result."""

    def __str__(self) -> str:
        return "Report"


report_effect = _Report()
for _allowed in (
    _effects.lowerable_effects,
    _effects.control_flow_allowed_effects,
    _effects.remat_allowed_effects,
    _effects.custom_derivatives_allowed_effects,
    _effects.partial_eval_kept_effects,
):
    _allowed.add_type(_Report)


def is_differentiated() -> bool:
    """Return whether this trace or an enclosing one computes derivatives or records a tape."""
    trace = core.trace_ctx.trace
    while trace is not None:
        if isinstance(trace, (ad.JVPTrace, ad.LinearizeTrace)) or getattr(trace, "looks_on", False):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def is_inner_trace() -> bool:
    """Return whether the current trace is nested in another trace that stages a program."""
    return programs_around(core.trace_ctx.trace) > 1


def programs_around(trace) -> int:
    """Return how many traces that stage a jaxpr enclose a trace, itself included."""
    count = 0
    while trace is not None:
        count += isinstance(trace, pe.DynamicJaxprTrace)
        trace = getattr(trace, "parent_trace", None)
    return count


def nothing_looks_on() -> bool:
    """Return whether operations run eagerly, without an active gradient tape or transformation."""
    context = core.trace_ctx
    return context.trace is core.eval_trace and context.axis_env is core.top_axis_env


def guards_transfers() -> bool:
    """Return whether `jax.transfer_guard("disallow")` refuses transfers that are not explicit."""
    return (
        config.transfer_guard_host_to_device.value == "disallow"
        or config.transfer_guard_device_to_host.value == "disallow"
    )


def own_transfers():
    """Return a context manager that allows data transfers under `jax.transfer_guard("disallow")`.

    It is for transfers made on purpose, which are explicit like those of `jax.device_put`.
    """
    return jax.transfer_guard("allow") if guards_transfers() else _NOTHING


_NOTHING = contextlib.nullcontext()


def moving_data(f):
    """Decorate a function that moves data between host and devices on purpose, so that JAX allows it."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        if not guards_transfers():
            return f(*args, **kwargs)
        with own_transfers():
            return f(*args, **kwargs)

    return call


@moving_data
def as_array_like(values: np.ndarray, like) -> jax.Array:
    """Convert a NumPy array to a JAX array on the devices of `like`.

    This takes a third of the time of `jnp.asarray`.
    """
    aval = core.ShapedArray(values.shape, values.dtype)
    return pxla.batched_device_put(aval, like.sharding, [values], list(like.devices()), False)


def placed_as(array, like) -> jax.Array:
    """Return an array that is bound to its device only if `like` is bound to one.

    JAX compiles a program for arrays that are bound to a device and again for those that are not.
    """
    if like.committed or not array.committed:
        return array
    arrays = array._arrays
    return ArrayImpl(array.aval, array.sharding, arrays, committed=False, _skip_checks=True)


def scopes_of(eqn) -> list[str]:
    """Return the JAX name scopes in which an equation was staged, outermost first."""
    return [scope.name for scope in eqn.source_info.name_stack.stack if hasattr(scope, "name")]


def user_line_of(eqn) -> tuple[str, int] | None:
    """Return the file and line of the user's code that staged an equation, or `None`."""
    if eqn.source_info.traceback is None:
        return None
    frame = user_frames.innermost_user_frame(eqn.source_info.traceback.frames)
    return None if frame is None else (frame.file_name, frame.line_num)


def source_context(eqn):
    """Return a context manager that gives lowered operations the source line of their equation."""
    name_stack = eqn.source_info.name_stack
    name_stack = _source_info.current_name_stack() + name_stack if name_stack.stack else None
    return _source_info.user_context(eqn.source_info.traceback, name_stack=name_stack)


def open_jaxpr(jaxpr):
    """Return `(open jaxpr, constants)` of a closed or an open jaxpr."""
    consts = getattr(jaxpr, "consts", ())
    return getattr(jaxpr, "jaxpr", jaxpr), tuple(consts)


def another_variable(var, aval):
    """Return a new jaxpr variable of type `aval`, of the same class as `var`."""
    return type(var)(aval)


def is_accumulator(x) -> bool:
    """Return whether a value stands for the cotangent of a linear operand, in a rule of transposition."""
    return isinstance(x, ad.GradAccum)


def with_inputs_in_order(closed, order):
    """Return a closed jaxpr without effects whose inputs have another order; `closed` itself if they have it."""
    if list(order) == sorted(order):
        return closed
    jaxpr, _ = open_jaxpr(closed)
    names = jaxpr.debug_info.with_unknown_names()
    invars = [jaxpr.invars[i] for i in order]
    return closed.replace(jaxpr=jaxpr.replace(invars=invars, debug_info=names))


def readable_variable(var):
    """Return a variable of a jaxpr, or a new one for a result that nothing reads, which JAX 0.9 gives no name."""
    return core.Var(var.aval) if isinstance(var, core.DropVar) else var


def used_inputs(closed) -> list[bool]:
    """Return, for each input of a closed jaxpr, whether its outputs depend on it."""
    jaxpr, _ = open_jaxpr(closed)
    _, used = pe.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))
    return list(used)


def bind(eqn, args, params=None):
    """Apply an equation's primitive to other operands or with other parameters; return a list."""
    given = eqn.params if params is None else params
    if eqn.primitive.name == "pvary":  # some operands vary already
        return [varying(x, given["axes"]) for x in args]
    if has_manual_axes():
        args = _varying_alike(eqn, args)
    bound = eqn.primitive.get_bind_params(given)
    functions, given = bound if isinstance(bound, tuple) else ((), bound)  # a pair in JAX 0.9
    out = eqn.primitive.bind(*functions, *args, **given)
    return list(out) if eqn.primitive.multiple_results else [out]


# In JAX 0.9, functions with a derivative rule are the first operands of their call, and later a parameter of it.
_FUNCTIONS_ARE_A_PARAMETER = (
    "subfuns" in jax.custom_derivatives.custom_jvp_call_p.bind_with_trace.__code__.co_consts
)


def bind_functions(primitive, functions, args, params) -> list:
    """Call a function with a derivative rule, given the functions that JAX passes to a trace; return a list."""
    if _FUNCTIONS_ARE_A_PARAMETER:
        return list(primitive.bind(*args, subfuns=functions, **params))
    return list(primitive.bind(*functions, *args, **params))


def has_constant_operands(lowered) -> bool:
    """Return whether a lowered function takes constants as operands, whose values are not in its text."""
    return bool(lowered._lowering.const_args)


def abstract_of(x):
    """Return the type of an array, a number or a variable of a jaxpr, weakly typed or not."""
    return x.aval if hasattr(x, "aval") else core.typeof(x)


def manual_axes() -> tuple[str, ...]:
    """Return the mesh axes of the `shard_map` that is being traced."""
    return tuple(jax.sharding.get_abstract_mesh().manual_axes)


def has_manual_axes() -> bool:
    """Return whether `shard_map` is being traced and checks which mesh axes values vary over."""
    return bool(manual_axes()) and config._check_vma.value


def varying_axes(x) -> frozenset:
    """Return the mesh axes of `shard_map` over which a value varies."""
    aval = x if isinstance(x, (core.AbstractValue, jax.ShapeDtypeStruct)) else core.typeof(x)
    aval = core.shaped_abstractify(aval) if isinstance(aval, jax.ShapeDtypeStruct) else aval
    kind = getattr(aval, "mat", None)
    return getattr(aval, "vma", frozenset()) if kind is None else kind.varying


def varying(x, axes):
    """Declare that an array varies over further mesh axes of `shard_map`."""
    missing = tuple(sorted(frozenset(axes) - varying_axes(x))) if axes else ()
    return jax.lax.pcast(x, missing, to="varying") if missing else x


def varying_as(tree, like):
    """Declare that arrays vary over the mesh axes over which any array of `like` varies."""
    if not has_manual_axes():
        return tree
    axes = frozenset().union(*map(varying_axes, jax.tree.leaves(like)))
    return jax.tree.map(lambda x: varying(x, axes), tree)


def traced_without_varying_axes(f, args):
    """Trace a function as if no value varied over the mesh axes of `shard_map`; return jaxpr and result tree."""
    like = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    with config._check_vma(False):
        closed, out = jax.make_jaxpr(f, return_shape=True)(*like)
    return closed, jax.tree.structure(out)


def varying_alike(functions, operands):
    """Return functions whose results vary over the same mesh axes, for operands that all of them take."""
    if not has_manual_axes():
        return functions
    results = [jax.tree.leaves(jax.eval_shape(f, operands)) for f in functions]
    axes = [frozenset().union(*map(varying_axes, each)) for each in zip(*results, strict=True)]

    def varying_results(f):
        def run(xs):
            leaves, tree = jax.tree.flatten(f(xs))
            return jax.tree.unflatten(tree, map(varying, leaves, axes))

        return run

    return list(map(varying_results, functions))


def _varying_alike(eqn, args):
    """Let operands vary over the same mesh axes as the operands of the traced equation."""
    expected = [varying_axes(v.aval) for v in eqn.invars]
    if eqn.primitive.name in _CASTS:
        return list(args)
    if len(set(expected)) == 1:
        axes = expected[0].union(*map(varying_axes, args))
        return [varying(x, axes) for x in args]
    return [varying(x, axes) for x, axes in zip(args, expected, strict=True)]


_CASTS = ("pvary", "pcast")


def abstract(like, shape=None, weak_type=False):
    """Return the shape specification of an array like `like`, by default of the same shape.

    It varies over the same mesh axes of `shard_map`.
    """
    shape = like.shape if shape is None else tuple(shape)
    return specification(shape, like.dtype, like, weak_type=weak_type)


def specification(shape, dtype, *like, weak_type=False):
    """Return a specification for tracing that varies over the mesh axes over which any value `like` varies."""
    if has_manual_axes() and any(map(varying_axes, like)):
        return shaped(shape, dtype, *like).update(weak_type=weak_type)
    return jax.ShapeDtypeStruct(shape, dtype, weak_type=weak_type)


def shaped(shape, dtype, *like):
    """Return the abstract value of an array that varies over the mesh axes of all values `like`."""
    axes = frozenset().union(*map(varying_axes, like))
    if not axes:
        return core.ShapedArray(shape, dtype)
    spec = jax.sharding.PartitionSpec(*[None] * len(shape))
    sharding = jax.sharding.NamedSharding(jax.sharding.get_abstract_mesh(), spec)
    if hasattr(core, "ManualAxisType"):
        kind = core.ManualAxisType(varying=axes)
        return core.ShapedArray(shape, dtype, sharding=sharding, manual_axis_type=kind)
    return core.ShapedArray(shape, dtype, sharding=sharding, vma=axes)


def with_shape(aval, shape):
    """Return the type of an array of a different shape, which is not weak."""
    if _is_default_type(aval):
        return core.ShapedArray(shape, aval.dtype)  # `update` would look for shardings
    return aval.update(shape=shape, weak_type=False)


def as_python_number(x, kind: type):
    """Convert an array to the dtype of Python's numbers of a type, with the promotion that these have."""
    return x if kind is bool else as_weak(x, dtypes.canonicalize_dtype(np.dtype(kind)))


def as_weak(x, dtype=None):
    """Convert an array to a dtype, by default its own, with the promotion of Python's numbers."""
    from jax._src.lax import lax as lax_module

    dtype = x.dtype if dtype is None else dtype
    return lax_module._convert_element_type(x, dtype, weak_type=True)


@functools.lru_cache(maxsize=256)
def _is_default_type(aval) -> bool:
    """Return whether a type is determined by its shape and dtype alone."""
    return aval == core.ShapedArray(aval.shape, aval.dtype, aval.weak_type)


def is_plain(x) -> bool:
    """Return whether a value is a concrete array on one device, or a Python value, no container."""
    if type(x) is ArrayImpl:
        return type(x.sharding) is jax.sharding.SingleDeviceSharding
    return type(x) in _WITHOUT_PARTS


_WITHOUT_PARTS = frozenset({type(None), bool, int, float, complex, str, np.ndarray})


def result_types(function, avals):
    """Return the abstract values of a function's results, given those of its operands."""
    return jax.make_jaxpr(function)(*avals).out_avals


def unmapped_aval(aval, axis, count: int):
    """Return the type of `count` values stacked along `axis`; `None` as axis changes nothing."""
    if axis is None:
        return aval
    shape = (*aval.shape[:axis], count, *aval.shape[axis:])
    return aval.update(shape=shape)


def mapped_aval(aval, axis):
    """Return the type of one slice along `axis`; `None` as axis changes nothing."""
    if axis is None:
        return aval
    return aval.update(shape=(*aval.shape[:axis], *aval.shape[axis + 1 :]))


def aval_of(x):
    """Return the abstract value of an array, a tracer or a symbolic zero."""
    return x.aval if isinstance(x, ad.Zero) else core.typeof(x)


def zero_tangent(x):
    """Return JAX's symbolic zero as the tangent of an array."""
    return ad.Zero(core.typeof(x).to_tangent_aval())


def index_update_class():
    """Return JAX's class of `x.at[i]`, which defines the methods `set`, `add`, ..."""
    from jax._src.numpy import array_methods

    return array_methods._IndexUpdateRef


@functools.cache
def _array_operator_codes() -> frozenset:
    from jax._src.numpy import array_methods

    operators = array_methods._array_operators.values()
    return frozenset(f.__code__ for f in operators if hasattr(f, "__code__"))


def array_operator_calls(depth: int) -> bool:
    """Return whether an operator of an array (`a + b`) called the caller of this function.

    Args:
      depth: the number of frames between that operator and the caller.
    """
    return sys._getframe(depth + 1).f_code in _array_operator_codes()


def hook_points():
    """Return the JAX modules and tables in which a dynamic trace replaces functions."""
    from jax._src import custom_derivatives
    from jax._src import lax as private_lax
    from jax._src import numpy as private_numpy
    from jax._src.image import scale
    from jax._src.lax import convolution, parallel
    from jax._src.lax import lax as lax_module
    from jax._src.lax.control_flow import loops
    from jax._src.numpy import array_methods, fft, lax_numpy, polynomial, reductions, setops, ufuncs
    from jax._src.numpy import linalg as numpy_linalg
    from jax._src.numpy import util as numpy_util
    from jax._src.ops import scatter
    from jax._src.random import core as random_core
    from jax._src.scipy import linalg as scipy_linalg
    from jax._src.scipy import signal

    return {
        "shape_poly": shape_poly,
        "lax": lax_module,
        "decision": shape_poly_decision._DecisionByElimination,
        "indexing": _indexing,
        "scatter": scatter,
        "array_methods": array_methods,
        "util": numpy_util,
        "ufuncs": ufuncs,
        "batching": batching,
        "derivatives": custom_derivatives,
        "broadcasts": (private_numpy,),
        "random": (jax.random, random_core),
        "image": (jax.image, scale),
        "convolution": (jax.lax, private_lax, convolution),
        "len": (lax_numpy, polynomial, fft, numpy_linalg, scipy_linalg, signal),
        "numpy": (
            *(jax.numpy, lax_numpy, numpy_util, setops, jax.lax, jax.nn, jax.ops),
            *(loops, parallel, scatter),
        ),
        "jvps": ad.primitive_jvps,
        "linearizations": ad.primitive_linearizations,
        "transposes": ad.primitive_transposes,
        "fft": jax.lax.fft_p,
        "reduce_prod": jax.lax.reduce_prod_p,
        "traces": (core.Trace, pe.DynamicJaxprTrace),
        "reductions": reductions,
    }


def define_class_of_instances(kind: type, getter) -> None:
    """Define what `instance.__class__` is, which `isinstance` asks; `setattr` would set the class's own.

    The next attribute that is set on the class makes the change visible.
    """
    (attributes,) = gc.get_referents(kind.__dict__)
    attributes["__class__"] = property(getter)


def inlined_functions(module) -> list[str]:
    """Return the names of a module's functions that JAX traces separately and then inlines."""
    inlines = {
        name: getattr(getattr(f, "_jit_info", None), "inline", False)
        for name, f in vars(module).items()
    }
    return [
        n for n, how in inlines.items() if how is True or getattr(how, "name", "") == "JAX_EARLY"
    ]


def emptying_stores(fun):
    """Return a function that lets one wrapped by JAX, which can be called once, be called once more."""

    def empty():
        for store in fun.stores:
            if store is not None:
                store.reset()

    return empty


def batch_over(fun, call):
    """Change a function wrapped by JAX so that `call(f, *args)` is called instead of `f(*args)`."""
    return _batch_over(fun, call)


@lu.transformation2
def _batch_over(f, call, *args):
    return call(f, *args)


def is_collective(eqn) -> bool:
    """Return whether an equation computes over a named axis, as `psum` and `axis_index` do."""
    return any(isinstance(effect, core.NamedAxisEffect) for effect in eqn.effects)


def acts(eqn) -> bool:
    """Return whether an equation has effects other than that it computes over a named axis."""
    return any(not isinstance(effect, core.NamedAxisEffect) for effect in eqn.effects)


def closed_program(inputs, equations, outputs):
    """Return a closed jaxpr without constants that computes variables by equations of another jaxpr."""
    names = core.DebugInfo("program", "rows", ("",) * len(inputs), ("",) * len(outputs))
    return pe.close_jaxpr(core.Jaxpr((), inputs, outputs, equations, core.no_effects, names))


def close(jaxpr, count: int):
    """Convert an open jaxpr to a closed one whose first inputs are its `count` constants."""
    return pe.close_jaxpr(pe.convert_constvars_jaxpr(jaxpr)) if count else pe.close_jaxpr(jaxpr)


def scan_counts(params) -> tuple[int, int]:
    """Return `(number of constants, number of carries)` of a scan equation."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = params["ft_in"].unpack()
    return len(list(consts)), len(list(carry))


def debug_printer(params):
    """Return the function that prints the operands of a `jax.debug.print` equation on the host."""
    fmt, in_tree, static = params["fmt"], params["in_tree"], list(params["static_args"])

    def show(arrays):
        args, kwargs = jax.tree.unflatten(in_tree, [*arrays, *static])
        print(fmt.format(*args, **kwargs) if params["has_placeholders"] else fmt)  # noqa: T201

    return show


# The place of an operand without a `vmap` axis.
NOT_MAPPED = getattr(batching, "not_mapped", None)


def is_ordered(effect) -> bool:
    """Return whether an effect must happen in program order."""
    return type(effect).__name__.startswith("Ordered")


def expansion(eqn):
    """Return the function that computes a high-level primitive's equation by other primitives."""
    primitive = eqn.params["_prim"]

    def call(*flat):
        args = jax.tree.unflatten(primitive.in_tree, flat)
        return jax.tree.leaves(primitive.expand(*args))

    return call


def register_type(cls, to_aval) -> None:
    """Register a class of JAX operands; `to_aval` returns the abstract value of an instance."""
    core.pytype_aval_mappings[cls] = to_aval
    dtypes.canonicalize_value_handlers[cls] = to_aval  # newer versions ask here first


@moving_data
def array_from_host(x):
    """Put a NumPy array on the device without compiling (`jnp.asarray` compiles once per shape)."""
    if jax.config.jax_default_device is not None or jax.device_count() > 1:
        return jax.device_put(x)
    aval = core.ShapedArray(x.shape, x.dtype)
    device = jax.devices()[0]
    return _xc.batched_device_put(aval, jax.sharding.SingleDeviceSharding(device), [x], [device])


def current_trace():
    """Return the current trace of this thread."""
    return core.trace_ctx.trace


def below(trace):
    """Return `trace`; for a trace that only observes, as that of a tape, return the observed trace."""
    while getattr(trace, "looks_on", False):
        trace = trace.parent
    return trace


def set_trace(trace) -> None:
    """Set the current trace of this thread; the caller restores it."""
    core.trace_ctx.set_trace(trace)


def forget_inner_traces() -> None:
    """Let JAX forget what it has traced inside of other traces, which it would keep forever, by `trace_key`."""
    known: Any = getattr(pe, "trace_to_jaxpr", None)
    if hasattr(known, "cache_clear"):
        known.cache_clear()


def backends_are_initialized() -> bool:
    """Return whether JAX has started its devices, and its threads."""
    return xla_bridge.backends_are_initialized()


def compile_with(f: Callable[..., Any]) -> None:
    """Let JAX call `f` in this process where it would call XLA's compiler."""
    compiler.backend_compile_and_load = f


class TraceKey:
    """Stand for every trace that only observes a certain one, in the keys of JAX's compiled programs."""

    def __init__(self) -> None:
        self.above: TraceKey | None = None  # that of the traces that observe those


# The key of the traces that observe a trace of JAX.
_KEYS: weakref.WeakKeyDictionary[object, TraceKey] = weakref.WeakKeyDictionary()


def share_key(trace) -> TraceKey:
    """Let a trace that only observes have the key of all that observe its parent; the caller keeps the key.

    A compiled function looks its program up by the current trace, and keeps an entry of every trace, also when it
    is gone. A tape makes a trace for each step, so a loop would have thousands of them to look through.
    Under such a trace the entries hold no program, which is why they may be shared.
    """
    parent = trace.parent
    if isinstance(key := getattr(parent, "key", None), TraceKey):
        found = key.above = key.above or TraceKey()
    else:
        found = _KEYS.setdefault(parent, TraceKey())
    trace._weakref = weakref.ref(found)
    return found


def under(trace):
    """Return a context manager that makes `trace` the current trace."""
    return core.set_current_trace(trace)


def trace_of(x):
    """Return the trace that an array belongs to; `None` if it is concrete."""
    return x._trace if isinstance(x, Tracer) else None


def traces_of(x) -> list:
    """Return the trace of a tracer, followed by those of the tracers inside it."""
    if type(x) is pe.DynamicJaxprTracer:  # it wraps none
        return [x._trace]
    traces = []
    while isinstance(x, Tracer):
        traces.append(x._trace)
        x = getattr(x, "primal", getattr(x, "val", None))
    return traces


def is_tracer_of(x, trace) -> bool:
    """Return whether a value is a tracer of the given trace, or has one inside."""
    return any(owner is trace for owner in traces_of(x))


def is_within(trace, outer) -> bool:
    """Return whether a trace is `outer` or nested in it."""
    while trace is not None and trace is not outer:
        trace = getattr(trace, "parent_trace", None)
    return trace is outer


def key_of(x) -> int:
    """Return a key that identifies an array; it is valid only while the array is alive."""
    return id(x.val) if isinstance(x, pe.DynamicJaxprTracer) else id(x)


def another(x):
    """Create a distinct array object with the same values; concrete buffers are shared, not copied."""
    if isinstance(x, Tracer):
        return jax.lax.copy_p.bind(x)
    return ArrayImpl(x.aval, x.sharding, x._arrays, committed=x._committed)


def with_method(array, method):
    """Set a function as a method of one concrete array object, and return the array."""
    setattr(array, method.__name__, method)
    return array


@contextlib.contextmanager
def emptied_stores(functions):
    """Open a block in which the result stores of JAX's wrapped functions are empty.

    They are restored afterwards.

    A store can be written only once, so the functions could not run again otherwise.
    """
    stores = [s for f in functions for s in getattr(f, "stores", ()) if s is not None]
    kept = []
    for store in stores:
        with contextlib.suppress(lu.StoreException):
            kept.append((store, store.val))
        store.reset()
    try:
        yield
    finally:
        for store in stores:
            store.reset()
        for store, value in kept:
            store.store(value)


reduce_sum_p = jax.lax.reduce_sum_p


def reductions_by_place():
    """Return the modules and names of JAX's functions that count or order elements, for its means and quantiles."""
    from jax._src.numpy import lax_numpy, reductions

    return (
        *((reductions, "_count"), (reductions, "_quantile")),
        *((lax_numpy, "_argmax"), (lax_numpy, "_argmin")),
    )


def lowering_rule(primitive):
    """Return JAX's rule that lowers a primitive on all platforms."""
    return mlir._lowerings[primitive].rule


def lower_as_placed_like(ctx, x, like):
    """Lower to `x`, and let XLA's partitioner shard its leading axis as that of `like`.

    The length of `x` is a multiple of that of `like`.
    """
    around = ctx.module_context.axis_context
    is_by_shardy = config.use_shardy_partitioner.value
    if isinstance(around, _ShardingContext) and around.num_devices > 1 and is_by_shardy:
        integer = _ir.IntegerType.get_signless(64)
        group = _ir.IntegerAttr.get(integer, ctx.module_context.new_channel())
        length = _ir.RankedTensorType(like.type).shape[0]
        for value in (x, like):
            _sdy.sharding_group(_first_column(value, length), group)
    return [x]


def _first_column(x, length: int):
    """Return a vector of `length` elements of `x` that is sharded as the leading axis is."""
    kind = _ir.RankedTensorType(x.type)
    shape = [length, kind.shape[0] // length, *kind.shape[1:]]
    split = _hlo.reshape(_ir.RankedTensorType.get(shape, kind.element_type), x)
    starts, ones = [0] * len(shape), [1] * (len(shape) - 1)
    column = _hlo.slice(split, *map(mlir.dense_int_array, (starts, [length, *ones], [1, *ones])))
    return _hlo.reshape(_ir.RankedTensorType.get([length], kind.element_type), column)


# Reductions whose result depends on the number of zeros among the elements, by the parameter with their axes.
READS_ZEROS = {
    "axes": (
        *(jax.lax.reduce_max_p, jax.lax.reduce_min_p, jax.lax.reduce_prod_p),
        *(jax.lax.argmax_p, jax.lax.argmin_p),
    ),
    "dimensions": (jax.lax.reduce_p,),
    "": (jax.lax.sort_p, jax.lax.top_k_p, jax.lax.approx_top_k_p),
}

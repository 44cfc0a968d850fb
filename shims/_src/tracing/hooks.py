"""Hook JAX for dynamic traces: decide comparisons of sizes, and support unknown sizes.

The hooks are installed once, when the first dynamic trace starts. Each hook first checks whether this
thread is inside a dynamic trace; otherwise JAX's own code runs unchanged. (One hook, which marks errors,
acts everywhere.) So no failure and no other thread can leave JAX in a modified state.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors, internal, shape_mismatches
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, equal_forms, linear_bounds, primitives, room, size_bounds, trace
from shims._src.sizes.decisions import Question
from shims._src.tracing import (
    comparison_callers,
    handled_errors,
    hooked_calls,
    hooked_indexing,
    hooked_loops,
    hooked_numpy,
    hooked_pullbacks,
    hooked_quotients,
    hooked_random,
    hooked_ranges,
    hooked_reductions,
    hooked_sets,
    hooked_sizes,
    hooked_vmap,
    loop_quotients,
    size_questions,
    swallowed,
)
from shims._src.tracing.comparison_callers import Asker

_LOCK = threading.Lock()
_INSTALLED = False
_OWN = globals()
_MAX_SIZE = np.iinfo(np.int32).max


def install() -> None:
    """Install the hooks, once per process."""
    global _INSTALLED
    if _INSTALLED:
        return
    with _LOCK:
        if _INSTALLED:
            return
        modules = jp.hook_points()
        _replace_everywhere(modules["lax"], "_try_broadcast_shapes", shape_mismatches.broadcast)
        _replace(modules["shape_poly"], "_geq_decision", _geq_hook)
        _replace(modules["shape_poly"], "_dim_as_value", _value_hook)
        _replace(modules["shape_poly"], "_bounds_decision", _bounds_hook)
        operation = _hook_function(jp.DimExpr._from_operation, _operation_hook)
        setattr(jp.DimExpr, "_from_operation", staticmethod(operation))  # noqa: B010
        _replace(modules["decision"], "add_implicit_constraints_term", _bound_hook)
        _replace(jp.DimExpr, "__eq__", _eq_hook)
        setattr(jp.DimExpr, "__ne__", _ne_hook)  # noqa: B010 - the class is JAX's, not ours
        setattr(jp.DimExpr, "__bool__", _bool_hook)  # noqa: B010
        _replace(jp.DimExpr, "_divmod", _divmod_hook)
        for name in ("__lt__", "__le__", "__gt__", "__ge__"):
            _replace(jp.DimExpr, name, _comparison_hook(name.strip("_")))
        _replace(jp.core, "divide_shape_sizes", hooked_numpy.divide_shape_sizes)
        hooked_sizes.bind()
        _install_in_tracers(modules["traces"])
        _replace(modules["indexing"], "rewriting_take", hooked_indexing.take)
        _replace(modules["scatter"], "_scatter_update", hooked_indexing.update)
        _replace(modules["array_methods"], "_compute_newshape", hooked_ranges.new_shape)
        _install_for_shapes(modules)
        _replace(modules["batching"], "batch", hooked_vmap.batch)
        _replace(modules["derivatives"], "_flatten_bwd", hooked_pullbacks.flatten_bwd)
        for name in jp.inlined_functions(modules["reductions"]):
            _replace(modules["reductions"], name, hooked_reductions.call_in_place)
        for rules, primitive, hook in (
            ("jvps", "reduce_prod", hooked_numpy.product_jvp),
            ("transposes", "fft", hooked_quotients.transform_transpose),
        ):
            rule = modules[rules][modules[primitive]]
            modules[rules][modules[primitive]] = _hook_function(rule, hook)
        hooked_calls.install(_hook_function, modules["jvps"], modules["linearizations"])
        for module in modules["convolution"]:
            _replace(module, "conv_general_dilated", hooked_numpy.conv_general_dilated)
        _replace(jax.lax, "pad", hooked_numpy.lax_pad)
        _replace(jax.lax, "reduce_window", hooked_numpy.reduce_window)
        for module in modules["len"]:
            module.len = _hook_function(len, _len_hook)
        hooked = (hooked_numpy, hooked_ranges, hooked_sets, hooked_loops)
        numpy_functions = [f for module in hooked for f in module.FUNCTIONS]
        by_module = {
            "numpy": numpy_functions,
            "broadcasts": (("broadcast_to", hooked_numpy.broadcast_to),),
            "random": hooked_random.FUNCTIONS,
            "image": hooked_quotients.FUNCTIONS,
        }
        for kind, functions in by_module.items():
            for name, wrapper in functions:
                for module in modules[kind]:
                    _replace_if_there(module, name, wrapper)
        _INSTALLED = True


def _install_for_shapes(modules) -> None:
    """Install the hooks of the functions that compare the shapes of arrays."""
    for module in (modules["util"], modules["ufuncs"]):
        _replace(module, "promote_shapes", hooked_numpy.promote_shapes)
        _replace_if_there(module, "_broadcast_arrays", hooked_numpy.broadcast_arrays)
    _replace_if_there(modules["lax"], "broadcast_to", hooked_numpy.broadcast_to)
    for module in (modules["lax"], jax.lax):
        _replace(module, "reshape", hooked_numpy.lax_reshape)


_ARITHMETIC = ("add", "sub", "mul", "pow")


def _install_in_tracers(traces) -> None:
    for name in ("_bool", "_int", "_float", "_complex", "_index"):
        _replace(jp.ShapedArray, name, size_questions.convert)
    computed = ("_neg", *(f"_{r}{op}" for op in _ARITHMETIC for r in ("", "r")))
    hooks = dict.fromkeys(computed, size_questions.computed) | loop_quotients.TRACER_METHODS
    hooks["_round"] = size_questions.rounded
    for name, hook in hooks.items():
        operator = _hook_function(getattr(jp.ShapedArray, name), hook)
        setattr(jp.ShapedArray, name, staticmethod(operator))
    _replace(jp.Tracer, "__getattr__", size_questions.attribute)
    _replace(jp.Tracer, "__index__", size_questions.as_index)
    _replace(jp.Tracer, "__iter__", size_questions.items)
    _replace(jp.Tracer, "__array__", size_questions.as_numpy)
    for name in ("__str__", "__repr__", "__format__"):
        _replace(jp.Tracer, name, size_questions.text)
    for kind in traces:
        _replace(kind, "invalidate", _end_hook)
    swallowed.install(_replace, traces[-1])


def _replace(owner, name: str, hook) -> None:
    setattr(owner, name, _hook_function(getattr(owner, name), hook))


def _replace_if_there(owner, name: str, hook) -> None:
    """Replace a function that older releases of JAX do not have in this module."""
    if hasattr(owner, name):
        _replace(owner, name, hook)


def _replace_everywhere(owner, name: str, hook) -> None:
    """Replace a function by `hook(original, ...)`, also for calls outside of dynamic traces."""
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(functools.partial(hook, original)))


def _len_hook(state, original, x):
    """Return the symbolic size of an array; replaces `len` in JAX's modules."""
    shape = getattr(x, "shape", ())
    return shape[0] if shape and jp.is_symbolic(shape[0]) else original(x)


def _hook_function(original, hook):
    @functools.wraps(original)
    def hooked(*args, **kwargs):
        state = trace.current()
        if state is None:
            return original(*args, **kwargs)
        try:
            return hook(state, original, *args, **kwargs)
        except Exception as error:
            if internal.is_internal(error):
                state.raised.append(error)  # no handler of the program hides it
            raise

    return hooked


def _end_hook(state, original, ended):
    """Drop the tracers of a JAX trace from the dynamic trace when the JAX trace ends."""
    state.forget(ended)
    original(ended)


# ---- dimensions ----------------------------------------------------------------------------------


def _bounds_hook(state, original, d, precision):
    """Bound an expression over data-dependent sizes by the values that it can have."""
    known = size_bounds.extremes(state, d) if state.owns(d) else None
    if known is None and state.owns(d) and linear_bounds.is_long(d):
        return linear_bounds.bounds(state, d)
    return original(d, precision) if known is None else known


def _operation_hook(state, original, operation, *operands, scope):
    """Write expressions that are equal for all possible sizes in one way, since JAX compares their text."""
    d = original(operation, *operands, scope=scope)
    known = size_bounds.domain(state, d) if state.owns(d) else None
    if known is None:
        return d
    pinned = state.pinned(d)
    if pinned is not None:
        return pinned
    simplest = state.expressions.simplest(d, known)
    # That a remainder is 0 is no question of emptiness, although it is the size itself for few elements.
    return d if operation == "mod" and jp.is_symbolic(simplest) else simplest


def _bound_hook(state, original, decision, term):
    """Tell JAX the known bounds of a data-dependent size; it assumes that sizes are at least 1."""
    factor = term.to_factor()
    if factor is None or term in decision._processed_for_internal_constraints:
        return original(decision, term)
    name, divided = factor.to_var(), factor.operation in _DIVISIONS
    if not divided and (name is None or name in state.input_sizes):
        return original(decision, term)
    number = jp.DimExpr._from_term(term, 1, decision.scope)
    if divided:
        for operand in factor.operands:
            decision.add_implicit_constraints_expr(operand)
        bounds = _bounds_of_division(decision, *factor.operands, factor.operation)
        if bounds is None:
            return original(decision, term)
        low, high = bounds
        decision.combine_and_add_constraint(jp.shape_poly.Comparator.GEQ, high, number)
    else:
        low = state.decisions.least(name)
    decision._processed_for_internal_constraints.add(term)
    decision.combine_and_add_constraint(jp.shape_poly.Comparator.GEQ, number, low)
    return None


_DIVISIONS = ("floordiv", "mod")


def _bounds_of_division(decision, dividend, divisor, operation):
    """Return the bounds of a quotient or remainder whose divisor may be 0; `None` if it cannot be 0.

    For the divisor 0, the quotient and the remainder are 0. Such a divisor belongs to an empty array, of
    which there is nothing to divide.
    """
    best = jp.shape_poly.BoundsPrecision.BEST
    if decision.bounds(divisor, best)[0] != 0:
        return None
    if operation == "mod":
        return 0, divisor
    low, high = decision.bounds(dividend, best)
    return min(low, 0), dividend if low >= 0 else max(high, 0)


def _value_hook(state, original, dim):
    """Convert a dimension to a traced number that depends on the counts of its data-dependent sizes.

    Without these counts as operands, JAX would hoist the number out of the loop, branch or row in which the
    sizes are created. Where JAX differentiates a traced program, that cannot refer to values around it.
    """
    room.check_range(dim)
    sources = state.fresh.sources_of(dim)
    if sources and comparison_callers.is_evaluated_again():
        sources = {name: x for name, x in sources.items() if jp.belongs_to(x, jp.program_trace())}
    return primitives.size_number(dim, sources) if sources else original(dim)


def _divmod_hook(state, original, d, divisor):
    """Divide a dimension with remainder, and record the divisor if the remainder is symbolic."""
    quotient, remainder = original(d, divisor)
    if jp.is_symbolic(remainder) and isinstance(divisor, int) and state.is_input_only(d):
        state.decisions.note_divisor(abs(divisor))
    return quotient, remainder


def _geq_hook(state, original, e1, e2, describe):
    """Decide `e1 >= e2` if JAX cannot: for input sizes by their values in this call, with a guard.

    For data-dependent sizes the answer is measured, assumed, or an error.
    """
    try:
        return original(e1, e2, describe)
    except jp.InconclusiveDimensionOperation as error:
        answer = _answer_at_least(state, e1, e2, describe)
        if answer is None:
            raise
        state.raised[:] = [kept for kept in state.raised if kept is not error]  # it holds tracers
        return answer


def _answer_at_least(state, e1, e2, describe) -> bool | None:
    """Return the answer to `e1 >= e2`, which JAX does not decide; `None` if nothing decides it."""
    if not jp.is_symbolic(e1) and e1 >= _MAX_SIZE and not dims.exceeds_sizes(e2):
        return True  # positions are int32 everywhere: no array is longer
    difference = e1 - e2
    certain = size_bounds.sign(difference)
    if certain is not None:
        return certain >= 0
    by_user = comparison_callers.user_orders(_OWN)
    if _holds_by_rule(state, difference, e2, by_user):
        return True
    if not state.owns(difference):
        return None
    if state.is_input_only(difference):
        return state.decide(difference, Question.NONNEGATIVE, f"{e1} >= {e2}")
    asks_for_some = not jp.is_symbolic(e2) and e2 == 1
    answer = _answer_of_order(state, difference, f"{e1} >= {e2}", asks_for_some)
    if answer is not None:
        return answer
    if state.may_assume:
        return state.decisions.answered(difference, Question.NONNEGATIVE, False)
    if by_user:
        raise handled_errors.undecidable(describe().replace("'", "")) from None
    return None


def _holds_by_rule(state, difference, e2, by_user: bool) -> bool:
    """Return whether a comparison of sizes is taken as true during tracing, although it may turn out false.

    So it is if the program checks it at run time, or if it comes from a shape rule of JAX whose primitive has a
    masking rule for any sizes.
    """
    if state.decisions.is_promised(difference) and not by_user:
        return True
    if not jp.is_symbolic(e2) and e2 == 1 and comparison_callers.rule_reads():
        return not handled_errors.are_handled()
    return dims.is_product(difference) and comparison_callers.rule_extends()


def _answer_of_order(state, difference, text, asks_for_some: bool):
    if handled_errors.are_handled():
        handled_errors.note(state, difference)
        return state.answer(difference, Question.NONNEGATIVE, text)
    if state.has_data:
        answer = state.answer(difference, Question.NONNEGATIVE, text)
        if answer is not None:
            return answer
    library = comparison_callers.library_orders(_OWN)
    by_rule = library.startswith("jax._src.lax.") or comparison_callers.rule_extends()
    in_body = state.fresh.is_inside_program
    if by_rule:
        in_body = state.fresh.is_of_body(difference) or comparison_callers.body_is_traced()
    if in_body and (by_rule or (library and asks_for_some)):
        _check_in_body(state, difference, text)
        return True
    if by_rule:
        # Sizes that a rule does not allow are an error of the data, found at run time.
        return state.decisions.answered(difference, Question.NONNEGATIVE, True)
    return state.answer(difference, Question.NONNEGATIVE, text)


def _check_in_body(state, difference, text) -> None:
    """Check at run time, in the branch or loop body being traced, that `difference` is at least 0."""
    problem = errors.message(
        "",
        "an array has too few elements for this operation.",
        required=text,
        do="test the size first, with `if y.shape[0] > 0` or `shims.cond`",
    )

    def check():
        number = primitives.as_size(difference)
        primitives.check(number < 0, state.with_origins(problem), number)

    if jp.current_trace() is None:
        # A shape rule asks: after the step that is being staged, and again for the same step elsewhere.
        state.awaited.append(check)
        state.forget_inner_programs()
    else:
        check()


def _comparison_hook(name: str):
    """Create the hook of `<`, `<=`, `>` or `>=` on sizes, for arrays and floats on the right."""

    def compared(state, original, self, other):
        answers = hooked_sizes.compared_with_array(state, name, self, other)
        return original(self, whole(name, other)) if answers is None else answers

    return compared


def whole(name: str, number):
    """Convert a float that a size is compared with to an integer with the same outcome."""
    if isinstance(number, (np.ndarray, np.generic)) and np.ndim(number) == 0:
        number = number.item()
    if not isinstance(number, float):
        return number
    if math.isnan(number):
        # Nothing is smaller or larger than NaN.
        return _MAX_SIZE + 1 if name in ("gt", "ge") else -1 - _MAX_SIZE
    number = min(max(number, -1.0 - _MAX_SIZE), 1.0 + _MAX_SIZE)
    return math.ceil(number) if name in ("lt", "ge") else math.floor(number)


def _eq_hook(state, original, self, other):
    answers = hooked_sizes.compared_with_array(state, "eq", self, other)
    if answers is not None:
        return answers
    return _decide_eq(state, original, self, other, comparison_callers.code_asks(2))


def _ne_hook(self, other):
    state = trace.current()
    if state is not None:
        answers = hooked_sizes.compared_with_array(state, "ne", self, other)
        if answers is not None:
            return answers
    return not _asked_equal(self, other, 2)


def _asked_equal(self, other, depth):
    state = trace.current()
    original = jp.DimExpr.__eq__.__wrapped__
    if state is None:
        return original(self, other)
    return _decide_eq(state, original, self, other, comparison_callers.code_asks(depth))


def _decide_eq(state, original, self, other, asked):
    other = _as_int(other)
    answer = original(self, other)
    if answer or not state.owns(self):
        return answer
    if state.owns(other) and equal_forms.are_equal(self, other):
        return True
    if _may_stay_open(state, self, other, asked) and (
        asked is Asker.ARITHMETIC or not handled_errors.are_handled()
    ):
        return answer
    if jp.is_symbolic(other) and not state.owns(other):
        return answer
    if not jp.is_symbolic(other) and not isinstance(other, int):
        return answer
    difference = self - other
    if not jp.is_symbolic(difference):
        return answer
    if not state.is_input_only(difference):
        if size_bounds.never_zero(state, difference):
            handled_errors.note(state, difference)
            return False
        return handled_errors.is_zero(state, difference, f"{self} == {other}")
    return _decide_equal(state, difference, f"{self} == {other}")


def _may_stay_open(state, d, other, asked: Asker) -> bool:
    """Return whether code that asks if a size is equal to another is right whatever the answer is.

    It may raise an error that exact arrays would not raise, which the program's run may handle.
    """
    if asked is Asker.SHORTCUT:
        return _is_emptiness(state, d, other)
    return asked in (Asker.CORE, Asker.ARITHMETIC) and not _is_divisibility(state, d, other)


def is_size(d, number: int) -> bool:
    """Return whether a size equals a number.

    For input sizes the answer gets a guard; for data-dependent sizes, the data decide, or False is assumed.
    """
    state = trace.current()
    if state is None or not jp.is_symbolic(d):
        return bool(d == number)
    hooked: Any = jp.DimExpr.__eq__
    return bool(_decide_eq(state, hooked.__wrapped__, d, number, Asker.PROGRAM))


def _as_int(other):
    """Convert a whole number that is compared with a size to an `int`; return other values unchanged."""
    if isinstance(other, (np.ndarray, np.generic)) and np.ndim(other) == 0:
        other = other.item()
    return int(other) if isinstance(other, float) and other.is_integer() else other


def _is_divisibility(state, d, other) -> bool:
    """Return whether JAX is testing a size for divisibility, as `jnp.split` and derivatives of `rfft` do."""
    if not isinstance(other, int) or (other != 0 and not state.is_input_only(d)):
        return False
    return any(f[1] == "mod" for factors, _ in jp.terms(d) for f in factors)


def _is_emptiness(state, d, other) -> bool:
    """Return whether comparing `d` with `other` asks if an array of data-dependent size is empty."""
    if jp.is_symbolic(other) or other != 0 or state.is_input_only(d):
        return False
    return dims.is_size_of_slices(d) and jp.never_negative(d)


def _decide_equal(state, difference, text):
    answer = state.decide(difference, Question.ZERO, text)
    names = jp.variables(difference)
    if answer and dims.is_linear(difference) and len(names) == 1:
        # The code that follows relies on the size being that number.
        raise trace.Respecialize(names)
    return answer


def _bool_hook(self) -> bool:
    """Evaluate the truth value of a dimension (`if n:`), which JAX does not define.

    Without this hook, Python would treat every dimension as true.
    """
    state = trace.current()
    if state is None or not state.owns(self):
        return True
    if _may_stay_open(state, self, 0, comparison_callers.code_asks(1)):
        return True
    if state.is_input_only(self):
        return not state.decide(self, Question.ZERO, f"{self} == 0")
    return not state.is_zero(self, f"{self} == 0")

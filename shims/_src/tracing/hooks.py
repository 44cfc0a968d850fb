"""Hook JAX for dynamic traces: decide comparisons of sizes, and support unknown sizes.

The hooks are installed once, when the first dynamic trace starts. Each first checks whether this
thread is inside a dynamic trace; otherwise JAX's own code runs unchanged. One marks errors everywhere. So no failure and no other
thread can leave JAX in a modified state.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import numpy as np

from shims._src.errors import errors, shape_mismatches
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, equal_forms, primitives, size_bounds, trace
from shims._src.sizes.decisions import Question
from shims._src.tracing import (
    comparison_callers,
    hooked_indexing,
    hooked_loops,
    hooked_numpy,
    hooked_random,
    hooked_sets,
    hooked_sizes,
    hooked_vmap,
    size_questions,
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
        _replace(modules["decision"], "add_implicit_constraints_term", _bound_hook)
        _replace(jp.DimExpr, "__eq__", _eq_hook)
        setattr(jp.DimExpr, "__ne__", _ne_hook)  # noqa: B010 - the class is JAX's, not ours
        setattr(jp.DimExpr, "__bool__", _bool_hook)  # noqa: B010
        _replace(jp.DimExpr, "_divmod", _divmod_hook)
        for name in ("__lt__", "__le__", "__gt__", "__ge__"):
            _replace(jp.DimExpr, name, _comparison_hook(name.strip("_")))
        hooked_sizes.bind()
        _install_in_tracers(modules["traces"])
        _replace(modules["indexing"], "rewriting_take", hooked_indexing.take)
        _replace(modules["scatter"], "_scatter_update", hooked_indexing.update)
        _replace(modules["util"], "promote_shapes", hooked_numpy.promote_shapes)
        _replace(modules["ufuncs"], "promote_shapes", hooked_numpy.promote_shapes)
        _replace(modules["batching"], "batch", hooked_vmap.batch)
        for name in jp.inlined_functions(modules["reductions"]):
            _replace(modules["reductions"], name, _call_in_place)
        product = modules["reduce_prod"]
        modules["jvps"][product] = _hook_function(
            modules["jvps"][product], hooked_numpy.product_jvp
        )
        for module in modules["convolution"]:
            _replace(module, "conv_general_dilated", hooked_numpy.conv_general_dilated)
        for module in modules["len"]:
            module.len = _hook_function(len, _len_hook)
        numpy_functions = sum((m.FUNCTIONS for m in (hooked_numpy, hooked_sets, hooked_loops)), ())
        for kind, functions in (("numpy", numpy_functions), ("random", hooked_random.FUNCTIONS)):
            for name, wrapper in functions:
                for module in modules[kind]:
                    if hasattr(module, name):
                        _replace(module, name, wrapper)
        _INSTALLED = True


def _install_in_tracers(traces) -> None:
    for name in ("_bool", "_int", "_index"):
        _replace(jp.ShapedArray, name, size_questions.convert)
    _replace(jp.Tracer, "__index__", size_questions.as_index)
    for kind in traces:
        _replace(kind, "invalidate", _end_hook)


def _replace(owner, name: str, hook) -> None:
    setattr(owner, name, _hook_function(getattr(owner, name), hook))


def _replace_everywhere(owner, name: str, hook) -> None:
    """Replace a function inside and outside of dynamic traces by `hook(original, ...)`."""
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(functools.partial(hook, original)))


def _len_hook(state, original, x):
    """Return the symbolic size of an array, where JAX's modules call `len`."""
    shape = getattr(x, "shape", ())
    return shape[0] if shape and jp.is_symbolic(shape[0]) else original(x)


def _hook_function(original, hook):
    @functools.wraps(original)
    def hooked(*args, **kwargs):
        state = trace.current()
        if state is None:
            return original(*args, **kwargs)
        return hook(state, original, *args, **kwargs)

    return hooked


def _end_hook(state, original, ended):
    """Let go of the tracers of a JAX trace when it ends."""
    state.forget(ended)
    original(ended)


def _call_in_place(state, original, *args, **kwargs):
    """Trace a function of JAX's in the current program, not on its own.

    Every selection has a type of its own, so that JAX's cache would not find the function.
    """
    own_types = any(jp.is_symbolic(d) for x in args[:1] for d in np.shape(x))
    return (original.__wrapped__ if own_types else original)(*args, **kwargs)


# ---- dimensions ----------------------------------------------------------------------------------


def _bound_hook(state, original, decision, term):
    """Bound a data-dependent size by what is known of it; JAX assumes that every size is at least 1."""
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
    """Bound a division by a size that may be 0, where quotient and remainder are 0; else `None`.

    A divisor of 0 belongs to an empty array, which has nothing to divide up.
    """
    best = jp.shape_poly.BoundsPrecision.BEST
    if decision.bounds(divisor, best)[0] != 0:
        return None
    if operation == "mod":
        return 0, divisor
    low, high = decision.bounds(dividend, best)
    return min(low, 0), dividend if low >= 0 else max(high, 0)


def _value_hook(state, original, dim):
    """Convert a dimension to a number that depends on the counts of its data-dependent sizes.

    Without these operands JAX would hoist the number out of its loop, branch or row.
    """
    counts = state.fresh.counts(dim)
    if not counts:
        return original(dim)
    return primitives.size_number_p.bind(*counts.values(), dim=dim, names=tuple(counts))


def _divmod_hook(state, original, d, divisor):
    """Divide a dimension with remainder; record the divisor if the remainder is symbolic."""
    quotient, remainder = original(d, divisor)
    if jp.is_symbolic(remainder) and isinstance(divisor, int) and state.is_input_only(d):
        state.decisions.note_divisor(abs(divisor))
    return quotient, remainder


def _geq_hook(state, original, e1, e2, describe):
    """Decide `>=` and related comparisons; for input sizes, by their values in this call and a guard."""
    try:
        return original(e1, e2, describe)
    except jp.InconclusiveDimensionOperation:
        if not jp.is_symbolic(e1) and e1 >= _MAX_SIZE:
            return True  # positions are int32 everywhere: no array is longer
        difference = e1 - e2
        certain = size_bounds.sign(difference)
        if certain is not None:
            return certain >= 0
        by_user = comparison_callers.user_orders(_OWN)
        if _holds_by_rule(state, difference, e2, by_user):
            return True
        if not state.owns(difference):
            raise
        if state.is_input_only(difference):
            return state.decide(difference, lambda value: value >= 0, f"{e1} >= {e2}")
        asks_for_some = not jp.is_symbolic(e2) and e2 == 1
        answer = _answer_of_order(state, difference, f"{e1} >= {e2}", asks_for_some)
        if answer is not None:
            return answer
        if state.may_assume:
            return state.decisions.answered(difference, Question.NONNEGATIVE, False)
        if by_user:
            raise undecidable(describe().replace("'", "")) from None
        raise


def _holds_by_rule(state, difference, e2, by_user: bool) -> bool:
    """Return whether a rule of JAX asks for what masking rules or run-time checks take care of."""
    if state.decisions.is_promised(difference) and not by_user:
        return True
    if not jp.is_symbolic(e2) and e2 == 1 and comparison_callers.rule_reads():
        return True
    return dims.is_product(difference) and comparison_callers.rule_extends()


def _answer_of_order(state, difference, text, asks_for_some: bool):
    if state.has_data:
        return state.answer(difference, Question.NONNEGATIVE, text)
    library = comparison_callers.library_orders(_OWN)
    by_rule = library.startswith("jax._src.lax.") or comparison_callers.rule_extends()
    if by_rule:
        # Sizes that a rule does not allow are an error of the data, found at run time.
        return state.decisions.answered(difference, Question.NONNEGATIVE, True)
    if library and asks_for_some and state.fresh.is_inside_program:
        _check_in_body(state, difference, text)
        return True
    return state.answer(difference, Question.NONNEGATIVE, text)


def _check_in_body(state, difference, text) -> None:
    """Check an order of sizes when a branch or a loop body runs, and not where it is not taken."""
    number = primitives.as_size(difference)
    problem = errors.message(
        "",
        "an array has too few elements for this operation.",
        required=text,
        do="test the size before: `if y.shape[0] > 0`, or `shims.cond`",
    )
    primitives.check(number < 0, state.with_origins(problem), number)


def _comparison_hook(name: str):
    """Create the hook of `<` or a related operator, which converts floats to equivalent integers."""

    def compared(state, original, self, other):
        answers = hooked_sizes.compared_with_array(state, name, self, other)
        return original(self, whole(name, other)) if answers is None else answers

    return compared


def whole(name: str, number):
    """Convert a float on the right of a comparison of sizes to an integer with the same outcome."""
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
    if not asked and not _is_divisibility(state, self, other):
        return answer
    if asked is Asker.SHORTCUT and _is_emptiness(state, self, other):
        return answer
    if jp.is_symbolic(other) and not state.owns(other):
        return answer
    if not jp.is_symbolic(other) and not isinstance(other, int):
        return answer
    difference = self - other
    if not jp.is_symbolic(difference):
        return answer
    if not state.is_input_only(difference):
        if jp.never_zero(difference):
            return False
        return state.is_zero(difference, f"{self} == {other}")
    return _decide_equal(state, difference, f"{self} == {other}")


def is_size(d, number: int) -> bool:
    """Return whether a size equals a number, as a question of the program."""
    state = trace.current()
    if state is None or not jp.is_symbolic(d):
        return bool(d == number)
    hooked: Any = jp.DimExpr.__eq__
    return bool(_decide_eq(state, hooked.__wrapped__, d, number, Asker.PROGRAM))


def _as_int(other):
    """Convert an integer that is compared with a size to an int; return other values unchanged."""
    if isinstance(other, (np.ndarray, np.generic)) and np.ndim(other) == 0:
        other = other.item()
    return int(other) if isinstance(other, float) and other.is_integer() else other


def _is_divisibility(state, d, other) -> bool:
    """Return whether JAX is testing an input size for divisibility, as `jnp.split` does."""
    if not isinstance(other, int) or not state.is_input_only(d):
        return False
    return any(f[1] == "mod" for factors, _ in jp.terms(d) for f in factors)


def _is_emptiness(state, d, other) -> bool:
    """Return whether a question is whether an array with a data-dependent size is empty."""
    if jp.is_symbolic(other) or other != 0 or state.is_input_only(d):
        return False
    return dims.is_size_of_slices(d) and jp.never_negative(d)


def _decide_equal(state, difference, text):
    answer = state.decide(difference, lambda value: value == 0, text)
    names = jp.variables(difference)
    if answer and dims.is_linear(difference) and len(names) == 1:
        # The code that follows relies on the size being that number.
        raise trace.Respecialize(names)
    return answer


def _bool_hook(self) -> bool:
    """Evaluate the truth value of a dimension, for which JAX defines nothing.

    Without this, Python would treat every dimension as true.
    """
    state = trace.current()
    if state is None or not state.owns(self):
        return True
    asked = comparison_callers.code_asks(1)
    if not asked or (asked is Asker.SHORTCUT and _is_emptiness(state, self, 0)):
        return True
    if state.is_input_only(self):
        return state.decide(self, lambda value: value != 0, f"{self} != 0")
    return not state.is_zero(self, f"{self} == 0")


def undecidable(question: str) -> errors.FreshSizeError:
    """Create the error for Python code that decides on a size that is unknown while tracing."""
    return errors.FreshSizeError(
        errors.message(
            "",
            f"`{question}` asks for a data-dependent size while the program is traced.",
            required="a decision that does not depend on traced data",
            do="compare the number instead, `shims.size(y)` with `shims.cond`, or let "
            "`shims.where` choose between the results",
        )
    )

"""The hooks of a dynamic trace: what would raise, or silently mislead, is decided or answered.

Installed once, when the first dynamic trace starts. Each asks first whether this thread is inside a
dynamic trace; where it is not, JAX's own code runs as it is, so that no failure and no other thread
can leave anything behind.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import numpy as np

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, primitives, size_bounds, trace
from shims._src.tracing import comparison_callers, hooked_indexing, hooked_numpy, hooked_vmap

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
        _replace(modules["shape_poly"], "_geq_decision", _ordering)
        _replace(modules["shape_poly"], "_dim_as_value", _number)
        _replace(jp.DimExpr, "__eq__", _equality)
        setattr(jp.DimExpr, "__ne__", _inequality)  # noqa: B010 - the class is JAX's, not ours
        setattr(jp.DimExpr, "__bool__", _truth)  # noqa: B010
        _replace(jp.DimExpr, "_divmod", _divided)
        for name in ("__lt__", "__le__", "__gt__", "__ge__"):
            _replace(jp.DimExpr, name, _compared(name.strip("_")))
        _replace(modules["indexing"], "rewriting_take", hooked_indexing.take)
        _replace(modules["scatter"], "_scatter_update", hooked_indexing.update)
        _replace(modules["util"], "promote_shapes", hooked_numpy.promote_shapes)
        _replace(modules["ufuncs"], "promote_shapes", hooked_numpy.promote_shapes)
        _replace(modules["batching"], "batch", hooked_vmap.batch)
        product = modules["reduce_prod"]
        modules["jvps"][product] = _hooked(modules["jvps"][product], hooked_numpy.product_jvp)
        for name, wrapper in hooked_numpy.FUNCTIONS:
            for module in modules["numpy"]:
                if hasattr(module, name):
                    _replace(module, name, wrapper)
        _INSTALLED = True


def _replace(owner, name: str, hook) -> None:
    setattr(owner, name, _hooked(getattr(owner, name), hook))


def _hooked(original, hook):
    @functools.wraps(original)
    def hooked(*args, **kwargs):
        state = trace.current()
        if state is None:
            return original(*args, **kwargs)
        return hook(state, original, *args, **kwargs)

    return hooked


# ---- dimensions ----------------------------------------------------------------------------------


def _number(state, original, dim):
    """A dimension as a number: for fresh sizes it depends on the counts behind them.

    Without operands JAX would move it out of the loop, the branch or the row that it belongs to.
    """
    counts = state.fresh.counts(dim)
    if not counts:
        return original(dim)
    return primitives.size_number_p.bind(
        *counts.values(), dim=dim, names=tuple(counts), of_array=False
    )


def _divided(state, original, d, divisor):
    """A quotient and its remainder; what would come out even for multiples of a number is noted."""
    quotient, remainder = original(d, divisor)
    if jp.is_symbolic(remainder) and isinstance(divisor, int) and state.is_input_only(d):
        state.decisions.note_divisor(abs(divisor))
    return quotient, remainder


def _ordering(state, original, e1, e2, describe):
    """`>=` and its relatives: over input sizes decided by this call, and guarded."""
    try:
        answer = original(e1, e2, describe)
        return (
            _unless_empty(state, e1 - e2, answer)
            if comparison_callers.user_orders(_OWN)
            else answer
        )
    except jp.InconclusiveDimensionOperation:
        if not jp.is_symbolic(e1) and e1 >= _MAX_SIZE:
            return True  # positions are int32 everywhere: no array is longer
        difference = e1 - e2
        certain = size_bounds.sign(difference)
        if certain is not None:
            return certain >= 0
        if state.decisions.is_promised(difference) and not comparison_callers.user_orders(_OWN):
            return True
        if not jp.is_symbolic(e2) and e2 == 1 and comparison_callers.rule_reads():
            return True
        if dims.is_product(difference) and comparison_callers.rule_extends():
            return True
        if state.owns(difference) and state.is_input_only(difference):
            return state.decide(difference, lambda value: value >= 0, f"{e1} >= {e2}")
        if state.may_assume and state.owns(difference):
            state.decisions.assume_negative(difference)
            return False
        if comparison_callers.user_orders(_OWN):
            raise undecidable(describe().replace("'", "")) from None
        raise


def _compared(name: str):
    """The hook of `<` and its relatives: a float stands for the whole number that decides alike."""

    def compared(state, original, self, other):
        return original(self, whole(name, other))

    return compared


def whole(name: str, number):
    """The whole number on the right of a comparison of sizes that decides as a float does."""
    if isinstance(number, (np.ndarray, np.generic)) and np.ndim(number) == 0:
        number = number.item()
    if not isinstance(number, float):
        return number
    if math.isnan(number):
        # Nothing is smaller or larger than NaN.
        return _MAX_SIZE + 1 if name in ("gt", "ge") else -1 - _MAX_SIZE
    number = min(max(number, -1.0 - _MAX_SIZE), 1.0 + _MAX_SIZE)
    return math.ceil(number) if name in ("lt", "ge") else math.floor(number)


def _unless_empty(state, difference, answer: bool) -> bool:
    """JAX's answer to `difference >= 0`, which takes no size for zero: data may tell otherwise."""
    if not state.owns(difference) or state.is_input_only(difference):
        return answer
    certain = size_bounds.sign(difference)
    if certain is not None:
        return certain >= 0
    taken_false = -difference - 1 if answer else difference
    state.decisions.assume_negative(taken_false)
    return answer


def _equality(state, original, self, other):
    return _equal(state, original, self, other, comparison_callers.user_calls(2))


def _inequality(self, other):
    return not _asked_equal(self, other, 2)


def _asked_equal(self, other, depth):
    state = trace.current()
    original = jp.DimExpr.__eq__.__wrapped__
    if state is None:
        return original(self, other)
    return _equal(state, original, self, other, comparison_callers.user_calls(depth))


def _equal(state, original, self, other, asked):
    if isinstance(other, np.ndarray) and other.ndim and state.owns(self):
        return np.array([_equal(state, original, self, v, asked) for v in other.flat]).reshape(
            other.shape
        )
    other = _as_int(other)
    answer = original(self, other)
    if answer or not state.owns(self):
        return answer
    if not asked and not _is_divisibility(state, self, other):
        return answer
    if jp.is_symbolic(other) and not state.owns(other):
        return answer
    if not jp.is_symbolic(other) and not isinstance(other, int):
        return answer
    difference = self - other
    if not jp.is_symbolic(difference):
        return answer
    if not state.is_input_only(difference):
        state.decisions.assume_nonzero(difference)
        return False
    return _decide_equal(state, difference, f"{self} == {other}")


def is_size(d, number: int) -> bool:
    """Whether a size is a number: by this call's sizes, guarded; not so, and checked, where fresh."""
    state = trace.current()
    if state is None or not jp.is_symbolic(d):
        return bool(d == number)
    hooked: Any = jp.DimExpr.__eq__
    return bool(_equal(state, hooked.__wrapped__, d, number, True))


def _as_int(other):
    """The number that a size is compared with as a Python number, where it is a whole one."""
    if isinstance(other, (np.ndarray, np.generic)) and np.ndim(other) == 0:
        other = other.item()
    return int(other) if isinstance(other, float) and other.is_integer() else other


def _is_divisibility(state, d, other) -> bool:
    """JAX itself asks whether an input size is divisible (`jnp.split`), and raises on a No."""
    if not isinstance(other, int) or not state.is_input_only(d):
        return False
    return any(f[1] == "mod" for factors, _ in jp.terms(d) for f in factors)


def _decide_equal(state, difference, text):
    answer = state.decide(difference, lambda value: value == 0, text)
    names = jp.variables(difference)
    linear = all(len(f) <= 1 and all(x[0] for x in f) for f, _ in jp.terms(difference))
    if answer and linear and len(names) == 1:
        # The code behind this question counts on the size being that number.
        raise trace.Respecialize(names)
    return answer


def _truth(self) -> bool:
    """`if n:`; JAX has no answer of its own (Python takes any object for true)."""
    state = trace.current()
    if state is None or not state.owns(self) or not comparison_callers.user_calls(1):
        return True
    if state.is_input_only(self):
        return state.decide(self, lambda value: value != 0, f"{self} != 0")
    state.decisions.assume_nonzero(self)
    return True


def undecidable(question: str) -> errors.FreshSizeError:
    """A Python decision on a size that is known only when the program runs."""
    return errors.FreshSizeError(
        errors.message(
            "",
            f"`{question}` asks for a data-dependent size while the program is traced.",
            required="a decision that does not depend on traced data",
            do="compare the number instead, `shims.size(y)` with `shims.cond`, or let "
            "`shims.where` choose between the results",
        )
    )

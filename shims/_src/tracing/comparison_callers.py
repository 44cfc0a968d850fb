"""Find out from the stack who compares a symbolic size: the user's code or a rule of JAX.

JAX has one function for all comparisons of symbolic sizes, and the right answer depends on the caller.
If the user's code compares a data-dependent size, the trace assumes an answer, which is checked at run
time. If JAX itself compares (in its caches, in the shape rule of a gather), an assumption would be
checked although the program does not depend on it, and would cause a needless retrace. JAX passes the
caller to none of its functions, so the stack is the only source. All stack inspection is in this module,
and `tests/tracing/test_comparison_callers.py` checks JAX for the names below.
"""

from __future__ import annotations

import enum
import functools
import sys
from types import FrameType

import jax

from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames, user_source

# JAX's rules that require an axis to be at least as long as the slice read from it, or written to it in
# a derivative. That is known at run time only, and the masking rules handle it.
READS = (
    "jax._src.lax.slicing",
    *("_gather_shape_rule", "_dynamic_slice_shape_rule"),
    *("_scatter_shape_rule", "_dynamic_update_slice_shape_rule"),
)
# The rules that require sizes of at least 0; products of array sizes always are.
EXTENDS = ("jax._src.lax.lax", "_reshape_shape_rule", "_broadcast_in_dim_shape_rule")
# The modules of JAX that trace branches and loop bodies, and ours that starts the trace of a program.
_BODIES = ("jax._src.lax.control_flow.conditionals", "jax._src.lax.control_flow.loops")
_PROGRAM = "shims._src.tracing.program"
_STAGING = "shims._src.control_flow."
# Packages whose code computes with symbolic sizes.
_SYMBOLIC = ("jax", "jaxlib", "shims", "malt")
# The modules of the hooks through which a size is hashed.
_HOOKS = "shims._src.tracing.hook"
# The largest number of frames between a rule and the comparison.
_MOST_FRAMES = 8


# The parts of JAX that are written like user code: their comparisons choose between computations. In
# the rest of JAX (`core.definitely_equal`, caches, shape rules) "not equal" means "not known to be equal".
_ARRAY_CODE = tuple(
    f"jax._src.{part}" for part in ("numpy", "scipy", "nn", "image", "ops", "random", "third_party")
)
# The functions that return early for empty arrays although the code that follows is right for them, too, or
# has a masking rule that checks.
SHORTCUTS = (
    ("jax._src.numpy.sorting", "_lexsort_array", "_lexsort_tuple"),
    ("jax._src.numpy.hijax", "_nonzero_impl", "_searchsorted_scan_impl"),
    ("jax._src.numpy.lax_numpy", "_argmax", "_argmin", "_repeat", "_roll_static", "cov"),
    ("jax._src.numpy.indexing", "_take"),
    ("jax._src.numpy.setops", "_in1d"),
    ("jax._src.numpy.linalg", "_pinv"),
)
# The functions that choose between computations by `core.definitely_equal`. For all others it is enough to
# know which sizes are equal for certain.
ASKS_THROUGH_CORE = (("jax._src.numpy.reductions", "_quantile", "median"),)


def _as_set(functions: tuple[tuple[str, ...], ...]) -> frozenset[tuple[str, str]]:
    return frozenset((module, name) for module, *names in functions for name in names)


_SHORTCUTS, _ASKS_THROUGH_CORE = _as_set(SHORTCUTS), _as_set(ASKS_THROUGH_CORE)
# The modules that compute with sizes, or work on behalf of those that do.
_ARITHMETIC = ("shims.", "jax._src.export.", "functools")
_DEFINITELY_EQUAL = jp.core.definitely_equal.__code__


class Asker(enum.Enum):
    """The code that asks a question about a size: the user's program or a library, or `jax.numpy`.

    `SHORTCUT` is a function of `jax.numpy` for which it makes no difference that an array is empty, `CORE` one of the
    core of JAX, to which "not equal" means "not known to be equal", and `ARITHMETIC` computes with sizes.
    """

    PROGRAM = enum.auto()
    ARRAY_CODE = enum.auto()
    SHORTCUT = enum.auto()
    CORE = enum.auto()
    ARITHMETIC = enum.auto()


def code_asks(depth: int) -> Asker:
    """Return which code called the function `depth` frames up."""
    frame = sys._getframe(depth + 1)
    if frame.f_code is _DEFINITELY_EQUAL and frame.f_back is not None:
        caller = _place_of(frame.f_back)
        return Asker.ARRAY_CODE if caller in _ASKS_THROUGH_CORE else Asker.CORE
    if user_frames.asks_for_user(frame):
        return Asker.PROGRAM
    place = _place_of(frame)
    if place in _SHORTCUTS:
        return Asker.SHORTCUT
    if place[0].startswith(_ARRAY_CODE):
        return Asker.ARRAY_CODE
    return Asker.ARITHMETIC if place[0].startswith(_ARITHMETIC) else Asker.CORE


def _place_of(frame: FrameType) -> tuple[str, str]:
    """Return the module and the function of a frame."""
    return frame.f_globals.get("__name__") or "", frame.f_code.co_name


def _ordering_frame(hooks: dict) -> FrameType | None:
    """Return the stack frame of the comparison that JAX is evaluating."""
    frame: FrameType | None = sys._getframe(2)
    operators = vars(jp.shape_poly)
    while frame is not None and (frame.f_globals is operators or frame.f_globals is hooks):
        frame = frame.f_back
    return frame


def user_orders(hooks: dict) -> bool:
    """Return whether the comparison (`<` or similar) that JAX is evaluating is in the user's code.

    Args:
      hooks: the globals of the hooks' module, whose stack frames are skipped.
    """
    frame = _ordering_frame(hooks)
    return frame is None or user_frames.asks_for_user(frame)


def program_calls(depth: int) -> bool:
    """Return whether the function `depth` frames above the caller was called by the program.

    That is, neither by JAX nor by the shims.
    """
    return not _is_symbolic(sys._getframe(depth + 1).f_globals.get("__name__") or "")


@functools.cache
def _is_symbolic(module: str) -> bool:
    return module.partition(".")[0] in _SYMBOLIC


def shape_is_checked(depth: int) -> bool:
    """Return whether the function `depth` frames above the caller is JAX's test of what may be a dimension."""
    return sys._getframe(depth + 1).f_code is jp.CANONICALIZE_DIMENSION


def user_hashes() -> bool:
    """Return whether user code, not a cache of JAX, is hashing a size for a dictionary or set."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and _hashes_for_caller(frame.f_globals.get("__name__") or ""):
        frame = frame.f_back
    if frame is None or user_frames.asks_for_user(frame):
        return True
    return not user_frames.runs_unconverted_library(frame)


def gives_number(frame: FrameType) -> bool:
    """Return whether a frame runs an operator of a size that may need its number, such as `int`."""
    return frame.f_globals.get("__name__") == f"{_HOOKS}ed_sizes"


# The methods by which code in C asks an array for its value.
_CONVERSIONS = frozenset(
    f"__{name}__"
    for name in ("array", "bool", "complex", "float", "format", "index", "int", "iter")
)


def gives_value(frame: FrameType) -> bool:
    """Return whether a frame runs a method of traced arrays that gives their value, such as `__index__`."""
    is_hooked = frame.f_globals.get("__name__") == f"{_HOOKS}s"
    return is_hooked or frame.f_code.co_name in _CONVERSIONS


@functools.cache
def _hashes_for_caller(module: str) -> bool:
    return module.startswith(_HOOKS) or module.partition(".")[0] in sys.stdlib_module_names


_OF_DERIVATIVES = ("jvp", "transpose", "linearize")
# It adds the size of the axis to a negative start of `dynamic_slice` and `dynamic_update_slice`.
_COUNTS_FROM_END = "_dynamic_slice_indices"


def library_orders(hooks: dict) -> str:
    """Return the name of the JAX module that compares sizes now, an empty string for other code.

    A public function of `jax.lax` chooses between results and errors as user code does, what it counts positions from
    the end with chooses a position, and a rule of derivatives chooses between ways to compute.

    Args:
      hooks: the globals of the hooks' module, whose stack frames are skipped.
    """
    frame = _ordering_frame(hooks)
    name, function = ("", "") if frame is None else _place_of(frame)
    is_choice = hasattr(jax.lax, function) or function == _COUNTS_FROM_END
    is_choice = is_choice or any(part in function for part in _OF_DERIVATIVES)
    if name.startswith("jax._src.lax.") and is_choice:
        return ""
    return name if name.startswith(("jax._src.lax.", "jax._src.core", *_ARRAY_CODE)) else ""


def rule_reads() -> bool:
    """Return whether JAX itself compares an axis with a slice of it, as its shape rules do.

    The axis is then taken as long enough while tracing, since the masking rules handle any size.
    """
    return _asked_by(*READS)


def rule_extends() -> bool:
    """Return whether the caller is a shape rule of JAX that requires a nonnegative result size."""
    return _asked_by(*EXTENDS)


def body_is_traced() -> bool:
    """Return whether JAX traces a branch or a loop body of the dynamic program, which may not run."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if name in _BODIES:
            return True
        if name == _PROGRAM:
            return False
        frame = frame.f_back
    return False


def is_handled_at_once() -> bool:
    """Return whether the program handles errors of this step while a branch or a loop of TensorFlow's is traced.

    A handler around such a statement does not count: its code raises only if it runs. That of a function that JAX
    traces, as `lax.fori_loop` does, raises when it is traced.
    """
    return user_source.is_handled(_PROGRAM, _STAGING)


def is_evaluated_again() -> bool:
    """Return whether JAX evaluates a traced program, as it does to differentiate one."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if name == "jax._src.core" and frame.f_code.co_name == "eval_jaxpr":
            return True
        if name == _PROGRAM:
            return False
        frame = frame.f_back
    return False


def _asked_by(module: str, *rules: str) -> bool:
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_MOST_FRAMES + 1):
        if frame is None:
            return False
        if frame.f_code.co_name in rules and frame.f_globals.get("__name__") == module:
            return True
        frame = frame.f_back
    return False

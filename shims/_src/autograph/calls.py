"""Convert the functions that converted code calls, except functions of libraries."""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable

import jax

from shims._src.autograph import (
    builtin_functions,
    effects,
    grown_lists,
    host_functions,
    lists,
    operators,
    sizes,
)
from shims._src.autograph.bound_function import BoundFunction
from shims._src.autograph.source import UnconvertibleError
from shims._src.autograph.transform import converted_code, converted_text
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames

# Functions that are passed to these packages run as part of the converted function.
_CALLING_BACK = frozenset({"jax", "shims", "functools"})
_CALLABLES = (types.FunctionType, types.MethodType, functools.partial)
_BUILTINS_CALLING_BACK = (map, filter, sorted, min, max)

# Code of these packages computes with sizes; other code that is not written in Python needs their numbers.
_SYMBOLIC = frozenset({"jax", "jaxlib", "shims"})

_LOCK = threading.Lock()
_warned: set[tuple[str, int, str]] = set()


def convert(f: Callable) -> Callable:
    """Convert the Python control flow of `f`, so that it may depend on traced arrays.

    `if`, `while`, `for`, `break`, `continue`, `return`, `and`, `or`, `not`, `assert` and conditional
    expressions over traced arrays are staged as `cond`, `while_loop` and `scan`, in `f` and in the
    functions that it calls, except those of libraries. Over Python values and concrete arrays they run as ordinary
    Python. The conversion happens at the first call.

    Args:
      f: a function, lambda, method, `functools.partial` or callable object.

    Returns:
      A function with the parameters of `f`. A function that cannot be converted (`match`,
      generators, coroutines, code without source) runs as written, with one warning.

    Differs from TensorFlow:
      A loop over a known number of iterations can always be differentiated. A `return` inside a
      staged loop is supported. A list that a staged loop fills is a list if the number of
      iterations is known; otherwise, the list can be read, concatenated and appended to, but not
      changed in other ways.

    Under jit:
      Traced conditions become `lax.cond`. Loops become `lax.scan` if their length is known,
      otherwise `lax.while_loop`.

    Example:
      >>> @convert
      ... def sign(x):
      ...     if x > 0:
      ...         return 1.0
      ...     return -1.0
      >>> sign(3.0)  # and so does `jax.jit(sign)(3.0)`
      1.0
    """
    if _is_as_written(f):
        return f
    if not isinstance(_unwrap_partials(f), (types.FunctionType, type)) and not _is_callable_object(
        f
    ):
        _warn(f, UnconvertibleError("the function is not written in Python"))
        return f

    @functools.wraps(f)
    def converted(*args, **kwargs):
        return _call_target(f)(*args, **kwargs)

    return mark_as_written(converted)


def to_graph(entity: Callable, recursive=True, experimental_optional_features=None) -> Callable:
    """Convert the Python control flow of `entity`, so that it may depend on traced arrays.

    Args:
      entity: a function, lambda, method, `functools.partial` or callable object.
      recursive: must be True; the functions that `entity` calls are converted, too.
      experimental_optional_features: accepted and ignored, because these features are always on, or belong to
        TensorFlow's graphs.

    Returns:
      A function with the parameters of `entity`.

    Raises:
      UnimplementedError: `recursive` is False.

    Differs from TensorFlow:
      Classes are returned unchanged.

    Under jit:
      Traced conditions become `lax.cond`. Loops become `lax.scan` if their length is known,
      otherwise `lax.while_loop`.

    https://www.tensorflow.org/api_docs/python/tf/autograph/to_graph
    """
    del experimental_optional_features
    _require_recursive(recursive, "to_graph")
    return convert(entity)


def to_code(entity: Callable, recursive=True, experimental_optional_features=None) -> str:
    """Return the converted source of a function as a string.

    Args:
      entity: a function, lambda or method.
      recursive: must be True.
      experimental_optional_features: accepted and ignored.

    Returns:
      Python source, in which the operators of this package are attributes of `ag__`.

    Raises:
      ValueError: the function cannot be converted.
      UnimplementedError: `recursive` is False.

    Differs from TensorFlow:
      The code that runs is not compiled from this text, and has the source positions of the
      unconverted function.

    https://www.tensorflow.org/api_docs/python/tf/autograph/to_code
    """
    del experimental_optional_features
    _require_recursive(recursive, "to_code")
    function = inspect.unwrap(_unwrap_partials(entity))
    if not isinstance(function, types.FunctionType):
        raise ValueError(f"{entity!r} is not written in Python.")
    try:
        return converted_text(function)
    except UnconvertibleError as error:
        raise ValueError(f"`{function.__qualname__}` cannot be converted: {error}.") from error


def _require_recursive(recursive: bool, function: str) -> None:
    if not recursive:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "`recursive=False` is not supported.",
                do="exclude functions from the conversion with `autograph.experimental.do_not_convert`.",
            )
        )


def do_not_convert(func: Callable | None = None) -> Callable:
    """Decorate a function that AutoGraph must not convert when converted code calls it.

    https://www.tensorflow.org/api_docs/python/tf/autograph/experimental/do_not_convert
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def as_written(*args, **kwargs):
        return func(*args, **kwargs)

    return mark_as_written(as_written)


def mark_as_written(f):
    """Mark a function that converted code calls without converting it; return the function.

    The function is already converted, or must not be.
    """
    with contextlib.suppress(AttributeError, TypeError):
        # `functools.wraps` copies attributes to wrappers, so the mark names its function.
        f._shims_as_written = f
    return f


def _is_as_written(f) -> bool:
    return getattr(f, "_shims_as_written", None) is f


# Builtin functions that treat the elements of a list alike.
_OF_NUMBERS = (sum, max, min, any, all)


def converted_call(f, args: tuple, kwargs: dict | None, scope=None):
    """Call `f` from converted code, after converting `f` if necessary."""
    del scope
    kwargs = kwargs or {}
    of_frame = _FRAME_FUNCTIONS.get(id(f))
    if of_frame is not None:
        return of_frame(sys._getframe(1), args, kwargs)
    lists.note_call(f, args, kwargs)
    replacement = builtin_functions.replacement_of(f)
    replacement = replacement or host_functions.replacement_of(f, args)
    if replacement is not None:
        if not kwargs and f in _OF_NUMBERS:
            args = tuple(map(grown_lists.as_array_of_numbers, args))
        return replacement(*args, **kwargs)
    if (
        getattr(f, "__name__", "") == "get"
        and isinstance(getattr(f, "__self__", None), dict)
        and args
    ):
        return sizes.looked_up(f.__self__, *args)
    if _calls_back(f):
        args = tuple(_converted_callback(a) for a in args)
        kwargs = {name: _converted_callback(a) for name, a in kwargs.items()}
    target = _call_target(f)
    args, kwargs = grown_lists.for_call(f, args, kwargs)
    if _needs_numbers(target):
        return sizes.call_for_user(target, args, kwargs)
    return target(*args, **kwargs)


effects.CALLERS.add(converted_call.__code__)


def _needs_numbers(f) -> bool:
    """Return whether a function is neither written in Python nor made for symbolic sizes."""
    if isinstance(f, types.MethodType):
        is_special = f.__name__.startswith("__") and jp.is_tracer(f.__self__)
        return jp.is_symbolic(f.__self__) or is_special
    kind = type(f)
    return not isinstance(f, _CALLABLES) and kind.__module__.partition(".")[0] not in _SYMBOLIC


def _eval(frame, args, kwargs):
    source, *scopes = args
    return eval(source, *(scopes or (frame.f_globals, frame.f_locals)), **kwargs)


def _exec(frame, args, kwargs):
    source, *scopes = args
    exec(source, *(scopes or (frame.f_globals, frame.f_locals)), **kwargs)


def _getframe(frame, args, kwargs):
    for _ in range(args[0] if args else 0):
        frame = frame.f_back
    return frame


# Functions that read the frame of their caller.
_FRAME_FUNCTIONS = {
    id(builtins.globals): lambda frame, args, kwargs: frame.f_globals,
    id(builtins.locals): lambda frame, args, kwargs: frame.f_locals,
    id(builtins.vars): lambda frame, args, kwargs: vars(*args) if args else frame.f_locals,
    id(builtins.dir): lambda frame, args, kwargs: dir(*args) if args else sorted(frame.f_locals),
    id(builtins.eval): _eval,
    id(builtins.exec): _exec,
    id(sys._getframe): _getframe,
    id(inspect.currentframe): lambda frame, args, kwargs: frame,
}


def _call_target(f):
    """Return the function that converted code calls instead of `f`."""
    if isinstance(f, types.FunctionType):
        return _converted_function(f)
    if isinstance(f, BoundFunction):
        return f  # it converts its own function
    if isinstance(f, types.MethodType):
        function = _call_target(f.__func__)
        return f if function is f.__func__ else types.MethodType(function, f.__self__)
    if isinstance(f, functools.partial):
        function = _call_target(f.func)
        return f if function is f.func else functools.partial(function, *f.args, **f.keywords)
    if not isinstance(f, type) and _is_callable_object(f):
        call = type(f).__call__
        function = _call_target(call)
        return f if function is call else types.MethodType(function, f)
    return f


def _unwrap_partials(f):
    while isinstance(f, (functools.partial, types.MethodType)):
        f = f.func if isinstance(f, functools.partial) else f.__func__
    return f


def _is_callable_object(f) -> bool:
    """Return whether `f` is an object whose class defines `__call__` in Python."""
    if not callable(f):
        return False
    return isinstance(inspect.getattr_static(type(f), "__call__", None), types.FunctionType)


def _converted_function(f: types.FunctionType):
    if _is_as_written(f):
        return f
    package = _package(f)
    if package == "jax" and hasattr(f, "__wrapped__"):
        return _rebuild_transformed(f)
    if package in user_frames.NOT_CONVERTED:
        return f
    kept = f.__dict__.get("_shims_converted")
    if kept is not None and kept[0] is f and kept[1] is f.__code__:
        return kept[2]
    try:
        code = converted_code(f)
    except UnconvertibleError as error:
        _warn(f, error)
        return f
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
    closure = tuple(
        types.CellType(_OPERATORS) if name == "ag__" else cells[name] for name in code.co_freevars
    )
    new = types.FunctionType(code, f.__globals__, f.__name__, f.__defaults__, closure)
    new.__kwdefaults__ = f.__kwdefaults__
    new.__qualname__, new.__doc__, new.__module__ = f.__qualname__, f.__doc__, f.__module__
    f.__dict__["_shims_converted"] = (f, f.__code__, mark_as_written(new))
    return new


def _rebuild_transformed(f: types.FunctionType):
    """Rebuild the result of a JAX transformation, such as `jax.grad(g)`, with `g` converted.

    The closure of the result holds `g`, or another transformed function. The rebuilt function has the same
    code, and a closure with the converted function.
    """
    held = [_cell_content(cell) for cell in f.__closure__ or ()]
    converted = [
        _rebuild_transformed(g)
        if isinstance(g, types.FunctionType) and _package(g) == "jax"
        else _converted_callback(g)
        for g in held
    ]
    if all(a is b for a, b in zip(held, converted, strict=True)):
        return f
    cells = tuple(
        cell if a is b else types.CellType(b)
        for cell, a, b in zip(f.__closure__ or (), held, converted, strict=True)
    )
    new = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, cells)
    new.__kwdefaults__ = f.__kwdefaults__
    return functools.wraps(f)(new)


def _cell_content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # the cell is still empty
        return None


# The value of `ag__` in converted code: a module, because functions are closed over it.
_OPERATORS = types.ModuleType("ag__")
vars(_OPERATORS).update(
    {name: value for name, value in vars(operators).items() if not name.startswith("__")},
    converted_call=converted_call,
    autograph_artifact=mark_as_written,
)


def _package(f) -> str:
    """Return the top-level package whose code defines a function, whatever `__module__` says."""
    return user_frames.root_package(f.__globals__)


def _calls_back(f) -> bool:
    """Return whether `f` may call functions among its arguments, which must then be converted."""
    f = _unwrap_partials(f)
    if isinstance(f, types.FunctionType):
        return _package(f) in _CALLING_BACK and f is not do_not_convert
    if any(f is b for b in _BUILTINS_CALLING_BACK) or f is functools.reduce:
        return True
    return (getattr(f, "__module__", None) or "").partition(".")[0] == "jax"


def _converted_callback(value):
    """Convert an argument if it is a function, or replace one such as `len`; return other values unchanged."""
    if isinstance(value, _CALLABLES):
        return _call_target(value)
    if isinstance(value, types.BuiltinFunctionType):
        return builtin_functions.replacement_of(value) or value
    if not isinstance(value, type) and _is_callable_object(value) and _is_leaf(value):
        return _call_target(value)
    return value


def _is_leaf(value) -> bool:
    """Return whether a callable object is a pytree leaf, so it may be converted.

    A callable pytree of arrays is data.
    """
    return jax.tree_util.treedef_is_leaf(jax.tree.structure(value))


def _warn(f, error: UnconvertibleError) -> None:
    """Warn, once per function, that the function cannot be converted and runs as written."""
    function = _unwrap_partials(f)
    name = getattr(function, "__qualname__", None) or type(function).__name__
    code = getattr(function, "__code__", None)
    filename = code.co_filename if code else "<unknown>"
    line = code.co_firstlineno if code else 0
    if (function.__module__ or "").startswith("namedtuple_"):
        return
    with _LOCK:
        if (filename, line, name) in _warned:
            return
        _warned.add((filename, line, name))
    place = f"{os.path.basename(filename)}:{error.line or line}" if code else "built in"
    text = (
        f"autograph: `{name}` ({place}) is not converted: {error.reason}. Python control flow in it "
        "cannot depend on traced arrays. `shims.autograph.experimental.do_not_convert` silences this."
    )
    warnings.warn_explicit(text, UserWarning, filename, line or 1)

"""Distinguish the user's stack frames and files from the stack frames and files of libraries.

No other module does this. A frame is classified by the name of its module, a file by the folder of
its package, wherever in this package the file is.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import warnings
from types import FrameType

# Frames of these packages are never the user's own line.
LIBRARIES = frozenset(
    {"jax", "jaxlib", "shims", "malt", "numpy", "tensorflow", "contextlib", "functools"}
)
# Written for JAX, or for no arrays at all: AutoGraph does not change what they do.
NOT_CONVERTED = LIBRARIES | {
    *sys.stdlib_module_names,
    *("scipy", "ml_dtypes", "opt_einsum", "tf2jax_port", "keras", "tf_keras"),
    *("flax", "haiku", "equinox", "optax", "orbax", "chex"),
    *("diffrax", "lineax", "optimistix", "jaxtyping", "beartype", "typeguard", "torch"),
    *(
        "einops",
        "pandas",
        "matplotlib",
        "PIL",
        "sklearn",
        "absl",
        "rich",
        "click",
        "tqdm",
        "IPython",
    ),
    *("pytest", "_pytest", "pluggy", "hypothesis"),
}


# Packages whose functions converted code calls in place of the user's own operators.
_STAND_INS: list[str] = []


def stands_in_for_user(package: str) -> None:
    """Treat a package's stack frames as the user's code, as AutoGraph does for its operators."""
    _STAND_INS.append(f"{package}.")
    _asks_for_user.cache_clear()


def asks_for_user(frame: FrameType) -> bool:
    """Return whether a frame runs the user's code, or generated or converted code in its place."""
    return _asks_for_user(frame.f_globals.get("__name__") or "")


@functools.cache
def _asks_for_user(module: str) -> bool:
    return not _is_library(module) or module.startswith(tuple(_STAND_INS))


def root_package(frame_globals: dict) -> str:
    """Return the top-level package of code, given its globals, since wrappers can fake `__module__`."""
    return (frame_globals.get("__name__") or "").partition(".")[0]


def is_library_frame(frame: FrameType) -> bool:
    """Return whether a frame runs a library's code."""
    return _is_library(frame.f_globals.get("__name__") or "")


@functools.cache
def _is_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES


def runs_unconverted_library(frame: FrameType) -> bool:
    """Return whether a frame runs a library written for JAX, or one that does not compute with arrays."""
    return is_unconverted_module(frame.f_globals.get("__name__") or "")


@functools.cache
def is_unconverted_module(module: str) -> bool:
    return module.partition(".")[0] in NOT_CONVERTED


def is_standard_frame(frame: FrameType) -> bool:
    """Return whether a frame runs Python's standard library, which works on behalf of its caller."""
    return root_package(frame.f_globals) in sys.stdlib_module_names


def is_user_frame(frame: FrameType) -> bool:
    """Return whether a frame runs a line of the user's source, not a library or generated code."""
    return not is_library_frame(frame) and not _is_generated(frame)


def user_frame() -> FrameType | None:
    """Return the innermost frame that belongs to the user, or `None`.

    If there is none, it is that of a library written for JAX, such as Keras.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_library_frame(frame) or _is_generated(frame)):
        frame = frame.f_back
    own = frame
    while own is not None and (runs_unconverted_library(own) or _is_generated(own)):
        own = own.f_back
    return frame if own is None else own


# JAX's module of sizes computes what its caller asks; the others stand between the user's code and its conversion.
_OF_SIZES = "jax._src.export.shape_poly"
_ON_BEHALF = frozenset({"shims", "malt", "contextlib", "functools"})


def library_calls() -> bool:
    """Return whether the code that computes with a size is JAX's, or that of a library written for JAX."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (_is_on_behalf(frame) or _is_generated(frame)):
        frame = frame.f_back
    return frame is not None and runs_unconverted_library(frame)


def _is_on_behalf(frame: FrameType) -> bool:
    of_sizes = frame.f_globals.get("__name__") == _OF_SIZES
    return of_sizes or root_package(frame.f_globals) in _ON_BEHALF


def _is_generated(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<")


def is_library_file(path: str) -> bool:
    """Return whether a file belongs to a library."""
    return path.startswith(_library_paths())


def is_user_file(path: str) -> bool:
    """Return whether a file is the user's source, not a library's and not generated code."""
    return not is_library_file(path) and not path.startswith("<")


def innermost_user_frame(frames):
    """Return the innermost of the frames of JAX's traceback that has the user's code, as `user_frame` does, or `None`."""
    calling = [f for f in frames if is_user_file(f.file_name)]
    own = (f for f in calling if not f.file_name.startswith(_unconverted_paths()))
    return next(own, calling[0] if calling else None)


@functools.cache
def _library_paths() -> tuple[str, ...]:
    return tuple(path for name in sorted(LIBRARIES) for path in _paths_of(name))


@functools.cache
def _unconverted_paths() -> tuple[str, ...]:
    names = sorted(NOT_CONVERTED - LIBRARIES - sys.stdlib_module_names)
    return tuple(path for name in names for path in _paths_of(name))


def _paths_of(name: str) -> list[str]:
    """Find a package's folders, or the file of a module, without importing it."""
    if name in sys.modules:  # `None` there blocks an import
        spec = getattr(sys.modules[name], "__spec__", None)
    else:
        spec = importlib.util.find_spec(name)
    if spec is None:
        return []
    folders = spec.submodule_search_locations
    return [spec.origin or ""] if folders is None else [folder + os.sep for folder in folders]


def warn_at_user_line(text: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code, once per line."""
    frame = user_frame()
    if frame is None:
        warnings.warn(text, category, stacklevel=3)
        return
    warnings.warn_explicit(
        text,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )

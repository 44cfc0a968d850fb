"""Enumerate the public functions of JAX that the scorecard calls."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import types
import warnings
from collections.abc import Callable
from typing import Any

import jax.scipy

MODULES = (
    *("jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.lax.linalg", "jax.nn"),
    *("jax.ops", "jax.random", "jax.image"),
)
# Not computations on arrays: files, texts, types, shapes as numbers, names of mesh axes, compilation.
OUTSIDE = {
    "files and texts": (
        *("load", "save", "savez", "fromfile", "fromstring", "frombuffer", "from_dlpack"),
        *("array_repr", "array_str", "set_printoptions", "get_printoptions", "printoptions"),
        *("fromiter", "einsum_path"),
    ),
    "types": (
        *("can_cast", "isdtype", "issubdtype", "promote_types", "result_type", "dtype"),
        *("isscalar", "key_dtype", "key_impl", "iscomplexobj", "isrealobj"),
    ),
    "shapes and settings as Python values": (
        *("broadcast_shapes", "conv_dimension_numbers", "conv_general_permutations"),
        *("conv_general_shape_tuple", "conv_shape_tuple", "conv_transpose_shape_tuple"),
        *("padtype_to_pads", "reduce_window_shape_tuple", "get_scaled_dot_general_config"),
        *("DotDimensionNumbers", "shape_as_value"),
    ),
    "functions of functions": ("frompyfunc", "vectorize", "fromfunction", "composite"),
    "names of mesh axes": (
        *("all_gather", "all_to_all", "axis_index", "axis_size", "pbroadcast", "pcast", "pmax"),
        *("pmean", "pmin", "ppermute", "pshuffle", "psum", "psum_scatter", "pswapaxes"),
        *("psum_scatter_start", "ragged_all_to_all", "with_sharding_constraint"),
    ),
    "tokens and the compiler": (
        *("after_all", "create_token", "dce_sink", "optimization_barrier", "stage"),
        *("platform_dependent",),
    ),
    "numbers that differ from call to call": ("rng_uniform", "rng_bit_generator", "empty"),
    "hardware of one kind": ("scaled_dot", "scaled_matmul", "scaled_dot_general"),
}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a function; `repeated` for `*args`."""

    name: str
    required: bool
    repeated: bool = False
    keyword: bool = False


@dataclasses.dataclass(frozen=True)
class Function:
    """A public function of JAX.

    Attributes:
      name: its first public name, for instance `jax.numpy.linalg.inv`.
      call: the function.
      aliases: other public names of the same object.
      outside: why no cell is made of it; empty if cells are made.
    """

    name: str
    call: Callable[..., Any]
    aliases: tuple[str, ...]
    outside: str

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters; those of a universal function are named as in NumPy."""
        number = getattr(self.call, "nin", None)
        if number is not None:
            names = ("x",) if number == 1 else tuple(f"x{i + 1}" for i in range(number))
            return tuple(Parameter(name, required=True) for name in names)
        kinds = inspect.Parameter
        return tuple(
            Parameter(
                p.name,
                required=p.default is p.empty and p.kind is not kinds.VAR_KEYWORD,
                repeated=p.kind is kinds.VAR_POSITIONAL,
                keyword=p.kind is kinds.KEYWORD_ONLY,
            )
            for p in inspect.signature(self.call).parameters.values()
            if p.kind is not kinds.VAR_KEYWORD
        )


def _modules():
    found = pkgutil.walk_packages(jax.scipy.__path__, "jax.scipy.")
    return (*MODULES, *(info.name for info in found))


@functools.cache
def functions() -> tuple[Function, ...]:
    """Return all public functions, each once, under the first of its names."""
    names: dict[int, list[str]] = {}
    calls: dict[int, Callable[..., Any]] = {}
    for module_name in _modules():
        module = importlib.import_module(module_name)
        for name in dir(module):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = None if name.startswith("_") else getattr(module, name, None)
            if callable(value) and not isinstance(value, (type, types.ModuleType)):
                names.setdefault(id(value), []).append(f"{module_name}.{name}")
                calls[id(value)] = value
    return tuple(
        Function(all_names[0], calls[key], tuple(all_names[1:]), _outside(all_names[0]))
        for key, all_names in names.items()
    )


def _outside(name: str) -> str:
    last = name.rpartition(".")[2]
    return next((why for why, names in OUTSIDE.items() if last in names), "")


def by_name() -> dict[str, Function]:
    """Return the functions by their names."""
    return {function.name: function for function in functions()}

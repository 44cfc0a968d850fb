"""TensorFlow's operators on JAX: `import shims as tf` while a program moves over.

Arrays in and out are JAX arrays. Sizes may depend on data, inside `jax.jit` too: see
`shims.function` and `shims.dynamic`. Everything is loaded when it is first used, so that
`import shims` costs little beside `import jax`.
"""

import importlib as _importlib
from typing import TYPE_CHECKING

from shims._src.release import check_version as _check_version
from shims._src.version import __version__ as __version__

if TYPE_CHECKING:
    from shims import autodiff as autodiff
    from shims import autograph as autograph
    from shims import bitwise as bitwise
    from shims import debugging as debugging
    from shims import dtypes as dtypes
    from shims import errors as errors
    from shims import image as image
    from shims import linalg as linalg
    from shims import lookup as lookup
    from shims import math as math
    from shims import nest as nest
    from shims import nn as nn
    from shims import quantization as quantization
    from shims import ragged as ragged
    from shims import random as random
    from shims import raw_ops as raw_ops
    from shims import sets as sets
    from shims import signal as signal
    from shims import sparse as sparse
    from shims import strings as strings
    from shims import train as train
    from shims import v1 as v1
    from shims._src.absent import Graph as Graph
    from shims._src.absent import Operation as Operation
    from shims._src.absent import RegisterGradient as RegisterGradient
    from shims._src.absent import no_gradient as no_gradient
    from shims._src.branches import case as case
    from shims._src.branches import cond as cond
    from shims._src.branches import switch_case as switch_case
    from shims._src.contexts import control_dependencies as control_dependencies
    from shims._src.contexts import device as device
    from shims._src.contexts import executing_eagerly as executing_eagerly
    from shims._src.contexts import get_current_name_scope as get_current_name_scope
    from shims._src.contexts import init_scope as init_scope
    from shims._src.contexts import inside_function as inside_function
    from shims._src.contexts import name_scope as name_scope
    from shims._src.contexts import variable_creator_scope as variable_creator_scope
    from shims._src.custom_gradient import custom_gradient as custom_gradient
    from shims._src.dynamic import dynamic as dynamic
    from shims._src.errors import CapacityError as CapacityError
    from shims._src.errors import InvalidArgumentError as InvalidArgumentError
    from shims._src.facade.root import *  # noqa: F403
    from shims._src.folds import foldl as foldl
    from shims._src.folds import foldr as foldr
    from shims._src.folds import scan as scan
    from shims._src.function import function as function
    from shims._src.gather import batch_gather as batch_gather
    from shims._src.graph_gradients import gradients as gradients
    from shims._src.graph_gradients import hessians as hessians
    from shims._src.indexed_slices import IndexedSlices as IndexedSlices
    from shims._src.loops import while_loop as while_loop
    from shims._src.maps import map_fn as map_fn
    from shims._src.maps import vectorized_map as vectorized_map
    from shims._src.module import Module as Module
    from shims._src.padded import Padded as Padded
    from shims._src.primitives import bounded as bounded
    from shims._src.primitives import same_size as same_size
    from shims._src.recompute_grad import recompute_grad as recompute_grad
    from shims._src.shape_arithmetic import broadcast_static_shape as broadcast_static_shape
    from shims._src.tape import GradientTape as GradientTape
    from shims._src.tensor_array import TensorArray as TensorArray
    from shims._src.tensor_questions import Tensor as Tensor
    from shims._src.tensor_questions import get_logger as get_logger
    from shims._src.tensor_questions import get_static_value as get_static_value
    from shims._src.tensor_questions import grad_pass_through as grad_pass_through
    from shims._src.tensor_questions import is_symbolic_tensor as is_symbolic_tensor
    from shims._src.tensor_questions import is_tensor as is_tensor
    from shims._src.tensor_shape import TensorShape as TensorShape
    from shims._src.tensor_spec import TensorSpec as TensorSpec
    from shims._src.truncating import div as div
    from shims._src.type_spec import TypeSpec as TypeSpec
    from shims._src.type_spec import type_spec_from_value as type_spec_from_value
    from shims._src.unconnected_gradients import UnconnectedGradients as UnconnectedGradients
    from shims._src.unique import setdiff1d as setdiff1d
    from shims._src.variable import Variable as Variable
    from shims._src.variable_options import AggregationMethod as AggregationMethod
    from shims._src.variable_options import VariableAggregation as VariableAggregation
    from shims._src.variable_options import VariableSynchronization as VariableSynchronization

_check_version()

_NAMESPACES = (
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "debugging",
    "dtypes",
    "errors",
    "image",
    "keras",
    "linalg",
    "lookup",
    "math",
    "nest",
    "nn",
    "optax",
    "quantization",
    "ragged",
    "signal",
    "random",
    "raw_ops",
    "sets",
    "sparse",
    "train",
    "strings",
    "v1",
)
# The engine's names, written out; the operators' stand in the generated façade.
_ENGINE = {
    "AggregationMethod": "variable_options",
    "CapacityError": "errors",
    "GradientTape": "tape",
    "Graph": "absent",
    "IndexedSlices": "indexed_slices",
    "InvalidArgumentError": "errors",
    "Module": "module",
    "Operation": "absent",
    "Padded": "padded",
    "RegisterGradient": "absent",
    "Tensor": "tensor_questions",
    "TensorArray": "tensor_array",
    "TensorShape": "tensor_shape",
    "TensorSpec": "tensor_spec",
    "TypeSpec": "type_spec",
    "UnconnectedGradients": "unconnected_gradients",
    "Variable": "variable",
    "VariableAggregation": "variable_options",
    "VariableSynchronization": "variable_options",
    "batch_gather": "gather",
    "bounded": "primitives",
    "broadcast_static_shape": "shape_arithmetic",
    "case": "branches",
    "cond": "branches",
    "control_dependencies": "contexts",
    "custom_gradient": "custom_gradient",
    "div": "truncating",
    "device": "contexts",
    "dynamic": "dynamic",
    "executing_eagerly": "contexts",
    "foldl": "folds",
    "foldr": "folds",
    "function": "function",
    "get_current_name_scope": "contexts",
    "get_logger": "tensor_questions",
    "get_static_value": "tensor_questions",
    "grad_pass_through": "tensor_questions",
    "gradients": "graph_gradients",
    "hessians": "graph_gradients",
    "init_scope": "contexts",
    "inside_function": "contexts",
    "is_symbolic_tensor": "tensor_questions",
    "is_tensor": "tensor_questions",
    "map_fn": "maps",
    "name_scope": "contexts",
    "no_gradient": "absent",
    "recompute_grad": "recompute_grad",
    "same_size": "primitives",
    "scan": "folds",
    "setdiff1d": "unique",
    "switch_case": "branches",
    "type_spec_from_value": "type_spec",
    "variable_creator_scope": "contexts",
    "vectorized_map": "maps",
    "while_loop": "loops",
}


def __getattr__(name: str):
    if name in _NAMESPACES:
        return _importlib.import_module(f"shims.{name}")
    if name in _ENGINE:
        value = getattr(_importlib.import_module(f"shims._src.{_ENGINE[name]}"), name)
    elif name == "__all__":
        return _names()
    elif name.startswith("_"):
        raise AttributeError(f"module 'shims' has no attribute {name!r}")
    else:
        root = _importlib.import_module("shims._src.facade.root")
        if not hasattr(root, name):
            missing = _importlib.import_module("shims._src.missing")
            raise AttributeError(missing.message("shims", name))
        value = getattr(root, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_names()]


def _names() -> list[str]:
    root = _importlib.import_module("shims._src.facade.root")
    return [*_NAMESPACES, *_ENGINE, *root.__all__]

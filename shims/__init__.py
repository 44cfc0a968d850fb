"""Provide TensorFlow's operators on JAX: `import shims as tf` while a program is migrated.

Arguments and results are JAX arrays. Sizes may depend on data, inside `jax.jit` too: see
`shims.function` and `shims.dynamic`. Everything, including JAX, is loaded on first use; `import shims`
only checks which release of JAX is installed.
"""

import importlib as _importlib
import sys as _sys
from typing import TYPE_CHECKING

from shims._src.platform.release import check_version as _check_version
from shims._src.platform.tensorflow_release import __version__ as __version__

if TYPE_CHECKING:
    from shims import audio as audio
    from shims import autodiff as autodiff
    from shims import autograph as autograph
    from shims import bitwise as bitwise
    from shims import config as config
    from shims import data as data
    from shims import debugging as debugging
    from shims import distribute as distribute
    from shims import dtypes as dtypes
    from shims import errors as errors
    from shims import experimental as experimental
    from shims import image as image
    from shims import io as io
    from shims import linalg as linalg
    from shims import lookup as lookup
    from shims import math as math
    from shims import nest as nest
    from shims import nn as nn
    from shims import profiler as profiler
    from shims import quantization as quantization
    from shims import ragged as ragged
    from shims import random as random
    from shims import raw_ops as raw_ops
    from shims import saved_model as saved_model
    from shims import sets as sets
    from shims import signal as signal
    from shims import sparse as sparse
    from shims import strings as strings
    from shims import summary as summary
    from shims import test as test
    from shims import train as train
    from shims import v1 as v1
    from shims import version as version
    from shims._src.array.gather import batch_gather as batch_gather
    from shims._src.array.shape_arithmetic import broadcast_static_shape as broadcast_static_shape
    from shims._src.array.unique import setdiff1d as setdiff1d
    from shims._src.control_flow.branches import case as case
    from shims._src.control_flow.branches import cond as cond
    from shims._src.control_flow.branches import switch_case as switch_case
    from shims._src.control_flow.folds import foldl as foldl
    from shims._src.control_flow.folds import foldr as foldr
    from shims._src.control_flow.folds import scan as scan
    from shims._src.control_flow.loops import while_loop as while_loop
    from shims._src.control_flow.tensor_array import TensorArray as TensorArray
    from shims._src.elementwise.truncating import div as div
    from shims._src.errors.errors import CapacityError as CapacityError
    from shims._src.errors.errors import InvalidArgumentError as InvalidArgumentError
    from shims._src.facade.absent import Graph as Graph
    from shims._src.facade.absent import Operation as Operation
    from shims._src.facade.absent import RegisterGradient as RegisterGradient
    from shims._src.facade.absent import no_gradient as no_gradient
    from shims._src.facade.root import *  # noqa: F403
    from shims._src.function.dynamic_function import dynamic as dynamic
    from shims._src.function.function import function as function
    from shims._src.function.stateless import stateless as stateless
    from shims._src.gradients.custom_gradient import custom_gradient as custom_gradient
    from shims._src.gradients.graph_gradients import gradients as gradients
    from shims._src.gradients.graph_gradients import hessians as hessians
    from shims._src.gradients.recompute_grad import recompute_grad as recompute_grad
    from shims._src.gradients.tape import GradientTape as GradientTape
    from shims._src.gradients.tensor_questions import Tensor as Tensor
    from shims._src.gradients.tensor_questions import get_logger as get_logger
    from shims._src.gradients.tensor_questions import get_static_value as get_static_value
    from shims._src.gradients.tensor_questions import grad_pass_through as grad_pass_through
    from shims._src.gradients.tensor_questions import is_symbolic_tensor as is_symbolic_tensor
    from shims._src.gradients.tensor_questions import is_tensor as is_tensor
    from shims._src.gradients.unconnected_gradients import (
        UnconnectedGradients as UnconnectedGradients,
    )
    from shims._src.ragged.maps import map_fn as map_fn
    from shims._src.ragged.maps import vectorized_map as vectorized_map
    from shims._src.ragged.type_spec import TypeSpec as TypeSpec
    from shims._src.ragged.type_spec import type_spec_from_value as type_spec_from_value
    from shims._src.recording.contexts import control_dependencies as control_dependencies
    from shims._src.recording.contexts import device as device
    from shims._src.recording.contexts import executing_eagerly as executing_eagerly
    from shims._src.recording.contexts import get_current_name_scope as get_current_name_scope
    from shims._src.recording.contexts import init_scope as init_scope
    from shims._src.recording.contexts import inside_function as inside_function
    from shims._src.recording.contexts import name_scope as name_scope
    from shims._src.recording.contexts import variable_creator_scope as variable_creator_scope
    from shims._src.recording.indexed_slices import IndexedSlices as IndexedSlices
    from shims._src.sizes.padded import Padded as Padded
    from shims._src.sizes.primitives import bounded as bounded
    from shims._src.sizes.primitives import same_size as same_size
    from shims._src.tensor_methods.enabling import enable_tensor_methods as enable_tensor_methods
    from shims._src.types.tensor_shape import TensorShape as TensorShape
    from shims._src.types.tensor_spec import TensorSpec as TensorSpec
    from shims._src.types.variable_options import AggregationMethod as AggregationMethod
    from shims._src.types.variable_options import VariableAggregation as VariableAggregation
    from shims._src.types.variable_options import VariableSynchronization as VariableSynchronization
    from shims._src.variables.module import Module as Module
    from shims._src.variables.variable import Variable as Variable

_check_version()

_NAMESPACES = (
    "audio",
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "config",
    "data",
    "debugging",
    "distribute",
    "dtypes",
    "errors",
    "experimental",
    "image",
    "io",
    "keras",
    "linalg",
    "lookup",
    "math",
    "nest",
    "nn",
    "optax",
    "profiler",
    "quantization",
    "ragged",
    "signal",
    "random",
    "raw_ops",
    "saved_model",
    "sets",
    "sparse",
    "test",
    "train",
    "strings",
    "summary",
    "v1",
    "version",
)
# TensorFlow has these modules of Keras at the top, too.
_KERAS = ("initializers", "losses", "metrics", "optimizers")
# The names that the generated facade, which lists the operators, does not have.
_ENGINE = {
    "AggregationMethod": "types.variable_options",
    "CapacityError": "errors.errors",
    "GradientTape": "gradients.tape",
    "Graph": "facade.absent",
    "IndexedSlices": "recording.indexed_slices",
    "InvalidArgumentError": "errors.errors",
    "Module": "variables.module",
    "Operation": "facade.absent",
    "Padded": "sizes.padded",
    "RegisterGradient": "facade.absent",
    "Tensor": "gradients.tensor_questions",
    "TensorArray": "control_flow.tensor_array",
    "TensorShape": "types.tensor_shape",
    "TensorSpec": "types.tensor_spec",
    "TypeSpec": "ragged.type_spec",
    "UnconnectedGradients": "gradients.unconnected_gradients",
    "Variable": "variables.variable",
    "VariableAggregation": "types.variable_options",
    "VariableSynchronization": "types.variable_options",
    "batch_gather": "array.gather",
    "bounded": "sizes.primitives",
    "broadcast_static_shape": "array.shape_arithmetic",
    "case": "control_flow.branches",
    "cond": "control_flow.branches",
    "control_dependencies": "recording.contexts",
    "custom_gradient": "gradients.custom_gradient",
    "div": "elementwise.truncating",
    "device": "recording.contexts",
    "dynamic": "function.dynamic_function",
    "enable_tensor_methods": "tensor_methods.enabling",
    "executing_eagerly": "recording.contexts",
    "foldl": "control_flow.folds",
    "foldr": "control_flow.folds",
    "function": "function.function",
    "get_current_name_scope": "recording.contexts",
    "get_logger": "gradients.tensor_questions",
    "get_static_value": "gradients.tensor_questions",
    "grad_pass_through": "gradients.tensor_questions",
    "gradients": "gradients.graph_gradients",
    "hessians": "gradients.graph_gradients",
    "init_scope": "recording.contexts",
    "inside_function": "recording.contexts",
    "is_symbolic_tensor": "gradients.tensor_questions",
    "is_tensor": "gradients.tensor_questions",
    "map_fn": "ragged.maps",
    "name_scope": "recording.contexts",
    "no_gradient": "facade.absent",
    "recompute_grad": "gradients.recompute_grad",
    "same_size": "sizes.primitives",
    "scan": "control_flow.folds",
    "setdiff1d": "array.unique",
    "stateless": "function.stateless",
    "switch_case": "control_flow.branches",
    "type_spec_from_value": "ragged.type_spec",
    "variable_creator_scope": "recording.contexts",
    "vectorized_map": "ragged.maps",
    "while_loop": "control_flow.loops",
}


def __getattr__(name: str):
    if name in _NAMESPACES:
        return _importlib.import_module(f"shims.{name}")
    if name in _KERAS:
        return getattr(_importlib.import_module("shims.keras"), name)
    if name in _ENGINE:
        _importlib.import_module("shims._src.facade.bindings")
        value = getattr(_importlib.import_module(f"shims._src.{_ENGINE[name]}"), name)
    elif name == "__all__":
        return _names()
    elif name.startswith("_"):
        raise AttributeError(f"module 'shims' has no attribute {name!r}")
    else:
        root = _importlib.import_module("shims._src.facade.root")
        if not hasattr(root, name):
            missing = _importlib.import_module("shims._src.facade.missing")
            raise AttributeError(missing.message("shims", name))
        value = getattr(root, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # `inspect` and `pydoc` read every name that is listed: those of Keras are, once it is loaded.
    hidden = () if "keras" in _sys.modules else ("keras", *_KERAS)
    return [name for name in [*globals(), *_names()] if name not in hidden]


def _names() -> list[str]:
    root = _importlib.import_module("shims._src.facade.root")
    return [*_NAMESPACES, *_KERAS, *_ENGINE, *root.__all__]

"""Store the variables that `get_variable` creates in a graph, and create new ones."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from shims._src.types.dtypes import as_dtype
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.standard_operators import slice_
from shims._src.v1.variables import partitioned_variables
from shims._src.v1.variables.initializers import glorot_uniform_initializer, zeros_initializer
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


class VariableStore:
    """The variables of a graph that `get_variable` created."""

    def __init__(self):
        self._variables: dict[str, GraphVariable] = {}
        self._partitioned: dict[str, partitioned_variables.PartitionedVariable] = {}

    @property
    def variables(self) -> dict[str, GraphVariable]:
        """A dict from names to variables; the parts of partitioned variables are separate entries."""
        return dict(self._variables)

    def get_variable(self, name: str, custom_getter: Callable | None, options: dict):
        """Return or create the variable with the full name `name`, by the custom getter if there is one.

        Raises:
          ValueError: see the function `get_variable`.
        """
        if custom_getter is None:
            return self._get_or_create(name, **options)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        if not _has_parameter(custom_getter, "constraint", or_any=True):
            options = {k: v for k, v in options.items() if k != "constraint"}
        return custom_getter(getter=self._get_or_create, name=name, **options)

    def _get_or_create(self, name, shape=None, dtype="float32", initializer=None, **options):
        partitioner, reuse = options.pop("partitioner", None), options.get("reuse")
        is_scalar = isinstance(shape, (list, tuple)) and not len(shape)
        options.update(shape=shape, dtype=as_dtype(dtype), initializer=initializer)
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        elif reuse is True and name in self._partitioned:
            partitioner = None
        else:
            if f"{name}/part_0" in self._variables:
                raise ValueError(
                    "No partitioner was provided, but a partitioned version of the variable was "
                    f"found: {name}/part_0. Perhaps a variable of the same name was already "
                    "created with partitioning?"
                )
            return self._get_unpartitioned(name, **options)
        with get_default_graph().name_scope(None):
            return self._get_partitioned(name, partitioner, **options)

    def _get_unpartitioned(
        self,
        name,
        shape,
        dtype,
        initializer,
        reuse=None,
        regularizer=None,
        partition_info=None,
        **options,
    ) -> GraphVariable:
        if shape is not None and initializer is not None and not callable(initializer):
            raise ValueError("If initializer is a constant, do not specify shape.")
        shape = None if shape is None else GraphShape(shape)
        if name in self._variables:
            return self._share_existing(name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did "
                "you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    "specified."
                )
            initializer = _default_initializer(name, dtype)
        value, kind = _initial_value(initializer, shape, dtype, partition_info)
        variable = GraphVariable(value, name=name, dtype=kind, shape=shape, **options)
        self._variables[name] = variable
        if regularizer:
            _add_regularization_loss(name, variable, regularizer)
        return variable

    def _share_existing(self, name, shape, dtype, reuse) -> GraphVariable:
        if reuse is False:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        found = self._variables[name]
        if shape is not None and not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape "
                f"{found.shape}."
            )
        if dtype != found.dtype:
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                f"dtype {found.dtype.name}."
            )
        return found

    def _get_partitioned(self, name, partitioner, shape, dtype, initializer, reuse=None, **options):
        if name in self._variables:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                "partitioning?"
            )
        shape = GraphShape(shape)
        if isinstance(initializer, Tensor):
            shape = shape.merge_with(initializer.shape)
        parts = None
        if not reuse or partitioner:
            parts = partitioned_variables.parts_of(partitioner, shape, dtype)
        if name in self._partitioned:
            if reuse is False:
                raise ValueError(
                    f"Partitioned variable with name {name} already exists. Did you mean to set "
                    "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
                )
            return self._partitioned[name].checked(shape, dtype, parts)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        options.update(dtype=dtype, initializer=initializer, reuse=reuse)
        found = [
            self._create_part(name, i, shape, *part, **options)
            for i, part in enumerate(partitioned_variables.slices_of(shape.as_list(), parts))
        ]
        whole = partitioned_variables.PartitionedVariable(name, shape, found[0].dtype, found, parts)
        self._partitioned[name] = whole
        return whole

    def _create_part(self, name, number, whole, offset, shape, dtype, initializer, **options):
        """Create one part of a partitioned variable of the shape `whole`, which starts at `offset`."""
        full = f"{name}/part_{number}"
        info = partitioned_variables.PartitionInfo(whole.as_list(), offset)
        graph = get_default_graph()
        given: list | None = shape
        if initializer is not None and not callable(initializer):
            with graph.name_scope(f"{full}/PartitionedInitializer"):
                value = convert_to_tensor(initializer, dtype)
                initializer, given, dtype = slice_(value, offset, shape), None, value.dtype
        with graph.name_scope(None):
            variable = self._get_unpartitioned(
                full,
                shape=given,
                dtype=dtype,
                initializer=initializer,
                partition_info=info,
                **options,
            )
        variable._set_save_slice_info(
            partitioned_variables.SaveSliceInfo(name, whole.as_list(), offset, shape)
        )
        return variable


def _default_initializer(name, dtype):
    if dtype.is_floating:
        return glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype.name == "string":
        return zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of <dtype: '{dtype.name}'> is required")


def _initial_value(initializer, shape, dtype, partition_info):
    """Return the initial value of a variable, or a function that creates it, and its dtype.

    The dtype is `None` if the value determines it.
    """
    if not callable(initializer):
        return initializer, None
    if isinstance(initializer, type):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        named = {"dtype": dtype}
        if _has_parameter(initializer, "partition_info"):
            named["partition_info"] = partition_info
        return functools.partial(initializer, shape.as_list(), **named), dtype
    if _has_no_required_parameters(initializer):
        return initializer, None
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the "
        "shape should not be provided or an instance of `tf.keras.initializers.*' and `shape` "
        "should be fully defined."
    )


def _has_parameter(f, name: str, or_any: bool = False) -> bool:
    """Return whether a function accepts an argument `name`; `or_any` lets `**kwargs` count too."""
    parameters = inspect.signature(f).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return name in parameters or (or_any and anything)


def _has_no_required_parameters(f) -> bool:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(f).parameters.values()
    return all(p.default is not p.empty or p.kind in kinds for p in parameters)


def _add_regularization_loss(name, variable, regularizer) -> None:
    """Add a variable's regularization loss to the collection of regularization losses.

    The regularizer is called twice, as in TensorFlow, so that the graph has the same operations.
    """
    if regularizer(variable) is None:
        return
    graph = get_default_graph()
    with graph.name_scope(f"{name}/Regularizer/"):
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, regularizer(variable))

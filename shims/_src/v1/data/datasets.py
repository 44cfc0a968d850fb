"""Provide `tf.data.Dataset` in graphs: a recipe that an iterator follows when it is initialized.

Arguments of a dataset may be tensors of the graph, whose values are known only in a session. A recipe
holds them, and makes a dataset of `shims.data` from their values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from shims._src.data import file_datasets, function_specs, specs, structures
from shims._src.data.dataset import Dataset as Pipeline
from shims._src.data.specs import TensorSpec
from shims._src.types.dtypes import as_dtype
from shims._src.types.host_tensor import host
from shims._src.v1.data.functions import ElementFunction
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.host_calls import at_once
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import get_seed
from shims._src.v1.graph.shapes import GraphShape

# The names of the operations that TensorFlow adds for a method.
_OPERATIONS = {
    "batch": "batch_size drop_remainder BatchDatasetV2",
    "cache": "filename CacheDataset",
    "concatenate": "ConcatenateDataset",
    "filter": "FilterDataset",
    "flat_map": "FlatMapDataset",
    "from_generator": "normalize_element TensorDataset FlatMapDataset",
    "from_tensor_slices": "normalize_element TensorSliceDataset",
    "from_tensors": "normalize_element TensorDataset",
    "interleave": "cycle_length block_length InterleaveDataset",
    "map": "MapDataset",
    "padded_batch": "batch_size Const padding_value drop_remainder PaddedBatchDatasetV2",
    "prefetch": "buffer_size PrefetchDataset",
    "range": "start stop step RangeDataset",
    "repeat": "count RepeatDataset",
    "shard": "num_shards index ShardDataset",
    "shuffle": "buffer_size seed seed2 ShuffleDataset",
    "skip": "count SkipDataset",
    "take": "count TakeDataset",
    "TFRecordDataset": "Const flat_filenames/shape flat_filenames TensorSliceDataset FlatMapDataset",
    "TextLineDataset": "Const flat_filenames/shape flat_filenames TensorSliceDataset FlatMapDataset",
    "window": "size shift stride drop_remainder WindowDataset",
    "zip": "ZipDataset",
}


class Elements:
    """The dtypes, static shapes and classes of elements, for datasets and iterators.

    Attributes:
      element_spec: the structure of specs of the elements.
    """

    element_spec: Any

    @property
    def output_types(self) -> Any:
        """The structure of dtypes of the elements."""
        return structures.map_leaves(lambda s: as_dtype(s.dtype), self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The structure of static shapes of the elements."""
        return structures.map_leaves(_graph_shape, self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The structure of classes of the elements."""
        return structures.map_leaves(lambda s: s.value_type, self.element_spec)


class Dataset(Elements):
    """Elements that an iterator reads one after the other; see `tf.data.Dataset` of TensorFlow 2.

    Args:
      make: makes the dataset of `shims.data` from a function that gives the value of each operand.
      operands: the tensors of the graph among the arguments.

    Differs from TensorFlow:
      Functions are called on every element, with values, and not traced once; see `shims.data`. They
      cannot use tensors of the graph that are not constants.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/data/Dataset
    """

    __module__ = "shims.compat.v1.data"

    make_one_shot_iterator: Callable
    make_initializable_iterator: Callable

    def __init__(self, make: Callable[[Callable], Pipeline], operands: Sequence[Tensor] = ()):
        self._make = make
        self.operands = list(dict.fromkeys(operands))
        self._spec: Any = None

    def pipeline(self, values: Sequence = ()) -> Pipeline:
        """Return a new dataset of `shims.data` for values of the operands."""
        known = dict(zip(self.operands, values, strict=True))
        return at_once(self._make, known.__getitem__)

    def _specs(self) -> Any:
        first, *others = (
            self._specs_for([_trial(t, number) for t in self.operands])
            for number in range(2 if self.operands else 1)
        )
        for other in others:
            first = structures.map_leaves(lambda a, b: specs.common(a, b) or a, first, other)
        return first

    def _specs_for(self, values: Sequence) -> Any:
        return at_once(lambda: self.pipeline(values).element_spec)

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        if self._spec is None:
            self._spec = (self._specs(),)
        return self._spec[0]

    def apply(self, transformation_func) -> Dataset:
        """Return the result of a function of datasets for this dataset."""
        return transformation_func(self)

    def cardinality(self):
        """Return the number of elements, if no argument is a tensor of the graph."""
        return self.pipeline().cardinality()

    def __iter__(self) -> Iterator:
        if not executing_eagerly():
            raise RuntimeError(
                "dataset.__iter__() is only supported when eager execution is enabled."
            )
        return iter(self.pipeline())

    def __repr__(self) -> str:
        return f"<Dataset element_spec={self.element_spec}>"


def _graph_shape(spec) -> GraphShape:
    return GraphShape(None if spec.shape.rank is None else spec.shape.as_list())


def _trial(tensor: Tensor, number: int) -> Any:
    value = tensor.op.attributes.get("value")
    if value is not None:
        return host(value)
    sizes = [] if tensor.shape.rank is None else tensor.shape.as_list()
    made_up = function_specs.made_up(TensorSpec(sizes, tensor.dtype.dtype), number)
    # Zero rows in a batch or no repetition are not accepted as numbers.
    return made_up if made_up.dtype.hasobject else host(np.asarray(made_up) + 1)


def recipe(method: Callable, name: str, args: tuple, options: dict) -> Dataset:
    """Return the dataset of a method of `shims.data` for arguments that may hold graph tensors.

    Args:
      method: the method, or the class of a dataset.
      name: its name.
      args: the arguments; datasets and functions of the user among them.
      options: the arguments with names.
    """
    leaves, tree = jax.tree.flatten((args, options), is_leaf=_is_leaf)
    leaves = [_as_argument(x, name) for x in leaves]
    inner = [x for x in leaves if isinstance(x, Dataset)]
    functions = [x for x in leaves if isinstance(x, ElementFunction)]
    operands = [x for x in leaves if isinstance(x, Tensor)]
    operands += [t for d in inner for t in d.operands]
    if not executing_eagerly():
        _count_operations(name)

    def make(value_of):
        def resolved(leaf):
            if isinstance(leaf, Tensor):
                return value_of(leaf)
            if isinstance(leaf, Dataset):
                return leaf.pipeline([value_of(t) for t in leaf.operands])
            return leaf.fresh(value_of) if isinstance(leaf, ElementFunction) else leaf

        given, named = jax.tree.unflatten(tree, [resolved(x) for x in leaves])
        return method(*given, **named)

    if functions and not executing_eagerly():
        of_elements = inner[0].element_spec if name in _TAKE_ELEMENTS else None
        return _with_captured(make, operands, functions, of_elements)
    return Dataset(make, operands)


# Methods whose first function takes the elements, and does not decide the specs of the result.
_TAKE_ELEMENTS = ("bucket_by_sequence_length", "filter", "group_by_window", "take_while")


def _with_captured(make: Callable, operands, functions: list, of_elements) -> Dataset:
    """Return a dataset whose operands include the tensors of the graph that its functions use.

    They are known after the specs of the elements were inferred, and the first function was called for the
    specs `of_elements`, if given.
    """
    graph = get_default_graph()
    local = {t: graph.input_of(t) for t in operands}
    # The values of captured tensors do not matter for the specs.
    of_operand = lambda value_of: lambda t: value_of(local[t]) if t in local else None
    spec = Dataset(lambda value_of: make(of_operand(value_of)), [*local.values()]).element_spec
    if of_elements is not None and not functions[0].is_traced:
        functions[0].results_for(of_elements)
    local.update({t: graph.input_of(t) for f in functions for t in f.captured})
    found = Dataset(lambda value_of: make(of_operand(value_of)), [*local.values()])
    found._spec = (spec,)
    return found


def _as_argument(leaf, name: str) -> Any:
    """Convert an argument: a variable to its tensor, a function to one that sessions run."""
    is_function = callable(leaf) and not isinstance(leaf, (type, Dataset, Tensor))
    if is_function and name != "from_generator" and not hasattr(leaf, "graph_value"):
        seed = get_default_graph().seed
        return ElementFunction(leaf, lambda x: isinstance(x, Dataset), _as_recipe, seed)
    return getattr(leaf, "graph_value", leaf)


def _is_leaf(value) -> bool:
    return value is None or isinstance(value, (Dataset, Tensor))


def _count_operations(name: str) -> None:
    graph = get_default_graph()
    for operation in _OPERATIONS.get(name, name).split():
        graph.unique_name(operation)
        graph.count(1)


def _as_recipe(value) -> Any:
    return Dataset(lambda value_of: value) if isinstance(value, Pipeline) else value


def _named(name: str, call: Callable) -> Callable:
    call.__name__ = name
    call.__doc__ = getattr(Pipeline, name).__doc__
    return call


def _method(name: str) -> Callable:
    target = getattr(Pipeline, name)
    signature = inspect.signature(target)

    def call(*args, **options):
        if "seed" in signature.parameters and not executing_eagerly():
            bound = signature.bind(*args, **options)
            bound.arguments["seed"] = _seeds(bound.arguments.get("seed"))
            args, options = bound.args, bound.kwargs
        return recipe(target, name, args, options)

    return _named(name, call)


def _seeds(seed) -> Any:
    """Return the two seeds of an operation of the graph, `None` if there is no seed."""
    found = get_seed(seed)
    return None if found == (None, None) else found


_METHODS = (
    "batch bucket_by_sequence_length cache concatenate enumerate filter flat_map group_by_window "
    "ignore_errors interleave map padded_batch prefetch repeat scan shard shuffle skip take "
    "take_while unbatch unique window with_options"
)
_SOURCES = (
    "choose_from_datasets from_generator from_tensor_slices from_tensors list_files random range "
    "sample_from_datasets zip"
)
for _name in _METHODS.split():
    setattr(Dataset, _name, _method(_name))
for _name in _SOURCES.split():
    setattr(Dataset, _name, staticmethod(_method(_name)))


class _OfFiles(Dataset):
    """A dataset of the parts of files."""

    _kind: type

    def __init__(self, *args, **options):
        found = recipe(self._kind, self._kind.__name__, args, options)
        super().__init__(found._make, found.operands)


class TextLineDataset(_OfFiles):
    """The lines of text files; see `tf.data.TextLineDataset` of TensorFlow 2."""

    _kind = file_datasets.TextLineDataset


class TFRecordDataset(_OfFiles):
    """The records of TFRecord files; see `tf.data.TFRecordDataset` of TensorFlow 2."""

    _kind = file_datasets.TFRecordDataset


class FixedLengthRecordDataset(_OfFiles):
    """Records of equal length; see `tf.data.FixedLengthRecordDataset` of TensorFlow 2."""

    _kind = file_datasets.FixedLengthRecordDataset


def get_output_types(dataset_or_iterator) -> Any:
    """Return the structure of dtypes of the elements."""
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator) -> Any:
    """Return the structure of static shapes of the elements."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator) -> Any:
    """Return the structure of classes of the elements."""
    return dataset_or_iterator.output_classes

"""Let Keras read datasets in `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from shims._src.data import structures
from shims._src.types.dtypes import canonical_dtype

_ADAPTERS = "keras.src.trainers.data_adapters"
_BOUND: list[Any] = []


def bind(dataset_class: type) -> None:
    """Teach Keras, once it is imported, to take datasets."""
    adapters: Any = sys.modules.get(_ADAPTERS)
    if adapters is None or adapters in _BOUND or not hasattr(adapters, "get_data_adapter"):
        return
    _BOUND.append(adapters)
    original, adapter = adapters.get_data_adapter, _adapter_class(adapters)

    def get_data_adapter(x, y=None, sample_weight=None, **options):
        if not isinstance(x, dataset_class):
            return original(x, y, sample_weight, **options)
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None:
                raise ValueError(
                    f"if `x` is a `Dataset`, do not pass `{name}`: the elements of the dataset contain it."
                )
        return adapter(x, options.get("class_weight"))

    adapters.get_data_adapter = get_data_adapter


def _narrowed(component) -> Any:
    """Return an array in the precision with which JAX computes, since JAX would warn about another one."""
    if not isinstance(component, (np.ndarray, np.generic)):
        return component
    return component.astype(canonical_dtype(component.dtype))


class _Pass:
    """One pass over a dataset.

    Keras takes a batch to build a model (two where it reads ahead), and then begins an epoch. TensorFlow
    builds the model in the first step: its first epoch is the first pass, with the first order of `shuffle`.
    Each iterator that Keras asks for begins a pass, as in TensorFlow, although Keras asks for one too many
    at the end of an epoch.

    Attributes:
      was_looked_at: whether an epoch ended after a look, so the next one can begin with this pass.
    """

    def __init__(self, elements: Iterator[Any]):
        self._elements = elements
        self._seen: list[Any] = []
        self._is_look = True
        self.was_looked_at = False

    def __iter__(self) -> _Pass:
        return self

    def __next__(self) -> Any:
        self.was_looked_at = False
        self._is_look = self._is_look and len(self._seen) < 2
        try:
            element = next(self._elements)
        except StopIteration:
            self._is_look = False
            raise
        self._seen = [*self._seen, element] if self._is_look else []
        return element

    def end_epoch(self) -> None:
        """Note the end of an epoch."""
        self.was_looked_at = self._is_look and bool(self._seen)

    def from_its_beginning(self) -> _Pass:
        """Return the same pass, from its first element on."""
        return _Pass(itertools.chain(self._seen, self._elements))


def _adapter_class(adapters) -> Any:
    """Return the class of Keras' adapters of datasets."""
    utils = importlib.import_module(f"{_ADAPTERS}.data_adapter_utils")

    class DatasetAdapter(adapters.data_adapter.DataAdapter):
        """Gives the elements of a dataset as batches of NumPy arrays."""

        def __init__(self, dataset, class_weight):
            self._dataset, self._class_weight = dataset, class_weight
            self._pass: _Pass | None = None

        def get_numpy_iterator(self) -> Iterator[Any]:
            if self._pass is not None and self._pass.was_looked_at:
                self._pass = self._pass.from_its_beginning()
            else:
                self._pass = _Pass(self._dataset.as_numpy_iterator())
            return map(self._weighted, self._pass)

        def get_jax_iterator(self) -> Iterator[Any]:
            return (structures.map_leaves(_narrowed, e) for e in self.get_numpy_iterator())

        def on_epoch_end(self) -> None:
            if self._pass is not None:
                self._pass.end_epoch()

        def _weighted(self, element) -> Any:
            if self._class_weight is None:
                return element
            x, y, weight = utils.unpack_x_y_sample_weight(element)
            if weight is not None:
                raise ValueError("`class_weight` and sample weights cannot be combined.")
            weights = utils.class_weight_to_sample_weights(y, self._class_weight)
            return x, y, np.asarray(weights)

        @property
        def num_batches(self) -> int | None:
            size = self._dataset.node.cardinality()
            return size if size >= 0 else None

        batch_size = has_partial_batch = partial_batch_size = None

    return DatasetAdapter

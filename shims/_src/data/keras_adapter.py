"""Let Keras read datasets in `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import importlib
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
                raise ValueError(f"`{name}` is part of the elements if `x` is a `Dataset`.")
        return adapter(x, options.get("class_weight"))

    adapters.get_data_adapter = get_data_adapter


def _narrowed(component) -> Any:
    """Return an array in the precision that JAX computes with, which it would warn of."""
    if not isinstance(component, (np.ndarray, np.generic)):
        return component
    return component.astype(canonical_dtype(component.dtype))


def _adapter_class(adapters) -> Any:
    """Return the class of Keras' adapters of datasets."""
    utils = importlib.import_module(f"{_ADAPTERS}.data_adapter_utils")

    class DatasetAdapter(adapters.data_adapter.DataAdapter):
        """Gives the elements of a dataset as batches of NumPy arrays."""

        def __init__(self, dataset, class_weight):
            self._dataset, self._class_weight = dataset, class_weight

        def get_numpy_iterator(self) -> Iterator[Any]:
            for element in self._dataset.as_numpy_iterator():
                yield self._weighted(element)

        def get_jax_iterator(self) -> Iterator[Any]:
            for element in self.get_numpy_iterator():
                yield structures.map_leaves(_narrowed, element)

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

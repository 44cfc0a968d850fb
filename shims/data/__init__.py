"""Re-export the names of `tf.data` that have a counterpart."""

from shims._src.data.dataset import Dataset as Dataset
from shims._src.data.file_datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from shims._src.data.file_datasets import TextLineDataset as TextLineDataset
from shims._src.data.file_datasets import TFRecordDataset as TFRecordDataset
from shims._src.data.iterators import Iterator as Iterator
from shims._src.data.node import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from shims._src.data.node import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from shims._src.data.options import Options as Options
from shims._src.data.options import ThreadingOptions as ThreadingOptions
from shims._src.data.specs import DatasetSpec as DatasetSpec
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims.data import experimental as experimental

AUTOTUNE = -1

__getattr__ = _missing.of("shims.data")

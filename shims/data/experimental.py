"""Re-export the names of `tf.data.experimental` that have a counterpart."""

from shims._src.data.csv_batches import make_csv_dataset as make_csv_dataset
from shims._src.data.csv_files import CsvDataset as CsvDataset
from shims._src.data.dataset import Dataset as _Dataset
from shims._src.data.dataset import assert_cardinality as assert_cardinality
from shims._src.data.iterators import Optional as Optional
from shims._src.data.node import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from shims._src.data.node import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from shims._src.data.options import AutoShardPolicy as AutoShardPolicy
from shims._src.data.options import AutotuneOptions as AutotuneOptions
from shims._src.data.options import DistributeOptions as DistributeOptions
from shims._src.data.options import ExternalStatePolicy as ExternalStatePolicy
from shims._src.data.options import OptimizationOptions as OptimizationOptions
from shims._src.data.options import ThreadingOptions as ThreadingOptions
from shims._src.data.transformations import bucket_by_sequence_length as bucket_by_sequence_length
from shims._src.data.transformations import cardinality as cardinality
from shims._src.data.transformations import copy_to_device as copy_to_device
from shims._src.data.transformations import dense_to_ragged_batch as dense_to_ragged_batch
from shims._src.data.transformations import enumerate_dataset as enumerate_dataset
from shims._src.data.transformations import get_next_as_optional as get_next_as_optional
from shims._src.data.transformations import get_single_element as get_single_element
from shims._src.data.transformations import get_structure as get_structure
from shims._src.data.transformations import group_by_window as group_by_window
from shims._src.data.transformations import ignore_errors as ignore_errors
from shims._src.data.transformations import map_and_batch as map_and_batch
from shims._src.data.transformations import parallel_interleave as parallel_interleave
from shims._src.data.transformations import prefetch_to_device as prefetch_to_device
from shims._src.data.transformations import save as save
from shims._src.data.transformations import scan as scan
from shims._src.data.transformations import shuffle_and_repeat as shuffle_and_repeat
from shims._src.data.transformations import snapshot as snapshot
from shims._src.data.transformations import take_while as take_while
from shims._src.data.transformations import unbatch as unbatch
from shims._src.data.transformations import unique as unique
from shims._src.facade import missing as _missing

AUTOTUNE = -1
Counter = _Dataset.counter
RandomDataset = _Dataset.random
choose_from_datasets = _Dataset.choose_from_datasets
load = _Dataset.load
sample_from_datasets = _Dataset.sample_from_datasets


__getattr__ = _missing.of("shims.data.experimental")

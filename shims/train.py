"""Re-export the names of `tf.train` that have a counterpart."""

from shims._src.checkpoint.checkpoint import Checkpoint as Checkpoint
from shims._src.checkpoint.checkpoint_reader import list_variables as list_variables
from shims._src.checkpoint.checkpoint_reader import load_checkpoint as load_checkpoint
from shims._src.checkpoint.checkpoint_reader import load_variable as load_variable
from shims._src.checkpoint.manager import CheckpointManager as CheckpointManager
from shims._src.checkpoint.state_file import get_checkpoint_state as get_checkpoint_state
from shims._src.checkpoint.state_file import latest_checkpoint as latest_checkpoint
from shims._src.data.list_messages import BytesList as BytesList
from shims._src.data.list_messages import FloatList as FloatList
from shims._src.data.list_messages import Int64List as Int64List
from shims._src.data.messages import Example as Example
from shims._src.data.messages import Feature as Feature
from shims._src.data.messages import FeatureList as FeatureList
from shims._src.data.messages import FeatureLists as FeatureLists
from shims._src.data.messages import Features as Features
from shims._src.data.messages import SequenceExample as SequenceExample
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.variables.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

__getattr__ = _missing.of("shims.train")

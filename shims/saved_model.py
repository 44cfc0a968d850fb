"""Re-export the names of `tf.saved_model` that have a counterpart."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from shims._src.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from shims._src.saved_model.constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from shims._src.saved_model.constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from shims._src.saved_model.constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from shims._src.saved_model.constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from shims._src.saved_model.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from shims._src.saved_model.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from shims._src.saved_model.constants import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from shims._src.saved_model.constants import GPU as GPU
from shims._src.saved_model.constants import PREDICT_INPUTS as PREDICT_INPUTS
from shims._src.saved_model.constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from shims._src.saved_model.constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from shims._src.saved_model.constants import REGRESS_INPUTS as REGRESS_INPUTS
from shims._src.saved_model.constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from shims._src.saved_model.constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from shims._src.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from shims._src.saved_model.constants import (
    SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT,
)
from shims._src.saved_model.constants import (
    SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION,
)
from shims._src.saved_model.constants import SERVING as SERVING
from shims._src.saved_model.constants import TPU as TPU
from shims._src.saved_model.constants import TRAINING as TRAINING
from shims._src.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from shims._src.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from shims._src.saved_model.loading import contains_saved_model as contains_saved_model
from shims._src.saved_model.loading import load as load
from shims._src.saved_model.options import Asset as Asset
from shims._src.saved_model.options import LoadOptions as LoadOptions
from shims._src.saved_model.options import SaveOptions as SaveOptions
from shims._src.saved_model.saving import save as save

__getattr__ = _missing.of("shims.saved_model")

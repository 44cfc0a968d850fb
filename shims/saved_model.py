"""Re-export the names of `tf.saved_model` that have a counterpart."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.saved_model.loading import contains_saved_model as contains_saved_model
from shims._src.saved_model.loading import load as load
from shims._src.saved_model.options import Asset as Asset
from shims._src.saved_model.options import LoadOptions as LoadOptions
from shims._src.saved_model.options import SaveOptions as SaveOptions
from shims._src.saved_model.saving import save as save

__getattr__ = _missing.of("shims.saved_model")

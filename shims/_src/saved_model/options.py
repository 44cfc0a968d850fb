"""Define the options of `saved_model.save` and `load`, and `Asset`."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from shims._src.types.host_tensor import host
from shims._src.variables.tracked import AutoTrackable


@dataclasses.dataclass
class SaveOptions:
    """Options of `saved_model.save`.

    Attributes:
      namespace_whitelist: accepted and ignored, like the other options: programs have no
        namespaces, no graph debug information and no saver.
      experimental_custom_gradients: accepted and ignored, because the derivative of a function is always
        saved with the function.
      extra_tags: accepted and ignored, because there is one set of programs.

    Differs from TensorFlow:
      No option changes what is saved.

    Under jit:
      A plain Python object.

    https://www.tensorflow.org/api_docs/python/tf/saved_model/SaveOptions
    """

    namespace_whitelist: Any = None
    save_debug_info: bool = False
    function_aliases: Any = None
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None
    extra_tags: Any = None


@dataclasses.dataclass
class LoadOptions:
    """Options of `saved_model.load`.

    Attributes:
      allow_partial_checkpoint: accepted and ignored, because a variable without a value is an error.
      experimental_io_device: accepted and ignored.
      experimental_skip_checkpoint: must be False.
      experimental_variable_policy: accepted and ignored.
      experimental_load_function_aliases: accepted and ignored.

    Differs from TensorFlow:
      No option changes what is loaded.

    Under jit:
      A plain Python object.

    https://www.tensorflow.org/api_docs/python/tf/saved_model/LoadOptions
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False


class Asset(AutoTrackable):
    """A file that is saved with a model, such as a vocabulary.

    Args:
      path: the path of the file.

    Differs from TensorFlow:
      The path is a string on the host, which a compiled function cannot receive.

    Under jit:
      Use an asset outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/saved_model/Asset
    """

    __module__ = "shims.saved_model"

    def __init__(self, path):
        self._path = os.fspath(path)

    @property
    def asset_path(self):
        """The path of the file, a tensor of one string."""
        return host(self._path)

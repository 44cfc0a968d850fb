"""Let a program assign to a part of a variable of Keras, as in TensorFlow: `layer.kernel[0].assign(x)`."""

from __future__ import annotations

import functools
import sys
import types

from shims._src.platform import user_frames
from shims._src.variables.keras_state import standing_for
from shims._src.variables.variable_part import read_part


def add_to(keras: types.ModuleType) -> None:
    """Give the parts of variables, where the program's own code reads them, a method `assign`."""
    of_keras = keras.Variable.__getitem__

    @functools.wraps(of_keras)
    def read(self, idx):
        if user_frames.runs_unconverted_library(sys._getframe(1)):
            return of_keras(self, idx)
        variable = standing_for(self)
        # Keras knows the value: that of its scope, in the dtype to which the layer casts its variables.
        return read_part(variable, self.value, idx) if variable is not self else of_keras(self, idx)

    keras.Variable.__getitem__ = read

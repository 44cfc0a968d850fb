"""Give variables of Keras what they have on TensorFlow: `kernel[0].assign(x)`, `kernel.shape.as_list()`."""

from __future__ import annotations

import functools
import inspect
import sys
import types

from shims._src.platform import user_frames
from shims._src.tensor_methods import enabling
from shims._src.types.shape import Shape
from shims._src.variables.keras_state import standing_for
from shims._src.variables.variable_part import read_part


def add_to(keras: types.ModuleType) -> None:
    """Add to the variables of Keras what the program's own code, but no library, reads of them."""
    _add_parts(keras)
    _add_shapes(keras)


def _add_shapes(keras: types.ModuleType) -> None:
    """Give the shapes of variables the methods of `TensorShape` while those of arrays have them."""
    plain = inspect.getattr_static(keras.Variable, "shape").__get__

    def shape(self):
        sizes = plain(self)
        own = enabling.are_enabled() and not user_frames.runs_unconverted_library(sys._getframe(1))
        return Shape(sizes) if own else sizes

    keras.Variable.shape = property(shape)


def _add_parts(keras: types.ModuleType) -> None:
    """Give the parts of variables a method `assign`."""
    of_keras = keras.Variable.__getitem__

    @functools.wraps(of_keras)
    def read(self, idx):
        if user_frames.runs_unconverted_library(sys._getframe(1)):
            return of_keras(self, idx)
        variable = standing_for(self)
        # Keras knows the value: that of its scope, in the dtype to which the layer casts its variables.
        return read_part(variable, self.value, idx) if variable is not self else of_keras(self, idx)

    keras.Variable.__getitem__ = read

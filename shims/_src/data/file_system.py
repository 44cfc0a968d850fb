"""Read and write whole files, and find files by pattern."""

from __future__ import annotations

import glob as _glob
import os

import numpy as np

from shims._src.data.files import paths_of
from shims._src.data.gfile import path_text, tensorflow_errors
from shims._src.types.host_tensor import HostTensor, host


def read_file(filename, name=None) -> HostTensor:
    """Return the contents of a file as a scalar string.

    https://www.tensorflow.org/api_docs/python/tf/io/read_file
    """
    del name
    with tensorflow_errors(path_text(filename)), open(path_text(filename), "rb") as file:
        return host(file.read())


def write_file(filename, contents, name=None) -> None:
    """Write a scalar string to a file; missing folders are created.

    https://www.tensorflow.org/api_docs/python/tf/io/write_file
    """
    del name
    path = path_text(filename)
    with tensorflow_errors(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(host(contents).numpy())


def matching_files(pattern, name=None) -> HostTensor:
    """Return the names of the files that match a pattern or several patterns, in order.

    https://www.tensorflow.org/api_docs/python/tf/io/matching_files
    """
    del name
    found = sorted({f for each in paths_of(pattern) for f in _glob.glob(each)})
    out = np.empty(len(found), object)
    out[:] = [os.fsencode(f) for f in found]
    return host(out)

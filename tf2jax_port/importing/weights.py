"""Read the variables of checkpoints, SavedModels and Keras files as arrays, without TensorFlow."""

from __future__ import annotations

import dataclasses
import importlib
import io
import pathlib
import re
import zipfile
from typing import Any

import numpy as np

from tf2jax_port.paths.whole_files import replaced, write_whole

_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_ESCAPED = re.compile(r"\.(\.|S)")


class NoWeightsError(ValueError):
    """Raised for a path without variables that can be read, or for a file that cannot be written."""


@dataclasses.dataclass(frozen=True)
class Weights:
    """The variables of a file.

    Args:
      kind: what the file is.
      arrays: the values by name.
    """

    kind: str
    arrays: dict[str, np.ndarray]

    def described(self) -> list[dict[str, Any]]:
        """Return the name, the dtype and the shape of each variable."""
        return [
            {
                "name": name,
                "dtype": "string" if array.dtype.hasobject else array.dtype.name,
                "shape": list(array.shape),
            }
            for name, array in self.arrays.items()
        ]


def read_weights(path: str) -> Weights:
    """Read the variables of a checkpoint, a SavedModel or a Keras file.

    Raises:
      NoWeightsError: the path has no such file, the file is damaged, or it is a Keras file and h5py is missing.
    """
    place = pathlib.Path(path)
    if place.suffix in (".keras", ".h5", ".hdf5") and place.is_file():
        return Weights("Keras file", _read_keras(place))
    if (place / "saved_model.pb").is_file():
        return Weights("SavedModel", _read_checkpoint(str(place / "variables" / "variables")))
    return Weights("checkpoint", _read_checkpoint(path.removesuffix(".index")))


def write_weights(weights: Weights, out: pathlib.Path) -> None:
    """Write the arrays to an `.npz` or a `.safetensors` file, depending on the file name.

    Raises:
      NoWeightsError: the name has another extension, safetensors is missing, or the format cannot store an array.
    """
    if out.suffix == ".npz":
        unknown = [n for n, a in weights.arrays.items() if a.dtype.kind == "V" or a.dtype.hasobject]
        if unknown:
            raise NoWeightsError(f"NumPy's files cannot store the dtype of {', '.join(unknown)}")
        with replaced(out) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            for name, array in weights.arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
        return
    if out.suffix != ".safetensors":
        raise NoWeightsError("the name of the file must end with .npz or .safetensors")
    library = _imported("safetensors.numpy", "safetensors")
    try:
        contiguous = {n: np.ascontiguousarray(a) for n, a in weights.arrays.items()}
        write_whole(out, library.save(contiguous))
    except (KeyError, ValueError, TypeError) as error:
        raise NoWeightsError(f"safetensors cannot store an array: {error}") from None


def _read_checkpoint(path: str) -> dict[str, np.ndarray]:
    from shims._src.checkpoint.checkpoint_reader import checkpoint_path
    from shims._src.checkpoint.opening import open_checkpoint
    from shims._src.errors import errors

    try:
        bundle = open_checkpoint(checkpoint_path(path))
        names = [name for name in bundle.names if name != _OBJECTS]
        return {_unescape(name): np.asarray(bundle.read(name)) for name in names}
    except (errors.OpError, ValueError) as error:
        raise NoWeightsError(str(error)) from None


def _unescape(key: str) -> str:
    """Convert a key of an object-based checkpoint to the path of its variable.

    Keys of other checkpoints are returned unchanged.
    """
    if not key.endswith(_SUFFIX):
        return key
    return _ESCAPED.sub(lambda m: "/" if m[1] == "S" else ".", key.removesuffix(_SUFFIX))


def _read_keras(path: pathlib.Path) -> dict[str, np.ndarray]:
    h5py = _imported("h5py", "h5py")
    source: Any = path
    try:
        if path.suffix == ".keras":
            with zipfile.ZipFile(path) as archive:
                source = io.BytesIO(archive.read("model.weights.h5"))
        found: dict[str, np.ndarray] = {}

        def keep(name: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset):
                found[name] = np.asarray(item[()])

        with h5py.File(source, "r") as file:
            file.visititems(keep)
        return found
    except (KeyError, zipfile.BadZipFile, OSError) as error:
        raise NoWeightsError(f"{path} is not a Keras file: {error}") from None


def _imported(module: str, distribution: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise NoWeightsError(
            f"reading or writing this file needs the package {distribution}: run `pip install "
            f"{distribution}`"
        ) from None

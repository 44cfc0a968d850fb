"""Provide `saved_model.load` and `contains_saved_model`."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np

from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.saved_values import RandomState, StepCount, VariableValue
from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.errors import errors
from shims._src.random.global_seed import UsedBlocks
from shims._src.saved_model import description as described
from shims._src.saved_model.constants import SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT
from shims._src.saved_model.description import Damaged, Decoder, Node, hash_of
from shims._src.saved_model.options import Asset
from shims._src.saved_model.restored import (
    CallableObject,
    LoadedObject,
    RestoredFunction,
    SignatureFunction,
    SignatureMap,
)
from shims._src.saved_model.saving import VARIABLES
from shims._src.types.tensor_spec import as_numpy_dtype
from shims._src.variables.variable import Variable

_OF_TENSORFLOW = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)


def contains_saved_model(export_dir) -> bool:
    """Return whether a folder contains a model that `saved_model.save` wrote, here or in TensorFlow.

    Args:
      export_dir: the path of the folder.

    https://www.tensorflow.org/api_docs/python/tf/saved_model/contains_saved_model
    """
    folder = pathlib.Path(os.fspath(export_dir))
    return any((folder / name).is_file() for name in (described.FILE_NAME, *_OF_TENSORFLOW))


def load(export_dir, tags=None, options=None):
    """Load a model that `saved_model.save` of this library wrote.

    Args:
      export_dir: the folder.
      tags: accepted and ignored, because there is one set of programs.
      options: accepted and ignored; see `LoadOptions`.

    Returns:
      An object with the saved variables, objects, lists, dictionaries and functions as attributes,
      and with the attribute `signatures`. A loaded function accepts the arguments for which it was
      traced. Gradients flow through the function to its arguments and to variables.

    Raises:
      NotFoundError, OSError: there is no model.
      DataLossError: a file is damaged or missing.
      UnimplementedError: TensorFlow, or a later release of `shims`, wrote the model.

    Differs from TensorFlow:
      A TensorFlow SavedModel cannot be loaded: `tf2jax-port import-graph` converts its functions to JAX code, and
      `tf2jax-port weights` reads its variables. Loading executes no code of the files: a damaged
      or foreign file causes an error. JAX can load a program for six months after the release
      that wrote it. Random numbers begin again at the seeds that the function had when it was
      saved.

    Under jit:
      Call `load` outside of traces. The loaded functions can be called inside `shims.function` and
      `jax.jit`.

    https://www.tensorflow.org/api_docs/python/tf/saved_model/load
    """
    del tags, options
    folder = pathlib.Path(os.fspath(export_dir))
    path = folder / described.FILE_NAME
    if not path.is_file():
        raise _not_found(folder)
    try:
        decoder = Decoder(path.read_bytes())
        return _loaded(folder, decoder)
    except Damaged as error:
        raise _damaged(path, str(error)) from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, errors.OpError):
            raise
        raise _damaged(path, f"{type(error).__name__}: {error}") from error


def _loaded(folder: pathlib.Path, decoder: Decoder):
    prefix = folder / VARIABLES
    index = prefix.with_suffix(".index")
    if not index.is_file() or hash_of(index.read_bytes()) != decoder.index_hash:
        raise Damaged("the variables are missing, or they belong to another model")
    checkpoint = open_checkpoint(os.fspath(prefix))
    nodes = decoder.nodes()

    def read(name: str, digest: str) -> bytes:
        return _checked_bytes(folder / described.PROGRAMS / os.path.basename(name), digest)

    used = {node.facts.get("key") for node in nodes}
    for name in set(checkpoint.names) - used:  # so that all damage is found
        checkpoint.read(name)
    variables = {i: _variable(n, checkpoint) for i, n in enumerate(nodes) if n.kind in _VARIABLES}
    functions = decoder.functions(variables, read)
    objects = [
        variables[i] if i in variables else _new_object(node, functions[i], folder)
        for i, node in enumerate(nodes)
    ]
    for i, node in enumerate(nodes):
        if i not in variables:
            _fill(objects[i], node, objects)
            for name, function in functions[i].items():
                vars(objects[i])[name] = RestoredFunction(function)
    root = objects[0]
    if isinstance(root, LoadedObject):
        found = decoder.signatures(variables, read).items()
        root.signatures = SignatureMap({name: SignatureFunction(name, s) for name, s in found})
    return root


_VARIABLES = ("variable", "counter")
_READERS = {kind.__name__: kind for kind in (VariableValue, StepCount, RandomState)}


def _variable(node: Node, checkpoint: TensorReader) -> Variable:
    if node.kind == "counter":
        return UsedBlocks(np.zeros(2, np.uint32), trainable=False, name="random_blocks")
    facts = node.facts
    variable = Variable(
        np.zeros(facts["size"], as_numpy_dtype(facts["dtype"])),
        trainable=facts["trainable"],
        name=facts["name"],
        shape=facts["shape"],
    )
    value = _READERS[facts["kind"]](variable)
    value.assign(value.checked(checkpoint.read(facts["key"]), facts["key"]))
    return variable


def _new_object(node: Node, functions: dict[str, Any], folder: pathlib.Path):
    if node.kind == "asset":
        path = folder / described.ASSETS / os.path.basename(node.facts["file"])
        _checked_bytes(path, node.facts["sha256"])
        return Asset(path)
    if node.kind == "list":
        return [None] * node.facts["length"]
    if node.kind == "dict":
        return {}
    if node.kind != "object":
        raise Damaged(f"an object of the unknown kind {node.kind}")
    return CallableObject() if "__call__" in functions else LoadedObject()


def _fill(made, node: Node, objects: list) -> None:
    for name, number in node.children.items():
        if isinstance(made, list):
            made[int(name)] = objects[number]
        elif isinstance(made, dict):
            made[name] = objects[number]
        else:
            vars(made)[name] = objects[number]


def _checked_bytes(path: pathlib.Path, digest: str) -> bytes:
    if not path.is_file():
        raise Damaged(f"{path.name} is missing")
    data = path.read_bytes()
    if hash_of(data) != digest:
        raise Damaged(f"the checksum of {path.name} is wrong")
    return data


def _damaged(path: pathlib.Path, problem: str) -> errors.DataLossError:
    return errors.DataLossError(
        errors.message(
            "saved_model.load", f"{path} is damaged: {problem}.", do="save the model again"
        )
    )


def _not_found(folder: pathlib.Path) -> Exception:
    if any((folder / name).is_file() for name in _OF_TENSORFLOW):
        return errors.UnimplementedError(
            errors.message(
                "saved_model.load",
                f"the SavedModel in {folder} was written by TensorFlow, and its functions are TensorFlow graphs.",
                do=f"convert the functions with `tf2jax-port import-graph {folder}`; read the variables with "
                "`train.Checkpoint(model).read(path)` or `tf2jax-port weights`",
            )
        )
    return OSError(f"SavedModel file does not exist at: {folder}{os.sep}{described.FILE_NAME}")

"""Provide `saved_model.save`."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
from typing import Any

import numpy as np

from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.graph_view import Found, GraphView
from shims._src.checkpoint.replacing import replace_file
from shims._src.checkpoint.trackables import (
    VALUE,
    children_of,
    is_container,
    is_of_keras,
    is_trackable,
    unwrapped,
)
from shims._src.errors import errors
from shims._src.random.global_seed import UsedBlocks
from shims._src.recording import state
from shims._src.saved_model import description as described
from shims._src.saved_model.description import Description, Encoder, Node, hash_of
from shims._src.saved_model.found_functions import Exporter, functions_of
from shims._src.saved_model.keras_models import keras_signature
from shims._src.saved_model.options import Asset
from shims._src.saved_model.saved_functions import Program, SavedFunction
from shims._src.saved_model.signatures import signatures_for
from shims._src.variables.variable import Variable

VARIABLES = os.path.join("variables", "variables")


def save(obj, export_dir, signatures=None, options=None) -> None:
    """Save an object with its variables, and with the compiled functions that are its attributes.

    A function is saved for its `input_signature`, or for the signatures for which the function was
    traced. The programs of a function are stored with `jax.export`, for CPU, GPU and TPU, with
    their derivatives up to the second order. A Keras model has no compiled functions as attributes:
    its call in inference mode is saved as the signature `serving_default`.

    Args:
      obj: a `Module`, or another object that `train.Checkpoint` can save.
      export_dir: the folder, which is created. A model that is already in the folder is replaced.
      signatures: a function with an input signature, a concrete function, or a dictionary of such
        functions by name. By default, the only function of `obj` that has an input signature.
      options: accepted and ignored; see `SaveOptions`.

    Raises:
      ValueError: `obj` cannot be saved, or a function cannot be saved for its signature.
      AssertionError: a function uses a variable that `obj` does not refer to.
      FileExistsError: the folder contains a TensorFlow SavedModel.

    Differs from TensorFlow:
      TensorFlow cannot load the programs, but can read the variables as a checkpoint. One program,
      or a few programs, must serve all sizes that the signature of a function leaves open: a
      function with data-dependent sizes needs operands of known sizes. Programs that print, or that
      call Python on the host, cannot be saved.

    Under jit:
      Do not call `save` inside a trace: files are written when Python runs the call.

    Example:
      >>> import tempfile
      >>> import shims
      >>> class Scale(shims.Module):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.factor = shims.Variable(2.0)
      ...
      ...     @shims.function(input_signature=[shims.TensorSpec([None])])
      ...     def __call__(self, x):
      ...         return x * self.factor
      >>> folder = tempfile.mkdtemp()
      >>> save(Scale(), folder)
      >>> from shims import saved_model
      >>> saved_model.load(folder)([1.0, 3.0])
      Array([2., 6.], dtype=float32)

    https://www.tensorflow.org/api_docs/python/tf/saved_model/save
    """
    del options
    if state.current_scope() is not None:
        raise NotImplementedError(
            "saved_model.save: call this function outside of the traced function"
        )
    _require_flatbuffers()
    if signatures is None and is_of_keras(obj):
        signatures = keras_signature(obj)
    if not is_trackable(obj) or is_container(obj):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` "
            f"class, for export. Got {obj} with type {type(obj)}."
        )
    folder = pathlib.Path(os.fspath(export_dir))
    if (folder / "saved_model.pb").exists() or (folder / "saved_model.pbtxt").exists():
        raise FileExistsError(f"{folder} contains a TensorFlow SavedModel: choose another folder")
    owners = [f.owner for f in GraphView(obj, _children_of).objects]
    exporter = Exporter(d for v in owners if isinstance(v, Variable) for d in np.shape(v.numpy()))
    functions = _functions(owners, exporter)
    found = signatures_for(obj, signatures, exporter)
    view = GraphView(obj, _children_of)  # after tracing, which may create variables
    tensors = view.tensors()
    numbers = {id(f.owner): i for i, f in enumerate(view.objects)}
    nodes = [
        _node(f, node, functions.get(id(f.owner), {}))
        for f, node in zip(view.objects, view.nodes, strict=True)
    ]
    concretes = [c for node in nodes for f in node.functions.values() for c in f.concretes]
    concretes += [s.concrete for s in found.values()]
    for program in (p for c in concretes for p in c.programs):
        _add_counters(program, numbers, nodes)
    _write(folder, Description(nodes, found, ""), tensors, Encoder(numbers))


def _require_flatbuffers() -> None:
    if importlib.util.find_spec("flatbuffers") is None:
        raise ImportError(
            errors.message(
                "saved_model.save",
                "`jax.export` needs the package flatbuffers to store programs.",
                do="install the package: `pip install flatbuffers`",
            )
        )


def _functions(owners: list, exporter: Exporter) -> dict[int, dict[str, SavedFunction]]:
    """Export the functions of all objects; return them by the `id` of the object."""
    return {
        id(owner): {name: exporter.function(f) for name, f in functions_of(owner)}
        for owner in owners
        if hasattr(owner, "__dict__") and not isinstance(owner, Variable) and not is_of_keras(owner)
    }


def _children_of(owner) -> dict[str, Any]:
    """Return the objects that an object refers to; a layer of Keras also to its states of random numbers."""
    children = children_of(owner)
    if is_of_keras(owner) and hasattr(owner, "variables") and hasattr(owner, "weights"):
        weights = {id(v) for v in owner.weights}
        states = [v for v in owner.variables if id(v) not in weights]
        children |= {f"random_state_{i}": unwrapped(v) for i, v in enumerate(states)}
    return children


def _node(found: Found, node, functions: dict[str, SavedFunction]) -> Node:
    owner = found.owner
    made = Node(_kind(owner), dict(node.children), functions)
    if made.kind == "variable":
        (key,) = (a.key for a in node.attributes if a.name == VALUE)
        made.facts = {
            "name": owner.name.removesuffix(":0"),
            "dtype": owner.dtype.name,
            "shape": None if owner.shape.rank is None else list(owner.shape),
            "trainable": bool(owner.trainable),
            "key": key,
            "kind": type(found.values[VALUE]).__name__,
            "size": list(owner.numpy().shape),
        }
    if made.kind == "list":
        made.facts = {"length": 1 + max(map(int, node.children), default=-1)}
    if made.kind == "asset":
        made.facts = {"path": os.fspath(owner._path)}
    return made


def _kind(owner) -> str:
    if isinstance(owner, Variable):
        return "variable"
    if isinstance(owner, Asset):
        return "asset"
    if isinstance(owner, (list, tuple)):
        return "list"
    return "dict" if isinstance(owner, dict) else "object"


def _add_counters(program: Program, numbers: dict[int, int], nodes: list[Node]) -> None:
    """Add the counters of random numbers of a program as objects; all other variables must be known."""
    for variable in (*program.used, *program.written):
        if id(variable) in numbers:
            continue
        if not isinstance(variable, UsedBlocks):
            raise AssertionError(
                "Tried to export a function which references an 'untracked' resource. TensorFlow objects "
                "(e.g. tf.Variable) captured by functions must be 'tracked' by assigning them to an "
                "attribute of a tracked object or assigned to an attribute of the main object directly. "
                f"See the information below:\n\tTrackable referencing this tensor = {variable!r}"
            )
        numbers[id(variable)] = len(nodes)
        nodes.append(Node("counter"))


def _write(folder: pathlib.Path, description: Description, tensors, encoder: Encoder) -> None:
    """Write the files, the description last, which makes the model complete."""
    folder.mkdir(parents=True, exist_ok=True)
    _copy_assets(folder, description.nodes)
    prefix = folder / VARIABLES
    prefix.parent.mkdir(exist_ok=True)
    write_bundle(os.fspath(prefix), tensors)
    description.index_hash = hash_of(prefix.with_suffix(".index").read_bytes())
    data = encoder.encode(description)
    programs = folder / described.PROGRAMS
    programs.mkdir(exist_ok=True)
    for name, content in encoder.files.items():
        replace_file(os.fspath(programs / name), content)
    replace_file(os.fspath(folder / described.FILE_NAME), data)
    for path in programs.glob("*.jax"):
        if path.name not in encoder.files:
            path.unlink()


def _copy_assets(folder: pathlib.Path, nodes: list[Node]) -> None:
    """Copy the files of assets into the folder, and name them in their nodes."""
    names: list[str] = []
    for node in nodes:
        if node.kind != "asset":
            continue
        path = pathlib.Path(node.facts["path"])
        name = path.name
        while name in names:
            name = f"{path.stem}_{len(names)}{path.suffix}"
        names.append(name)
        target = folder / described.ASSETS / name
        target.parent.mkdir(exist_ok=True)
        if not target.exists() or not target.samefile(path):
            shutil.copyfile(path, target)
        node.facts = {"file": name, "sha256": hash_of(target.read_bytes())}

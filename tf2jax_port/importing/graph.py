"""Represent TensorFlow graphs, and read them from files."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from shims._src.checkpoint.wire import Malformed
from tf2jax_port.importing import binary_format, text_format
from tf2jax_port.importing.schema import BrokenFileError
from tf2jax_port.importing.tensors import array_of, dtype_name, shape_of

_NODE_NAME = re.compile(r"[A-Za-z0-9_.\\/>-]+")


class Edge(NamedTuple):
    """A reference to one output of a node, as another node uses it.

    `port` is the index of the output; in a function it may be the name of an output argument.
    """

    node: str
    output: int
    port: str = ""

    def __str__(self) -> str:
        return f"{self.node}:{self.output}"


@dataclasses.dataclass(frozen=True)
class Node:
    """One operator of a graph, with its inputs and attributes."""

    name: str
    op: str
    inputs: tuple[Edge, ...]
    controls: tuple[str, ...]
    attributes: Mapping[str, dict[str, Any]]

    def attribute(self, name: str, otherwise: Any = None) -> Any:
        """Return an attribute as a Python value: dtypes and functions as names, shapes as lists."""
        entry = self.attributes.get(name)
        return otherwise if entry is None else attribute_value(entry)

    @property
    def variable(self) -> str:
        """The name of the variable that this node refers to; several nodes may share one variable."""
        return str(self.attribute("shared_name") or self.name)


@dataclasses.dataclass(frozen=True)
class ImportedGraph:
    """A TensorFlow graph, or one function of its library.

    Attributes:
      nodes: the nodes by name.
      functions: the functions that the nodes call, by name.
      arguments: the names of the arguments; empty for a graph that is not a function.
      results: the results; empty for a graph that is not a function.
    """

    nodes: Mapping[str, Node]
    functions: Mapping[str, ImportedGraph] = dataclasses.field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    results: tuple[Edge, ...] = ()


@dataclasses.dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a SavedModel's signature, as dicts from names to tensor names."""

    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Model:
    """The content of a graph file; for a SavedModel, also the graph that restores its variables."""

    graph: ImportedGraph
    signatures: Mapping[str, Signature] = dataclasses.field(default_factory=dict)
    restore: str = ""
    bound: Mapping[str, list[int]] = dataclasses.field(default_factory=dict)
    variables: pathlib.Path | None = None


def attribute_value(entry: dict[str, Any]) -> Any:
    """Convert an attribute, as decoded from the file, to a Python value."""
    for field, value in entry.items():
        if value is not None:
            return _VALUES.get(field, lambda same: same)(value)
    return None


def _list_value(entry: dict[str, Any]) -> list[Any]:
    for field, values in entry.items():
        if values:
            return [_VALUES.get(field, lambda same: same)(value) for value in values]
    return []


_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "list": _list_value,
    "tensor": array_of,
    "shape": shape_of,
    "func": lambda value: value["name"],
    "type": dtype_name,
    "s": lambda value: value.decode("utf-8", "replace"),
}


def edge_of(text: str) -> Edge:
    """Parse the text of a node's input: `x`, `x:1`, or `x:out:1` in a function."""
    name, _, rest = text.partition(":")
    port, _, index = rest.rpartition(":")
    if index.isdigit() or not index:
        return Edge(name, int(index or 0), port)
    return Edge(name, 0, index)


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a frozen graph (`.pb`, `.pbtxt`) or a SavedModel (its folder, or the file in it).

    Raises:
      BrokenFileError: the file has none of these formats.
      OSError: the file cannot be read.
    """
    path = pathlib.Path(path)
    if path.is_dir():
        found = [path / name for name in ("saved_model.pb", "saved_model.pbtxt")]
        there = [file for file in found if file.exists()]
        if not there:
            raise BrokenFileError(f"{path} contains neither saved_model.pb nor saved_model.pbtxt")
        path = there[0]
    is_saved_model = path.stem == "saved_model"
    data = _message(path, "SavedModel" if is_saved_model else "GraphDef")
    if is_saved_model:
        return _saved_model(data, path.parent / "variables" / "variables")
    if not data["node"]:
        raise BrokenFileError(f"{path} contains no graph")
    return Model(_graph(data))


def _message(path: pathlib.Path, message: str) -> dict[str, Any]:
    try:
        if path.suffix in (".pbtxt", ".prototxt", ".txt"):
            return text_format.parse(path.read_text(encoding="utf-8"), message)
        return binary_format.decode(path.read_bytes(), message)
    except (Malformed, UnicodeDecodeError) as error:
        if path.suffix == ".meta":
            raise BrokenFileError(
                f"{path} is a meta graph of `tf.train.Saver`, which is not a {message}; "
                "restore the graph in a session with `tf.compat.v1.train.import_meta_graph`, "
                "and save the session with `tf.compat.v1.saved_model.simple_save`"
            ) from None
        why = (
            "the names in the graph are not valid text"
            if isinstance(error, UnicodeDecodeError)
            else error
        )
        raise BrokenFileError(f"{path} is not a {message}: {why}") from None


def _saved_model(data: dict[str, Any], variables: pathlib.Path) -> Model:
    if not data["meta_graphs"]:
        raise BrokenFileError("the SavedModel contains no graph")
    chosen = data["meta_graphs"][0]
    for meta in data["meta_graphs"]:
        if meta["meta_info_def"] and "serve" in meta["meta_info_def"]["tags"]:
            chosen = meta
    signatures = {
        entry["key"]: Signature(
            {e["key"]: e["value"]["name"] for e in entry["value"]["inputs"]},
            {e["key"]: e["value"]["name"] for e in entry["value"]["outputs"]},
        )
        for entry in chosen["signature_def"]
        if not entry["key"].startswith("__saved_model")
    }
    saver = chosen["saver_def"]
    restore = saver["restore_op_name"] if saver else ""
    objects = chosen["object_graph_def"]
    bound = {
        entry["key"]: entry["value"]["bound_inputs"]
        for entry in (objects["concrete_functions"] if objects else ())
    }
    return Model(_graph(chosen["graph_def"]), signatures, restore, bound, variables)


def _graph(data: dict[str, Any]) -> ImportedGraph:
    library = data["library"]["function"] if data["library"] else []
    functions: dict[str, ImportedGraph] = {}
    for function in library:
        returned = {entry["key"]: entry["value"] for entry in function["ret"]}
        signature = function["signature"]
        functions[signature["name"]] = ImportedGraph(
            _nodes(function["node_def"]),
            functions,
            tuple(argument["name"] for argument in signature["input_arg"]),
            tuple(edge_of(returned[result["name"]]) for result in signature["output_arg"]),
        )
    return ImportedGraph(_nodes(data["node"]), functions)


def _nodes(data: list[dict[str, Any]]) -> dict[str, Node]:
    for node in data:
        # TensorFlow allows no other names, and what is written contains them.
        if not _NODE_NAME.fullmatch(node["name"]):
            raise BrokenFileError(
                f"the graph has a node with an invalid name: {node['name']!r:.80}"
            )
    return {
        node["name"]: Node(
            node["name"],
            node["op"],
            tuple(edge_of(text) for text in node["input"] if not text.startswith("^")),
            tuple(text[1:] for text in node["input"] if text.startswith("^")),
            {entry["key"]: entry["value"] for entry in node["attr"]},
        )
        for node in data
    }

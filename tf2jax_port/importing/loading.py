"""Convert a graph file to Python source, or to a function."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from tf2jax_port.importing import restoring
from tf2jax_port.importing.choosing import Choice, choose
from tf2jax_port.importing.graph import ImportedGraph, Model, Node, read_model
from tf2jax_port.importing.program import Problem, Program
from tf2jax_port.importing.rule import UnsupportedError
from tf2jax_port.importing.schema import BrokenFileError
from tf2jax_port.importing.scope import Scope, Value
from tf2jax_port.importing.writer import GraphWriter, as_tensor
from tf2jax_port.paths.whole_files import replaced, write_whole


class UnsupportedGraphError(ValueError):
    """Raised for a graph with operators that cannot be imported; `problems` lists all of them."""

    def __init__(self, problems: Sequence[Problem]):
        self.problems = tuple(problems)
        lines = [f"{p.op} at {p.node}: {p.reason}" for p in self.problems]
        super().__init__("this graph cannot be imported:\n  " + "\n  ".join(lines))


@dataclasses.dataclass(frozen=True)
class Imported:
    """A graph converted to Python source; the last function in `text` is `model(variables, feeds)`."""

    model: Model
    choice: Choice
    program: Program
    text: str

    def variables(self) -> dict[str, np.ndarray]:
        """Return the variables as a dict from names to values; a SavedModel's come from its checkpoint."""
        found, stored = dict(self.program.variables), self.program.stored
        names = [name for name in found if name in stored]
        if names:
            found |= restoring.values(self.model, stored, names)
        return found


def read(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    signature: str | None = None,
) -> Imported:
    """Read a graph and convert it to a program.

    Operators that cannot be imported raise no error; they are listed in `problems` of the result.

    Raises:
      BrokenFileError: the file is not a graph.
      NoSuchTensorError: an input, an output or a signature does not exist.
      OSError: the file cannot be read.
    """
    model = read_model(path)
    choice = choose(model, inputs, outputs, signature)
    program = Program(stored=restoring.checkpoint_keys(model), lists_grow=_lists_grow(model.graph))
    scope = Scope(program.names, [])
    for key, edge in choice.inputs.items():
        node = model.graph.nodes[edge.node]
        name = program.names.new(node.name.removeprefix(f"{signature or 'serving_default'}_"))
        scope.write(f"{name} = {_feed_expression(key, node)}")
        scope.values[node.name] = Value(name)
    try:
        writer = GraphWriter(program, model.graph)
    except UnsupportedError as error:
        raise BrokenFileError(str(error)) from None
    results = writer.texts(choice.outputs.values(), scope)
    writer.finish()
    if program.draws:
        scope.lines.insert(0, "    seed = feeds['seed']")
    pairs = (
        f"{key!r}: {as_tensor(text)}" for key, text in zip(choice.outputs, results, strict=True)
    )
    scope.write(f"return {{{', '.join(pairs)}}}")
    lines = [
        _DECORATOR,
        "def model(variables, feeds):",
        _docstring(choice, model, program.draws),
        *scope.lines,
    ]
    text = "\n\n\n".join([*program.definitions, "\n".join(lines)]) + "\n"
    return Imported(model, choice, program, text)


def import_graph(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    signature: str | None = None,
) -> tuple[Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]], dict[str, np.ndarray]]:
    """Convert a frozen graph or a SavedModel to a pure JAX function, without TensorFlow.

    Args:
      path: a `GraphDef` (`.pb`, or `.pbtxt` as text) or the folder of a SavedModel.
      inputs: names of the tensors to feed, such as `x:0`. Default: those of the signature, or the
        placeholders that the outputs need.
      outputs: names of the tensors to compute. Default: those of the signature, or every node that
        no other one uses.
      signature: the name of a SavedModel's signature; default `serving_default`.

    Returns:
      `(function, variables)`. `function(variables, feeds)` takes two dicts of arrays, from names of
      variables and names of inputs, and returns a dict from names of outputs. It works under
      `jax.jit`, `grad` and `vmap`; a result of data-dependent size is returned from `jax.jit` as
      `Padded`. `variables` are the values in the file: the variables of a SavedModel, or the float
      constants with at least 16 elements, into which freezing turned the variables.

    Raises:
      UnsupportedGraphError: some operators cannot be imported; all of them are named at once.
      BrokenFileError, NoSuchTensorError, OSError: see `read`.
    """
    found = read(path, inputs, outputs, signature)
    if found.program.problems:
        raise UnsupportedGraphError(found.program.problems)
    return function_of(found), found.variables()


def function_of(found: Imported) -> Callable[..., dict[str, Any]]:
    """Execute the source of an imported program and return its function `model`."""
    import shims
    from shims.compat import v1

    namespace: dict[str, Any] = {
        "tf": shims,
        "v1": v1,
        "np": np,
        "constants": lambda: found.program.constants,
    }
    exec(compile(found.text, "<imported graph>", "exec"), namespace)
    function: Callable[..., dict[str, Any]] = namespace["model"]
    return function


def write(found: Imported, path: pathlib.Path, source: str) -> list[pathlib.Path]:
    """Write the imported program to a module, with its arrays in files next to it.

    Returns:
      The paths of all written files.
    """
    numbers = path.with_suffix(".npz")
    arrays = {f"variables/{name}": array for name, array in found.variables().items()}
    arrays |= {f"constants/{name}": array for name, array in found.program.constants.items()}
    version_1 = "\nfrom shims.compat import v1" if "v1." in found.text else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(numbers) as file:
        np.savez(file, **cast("Any", arrays))
    text = _MODULE.format(source=source, version_1=version_1) + found.text
    write_whole(path, text.encode())
    return [path, numbers]


# The text has no Python control flow on arrays, so AutoGraph is not needed.
_DECORATOR = "@tf.autograph.experimental.do_not_convert"

_MODULE = '''"""What `tf2jax-port import-graph` made of {source}."""

import functools
import pathlib

import numpy as np

import shims as tf{version_1}

NUMBERS = pathlib.Path(__file__).with_suffix(".npz")


def load_variables(path=NUMBERS):
    """Return the variables of the file by their names: the first argument of `model`."""
    return _load(path, "variables/")


@functools.cache
def constants():
    """Return large constants that are not variables."""
    return _load(NUMBERS, "constants/")


def _load(path, prefix):
    with np.load(path) as file:
        return {{name.removeprefix(prefix): file[name] for name in file if name.startswith(prefix)}}


'''


def _lists_grow(graph: ImportedGraph) -> bool:
    nodes = itertools.chain(
        graph.nodes.values(), *(f.nodes.values() for f in graph.functions.values())
    )
    return any(node.attribute("resize_if_index_out_of_bounds") for node in nodes)


def _feed_expression(key: str, node: Node) -> str:
    """Return the Python expression that converts a feed to the placeholder's dtype and shape."""
    text, dtype, shape = f"feeds[{key!r}]", node.attribute("dtype"), node.attribute("shape")
    if dtype and dtype != "string":
        text = f"tf.cast({text}, tf.{dtype})"
    return f"tf.ensure_shape({text}, {shape})" if shape is not None else text


def _docstring(choice: Choice, model: Model, draws: int) -> str:
    lines = [
        '    """Compute the graph as a pure function of `variables` and `feeds`.',
        "",
        "    Args:",
    ]
    lines += [
        "      variables: a dictionary, see `load_variables`.",
        "      feeds: a dictionary of",
    ]
    for key, edge in choice.inputs.items():
        node = model.graph.nodes[edge.node]
        shape = node.attribute("shape")
        known = "unknown shape" if shape is None else str(tuple(shape))
        lines.append(f"        {_shown(key)}: {node.attribute('dtype') or 'any dtype'}, {known}")
    if draws:
        lines.append("        seed: int32, (2,), for random numbers")
    lines += [
        "",
        "    Returns:",
        f"      A dictionary of {', '.join(map(_shown, choice.outputs))}.",
    ]
    return "\n".join([*lines, '    """'])


def _shown(name: str) -> str:
    """Return a name of the file as text in a docstring: quotes in it must not end the docstring."""
    return json.dumps(name)[1:-1]

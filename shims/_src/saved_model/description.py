"""Encode the description of a saved model, a JSON file, and read it again.

The file holds a checksum of its content. Nothing in it is code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
from typing import Any

import jax

from shims._src.errors import errors
from shims._src.saved_model import structures
from shims._src.saved_model.saved_functions import (
    Check,
    Program,
    SavedConcrete,
    SavedFunction,
    SavedSignature,
)

FILE_NAME = "saved_module.json"
PROGRAMS, ASSETS = "programs", "assets"
_FORMAT, _VERSION = "shims.saved_model", 1
_NO_DEFAULT = "none"


@dataclasses.dataclass
class Node:
    """An object of a saved model.

    Attributes:
      kind: `object`, `list`, `dict`, `variable`, `counter` (of random numbers) or `asset`.
      children: the numbers of the objects that it refers to, by name.
      functions: the functions that are its attributes.
      facts: of a variable its name, dtype, shape, present size, whether it is trainable, its key in the checkpoint,
        and the class that reads it from there; of a list its length; of an asset the name of its file.
    """

    kind: str
    children: dict[str, int] = dataclasses.field(default_factory=dict)
    functions: dict[str, SavedFunction] = dataclasses.field(default_factory=dict)
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Description:
    """A saved model without the values of its variables.

    Attributes:
      nodes: the objects, the root first.
      signatures: the signatures by name.
      index_hash: the checksum of the index of the checkpoint.
    """

    nodes: list[Node]
    signatures: dict[str, SavedSignature]
    index_hash: str


class Damaged(Exception):
    """Raised if a description cannot be read."""


def hash_of(data: bytes) -> str:
    """Return the checksum of some bytes."""
    return hashlib.sha256(data).hexdigest()


class Encoder:
    """Encodes a description; collects the programs that it refers to.

    Args:
      numbers: the number of the node of each variable, by `id`.

    Attributes:
      files: the programs by their file names.
    """

    def __init__(self, numbers: dict[int, int]):
        self._numbers = numbers
        self._concretes: dict[int, tuple[int, SavedConcrete]] = {}
        self._encoded: list[dict] = []
        self.files: dict[str, bytes] = {}

    def encode(self, description: Description) -> bytes:
        """Return the content of the file."""
        nodes = [
            {
                "kind": node.kind,
                "children": node.children,
                "functions": {k: self._function(f) for k, f in node.functions.items()},
                "facts": node.facts,
            }
            for node in description.nodes
        ]
        signatures = {
            name: {
                "concrete": self._concrete(s.concrete),
                "inputs": s.inputs,
                "outputs": s.outputs,
            }
            for name, s in description.signatures.items()
        }
        content = {
            "nodes": nodes,
            "concretes": self._encoded,
            "signatures": signatures,
            "index": description.index_hash,
            "x64": bool(jax.config.jax_enable_x64),
        }
        text = json.dumps(content, indent=1)
        head = {"format": _FORMAT, "version": _VERSION, "sha256": hash_of(text.encode())}
        return f"{json.dumps(head)}\n{text}\n".encode()

    def _function(self, function: SavedFunction) -> dict:
        signature = function.input_signature
        return {
            "name": function.name,
            "parameters": [_encoded_parameter(p) for p in function.parameters.parameters.values()],
            "input_signature": None
            if signature is None
            else structures.encode(signature, structures.encode_spec),
            "concretes": [self._concrete(c) for c in function.concretes],
        }

    def _concrete(self, concrete: SavedConcrete) -> int:
        if id(concrete) not in self._concretes:
            self._concretes[id(concrete)] = len(self._encoded), concrete
            self._encoded.append(
                {
                    "arguments": concrete.arguments,
                    "programs": [self._program(p) for p in concrete.programs],
                    "refused": concrete.refused,
                }
            )
        return self._concretes[id(concrete)][0]

    def _program(self, program: Program) -> dict:
        digest = hash_of(program.data)
        name = f"{digest[:32]}.jax"
        self.files[name] = program.data
        return {
            "file": name,
            "sha256": digest,
            "shapes": program.shapes,
            "excluded": program.excluded,
            "used": [self._numbers[id(v)] for v in program.used],
            "written": [self._numbers[id(v)] for v in program.written],
            "outputs": program.outputs,
            "checks": [[c.error, c.text] for c in program.checks],
        }


def _encoded_parameter(parameter: inspect.Parameter) -> list:
    default: Any = _NO_DEFAULT
    if parameter.default is not inspect.Parameter.empty:
        try:
            default = [structures.encode(parameter.default, structures.encode_spec)]
        except structures.NotEncodableError:
            default = _NO_DEFAULT
    return [parameter.name, int(parameter.kind), default]


def _content_of(data: bytes) -> dict:
    """Return the content of a description whose checksum is right.

    Raises:
      Damaged: it is another file, or it is damaged.
      UnimplementedError: a later release wrote it.
    """
    head_text, _, text = data.partition(b"\n")
    try:
        head = json.loads(head_text)
        is_own = head["format"] == _FORMAT
        version, digest = head["version"], head["sha256"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise Damaged("the file is not the description of a saved model") from None
    if not is_own:
        raise Damaged("the file is not the description of a saved model")
    if version != _VERSION:
        raise errors.UnimplementedError(
            errors.message(
                "saved_model.load",
                "the model was saved in a different version of the format.",
                required=f"version {_VERSION}",
                received=str(version),
                do="load the model with the release of shims that saved it",
            )
        )
    if not text.endswith(b"\n") or hash_of(text[:-1]) != digest:
        raise Damaged("the checksum of the file is wrong")
    return json.loads(text)


class Decoder:
    """Decodes a description.

    Args:
      data: the content of the file.

    Raises:
      Damaged: the content is damaged.
      UnimplementedError: the programs have 64-bit dtypes, which are disabled.
    """

    def __init__(self, data: bytes):
        self._content = _content_of(data)
        if self._content["x64"] and not jax.config.jax_enable_x64:
            raise errors.UnimplementedError(
                errors.message(
                    "saved_model.load",
                    "the model was saved with `jax_enable_x64`, and its programs use 64-bit dtypes.",
                    do=(
                        'write `jax.config.update("jax_enable_x64", True)` before you load the '
                        "model"
                    ),
                )
            )
        self._concretes: dict[int, SavedConcrete] = {}

    @property
    def index_hash(self) -> str:
        """The checksum of the index of the checkpoint."""
        return self._content["index"]

    def nodes(self) -> list[Node]:
        """Return the objects, without their functions."""
        return [Node(n["kind"], n["children"], {}, n["facts"]) for n in self._content["nodes"]]

    def functions(self, variables: dict[int, Any], read) -> list[dict[str, SavedFunction]]:
        """Return the functions of each object.

        Args:
          variables: the variables by the numbers of their nodes.
          read: returns the content of a program's file, given its name and checksum.
        """
        return [
            {k: self._function(f, variables, read) for k, f in node["functions"].items()}
            for node in self._content["nodes"]
        ]

    def signatures(self, variables, read) -> dict[str, SavedSignature]:
        """Return the signatures; the arguments are those of `functions`."""
        return {
            name: SavedSignature(
                self._concrete(s["concrete"], variables, read),
                tuple(s["inputs"]),
                tuple(s["outputs"]),
            )
            for name, s in self._content["signatures"].items()
        }

    def _function(self, data, variables, read) -> SavedFunction:
        signature = structures.decode(data["input_signature"], structures.decode_spec)
        return SavedFunction(
            data["name"],
            inspect.Signature([_decoded_parameter(*p) for p in data["parameters"]]),
            signature,
            tuple(self._concrete(c, variables, read) for c in data["concretes"]),
        )

    def _concrete(self, number: int, variables, read) -> SavedConcrete:
        if number not in self._concretes:
            data = self._content["concretes"][number]
            programs = tuple(_decoded_program(p, variables, read) for p in data["programs"])
            self._concretes[number] = SavedConcrete(data["arguments"], programs, data["refused"])
        return self._concretes[number]


def _decoded_parameter(name: str, kind: int, default) -> inspect.Parameter:
    if default == _NO_DEFAULT:
        return inspect.Parameter(name, inspect._ParameterKind(kind))
    value = structures.decode(default[0], structures.decode_spec)
    return inspect.Parameter(name, inspect._ParameterKind(kind), default=value)


def _decoded_program(data, variables, read) -> Program:
    return Program(
        tuple(map(tuple, data["shapes"])),
        tuple((name, other) for name, other in data["excluded"]),
        tuple(variables[i] for i in data["used"]),
        tuple(variables[i] for i in data["written"]),
        data["outputs"],
        tuple(Check(error, text) for error, text in data["checks"]),
        read(data["file"], data["sha256"]),
    )

"""Define the fields of TensorFlow's graph files that the importer reads; it skips all others."""

from __future__ import annotations

import dataclasses
from typing import Any


class BrokenFileError(ValueError):
    """Raised for a file that is damaged or has an unexpected format."""


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a protocol buffer message: its name, its type, and whether it is repeated."""

    name: str
    kind: str  # "int", "float", "double", "bool", "bytes", "text", "enum" or the name of a message
    repeated: bool = False


def _fields(**numbered: Any) -> dict[int, Field]:
    return {entry[0]: Field(name, *entry[1:]) for name, entry in numbered.items()}


def _map_of(kind: str) -> dict[int, Field]:
    return _fields(key=(1, "text"), value=(2, kind))


# A map is a repeated message of `key` and `value`, in the wire format and in the text format.
MESSAGES: dict[str, dict[int, Field]] = {
    "GraphDef": _fields(node=(1, "NodeDef", True), library=(2, "FunctionDefLibrary")),
    "NodeDef": _fields(
        name=(1, "text"), op=(2, "text"), input=(3, "text", True), attr=(5, "AttrEntry", True)
    ),
    "AttrEntry": _map_of("AttrValue"),
    "AttrValue": _fields(
        list=(1, "ListValue"),
        s=(2, "bytes"),
        i=(3, "int"),
        f=(4, "float"),
        b=(5, "bool"),
        type=(6, "enum"),
        shape=(7, "TensorShapeProto"),
        tensor=(8, "TensorProto"),
        func=(10, "NameAttrList"),
    ),
    "ListValue": _fields(
        s=(2, "bytes", True),
        i=(3, "int", True),
        f=(4, "float", True),
        b=(5, "bool", True),
        type=(6, "enum", True),
        shape=(7, "TensorShapeProto", True),
        tensor=(8, "TensorProto", True),
        func=(9, "NameAttrList", True),
    ),
    "NameAttrList": _fields(name=(1, "text"), attr=(2, "AttrEntry", True)),
    "TensorShapeProto": _fields(dim=(2, "Dim", True), unknown_rank=(3, "bool")),
    "Dim": _fields(size=(1, "int"), name=(2, "text")),
    "TensorProto": _fields(
        dtype=(1, "enum"),
        tensor_shape=(2, "TensorShapeProto"),
        tensor_content=(4, "bytes"),
        float_val=(5, "float", True),
        double_val=(6, "double", True),
        int_val=(7, "int", True),
        string_val=(8, "bytes", True),
        scomplex_val=(9, "float", True),
        int64_val=(10, "int", True),
        bool_val=(11, "bool", True),
        dcomplex_val=(12, "double", True),
        half_val=(13, "int", True),
        uint32_val=(16, "int", True),
        uint64_val=(17, "int", True),
    ),
    "FunctionDefLibrary": _fields(function=(1, "FunctionDef", True)),
    "FunctionDef": _fields(
        signature=(1, "OpDef"), node_def=(3, "NodeDef", True), ret=(4, "TextEntry", True)
    ),
    "TextEntry": _map_of("text"),
    "OpDef": _fields(
        name=(1, "text"), input_arg=(2, "ArgDef", True), output_arg=(3, "ArgDef", True)
    ),
    "ArgDef": _fields(name=(1, "text"), type=(3, "enum")),
    "SavedModel": _fields(meta_graphs=(2, "MetaGraphDef", True)),
    "MetaGraphDef": _fields(
        meta_info_def=(1, "MetaInfoDef"),
        graph_def=(2, "GraphDef"),
        saver_def=(3, "SaverDef"),
        signature_def=(5, "SignatureEntry", True),
        object_graph_def=(7, "SavedObjectGraph"),
    ),
    "SavedObjectGraph": _fields(concrete_functions=(2, "ConcreteFunctionEntry", True)),
    "ConcreteFunctionEntry": _map_of("SavedConcreteFunction"),
    "SavedConcreteFunction": _fields(bound_inputs=(2, "int", True)),
    # Stored in the checkpoint; `bound_inputs` has the indices of its nodes.
    "TrackableObjectGraph": _fields(nodes=(1, "TrackableObject", True)),
    "TrackableObject": _fields(attributes=(2, "SerializedTensor", True)),
    "SerializedTensor": _fields(name=(1, "text"), checkpoint_key=(3, "text")),
    "MetaInfoDef": _fields(tags=(4, "text", True)),
    "SaverDef": _fields(restore_op_name=(3, "text")),
    "SignatureEntry": _map_of("SignatureDef"),
    "SignatureDef": _fields(
        inputs=(1, "TensorInfoEntry", True), outputs=(2, "TensorInfoEntry", True)
    ),
    "TensorInfoEntry": _map_of("TensorInfo"),
    "TensorInfo": _fields(name=(1, "text"), dtype=(2, "enum")),
}

SCALARS = {
    "int": 0,
    "enum": 0,
    "bool": False,
    "float": 0.0,
    "double": 0.0,
    "bytes": b"",
    "text": "",
}

# Messages with a `oneof`: a field that is set to zero differs from an unset one.
_ONE_OF = ("AttrValue",)

# `DataType` of types.proto, for the text format and for tensors; a reference type is 100 more.
DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
}
_IRREGULAR_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
ENUMS = {
    f"DT_{_IRREGULAR_NAMES.get(name, name.upper())}{suffix}": number + offset
    for number, name in DTYPES.items()
    for suffix, offset in (("", 0), ("_REF", 100))
}


def empty(message: str) -> dict[str, Any]:
    """Return a protocol buffer message, as a dict, in which no field is set.

    Repeated fields are empty lists, messages are `None`, and other fields have protobuf's defaults.
    """
    zeros = {} if message in _ONE_OF else SCALARS
    return {
        field.name: [] if field.repeated else zeros.get(field.kind)
        for field in MESSAGES[message].values()
    }

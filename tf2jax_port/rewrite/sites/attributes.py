"""Rewrite uses of attributes that mean something else in JAX and Keras 3: identity of dtypes, weights named by position."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.sites.dtypes import compared_by_value
from tf2jax_port.rewrite.sites.references import may_edit
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Edit

# Positional parameters of Keras 2 that Keras 3 has in a different order, by the base of the class.
_ADD_WEIGHT = ("name", "shape", "dtype", "initializer")
_CONSTRUCTORS = {
    "keras.metrics.Metric": ("name", "dtype"),
    "keras.losses.Loss": ("reduction", "name"),
}
# Private attributes of layers of Keras 2.
_PRIVATE = {
    "_compute_dtype": "self.compute_dtype",
    "_compute_dtype_object": "jnp.dtype(self.compute_dtype)",
}


def find_attributes(file: File) -> list[Decision]:
    """Return the decisions about these attributes in a file."""
    own = {node for reference in file.references for node in reference.chain}
    found = [*_identities(file, own), *_methods_of_keras(file), *_private_of_keras(file)]
    return [decision for decision in found if may_edit(file, decision)]


def _identities(file: File, own: set[ast.expr]) -> Iterator[Decision]:
    """Yield the decisions for `x.dtype is dtype`: equal dtypes are one object in TensorFlow, not in JAX."""
    for node in file.names.attributes:
        parent = file.names.parents[node]
        if node.attr != "dtype" or not isinstance(parent, ast.Compare) or len(parent.ops) != 1:
            continue
        left, right = parent.left, parent.comparators[0]
        other = right if node is left else left
        is_dtype = isinstance(other, ast.Attribute) and other.attr == "dtype"
        if other in own or not (isinstance(other, ast.Name) or is_dtype):
            continue
        if is_dtype and node is right:  # the other side's turn
            continue
        edits = compared_by_value(file.source, node, parent)
        if not edits:
            continue
        known = file.values.kind(node.value) is Kind.TENSOR
        state, code = (State.REWRITTEN, "TJ111") if known else (State.REVIEW, "TJ202")
        message = "equal dtypes of arrays are not the same object"
        yield Decision(state, code, message, "Tensor.dtype", parent, tuple(edits))


def _methods_of_keras(file: File) -> Iterator[Decision]:
    """Yield the decisions for calls by position whose parameters Keras 3 has in a different order."""
    for node in file.names.attributes:
        call = file.names.parents[node]
        if not isinstance(call, ast.Call) or call.func is not node or not call.args:
            continue
        names: tuple[str, ...] = ()
        if node.attr == "add_weight" and _is_of_keras_2(file, node, call):
            names = _ADD_WEIGHT
        elif node.attr == "__init__" and _is_call_of(node.value, "super"):
            bases = _bases(file, node)
            names = next((_CONSTRUCTORS[base] for base in bases if base in _CONSTRUCTORS), ())
        edits = _by_name(file, call, names)
        if edits:
            message = "Keras 3 has the parameters in a different order"
            symbol = f"tf.keras.layers.Layer.{node.attr}"
            yield Decision(State.REWRITTEN, "TJ130", message, symbol, call, tuple(edits))


def _private_of_keras(file: File) -> Iterator[Decision]:
    """Yield the decisions for private attributes of layers of Keras 2 that have public names in Keras 3.

    A class whose base is imported may be a layer, too; the file must not define the attribute then.
    """
    for node in file.names.attributes:
        of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        if node.attr not in _PRIVATE or not of_self:
            continue
        is_layer = bool(_bases(file, node))
        if not is_layer and (not _has_imported_base(file, node) or _defines(file, node.attr)):
            continue
        start, end = file.source.span(node)
        state, code = (State.REWRITTEN, "TJ130") if is_layer else (State.REVIEW, "TJ231")
        message = "Keras 3 has this object under its public name"
        if not is_layer:
            message += "; the file does not show the base class"
        symbol = f"tf.keras.layers.Layer.{node.attr}"
        edit = Edit(start, end, (file.spelling.text(_PRIVATE[node.attr]),))
        yield Decision(state, code, message, symbol, node, (edit,))


def _has_imported_base(file: File, node: ast.AST) -> bool:
    """Return whether the class around a node derives from a class that the file imports."""
    for outer in file.names.ancestors(node):
        if isinstance(outer, ast.ClassDef):
            names = [base.id for base in outer.bases if isinstance(base, ast.Name)]
            found = (b for name in names for b in file.names.module.bindings.get(name, ()))
            return any(binding.kind == "import" for binding in found)
    return False


def _defines(file: File, attribute: str) -> bool:
    """Return whether a file defines a method of this name or assigns such an attribute."""
    methods = any(getattr(scope, "name", "") == attribute for scope in file.names.scopes)
    return methods or any(
        node.attr == attribute and isinstance(node.ctx, ast.Store) for node in file.names.attributes
    )


def _by_name(file: File, call: ast.Call, names: tuple[str, ...]) -> list[Edit]:
    """Return the edits that pass positional arguments by name; none if that cannot be done."""
    given = {keyword.arg for keyword in call.keywords} & {None, *names[: len(call.args)]}
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if given or starred or len(call.args) > len(names):
        return []
    starts = [file.source.span(argument)[0] for argument in call.args]
    return [Edit(start, start, (f"{name}=",)) for start, name in zip(starts, names, strict=False)]


def _is_of_keras_2(file: File, node: ast.Attribute, call: ast.Call) -> bool:
    """Return whether an object is `self` of a class whose base is a name of `tf.keras`, or names a weight first."""
    first = call.args[0]
    text = isinstance(first, ast.Constant) and isinstance(first.value, str)
    if text or isinstance(first, ast.JoinedStr):
        return any(reference.path.startswith("keras.") for reference in file.references)
    return isinstance(node.value, ast.Name) and node.value.id == "self" and bool(_bases(file, node))


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == name


def _bases(file: File, node: ast.AST) -> list[str]:
    """Return the names of `tf.keras` from which the class around a node inherits."""
    known = {
        reference.node: reference.path
        for reference in file.references
        if reference.path.startswith("keras.")
    }
    for outer in file.names.ancestors(node):
        if isinstance(outer, ast.ClassDef):
            return [known[base] for base in outer.bases if base in known]
    return []

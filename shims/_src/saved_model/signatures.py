"""Turn functions into signatures, whose tensors have names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shims._src.autograph.bound_function import BoundFunction
from shims._src.function.function import Function
from shims._src.saved_model import structures
from shims._src.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from shims._src.saved_model.found_functions import KINDS, Exporter, functions_of
from shims._src.saved_model.restored import SignatureFunction, output_specs
from shims._src.saved_model.saved_functions import SavedConcrete, SavedSignature
from shims._src.types.tensor_spec import TensorSpec


def signatures_for(root, signatures, exporter: Exporter) -> dict[str, SavedSignature]:
    """Return the signatures to save.

    Args:
      root: the object that is saved.
      signatures: a function, a mapping from names to functions, or `None` for the only function of `root` that
        has an input signature.
      exporter: exports the functions.

    Raises:
      ValueError: a function has no single signature, or results that have no names.
    """
    if signatures is None:
        found = [f for _, f in functions_of(root) if _is_declared(f)]
        candidates = [(f, exporter.concrete(f)) for f in found]
        named = [(f, c) for f, c in candidates if c is not None and _output_names(c)]
        if len(named) != 1:
            return {}
        return {
            DEFAULT_SERVING_SIGNATURE_DEF_KEY: _signature(
                DEFAULT_SERVING_SIGNATURE_DEF_KEY, *named[0]
            )
        }
    given = (
        signatures
        if isinstance(signatures, Mapping)
        else {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    )
    return {name: _explicit(name, f, exporter) for name, f in given.items()}


def _is_declared(found) -> bool:
    """Return whether a function has one signature, which it was declared with."""
    is_general = isinstance(found, (Function, BoundFunction))
    return not is_general or found.input_signature is not None


def _explicit(name: str, found, exporter: Exporter) -> SavedSignature:
    if isinstance(found, SignatureFunction):
        return found.saved
    concrete = exporter.concrete(found) if isinstance(found, KINDS) else None
    if concrete is None:
        raise ValueError(
            f"Expected a TensorFlow function for which to generate a signature, but got {found}. Only "
            "`tf.functions` with an input signature or concrete functions can be used as a signature."
        )
    return _signature(name, found, concrete)


def _signature(name: str, found, concrete: SavedConcrete) -> SavedSignature:
    outputs = _output_names(concrete)
    if outputs is None:
        raise ValueError(
            f"Got a non-Tensor value in the output of the function {found} used to generate the "
            f"SavedModel signature {name!r}. Outputs for functions used as signatures must be a single "
            "Tensor, a sequence of Tensors, or a dictionary from string to Tensor."
        )
    return SavedSignature(concrete, _input_names(concrete), outputs)


def _input_names(concrete: SavedConcrete) -> tuple[str, ...]:
    """Return a name for each tensor: that of its spec, or that of its argument, with a number if need be."""
    names: list[str] = []
    for argument, structure in concrete.arguments.items():
        for spec in structures.specs_of({argument: structure}):
            name, number = spec.name or argument, 0
            while name in names:
                number += 1
                name = f"{spec.name or argument}_{number}"
            names.append(name)
    return tuple(names)


def _output_names(concrete: SavedConcrete) -> tuple[str, ...] | None:
    """Return a name for each result; `None` if the results are nested."""
    outputs: Any = output_specs(concrete)
    if isinstance(outputs, TensorSpec):
        return ("output_0",)
    if isinstance(outputs, dict):
        flat, names = list(outputs.values()), tuple(map(str, outputs))
    elif isinstance(outputs, (list, tuple)):
        flat, names = list(outputs), tuple(f"output_{i}" for i in range(len(outputs)))
    else:
        return ()
    return names if all(isinstance(x, TensorSpec) for x in flat) else None

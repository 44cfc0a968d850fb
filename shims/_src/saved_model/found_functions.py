"""Find the compiled functions of an object, and export them for the signatures that they were traced for."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from shims._src.autograph.bound_function import BoundFunction
from shims._src.function.explaining import ConcreteFunction
from shims._src.function.function import Function
from shims._src.saved_model import structures
from shims._src.saved_model.exported_functions import (
    as_specs,
    export_concrete,
    parameters_of,
    receiver_of,
)
from shims._src.saved_model.restored import RestoredConcrete, RestoredFunction, SignatureFunction
from shims._src.saved_model.saved_functions import SavedConcrete, SavedFunction

KINDS = (Function, BoundFunction, ConcreteFunction, RestoredFunction, RestoredConcrete)


def functions_of(owner) -> Iterator[tuple[str, Any]]:
    """Yield the names and the compiled functions among an object's attributes and its class's."""
    for name in dir(owner):
        if name in vars(owner):
            found = vars(owner)[name]
        else:
            found = inspect.getattr_static(type(owner), name, None)
            found = BoundFunction(found, owner) if isinstance(found, Function) else found
        if isinstance(found, KINDS):
            yield name, found


class Exporter:
    """Exports functions, each signature once.

    Args:
      sizes: the sizes of the variables.
    """

    def __init__(self, sizes: Iterable[int]):
        self._sizes = tuple(dict.fromkeys(sizes))
        self._concretes: dict[tuple, SavedConcrete] = {}

    def function(self, found) -> SavedFunction:
        """Return what is saved of a function that is an attribute."""
        if isinstance(found, RestoredFunction):
            return found.saved
        if isinstance(found, RestoredConcrete):
            saved = found.saved
            return SavedFunction(saved.name, saved.parameters, None, (found.concrete,))
        function, receiver = _parts(found)
        one = self.concrete(found)
        concretes = list(self._signatures_met(function, receiver)) if one is None else [one]
        distinct = {json.dumps(c.arguments): c for c in concretes}
        parameters = parameters_of(function, receiver)
        is_concrete = isinstance(found, ConcreteFunction)
        signature = None if is_concrete else function.input_signature
        return SavedFunction(_name_of(function), parameters, signature, tuple(distinct.values()))

    def concrete(self, found) -> SavedConcrete | None:
        """Return the one signature of a function, or `None` if it has several or none."""
        if isinstance(found, (RestoredConcrete, SignatureFunction)):
            return found.concrete if isinstance(found, RestoredConcrete) else found.saved.concrete
        if isinstance(found, RestoredFunction):
            return None if found.input_signature is None else found.saved.concretes[0]
        function, receiver = _parts(found)
        if isinstance(found, ConcreteFunction):
            args = found.origin.args if receiver is None else found.origin.args[1:]
            return self._exported(function, receiver, as_specs(args), as_specs(found.origin.kwargs))
        if function.input_signature is None:
            return None
        return self._exported(function, receiver, function.input_signature, {})

    def _signatures_met(self, function: Function, receiver) -> Iterator[SavedConcrete]:
        for args, kwargs in function.signatures_met.of(receiver):
            try:
                yield self._exported(function, receiver, args, kwargs)
            except structures.NotEncodableError as error:
                warnings.warn(
                    f"saved_model.save: a signature of `{_name_of(function)}` is not saved, because "
                    f"it has {error}, which is neither a tensor nor a Python number or string.",
                    stacklevel=2,
                )

    def _exported(self, function: Function, receiver, args, kwargs) -> SavedConcrete:
        key = function, id(receiver), repr((args, kwargs))
        if key not in self._concretes:
            self._concretes[key] = export_concrete(
                function, receiver, tuple(args), kwargs, self._sizes
            )
        return self._concretes[key]


def _name_of(function) -> str:
    return function.__name__


def _parts(found) -> tuple[Function, Any]:
    """Return the `Function` and the receiver, or `None`."""
    if isinstance(found, BoundFunction):
        return found.__func__, found.__self__
    if isinstance(found, ConcreteFunction):
        return found.origin.function, receiver_of(found.origin.args)
    return found, None

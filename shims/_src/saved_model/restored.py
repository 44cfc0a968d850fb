"""Define the objects, functions and signatures that `saved_model.load` returns."""

from __future__ import annotations

import collections
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import jax

from shims._src.errors import errors
from shims._src.saved_model import structures
from shims._src.saved_model.exported_functions import as_specs
from shims._src.saved_model.running import as_operand, is_compatible, operands_of, run
from shims._src.saved_model.saved_functions import (
    Program,
    SavedConcrete,
    SavedFunction,
    SavedSignature,
)
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.tracked import AutoTrackable


class LoadedObject(AutoTrackable):
    """An object of a saved model, with its variables, functions and objects as attributes."""


class CallableObject(LoadedObject):
    """An object of a saved model whose method `__call__` was saved."""

    def __call__(self, *args, **kwargs):
        """Call the saved method `__call__`."""
        return vars(self)["__call__"](*args, **kwargs)


class RestoredFunction:
    """A function of a saved model: it runs the programs of the signatures that it was traced for.

    Attributes:
      saved: what was saved of it.
    """

    def __init__(self, saved: SavedFunction):
        self.saved = saved
        self.__name__ = saved.name

    @property
    def input_signature(self) -> tuple[TensorSpec, ...] | None:
        """The specs that the function was declared with, or `None`."""
        return self.saved.input_signature

    def __call__(self, *args, **kwargs):
        """Call the function.

        Raises:
          ValueError: it was not traced for such arguments.
          TypeError: it was declared with an `input_signature`, and the arguments do not match it.
        """
        concretes = self.saved.concretes
        if not concretes:
            raise ValueError("Found zero restored functions for caller function.")
        arguments = self._bound(args, kwargs)
        for convert in (False, True):
            for concrete in concretes:
                operands = operands_of(concrete, arguments, convert)
                if operands is not None:
                    return run(concrete, operands)
        raise self._no_match(args, kwargs, arguments)

    def _bound(self, args, kwargs) -> dict[str, Any]:
        try:
            bound = self.saved.parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(self._failed_binding(str(error), args, kwargs)) from None
        bound.apply_defaults()
        return bound.arguments

    def _failed_binding(self, why: str, args, kwargs) -> str:
        return (
            f"Binding inputs to tf.function failed due to `{why}`. Received args: {args} and kwargs: "
            f"{kwargs} for signature: {self.saved.parameters}."
        )

    def _no_match(self, args, kwargs, arguments) -> Exception:
        if self.input_signature is not None:
            given = ", ".join(map(str, jax.tree.leaves(as_specs(list(arguments.values())))))
            wanted = ", ".join(map(str, self.input_signature))
            return TypeError(
                self._failed_binding(f"Can not cast {given} to {wanted}", args, kwargs)
            )
        options = "\n\n".join(
            f"Option {i}:\n{self._listed(structures.decode_all(c.arguments))}"
            for i, c in enumerate(self.saved.concretes, 1)
        )
        return ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"{self._listed({name: as_specs(x) for name, x in arguments.items()})}\n\n Expected these arguments to match one of the "
            f"following {len(self.saved.concretes)} option(s):\n\n{options}"
        )

    def _listed(self, arguments: dict[str, Any]) -> str:
        bound = inspect.BoundArguments(self.saved.parameters, collections.OrderedDict(arguments))
        lines = "".join(f"\n    * {value}" for value in bound.args)
        count = len(bound.args)
        return (
            f"  Positional arguments ({count} total):{lines}\n  Keyword arguments: {bound.kwargs}"
        )

    def get_concrete_function(self, *args, **kwargs) -> RestoredConcrete:
        """Return the saved program for some specs or example arguments.

        Raises:
          ValueError: the function was not traced for such arguments.
        """
        if not args and not kwargs and self.input_signature is not None:
            return RestoredConcrete(self.saved, self.saved.concretes[0])
        arguments = self._bound(args, kwargs)
        wanted = {name: as_specs(x) for name, x in arguments.items()}
        for concrete in self.saved.concretes:
            if all(_accepts(s, wanted[name]) for name, s in concrete.arguments.items()):
                return RestoredConcrete(self.saved, concrete)
        raise self._no_match(args, kwargs, arguments)

    def pretty_printed_concrete_signatures(self) -> str:
        """Format the signatures of the function."""
        listed = (self._listed(structures.decode_all(c.arguments)) for c in self.saved.concretes)
        return "\n\n".join(listed)


def _accepts(structure, wanted) -> bool:
    """Return whether an encoded argument includes the specs and values that are asked for."""
    pairs = structures.matched(structure, wanted)
    return pairs is not None and all(
        isinstance(b, TensorSpec) and a.dtype == b.dtype and b.shape.is_subtype_of(a.shape)
        if isinstance(a, TensorSpec)
        else a == b
        for a, b in pairs
    )


class RestoredConcrete:
    """One signature of a restored function: a function of its tensors, in order."""

    def __init__(self, saved: SavedFunction, concrete: SavedConcrete):
        self.saved, self.concrete = saved, concrete
        self.name = self.__name__ = saved.name

    @property
    def structured_input_signature(self) -> tuple:
        """`(args, kwargs)` of specs and Python values."""
        return tuple(structures.decode_all(self.concrete.arguments).values()), {}

    @property
    def structured_outputs(self):
        """The specs of the results in their structure."""
        return output_specs(self.concrete)

    def __call__(self, *tensors):
        """Call the function with its tensors."""
        specs = structures.specs_of(self.concrete.arguments)
        if len(tensors) != len(specs):
            raise TypeError(f"{self.name} accepts {len(specs)} tensors, not {len(tensors)}")
        names = [f"argument {i}" for i in range(len(specs))]
        return run(self.concrete, _converted(names, specs, tensors))


def output_specs(concrete: SavedConcrete):
    """Return the specs of the results of a function, in their structure; `None` is an unknown size."""
    each = [_specs_of_results(program) for program in concrete.programs]
    merged = iter(
        [one.most_specific_common_supertype(others) for one, *others in zip(*each, strict=True)]
    )
    return structures.decode(concrete.programs[0].outputs, lambda _: next(merged))


def _specs_of_results(program: Program) -> list[TensorSpec]:
    left = iter(program.exported.out_avals)
    specs: list[TensorSpec] = []

    def note(axes: list[int]) -> None:
        aval = next(left)
        for _ in range(len(axes) + bool(axes)):
            next(left)
        sizes = enumerate(aval.shape)
        known = [d if isinstance(d, int) and i not in axes else None for i, d in sizes]
        specs.append(TensorSpec(known, aval.dtype))

    structures.decode(program.outputs, note)
    return specs


def _converted(names, specs, tensors) -> list:
    operands = []
    for name, spec, x in zip(names, specs, tensors, strict=True):
        operand = as_operand(x, spec, convert=True)
        if operand is None or not is_compatible(operand, spec):
            raise errors.InvalidArgumentError(
                errors.message(
                    "saved_model",
                    f"`{name}` does not match the signature.",
                    required=str(spec),
                    received=str(as_specs(x if operand is None else operand)),
                )
            )
        operands.append(operand)
    return operands


class SignatureFunction:
    """A signature of a saved model: a function of named tensors to a dictionary of tensors."""

    def __init__(self, name: str, saved: SavedSignature):
        self.name = self.__name__ = name
        self.saved = saved

    @property
    def _specs(self) -> dict[str, TensorSpec]:
        specs = structures.specs_of(self.saved.concrete.arguments)
        named = zip(self.saved.inputs, specs, strict=True)
        return {name: TensorSpec(s.shape, s.dtype, name) for name, s in named}

    @property
    def structured_input_signature(self) -> tuple:
        """`((), kwargs)` with the spec of each named tensor."""
        return (), self._specs

    @property
    def structured_outputs(self) -> dict[str, TensorSpec]:
        """The spec of each result by its name."""
        specs = structures.leaves_of(output_specs(self.saved.concrete))
        named = zip(self.saved.outputs, specs, strict=True)
        return {name: TensorSpec(s.shape, s.dtype, name) for name, s in named}

    def __call__(self, *args, **kwargs) -> dict[str, Any]:
        """Call the function with its tensors, by name or in order.

        Raises:
          TypeError: a tensor is missing, or a name is unknown.
          InvalidArgumentError: a tensor has a different dtype or shape.
        """
        parameters = inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in self.saved.inputs]
        )
        try:
            if len(args) > len(self.saved.inputs):
                raise TypeError("too many positional arguments")
            given = dict(zip(self.saved.inputs, args, strict=False))
            bound = parameters.bind(**{**kwargs, **given}).arguments
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and "
                f"kwargs: {kwargs} for signature: {parameters}."
            ) from None
        specs = self._specs
        operands = _converted(specs, specs.values(), [bound[name] for name in specs])
        results = structures.leaves_of(run(self.saved.concrete, operands))
        return dict(zip(self.saved.outputs, results, strict=True))

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}: {spec}" for name, spec in self._specs.items())
        return f"<ConcreteFunction (*, {inputs}) -> {self.structured_outputs}>"


class SignatureMap(Mapping[str, SignatureFunction]):
    """The signatures of a saved model by name."""

    def __init__(self, signatures: dict[str, SignatureFunction]):
        self._signatures = signatures

    def __getitem__(self, name: str) -> SignatureFunction:
        """Return the signature of that name."""
        return self._signatures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures!r})"

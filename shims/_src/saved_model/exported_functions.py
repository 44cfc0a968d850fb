"""Export a `shims.function` for one signature: a program for each kind of sizes that it needs."""

from __future__ import annotations

import collections
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax

from shims._src.errors import errors, internal, refusals
from shims._src.function.calls import ARGUMENT_TYPES
from shims._src.saved_model import size_patterns, structures
from shims._src.saved_model.exporting import NotExportableError, exported
from shims._src.saved_model.saved_functions import Program, SavedConcrete, Shapes
from shims._src.sizes import trace
from shims._src.types.composite_specs import has_spec, is_spec, spec_of
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable

_MOST_ATTEMPTS = 48
_MOST_KNOWN = 6
# Errors that no other sizes avoid.
_OF_THE_PROGRAM = (NameError, AttributeError, ZeroDivisionError, structures.NotEncodableError)


def export_concrete(
    function, receiver, args: tuple, kwargs: dict[str, Any], known: Sequence[int] = ()
) -> SavedConcrete:
    """Export a function for one signature.

    Args:
      function: the `Function`.
      receiver: the object whose method it is, or `None`.
      args: the positional arguments: a spec in place of each array, and Python values.
      kwargs: the keyword arguments.
      known: sizes that unknown ones may have to equal, such as those of variables.

    Raises:
      NotEncodableError: an argument is neither a spec nor a Python value, or a result is not an array.
      ValueError: the function has no program for the sizes of the signature.
    """
    own = () if receiver is None else (receiver,)
    arguments = _bound(function, own, args, kwargs)
    encoded = {k: structures.encode(v, structures.encode_spec) for k, v in arguments.items()}
    specs = structures.specs_of(encoded)
    converted = function.converted()
    parameters = parameters_of(function, receiver)

    def call(*tensors):
        left = iter(tensors)
        full = {k: structures.decode(v, lambda _: next(left)) for k, v in encoded.items()}
        bound = inspect.BoundArguments(parameters, collections.OrderedDict(full))
        return converted(*own, *bound.args, **bound.kwargs)

    known = [d for d in dict.fromkeys((*_sizes_in(specs), *known)) if d > 1][:_MOST_KNOWN]
    programs, refused = _programs(call, specs, known, function.__name__)
    return SavedConcrete(encoded, programs, refused)


def parameters_of(function, receiver) -> inspect.Signature:
    """Return the parameters of a function, without the receiver of a method."""
    found = inspect.signature(function.python_function)
    if receiver is None:
        return found
    return found.replace(parameters=list(found.parameters.values())[1:])


def receiver_of(args: tuple):
    """Return the first argument if it is the receiver of a method, else `None`."""
    if not args or isinstance(args[0], (*ARGUMENT_TYPES, Variable)) or args[0] is None:
        return None
    return None if is_spec(args[0]) or has_spec(args[0]) else args[0]


def as_specs(arguments):
    """Return arguments with a spec in place of each array."""
    return jax.tree.map(_as_spec, arguments, is_leaf=lambda x: is_spec(x) or has_spec(x))


def _as_spec(x):
    if has_spec(x):
        return spec_of(x)
    return TensorSpec(x.shape, x.dtype) if hasattr(x, "shape") and hasattr(x, "dtype") else x


def _bound(function, own, args, kwargs) -> dict[str, Any]:
    """Return the arguments by the names of the parameters, with default values."""
    bound = inspect.signature(function.python_function).bind(*own, *args, **kwargs)
    bound.apply_defaults()
    return dict(list(bound.arguments.items())[len(own) :])


def _sizes_in(specs: Sequence[TensorSpec]) -> list[int]:
    shapes = [s.shape for s in specs if s.shape.rank is not None]
    return [d for shape in shapes for d in shape if isinstance(d, int)]


def _programs(call: Callable, specs: Sequence[TensorSpec], known: Sequence[int], name: str):
    """Return `(programs, the first reason why some sizes have none)`."""
    todo = collections.deque((shapes, False) for shapes in size_patterns.first_patterns(specs))
    met = {shapes for shapes, _ in todo}
    found: list[tuple[Program, bool]] = []
    failures: list[Exception] = []
    attempts = 0
    while todo and attempts < _MOST_ATTEMPTS:
        attempts += 1
        shapes, is_special = todo.popleft()
        if size_patterns.program_for([program for program, _ in found], shapes) is not None:
            continue
        try:
            program = _program(call, specs, shapes)
        except (Exception, trace.Signal) as error:  # noqa: BLE001 - other sizes may do
            failures.append(_checked_failure(error))
            more = list(size_patterns.relaxations(shapes, known))
        else:
            found.append((program, is_special))
            pairs = size_patterns.worthwhile(shapes, program.excluded)
            more = [(size_patterns.replaced(shapes, {a: b}), False) for a, b in pairs]
        for other, is_one in more:
            if other not in met:
                met.add(other)
                todo.append((other, is_special or is_one))
    if all(is_special for _, is_special in found):
        raise _refusal(failures[0], name, specs) from failures[0]
    reason = str(failures[0]).strip().splitlines()[0] if failures else ""
    return tuple(program for program, _ in found), reason


def _program(call, specs, shapes: Shapes) -> Program:
    if not size_patterns.names_in(shapes):
        return exported(call, specs, shapes, least=0)
    try:
        return exported(call, specs, shapes, least=0)
    except (Exception, trace.Signal) as error:  # noqa: BLE001
        first = _checked_failure(error)
        try:
            return exported(call, specs, shapes, least=2)
        except (Exception, trace.Signal):  # noqa: BLE001 - the first one is the clearer
            raise first from None


def _checked_failure(error: BaseException) -> Exception:
    """Return the reason why a program could not be traced; raise an error that has nothing to do with sizes."""
    if isinstance(error, _OF_THE_PROGRAM):
        raise error
    if not isinstance(error, Exception):
        return NotExportableError(
            "the function needs the value of an unknown size.",
            None,
            "write known sizes into the signature",
        )
    internal.raise_if_internal(error)
    return error


def _refusal(error: Exception, name: str, specs) -> Exception:
    if isinstance(error, errors.OpError):
        return error
    line = None
    if isinstance(error, NotExportableError):
        text, line, remedy = error.problem, error.line, error.remedy
    else:
        text = (str(error).strip().splitlines() or [type(error).__name__])[0]
        remedy = "write known sizes into the signature, and remove `tf.print` and calls of Python functions"
    return ValueError(
        errors.message(
            "saved_model.save",
            f"the function `{name}` cannot be saved for this signature: {text}",
            received=", ".join(map(str, specs)),
            at=line or refusals.line_of_error(error),
            do=remedy,
        )
    )

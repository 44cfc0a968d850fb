"""List the attributes of an object of a captured program, except attributes that its library sets."""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from types import CodeType
from typing import Any

from tf2jax_port.diff.code_bases.configurations import configuration
from tf2jax_port.diff.code_bases.encoding import Encoder, Node, UnfitError, is_variable

_LIBRARIES = ("tensorflow", "keras", "tf_keras")
_ROOMS = ("layers", "models", "optimizers", "metrics", "losses")
_MOST = 2000  # objects of one call


def described(value: Any, encoder: Encoder) -> Node:
    """Return how to restore an object: its attributes, lost attributes with reasons, and its base class in a library.

    Raises:
      UnfitError: its class is one that only its library can make.
    """
    cls: Any = type(value)
    base = next((c for c in cls.__mro__ if is_of_library(c)), None)
    found: Node = {"fields": {}, "lost": {}}
    if base is not None:
        found |= _of_library(value, cls, base, encoder)
    elif not _is_plain(cls):
        raise UnfitError(f"object of a class that is not written in Python: {cls.__qualname__}")
    if isinstance(value, dict | list | tuple):
        plain = dict if isinstance(value, dict) else list
        found["about"] = {"content": encoder.encode(plain(value))}
    if base is cls:
        return found
    if len(encoder.met.objects) > _MOST:
        raise UnfitError("object that refers to too many other objects")
    for name, item in attributes_of(value).items():
        count = len(encoder.met.objects)
        try:
            found["fields"][name] = encoder.encode(item)
        except Exception as error:  # noqa: BLE001, objects refuse to be looked at in many ways
            encoder.met.forget(count)
            if name not in _stored_by(cls, of_library=True):  # else it has that of its base
                found["lost"][name] = str(error)[:200]
    return found


def attributes_of(value: Any) -> dict[str, Any]:
    """Return the attributes of an object that code of the program has set."""
    cls: Any = type(value)
    own = _stored_by(cls, of_library=True) - _stored_by(cls, of_library=False)
    found = dict(getattr(value, "__dict__", {}))
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return {key: item for key, item in found.items() if key not in own}


def look(value: Any) -> dict[str, tuple[Any, int]]:
    """Return the attributes of an object with their lengths, to notice later that they have changed."""
    return {name: (item, _length(item)) for name, item in attributes_of(value).items()}


def has_changed(value: Any, before: dict[str, tuple[Any, int]]) -> bool:
    """Return whether attributes of an object were set since an earlier look, or collections among them have grown."""
    now = attributes_of(value)
    if now.keys() != before.keys():
        return True
    return any(
        item is not before[name][0] or _length(item) != before[name][1]
        for name, item in now.items()
    )


class Globals:
    """Notices which global names of modules have changed their values since the import."""

    def __init__(self) -> None:
        self._before: dict[str, dict[str, tuple[Any, int]]] = {}

    def meet(self, module: str) -> None:
        """Remember the values of a module once, as soon as its import is complete."""
        found = sys.modules.get(module)
        spec = getattr(found, "__spec__", None)
        if module in self._before or found is None or getattr(spec, "_initializing", False):
            return
        self._before[module] = {
            name: (value, _length(value))
            for name, value in vars(found).items()
            if not name.startswith("__") and not inspect.ismodule(value)
        }

    def changed(self, encoder: Encoder) -> dict[str, Node]:
        """Return the nodes of values that calls have changed, by `module:name`; what cannot be replayed is left out."""
        found: dict[str, Node] = {}
        for module, before in self._before.items():
            now = vars(sys.modules[module]) if module in sys.modules else {}
            for name, (old, length) in before.items():
                value = now.get(name)
                if name not in now or (value is old and _length(value) == length):
                    continue
                count = len(encoder.met.objects)
                try:
                    found[f"{module}:{name}"] = encoder.encode(value)
                except Exception:  # noqa: BLE001, as above
                    encoder.met.forget(count)
        return found


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list | dict | set) else 0


def is_of_library(cls: type) -> bool:
    """Return whether a class is one of TensorFlow or Keras."""
    return cls.__module__.partition(".")[0] in _LIBRARIES


def _is_plain(cls: type) -> bool:
    """Return whether Python code makes the objects of a class, and all of their state is in attributes."""
    builtin = [c for c in cls.__mro__ if not c.__flags__ & (1 << 9)]  # no heap types
    plain = {object, dict, list, tuple, types.SimpleNamespace}
    return {*builtin} <= plain and cls.__module__ != "builtins"


def _of_library(value: Any, cls: Any, base: Any, encoder: Encoder) -> Node:
    """Return the library's data on an object: the name of its base class, its configuration, and its input shape."""
    tf: Any = sys.modules["tensorflow"]
    if base.__name__ in ("Module", "AutoTrackable") and not hasattr(value, "get_config"):
        return {"base": "Module", "about": {"config": encoder.encode({"name": value.name})}}
    name = _public_name(tf, base)
    if name == "layers.Layer" or name == "models.Model":
        policy = getattr(getattr(value, "dtype_policy", None), "name", "float32")
        config: Any = {"name": value.name, "trainable": bool(value.trainable), "dtype": policy}
        return {
            "base": name,
            "about": {"config": encoder.encode(config)},
            "built": bool(value.built),
        }
    if name == "models.Sequential":
        config = {"name": value.name}
        layers = encoder.encode(list(value.layers))
        return {"base": name, "about": {"config": encoder.encode(config), "layers": layers}}
    if name.startswith("optimizers.") and _has_stepped(value):
        raise UnfitError(
            f"{base.__name__} that has already taken steps and has variables that cannot be restored"
        )
    # What a class of the program adds to the configuration is among its own attributes.
    config = configuration(value, base)
    about = {"config": encoder.encode(config)}
    shape = getattr(value, "_build_input_shape", None)
    if shape is None and getattr(value, "built", False):
        shape = (value.get_build_config() or {}).get("input_shape")
    if shape is not None:
        about["build"] = encoder.encode(shape)
    return {"base": name, "about": about, "built": bool(getattr(value, "built", True))}


def _has_stepped(optimizer: Any) -> bool:
    """Return whether an optimizer has made the variables in which it remembers its steps."""
    return any(
        isinstance(item, list) and item and all(map(is_variable, item))
        for item in vars(optimizer).values()
    )


def _public_name(tf: Any, base: type) -> str:
    """Return the name of a class of Keras."""
    for room in _ROOMS:
        if getattr(getattr(tf.keras, room), base.__name__, None) is base:
            return f"{room}.{base.__name__}"
    raise UnfitError(f"{base.__module__.partition('.')[0]}'s {base.__name__}")


@functools.cache
def _stored_by(cls: type, *, of_library: bool) -> frozenset[str]:
    """Return the attributes that code of an object's classes sets: of library classes, or of the program's own classes."""
    found: set[str] = set()
    for base in cls.__mro__:
        if is_of_library(base) is not of_library:
            continue
        for member in vars(base).values():
            for code in _codes(member, 4):
                found.update(
                    i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"
                )
                if of_library:  # which sets some by `setattr`
                    named = (c for c in code.co_consts if isinstance(c, str))
                    found.update(c for c in named if c.startswith("_"))
    return frozenset(found)


def _codes(member: Any, depth: int) -> Iterator[CodeType]:
    """Yield the code of a method and of the functions that it wraps."""
    if isinstance(member, property):
        for part in (member.fget, member.fset):
            yield from _codes(part, depth)
    function = getattr(member, "__func__", member)
    if not inspect.isfunction(function) or not depth:
        return
    yield from _nested(function.__code__)
    for cell in function.__closure__ or ():
        try:
            inner = cell.cell_contents
        except ValueError:  # it is empty
            continue
        yield from _codes(inner, depth - 1)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)

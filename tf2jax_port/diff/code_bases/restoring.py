"""Restore the objects of a port from the attributes of the original objects, without calling constructors."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable
from typing import Any, NoReturn

from tf2jax_port.diff.code_bases.encoding import Node, UnfitError
from tf2jax_port.diff.code_bases.port_objects import place, variables_of

_LACKING = re.compile(r"'(?P<kind>\w+)' object has no attribute '(?P<name>\w+)'")


class LostError(UnfitError):
    """Raised where a port uses an attribute of an object that could not be restored."""


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    del args, kwargs
    why, touched = object.__getattribute__(self, "_told")
    touched.append(why)
    raise LostError(why)


class _Lost:
    """A placeholder for a value that could not be restored; every use of it raises an error."""

    def __init__(self, why: str, touched: list[str]) -> None:
        object.__setattr__(self, "_told", (why, touched))

    __getattribute__ = __setattr__ = __call__ = __iter__ = __len__ = __bool__ = _refuse
    __getitem__ = __setitem__ = __contains__ = __eq__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse
    __rtruediv__ = __matmul__ = __rmatmul__ = __neg__ = __enter__ = __next__ = __index__ = _refuse
    __str__ = __repr__ = __format__ = __float__ = __int__ = __array__ = _refuse
    __hash__ = _refuse


class Restored:
    """The objects that were restored for one call.

    Args:
      assign: sets a variable to the value of a node.
      definitions: the nodes of all objects of the call, by number.
    """

    def __init__(self, assign: Callable[[Any, Node], None], definitions: dict[int, Node]) -> None:
        self._assign = assign
        self._definitions = definitions
        self.objects: dict[int, Any] = {}
        self.variables: dict[int, Any] = {}
        self.touched: list[str] = []

    def same(self, node: Node, decoded: Callable[[Node], Any]) -> Any:
        """Return the object that another node of the call describes."""
        number = node["number"]
        if number not in self.objects:
            if number not in self._definitions:
                raise UnfitError("an object that could not be restored")
            self.object(self._definitions[number], decoded)
        return self.objects[number]

    def variable(self, node: Node, make: Callable[[], Any]) -> Any:
        """Return a variable, made once."""
        number = node.get("number")
        if number is None:
            return make()
        if number not in self.variables:
            self.variables[number] = make()
        return self.variables[number]

    def object(self, node: Node, decoded: Callable[[Node], Any]) -> Any:
        """Return the restored object of a node.

        Args:
          node: the node.
          decoded: returns the value of another node.

        Raises:
          UnfitError: it cannot be restored.
        """
        number = node["number"]
        if number in self.objects:
            return self.objects[number]
        try:
            made = self._shell(node, decoded)
            self.objects[number] = made
            for name, part in node.get("fields", {}).items():
                _set(made, name, decoded(part))
        except UnfitError:
            raise
        except Exception as error:
            self.objects.pop(number, None)
            raise UnfitError(f"{node['name']} cannot be restored (reason: {error})") from error
        for name, why in node.get("lost", {}).items():
            lost = _Lost(f"{node['name']}.{name} could not be restored: {why}", self.touched)
            with contextlib.suppress(AttributeError):
                object.__setattr__(made, name, lost)
        self._give_variables(node, made)
        if node.get("built"):
            made.built = True
        return made

    def _shell(self, node: Node, decoded: Callable[[Node], Any]) -> Any:
        """Return an object without the attributes that code of the program has set."""
        base = str(node.get("base", ""))
        about = {key: decoded(part) for key, part in node.get("about", {}).items()}
        if base and base != "Module":
            return _of_keras(node, base, about)
        cls = place(node)
        made = cls.__new__(cls)
        if base:
            importlib.import_module("shims").Module.__init__(made, **about["config"])
        if "content" in about:
            content = about["content"]
            made.update(content) if isinstance(made, dict) else made.extend(content)
        return made

    def _give_variables(self, node: Node, made: Any) -> None:
        """Match the variables of an object that no attribute holds with the variables that its library has created."""
        known_numbers = {*self.variables, *node.get("makes", ())}
        left = [part for part in node.get("state", ()) if part["number"] not in known_numbers]
        if not left or "base" not in node:
            return
        known = {id(variable) for variable in self.variables.values()}
        own = [v for v in variables_of(made) if id(v) not in known]
        if not own and hasattr(made, "_track_variable"):
            for part in left:
                self.variables[part["number"]] = variable = keras_variable(part)
                made._track_variable(variable)
                self._assign(variable, part)
            return
        pairs = _matched(left, own, lambda part: self._shape(part))
        if pairs is None:
            raise UnfitError(
                f"{node['name']}: {len(left)} variables of the original and {len(own)} of the port have no "
                "counterpart"
            )
        for part, variable in pairs:
            self.variables[part["number"]] = variable
            self._assign(variable, part)

    @staticmethod
    def _shape(part: Node) -> tuple[int, ...]:
        return tuple(part["shape"])

    def lacks(self, error: str) -> str:
        """Return the attribute whose lack makes a port raise an error, if the original has no such attribute."""
        found = _LACKING.search(error)
        if found is None:
            return ""
        for node in self._definitions.values():
            kind = str(node["name"]).rpartition(".")[2]
            known = found["name"] in node.get("fields", ())
            if kind == found["kind"] and not known and node["number"] in self.objects:
                return f"{node['name']} of the original has no `{found['name']}`"
        return ""


def keras_variable(node: Node) -> Any:
    """Return a variable of Keras, of zeros."""
    keras: Any = importlib.import_module("keras")
    return keras.Variable(
        "zeros",
        shape=tuple(node["shape"]),
        dtype=node["items"][0]["dtype"],
        trainable=node["trainable"],
        name=str(node["name"]).rpartition("/")[2] or None,
    )


def _set(made: Any, name: str, value: Any) -> None:
    """Set an attribute so that its library can track it, even if a property or method has the same name."""
    try:
        setter: Any = type(made).__setattr__
        if setter is object.__setattr__ or not hasattr(made, "built"):
            object.__setattr__(made, name, value)
        else:
            setattr(made, name, value)
    except AttributeError:
        vars(made)[name] = value


def _of_keras(node: Node, base: str, about: dict[str, Any]) -> Any:
    """Return an object of Keras, or of a class that extends one, from its configuration."""
    keras: Any = importlib.import_module("keras")
    room, _, name = base.partition(".")
    library = getattr(getattr(keras, room), name)
    is_own = str(node["module"]).partition(".")[0] in ("keras", "tf_keras", "tensorflow")
    config = _of_keras_3(about["config"], base)
    if base == "models.Sequential":
        made = library(about["layers"], **config) if is_own else _new(node, library, {})
        for layer in () if is_own else about["layers"]:
            made.add(layer)
        return made
    if not is_own:
        made = _new(node, library, config)
    elif hasattr(library, "from_config"):
        made = library.from_config(config)
    else:
        made = library(**config)
    if "build" in about:
        library.build(made, about["build"])
    return made


def _new(node: Node, library: Any, config: dict[str, Any]) -> Any:
    cls = place(node)
    if not issubclass(cls, library):
        raise UnfitError(f"{node['name']} is not a {library.__name__} in the port")
    made = cls.__new__(cls)
    library.__init__(made, **config)
    return made


_OF_KERAS_2 = (
    "batch_input_shape",
    "time_major",
    "fused",
    "implementation",
    "is_legacy_optimizer",
    "jit_compile",
    "decay",
)


def _of_keras_3(config: dict[str, Any], base: str) -> dict[str, Any]:
    """Return a configuration of Keras 2 without what Keras 3 does not have."""
    found = {key: item for key, item in config.items() if key not in _OF_KERAS_2}
    axis = found.get("axis")
    if base == "layers.BatchNormalization" and isinstance(axis, list | tuple):
        found["axis"] = axis[0]
    if "Transpose" in base:
        found.pop("groups", None)  # always 1
    if found.get("reduction") == "auto":
        found["reduction"] = "sum_over_batch_size"
    return found


def _matched(
    nodes: list[Node], variables: list[Any], shape: Callable[[Node], tuple[int, ...]]
) -> list[tuple[Node, Any]] | None:
    """Pair variables of an original and of a port, which Keras 3 lists in a different order; `None` if shapes differ."""
    orders = (variables, sorted(variables, key=lambda v: not getattr(v, "trainable", True)))
    for order in orders:
        if [shape(node) for node in nodes] == [tuple(v.shape) for v in order]:
            return list(zip(nodes, order, strict=True))
    return None

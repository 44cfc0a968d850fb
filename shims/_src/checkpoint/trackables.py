"""Say which objects a checkpoint saves: the names of the objects in them, and their own values."""

from __future__ import annotations

import collections
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from shims._src.checkpoint.saved_values import (
    RandomState,
    SaveCounter,
    SavedValue,
    StepCount,
    VariableValue,
)
from shims._src.random.generator import Generator
from shims._src.variables.keras_state import standing_for
from shims._src.variables.tracked import AutoTrackable, attributes_of
from shims._src.variables.variable import Variable

VALUE = "VARIABLE_VALUE"


def unwrapped(value):
    """Return the object that a checkpoint saves for a value: the `Variable` of a Keras variable."""
    return standing_for(value)


def is_trackable(value) -> bool:
    """Return whether a checkpoint saves a value that is an attribute or an element of a list."""
    if isinstance(value, tuple):
        return any(is_trackable(item) for item in value)
    return (
        is_container(value)
        or isinstance(value, (Variable, AutoTrackable, Generator))
        or is_optimizer(value)
        or is_of_keras(value)
        or saves_arrays(value)
    )


def is_container(value) -> bool:
    """Return whether a value is a plain list or dictionary, or a tuple of objects to save.

    A subclass is not one, as in TensorFlow: lists of Keras' own class belong to Keras.
    """
    if isinstance(value, tuple):
        return is_trackable(value)
    return type(value) in (list, dict, collections.OrderedDict)


def saves_arrays(value) -> bool:
    """Return whether an object has the methods `checkpoint_arrays` and `restore_arrays`."""
    return not isinstance(value, type) and hasattr(value, "checkpoint_arrays")


def is_of_keras(value) -> bool:
    """Return whether a value is a variable, a layer or an optimizer of Keras with the JAX backend."""
    return isinstance(value, _classes_of_keras())


def children_of(owner) -> dict[str, Any]:
    """Return the objects that an object refers to, by their names in a checkpoint.

    Raises:
      ValueError: the keys of a dictionary are not strings.
    """
    if isinstance(owner, Variable):
        return {}
    if isinstance(owner, Mapping):
        found = [(_checked_key(owner, key, item), item) for key, item in owner.items()]
    elif isinstance(owner, (list, tuple)):
        found = [(str(at), item) for at, item in enumerate(owner)]
    elif isinstance(owner, Generator):
        found = [("_state_var", owner.state)]
    elif is_optimizer(owner):
        found = [("_iterations", owner.iterations), *owner.named_state()]
    elif isinstance(owner, AutoTrackable):
        found = list(attributes_of(owner))
    elif is_of_keras(owner):
        # TensorFlow does not save the list of layers that a model of Keras derives from others.
        found = [(name, value) for name, value in attributes_of(owner) if name != "_layers"]
    else:
        found = []
    children = {name: unwrapped(item) for name, item in found if is_trackable(item)}
    if isinstance(owner, AutoTrackable) and hasattr(owner, "_other_children"):
        children |= owner._other_children()
    return children


_LAYER = "layer_with_weights-"


def named_by_keras_2(owner, names: Iterable[str]) -> dict[str, Any]:
    """Return the objects of a layer or model of Keras 3 that have these names in a Keras 2 checkpoint.

    Keras 3 has a `_kernel` where Keras 2 has a `kernel`. Keras 2 also saves the lists and dictionaries of
    layers, and the layers of a functional or sequential model by their position among those with weights.
    """
    if not is_of_keras(owner) or isinstance(owner, Variable):
        return {}
    attributes = dict(attributes_of(owner))
    found = {}
    for name in names:
        hidden, listed = attributes.get(f"_{name}"), attributes.get(name)
        place = name.removeprefix(_LAYER)
        if place != name and place.isdigit():
            layers = getattr(owner, "layers", ())
            # Before all are built, which of them have weights is not known.
            with_weights = [x for x in layers if x.weights] if all(x.built for x in layers) else []
            found[name] = with_weights[int(place)] if int(place) < len(with_weights) else None
        elif is_of_keras(hidden):
            found[name] = unwrapped(hidden)
        elif isinstance(listed, (list, dict)):
            found[name] = listed
    return {name: value for name, value in found.items() if value is not None}


def values_of(owner, holder=None) -> dict[str, SavedValue]:
    """Return the values of an object itself, by their names in a checkpoint.

    Args:
      owner: the object.
      holder: the nearest object that refers to it and is not a list; it decides TensorFlow's dtype.
    """
    if saves_arrays(owner):
        return {name: SavedValue(owner, name) for name in owner.checkpoint_arrays()}
    if not isinstance(owner, Variable):
        return {}
    kind: type[SavedValue] = VariableValue
    if isinstance(holder, Generator):
        kind = RandomState
    elif _counts_steps(owner, holder):
        kind = StepCount
    return {VALUE: kind(owner)}


def _counts_steps(variable: Variable, holder) -> bool:
    """Return whether a variable, a count of saves or steps, is a 64-bit integer in TensorFlow."""
    if isinstance(variable, SaveCounter):
        return True
    return variable.dtype.kind == "i" and is_of_keras(holder) and hasattr(holder, "iterations")


def _checked_key(owner: Mapping, key, item) -> str:
    if not isinstance(key, str) and is_trackable(item):
        raise ValueError(
            f"Unable to save the object {owner} (a dictionary). The dictionary contains a non-string "
            "key which maps to a trackable object or mutable data structure.\n\nIf you don't need this "
            "dictionary checkpointed, wrap it in a non-trackable object; it will be subsequently ignored."
        )
    return key


def _classes_of_keras() -> tuple[type, ...]:
    keras = sys.modules.get("keras")
    if keras is None or not hasattr(keras, "StatelessScope") or keras.backend.backend() != "jax":
        return ()
    return keras.Variable, keras.Layer, keras.optimizers.Optimizer


def is_optimizer(value) -> bool:
    """Return whether a value is an optimizer of `shims`.

    Their module needs Optax. Unless a program has loaded it, there is none.
    """
    module = sys.modules.get("shims._src.optimizers.optimizer")
    return module is not None and isinstance(value, module.Optimizer)

"""Define `contrib.training.HParams`, a set of named, typed hyperparameters."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any

# A single `name=value`, in which the value is a word or a list in brackets.
_PARAMETER = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])($|,\s*)"
)


class HParams:
    """A set of named hyperparameters, each with a fixed type.

    Args:
      hparam_def: not supported.
      model_structure: any object, stored as it is.
      **kwargs: names and initial values, which fix the types.

    Raises:
      ValueError: a name is reserved, or a value is an empty list, which has no type.

    Differs from TensorFlow:
      TensorFlow 2 has no `HParams`. Hyperparameters are not read from protocol buffers.

    Example:
      >>> settings = HParams(rate=0.1, layers=[64, 64])
      >>> settings.parse("rate=0.5,layers=[8,16,32]").values()
      {'rate': 0.5, 'layers': [8, 16, 32]}
    """

    __module__ = "shims.compat.v1.contrib.training"

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        if hparam_def is not None:
            raise ValueError(
                "HParams: `hparam_def` is not supported: pass hyperparameters as keyword arguments."
            )
        self._types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value) -> None:
        """Add a hyperparameter.

        Raises:
          ValueError: the name is reserved, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._types[name] = (type(value[0]), True)
        else:
            self._types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value) -> None:
        """Set a hyperparameter to a value of its type.

        Raises:
          KeyError: there is no such hyperparameter.
          ValueError: the value has a different type.
        """
        kind, is_list = self._types[name]
        if isinstance(value, list) != is_list and value is not None:
            what = "must be a list" if is_list else "must not be a list"
            raise ValueError(f"Parameter {name} {what}: {value!r}")
        setattr(
            self,
            name,
            [_cast(name, kind, v) for v in value] if is_list else _cast(name, kind, value),
        )

    def del_hparam(self, name: str) -> None:
        """Remove a hyperparameter."""
        if hasattr(self, name):
            delattr(self, name)
            del self._types[name]

    def parse(self, values: str) -> HParams:
        """Set hyperparameters from a string such as `"rate=0.5,layers=[8,16],layers[0]=4"`.

        Raises:
          ValueError: the string is malformed, a name is unknown, or a value has a different type.
        """
        place = 0
        while place < len(values):
            found = _PARAMETER.match(values, place)
            if found is None:
                raise ValueError(f"Malformed hyperparameter value: {values[place:]}")
            place = found.end()
            self._set_parsed(found)
        return self

    def _set_parsed(self, found: re.Match) -> None:
        name = found["name"]
        if name not in self._types:
            raise ValueError(f"Unknown hyperparameter type for {name}")
        kind, is_list = self._types[name]
        if found["values"] is not None:
            self.set_hparam(
                name, [_parse_value(name, kind, v) for v in _split_words(found["values"])]
            )
        elif found["index"] is not None:
            if not is_list:
                raise ValueError(f"{name} is not a list.")
            getattr(self, name)[int(found["index"])] = _parse_value(name, kind, found["value"])
        else:
            value = _parse_value(name, kind, found["value"])
            self.set_hparam(name, [value] if is_list else value)

    def override_from_dict(self, values_dict: dict) -> HParams:
        """Set hyperparameters from a dictionary."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Set hyperparameters from a JSON object."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent=None, separators=None, sort_keys=False) -> str:
        """Return the hyperparameters as a JSON object."""
        kept = {name: v for name, v in self.values().items() if not callable(v)}
        return json.dumps(kept, indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """Return a dict from names to values."""
        return {name: getattr(self, name) for name in self._types}

    def get(self, key: str, default=None):
        """Return the value of a hyperparameter, or `default` if it does not exist."""
        return getattr(self, key) if key in self._types else default

    def set_model_structure(self, model_structure) -> None:
        """Store a model structure with the hyperparameters."""
        self._model_structure = model_structure

    def get_model_structure(self):
        """Return the stored model structure."""
        return self._model_structure

    def __contains__(self, key: str) -> bool:
        return key in self._types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"HParams({', '.join(f'{k}={v!r}' for k, v in sorted(self.values().items()))})"


def _split_words(text: str) -> list[str]:
    return [w for w in re.split(r"[,\s]+", text.strip()) if w]


def _parse_value(name: str, kind: type, text: str):
    """Convert the text of one value to the type of a hyperparameter."""
    text = text.strip()
    if kind is bool:
        if text.lower() in ("true", "1"):
            return True
        if text.lower() in ("false", "0"):
            return False
        raise ValueError(f"Could not parse hparam '{name}' of type 'bool' with value '{text}'")
    try:
        return kind(text) if kind in (int, float, str) else text
    except ValueError:
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}'"
        ) from None


def _cast(name: str, kind: type, value):
    """Convert a value to the type of a hyperparameter; an integer may become a float.

    Any other change of the type is an error.
    """
    if value is None or kind is type(None) or isinstance(value, kind):
        is_number = kind is not bool and isinstance(value, bool) and kind in (int, float)
        if not is_number:
            return value
    fits = {
        float: isinstance(value, numbers.Number) and not isinstance(value, (bool, complex)),
        int: isinstance(value, numbers.Integral) and not isinstance(value, bool),
        str: isinstance(value, (str, bytes)),
    }
    if not fits.get(kind, False):
        raise ValueError(
            f"Could not cast hparam '{name}' of type '{kind.__name__}' from value {value!r}"
        )
    return kind(value)

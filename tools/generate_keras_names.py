"""Write `keras_names.json` from the installed Keras 3.

    python -m tools.generate_keras_names

`tf.keras` is a list of names inside the package Keras, `keras._tf_keras.keras`, besides the list that
`import keras` gives. A name that is the same object in both only needs another prefix. A name in the first
list alone is either another name of an object in the second, or a leftover of Keras 2.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import pathlib
import types

from tools.data_files import ROOT, render

PATH = "tf2jax_port/rewrite/data/keras_names.json"
# Their constructors hand `*args, **kwargs` on, or take what is left of Keras 2 to refuse it.
WRITTEN_OUT = {
    "Model": "inputs=None, outputs=None, name=None, trainable=True",
    "models.Model": "inputs=None, outputs=None, name=None, trainable=True",
}
# What only raises, and says what to write instead.
STUBS = ("optimizers.legacy.",)
# What classes take out of their `**kwargs` without a parameter for it.
TAKEN_OUT = {
    "Layer": ("input_shape", "input_dim"),
    "LSTM": ("implementation",),
    "LSTMCell": ("implementation",),
    "GRU": ("implementation",),
    "GRUCell": ("implementation",),
    "Embedding": ("input_length",),
    "InputLayer": ("input_shape", "batch_input_shape"),
    "LayerNormalization": ("rms_scaling",),
}


def version() -> str:
    """Return the release of the installed Keras, `3.15`."""
    return importlib.metadata.version("keras").rpartition(".")[0]


def public_names(root: str) -> tuple[dict[str, object], set[str]]:
    """Return `{public name: object}` and the modules below one list of names."""
    spec = importlib.util.find_spec(root)
    assert spec is not None
    assert spec.origin is not None
    folder = pathlib.Path(spec.origin).parent
    names, modules = {}, set()
    for file in sorted(folder.rglob("__init__.py")):
        parts = file.parent.relative_to(folder).parts
        if {"src", "_tf_keras"} & set(parts):
            continue
        module = importlib.import_module(".".join((root, *parts)))
        if parts:
            modules.add(".".join(parts))
        for name, value in vars(module).items():
            if not name.startswith("_") and not isinstance(value, types.ModuleType):
                names[".".join((*parts, name))] = value
    return names, modules


def params(name: str, value: object) -> str | None:
    """Return the parameters of a function or class as text, `None` for other objects."""
    if name in WRITTEN_OUT:
        return WRITTEN_OUT[name]
    if not callable(value):
        return None
    if not inspect.isclass(value):
        return _text(list(inspect.signature(value).parameters.values()))
    return _text(constructor(value))


def constructor(value: type) -> list[inspect.Parameter]:
    """Return a class's constructor parameters, including those that `**kwargs` passes to its bases."""
    found: dict[str, inspect.Parameter] = {}
    made = [base for base in value.__mro__[:-1] if "__init__" in vars(base)]
    for base in made:
        own = list(inspect.signature(vars(base)["__init__"]).parameters.values())[1:]
        for parameter in own:
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            kept = parameter
            if base is not made[0]:
                if parameter.kind is parameter.VAR_POSITIONAL:
                    continue
                default = None if parameter.default is parameter.empty else parameter.default
                kept = parameter.replace(kind=parameter.KEYWORD_ONLY, default=default)
            found.setdefault(parameter.name, kept)
        for name in TAKEN_OUT.get(base.__name__, ()):
            extra = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
            found.setdefault(name, extra)
        if not any(p.kind is p.VAR_KEYWORD for p in own):
            break
    return sorted(found.values(), key=lambda p: p.kind)


def _text(parameters: list[inspect.Parameter]) -> str:
    """Return a signature as text, without annotations."""
    plain = []
    for parameter in parameters:
        default = parameter.default
        if default is not parameter.empty:
            default = _Text(_default(default))
        plain.append(parameter.replace(annotation=parameter.empty, default=default))
    text = str(inspect.Signature(plain))[1:-1]
    ast.parse(f"def f({text}): pass")
    return text


class _Text:
    """An object whose `repr` is the text that it holds."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _default(value: object) -> str:
    """Return the text of a default, or a placeholder for an object without one."""
    text = repr(value)
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return "..."
    return text


def collect() -> dict[str, object]:
    """Return the sections of the data file."""
    ours, modules = public_names("keras")
    theirs, _ = public_names("keras._tf_keras.keras")
    theirs = {name: value for name, value in theirs.items() if not name.startswith(STUBS)}
    shared = sorted(name for name in theirs if ours.get(name) is theirs[name])
    renamed, left = {}, []
    for name in sorted(set(theirs) - set(shared)):
        inside = name.rpartition(".")[0]
        same = [n for n, value in ours.items() if value is theirs[name] and callable(value)]
        same = [n for n in same if n.rpartition(".")[0] == inside]
        if same:
            renamed[name] = min(same, key=lambda n: (-len(n), n))
        else:
            left.append(name)
    return {
        "modules": sorted(modules),
        "params": {name: params(name, ours[name]) for name in sorted({*shared, *renamed.values()})},
        "renamed": renamed,
        "left_over": left,
        "backend": {
            name.removeprefix("backend."): params(name, theirs[name])
            for name in left
            if name.startswith("backend.")
        },
    }


def generate() -> str:
    """Return the text of the data file; Keras must not have been imported before."""
    os.environ["KERAS_BACKEND"] = "jax"
    return render("tools.generate_keras_names", version=version(), **collect())


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())

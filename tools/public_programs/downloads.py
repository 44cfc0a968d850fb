"""Make the files that programs download: texts and pictures. Weights of ImageNet are random ones."""

from __future__ import annotations

import functools
import inspect
import pathlib
import types

import numpy as np

_WORDS = (
    *("the", "a", "of", "and", "to", "in", "is", "it", "that", "was", "he", "for", "on", "with"),
    *("as", "his", "they", "at", "be", "this", "from", "have", "not", "but", "what", "all", "she"),
)


def install(keras) -> None:
    """Let Keras download no files, and load no weights.

    Args:
      keras: the module.
    """
    keras.utils.get_file = _file
    for name in dir(keras.applications):
        model = getattr(keras.applications, name)
        if isinstance(model, types.FunctionType):
            setattr(keras.applications, name, _without_weights(model))
        elif isinstance(model, types.ModuleType):
            for inner in dir(model):
                function = getattr(model, inner)
                if inner[0].isupper() and isinstance(function, types.FunctionType):
                    setattr(model, inner, _without_weights(function))


def _file(fname=None, origin=None, *rest, **options) -> str:
    """Write a small file of the kind that an address names, and return its path."""
    del rest, options
    path = pathlib.Path(pathlib.PurePosixPath(str(fname or origin)).name)
    kind = (path.suffix or pathlib.PurePosixPath(str(origin)).suffix).lower()
    random = np.random.RandomState(7)
    if kind == ".txt":
        path.write_text(_text(random))
    elif kind in (".jpg", ".jpeg", ".png"):
        from PIL import Image

        pixels = np.kron(random.randint(0, 256, (14, 14, 3)), np.ones((16, 16, 1)))
        # A text that names a picture .jpg gets one that has no losses: the libraries read these alike.
        Image.fromarray(pixels.astype(np.uint8)).save(path, "PNG")
    else:
        raise OSError(f"nothing is downloaded: {origin}")
    return str(path.resolve())


def _text(random: np.random.RandomState) -> str:
    lines = (" ".join(random.choice(_WORDS, 9)).capitalize() + "." for _ in range(400))
    return "\n".join(lines) + "\n"


def _without_weights(model):
    signature = inspect.signature(model)
    if "weights" not in signature.parameters:
        return model

    @functools.wraps(model)
    def random(*arguments, **options):
        given = signature.bind(*arguments, **options).arguments
        more = given.pop("kwargs", {})
        if given.get("weights", "imagenet") == "imagenet":
            given["weights"] = None
        return model(**given, **more)

    return random

"""Check the version of JAX, if possible without importing JAX."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import pathlib
import re
import sys

_REMEDY = "`pip install 'jax>=0.9,!=0.10.2'`"


def check_version(version: str | None = None) -> None:
    """Raise an error for JAX releases that are too old or compute wrong numbers.

    Args:
      version: the version of JAX; by default that of the installed one.

    Raises:
      ImportError: on JAX 0.10.2 (https://github.com/jax-ml/jax/issues/39103) and before 0.9, or
        without JAX.
    """
    version = _installed_version() if version is None else version
    numbers = re.match(r"\d+(\.\d+){0,2}", version)
    release = tuple(map(int, numbers[0].split("."))) if numbers else ()
    if release == (0, 10, 2):
        raise ImportError(
            "JAX 0.10.2 miscompiles programs on CPU (https://github.com/jax-ml/jax/issues/39103); "
            "shims refuses to compute wrong numbers on it. Install another release, for instance "
            f"{_REMEDY}."
        )
    if release < (0, 9):
        raise ImportError(f"shims needs JAX 0.9 or newer, found {version}.")


def _installed_version() -> str:
    """Return the version of the JAX that `import jax` gives."""
    found = None if "jax" in sys.modules else _version_in_metadata()
    if found is not None:
        return found
    try:
        import jax
    except ModuleNotFoundError as error:
        if error.name != "jax":
            raise
        raise ModuleNotFoundError(
            f"shims needs JAX 0.9 or newer, which is not installed: {_REMEDY}.", name="jax"
        ) from None
    return jax.__version__


def _version_in_metadata() -> str | None:
    """Return the version in the metadata of the installed JAX, or `None`.

    `None` if there are none, or if they belong to a JAX other than the one that `import jax` finds,
    such as a source tree that stands first on `sys.path`.
    """
    spec = importlib.util.find_spec("jax")
    try:
        distribution = importlib.metadata.distribution("jax")
    except importlib.metadata.PackageNotFoundError:
        return None
    if spec is None or spec.origin is None:
        return None
    described = pathlib.Path(str(distribution.locate_file("jax/__init__.py")))
    return (
        distribution.version if described.resolve() == pathlib.Path(spec.origin).resolve() else None
    )

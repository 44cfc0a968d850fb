"""Say how a migration continues after a scan or a plan: with the proof of the port."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from tf2jax_port.cli.command import tell
from tf2jax_port.migration.imports import module_name

_MOST = 3


def tell_proof(paths: Iterable[str]) -> None:
    """Print the commands that record what files compute, and that prove their port.

    Args:
      paths: the files that refer to TensorFlow.
    """
    files = [path for path in paths if path.endswith(".py")]
    modules = {module_name(pathlib.Path(path)) for path in files}
    packages = sorted(
        {name for module in modules if (name := module.partition(".")[0]).isidentifier()}
    )
    if len(modules) == 1 and packages:
        copy = pathlib.Path(files[0]).with_suffix("").name + "_tf.py"
        tell(
            "To prove the port of a function, keep a copy of the original file and run `tf2jax-port diff "
            f"{copy}:FUNCTION {files[0]}:FUNCTION --inputs CASES`. For classes and programs: before you rewrite the "
            f"code, run `tf2jax-port capture --package {packages[0]} -o calls.npz -- python PROGRAM`, and after "
            "rewriting, run `tf2jax-port prove calls.npz FOLDER`."
        )
    if len(modules) > 1 and packages:
        watched = " ".join(f"--package {name}" for name in packages[:_MOST])
        watched += " ..." if len(packages) > _MOST else ""
        tell(
            "To prove the port, record the results of the original before you rewrite it: run `tf2jax-port capture "
            f"{watched} -o calls.npz -- python -m pytest`, and after rewriting, run `tf2jax-port prove calls.npz "
            "FOLDER`."
        )

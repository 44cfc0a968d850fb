"""Run tests on a changed file, in a forked process that has imported what all of them need."""

from __future__ import annotations

import ast
import importlib.machinery
import os
import pathlib
import resource
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KILLED, SURVIVED, ENDLESS = "killed", "survived", "endless"
# Processor seconds that the tests of one mutant may take, and seconds: other programs may run meanwhile.
LIMIT, PATIENCE = 100, 1000


def import_what_is_shared() -> None:
    """Import the libraries; not the product, whose changed file is imported by the child."""
    import jax  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import tensorflow  # noqa: F401, TID251 - the tests of the verdict do

    assert "shims" not in sys.modules
    assert "tf2jax_port" not in sys.modules


def outcome(file: str, tree: ast.Module, tests: list[str]) -> str:
    """Return whether tests fail if a file has another content."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
            _silence()
            _substitute(str(ROOT / file), tree)
            import pytest

            code = pytest.main(["-x", "-q", "-m", "not long", "-p", "no:cacheprovider", *tests])
        finally:
            os._exit(code)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return ENDLESS
        if done:
            return SURVIVED if status == 0 else KILLED
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ENDLESS


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _substitute(path: str, tree: ast.Module) -> None:
    """Let the import of a file give another program."""
    usual = importlib.machinery.SourceFileLoader.get_code

    def get_code(self, fullname):
        if self.path == path:
            return compile(tree, path, "exec")
        return usual(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]

"""Provide the pytest marker `@pytest.mark.tf_parity(old, new, inputs)` and the fixture `tf_parity`.

The plugin imports only pytest until a test uses it. A test fails with the lines of the verdict,
unless the verdict is one that the test allows.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tf2jax_port.diff.functions.loading import Loaded
    from tf2jax_port.diff.report.report import Report
    from tf2jax_port.diff.supervision.supervisor import Worker

# One process for all tests of a run: importing TensorFlow takes seconds.
_WORKER: pytest.StashKey[Worker] = pytest.StashKey()
_SECONDS = 600.0

_MARKER = (
    "tf_parity(old, new, inputs, *, golden=None, seed=0, x64=False, allow=('equal',)): check that the port "
    "`new` returns the values and gradients of the TensorFlow function `old`."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--tf-goldens DIR`, `--tf-timeout SECONDS` and `--tf-no-isolate`."""
    group = parser.getgroup("tf2jax-port")
    group.addoption(
        "--tf-timeout",
        type=float,
        default=_SECONDS,
        metavar="SECONDS",
        help=(
            "The time limit for one case in one lane (one way to run the function), if the case runs in a "
            "separate process."
        ),
    )
    group.addoption(
        "--tf-no-isolate",
        action="store_true",
        help="Run all functions in pytest's own process, for example to set a breakpoint. By default, only "
        "functions that another process cannot import, such as lambdas and nested functions, run in pytest's "
        "process.",
    )
    group.addoption(
        "--tf-goldens",
        metavar="DIR",
        help="Compare with the goldens in this folder, which does not need TensorFlow. Missing goldens are recorded "
        "if TensorFlow is installed.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker `tf_parity`."""
    config.addinivalue_line("markers", _MARKER)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the worker process that ran the comparisons."""
    worker = config.stash.get(_WORKER, None)
    if worker is not None:
        worker.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run the comparison of a test with the marker before the body of the test."""
    mark = item.get_closest_marker("tf_parity")
    if mark is not None:
        Parity(item)(*mark.args, **mark.kwargs)
    return (yield)


@pytest.fixture
def tf_parity(request: pytest.FixtureRequest) -> Parity:
    """Return a function that compares a TensorFlow function with its port, or fails the test."""
    return Parity(request.node)


class Parity:
    """Compares functions for one test.

    Args:
      item: the test; relative file names are looked up in its folder.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._config = item.config
        self._folder = item.path.parent
        self._name = re.sub(r"\W+", "_", item.nodeid.partition("::")[2]).strip("_")
        self._goldens: str | None = item.config.getoption("--tf-goldens")

    def __call__(
        self,
        old: str | Callable[..., Any],
        new: str | Callable[..., Any],
        inputs: str | Callable[[], Iterable[tuple[Any, ...]]],
        *,
        golden: str | None = None,
        seed: int = 0,
        x64: bool = False,
        allow: Iterable[str] = ("equal",),
    ) -> Report:
        """Compare two functions; return the report, or fail the test if the verdict is not allowed.

        Args:
          old: the TensorFlow function, or `FILE.py:FUNCTION` in the test's folder.
          new: the port, or `FILE.py:FUNCTION` in the test's folder.
          inputs: a function that returns argument tuples, or anything that `--inputs` takes.
          golden: the name of the golden under `--tf-goldens`; by default the name of the test.
          seed: for cotangents, random numbers and generated inputs.
          x64: whether to use JAX's 64-bit types.
          allow: the verdicts with which the test passes.
        """
        from tf2jax_port.diff.functions.loading import DiffError
        from tf2jax_port.diff.report.as_lines import lines

        __tracebackhide__ = True
        try:
            report = self._report(old, new, inputs, golden or self._name, seed, x64)
        except DiffError as error:
            pytest.fail(str(error), pytrace=False)
        if report.verdict not in tuple(allow):
            pytest.fail("\n".join(lines(report)), pytrace=False)
        return report

    def _report(self, old: Any, new: Any, inputs: Any, golden: str, seed: int, x64: bool) -> Report:
        from tf2jax_port.diff.supervision.supervisor import RefusedError

        specs = [self._spec(part) for part in (old, new, inputs)]
        if all(specs) and not self._config.getoption("--tf-no-isolate"):
            try:
                return self._elsewhere(specs, golden, seed, x64)
            except RefusedError:
                # A test module may be one that only pytest can import.
                if all(isinstance(part, str) for part in (old, new, inputs)):
                    raise
        return self._here(old, new, inputs, golden, seed, x64)

    def _here(self, old: Any, new: Any, inputs: Any, golden: str, seed: int, x64: bool) -> Report:
        """Run the comparison in this process."""
        if self._goldens is None:
            from tf2jax_port.diff.sessions.run import Request, compare_functions

            first, source = self._loaded(old), self._inputs(inputs, old, seed)
            spec = inputs if isinstance(inputs, str) else ""
            port = self._loaded(new)
            request = Request(first, port, spec, seed, x64, types=source.module, locate=True)
            return compare_functions(request, source.calls)
        from tf2jax_port.diff.golden_file.document import read
        from tf2jax_port.diff.golden_file.golden import from_document
        from tf2jax_port.diff.goldens.record import record
        from tf2jax_port.diff.goldens.verify import verify
        from tf2jax_port.diff.sessions.recording import TENSORFLOW

        path = Path(self._goldens) / f"{golden}.golden"
        if not path.exists():
            _require_tensorflow(path)
            loaded, source = self._loaded(old), self._inputs(inputs, old, seed)
            words: Any = {"seed": seed, "x64": x64, "framework": TENSORFLOW}
            _write(path, record(loaded, source.calls, source.module, **words))
        return verify(from_document(*read(path)), path, self._loaded(new))

    def _elsewhere(self, specs: Sequence[str], golden: str, seed: int, x64: bool) -> Report:
        """Run the comparison in the worker process that all tests of this run share."""
        old, new, inputs = specs
        from tf2jax_port.diff.sessions.orders import Order
        from tf2jax_port.diff.supervision.supervisor import Worker, supervised

        path, seconds = tuple(sys.path), self._config.getoption("--tf-timeout")
        order = Order(old, new, inputs, seed, x64, (), None, True, True, False, path)
        worker = self._config.stash.get(_WORKER, None)
        if worker is None:
            worker = self._config.stash[_WORKER] = Worker(None, seconds)
        if self._goldens is None:
            return supervised(order, 1, seconds, _ignore_progress, None, worker)
        from tf2jax_port.diff.golden_file.document import read
        from tf2jax_port.diff.golden_file.golden import from_document
        from tf2jax_port.diff.goldens.record import record_elsewhere
        from tf2jax_port.diff.goldens.verify import verify_elsewhere
        from tf2jax_port.diff.sessions.recording import TENSORFLOW

        file = Path(self._goldens) / f"{golden}.golden"
        if not file.exists():
            _require_tensorflow(file)
            words: Any = {"seed": seed, "x64": x64, "framework": TENSORFLOW}
            _write(file, record_elsewhere(old, inputs, **words, timeout=seconds, worker=worker)[0])
        kept = from_document(*read(file))
        return verify_elsewhere(kept, file, new, timeout=seconds, worker=worker)

    def _spec(self, part: Any) -> str:
        """Return a specification from which another process can import an object, `""` if there is none."""
        if isinstance(part, str):
            return self._beside(part)
        name, place = getattr(part, "__qualname__", ""), getattr(part, "__module__", None) or ""
        found: Any = sys.modules.get(place)
        for step in name.split("."):
            found = getattr(found, step, None)
        return f"{place}:{name}" if name and found is part else ""

    def _loaded(self, function: Any) -> Loaded:
        from tf2jax_port.diff.functions.loading import load, named

        return load(self._beside(function)) if isinstance(function, str) else named(function)

    def _inputs(self, inputs: Any, old: Any, seed: int) -> Any:
        from tf2jax_port.diff.inputs.sources import Source, source_of

        if isinstance(inputs, str):
            return source_of(self._beside(inputs), self._loaded(old).function, seed)
        return Source(inputs)

    def _beside(self, spec: str) -> str:
        """Prefix a specification with the test's folder if its file lies there."""
        place, colon, name = spec.partition(":")
        path = self._folder / place
        return f"{path}{colon}{name}" if path.is_file() else spec


def _ignore_progress(done: int, total: int, lane: str) -> None:
    """Do nothing; a test shows no progress."""


def _require_tensorflow(path: Path) -> None:
    from tf2jax_port.diff.functions.loading import DiffError

    if importlib.util.find_spec("tensorflow") is None:
        raise DiffError(
            f"{path}: the golden does not exist, and it cannot be recorded because TensorFlow is not installed.\n  "
            "Do:       run the test with --tf-goldens once where TensorFlow is installed"
        )


def _write(path: Path, golden: Any) -> None:
    from tf2jax_port.diff.golden_file.document import write
    from tf2jax_port.diff.golden_file.golden import to_document

    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, *to_document(golden))

"""Run the rewriter over many files, in one process or several; results keep the files' order.

Results are yielded as they are found, and a process forgets a file once it is done, so memory use does
not grow with the number of files.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import gc
import itertools
import multiprocessing
import os
import pathlib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple, cast

from tf2jax_port.files.code_base import run_one
from tf2jax_port.files.project import Project, SeenFrom, Taken
from tf2jax_port.files.targets import Facts, choose, try_targets
from tf2jax_port.rewrite.findings.ledger import Choice, Entry, Skipped
from tf2jax_port.rewrite.options import Options, TargetName

Result = Entry | Skipped
Place = tuple[pathlib.Path, pathlib.Path]
One = functools.partial[Any]

# Files per task: enough to amortize the message, few enough to balance the load.
_CHUNK = 16
# Starting processes takes about as long as reading ten thousand lines; short runs avoid it.
_PATIENCE = 0.5  # seconds
_DIED = "the process that read the file crashed; expressions in the file may be nested too deeply"


def run_over(
    files: Iterable[Place],
    options: Options,
    *,
    texts: bool = True,
    jobs: int | None = 1,
    compare: bool = False,
) -> Iterator[Result]:
    """Yield the result of rewriting each file, in the order of `files`; nothing is written.

    Args:
      files: `(file, named folder)`, as returned by `code_base.find_files`.
      options: the options of the rewriter.
      texts: whether entries hold the text before and after. Without it, they are small, and the new
        text is not parsed again.
      jobs: the number of processes; `None` for one per processor once the run takes long.
      compare: whether every target is tried on every file, so entries have a recommendation; it takes four
        times as long, as does `--target auto`.
    """
    places = list(files)
    project = Project({str(root) for _, root in places})
    taken = Taken(project, [str(path) for path, _ in places])
    one = functools.partial(_run_one, project, taken, options, texts, None)
    gc.freeze()  # excludes loaded modules from garbage collection
    try:
        if not (compare or options.target == "auto"):
            yield from _run_with_jobs(one, places, jobs)
            return
        tried = list(_run_with_jobs(functools.partial(_try_one, one), places, jobs))
        facts = {str(path): each.facts for (path, _), each in zip(places, tried, strict=True)}
        choices = choose({p: found for p, found in facts.items() if found}, taken.imports)
        if options.target == "auto":
            one = functools.partial(_run_one, project, taken, options, texts, choices)
            yield from _run_with_jobs(one, places, jobs)
            return
        yield from (_with_choice(each.result, choices) for each in tried)
    finally:
        gc.unfreeze()


def run_text(path: pathlib.Path, raw: bytes, options: Options, *, compare: bool = False) -> Result:
    """Return the result of rewriting one text, as if it were the content of the file `path`."""
    root = path.parent
    project = Project({str(root)})

    def run(target: str) -> Result:
        asked = dataclasses.replace(options, target=cast("TargetName", target))
        around = SeenFrom(project, str(path))
        return run_one(path, root, asked, raw=raw, neighbors=around)

    if not (compare or options.target == "auto"):
        return run(options.target)
    facts = try_targets(run)
    choices = choose({} if facts is None else {str(path): facts})
    chosen = choices[str(path)].target if choices else "jax"
    return _with_choice(run(chosen if options.target == "auto" else options.target), choices)


def _run_with_jobs(one: One, places: list[Place], jobs: int | None) -> Iterator[Any]:
    if jobs == 1:
        yield from _run_here(one, places)
        return
    alone, rest = (0.0 if jobs else _PATIENCE), 0
    end = time.monotonic() + alone
    while rest < len(places) and time.monotonic() < end:
        yield from _run_here(one, places[rest : rest + 1])
        rest += 1
    chunks = [places[n : n + _CHUNK] for n in range(rest, len(places), _CHUNK)]
    count = min(jobs or _processors(), len(chunks))
    yield from _run_in_pool(one, chunks, count) if count > 1 else _run_here(one, places[rest:])


def _run_one(
    project: Project,
    taken: Taken,
    options: Options,
    texts: bool,
    choices: dict[str, Choice] | None,
    place: Place,
) -> Result:
    """Rewrite one file; with choices, to the target that they recommend."""
    path, root = place
    if choices is not None:
        target = choices[str(path)].target if str(path) in choices else "jax"
        options = dataclasses.replace(options, target=cast("TargetName", target))
    neighbors = SeenFrom(project, str(path), taken)
    result = run_one(path, root, options, texts=texts, neighbors=neighbors)
    result = _with_choice(result, choices or {})
    return result if texts or isinstance(result, Skipped) else result.without_texts()


def _with_choice(result: Result, choices: dict[str, Choice]) -> Result:
    if isinstance(result, Skipped) or result.path not in choices:
        return result
    return dataclasses.replace(result, choice=choices[result.path])


class _Tried(NamedTuple):
    """The facts about one file under every target, and the result of the target that was asked for."""

    facts: Facts | None
    result: Result


def _try_one(one: One, place: Place) -> _Tried:
    project, taken, options, texts, _ = one.args
    found: dict[str, Result] = {}

    def run(target: str) -> Result:
        asked = dataclasses.replace(options, target=cast("TargetName", target))
        found[target] = _run_one(project, taken, asked, texts and asked == options, None, place)
        return found[target]

    facts = try_targets(run)
    wanted = "jax" if options.target == "auto" else options.target
    return _Tried(facts, found[wanted] if wanted in found else run(wanted))


def _run_here(one: One, places: Iterable[Place]) -> Iterator[Any]:
    with _collector_paused():
        for number, place in enumerate(places, 1):
            yield one(place)
            if number % _CHUNK == 0:
                gc.collect(0)


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause Python's garbage collector, because syntax trees have many objects and few cycles.

    Collection would take a third of the time; young objects are collected after each few files.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _processors() -> int:
    """Return the number of processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Runs with several processes.

_WORK: list[One] = []


def _start_worker(one: One) -> None:
    """Initialize a worker process with the function that rewrites one file."""
    _WORK[:] = [one]
    gc.disable()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Make this process end when its parent does, even if the parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work_chunk(places: Sequence[Place]) -> list[Any]:
    results = [_WORK[0](place) for place in places]
    gc.collect(0)
    return results


def _pool(one: One, count: int) -> ProcessPoolExecutor:
    # Spawn, since a forked copy of this process would lack its threads.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, context, _start_worker, (one,))


def _run_in_pool(one: One, chunks: list[list[Place]], count: int) -> Iterator[Any]:
    """Process chunks of files in worker processes and yield the results in order.

    Only a few chunks are queued at a time.
    """
    pool = _pool(one, count)
    waiting: collections.deque[tuple[list[Place], Future[list[Any]]]] = collections.deque()
    coming = iter(chunks)
    try:
        while True:
            for chunk in itertools.islice(coming, 2 * count - len(waiting)):
                waiting.append((chunk, pool.submit(_work_chunk, chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            yield from future.result()
    except BrokenProcessPool:
        broken = [place for each, _ in [(chunk, None), *waiting] for place in each]
        yield from _one_by_one(one, [*broken, *itertools.chain.from_iterable(coming)])
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _one_by_one(one: One, places: list[Place]) -> Iterator[Any]:
    """Rewrite files one at a time after a crash; a file that crashes the process again is skipped."""
    pool = _pool(one, 1)
    try:
        for place in places:
            try:
                yield pool.submit(_work_chunk, [place]).result()[0]
            except BrokenProcessPool:
                yield _crashed(one, place)
                pool.shutdown(wait=True)
                pool = _pool(one, 1)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _crashed(one: One, place: Place) -> Any:
    """Return the result for a file that crashed its process; nothing is known of it."""
    skipped = Skipped(str(place[0]), "TJ905", _DIED)
    return _Tried(None, skipped) if one.func is _try_one else skipped

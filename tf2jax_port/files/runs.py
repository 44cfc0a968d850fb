"""A run over many files: one result for each, in order, by one process or by several.

Results are handed on as they are found, and what a process knows of a file is forgotten with it, so
memory does not grow with the number of files.
"""

from __future__ import annotations

import collections
import contextlib
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

from tf2jax_port.files.code_base import run_one
from tf2jax_port.files.project import Project, SeenFrom, Taken
from tf2jax_port.rewrite.findings.ledger import Entry, Skipped
from tf2jax_port.rewrite.options import Options

Result = Entry | Skipped
Place = tuple[pathlib.Path, pathlib.Path]
One = functools.partial[Result]

# Files that one process takes at a time: enough to be worth the message, few enough to be shared out.
_CHUNK = 16
# Starting processes takes about as long as reading ten thousand lines. Short runs do without.
_PATIENCE = 0.5  # seconds
_DIED = "the process that read it came to its end; the file may be nested too deeply"


def run_over(
    files: Iterable[Place], options: Options, *, texts: bool = True, jobs: int | None = 1
) -> Iterator[Result]:
    """What would become of each file, in the order of `files`; nothing is written.

    Args:
      files: `(file, folder that was named)`, as `code_base.find_files` gives them.
      options: what was asked for.
      texts: entries hold the text before and after. Without, they are small, and the text after is
        not parsed again.
      jobs: how many processes; `None` for one per processor as soon as the run takes long.
    """
    places = list(files)
    roots = {str(root) for _, root in places}
    project = Project(roots)
    one = functools.partial(
        _one, options, texts, project, Taken(project, [str(path) for path, _ in places])
    )
    gc.freeze()  # what the commands consist of is not looked through again
    try:
        yield from _by(one, places, jobs)
    finally:
        gc.unfreeze()


def _by(one: One, places: list[Place], jobs: int | None) -> Iterator[Result]:
    if jobs == 1:
        yield from _alone(one, places)
        return
    alone, rest = (0.0 if jobs else _PATIENCE), 0
    end = time.monotonic() + alone
    while rest < len(places) and time.monotonic() < end:
        yield from _alone(one, places[rest : rest + 1])
        rest += 1
    chunks = [places[n : n + _CHUNK] for n in range(rest, len(places), _CHUNK)]
    count = min(jobs or _processors(), len(chunks))
    yield from _shared(one, chunks, count) if count > 1 else _alone(one, places[rest:])


def _one(options: Options, texts: bool, project: Project, taken: Taken, place: Place) -> Result:
    path, root = place
    neighbors = SeenFrom(project, str(path), taken)
    result = run_one(path, root, options, texts=texts, neighbors=neighbors)
    return result if texts or isinstance(result, Skipped) else result.without_texts()


def _alone(one: One, places: Iterable[Place]) -> Iterator[Result]:
    with _collector_paused():
        for number, place in enumerate(places, 1):
            yield one(place)
            if number % _CHUNK == 0:
                gc.collect(0)


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """A syntax tree is many objects and no circle: looking for circles takes a third of the time.

    Nor are results looked through again and again: what a few files left behind is, once.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Several processes.

_WORK: list[One] = []


def _begin(one: One) -> None:
    """What a new process is told once."""
    _WORK[:] = [one]
    gc.disable()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process when the one that started it is gone; if that was killed nobody else would."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(places: Sequence[Place]) -> list[Result]:
    results = [_WORK[0](place) for place in places]
    gc.collect(0)
    return results


def _pool(one: One, count: int) -> ProcessPoolExecutor:
    # A new interpreter, not a copy of this one, whose threads a copy would not have.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, context, _begin, (one,))


def _shared(one: One, chunks: list[list[Place]], count: int) -> Iterator[Result]:
    """The results of all chunks in order; only a few chunks wait for their turn."""
    pool = _pool(one, count)
    waiting: collections.deque[tuple[list[Place], Future[list[Result]]]] = collections.deque()
    coming = iter(chunks)
    try:
        while True:
            for chunk in itertools.islice(coming, 2 * count - len(waiting)):
                waiting.append((chunk, pool.submit(_work, chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            yield from future.result()
    except BrokenProcessPool:
        broken = [place for each, _ in [(chunk, None), *waiting] for place in each]
        yield from _one_by_one(one, [*broken, *itertools.chain.from_iterable(coming)])
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _one_by_one(one: One, places: list[Place]) -> Iterator[Result]:
    """After a process died: each file by itself, so that only the guilty one is lost."""
    pool = _pool(one, 1)
    try:
        for place in places:
            try:
                yield pool.submit(_work, [place]).result()[0]
            except BrokenProcessPool:
                yield Skipped(str(place[0]), "TJ905", _DIED)
                pool.shutdown(wait=True)
                pool = _pool(one, 1)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)

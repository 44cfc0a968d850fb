"""Record profiles between `trace_on` and `trace_export`, with JAX's profiler."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings

import jax

_NO_GRAPH = (
    "no graph is written for TensorBoard, because JAX programs have no graph. Look at "
    "`jax.make_jaxpr(f)(x)`, or pass `profiler=True`, whose profile TensorBoard shows."
)


class _Recording:
    """Keep what is being recorded: the graph, and a profile in a temporary folder."""

    current: _Recording | None = None

    def __init__(self, graph: bool, profile: str | None, folder: str | None):
        self.graph, self.profile, self.folder = graph, profile, folder


def trace_on(graph=True, profiler=False, profiler_outdir=None) -> None:
    """Start to record a profile.

    Args:
      graph: if True, a warning says that there is no graph to record.
      profiler: whether a profile is recorded.
      profiler_outdir: the folder of the profile, which can also be passed to `trace_export`.

    Differs from TensorFlow:
      There is no graph to record. The profile is written by JAX's profiler.

    Under jit:
      Call this function outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/summary/trace_on
    """
    if _Recording.current is not None:
        warnings.warn("Trace already enabled", stacklevel=2)
        return
    profile = tempfile.mkdtemp() if profiler else None
    if profile is not None:
        jax.profiler.start_trace(profile)
    _Recording.current = _Recording(graph, profile, profiler_outdir)


def trace_export(name, step=None, profiler_outdir=None) -> None:
    """Stop recording, and write the profile.

    Args:
      name: ignored; this would be the name of the graph.
      step: ignored.
      profiler_outdir: the folder of the profile, if no folder was passed to `trace_on`.

    Raises:
      ValueError: `trace_on` was not called, or the profile has no folder.

    Differs from TensorFlow:
      A warning says that there is no graph to write.

    https://www.tensorflow.org/api_docs/python/tf/summary/trace_export
    """
    del name, step
    found = _Recording.current
    if found is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    folder = found.folder if profiler_outdir is None else profiler_outdir
    if found.profile is not None and folder is None:
        raise ValueError("Profiler outdir must be given to `trace_on` or `trace_export`.")
    if found.graph:
        warnings.warn(_NO_GRAPH, stacklevel=2)
    _stop(found)
    if found.profile is not None and folder is not None:
        shutil.copytree(found.profile, os.fspath(folder), dirs_exist_ok=True)
        shutil.rmtree(found.profile)


def trace_off() -> None:
    """Stop recording, and write nothing.

    https://www.tensorflow.org/api_docs/python/tf/summary/trace_off
    """
    if _Recording.current is not None:
        found = _Recording.current
        _stop(found)
        if found.profile is not None:
            shutil.rmtree(found.profile)


def _stop(recording: _Recording) -> None:
    _Recording.current = None
    if recording.profile is not None:
        jax.profiler.stop_trace()

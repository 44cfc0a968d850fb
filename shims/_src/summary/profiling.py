"""Provide `tf.profiler.experimental` with JAX's profiler, whose profiles TensorBoard shows."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import NamedTuple

import jax

from shims._src.errors import errors


class ProfilerOptions(NamedTuple):
    """Define how much a profile records.

    Args:
      host_tracer_level: how many events of the host are recorded, from 0 (none) to 3 (most).
      python_tracer_level: 1 to record calls of Python functions.
      device_tracer_level: accepted and ignored, because devices are always recorded.
      delay_ms: accepted and ignored, because recording begins at once.

    Under jit:
      A plain tuple.

    https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/ProfilerOptions
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Running:
    """Keep the folder of the profile in progress, and the temporary folder that it is written to."""

    current: tuple[str, str] | None = None


def start(logdir, options=None) -> None:
    """Begin to record a profile.

    Args:
      logdir: the folder of the profile, which TensorBoard shows.
      options: `ProfilerOptions`, or a dictionary of them.

    Raises:
      AlreadyExistsError: a profile is being recorded.

    Differs from TensorFlow:
      The profile is JAX's: it shows the programs that XLA compiled.

    Under jit:
      Call this function outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/start
    """
    chosen = ProfilerOptions(**options) if isinstance(options, dict) else options
    chosen = ProfilerOptions() if chosen is None else chosen
    given = jax.profiler.ProfileOptions()
    given.host_tracer_level = chosen.host_tracer_level
    given.python_tracer_level = chosen.python_tracer_level
    folder = tempfile.mkdtemp()
    try:
        jax.profiler.start_trace(folder, profiler_options=given)
    except RuntimeError:
        shutil.rmtree(folder)
        raise errors.AlreadyExistsError("Another profiler is running.") from None
    _Running.current = os.fspath(logdir), folder


def stop(save=True) -> None:
    """End the recording, and write the profile.

    Args:
      save: whether the profile is written.

    Raises:
      UnavailableError: no profile is being recorded.

    Under jit:
      Call this function outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/stop
    """
    if _Running.current is None:
        raise errors.UnavailableError("Cannot export profiling results. No profiler is running.")
    (logdir, folder), _Running.current = _Running.current, None
    jax.profiler.stop_trace()
    if save:
        shutil.copytree(folder, logdir, dirs_exist_ok=True)
    shutil.rmtree(folder)


class Profile:
    """A context manager that records a profile of the block.

    Args:
      logdir: the folder of the profile.
      options: `ProfilerOptions`, or a dictionary of them.

    Raises:
      AlreadyExistsError: a profile is being recorded.

    Under jit:
      Use the profiler outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/Profile
    """

    def __init__(self, logdir, options=None):
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *error) -> None:
        stop()


class Trace(jax.profiler.TraceAnnotation):
    """A context manager that names the block in a profile.

    Args:
      name: the name of the event.
      **kwargs: numbers and strings that the profile shows with the event, such as `step_num`; with
        `_r=1` the event is a step of training.

    Under jit:
      Use the context manager around the call of the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/Trace
    """


def start_server(port) -> None:
    """Start a server from which TensorBoard records profiles.

    Args:
      port: the number of the server's port.

    Under jit:
      Call this function outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/server/start
    """
    jax.profiler.start_server(port)

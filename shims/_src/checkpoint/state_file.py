"""Read and write the file `checkpoint` of a folder, which names its newest checkpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence

from shims._src.checkpoint.file_names import checkpoint_exists
from shims._src.checkpoint.replacing import replace_file
from shims._src.checkpoint.state_text import CheckpointState, ParseError, parse
from shims._src.gradients.tensor_questions import get_logger


def generate_checkpoint_state_proto(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
) -> CheckpointState:
    """Build the checkpoint state of a folder, with relative paths if the folder's path is relative.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the path of the newest checkpoint.
      all_model_checkpoint_paths: the paths of all kept checkpoints, oldest first.
      all_model_checkpoint_timestamps: the write times of the checkpoints, in Unix seconds.
      last_preserved_timestamp: when the last permanently kept checkpoint was written.

    Raises:
      ValueError: the numbers of timestamps and paths differ.

    Differs from TensorFlow:
      The argument lists are not modified.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/generate_checkpoint_state_proto
    """
    newest = os.fspath(model_checkpoint_path)
    times = [float(time) for time in all_model_checkpoint_timestamps or ()]
    paths = [os.fspath(path) for path in all_model_checkpoint_paths or ()]
    if not paths or paths[-1] != newest:
        paths.append(newest)
    if times and len(times) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} "
            f"and timestamps {times})"
        )
    if not os.path.isabs(save_dir):
        newest, *paths = (
            path if os.path.isabs(path) else os.path.relpath(path, save_dir or os.curdir)
            for path in (newest, *paths)
        )
    return CheckpointState(newest, paths, times, float(last_preserved_timestamp or 0))


def update_checkpoint_state(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=None,
    latest_filename=None,
    all_model_checkpoint_timestamps=None,
    last_preserved_timestamp=None,
) -> None:
    """Write the file `checkpoint` of a folder.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the path of the newest checkpoint.
      all_model_checkpoint_paths: the paths of all kept checkpoints, oldest first.
      latest_filename: the name of the file; `checkpoint` when `None`.
      all_model_checkpoint_timestamps: the write times of the checkpoints, in Unix seconds.
      last_preserved_timestamp: when the last permanently kept checkpoint was written.

    Raises:
      RuntimeError: the checkpoint itself has that name.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/update_checkpoint_state
    """
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    path = _state_path(save_dir, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  "
            "Please use a different save path."
        )
    replace_file(path, str(state).encode(errors="surrogateescape"))


def relative_to(save_dir: str, paths: Sequence[str]) -> list[str]:
    """Make paths relative to a folder, so that the folder can be moved."""
    return [os.path.relpath(p, save_dir) if os.path.isabs(p) else p for p in paths]


def get_checkpoint_state(checkpoint_dir, latest_filename=None) -> CheckpointState | None:
    """Read the file `checkpoint` of a folder.

    Args:
      checkpoint_dir: the folder.
      latest_filename: the name of the file; `checkpoint` when `None`.

    Returns:
      The state, with relative paths joined to the folder; `None` if the file does not exist or cannot
      be parsed.

    Raises:
      ValueError: the file does not name a newest checkpoint.

    https://www.tensorflow.org/api_docs/python/tf/train/get_checkpoint_state
    """
    folder = os.fspath(checkpoint_dir)
    path = _state_path(folder, latest_filename)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            state = parse(file.read())
    except (OSError, ParseError) as error:
        if not isinstance(error, FileNotFoundError):
            get_logger().warning("%s: %s: Checkpoint ignored", path, error)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [
        os.path.join(folder, p) for p in state.all_model_checkpoint_paths
    ]
    return state


def latest_checkpoint(checkpoint_dir, latest_filename=None) -> str | None:
    """Return the path of the newest checkpoint of a folder, as its file `checkpoint` states.

    Args:
      checkpoint_dir: the folder.
      latest_filename: the name of the file; `checkpoint` when `None`.

    Returns:
      The path, for `restore`; `None` if the file or the checkpoint does not exist.

    https://www.tensorflow.org/api_docs/python/tf/train/latest_checkpoint
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    get_logger().error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def _state_path(folder, latest_filename) -> str:
    return os.path.join(folder, "checkpoint" if latest_filename is None else latest_filename)

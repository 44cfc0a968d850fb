"""Provide `tf.train.init_from_checkpoint`, which initializes variables from a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from shims._src.checkpoint.checkpoint_reader import CheckpointReader, checkpoint_path
from shims._src.checkpoint.restoring import restore
from shims._src.v1.graph.nodes import Operation
from shims._src.v1.saving.saver_variables import Saved
from shims._src.v1.variables.variable_scope import variables_by_name
from shims._src.v1.variables.variables import GraphVariable


def init_from_checkpoint(ckpt_dir_or_file, assignment_map) -> None:
    """Make the initializers of variables read their values from a checkpoint.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder.
      assignment_map: a dict, or pairs. An entry `"name in the checkpoint": variable` names one
        variable: an object, a list of the parts of a partitioned variable, or the name given to
        `get_variable`. An entry `"scope/": "other_scope/"` stands for all variables of the other
        scope; `"/"` is the root.

    Raises:
      ValueError: the checkpoint lacks a name, or has a different shape for this name.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/init_from_checkpoint
    """
    path = os.fspath(ckpt_dir_or_file)
    file = checkpoint_path(path)
    shapes = CheckpointReader(file).get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    made = variables_by_name()
    for saved_name, current in sorted(pairs, key=lambda pair: pair[0]):
        found = _variable_or_parts(current, made) if isinstance(current, str) else current
        if found is not None:
            _check_in_checkpoint(found, saved_name, shapes, path)
            _initialize(found, file, saved_name)
            continue
        for name, full_name in _names_in_scope(saved_name, current, made):
            if full_name not in shapes:
                raise ValueError(
                    f"Tensor {full_name} ({name[len(_scope_name(current)) + 1 :]} in {saved_name}) is not "
                    f"found in {path} checkpoint"
                )
            _initialize(_variable_or_parts(name, made), file, full_name)


def _variable_or_parts(name: str, made: dict[str, GraphVariable]):
    """Return the variable with the given name, the list of its parts if it is partitioned, or `None`.

    made: the variables that `get_variable` created, by name.
    """
    if name in made:
        return made[name]
    parts: list[GraphVariable] = []
    while (part := f"{name}/part_{len(parts)}") in made:
        parts.append(made[part])
    return parts or None


def _scope_name(current: str) -> str:
    return current.rpartition("/")[0]


def _names_in_scope(saved_scope: str, current: str, made) -> Iterator[tuple[str, str]]:
    """Yield, for each variable in the scope `current`, its name and its name in the checkpoint."""
    scope = _scope_name(current)
    if not saved_scope.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {saved_scope}. "
            "Should be 'scope/': 'other_scope/'."
        )
    inside = (n for n in made if not scope or n.startswith(f"{scope}/"))
    for name in sorted({n.partition("/part_")[0] for n in inside}):
        tail = name[len(scope) :]
        tail = tail if current == "/" else tail[1:]
        full_name = tail if saved_scope == "/" else saved_scope + tail
        yield name, full_name.removesuffix("/")


def _check_in_checkpoint(found, saved_name: str, shapes: dict[str, list[int]], path: str) -> None:
    if saved_name not in shapes:
        raise ValueError(f"Tensor {saved_name} is not found in {path} checkpoint {shapes}")
    if isinstance(found, GraphVariable) and not found.shape.is_compatible_with(shapes[saved_name]):
        raise ValueError(
            f"Shape of variable {found.name} ({found.shape}) doesn't match with shape of tensor "
            f"{saved_name} ({shapes[saved_name]}) from checkpoint reader."
        )


def _initialize(found, file: str, saved_name: str) -> None:
    """Make the initializer of a variable, or of each part in a list, read from a checkpoint."""
    if isinstance(found, GraphVariable):
        _read_in_initializer(Saved(saved_name, found), file)
        return
    for part in found:
        _read_in_initializer(Saved(saved_name, part, is_piece=True), file)


def _read_in_initializer(saved: Saved, file: str) -> None:
    variable, wanted = saved.variable, [saved.wanted()]

    def compute(session, op, values):
        del session, op, values
        return restore(file, wanted)

    graph = variable.graph
    read = Operation(
        graph,
        "RestoreV2",
        graph.unique_name("checkpoint_initializer"),
        compute,
        (),
        [(variable.shape, variable.dtype)],
        graph.present_control_inputs(),
    )
    read.on_host = True
    if variable.is_resource:
        graph.unique_name("Identity")  # TensorFlow creates an internal one
    name = graph.unique_name("AssignVariableOp" if variable.is_resource else "Assign")
    variable.initializer = variable._assignment(graph, name, read.outputs[0])
    variable._initial_value = read.outputs[0]

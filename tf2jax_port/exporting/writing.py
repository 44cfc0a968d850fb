"""Write a training step as a JAX module."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from tf2jax_port.exporting import layout, training
from tf2jax_port.exporting.assembling import assembled
from tf2jax_port.exporting.body import Body
from tf2jax_port.exporting.expressions import Expression
from tf2jax_port.exporting.functions import Writer
from tf2jax_port.exporting.inputs import Input, Signature, Wanted, default_of, inputs_of
from tf2jax_port.exporting.module import Module
from tf2jax_port.exporting.scopes import Group, Grouping
from tf2jax_port.exporting.step import Step, Version, check_supported


@dataclasses.dataclass
class Export:
    """A training step that was written as a module.

    Args:
      step: the step.
      module: the functions of the module.
      text: the source.
      inputs: the arguments for what the program feeds.
      paths: where `params` and `state` hold each variable.
      optimizer: the optimizer.
      drawn: for each function the random operations by their path through `jax.random.split`.
      left_out: names of operations of the step that the module does not have.
      outputs: further results that were asked for, by their names.
      dynamic: whether sizes depend on data.
    """

    step: Step
    module: Module
    text: str
    inputs: list[Input]
    paths: dict[Any, tuple[str, tuple[str, ...]]]
    optimizer: Any
    drawn: dict[str, dict[tuple[int, ...], Any]]
    left_out: list[str]
    outputs: dict[str, Any]
    dynamic: bool = False

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the file beside the module: variables and constants by their names."""
        values = self.step.session.values
        found = {}
        for variable, (root, path) in self.paths.items():
            found[f"{root}/{'/'.join(path)}"] = _narrow(np.asarray(values[variable]))
        return found | {f"constants/{n}": a for n, a in self.module.constants.items()}


def _narrow(array: np.ndarray) -> np.ndarray:
    """Return an array whose 64-bit numbers became 32-bit numbers, as in JAX."""
    kind = {"float64": "float32", "int64": "int32"}.get(str(array.dtype))
    return array.astype(kind) if kind else array


def export(step: Step, values: dict[Any, np.ndarray], title: str, wanted: Wanted) -> Export:
    """Write a training step as a module.

    Args:
      step: the step.
      values: the value of each tensor from outside.
      title: what was exported, for the docstring.
      wanted: the tensors that the user chose.

    Raises:
      UnsupportedError: an operation has no rule.
    """
    check_supported(step)
    outputs = {name: step.resolved(tensor, None) for name, tensor in wanted.outputs.items()}
    every = [*step.batch, *(t for t in step.outside(outputs.values()) if t not in step.batch)]
    inputs = inputs_of(step, every, values)
    results = [step.resolved(step.loss, None), *step.updates]
    paths = _paths(step, step.needed([*results, *outputs.values()]))
    module = Module()
    for i in inputs:
        module.names.taken.add(i.name)
    writer = Writer(
        module,
        step,
        {i.tensor: i.name for i in inputs},
        {i.tensor for i in inputs if i.is_static},
        paths,
    )
    constants = _constants(writer, inputs, wanted)
    inputs = [i for i in inputs if i.tensor not in writer.globals]
    has_state = any(root == "state" for root, _ in paths.values())
    export = Export(step, module, "", inputs, paths, None, {}, [], outputs)
    loss, signature = _function(export, writer, "loss_fn", results, inputs, has_state)
    more = (
        [_function(export, writer, "outputs", list(outputs.values()), inputs, has_state)[0]]
        if outputs
        else []
    )
    optimizer = training.Training(writer, step, inputs)
    export.optimizer, export.left_out, export.dynamic = (
        optimizer.optimizer,
        optimizer.left_out,
        module.dynamic,
    )
    named = module.named_functions(loss, *more)
    parts = [*named, *map(module.finished, (loss, *more)), *optimizer.texts(signature, module)]
    export.text = assembled(module, parts, title, signature, constants)
    return export


def _function(
    export: Export,
    writer: Writer,
    name: str,
    results: Sequence[Any],
    inputs: list[Input],
    has_state: bool,
) -> tuple[str, Signature]:
    """Return the source of a function of the whole module, and its signature."""
    step = export.step
    operations = step.needed(results)
    needed = set(step.outside(results))
    used = [i for i in inputs if i.tensor in needed]
    group = Grouping(step, operations).whole()
    writer.prepare(group, results)
    body = _whole_body(writer, group, used, results)
    drawn = _draws(writer, group, ())
    export.drawn[name] = drawn
    signature = Signature(used, has_state, bool(drawn))
    if name == "loss_fn":
        return _loss_text(body, step, results, signature, export.paths), signature
    texts = [
        f"{n!r}: {body.find(k).text}".replace("'", '"')
        for n, k in zip(export.outputs, results, strict=True)
    ]
    body.lines += layout.wrapped(f"return {{{', '.join(texts)}}}", 1)
    head = layout.wrapped(f"def outputs({signature.parameters()}):", 0)
    return "\n".join(
        [*head, '    """Return the requested tensors by their names."""', *body.lines]
    ) + "\n", signature


def _constants(writer: Writer, inputs: list[Input], wanted: Wanted) -> list[str]:
    """Make the inputs that the user did not choose constants of the module; return their sources."""
    lines = []
    for i in inputs:
        if wanted.inputs is None or i.tensor in wanted.inputs:
            continue
        writer.fixed.discard(i.tensor)
        if i.value.ndim:
            writer.globals[i.tensor] = writer.module.constant(i.name, i.value)
            continue
        lines.append(f"{i.name.upper()} = {default_of(i)}")
        writer.globals[i.tensor] = Expression(i.name.upper(), is_static=i.is_static)
    return lines


# ---- inputs and variables ------------------------------------------------------------------------


def _paths(step: Step, operations: Sequence[Any]) -> dict[Any, tuple[str, tuple[str, ...]]]:
    """Return, for each variable, the dictionary that holds it and its path there."""
    used = dict.fromkeys(step.trained)
    for op in operations:
        used.update(dict.fromkeys(k.variable for k in step.inputs_of(op) if isinstance(k, Version)))
        used.update(dict.fromkeys(op.writes))
    trained = set(step.trained)
    found = {}
    for variable in used:
        root = "params" if variable in trained else "state"
        found[variable] = (root, tuple(variable.op.name.split("/")))
    return _without_conflicts(found)


def _without_conflicts(
    paths: dict[Any, tuple[str, tuple[str, ...]]],
) -> dict[Any, tuple[str, tuple[str, ...]]]:
    """Use whole names where the name of a variable is the scope of another."""
    every = {(root, path[:i]) for root, path in paths.values() for i in range(len(path))}
    if not any(p in every for p in paths.values()):
        return paths
    return {v: (root, ("/".join(path),)) for v, (root, path) in paths.items()}


# ---- the loss ------------------------------------------------------------------------------------


def _whole_body(writer: Writer, group: Group, inputs: list[Input], results: Sequence[Any]) -> Body:
    roots: dict[str, tuple[str, ...]] = {"params": (), "state": ()}
    body = writer.body(group, roots)  # both by their names
    for key in results:
        if isinstance(key, Version) and key.writer is None:
            body.values[key] = writer._read(key, roots)
    for i in inputs:
        expression = Expression(i.name, is_static=i.is_static)
        if i.is_static and i.value.ndim == 1:
            items = tuple(Expression(f"{i.name}[{n}]", is_static=True) for n in range(i.value.size))
            expression = dataclasses.replace(expression, items=items if i.value.size > 1 else None)
        described = body._described(i.tensor, expression)
        if described.shape is None and i.value.ndim:
            described = dataclasses.replace(described, shape=(None,) * i.value.ndim)
        body.values[i.tensor] = described
    writer.fill(body, group, results)
    return body


def _loss_text(
    body: Body, step: Step, results: Sequence[Any], signature: Signature, paths: Any
) -> str:
    if step.updates:
        for key in results:
            if key in body.pending:
                body.settle(key)
    value = body.find(results[0]).text
    if step.updates:
        tree = _new_state(body, step, paths)
        body.lines += layout.wrapped(f"new_state = {tree}", 1)
        body.lines += layout.wrapped(f"return {value}, new_state", 1)
    else:
        body.write_return(results)
    what = "the loss, and the new values of `state`" if step.updates else "the loss"
    head = layout.wrapped(f"def loss_fn({signature.parameters()}):", 0)
    return "\n".join([*head, f'    """Return {what}."""', *body.lines]) + "\n"


def _new_state(body: Body, step: Step, paths: Any) -> str:
    """Return the source of the dictionary of all variables that are not trained, after the step."""
    updated = {u.variable: body.find(u).text for u in step.updates}
    tree: dict[str, Any] = {}
    for variable, (root, path) in paths.items():
        if root != "state":
            continue
        place = tree
        for part in path[:-1]:
            place = place.setdefault(part, {})
        place[path[-1]] = updated.get(variable)
    return _tree_text(tree, "state")


def _tree_text(tree: Any, source: str) -> str:
    if tree is None:
        return source
    if isinstance(tree, str):
        return tree
    parts = [f'"{k}": {_tree_text(v, f"{source}[{chr(34)}{k}{chr(34)}]")}' for k, v in tree.items()]
    return f"{{{', '.join(parts)}}}"


def _draws(writer: Writer, group: Group, path: tuple[int, ...]) -> dict[tuple[int, ...], Any]:
    found: dict[tuple[int, ...], Any] = {}
    drawn = writer.drawing(group)
    for i, item in enumerate(drawn):
        inner = path if len(drawn) == 1 else (*path, i)
        if isinstance(item, Group):
            found |= _draws(writer, item, inner)
        else:
            found[inner] = item
    return found


def save(export: Export, path: pathlib.Path) -> list[pathlib.Path]:
    """Write the module, and its arrays beside it; return the paths."""
    arrays = path.with_suffix(".npz")
    path.parent.mkdir(parents=True, exist_ok=True)
    with arrays.open("wb") as file:
        np.savez(file, **cast("Any", export.arrays()))
    path.write_text(export.text, encoding="utf-8")
    return [path, arrays]

"""Write groups of operations as functions that call each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from tf2jax_port.exporting import layout
from tf2jax_port.exporting.body import Body
from tf2jax_port.exporting.definitions import DEFINITIONS
from tf2jax_port.exporting.expressions import ATOM, Expression
from tf2jax_port.exporting.module import RESERVED, Module
from tf2jax_port.exporting.naming import wanted_name
from tf2jax_port.exporting.original import Statement, statement_of
from tf2jax_port.exporting.scopes import Group
from tf2jax_port.exporting.step import Step, Version
from tf2jax_port.importing.scope import Names


@dataclasses.dataclass
class Written:
    """A function that was written for a group.

    Args:
      number: its number in the module.
      data: the keys of its data arguments.
      fixed: the keys of its arguments that are Python values.
      roots: for `params` and `state` the path of the dictionary, or of the variable, that it takes.
      results: the keys of its results.
      draws: whether it takes a random key.
      statements: the statements of the original that it holds.
    """

    number: int
    data: list[Any]
    fixed: list[Any]
    roots: dict[str, tuple[str, ...]]
    results: list[Any]
    draws: bool
    statements: set[str]


class Writer:
    """Writes the functions of a module.

    Args:
      module: the module.
      step: the training step.
      inputs: the name of each tensor from outside.
      fixed: the names of the tensors whose values are Python values, known when JAX traces.
      paths: for each variable the dictionary that holds it, `params` or `state`, and its path there.

    Attributes:
      globals: the expressions of tensors from outside that are constants of the module.
    """

    def __init__(
        self,
        module: Module,
        step: Step,
        inputs: dict[Any, str],
        fixed: set[Any],
        paths: dict[Any, tuple[str, tuple[str, ...]]],
    ):
        self.module, self.step = module, step
        self.inputs, self.fixed, self.paths = inputs, fixed, paths
        self.globals: dict[Any, Expression] = {}

    # ---- what a group needs ----------------------------------------------------------------------

    def prepare(self, group: Group, results: Sequence[Any]) -> None:
        """Find who uses the values of all operations.

        results: the keys that the whole returns.
        """
        self.users: dict[Any, set[Any]] = {}
        for op in group.operations():
            for key in self._used(op):
                self.users.setdefault(key, set()).add(op)
        self.wanted = list(dict.fromkeys(results))

    def _used(self, op: Any) -> list[Any]:
        return [*self.step.inputs_of(op), *(self.step.before_update(op) if op.writes else ())]

    def _produced(self, op: Any) -> list[Any]:
        return [Version(v, op) for v in op.writes] or list(op.outputs)

    def _outside(self, group: Group) -> list[Any]:
        own = set(group.operations())
        used = dict.fromkeys(k for op in own_in_order(group) for k in self._used(op))
        return [k for k in used if self.step.producer(k) not in own]

    def _results(self, group: Group) -> list[Any]:
        own = set(group.operations())
        found = []
        for op in own_in_order(group):
            for key in self._produced(op):
                if key in self.wanted or self.users.get(key, set()) - own:
                    found.append(key)
        return found

    # ---- functions -------------------------------------------------------------------------------

    def function(self, group: Group) -> Written:
        """Write the functions of inner groups, then the function of the group."""
        outside = self._outside(group)
        results = self._results(group)
        data = [k for k in outside if self._is_data(k)]
        fixed = [k for k in outside if k in self.fixed]
        roots = self._roots(k.variable for k in outside if isinstance(k, Version))
        body = self.body(group, roots)
        for i, key in enumerate(data):
            body.values[key] = body._described(key, Expression(f"_argument_{i}_"))
        for key in fixed:
            body.values[key] = Expression(self.inputs[key], is_static=True)
        self.fill(body, group, results)
        drawn = bool(self.drawing(group))
        given = [_root_argument(root, path, self.paths, roots) for root, path in roots.items()]
        given += [f"_argument_{i}_" for i in range(len(data))]
        given += [self.inputs[k] for k in fixed] + (["key"] if drawn else [])
        statements = {str(statement_of(op)): statement_of(op) for op in group.operations()}
        lines = sorted(
            {s for s in statements.values() if s is not None}, key=lambda s: (s.file, s.line)
        )
        body.write_return(results)
        head = layout.wrapped(f"def _this_function_({', '.join(given)}):", 0)
        text = "\n".join([*head, "_docstring_", *body.lines]) + "\n"
        names = [self.inputs.get(k) or wanted_name(k) for k in data]
        number = self.module.add(text, group.scope, names, lines)
        return Written(number, data, fixed, roots, results, drawn, set(statements))

    def _is_data(self, key: Any) -> bool:
        if isinstance(key, Version) or key in self.fixed or key in self.globals:
            return False
        return not _is_read(key)

    def body(self, group: Group, roots: dict[str, tuple[str, ...]]) -> Body:
        """Return an empty body in which the variables are available."""
        leaves = [_leaf_name(p) for r, p in self.paths.values() if roots.get(r) == p]
        body = Body(
            self.module, self.step, Names((*RESERVED, *DEFINITIONS, *self.inputs.values(), *leaves))
        )
        body.roots = roots
        for key in self._outside(group):
            if isinstance(key, Version):
                body.values[key] = self._read(key, roots)
            elif key in self.globals:
                body.values[key] = body._described(key, self.globals[key])
        return body

    def _read(self, key: Version, roots: dict[str, tuple[str, ...]]) -> Expression:
        root, path = self.paths[key.variable]
        start = roots[root]
        shape = key.variable.shape
        if start == path:
            text = _leaf_name(path)
        else:
            text = _shown_root(root, roots) + "".join(f'["{part}"]' for part in path[len(start) :])
        return Expression(
            text,
            ATOM,
            key.variable.dtype.name,
            None if shape.rank is None else tuple(shape.as_list()),
        )

    def _roots(self, variables: Iterable[Any]) -> dict[str, tuple[str, ...]]:
        """Return the dictionaries that hold all given variables, and nothing above them."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for variable in dict.fromkeys(variables):
            root, path = self.paths[variable]
            found.setdefault(root, []).append(path)
        return {root: _common(found[root]) for root in ("params", "state") if root in found}

    def drawing(self, group: Group) -> list[Any]:
        """Return the operations and inner groups that need a random key."""
        found: list[Any] = []
        for item in group.items:
            if isinstance(item, Group):
                if self.drawing(item):
                    found.append(item)
            else:
                found += [op for op in _with_inner(item) if "seeds" in op.attributes]
        return found

    def fill(self, body: Body, group: Group, results: Sequence[Any]) -> None:
        """Write the operations of a group and the calls of its inner groups into a body."""
        drawn = self.drawing(group)
        if len(drawn) > 1:
            body.write(f"keys = jax.random.split(key, {len(drawn)})")
        body.request_key = lambda op: "key" if len(drawn) == 1 else f"keys[{drawn.index(op)}]"
        calls = {id(item): self.function(item) for item in group.items if isinstance(item, Group)}

        def used(item: Any) -> list[Any]:
            if not isinstance(item, Group):
                return body.keys_used_by(item)
            return self._outside(item)

        body.count_uses([i for i in group.items if not _is_read_operation(i)], used, results)
        for item in group.items:
            if isinstance(item, Group):
                self._call(body, item, calls[id(item)], results)
            elif not _is_read_operation(item):
                body.operation(item)

    def _call(self, body: Body, group: Group, written: Written, results: Sequence[Any]) -> None:
        """Write the call of an inner group's function."""
        for key in written.data:
            if key in body.pending and len(body.find(key).text) > 40:
                body.settle(key)
        arguments = [self._root_value(body, root, path) for root, path in written.roots.items()]
        arguments += [body.find(k).text for k in written.data]
        arguments += [body.find(k).text for k in written.fixed]
        if written.draws:
            arguments.append(body.request_key(group))
        text = f"_function_{written.number}_({', '.join(arguments)})"
        used = self._outside(group)
        body.done(used)
        body._forget(used)
        keys = written.results
        last = max(group.operations(), key=lambda op: op.number)
        if len(keys) == 1 and keys == list(results) and body.uses.get(keys[0]) == 1:
            body.values[keys[0]] = Expression(text)
            return
        names = [body.name_for(None, k) if body.uses.get(k) else "_" for k in keys]
        body.write(f"{', '.join(names)} = {text}", _caller(last, written.statements))
        for key, name in zip(keys, names, strict=True):
            body.bind(key, name)

    def _root_value(self, body: Body, root: str, path: tuple[str, ...]) -> str:
        """Return the source of the dictionary, or of the variable, that a called function takes."""
        start = body.roots.get(root, ())
        if start == path and any(p == path for r, p in self.paths.values() if r == root):
            return _leaf_name(path)
        shown = _shown_root(root, body.roots)
        return shown + "".join(f'["{part}"]' for part in path[len(start) :])


def own_in_order(group: Group) -> list[Any]:
    """Return the operations of a group in the order of their creation."""
    return sorted(group.operations(), key=lambda op: op.number)


def _with_inner(op: Any) -> list[Any]:
    found = [op]
    for part in op.attributes.get("parts", ()):
        for inner in part.operations:
            found += _with_inner(inner)
    return found


def _is_read(key: Any) -> bool:
    return key.read_of is not None


def _is_read_operation(item: Any) -> bool:
    """Return whether an operation only reads a variable."""
    if isinstance(item, Group) or item.writes:
        return False
    return len(item.outputs) == 1 and item.outputs[0].read_of is not None


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    first = paths[0]
    length = len(first)
    for path in paths[1:]:
        same = 0
        while same < min(length, len(path)) and path[same] == first[same]:
            same += 1
        length = same
    return first[:length]


def _leaf_name(path: tuple[str, ...]) -> str:
    from tf2jax_port.exporting.module import identifier

    return identifier(path[-1])


def _root_argument(root: str, path: tuple[str, ...], paths: dict[Any, Any], roots: Any) -> str:
    """Return the name of the argument for a dictionary of variables, or for a single variable."""
    is_leaf = any(p == (root, path) for p in paths.values())
    return _leaf_name(path) if is_leaf else _shown_root(root, roots)


def _shown_root(root: str, roots: Any) -> str:
    """Return the name of a dictionary in a function: `params` if it is the only one."""
    return root if len(roots) > 1 else "params"


def _caller(op: Any, inside: set[str]) -> Statement | None:
    """Return the statement of the original from which the code of a group was called."""
    if len(inside) == 1:
        return statement_of(op)
    for statement in op.attributes.get("statements", ()):
        if str(statement) not in inside:
            return statement
    return None

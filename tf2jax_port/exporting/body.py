"""Write the statements of a function: one for each operation, or one for several of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax

from tf2jax_port.exporting import calls, layout
from tf2jax_port.exporting.expressions import ATOM, SUM, Expression, as_expression
from tf2jax_port.exporting.module import Module
from tf2jax_port.exporting.naming import is_named, wanted_name
from tf2jax_port.exporting.original import Statement, statement_of
from tf2jax_port.exporting.step import Step, Version
from tf2jax_port.importing.rule import UnsupportedError
from tf2jax_port.importing.scope import Names

WIDTH = 100
_SHORT = 56
_ROOM = 84  # columns that an expression may take on a line


class Body:
    """The statements of a function, or of a function inside of it.

    Args:
      module: the module.
      step: the step that the operations belong to.
      names: the names in use in the function.
      depth: how far the statements are indented.
      outer: the body that contains this one, if any.
    """

    def __init__(
        self, module: Module, step: Step, names: Any, depth: int = 1, outer: Body | None = None
    ):
        self.module, self.step, self.names = module, step, names
        self.depth, self.outer = depth, outer
        self.lines: list[str] = []
        self.values: dict[Any, Expression] = {}
        self.pending: dict[Any, Any] = {}  # expressions without a name, and their operations
        self.uses: dict[Any, int] = {}
        self.user: dict[Any, Any] = {}
        self.users: dict[Any, list[Any]] = {}
        self.bound: dict[str, Any] = {}
        self.remaining: dict[Any, int] = {}
        self.at: Statement | None = None
        self.extra: dict[Any, list[str]] = {}
        self.made: dict[str, tuple[str, tuple[int, ...]]] = {}
        self.given: dict[str, int] = {}
        self.is_loop = False
        self.roots: dict[str, tuple[str, ...]] = {}
        self.request_key: Callable[[Any], str] = _no_key

    # ---- uses ------------------------------------------------------------------------------------

    def count_uses(
        self,
        items: Iterable[Any],
        inputs: Callable[[Any], Sequence[Any]],
        results: Iterable[Any],
    ) -> None:
        """Count how often each value is used, to decide which expressions get a name."""
        for item in items:
            for key in inputs(item):
                self.uses[key] = self.uses.get(key, 0) + 1
                self.user[key] = item
                self.users.setdefault(key, []).append(item)
        for key in results:
            self.uses[key] = self.uses.get(key, 0) + 1
            self.user.setdefault(key, None)
        self.remaining = dict(self.uses)

    def keys_used_by(self, op: Any) -> list[Any]:
        """Return the keys that an operation uses, once for each use."""
        call = op.attributes.get("call")
        if call is None:
            return [*self.step.inputs_of(op), *self.step.before_update(op)]
        leaves = jax.tree.leaves(call[1:], is_leaf=calls.is_tensor)
        return [self.step.key(t, op) for t in leaves if calls.is_tensor(t)]

    # ---- values ----------------------------------------------------------------------------------

    def find(self, key: Any) -> Expression:
        """Return the expression of a value.

        Raises:
          UnsupportedError: the value is not available.
        """
        body: Body | None = self
        while body is not None:
            if key in body.values:
                return body.values[key]
            body = body.outer
        name = getattr(key, "name", None) or f"variable {key[0].name}"
        raise UnsupportedError(f"{name} is used before it is computed")

    def done(self, keys: Iterable[Any]) -> None:
        """Note that values were used in a statement that is written."""
        for key in keys:
            if key in self.remaining:
                self.remaining[key] -= 1

    def settle(self, key: Any) -> Expression:
        """Give the value of a key a name, if it is an expression that no statement contains yet."""
        body: Body | None = self
        while body is not None and key not in body.values:
            body = body.outer
        if body is not None and key in body.pending:
            op = body.pending.pop(key)
            body._assign(op, [key], body.values[key])
        return self.find(key)

    def settle_all(self, keys: Iterable[Any]) -> None:
        """Give names to expressions of these keys."""
        for key in keys:
            if key in self.pending:
                self.settle(key)

    # ---- statements ------------------------------------------------------------------------------

    def write(self, text: str, statement: Statement | None = None) -> None:
        """Append a statement, with a comment that says which line of the original it comes from."""
        comment = ""
        if statement is not None and str(statement) != str(self.at):
            comment = f"  # {statement}"
            self.at = statement
        self.lines += layout.wrapped(text, self.depth, comment)

    def operation(self, op: Any) -> None:
        """Write an operation, or keep its expression for the only statement that uses it."""
        try:
            calls.write(self, op)
        except UnsupportedError as error:
            raise _with_place(error, op) from None

    def produce(self, op: Any, keys: Sequence[Any], make: Callable[[], Any]) -> None:
        """Add the results of an operation.

        Args:
          op: the operation.
          keys: what its results are called.
          make: a function that returns the expression, or a list of one for each key.
        """
        used = self.keys_used_by(op)
        found = make()
        if any(len(e.text) > _room(e) for e in _listed(found)):
            self._shorten(used)
            found = make()
        kept = [k for k in keys if self.uses.get(k)]
        if isinstance(found, list):
            for key, one in zip(keys, found, strict=True):
                self._take(op, key, one, used)
            return
        if len(keys) == 1:
            self._take(op, keys[0], found, used)
        elif kept:
            self.done(used)
            self._forget(used)
            self._assign(op, list(keys), found)

    def _shorten(self, used: Sequence[Any]) -> None:
        """Give names to the longest expressions that a statement uses."""
        waiting = [k for k in dict.fromkeys(used) if k in self.pending]
        for key in sorted(waiting, key=lambda k: -len(self.values[k].text))[
            : max(1, len(waiting) // 2)
        ]:
            self.settle(key)

    def _take(self, op: Any, key: Any, found: Expression, used: Sequence[Any]) -> None:
        found = self._described(key, found)
        self.done(used)
        self._forget(used)
        if self._is_free(found):
            self.values[key] = found
        elif self.uses.get(key, 0) == 1 and self._fits_user(op, key, found):
            self.values[key] = found
            self.pending[key] = op
        else:
            self._assign(op, [key], found)

    def _forget(self, used: Sequence[Any]) -> None:
        """Note that expressions without a name are now part of another expression."""
        for other in used:
            self.pending.pop(other, None)

    def _is_free(self, found: Expression) -> bool:
        """Return whether an expression needs no name: a name, a constant, a part of a shape."""
        if " if " in found.text:
            return False
        if found.is_name or (found.is_static and len(found.text) <= 40):
            return True
        return found.text.startswith("CONSTANTS[")

    def _fits_user(self, op: Any, key: Any, found: Expression) -> bool:
        """Return whether the original uses a value in the statement that computed it."""
        user = self.user.get(key)
        if user is None:  # a result of the function
            return True
        if not hasattr(user, "attributes") or user.attributes.get("parts"):
            return False
        mine, theirs = statement_of(op), statement_of(user)
        if str(mine) == str(theirs):
            return mine is not None
        # What the original gives no name needs none here.
        return len(found.text) <= _SHORT and not is_named(op)

    def _assign(self, op: Any, keys: list[Any], found: Expression) -> None:
        known = self.made.get(found.text) if len(keys) == 1 else None
        if known is not None and known[1] == self._state_of([known[0], *_names_in(found.text)]):
            self.values[keys[0]] = self._described(keys[0], Expression(known[0]))
            return
        names: list[str] = []
        for i, key in enumerate(keys):
            hints = found.hint.split()
            hint = hints[i] if i < len(hints) else ""
            name = self.name_for(op, key, i, len(keys), hint) if self.uses.get(key) else "_"
            names.append(self.names.new(name) if name in names and name != "_" else name)
        self.write(f"{', '.join(names)} = {found.text}", statement_of(op))
        for key, name in zip(keys, names, strict=True):
            self.bind(key, name, found.dynamic)
        if len(keys) == 1:
            used = [names[0], *_names_in(found.text)]
            if names[0] not in _names_in(found.text):
                self.made[found.text] = (names[0], self._state_of(used))

    def _state_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return how often each name was given to a value, to tell whether one has changed."""
        return tuple(self.given.get(name, 0) for name in names)

    def bind(self, key: Any, name: str, dynamic: bool = False) -> None:
        """Note that a name holds a value."""
        self.values[key] = self._described(key, Expression(name, dynamic=dynamic))
        self.bound[name] = key
        self.given[name] = self.given.get(name, 0) + 1

    def _described(self, key: Any, found: Expression) -> Expression:
        """Add the dtype and shape that the graph knows to an expression."""
        tensor = key[0] if isinstance(key, Version) else key
        rank = tensor.shape.rank
        return dataclasses.replace(
            found,
            dtype=tensor.dtype.name,
            shape=None if rank is None else tuple(tensor.shape.as_list()),
        )

    # ---- names -----------------------------------------------------------------------------------

    def name_for(self, op: Any, key: Any, index: int = 0, count: int = 1, hint: str = "") -> str:
        """Choose the name of a result: as the original calls it, or else after its operation."""
        wanted = hint or wanted_name(key, index, count, self._is_last(key))
        holder = self.bound.get(wanted)
        if holder is not None and self._is_dead(wanted, holder, key):
            return wanted
        return self.names.new(wanted)

    def _is_last(self, key: Any) -> bool:
        """Return whether a value is the result of the statement of the original that computes it."""
        if isinstance(key, Version):
            return True
        mine = str(statement_of(key.op))
        users = [u for u in self.users.get(key, ()) if hasattr(u, "attributes")]
        return not any(str(statement_of(u)) == mine for u in users)

    def _is_dead(self, name: str, holder: Any, key: Any) -> bool:
        """Return whether a name can be given to another value, because nothing uses its present value again."""
        if self.outer is not None or holder is key:
            return False
        left = (k for k in self.values if k is not key and self.remaining.get(k, 0) > 0)
        return not any(self.values[k].mentions(name) for k in left)

    # ---- what rules use --------------------------------------------------------------------------

    def named(self, value: Any) -> str:
        """Return the source of an argument that an expression uses several times: a name."""
        found = as_expression(value)
        if found.is_name or found.is_static:
            return found.text
        for key, kept in list(self.values.items()):
            if (kept is found or kept.text == found.text) and key in self.pending:
                return self.settle(key).text
        return found.text if found.level == ATOM else f"({found.text})"

    def two_names(self, op: Any, wanted: Sequence[str], text: str) -> list[str]:
        """Write a statement that gives names to several values which a rule needs; return the names."""
        if op not in self.extra:
            self.extra[op] = [self.names.new(name) for name in wanted]
            self.write(f"{', '.join(self.extra[op])} = {text}", statement_of(op))
        return self.extra[op]

    def key_of(self, op: Any) -> str:
        """Return the source of the random key of an operation."""
        if self._in_loop():
            raise UnsupportedError("the operation draws random numbers in a loop")
        return self._root().request_key(op)

    def _in_loop(self) -> bool:
        body: Body | None = self
        while body is not None:
            if body.is_loop:
                return True
            body = body.outer
        return False

    def _root(self) -> Any:
        body: Any = self
        while body.outer is not None:
            body = body.outer
        return body

    def inner(self, is_function: bool = True, is_loop: bool = False) -> Body:
        """Return a new body inside of this body: a function's, or a branch's."""
        found = Body(self.module, self.step, self.names, self.depth + 1, self)
        if is_function:  # its names are its own
            found.names = Names(tuple(self.names.taken))
        found.is_loop = is_loop
        return found

    def write_return(self, keys: Sequence[Any]) -> None:
        """Write the `return` of the function."""
        text = self.result_text(keys)
        left = [self.pending[k] for k in keys if k in self.pending]
        self.write(f"return {text}", statement_of(left[-1]) if left else None)

    def result_text(self, keys: Sequence[Any]) -> str:
        """Return the source of the results of the function; several long results get names first."""
        texts = [self.find(k).text for k in keys]
        if len(texts) > 1 and sum(map(len, texts)) > 60:
            self.settle_all(k for k, t in zip(keys, texts, strict=True) if len(t) > 20)
            texts = [self.find(k).text for k in keys]
        return ", ".join(texts)


def _room(found: Expression) -> int:
    """Return how long an expression may be: a sum may span several lines."""
    return 3 * _ROOM if found.level == SUM else _ROOM


def _names_in(text: str) -> list[str]:
    return re.findall(r"(?<![.\w])[A-Za-z_]\w*", text)


def _no_key(op: Any) -> str:
    raise UnsupportedError("the operation draws random numbers where no key is available")


def _listed(found: Any) -> list[Expression]:
    return found if isinstance(found, list) else [found]


def _with_place(error: UnsupportedError, op: Any) -> UnsupportedError:
    if getattr(error, "placed", False):
        return error
    statement = statement_of(op)
    where = f" ({statement})" if statement else ""
    found = UnsupportedError(f"{op.type} at {op.name}{where}: {error}")
    found.placed = True  # type: ignore[attr-defined]
    return found

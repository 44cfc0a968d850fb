"""Turn the block of a gradient tape into a function for `jax.value_and_grad` or `jax.grad`.

Only one pattern is supported: `with tf.GradientTape() as tape:`, first `tape.watch` of the sources, then
assignments that compute a scalar, and directly after the block one `tape.gradient(target, sources)`. Every other
block keeps its tape, as `shims.GradientTape`.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.bind import Refusal, bind_arguments, signature
from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.scopes import Function, Scope
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File
from tf2jax_port.rewrite.sites.references import is_fixed
from tf2jax_port.rewrite.tapes.flow import Flow, Operation
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Edit

SURE, REVIEWED = "TJ114", "TJ205"
_TAPES = ("GradientTape", "ForwardAccumulator")
_WRITTEN = ("TJ101", "TJ201", "TJ401", "TJ403")


@dataclasses.dataclass(frozen=True, slots=True)
class _Block:
    """The `with` block of a tape and the `tape.gradient` statement after it."""

    block: ast.With
    tape: ast.Name
    watches: list[ast.Call]
    body: list[ast.stmt]
    last: ast.Assign | ast.Return
    asked: ast.Call
    target: ast.Name
    sources: list[ast.Name]

    @property
    def structure(self) -> ast.expr:
        """The `sources` argument of `tape.gradient`, as written."""
        return self.asked.args[1]


def differentiate(draft: Draft) -> Draft:
    """Turn the blocks of tapes that JAX can differentiate into functions."""
    file = draft.file
    if file.target != "jax" or b"GradientTape" not in file.source.data:
        return draft
    found = dict(draft.decisions)
    codes = {reference.node: decision.code for reference, decision in found.items()}
    for reference, decision in draft.decisions.items():
        known = look_up(reference) if decision.code == "TJ401" else None
        if known is not None and known.row.name == "GradientTape" and not known.rest:
            block = _match_block(file, reference.node)
            judged = block and _BlockDecision(file, codes, block).decision(decision)
            found[reference] = judged or decision
    return draft.with_decisions(found)


def _match_block(file: File, node: ast.expr) -> _Block | None:
    """Return the parts of a tape's block, `None` if it does not match the supported pattern."""
    parents = file.names.parents
    call, item = parents[node], parents.get(parents[node])
    block = parents.get(item) if isinstance(item, ast.withitem) else None
    if not isinstance(call, ast.Call) or call.args or call.keywords or call.func is not node:
        return None
    if not isinstance(item, ast.withitem) or not isinstance(item.optional_vars, ast.Name):
        return None
    if not isinstance(block, ast.With) or len(block.items) > 1:
        return None
    last = _next_statement(parents[block], block)
    asked = last.value if isinstance(last, ast.Assign | ast.Return) else None
    tape = item.optional_vars
    if asked is None or not _is_tape_call(asked, tape.id, "gradient", 2):
        return None
    assert isinstance(asked, ast.Call)
    assert isinstance(last, ast.Assign | ast.Return)
    target, sources = asked.args[0], _names(asked.args[1])
    watches = _watches(block.body, tape.id)
    body = block.body[len(watches) :]
    watched = {name.id for watch in watches for name in _names(watch.args[0])}
    given = [source.id for source in sources]
    if not isinstance(target, ast.Name) or not given or not body or len(set(given)) < len(given):
        return None
    if not set(given) <= watched or (isinstance(last, ast.Assign) and not _is_plain(last)):
        return None
    return _Block(block, tape, watches, body, last, asked, target, sources)


def _next_statement(parent: ast.AST, statement: ast.stmt) -> ast.stmt | None:
    """Return the next statement in the same block, `None` after the last one."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, [])
        if isinstance(block, list) and statement in block[:-1]:
            found = block[block.index(statement) + 1]
            return found if isinstance(found, ast.stmt) else None
    return None


def _is_tape_call(node: ast.expr, tape: str, method: str, count: int) -> bool:
    """Return whether an expression calls a method of the tape with `count` arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == tape
        and len(node.args) == count
        and not node.keywords
    )


def _watches(body: list[ast.stmt], tape: str) -> list[ast.Call]:
    """Return the calls of `tape.watch` at the beginning of a block."""
    found: list[ast.Call] = []
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not _is_tape_call(call, tape, "watch", 1):
            break
        if not _names(call.args[0]):
            break
        found.append(call)
    return found


def _names(node: ast.expr) -> list[ast.Name]:
    """Return a name, or the names of a list or tuple; an empty list for any other expression."""
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    names = [n for n in nodes if isinstance(n, ast.Name)]
    return names if len(names) == len(nodes) else []


def _is_plain(last: ast.Assign) -> bool:
    """Return whether gradients are assigned to one name, or unpacked into several names."""
    return len(last.targets) == 1 and bool(_names(last.targets[0]))


class _BlockDecision:
    """Decides whether the body of one `with GradientTape()` block is written as a function for `jax.grad`."""

    def __init__(self, file: File, codes: dict[ast.expr, str], block: _Block) -> None:
        self.file = file
        self.codes = codes
        self.block = block
        scope = file.values.scope_of.get(block.target)
        self.scope = scope if scope is not None else file.names.module
        self.flow = Flow(self._operation, self._is_scalar)

    def decision(self, before: Decision) -> Decision | None:
        """Return the new decision about the tape, `None` if the tape must stay."""
        for statement in self.block.body:
            self.flow.follow(statement)
        if not self.flow.understood or not self._is_function() or not self._is_local():
            return None
        doubts = self._find_aliases()
        if doubts is None or (doubts and self.file.options.takes_exact):
            return None
        edits = _edits(self.file, self.block, self._is_read_later())
        if edits is None:
            return None
        message = "the block computes a scalar from the watched arrays"
        state, code = State.REWRITTEN, SURE
        if doubts:
            state, code = State.REVIEW, REVIEWED
            message = f"{doubts}: if two names refer to the same array, TensorFlow differentiates with respect to both names"
        return dataclasses.replace(
            before, state=state, code=code, message=message, edits=edits, plain=False
        )

    def _operation(self, call: ast.Call) -> Operation | None:
        """Return the operator and operands of a call that was rewritten to JAX or `shims`.

        Returns `None` for all other calls, and if an argument other than the operands is not a literal or dtype.
        """
        reference = self.file.values.by_node.get(call.func)
        known = look_up(reference) if reference is not None else None
        if known is None or known.rest or known.version_1_params or known.row.params is None:
            return None
        if self.codes.get(call.func) not in _WRITTEN:
            return None
        layout = call_layout(self.file.source, call)
        bound = bind_arguments(layout.arguments, known.row.params, known.renames)
        if isinstance(bound, Refusal) or bound.surplus or bound.dropped:
            return None
        tensors = known.row.tensors or (signature(known.row.params)[0].name, "logits")
        given = {name: argument.node for name, argument in bound.arguments.items()}
        operands = {name: node for name, node in given.items() if name in tensors}
        rest = [node for name, node in given.items() if name not in tensors]
        if not all(is_fixed(self.file, node) for node in rest):
            return None
        return Operation(known.row.name, operands, alone=not rest)

    def _is_scalar(self, name: ast.Name) -> bool:
        """Return whether every value assigned to a name from outside the block is a number."""
        home = self.scope.lookup(name.id)
        bindings = home.bindings[name.id] if home is not None else []
        return bool(bindings) and all(_is_number(b.value, self._operation) for b in bindings)

    def _is_function(self) -> bool:
        """Return whether the target is a scalar that depends on all sources, without side effects."""
        target = self.block.target.id
        sources = {source.id for source in self.block.sources}
        reached = self.flow.reaches.get(target, frozenset())
        return (
            target in self.flow.scalars
            and sources <= reached
            and not sources & self.flow.made
            and not self.flow.made & self.flow.read.keys()
            and self.scope.kind in ("module", "function")
            and not self.scope.redirected
            and not self._is_inside_tape()
        )

    def _is_inside_tape(self) -> bool:
        """Return whether another tape surrounds the block."""
        for node in self.file.names.ancestors(self.block.block):
            if isinstance(node, Function):
                return False
            for item in getattr(node, "items", []):
                call = item.context_expr
                function = call.func if isinstance(call, ast.Call) else call
                reference = self.file.values.by_node.get(function)
                if reference is not None and reference.path.rpartition(".")[2] in _TAPES:
                    return True
        return False

    def _is_local(self) -> bool:
        """Return whether the tape, and all names assigned in the block except the target, are local.

        The target may be used after the block.
        """
        tape, target = self.block.tape.id, self.block.target.id
        first, last = self.block.block, self.block.last
        if {tape, target} & {source.id for source in self.block.sources} or tape == target:
            return False
        expected = len(self.block.watches) + 1
        inside = [n for n in self._uses(tape) if _within(n, first.lineno, last.end_lineno)]
        if len(inside) != expected or not self._has_blocks_of_its_own(tape):
            return False
        assigned = {n.id for t in getattr(last, "targets", []) for n in _names(t)}
        if assigned & (self.flow.made | {tape}):
            return False
        for name in self.flow.made - {target}:
            nodes = [*self._uses(name), *(b.node for b in self.scope.bindings.get(name, []))]
            if not all(_within(n, first.lineno, first.end_lineno) for n in nodes):
                return False
        return all(name in self.scope.bindings for name in (*self.flow.made, tape))

    def _has_blocks_of_its_own(self, tape: str) -> bool:
        """Return whether the tape's name is used only in `with` blocks of tapes and just after them."""
        places = []
        for binding in self.scope.bindings.get(tape, []):
            item = self.file.names.parents.get(binding.node)
            block = self.file.names.parents.get(item) if isinstance(item, ast.withitem) else None
            if not isinstance(block, ast.With):
                return False
            behind = _next_statement(self.file.names.parents[block], block)
            places.append((block.lineno, (behind or block).end_lineno))
        return all(any(_within(n, *place) for place in places) for n in self._uses(tape))

    def _uses(self, name: str) -> Iterator[ast.Name]:
        """Yield the reads of a name in the scope of the block and in its inner scopes."""
        for node, scope in self.file.names.uses:
            if node.id == name and scope.lookup(name) is self.scope:
                yield node

    def _is_read_later(self) -> bool:
        """Return whether the value of the target may be used after its gradients are computed."""
        first, last = self.block.block.lineno, self.block.last.end_lineno
        outside = any(not _within(n, first, last) for n in self._uses(self.block.target.id))
        return isinstance(self.block.last, ast.Assign) and (
            outside or self.scope.kind == "module" or self._is_bound_otherwise()
        )

    def _is_bound_otherwise(self) -> bool:
        """Return whether the target is bound or deleted by anything else than an assignment."""
        bindings = self.scope.bindings.get(self.block.target.id, [])
        return any(binding.kind != "assign" for binding in bindings)

    def _find_aliases(self) -> str | None:
        """Check whether two names that the block reads may hold the same array.

        Returns:
          `""` if they cannot, a warning if they may, and `None` if the block must keep its tape: two names
          certainly hold the same array, or a name may hold something else than an array.
        """
        sources = {source.id for source in self.block.sources}
        outside = [name for name in self.flow.read if name not in sources]
        doubtful = []
        parameters = 0
        for name in (*sources, *outside):
            home = self.scope.lookup(name)
            if home is None or not self._is_array(home, name):
                return None
            others = {*sources, *outside} - {name}
            values = [binding.value for binding in home.bindings[name]]
            if any(self._may_alias(value, others) for value in values):
                return None
            number = all(isinstance(value, ast.Constant) for value in values)
            new = home is self.scope and all(map(self._is_new, values))
            if not new and not number:
                doubtful.append(name)
                own = home is self.scope
                parameters += own and all(b.kind == "parameter" for b in home.bindings[name])
        # An argument of a function and an array that it makes itself are never the same array.
        apart = len(doubtful) == parameters == 1 or len(sources) + len(outside) == 1
        return "" if apart or not doubtful else f"`{doubtful[-1]}` is defined outside of the block"

    def _is_array(self, home: Scope, name: str) -> bool:
        """Return whether a name may hold an array, not a function, module or `tf.Variable`."""
        for binding in home.bindings[name]:
            if binding.kind == "import" or not isinstance(binding.node, ast.Name | ast.arg):
                return False
            if isinstance(binding.node, ast.Name) and not isinstance(binding.node.ctx, ast.Store):
                return False
            value = binding.value
            if isinstance(value, ast.Call):
                reference = self.file.values.by_node.get(value.func)
                if reference is not None and reference.path.rpartition(".")[2] == "Variable":
                    return False
        return True

    def _may_alias(self, value: ast.expr | None, others: set[str]) -> bool:
        """Return whether an assigned value may be or contain the array of one of the other names."""
        if value is None or self._is_new(value):
            return False
        return any(isinstance(node, ast.Name) and node.id in others for node in ast.walk(value))

    def _is_new(self, value: ast.expr | None) -> bool:
        """Return whether an assigned value is certainly a new array or a constant."""
        if isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare):
            return self.file.values.kind(value) is Kind.TENSOR
        if not isinstance(value, ast.Call) or value.func not in self.file.values.by_node:
            return isinstance(value, ast.Constant)
        operation = self._operation(value)
        if operation is not None and operation.is_new:
            return True
        names = [node for node in ast.walk(value) if isinstance(node, ast.Name)]
        roots = {node.chain[0] for node in self.file.references}
        return self.file.values.kind(value) is Kind.TENSOR and all(n in roots for n in names)


def _is_number(value: ast.expr | None, operations: object) -> bool:
    """Return whether a value is a literal number, or `tf.constant` of one."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        value = value.operand
    if isinstance(value, ast.Constant):
        return type(value.value) in (int, float)
    operation = operations(value) if isinstance(value, ast.Call) and callable(operations) else None
    if operation is None or operation.name != "constant":
        return False
    return operation.alone and all(_is_number(n, None) for n in operation.operands.values())


def _within(node: ast.AST, first: int, last: int | None) -> bool:
    """Return whether a node begins between two lines of the file."""
    return first <= getattr(node, "lineno", 0) <= (last or 0)


# What is written.


def _edits(file: File, block: _Block, value_wanted: bool) -> tuple[Edit, ...] | None:
    """Return the edits that turn a block into a function and a call of its gradient.

    Returns `None` if comments or unusual formatting prevent it, or the new function's name is taken.
    """
    source, data = file.source, file.source.data
    target, names = block.target.id, ", ".join(source.id for source in block.sources)
    function = f"{target}_of"
    start, end = source.span(block.last)
    several = isinstance(block.structure, ast.List | ast.Tuple)
    listed = isinstance(block.structure, ast.List)
    if (
        function in file.spelling.bound
        or b"#" in data[start:end]
        or not _ends_line(file, block.last)
    ):
        return None
    if listed and not file.spelling.allows(["list"]):
        return None
    header = _header(file, block, f"{function}({names})")
    watches = [_remove_watch(file, watch) for watch in block.watches]
    final = block.body[-1]
    if header is None or None in watches or not _ends_line(file, final):
        return None
    indent = data[source.starts[final.lineno - 1] : source.span(final)[0]].decode()
    place = source.line_end(final.end_lineno or 0)
    ending = Edit(place, place, (f"{source.newline}{indent}return {target}",))
    argnums = f", argnums=({', '.join(map(str, range(len(block.sources))))},)"
    argnums = (argnums.replace(",)", ")") if len(block.sources) > 1 else argnums) if several else ""
    differ = "value_and_grad" if value_wanted else "grad"
    call = file.spelling.text(f"jax.{differ}(") + f"{function}{argnums})({names})"
    if isinstance(block.last, ast.Return):
        text = f"return list({call})" if listed else f"return {call}"
    else:
        text = _assigned(block.last.targets[0], target, call, value_wanted)
        if listed and isinstance(block.last.targets[0], ast.Name):
            outer = data[source.starts[block.last.lineno - 1] : start].decode()
            gradients = block.last.targets[0].id
            text += f"{source.newline}{outer}{gradients} = list({gradients})"
    return (*header, *(w for w in watches if w), ending, Edit(start, end, (text,)))


def _assigned(gradients: ast.expr, target: str, call: str, value_wanted: bool) -> str:
    """Return the statement that assigns the gradients, and the value if wanted, from `call`."""
    names = [name.id for name in _names(gradients)]
    if isinstance(gradients, ast.Name):
        written = names[0]
    elif len(names) == 1:
        written = f"[{names[0]}]"
    else:
        written = f"({', '.join(names)})" if value_wanted else ", ".join(names)
    return f"{target}, {written} = {call}" if value_wanted else f"{written} = {call}"


def _header(file: File, block: _Block, text: str) -> tuple[Edit, ...] | None:
    """Return the edits that turn `with tf.GradientTape() as tape` into `def loss_of(x)`.

    `None` if a comment or unusual formatting prevents it.
    """
    source, data = file.source, file.source.data
    call = block.block.items[0].context_expr
    start, end = source.span(block.block)[0], source.span(block.tape)[1]
    opened, closed = source.span(call)
    first = block.block.body[0]
    colon = data[end : source.starts[first.lineno - 1]].lstrip(b" \t\f")
    if first.lineno == block.tape.lineno or not colon.startswith(b":"):
        return None
    middle = data[closed : source.span(block.tape)[0]].split()
    if data[start:opened].split() != [b"with"] or middle != [b"as"] or b"#" in data[opened:closed]:
        return None
    return (
        Edit(start, opened, ("def ",)),
        Edit(opened, closed, (text,)),
        Edit(closed, end),
    )


def _remove_watch(file: File, watch: ast.Call) -> Edit | None:
    """Return the edit that removes `tape.watch(x)`, and its line if nothing else is on it.

    Returns `None` if other code shares the line.
    """
    source, data = file.source, file.source.data
    start, end = source.span(watch)
    line, stop = source.starts[watch.lineno - 1], source.line_end(watch.end_lineno or 0)
    rest = data[end:stop].strip()
    if data[line:start].strip() or b"#" in data[start:end] or (rest and rest[:1] != b"#"):
        return None
    if rest:  # a comment, which stays
        return Edit(start, stop - len(data[end:stop].lstrip()), ())
    following = source.starts[watch.end_lineno or 0]
    return Edit(line, following)


def _ends_line(file: File, statement: ast.stmt) -> bool:
    """Return whether a statement begins its line and is followed at most by a comment."""
    source, data = file.source, file.source.data
    start, end = source.span(statement)
    before = data[source.starts[statement.lineno - 1] : start]
    rest = data[end : source.line_end(statement.end_lineno or 0)].strip()
    return not before.strip() and (not rest or rest.startswith(b"#"))

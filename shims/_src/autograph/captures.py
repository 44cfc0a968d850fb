"""Convert `if`, `while` and `for`, and keep the variables alive that closures read after the statements.

A converted `if` or loop runs its blocks as functions. A variable is local in them unless it is live
around the statement. The liveness analysis of `malt` follows the reads of statements; but a lambda, a
generator expression or an inner function reads a variable when it is called, wherever that is.
"""

from __future__ import annotations

import ast
import dataclasses

from malt.converters import control_flow
from malt.pyct import anno, cfg, qual_names
from malt.pyct.static_analysis import activity, liveness, reaching_definitions, reaching_fndefs

_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_CLOSURES = (*_FUNCTIONS, ast.GeneratorExp)
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
_LOOPS = (ast.For, ast.While)
_AT_ONCE = ("ag__.assert_stmt", "ag__.ldu", "ag__.unread")


def convert_control_flow(node, context):
    """Replace the `if` statements and loops of a definition by calls of operators."""
    graphs = cfg.build(node)
    node = qual_names.resolve(node)
    node = activity.resolve(node, context, None)
    node = reaching_definitions.resolve(node, context, graphs)
    node = reaching_fndefs.resolve(node, context, graphs)
    node = liveness.resolve(node, context, graphs)
    late: dict[ast.AST, set[str]] = {}
    for inner in ast.walk(node):
        if isinstance(inner, _FUNCTIONS):
            late |= _keep_alive(inner)
    return _ControlFlow(context, late).visit(node)


class _ControlFlow(control_flow.ControlFlowTransformer):
    """Replaces statements, and marks the names of the variables that nothing but closures read later."""

    def __init__(self, context, late: dict[ast.AST, set[str]]):
        super().__init__(context)
        self._late = late
        self._tries = 0
        # For each function around the current code, the names that functions in it change.
        self._changed_inside: list[frozenset] = []

    def _marked(self, node, nodes, position: int):
        """Mark the names in the argument at a position of the call that replaces a statement."""
        symbols = nodes[-1].value.args[position]
        late = self._late[node]
        symbols.elts = [_late_name(s) if s.value in late else s for s in symbols.elts]
        return nodes

    def _get_block_vars(self, node, modified):
        """Put variables before the items and attributes whose names contain them, in the order of assignment.

        An item is then set under the number that the block leaves, as in `a[i] = x; i += 1`.
        """
        if self._changed_inside and any(isinstance(n, ast.Call) for n in ast.walk(node)):
            # A call in the block may change what an inner function declares as `nonlocal`.
            modified = modified | (
                self._changed_inside[-1] & anno.getanno(node, anno.Static.DEFINED_VARS_IN)
            )
        names, undefined, nouts = super()._get_block_vars(node, modified)
        return (
            sorted(names[:nouts], key=_depth) + sorted(names[nouts:], key=_depth),
            undefined,
            nouts,
        )

    def visit_FunctionDef(self, node):
        inner = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node]
        shared = {name for f in inner for name in _nonlocal_names(f)}
        self._changed_inside.append(frozenset(map(qual_names.QN, shared)))
        node = super().visit_FunctionDef(node)
        self._changed_inside.pop()
        return node

    def visit_Try(self, node):
        self._tries += 1
        node = self.generic_visit(node)
        self._tries -= 1
        return node

    def _create_state_functions(self, block_vars, nonlocal_declarations, getter_name, setter_name):
        """Let the values of variables in a `try` be missing, since they may be defined in an earlier iteration only."""
        found = super()._create_state_functions(
            block_vars, nonlocal_declarations, getter_name, setter_name
        )
        if self._tries and block_vars:
            values = found[0].body[0].value
            values.elts = [_or_undefined(v) if isinstance(v, ast.Name) else v for v in values.elts]
        return found

    def visit_If(self, node):
        return self._marked(node, super().visit_If(node), 5)

    def visit_While(self, node):
        return self._marked(node, super().visit_While(node), 4)

    def visit_For(self, node):
        return self._marked(node, super().visit_For(node), 5)


def _depth(name) -> int:
    """Return how many attributes and items lead from a variable to what a name stands for."""
    return 1 + _depth(name.qn[0]) if name.has_attr() or name.has_subscript() else 0


def _nonlocal_names(function: ast.FunctionDef) -> set[str]:
    return {name for n in ast.walk(function) if isinstance(n, ast.Nonlocal) for name in n.names}


def _or_undefined(name: ast.Name):
    operator = ast.Attribute(ast.Name("ag__", ast.Load()), "ldu", ast.Load())
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Call(operator, [ast.Lambda(nothing, name), ast.Constant(name.id)], [])


def _late_name(symbol):
    operator = ast.Attribute(ast.Name("ag__", ast.Load()), "LateName", ast.Load())
    return ast.Call(operator, [symbol], [])


def _keep_alive(function) -> dict[ast.AST, set[str]]:
    """Add to the live variables after each statement of a function those that closures or other code may read.

    Returns:
      For each statement, the names of the variables that nothing but closures read.
    """
    scope = _scope_of(function)
    late: dict[ast.AST, set[str]] = {}
    for statement, end in scope.ends.items():
        before = anno.getanno(statement, anno.Static.LIVE_VARS_IN)
        after = anno.getanno(statement, anno.Static.LIVE_VARS_OUT)
        captured = {name for place, names in scope.closures if place <= end for name in names}
        added = frozenset(map(qual_names.QN, captured | scope.shared))
        anno.setanno(statement, anno.Static.LIVE_VARS_OUT, after | added)
        late[statement] = captured - scope.shared - set(map(str, before | after))
    return late


@dataclasses.dataclass(eq=False)
class _Scope:
    """The closures and statements of one function, without those of the functions in it.

    Attributes:
      closures: the place of each closure in the text, and the names that it reads.
      shared: the names that the function declares as `nonlocal` or `global`.
      ends: the places where the statements end, or the outermost loops around them, as an iteration can
        read what the one before has assigned.
    """

    closures: list[tuple[int, frozenset[str]]] = dataclasses.field(default_factory=list)
    shared: set[str] = dataclasses.field(default_factory=set)
    ends: dict[ast.AST, int] = dataclasses.field(default_factory=dict)


def _scope_of(function) -> _Scope:
    scope = _Scope()
    place = 0

    def visit(node, in_loop: bool) -> list:
        """Visit a node; return the statements in it whose ends are not known yet."""
        nonlocal place
        place += 1
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            scope.shared.update(node.names)
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call) and _calls_at_once(node.func):
            children = [c.body if isinstance(c, ast.Lambda) else c for c in children]
        if isinstance(node, _CLOSURES):
            scope.closures.append((place, _free_names(node)))
            children = _evaluated_at_once(node)
        is_loop = isinstance(node, _LOOPS)
        ending = [node] if is_loop or isinstance(node, ast.If) else []
        for child in children:
            ending += visit(child, in_loop or is_loop)
        if in_loop:
            return ending
        scope.ends.update(dict.fromkeys(ending, place))
        return []

    for child in _body_of(function):
        visit(child, in_loop=False)
    return scope


def _calls_at_once(function) -> bool:
    """Return whether a function is an operator of converted code that calls the functions it gets, and keeps none."""
    return isinstance(function, ast.Attribute) and ast.unparse(function) in _AT_ONCE


def _free_names(closure) -> frozenset[str]:
    """Return the names that a closure reads from the functions around it, or changes there."""
    read: set[str] = set()
    bound = {a.arg for a in _parameters(closure)}
    shared: set[str] = set()
    waiting = _body_of(closure)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_FUNCTIONS, *_COMPREHENSIONS)):
            read |= _free_names(node)
            waiting += _evaluated_at_once(node)
            bound.update([node.name] if isinstance(node, ast.FunctionDef) else [])
            continue
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            shared.update(node.names)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        waiting += ast.iter_child_nodes(node)
    return frozenset((read - bound) | shared)


def _parameters(closure) -> list[ast.arg]:
    if not isinstance(closure, _FUNCTIONS):
        return []
    a = closure.args
    found = (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg)
    return [x for x in found if x is not None]


def _body_of(closure) -> list:
    """Return the parts of a function or comprehension that run in its own scope."""
    if isinstance(closure, ast.FunctionDef):
        return list(closure.body)
    if isinstance(closure, ast.Lambda):
        return [closure.body]
    first = closure.generators[0]
    return [c for c in ast.iter_child_nodes(closure) if c is not first] + [first.target, *first.ifs]


def _evaluated_at_once(closure) -> list:
    """Return the parts of a function or comprehension that run where it is defined."""
    if isinstance(closure, _FUNCTIONS):
        defaults = [*closure.args.defaults, *closure.args.kw_defaults]
        found = [*getattr(closure, "decorator_list", ()), *defaults]
        return [x for x in found if x is not None]
    return [closure.generators[0].iter]

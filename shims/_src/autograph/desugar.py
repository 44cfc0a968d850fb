"""Rewrite Python constructs that AutoGraph's converters do not support, or reject them."""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from shims._src.autograph.finally_blocks import LeavingFinally
from shims._src.autograph.source import UnconvertibleError, enclosing_class, mangle
from shims._src.autograph.walrus import ComprehensionWalrus, HoistedWalrus, refuse_walrus

_REFUSED = {
    ast.Match: "`match` statements cannot be converted",
    ast.Yield: "generators cannot be converted",
    ast.YieldFrom: "generators cannot be converted",
    ast.Await: "coroutines cannot be converted",
    ast.AsyncFor: "coroutines cannot be converted",
    ast.AsyncWith: "coroutines cannot be converted",
    ast.AsyncFunctionDef: "coroutines cannot be converted",
    ast.TryStar: "`except*` cannot be converted",
    ast.ClassDef: "classes inside functions cannot be converted",
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def desugar(node, function: types.FunctionType):
    """Rewrite a function definition in place to the subset of Python that the converters support.

    Raises:
      UnconvertibleError: the definition uses a construct that cannot be rewritten.
    """
    _refuse_unsupported(node)
    _strip_signature(node)
    class_name = enclosing_class(function.__code__.co_qualname)
    if class_name:
        node = _Mangle(class_name).visit(node)
    if "__class__" in function.__code__.co_freevars:
        node = _ExplicitSuper(node).visit(node)
    node = _PartAssignments().visit(ComprehensionWalrus().visit(node))
    node = _Statements().visit(_Conditions().visit(LeavingFinally().visit(node)))
    node = HoistedWalrus(node).visit(node)
    refuse_walrus(node)
    return _ContainerChanges(_arrays_of_numpy(node, function)).visit(node)


def _refuse_unsupported(node) -> None:
    inner: Any
    for inner in ast.walk(node):
        reason = _REFUSED.get(type(inner))
        if reason is not None:
            raise UnconvertibleError(reason, inner.lineno)


def _in_scope(node):
    """Yield the descendants of a syntax node that run in the same scope, not in a nested function."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*_SCOPES, *_COMPREHENSIONS)):
            yield child
            yield from _in_scope(child)


def _strip_signature(node) -> None:
    """Remove decorators, annotations and default values from a definition.

    The function object keeps them.
    """
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    a = node.args
    for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
        if argument is not None:
            argument.annotation = None
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [], None
        if hasattr(node, "type_params"):
            node.type_params = []


class _Mangle(ast.NodeTransformer):
    """Mangles private names (`__x`), as the Python compiler does inside a class."""

    def __init__(self, class_name: str):
        self._class_name = class_name

    def _name(self, name):
        return name and mangle(name, self._class_name)

    def visit_Name(self, node):
        node.id = self._name(node.id)
        return node

    def visit_Attribute(self, node):
        node.attr = self._name(node.attr)
        return self.generic_visit(node)

    def visit_arg(self, node):
        node.arg = self._name(node.arg)
        return self.generic_visit(node)

    visit_keyword = visit_arg

    def visit_Global(self, node):
        node.names = [self._name(name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global


class _ExplicitSuper(ast.NodeTransformer):
    """Adds the implicit arguments to `super()`, since converted code runs in another frame."""

    def __init__(self, root):
        self._root = root
        positional = [*root.args.posonlyargs, *root.args.args]
        self._self = positional[0].arg if positional else None

    def visit_FunctionDef(self, node):
        return self.generic_visit(node) if node is self._root else node

    def visit_Lambda(self, node):
        return self.generic_visit(node) if node is self._root else node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            names = ("__class__", self._self)
            node.args = [
                _copy_positions(node, ast.Name(name, ast.Load())) for name in names if name
            ]
        return node


class _PartAssignments(ast.NodeTransformer):
    """Rewrites `variable[key].assign(x)` so that it works on tracers, which have no `assign`."""

    def visit_Call(self, node):
        self.generic_visit(node)
        f = node.func
        if (
            isinstance(f, ast.Attribute)
            and f.attr == "assign"
            and isinstance(f.value, ast.Subscript)
        ):
            f.value.value = _copy_positions(f.value.value, _operator_call("part_of", f.value.value))
        return node


class _Conditions(ast.NodeTransformer):
    """Marks the operands of `and` and `or` in conditions, where only their truth values matter."""

    def _visit_test(self, node):
        self.generic_visit(node)
        node.test = self._marked(node.test)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _visit_test

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._marked(node.operand)
        return node

    def _marked(self, node, within: str = ""):
        if isinstance(node, ast.BoolOp):
            label = "and" if isinstance(node.op, ast.And) else "or"
            node.values = [self._marked(value, within=label) for value in node.values]
        elif within and not isinstance(node, ast.Constant):
            return _copy_positions(node, _operator_call("truth", node, ast.Constant(within)))
        return node


class _Statements(ast.NodeTransformer):
    """Rewrites `else` and `:=` of loops, `assert`, `except`, `with`, and annotated assignments."""

    def visit_While(self, node):
        self.generic_visit(node)
        if any(isinstance(n, ast.NamedExpr) for n in (node.test, *_in_scope(node.test))):
            if node.orelse:
                raise UnconvertibleError("`while ... := ... else` cannot be converted", node.lineno)
            leave: Any = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
            leave = _copy_positions(node.test, leave)
            leave.where_it_holds = list(node.body)
            node.test = _copy_positions(node.test, ast.Constant(True))
            node.body = [leave, *node.body]
        return self._without_else(node)

    def visit_For(self, node):
        """Let a loop over the numbers of `range` count, so that their array is not needed."""
        self.generic_visit(node)
        if isinstance(node.iter, ast.Call):
            function = node.iter.func
            node.iter.func = _copy_positions(function, _operator_call("of_loop", function))
        return self._without_else(node)

    def _without_else(self, node):
        if not node.orelse:
            return node
        orelse, node.orelse = node.orelse, []
        flag = f"broke_{node.lineno}_{node.col_offset}"
        breaks = _FlaggedBreaks(flag)
        node.body = [x for s in node.body for x in breaks.flat(s)]
        if not breaks.found:
            return [node, *orelse]
        before = _copy_positions(node, _assignment(flag, ast.Constant(False)))
        test = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
        return [before, node, _copy_positions(orelse[0], ast.If(test, orelse, []))]

    def visit_Assert(self, node):
        self.generic_visit(node)
        text = ast.Constant(ast.unparse(node.test))
        message = node.msg or ast.Constant(None)
        nothing = ast.arguments([], [], None, [], [], None, [])
        call = ast.Call(
            ast.Attribute(ast.Name("ag__", ast.Load()), "assert_stmt", ast.Load()),
            [node.test, ast.Lambda(nothing, message), text],
            [],
        )
        return _copy_positions(node, ast.Expr(call))

    def visit_ExceptHandler(self, node):
        """Begin a handler with `ag__.caught()`, which raises again what it must not handle.

        The name of `except E as name` becomes an assignment, which the static analyses support.
        """
        self.generic_visit(node)
        call = _operator_call("caught")
        first = ast.Expr(call) if node.name is None else _assignment(node.name, call)
        node.body.insert(0, _copy_positions(node, first))
        node.name = None
        return node

    def visit_With(self, node):
        self.generic_visit(node)
        for item in node.items:
            item.context_expr = _copy_positions(
                item.context_expr, _operator_call("Context", item.context_expr)
            )
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is None:
            return _copy_positions(node, ast.Pass())
        return _copy_positions(node, ast.Assign([node.target], node.value))


class _FlaggedBreaks(ast.NodeTransformer):
    """Inserts an assignment to a flag before each `break` of one loop."""

    def __init__(self, flag: str):
        self._flag = flag
        self.found = False

    def flat(self, statement):
        result = self.visit(statement)
        return result if isinstance(result, list) else [result]

    def visit_Break(self, node):
        self.found = True
        return [_copy_positions(node, _assignment(self._flag, ast.Constant(True))), node]

    def _other_scope(self, node):
        return node

    visit_For = visit_While = visit_FunctionDef = visit_Lambda = _other_scope


class _ContainerChanges(ast.NodeTransformer):
    """Makes changes of containers and objects visible to staged branches and loops.

    For a local variable, `values.append(x)` and `values[i + 1] = x` become assignments to `values`, which
    makes the variable part of the loop's state. Other changes are recorded when they happen.

    Args:
      arrays: the variables that hold arrays of NumPy, whose items cannot be traced values.
    """

    def __init__(self, arrays: set[str]):
        self._arrays = arrays
        self._local: list[set[str]] = []
        self._made: list[set[str]] = []
        # The names that the statements around a statement assign in their blocks.
        self._counted: list[set[str]] = []
        # The number of values that have been given names.
        self._values = 0

    def visit_FunctionDef(self, node):
        local = _bound_names(node)
        self._local.append(local)
        self._made.append(local - _parameters(node))
        outside, self._counted = self._counted, []
        self.generic_visit(node)
        self._counted = outside
        self._local.pop()
        self._made.pop()
        return node

    def visit_While(self, node):
        blocks = [*node.body, *node.orelse]
        self._counted.append({name for part in blocks for name in _stored_names(part)})
        self.generic_visit(node)
        self._counted.pop()
        return node

    visit_For = visit_If = visit_While

    def visit_Lambda(self, node):
        return node

    def _is_local(self, node) -> bool:
        return isinstance(node, ast.Name) and node.id in self._local[-1]

    def visit_Expr(self, node):
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and self._is_local(call.func.value)
            and len(call.args) == 1
            and not isinstance(call.args[0], ast.Starred)
            and not call.keywords
        ):
            name = call.func.value.id
            value = _operator_call("list_append", ast.Name(name, ast.Load()), call.args[0])
            changes = [_assignment(name, value)]
            if name not in self._made[-1]:
                changes.insert(0, ast.Expr(_operator_call("storing")))
            return [_copy_positions(node, change) for change in changes]
        return self.generic_visit(node)

    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 and any(map(self._has_item_of_local, node.targets)):
            return self._one_by_one(node, node.targets, node.value)
        is_plain = not any(isinstance(x, ast.Starred) for x in getattr(target, "elts", ()))
        is_unpacked = isinstance(target, (ast.Tuple, ast.List)) and is_plain
        if is_unpacked and self._has_item_of_local(target):
            return self._unpacked(node, target.elts)
        if self._is_item_of_local(target):
            name = _root(target).id
            owner = _copy_positions(node, _loaded(target.value))
            parts = (ast.Name(name, ast.Load()), node.value, owner, _as_value(target.slice))
            operator = "set_array_item" if name in self._arrays else "set_item"
            value = _operator_call(operator, *parts)
            return self._after_note(node, [_assignment(name, value)], target)
        notes = [note for target in node.targets for note in _store_notes(target)]
        return self._after_note(node, [node, *notes], *node.targets)

    def _has_item_of_local(self, target) -> bool:
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(map(self._has_item_of_local, target.elts))
        return self._is_item_of_local(target)

    def _one_by_one(self, node, targets: list, value) -> list:
        """Return assignments of one value to several targets, from left to right as in Python."""
        name = self._new_name(node)
        first = _copy_positions(node, _assignment(name, value))
        assigned = [ast.Assign([target], ast.Name(name, ast.Load())) for target in targets]
        return [first, *self._each(node, assigned)]

    def _unpacked(self, node, targets: list) -> list:
        """Return assignments of the elements of a value to several targets, from left to right as in Python."""
        names = [self._new_name(node) for _ in targets]
        stored: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        first = _copy_positions(node, ast.Assign([ast.Tuple(stored, ast.Store())], node.value))
        pairs = zip(targets, names, strict=True)
        return [
            first,
            *self._each(node, [ast.Assign([t], ast.Name(n, ast.Load())) for t, n in pairs]),
        ]

    def _new_name(self, place) -> str:
        self._values += 1
        return f"value_{place.lineno}_{self._values}"

    def _each(self, place, statements: list) -> list:
        found = [self.visit_Assign(_copy_positions(place, s)) for s in statements]
        return [s for one in found for s in (one if isinstance(one, list) else [one])]

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target = node.target
        if self._is_item_of_local(target) and _is_repeatable(target.slice):
            old = ast.Subscript(target.value, target.slice, ast.Load())
            new = ast.BinOp(old, node.op, node.value)
            assigned = ast.Assign([ast.Subscript(target.value, target.slice, ast.Store())], new)
            return self.visit_Assign(_copy_positions(node, assigned))
        statements = self._after_note(node, [node, *_store_notes(target)], target)
        if isinstance(target, ast.Name):
            method = ast.Constant(_IN_PLACE[type(node.op)])
            note = ast.Expr(
                _operator_call("note_in_place", ast.Name(target.id, ast.Load()), method)
            )
            statements.insert(0, _copy_positions(node, note))
        return statements

    def _after_note(self, place, statements: list, *targets):
        """Return statements that store in `targets`, after those that report what else the stores may change.

        These are objects of the caller, and what methods of the program's classes do.
        """
        notes = [note for target in targets for note in _attribute_notes(target)]
        if any(map(self._is_foreign, targets)):
            notes.append(ast.Expr(_operator_call("storing")))
        return [_copy_positions(place, statement) for statement in (*notes, *statements)]

    def _is_foreign(self, target) -> bool:
        """Return whether an assignment target belongs to an object that the function has not made, or to other code."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(map(self._is_foreign, target.elts))
        if isinstance(target, ast.Name):
            return target.id not in self._local[-1]  # `nonlocal` or `global`
        while isinstance(target, (ast.Attribute, ast.Subscript)):
            target = target.value
        return not (isinstance(target, ast.Name) and target.id in self._made[-1])

    def _is_item_of_local(self, target) -> bool:
        """Return whether an assignment target is an item of a local variable, or of an item of it and so on.

        The variable holds an array of NumPy, or the key of one of them is computed or counted, so the static
        analyses cannot follow assignments to it.
        """
        keys = []
        while isinstance(target, ast.Subscript):
            keys.append(target.slice)
            target = target.value
        if not keys or not self._is_local(target):
            return False
        return target.id in self._arrays or not all(map(self._is_fixed, keys))

    def _is_fixed(self, key) -> bool:
        """Return whether the key of an item has one value as long as the blocks around it run."""
        if isinstance(key, ast.Constant):
            return True
        return isinstance(key, ast.Name) and not self._is_counted(key.id)

    def _is_counted(self, name: str) -> bool:
        return any(name in names for names in self._counted)


_IN_PLACE = {
    ast.Add: "__iadd__",
    ast.Sub: "__isub__",
    ast.Mult: "__imul__",
    ast.MatMult: "__imatmul__",
    ast.Div: "__itruediv__",
    ast.FloorDiv: "__ifloordiv__",
    ast.Mod: "__imod__",
    ast.Pow: "__ipow__",
    ast.LShift: "__ilshift__",
    ast.RShift: "__irshift__",
    ast.BitAnd: "__iand__",
    ast.BitOr: "__ior__",
    ast.BitXor: "__ixor__",
}


def _store_notes(target) -> list:
    """Return statements that report an assignment to an attribute or an item when they run.

    `lists.no_leaks` then refuses traced values that a staged branch or loop body has stored.
    """
    if isinstance(target, (ast.Tuple, ast.List)):
        return [note for element in target.elts for note in _store_notes(element)]
    if isinstance(target, ast.Attribute) and _is_repeatable(target.value):
        return [ast.Expr(_operator_call("note_store", target.value, ast.Constant(target.attr)))]
    if isinstance(target, ast.Subscript) and _is_repeatable(target):
        key = _as_value(target.slice)
        return [ast.Expr(_operator_call("note_store", target.value, ast.Constant(None), key))]
    return []


def _attribute_notes(target) -> list:
    """Return statements that report an assignment to an attribute before it runs, which may call a method."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [note for element in target.elts for note in _attribute_notes(element)]
    if isinstance(target, ast.Attribute) and _is_repeatable(target.value):
        return [ast.Expr(_operator_call("note_attribute", target.value, ast.Constant(target.attr)))]
    return []


def _is_repeatable(node) -> bool:
    """Return whether an expression has no calls, so evaluating it twice is harmless."""
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp)
    also = (ast.Slice, ast.Tuple, ast.expr_context, ast.operator, ast.unaryop)
    return all(isinstance(inner, (*plain, *also)) for inner in ast.walk(node))


def _arrays_of_numpy(node, function: types.FunctionType) -> set[str]:
    """Return the variables of a function to which it assigns results of functions of NumPy."""
    modules = {name for name, value in function.__globals__.items() if value is np}
    assigned = (inner for inner in ast.walk(node) if isinstance(inner, ast.Assign))
    pairs = (pair for a in assigned for t in a.targets for pair in _assigned_pairs(t, a.value))
    return {
        target.id
        for target, value in pairs
        if isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Name)
        and value.func.value.id in modules
    }


def _assigned_pairs(target, value) -> list[tuple]:
    """Return targets with the expressions that an assignment gives them, also those in tuples."""
    sides = (target, value)
    if not all(isinstance(side, ast.Tuple) for side in sides) or len(target.elts) != len(
        value.elts
    ):
        return [sides]
    pairs = zip(target.elts, value.elts)
    return [pair for t, v in pairs for pair in _assigned_pairs(t, v)]


def _root(target) -> ast.Name:
    """Return the variable to which an item belongs, or an item of an item."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _loaded(target):
    """Return an expression that reads a target, or a part of one."""
    if isinstance(target, ast.Subscript):
        return ast.Subscript(_loaded(target.value), target.slice, ast.Load())
    return ast.Name(target.id, ast.Load())


def _as_value(key):
    """Convert the key of a subscript to an expression, with `slice(...)` for slices."""
    if isinstance(key, ast.Slice):
        parts = [part or ast.Constant(None) for part in (key.lower, key.upper, key.step)]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_as_value(element) for element in key.elts], ast.Load())
    return key


def _operator_call(name: str, *arguments):
    """Build the syntax tree of a call of an operator in `ag__`."""
    operator = ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())
    return ast.Call(operator, list(arguments), [])


def _bound_names(function) -> set[str]:
    """Return the parameters of a function and the names that it assigns in its own scope."""
    bound = _parameters(function)
    foreign = set()
    for node in _in_scope(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            foreign.update(node.names)
    return bound - foreign


def _stored_names(node) -> set[str]:
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _parameters(function) -> set[str]:
    a = function.args
    arguments = (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg)
    return {x.arg for x in arguments if x is not None}


def _assignment(name: str, value):
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _copy_positions(place, node):
    """Copy the source position of `place` to all nodes of the tree `node` that have none."""
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return node

"""Convert a function to code whose control flow calls the operators in `ag__`.

The converters are those of `malt`, TensorFlow's AutoGraph as a separate package. They work on syntax
trees. The result is compiled with the user's file name and line numbers, so that tracebacks, debuggers
and JAX's source information show the user's code.
"""

from __future__ import annotations
import __future__

import ast
import copy
import threading
import types
import weakref
from typing import Any

from shims._src.autograph.desugar import desugar
from shims._src.autograph.source import UnconvertibleError, find_definition

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag

_LOCK = threading.RLock()
# Code objects compare by content, not by file: the file name is part of the key.
_CACHE: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def converted_code(function: types.FunctionType) -> types.CodeType:
    """Return the code object of a converted function, which is cached by the original code object.

    Raises:
      UnconvertibleError: the function cannot be converted.
    """
    code = function.__code__
    with _LOCK:
        known = _CACHE.setdefault(code, {})
        if code.co_filename not in known:
            try:
                known[code.co_filename] = _convert(function)
            except UnconvertibleError as error:
                known[code.co_filename] = error
        found = known[code.co_filename]
    if isinstance(found, UnconvertibleError):
        raise found
    return found


def converted_text(function: types.FunctionType) -> str:
    """Return the converted function as readable Python source.

    Raises:
      UnconvertibleError: the function cannot be converted.
    """
    with _LOCK:
        return ast.unparse(ast.fix_missing_locations(_converted_tree(function)))


def _convert(function: types.FunctionType) -> types.CodeType:
    return _compile(_converted_tree(function), function.__code__)


def _converted_tree(function: types.FunctionType):
    node = desugar(copy.deepcopy(find_definition(function)), function)
    _note_origins(node)
    try:
        return _transform(node, function)
    except (NotImplementedError, ValueError, KeyError, AttributeError, TypeError) as error:
        # Errors of the converters themselves: the function runs as written.
        raise UnconvertibleError(f"the function cannot be converted ({error})") from error


def _transform(node, function: types.FunctionType):
    """Apply all converters to a syntax tree."""
    from malt.converters import (
        break_statements,
        call_trees,
        continue_statements,
        functions,
        logical_expressions,
        return_statements,
        variables,
    )
    from malt.core import converter
    from malt.pyct import anno, cfg, naming, qual_names, transformer
    from malt.pyct.static_analysis import activity, reaching_definitions

    from shims._src.autograph.captures import convert_control_flow

    names = {*function.__globals__, *function.__code__.co_freevars, "ag__"}
    info = transformer.EntityInfo(
        name=function.__name__,
        source_code="",
        source_file=function.__code__.co_filename,
        future_features=(),
        namespace=dict.fromkeys(names),
    )
    options = converter.ProgramContext(options=converter.STANDARD_OPTIONS)
    context = transformer.Context(info, naming.Namer(info.namespace), options)
    graphs = cfg.build(node)
    node = qual_names.resolve(node)
    node = activity.resolve(node, context, None)
    node = reaching_definitions.resolve(node, context, graphs)
    anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
    for step in (functions, break_statements, continue_statements, return_statements):
        node = step.transform(node, context)
    node = _Returns().visit(node)
    node = call_trees.transform(node, context)
    node = _MissingItems().visit(convert_control_flow(node, context))
    node = _IfExpressions().visit(node)
    node = logical_expressions.transform(node, context)
    node = _Comparisons().visit(node)
    return variables.transform(node, context)


class _Comparisons(ast.NodeTransformer):
    """Rewrites comparisons as operator calls, because comparisons of sizes may have to be staged."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        name = _COMPARISONS.get(type(node.ops[0]))
        if name is None or (name in ("is", "is not") and not _names_answer(node)):
            return node
        operator = ast.Attribute(ast.Name("ag__", ast.Load()), "compare", ast.Load())
        call = ast.Call(operator, [ast.Constant(name), node.left, node.comparators[0]], [])
        return ast.copy_location(call, node)


_COMPARISONS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


def _names_answer(node: ast.Compare) -> bool:
    """Return whether an operand of a comparison is `True` or `False`."""
    sides = (node.left, node.comparators[0])
    return any(isinstance(x, ast.Constant) and isinstance(x.value, bool) for x in sides)


class _Returns(ast.NodeTransformer):
    """Evaluates the value of a `return` before the flag that marks the return is set.

    So no exception handler has to reset the flag if the evaluation fails.
    """

    def visit_Try(self, node):
        self.generic_visit(node)
        flag = node.body[0]
        if (
            len(node.body) == 2
            and isinstance(flag, ast.Assign)
            and isinstance(flag.targets[0], ast.Name)
            and flag.targets[0].id.startswith("do_return")
        ):
            return node.body[::-1]
        return node


class _MissingItems(ast.NodeTransformer):
    """Lets the functions that get and set the variables of a block leave out missing items and attributes."""

    def visit_Call(self, node):
        """Read an item for `ag__.ldu(lambda: items[key], name)` without adding it, as a `defaultdict` does."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "ldu":
            load: Any = node.args[0]
            is_item = isinstance(load, ast.Lambda) and isinstance(load.body, ast.Subscript)
            if is_item and not _has_slice(load.body.slice):
                operator = ast.Attribute(ast.Name("ag__", ast.Load()), "present_item", ast.Load())
                load.body = ast.Call(operator, [load.body.value, load.body.slice], [])
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if not node.name.startswith("set_state"):
            return node
        targets = [
            t for inner in ast.walk(node) if isinstance(inner, ast.Assign) for t in inner.targets
        ]
        parts = [p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t])]
        for part in parts:
            if isinstance(part, (ast.Attribute, ast.Subscript)):
                is_item = isinstance(part, ast.Subscript)
                key = part.slice if is_item else ast.Constant(part.attr)
                operator = ast.Attribute(ast.Name("ag__", ast.Load()), "remove_missing", ast.Load())
                arguments = [copy.deepcopy(part.value), ast.Constant(is_item), copy.deepcopy(key)]
                node.body.append(ast.Expr(ast.Call(operator, arguments, [])))
        return node


def _has_slice(key) -> bool:
    return any(isinstance(part, ast.Slice) for part in ast.walk(key))


class _IfExpressions(ast.NodeTransformer):
    """Rewrites conditional expressions as operator calls; malt's own converter skips nested ones."""

    def visit_IfExp(self, node):
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        choices = [ast.Lambda(nothing, value) for value in (node.body, node.orelse)]
        operator = ast.Attribute(ast.Name("ag__", ast.Load()), "if_exp", ast.Load())
        return ast.copy_location(ast.Call(operator, [node.test, *choices], []), node)


def _note_origins(node) -> None:
    """Attach to each syntax node its position in the user's source file."""
    from malt.pyct import anno

    inner: Any
    for inner in ast.walk(node):
        if hasattr(inner, "lineno"):
            last = _header_end(inner)
            place = (inner.lineno, inner.col_offset, last.end_lineno, last.end_col_offset)
            anno.setanno(inner, anno.Basic.ORIGIN, place)


def _header_end(node) -> Any:
    """Return the last node of a statement; of a compound statement, the last node of its header."""
    if isinstance(node, (ast.If, ast.While)):
        return node.test
    if isinstance(node, ast.For):
        return node.iter
    return node


def _compile(node, code: types.CodeType) -> types.CodeType:
    """Compile a converted definition; `ag__` and the original closure variables are free in it."""
    if isinstance(node, ast.Lambda):
        definition = [ast.Return(node)]
    else:
        node.name = "ag__function"  # its own name must keep its outside meaning
        definition = [node]
    inner = _function_node(
        "ag__inner", ["ag__"], definition
    )  # names that do not collide with the user's globals
    closure = [ast.Assign([ast.Name(n, ast.Store())], ast.Constant(None)) for n in code.co_freevars]
    outer = _function_node("ag__outer", [], [*closure, inner])
    module = ast.Module([outer], [])
    _FixTree().visit(module)
    _set_positions(module, code.co_firstlineno)
    compiled = compile(
        module, code.co_filename, "exec", flags=code.co_flags & _FUTURES, dont_inherit=True
    )
    for _ in range(3):  # the module, `outer`, `inner`
        (compiled,) = [c for c in compiled.co_consts if isinstance(c, types.CodeType)]
    return compiled.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _function_node(name: str, arguments, body):
    parameters = [ast.arg(a, None) for a in arguments]
    signature = ast.arguments([], parameters, None, [], [], None, [])
    node = ast.FunctionDef(name, signature, body, [], None)
    if "type_params" in node._fields:
        node.type_params = []  # type: ignore[attr-defined, unused-ignore]
    return node


class _FixTree(ast.NodeVisitor):
    """Corrects a syntax tree that `compile` would reject: tuples instead of lists, wrong contexts."""

    def visit(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, tuple) and field in node._fields:
                setattr(node, field, list(value))
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Call):
            (node.target,) = node.target.args  # `ag__.ld(name)`, as if the name were read
        if hasattr(node, "ctx"):
            node.ctx = ast.Load()
        self.generic_visit(node)
        for target in _targets(node):
            _set_context(target, ast.Del() if isinstance(node, ast.Delete) else ast.Store())


def _targets(node) -> list:
    if isinstance(node, (ast.Assign, ast.Delete)):
        return node.targets
    if isinstance(node, ast.withitem):
        return [node.optional_vars] if node.optional_vars else []
    if isinstance(node, (ast.AugAssign, ast.For, ast.comprehension, ast.NamedExpr)):
        return [node.target]
    return []


def _set_context(target, context) -> None:
    target.ctx = context
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            _set_context(element, context)
    elif isinstance(target, ast.Starred):
        _set_context(target.value, context)


def _set_positions(module, line: int) -> None:
    """Give every syntax node the position of the user's source text that it was generated from."""
    from malt.pyct import anno

    def origin(node):
        return anno.getanno(node, anno.Basic.ORIGIN, default=None)

    def visit(node, inherited):
        place = origin(node)
        if place is None and isinstance(node, (ast.stmt, ast.Lambda)):
            # A generated statement gets the position of the first user node in it.
            place = next((p for p in map(origin, ast.walk(node)) if p is not None), None)
        if place is None and isinstance(node, ast.Attribute):
            # CPython takes the line of a call from the end of the attribute that it calls.
            place = (*inherited[:2], *inherited[:2])
        place = place or inherited
        if "lineno" in node._attributes:
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
        for child in ast.iter_child_nodes(node):
            visit(child, place)

    visit(module, (line, 0, line, 0))

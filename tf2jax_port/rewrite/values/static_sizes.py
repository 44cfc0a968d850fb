"""Infer which expressions are static sizes, numbers that are known while JAX traces the rewritten code."""

from __future__ import annotations

import ast
import enum
import functools
import weakref

from tf2jax_port.rewrite.knowledge.bind import signature
from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.reading.scopes import Binding, Scope
from tf2jax_port.rewrite.values.numbers import dtype_numbers
from tf2jax_port.rewrite.values.ragged_values import is_ragged
from tf2jax_port.rewrite.values.selections import is_selection
from tf2jax_port.rewrite.values.uses import Uses
from tf2jax_port.table.numbers import Numbers
from tf2jax_port.table.static_numbers import ELEMENTWISE, FORMS, JOINING, NUMBERS, RANGE, REDUCTIONS

_SOURCES = ("shape", "size", "rank")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_OF_ANY_SEQUENCE = ("len", "tuple", "list", "enumerate")
_SHAPE_PARAMETERS = ("shape", "dims")


class Static(enum.Enum):
    """The form that a static value has in the rewritten code."""

    LITERAL = "number in the text"
    NUMBER = "Python or NumPy number"
    SHAPE = "tuple or list of numbers"
    ARRAY = "NumPy array"


class StaticSizes:
    """Infers which expressions of one file are static sizes."""

    def __init__(self, values: Uses) -> None:
        # The values hold this object: without a cycle, the file's tree is freed at once.
        self.values: Uses = weakref.proxy(values)
        self.known: dict[ast.expr, Static | None] = {}
        self.settled = False

    @functools.cached_property
    def _present(self) -> bool:
        """Whether the file reads a size anywhere."""
        names = self.values.names
        return any(r.path in _SOURCES for r in self.values.by_node.values()) or any(
            a.attr in ("shape", "get_shape") for a in names.attributes
        )

    def of(self, node: ast.expr) -> Static | None:
        """Return the form of a static value, `None` for an expression that may be traced."""
        if not self._present:
            return None
        if not self.settled:
            self._settle_shapes()
        if node not in self.known:
            self.known[node] = None  # ends the recursion of names in a cycle
            self.known[node] = self._infer(node)
        return self.known[node]

    def _settle_shapes(self) -> None:
        """Decide which shapes are tuples: by their uses, judged as if all of them were arrays."""
        self.settled = True
        calls = [self.values.names.parents.get(node) for node in self.values.by_node]
        shapes = [
            c for c in calls if isinstance(c, ast.Call) and self.values.is_call_of(c, "shape")
        ]
        forms: dict[ast.expr, Static | None] = {}
        for call in shapes:
            form = forms[call] = self.of(call)
            plain = form is not None and len(call.args) < 2 and not call.keywords
            if plain and self._may_be_tuple(call):
                forms[call] = Static.SHAPE
        self.known = forms

    def is_size(self, node: ast.expr) -> bool:
        """Return whether an expression is static and computed from the size of an array."""
        if self.of(node) in (None, Static.LITERAL) or isinstance(node, ast.List):
            return False
        return not self._is_written_out(node)

    def _is_written_out(self, node: ast.expr) -> bool:
        """Return whether an expression is a tuple or list of literal numbers, or a name for these only."""
        if isinstance(node, ast.Tuple | ast.List):
            return all(self.of(element) is Static.LITERAL for element in node.elts)
        if not isinstance(node, ast.Name):
            return False
        scope = self.values.scope_of.get(node)
        home = scope.lookup(node.id) if scope is not None else None
        values = [] if home is None else [binding.value for binding in home.bindings[node.id]]
        return bool(values) and all(
            isinstance(v, ast.Tuple | ast.List) and self._is_written_out(v) for v in values
        )

    def holds_size(self, node: ast.expr) -> bool:
        """Return whether an expression, or an element of a list, is a static size."""
        if isinstance(node, ast.List | ast.Tuple):
            return any(map(self.holds_size, node.elts))
        return self.is_size(node)

    def _infer(self, node: ast.expr) -> Static | None:
        if isinstance(node, ast.Constant):
            return Static.LITERAL if isinstance(node.value, int | float) else None
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.BinOp):
            both = (self.of(node.left), self.of(node.right))
            known = isinstance(node.op, _ARITHMETIC) and Static.SHAPE not in both
            return _broadcast(both) if known else None
        if isinstance(node, ast.Compare):
            every = [self.of(side) for side in (node.left, *node.comparators)]
            return Static.NUMBER if not {None, Static.SHAPE, Static.ARRAY} & {*every} else None
        if isinstance(node, ast.IfExp):
            return _common([self.of(node.body), self.of(node.orelse)])
        if isinstance(node, ast.List | ast.Tuple):
            every = [self.of(element) for element in node.elts]
            return Static.SHAPE if {*every} <= {Static.LITERAL, Static.NUMBER} else None
        return self._infer_reading(node)

    def _infer_reading(self, node: ast.expr) -> Static | None:
        """Infer the form of a name, an attribute, a subscript or a call."""
        if isinstance(node, ast.Name):
            scope = self.values.scope_of.get(node)
            if scope is None:
                return None
            # Axes are numbers in JAX, whatever a parameter is.
            given = self._is_parameter(node.id, scope) and self._place(node) == "part of axes"
            return Static.NUMBER if given else self._of_name(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node)
        if isinstance(node, ast.Subscript):
            whole = self.of(node.value)
            if whole not in (Static.SHAPE, Static.ARRAY):
                return None
            if isinstance(node.slice, ast.Slice):
                return whole
            number = self.of(node.slice) in (Static.LITERAL, Static.NUMBER)
            return Static.NUMBER if number else None
        return self._of_call(node) if isinstance(node, ast.Call) else None

    def _of_attribute(self, node: ast.Attribute) -> Static | None:
        if node.attr == "shape" and node not in self.values.by_node:
            tensor = node.value
            return None if is_selection(self.values, tensor) else Static.SHAPE
        if node.attr == "value" and isinstance(node.value, ast.Subscript):
            return self.of(node.value)
        return None

    def _of_name(self, name: str, scope: Scope) -> Static | None:
        home = scope.lookup(name)
        if home is None:
            return None
        return _common([self._of_binding(binding) for binding in home.values_of(name)])

    def _of_binding(self, binding: Binding) -> Static | None:
        if binding.kind == "assign" and binding.value is not None:
            return self.of(binding.value)
        targets = self.values.names.parents.get(binding.node)
        statement = self.values.names.parents.get(targets) if targets is not None else None
        if not isinstance(targets, ast.Tuple | ast.List) or not isinstance(statement, ast.Assign):
            return None
        if any(isinstance(element, ast.Starred) for element in targets.elts):
            return None
        value = statement.value
        if isinstance(value, ast.Tuple | ast.List):
            place = next(i for i, e in enumerate(targets.elts) if e is binding.node)
            return self.of(value.elts[place]) if len(value.elts) == len(targets.elts) else None
        return Static.NUMBER if self.of(value) in (Static.SHAPE, Static.ARRAY) else None

    def _of_call(self, node: ast.Call) -> Static | None:
        reference = self.values.by_node.get(node.func)
        known = look_up(reference) if reference is not None else None
        if reference is None:
            return self._of_python(node)
        if known is None or known.rest or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        return self._of_operator(node, known)

    def _of_python(self, node: ast.Call) -> Static | None:
        """Infer the form of the result of a builtin, or of a method of a shape."""
        function = node.func
        if isinstance(function, ast.Attribute) and not node.args and not node.keywords:
            if function.attr == "get_shape":
                return None if is_selection(self.values, function.value) else Static.SHAPE
            return self.of(function.value) if function.attr == "as_list" else None
        if not isinstance(function, ast.Name) or node.keywords:
            return None
        every = [self.of(argument) for argument in node.args]
        if function.id in ("int", "float", "max", "min", "len", "abs", "sum") and None not in every:
            return Static.NUMBER
        return None

    def _of_operator(self, node: ast.Call, known: Known) -> Static | None:
        name = known.row.name
        given = self._given(node, known)
        if name in _SOURCES:
            operand = given.get("input")
            if operand is None or is_selection(self.values, operand):
                return None
            if is_ragged(self.values, operand):
                return None
            if name in NUMBERS:
                return Static.NUMBER
            return Static.ARRAY
        if name == RANGE:
            return self._of_range(node, given)
        if name not in FORMS:
            return None
        form = self._result_form(name, given)
        operands = [n for p, n in given.items() if p not in ("dtype", "axis")]
        return form if any(map(self.holds_size, operands)) else None

    def _given(self, node: ast.Call, known: Known) -> dict[str, ast.expr]:
        """Return the arguments of a call by parameter, without its name."""
        names = [p.name for p in signature(known.version_1_params or known.row.params or "")]
        given = dict(zip(names, node.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        given.pop("name", None)
        return given

    def _result_form(self, name: str, given: dict[str, ast.expr]) -> Static | None:
        """Return the form of a result if all operands are static."""
        if name in JOINING:
            return self._joined(name, given)
        operands = [self.of(n) for p, n in given.items() if p not in ("dtype", "axis")]
        if None in operands:
            return None
        if name == "cast":
            dtype = given.get("dtype")
            of_array = isinstance(dtype, ast.Attribute) and dtype.attr == "dtype"
            named = dtype is not None and dtype_numbers(dtype) not in (
                Numbers.UNKNOWN,
                Numbers.BOOL,
            )
            named = named or of_array
            return _broadcast(operands, tuples=True) if named else None
        if name in REDUCTIONS or name == "unstack":
            alone = len(given) == 1 and operands[0] in (Static.SHAPE, Static.ARRAY)
            return (Static.SHAPE if name == "unstack" else Static.NUMBER) if alone else None
        assert name in ELEMENTWISE
        return _broadcast(operands, tuples=True)

    def _of_range(self, node: ast.Call, given: dict[str, ast.expr]) -> Static | None:
        """Return the form of a range that gives axes, or a part of them."""
        forms = [self.of(n) for p, n in given.items() if p != "dtype"]
        if _broadcast(forms) is not Static.NUMBER or not any(map(self.holds_size, given.values())):
            return None
        return {"axes": Static.SHAPE, "part of axes": Static.ARRAY}.get(self._place(node))

    @staticmethod
    def _is_parameter(name: str, scope: Scope) -> bool:
        home = scope.lookup(name)
        values = home.values_of(name) if home is not None else []
        return bool(values) and all(binding.kind == "parameter" for binding in values)

    def _place(self, node: ast.expr) -> str:
        """Return `axes` for an argument that is the axes of another operator, or `part of axes`."""
        found, parents = "axes", self.values.names.parents
        while True:
            parent = parents.get(node)
            call = parents.get(parent) if isinstance(parent, ast.keyword) else parent
            reference = self.values.by_node.get(call.func) if isinstance(call, ast.Call) else None
            known = look_up(reference) if reference is not None else None
            if known is not None and isinstance(call, ast.Call):
                given = self._given(call, known)
                if any(given.get(name) is node for name in ("axis", "axes", "perm")):
                    return found
                if known.row.name not in (*JOINING, RANGE):
                    return ""
                found, node = "part of axes", call
            elif isinstance(parent, ast.List | ast.Tuple | ast.BinOp | ast.UnaryOp):
                node = parent
            else:
                return ""

    def _joined(self, name: str, given: dict[str, ast.expr]) -> Static | None:
        """Return the form of a concatenation of static shapes, or of a stack of static numbers."""
        values, axis = given.get("values"), given.get("axis", ast.Constant(0))
        if not isinstance(values, ast.List | ast.Tuple) or self.of(axis) is not Static.LITERAL:
            return None
        parts = (Static.SHAPE, Static.ARRAY)
        parts = parts if name == "concat" else (Static.LITERAL, Static.NUMBER)
        return Static.ARRAY if {self.of(value) for value in values.elts} <= {*parts} else None

    def _may_be_tuple(self, node: ast.expr) -> bool:
        """Return whether all uses of a shape take a tuple as well as an array."""
        parent = self.values.names.parents[node]
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return not isinstance(parent.slice, ast.Slice) or self._may_be_tuple(parent)
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            return self._may_be_tuple_under(parent.targets[0])
        if isinstance(parent, ast.List | ast.Tuple):
            node, parent = parent, self.values.names.parents[parent]
        call = self.values.names.parents[parent] if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call) or call.func is node:
            return False
        if isinstance(call.func, ast.Name) and call.func.id in _OF_ANY_SEQUENCE:
            return True
        reference = self.values.by_node.get(call.func)
        known = look_up(reference) if reference is not None else None
        if known is None or known.rest:
            return False
        parameter = next((p for p, n in self._given(call, known).items() if n is node), "")
        if known.row.name in (*REDUCTIONS, "unstack"):
            return len(self._given(call, known)) == 1
        if isinstance(node, ast.List | ast.Tuple):
            return (
                known.row.name == "concat"
                and self._joined("concat", self._given(call, known)) is not None
            )
        return parameter in _SHAPE_PARAMETERS or known.row.name == "cast"

    def _may_be_tuple_under(self, target: ast.expr) -> bool:
        """Return whether a shape may be a tuple that is assigned to a target."""
        if isinstance(target, ast.Tuple | ast.List):
            return not any(isinstance(element, ast.Starred) for element in target.elts)
        if not isinstance(target, ast.Name):
            return False
        home = self._scope_around(target).lookup(target.id)
        if home is None or home.kind != "function":
            return False
        if len(home.bindings[target.id]) > 1:
            return False
        uses = self._uses.get(target.id, [])
        own = (use for use, scope in uses if scope.lookup(target.id) is home)
        return all(map(self._may_be_tuple, own))

    def _scope_around(self, node: ast.expr) -> Scope:
        """Return the scope that contains a node."""
        names = self.values.names
        return next(
            (names.scopes[n] for n in names.ancestors(node) if n in names.scopes), names.module
        )

    @functools.cached_property
    def _uses(self) -> dict[str, list[tuple[ast.Name, Scope]]]:
        """A dict from a name to its uses, in all scopes."""
        found: dict[str, list[tuple[ast.Name, Scope]]] = {}
        for use in self.values.names.uses:
            found.setdefault(use[0].id, []).append(use)
        return found


def _broadcast(
    forms: list[Static | None] | tuple[Static | None, ...], *, tuples: bool = False
) -> Static | None:
    """Return the form of the result of arithmetic on static values."""
    if None in forms or (Static.SHAPE in forms and not tuples):
        return None
    if Static.ARRAY in forms or Static.SHAPE in forms:
        return Static.ARRAY
    return Static.NUMBER if Static.NUMBER in forms else Static.LITERAL


def _common(forms: list[Static | None]) -> Static | None:
    """Return the form that a name has whichever of several values it is assigned."""
    different = {*forms}
    if different == {Static.LITERAL, Static.NUMBER}:
        return Static.NUMBER
    return different.pop() if len(different) == 1 else None

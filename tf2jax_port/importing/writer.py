"""Convert a graph to Python functions that call `shims`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tf2jax_port.importing import effects
from tf2jax_port.importing.control_flow import (
    ENTER,
    EXIT,
    MERGE,
    NEXT,
    SWITCH,
    Branch,
    ControlFlow,
    Loop,
)
from tf2jax_port.importing.graph import Edge, ImportedGraph, Node
from tf2jax_port.importing.operators import OPERATORS
from tf2jax_port.importing.program import Problem, Program
from tf2jax_port.importing.random_operators import DRAWS
from tf2jax_port.importing.rule import Rule, UnsupportedError
from tf2jax_port.importing.scope import ANY, Scope, Value
from tf2jax_port.importing.shaped_operators import SHAPED

RULES: dict[str, Rule] = OPERATORS | SHAPED
LIST = ("*",)

# Operators that return their first input.
PASS_ON = {
    "CheckNumerics",
    "Identity",
    "PlaceholderWithDefault",
    "PreventGradient",
    "Print",
    "ReadVariableOp",
    "Snapshot",
    *ENTER,
}
VARIABLES = {"VarHandleOp", "VariableV2", "Variable"}
READING = {"ReadVariableOp", "ResourceGather", "StatefulPartitionedCall", "While", "If", "Case"}
RANDOM = ("Random", "Parameterized", "Stateless", "Multinomial")


class GraphWriter:
    """Writes the Python code of a graph, each node before its first use."""

    def __init__(self, program: Program, graph: ImportedGraph, prefix: str = ""):
        self.program, self.graph, self.prefix = program, graph, prefix
        self.control = ControlFlow(graph)
        self.awaited: set[str] = set()

    def texts(self, edges: Iterable[Edge], scope: Scope) -> list[str]:
        """Write the code that computes some edges; return the Python expressions of their values."""
        edges = list(edges)
        self._write_needed(edges, scope)
        return [self._text(edge, scope) for edge in edges]

    def finish(self) -> None:
        """Record a problem for each assignment that would have to precede a read of a variable.

        Assignments are not imported, so the value read would be wrong.
        """
        for node in effects.behind(self.graph, self.awaited):
            if effects.changes_state(node):
                self._problem(
                    node, "a variable is read after it is assigned; assignments are not imported"
                )

    def _problem(self, node: Node, reason: str) -> None:
        problem = Problem(node.op, self.prefix + node.name, reason)
        if problem not in self.program.problems:
            self.program.problems.append(problem)

    def _text(self, edge: Edge, scope: Scope) -> str:
        value = scope.find(edge.node)
        return "None" if value is None else value.at(edge)

    def _write_needed(self, edges: list[Edge], scope: Scope) -> None:
        """Write all nodes that some edges depend on, depth first.

        An explicit stack is used, since deep graphs would exceed Python's recursion limit.
        """
        stack = [(edge.node, False) for edge in reversed(edges)]
        begun: set[str] = set()
        while stack:
            name, ready = stack.pop()
            if scope.find(name) is not None:
                continue
            node = self.graph.nodes.get(name)
            if node is None:
                self._problem(Node(name, "?", (), (), {}), "the graph has no node with this name")
                scope.values[name] = Value("None", ANY)
            elif ready:
                scope.values[name] = self._write_node(node, scope)
            elif name in begun:
                self._problem(node, "the node depends on itself without a loop")
                scope.values[name] = Value("None", ANY)
            else:
                begun.add(name)
                stack.append((name, True))
                stack.extend((e.node, False) for e in reversed(self._needed_edges(node)))

    def _needed_edges(self, node: Node) -> list[Edge]:
        try:
            return self.control.needs(node)
        except UnsupportedError:
            return []  # reported when the node is written

    def _write_node(self, node: Node, scope: Scope) -> Value:
        self.program.operators[node.op] += 1
        if self._reads(node):
            self.awaited.update(node.controls)
        try:
            return self._value(node, scope)
        except UnsupportedError as error:
            self._problem(node, str(error))
            return Value("None", ANY)

    def _reads(self, node: Node) -> bool:
        """Return whether a node may read a variable."""
        before = (self.graph.nodes.get(edge.node) for edge in node.inputs)
        return node.op in READING or any(n is not None and n.op in VARIABLES for n in before)

    def _value(self, node: Node, scope: Scope) -> Value:
        """Write the code of one node, whose inputs are written already, and return its value."""
        if node.op == "Const":
            return Value(self.program.constant(self.prefix + node.name, node.attribute("value")))
        if node.op in VARIABLES:
            return Value(self.program.variable(node.variable))
        if node.op in EXIT:
            return self._loop_value(node, scope)
        if node.name in self.control.branches:
            return self._branch_value(node, scope)
        if node.op in SWITCH and node.inputs[0].node in self.control.loop_merges:
            return Value(self._text(node.inputs[0], scope), ANY)
        inputs = [self._text(edge, scope) for edge in node.inputs]
        if node.op in DRAWS and (scope.outer is not None or self.prefix):
            raise UnsupportedError(
                "the operation draws random numbers in a loop, a branch or a function"
            )
        if node.op in PASS_ON:
            return Value(inputs[0])
        text, outputs = self._spell(node, inputs)
        name = self.program.names.new(node.name)
        scope.write(f"{name} = {text}")
        return Value(name, ANY if node.op == "TensorArrayV3" else outputs)

    def _spell(self, node: Node, inputs: list[str]) -> tuple[str, tuple[str, ...]]:
        if node.op == "IdentityN":
            return _listed(inputs), LIST
        if node.op in CALLING:
            return CALLING[node.op](self, node, inputs), LIST
        if node.op in DRAWS:
            return DRAWS[node.op](node, inputs, self.program.key()), ()
        if node.op == "TensorListReserve":
            return self._spell_reserved_list(node, inputs), ()
        if node.op not in RULES:
            raise UnsupportedError(_reason(node))
        rule = RULES[node.op]
        return rule.spell(node, inputs), rule.outputs

    def _spell_reserved_list(self, node: Node, inputs: list[str]) -> str:
        """Convert a tensor list with a reserved number of elements to a `tf.TensorArray`.

        The `TensorArray` has a dynamic size if any tensor list of the graph grows.
        """
        array = f"tf.TensorArray(tf.{node.attribute('element_dtype')}, size={inputs[1]}"
        grows = ", dynamic_size=True" if self.program.lists_grow else ""
        return f"{array}{grows}, clear_after_read=False)"

    def _loop_value(self, node: Node, scope: Scope) -> Value:
        loop = self.control.loop_of(node)
        key = f"{loop.name} as a loop"  # no node has spaces in its name
        if scope.find(key) is None:
            scope.values[key] = Value(self._loop(loop, scope), LIST)
        return Value(f"{scope.values[key].text}[{self.control.position(node)}]")

    def _loop(self, loop: Loop, scope: Scope) -> str:
        names = [self.program.names.new(merge) for merge in loop.merges]
        start = _listed([self._text(edge, scope) for edge in loop.starts])
        functions = []
        for role, results in (("condition", [loop.condition]), ("body", loop.nexts)):
            function = self.program.names.new(f"{loop.name}_{role}")
            scope.write(f"def {function}({', '.join(names)}):")
            inside = scope.inside()
            inside.values.update(
                (merge, Value(name)) for merge, name in zip(loop.merges, names, strict=True)
            )
            inside.values.update(
                (enter, Value(self._text(edge, scope))) for enter, edge in loop.constants.items()
            )
            texts = self.texts(results, inside)
            inside.write(f"return {texts[0] if role == 'condition' else _listed(texts)}")
            functions.append(function)
        name = self.program.names.new(loop.name)
        scope.write(f"{name} = tf.while_loop({functions[0]}, {functions[1]}, {start})")
        return name

    def _branch_value(self, node: Node, scope: Scope) -> Value:
        branch = self.control.branches[node.name]
        key = f"{branch.merges[0]} as a branch"
        if scope.find(key) is None:
            scope.values[key] = Value(self._branch(branch, scope), LIST)
        return Value(f"{scope.values[key].text}[{branch.merges.index(node.name)}]")

    def _branch(self, branch: Branch, scope: Scope) -> str:
        functions = []
        for role, results in (("false", branch.sides[0]), ("true", branch.sides[1])):
            function = self.program.names.new(f"{branch.merges[0]}_{role}")
            scope.write(f"def {function}():")
            inside = scope.inside()
            inside.values.update(
                (switch, Value(self._text(edge, scope), ANY))
                for switch, edge in branch.switches.items()
            )
            inside.write(f"return {_listed(self.texts(results, inside))}")
            functions.append(function)
        name = self.program.names.new(branch.merges[0])
        predicate = self._text(branch.predicate, scope)
        scope.write(f"{name} = tf.cond({predicate}, {functions[1]}, {functions[0]})")
        return name

    def function(self, name: object) -> str:
        """Return the Python name of a graph function; write its code on first use."""
        program, graph = self.program, self.graph.functions.get(str(name))
        if graph is None:
            raise UnsupportedError(f"the graph has no function {name}")
        if str(name) in program.functions:
            return program.functions[str(name)]
        python = program.functions[str(name)] = program.names.new(str(name))
        arguments = [program.names.new(argument) for argument in graph.arguments]
        scope = Scope(program.names, [])
        scope.values.update(
            (argument, Value(text))
            for argument, text in zip(graph.arguments, arguments, strict=True)
        )
        inner = GraphWriter(program, graph, f"{name}/")
        results = inner.texts(graph.results, scope)
        inner.finish()
        program.left_out.update(
            n.op for n in graph.nodes.values() if effects.changes_state(n) or effects.only_tells(n)
        )
        lines = [f"def {python}({', '.join(['variables', *arguments])}):", *scope.lines]
        program.definitions.append("\n".join([*lines, f"    return {_listed(results)}"]))
        return python


def _listed(texts: list[str]) -> str:
    """Format expressions as a Python list, with list literals wrapped in `tf.constant`."""
    return f"[{', '.join(as_tensor(text) for text in texts)}]"


def as_tensor(text: str) -> str:
    """Wrap an expression in `tf.constant` if it is a list literal."""
    return f"tf.constant({text})" if text.startswith("[") else text


def _arguments(texts: list[str]) -> str:
    return ", ".join(["variables", *(as_tensor(text) for text in texts)])


def _reason(node: Node) -> str:
    if node.op in ("Placeholder", "PlaceholderV2"):
        return "the node needs a value: pass the node's name with --inputs"
    if node.op in (*MERGE, *SWITCH, *NEXT, "LoopCond"):
        return "the operation belongs neither to a loop nor to a conditional with two branches"
    if effects.changes_state(node):
        return "the operation assigns a variable, which is not possible in a pure function"
    if node.op.startswith(RANDOM):
        return "there is no rule for this random operator"
    return "there is no rule for this operator"


def _call(writer: GraphWriter, node: Node, inputs: list[str]) -> str:
    return f"{writer.function(node.attribute('f'))}({_arguments(inputs)})"


def _while(writer: GraphWriter, node: Node, inputs: list[str]) -> str:
    condition = writer.function(node.attribute("cond"))
    body = writer.function(node.attribute("body"))
    return (
        f"tf.while_loop(lambda *state: {condition}(variables, *state)[0], "
        f"lambda *state: {body}(variables, *state), {_listed(inputs)})"
    )


def _side(writer: GraphWriter, function: object, inputs: list[str]) -> str:
    return f"lambda: {writer.function(function)}({_arguments(inputs)})"


def _if(writer: GraphWriter, node: Node, inputs: list[str]) -> str:
    sides = [_side(writer, node.attribute(f"{s}_branch"), inputs[1:]) for s in ("then", "else")]
    return f"tf.cond({inputs[0]}, {sides[0]}, {sides[1]})"


def _case(writer: GraphWriter, node: Node, inputs: list[str]) -> str:
    sides = [_side(writer, function, inputs[1:]) for function in node.attribute("branches")]
    return f"tf.switch_case({inputs[0]}, {_listed(sides)})"


CALLING: dict[str, Callable[[GraphWriter, Node, list[str]], str]] = {
    "PartitionedCall": _call,
    "StatefulPartitionedCall": _call,
    "While": _while,
    "StatelessWhile": _while,
    "If": _if,
    "StatelessIf": _if,
    "Case": _case,
    "StatelessCase": _case,
}

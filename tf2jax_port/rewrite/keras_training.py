"""Training by hand over a Keras model, which Keras 3 on JAX does in another way.

A model of Keras keeps its weights in variables of its own. No tape sees them, and what a jitted
function assigns to them is lost; so steps that a person wrote are a person's to write anew.
"""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.findings import State
from tf2jax_port.rewrite.knowledge import Known, look_up
from tf2jax_port.rewrite.resolve import Reference
from tf2jax_port.rewrite.sites import Decision, File

CODE = "TJ342"
_WEIGHTS = ("trainable_variables", "trainable_weights", "variables", "weights")
_STEPS = ("train_step", "test_step", "predict_step", "make_train_function")
_TAPE = (
    "a tape does not see the weights of a Keras model: differentiate a function of "
    "`model.stateless_call`, or train with `model.fit` (docs/keras.md)"
)
_STEP = (
    "Keras 3 on JAX gives `{}` the state and takes it back: write `stateless_compute_loss` with "
    "`jax.value_and_grad` (docs/keras.md)"
)
_LEAKS = (
    "`apply_gradients` stands in a `tf.function`, and what an optimiser of Keras keeps cannot be "
    "assigned there: take the recipe of docs/optimizers.md"
)
_MINIMIZE = "the optimisers of Keras 3 have no `minimize`: take the recipe of docs/optimizers.md"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def refuse_steps(file: File, decisions: list[Decision]) -> list[Decision]:
    """The decisions; a tape over weights, a `train_step`, an optimiser in a graph are refused."""
    data = file.source.data
    if b"keras" not in data and b"optimizers" not in data:
        return decisions
    found = []
    for reference, decision in zip(file.references, decisions, strict=True):
        known = look_up(reference)
        why = _why(file, reference, known) if known is not None and decision.edits else ""
        if why:
            decision = dataclasses.replace(
                decision, state=State.MANUAL, code=CODE, message=why, edits=(), plain=False
            )
        found.append(decision)
    return found


def _why(file: File, reference: Reference, known: Known) -> str:
    name = known.row.name
    if name == "GradientTape":
        return _TAPE if _reads_weights(file, reference) else ""
    if name in ("keras.Model", "keras.models.Model", "keras.Sequential"):
        step = _own_step(file, reference)
        return _STEP.format(step) if step else ""
    if name.startswith("keras.optimizers.") and ".schedules." not in name:
        return _applied(file, reference)
    return ""


def _reads_weights(file: File, reference: Reference) -> bool:
    """Whether the function around a tape asks it for gradients by the weights of a model."""
    home = _function_of(file, reference.node) or _module_of(file, reference.node)
    asked = [
        argument
        for node in ast.walk(home)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("gradient", "jacobian")
        for argument in (*node.args[1:], *(k.value for k in node.keywords if k.arg == "sources"))
    ]
    names = {node.id for a in asked for node in ast.walk(a) if isinstance(node, ast.Name)}
    values = [
        node.value
        for node in ast.walk(home)
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names for t in node.targets)
    ]
    return any(_names_weights(node) for node in (*asked, *values))


def _names_weights(expression: ast.expr) -> bool:
    nodes = ast.walk(expression)
    return any(isinstance(n, ast.Attribute) and n.attr in _WEIGHTS for n in nodes)


def _own_step(file: File, reference: Reference) -> str:
    """The step that a class derived from a model writes itself, `""` for none."""
    parent = file.names.parents[reference.node]
    if not isinstance(parent, ast.ClassDef) or reference.node not in parent.bases:
        return ""
    methods = [node.name for node in parent.body if isinstance(node, _Function)]
    return next((name for name in methods if name in _STEPS), "")


def _applied(file: File, reference: Reference) -> str:
    """Why the optimiser that is made here cannot be Keras' own."""
    parent = file.names.parents[reference.node]
    statement = file.names.parents[parent]
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if target is None:
        return ""
    made = ast.unparse(target)
    for node in ast.walk(_module_of(file, reference.node)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in ("apply_gradients", "minimize"):
            continue
        if ast.unparse(node.func.value) != made:
            continue
        if node.func.attr == "minimize":
            return _MINIMIZE
        if _stands_in_graph(file, node):
            return _LEAKS
    return ""


def _stands_in_graph(file: File, node: ast.AST) -> bool:
    """Whether a function around a node is decorated with `tf.function`, or was."""
    rewritten = [file.spelling.text("shims.function"), file.spelling.text("jax.jit")]
    function = _function_of(file, node)
    while function is not None:
        for decorator in function.decorator_list:
            name = decorator.func if isinstance(decorator, ast.Call) else decorator
            reference = file.values.by_node.get(name)
            if reference is not None and reference.path == "function":
                return True
            if ast.unparse(name) in rewritten:
                return True
        function = _function_of(file, function)
    return False


def _function_of(file: File, node: ast.AST) -> _Function | None:
    found = file.names.parents.get(node)
    while found is not None and not isinstance(found, _Function):
        found = file.names.parents.get(found)
    return found


def _module_of(file: File, node: ast.AST) -> ast.AST:
    found = node
    while found in file.names.parents:
        found = file.names.parents[found]
    return found

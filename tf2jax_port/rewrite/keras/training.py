"""Leave training steps to a person if Keras 3 on JAX runs them differently.

A hand-written training loop stays, since `shims.GradientTape` and `shims.function` support Keras
variables. But on JAX, `fit` calls a model's `train_step` with other arguments, and optimizers have
no `minimize`.
"""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.optimizers.sites import WRITTEN
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites.decision import Draft, File

CODE = "TJ342"
_STEPS = ("train_step", "test_step", "predict_step", "make_train_function")
_STEP = (
    "on JAX, Keras 3 passes the training state to `{}` and expects the new state as the result: write a function "
    "with a tape, or `stateless_compute_loss` with `jax.value_and_grad` (docs/keras.md)"
)
_MINIMIZE = (
    "the optimizers of Keras 3 have no `minimize`: write the step as shown in docs/optimizers.md"
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def refuse_steps(draft: Draft) -> Draft:
    """Leave models with their own `train_step`, and `minimize` of optimizers, to a person."""
    file, found = draft.file, dict(draft.decisions)
    data = file.source.data
    if b"keras" not in data and b"optimizers" not in data:
        return draft
    for reference, decision in draft.decisions.items():
        known = look_up(reference)
        judged = known is not None and decision.edits and decision.code not in WRITTEN
        why = _why(file, reference, known) if known is not None and judged else ""
        if why:
            found[reference] = dataclasses.replace(
                decision, state=State.MANUAL, code=CODE, message=why, edits=(), plain=False
            )
    return draft.with_decisions(found)


def _why(file: File, reference: Reference, known: Known) -> str:
    name = known.row.name
    if name in ("keras.Model", "keras.models.Model", "keras.Sequential"):
        step = _own_step(file, reference)
        return _STEP.format(step) if step else ""
    if name.startswith("keras.optimizers.") and ".schedules." not in name:
        return _why_not_keras(file, reference)
    return ""


def _own_step(file: File, reference: Reference) -> str:
    """Return the training method that a derived class overrides, `""` if it overrides none."""
    parent = file.names.parents[reference.node]
    if not isinstance(parent, ast.ClassDef) or reference.node not in parent.bases:
        return ""
    methods = [node.name for node in parent.body if isinstance(node, _Function)]
    return next((name for name in methods if name in _STEPS), "")


def _why_not_keras(file: File, reference: Reference) -> str:
    """Return the reason why an optimizer cannot become one of Keras 3, `""` if it can."""
    parent = file.names.parents[reference.node]
    statement = file.names.parents[parent]
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if target is None:
        return ""
    made = ast.unparse(target)
    for attribute in file.names.attributes:
        if attribute.attr == "minimize" and ast.unparse(attribute.value) == made:
            call = file.names.parents[attribute]
            if isinstance(call, ast.Call) and call.func is attribute:
                return _MINIMIZE
    return ""

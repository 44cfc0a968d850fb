"""Replace optimizers and schedules by Optax's, if `--optimizers optax` is given.

An optimizer becomes a `shims.optax.Optimizer` around an Optax transformation with TensorFlow's
update rule, if all uses of it in the file are supported. An optimizer that is passed to `compile`
or to unknown code stays an optimizer of Keras 3, which takes the same steps.
"""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.calls import forms as calls
from tf2jax_port.rewrite.calls.arguments import CallSite, holds_references
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.bind import Refusal, bind_arguments, defaults
from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.optimizers.flow import Follower
from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.quoted import enclosing_string
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites.decision import Decision, Decisions, Draft, File
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.table import Native
from tf2jax_port.table.optimizers import COMMON, DECAYS, NAMES, OPTIMIZERS, SCHEDULES, WITHOUT_PLACE

OPTAX, STAYS, HANDED = "TJ406", "TJ132", "TJ208"
WRITTEN = (OPTAX, HANDED)
_GRAPHS = ("Session", "InteractiveSession", "placeholder", "train.MonitoredTrainingSession")
_METHODS = {
    "apply_gradients": 1,
    "apply": 2,
    "build": 1,
    "compute_gradients": 2,
    "minimize": 2,
}
_KEYWORDS = ("grads_and_vars", "loss", "var_list", "tape", "grad_loss", "trainable_variables")
_OF_VARIABLES = ("assign", "assign_add", "assign_sub", "numpy", "read_value", "value")
_VALUES = ("learning_rate", "iterations", "variables")
# The endings of reasons that say that other code may use the optimizer.
_ELSEWHERE = (
    "receives the optimizer",
    "returns the optimizer",
    "cannot follow the uses of the optimizer",
    "may use the optimizer",
)
_GRAPH = "the code builds a graph that contains the optimizer"
_NO_PLACE = "an argument has no counterpart in Optax"
_ROWS = "`shims.gather`: optimizers need a gradient that shows which rows were gathered"
_PLAIN_CALLS = ("TJ101", "TJ201")
_WRITTEN_BY_KERAS = ("TJ130", "TJ230")


@dataclasses.dataclass(frozen=True, slots=True)
class _Creation:
    """A call that creates an optimizer or a schedule."""

    reference: Reference
    known: Known
    call: ast.Call

    @property
    def is_version_1(self) -> bool:
        """Whether the optimizer or schedule is one of `tf.train`, from TensorFlow 1."""
        return self.known.row.name.startswith(("train.", "v1.train."))


def write_optimizers(draft: Draft) -> Draft:
    """Replace optimizers and schedules by Optax's, if the options ask for it."""
    file, found = draft.file, dict(draft.decisions)
    if file.options.optimizers != "optax" or file.target != "jax":
        return draft
    if not any(word in file.source.data for word in (b"ptimizer", b"decay", b"constant")):
        return draft
    made = _find_creations(file, draft.decisions)
    written: set[ast.Call] = set()
    rates = []
    for each in made:
        if each.known.row.name not in OPTIMIZERS:
            rates.append(each)
            continue
        site = _site(file, each)
        unfit = _why_unsupported_argument(site)
        why = unfit or _why_no_optimizer(file, each)
        handed = not unfit and why.endswith(_ELSEWHERE) and _is_spelled_out(file, each)
        edits = _write_optimizer(site) if site is not None and (not why or handed) else None
        if edits is None:
            found[each.reference] = _kept_decision(found[each.reference], why or _NO_PLACE)
            continue
        written.add(each.call)
        found[each.reference] = _written_decision(found[each.reference], each, edits, why)
    for each in rates:
        edits = _write_schedule(file, each, written)
        if edits is not None:
            found[each.reference] = _written_decision(found[each.reference], each, edits)
    return draft.with_decisions(_with_rows(file, found) if written else found)


def _find_creations(file: File, decisions: Decisions) -> list[_Creation]:
    found = []
    for reference, decision in decisions.items():
        known = look_up(reference)
        if known is None or known.rest or reference.ambiguous:
            continue
        name, node = known.row.name, known.reference.node
        if name not in OPTIMIZERS and name not in SCHEDULES and name not in DECAYS:
            continue
        call = file.names.parents[node]
        if not isinstance(call, ast.Call) or call.func is not node:
            continue
        if enclosing_string(file.names, node) is not None:
            continue
        if name.startswith("keras.") and decision.code not in _WRITTEN_BY_KERAS:
            continue
        found.append(_Creation(reference, known, call))
    return found


def _written_decision(
    decision: Decision, made: _Creation, edits: list[Edit], why: str = ""
) -> Decision:
    """Return the decision to replace an optimizer or schedule by one of Optax.

    The replacement must be reviewed if unknown code may use the optimizer; `why` gives the reason.
    """
    optimizer = made.known.row.name in OPTIMIZERS
    message = (
        "`shims.optax.Optimizer`" if optimizer else "`shims.optax`, with the same learning rates"
    )
    if why:
        message = (
            f"{why}, so check that other code uses only methods that `shims.optax.Optimizer` has"
        )
    return dataclasses.replace(
        decision,
        state=State.REVIEW if why else State.SHIM,
        code=HANDED if why else OPTAX,
        message=message,
        span=made.call,
        edits=tuple(edits),
        plain=False,
    )


def _is_spelled_out(file: File, made: _Creation) -> bool:
    """Return whether a name contains `compat.v1`, in a file that otherwise uses TensorFlow 2."""
    by_name = "compat.v1" in made.known.reference.dotted[-1]
    return by_name and any("compat.v1" not in r.dotted[-1] for r in file.references)


def _kept_decision(decision: Decision, why: str) -> Decision:
    if decision.state is State.MANUAL:
        return dataclasses.replace(
            decision,
            message=f"{decision.message}; the rewriter cannot write that here, because {why}",
        )
    message = (
        "the optimizer becomes an optimizer of Keras 3, which takes the same steps; the rewriter "
        f"cannot use Optax here, because {why}"
    )
    return dataclasses.replace(decision, state=State.REWRITTEN, code=STAYS, message=message)


# ---- optimizers ----------------------------------------------------------------------------------


def _why_no_optimizer(file: File, made: _Creation) -> str:
    """Return the reason why an optimizer cannot become one of Optax, `""` if it can."""
    if made.is_version_1 and any(r.path in _GRAPHS for r in file.references):
        return _GRAPH
    eager = any(r.path == "GradientTape" for r in file.references)

    def asked(attribute: ast.Attribute) -> str:
        return _why_attribute_unknown(file, attribute, made.is_version_1, eager)

    def handed(call: ast.Call, node: ast.expr) -> str | None:
        if call.func is node:
            return "the file calls the optimizer"
        reference = file.values.by_node.get(call.func)
        if reference is not None and reference.path == "train.Checkpoint":
            return ""  # not rewritten: whoever ports the code saves `variables` instead
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
            return "`compile` receives the optimizer"
        return None if reference is None else f"`{reference.spelled}` receives the optimizer"

    return Follower(file, asked, handed).why_not(made.call)


def _why_attribute_unknown(
    file: File, attribute: ast.Attribute, version_1: bool, eager: bool
) -> str:
    """Return the reason why a use of an optimizer's attribute is not supported, `""` if it is."""
    name = attribute.attr
    call = file.names.parents[attribute]
    is_called = isinstance(call, ast.Call) and call.func is attribute
    unknown = f"the file uses the optimizer's attribute `{name}`"
    if name == "variables" and isinstance(call, ast.Subscript):
        return "the file indexes the optimizer's attribute `variables`"
    if name in _VALUES and isinstance(call, ast.Attribute) and not _is_of_variable(file, call):
        return f"the file uses the optimizer's attribute `{name}.{call.attr}`"
    if name in _VALUES and not is_called:
        stores = not isinstance(attribute.ctx, ast.Load)
        hidden = version_1 or (stores and name != "learning_rate")
        return unknown if hidden else ""
    if name not in _METHODS or not is_called:
        return unknown
    assert isinstance(call, ast.Call)
    count = _METHODS[name] - (version_1 and name == "minimize")
    count = 3 if version_1 and name == "apply_gradients" else count
    keywords = (*_KEYWORDS, "global_step", "name") if version_1 else _KEYWORDS
    if len(call.args) > count or any(k.arg not in keywords for k in call.keywords):
        return f"the file calls the optimizer's `{name}` with arguments that the rewriter does not support"
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return f"the file calls the optimizer's `{name}` with arguments that the rewriter does not support"
    if version_1 and name in ("minimize", "compute_gradients"):
        return "" if call.args and _is_function(file, call.args[0]) else _GRAPH
    return "" if eager or not version_1 else _GRAPH


def _is_of_variable(file: File, attribute: ast.Attribute) -> bool:
    """Return whether an attribute is called as a method that variables have too: `x.assign(1)`."""
    call = file.names.parents[attribute]
    is_called = isinstance(call, ast.Call) and call.func is attribute
    return is_called and attribute.attr in _OF_VARIABLES


def _is_function(file: File, node: ast.expr) -> bool:
    """Return whether an expression is a lambda or the name of a function of the file."""
    if isinstance(node, ast.Lambda):
        return True
    if not isinstance(node, ast.Name):
        return False
    place = file.values.scope_of.get(node)
    scope = place.lookup(node.id) if place is not None else None
    bindings = scope.bindings[node.id] if scope is not None else []
    return bool(bindings) and all(
        isinstance(b.node, ast.FunctionDef) or isinstance(b.value, ast.Lambda) for b in bindings
    )


def _write_optimizer(site: CallSite) -> list[Edit] | None:
    """Return the edits that turn a call into `shims.optax.Optimizer(shims.optax.adam(...))`."""
    edits = _with_own_arguments(site, f"shims.optax.{OPTIMIZERS[site.row.name]}")
    if edits is None:
        return None
    wrapped = site.spelling.text("shims.optax.Optimizer(")
    first, *rest = edits
    end = site.source.span(site.call)[1]
    named = Edit(first.start, first.end, (wrapped, *first.pieces))
    return [named, *rest, Edit(end, end, (")",))]


def _why_unsupported_argument(site: CallSite | None) -> str:
    """Return the reason why an argument cannot be passed to Optax, `""` if all can."""
    if site is None:
        return _NO_PLACE
    usual = defaults(site.row.params or "")
    for name, argument in site.bound.arguments.items():
        is_own = name == "weight_decay" and site.row.name == "keras.optimizers.AdamW"
        if name in WITHOUT_PLACE and ast.unparse(argument.node) != usual[name]:
            return f"Optax has no parameter `{name}`"
        if name in COMMON and argument.keyword is None and not is_own:
            return f"`{name}` is passed by position, not by keyword"
        if name in NAMES and holds_references(site, argument.node):
            return _NO_PLACE
    return ""


def _with_own_arguments(site: CallSite, function: str) -> list[Edit] | None:
    """Return the edits that call `function` with only the arguments that it accepts.

    Returns `None` if a comment prevents it.
    """
    dropped = [name for name in site.bound.arguments if name in (*NAMES, *WITHOUT_PLACE)]
    return calls.write_facade(site, function, dropped)


def _site(file: File, made: _Creation) -> CallSite | None:
    known = made.known
    layout = call_layout(file.source, made.call)
    bound = bind_arguments(layout.arguments, known.row.params or "", known.renames)
    if isinstance(bound, Refusal) or bound.surplus:
        return None
    return CallSite(
        file.source,
        made.call,
        known.reference.node,
        layout,
        bound,
        known.row,
        file.names.parents[made.call],
        file.spelling,
        file.values,
        file.corners.lists,
    )


def _with_rows(file: File, decisions: Decisions) -> Decisions:
    """Replace `gather` by `shims.gather`, whose gradient is sparse: a set of rows, as in TensorFlow.

    With a dense gradient, an optimizer that squares gradients updates differently if a row is
    gathered twice.
    """
    found = dict(decisions)
    for reference, decision in decisions.items():
        known = look_up(reference)
        if known is None or known.row.name != "gather" or known.rest or known.version_1_params:
            continue
        call = file.names.parents[known.reference.node]
        if decision.code not in _PLAIN_CALLS or not isinstance(call, ast.Call):
            continue
        if decision.span is not call:
            continue
        site = _site(file, _Creation(reference, known, call))
        edits = calls.write_facade(site, "shims.gather", []) if site is not None else None
        if edits is not None:
            found[reference] = dataclasses.replace(
                decision, state=State.SHIM, code="TJ403", message=_ROWS, edits=tuple(edits)
            )
    return found


# ---- rates ---------------------------------------------------------------------------------------


def _write_schedule(file: File, made: _Creation, written: set[ast.Call]) -> list[Edit] | None:
    """Return the edits that turn a schedule into one of Optax, `None` if it must stay.

    The schedule may only be passed to an Optax optimizer or be called with a step.
    """

    def handed(call: ast.Call, node: ast.expr) -> str | None:
        if call in written or (call.func is node and len(call.args) == 1 - made.is_version_1):
            return ""
        return None

    follower = Follower(
        file, lambda attribute: f"the file uses the attribute `{attribute.attr}`", handed
    )
    if follower.why_not(made.call):
        return None
    name, site = made.known.row.name, _site(file, made)
    if site is None:
        return None
    if name in SCHEDULES:
        return _with_own_arguments(site, f"shims.optax.{SCHEDULES[name]}")
    target = Native(f"(lambda: shims.optax.{DECAYS[name]})")
    row = dataclasses.replace(made.known.row, target=target, differs="")
    return calls.write_native(dataclasses.replace(site, row=row))

"""Decide one reference: its state, its diagnostic and its edits."""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.calls import forms as calls
from tf2jax_port.rewrite.calls.arguments import CallSite, holds_references
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge import constructs, version_1
from tf2jax_port.rewrite.knowledge.bind import (
    Bound,
    Refusal,
    bind_arguments,
    bind_version_1,
    signature,
)
from tf2jax_port.rewrite.knowledge.known import (
    Known,
    corner,
    facade,
    has_exact_form,
    look_up,
    tensorflows,
)
from tf2jax_port.rewrite.names.tf_names import V1_PARAMS
from tf2jax_port.rewrite.reading.layout import CallLayout, call_layout
from tf2jax_port.rewrite.reading.quoted import enclosing_string, fits_in_string, is_editable
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites import host, pipelines, plain_forms, strategies, summaries
from tf2jax_port.rewrite.sites import keras as keras_sites
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File
from tf2jax_port.rewrite.sites.dtypes import DTYPES, compared_by_value, hashable
from tf2jax_port.rewrite.sites.keras_symbols import of_symbols, takes_symbols
from tf2jax_port.rewrite.sites.static_sizes import compute_statically
from tf2jax_port.rewrite.values import pure_functions
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.rewrite.writing.template import parse_template
from tf2jax_port.table import Keep, Manual, Native, Row, Shim
from tf2jax_port.table.version_1 import NOTHING, PRINTED

# Part of the markers of names that mean something else in TensorFlow 2. A second run then still reads the
# file as TensorFlow 1, although its other TensorFlow 1 names are gone.
READ_AS_VERSION_1 = " (read as TensorFlow 1)"
# The end of the markers that make a second run read the file as TensorFlow 0.x.
EARLY = " (TensorFlow 0.x)"


def decide_each(draft: Draft) -> Draft:
    """Decide how each reference is rewritten, independently of the others."""
    return draft.with_decisions({r: decide(draft.file, r) for r in draft.file.references})


def decide(file: File, reference: Reference) -> Decision:
    """Return the decision for one reference."""
    symbol = _symbol_of(reference)
    decision = (
        _left_alone(file, reference, symbol)
        or pipelines.keep(file, reference.node, symbol)
        or host.decide_host(file, reference, symbol)
        or summaries.decide_summary(file, reference, symbol)
        or strategies.decide_strategy(file, reference, symbol)
        or _decide_by_row(file, reference, symbol)
    )
    if decision.edits and not may_edit(file, decision):
        return _manual(reference, symbol, "TJ308", "the name is inside a string")
    return decision


def may_edit(file: File, decision: Decision) -> bool:
    """Return whether a decision's edits can be applied; inside of strings there are restrictions."""
    node = decision.span
    if enclosing_string(file.names, node) is None:
        return True
    texts = [piece for edit in decision.edits for piece in edit.pieces if isinstance(piece, str)]
    if file.strings_frozen or not all(map(fits_in_string, texts)):
        return False
    return node not in file.frozen and is_editable(file.source, file.names, node)


def _symbol_of(reference: Reference) -> str:
    """Return TensorFlow's name for reports, with `compat.v1` if the file writes it."""
    both = reference.version == 1 and reference.path in V1_PARAMS
    explicit = both and "compat.v1" in reference.dotted[-1]
    return f"tf.compat.v1.{reference.path}" if explicit else f"tf.{reference.path}".rstrip(".")


def _decide_unknown(file: File, reference: Reference, symbol: str) -> Decision:
    """Return the decision for a name without a table row."""
    state, code, message, near = host.explain_unknown(reference)
    if state is State.MANUAL:
        decision = _manual(reference, symbol, code, message)
        return dataclasses.replace(
            decision, misspelled=file.source.span(reference.node) if near else None
        )
    if file.options.data == "shims" and is_read_as_version_1(reference, symbol):
        message += READ_AS_VERSION_1
    return Decision(state, code, message, symbol, reference.node)


def _decide_by_row(file: File, reference: Reference, symbol: str) -> Decision:
    """Decide how a reference is rewritten, by its table row."""
    known = look_up(reference)
    if known is None and keras_sites.is_module_of_keras(reference.path):
        text = file.spelling.text(reference.path)
        edit = Edit(*file.source.span(reference.node), (text,))
        verdict = (State.REVIEW, keras_sites.MODULE, keras_sites.UNSEEN_NAMES)
        return Decision(*verdict, symbol, reference.node, (edit,))
    if known is None:
        return _decide_unknown(file, reference, symbol)
    symbol = _symbol_of(known.reference)
    known = of_symbols(file, known)
    compiled = _decide_compiled(file, known, symbol)
    if compiled is not None:
        return compiled
    return keras_sites.settle(file, known, _decide_by_use(file, reference, known, symbol))


def _decide_by_use(file: File, reference: Reference, known: Known, symbol: str) -> Decision:
    """Decide how a reference is rewritten, by the target in its table row and by its use.

    It may be called, passed as a value, or followed by an attribute.
    """
    target = known.row.target
    if isinstance(target, Keep):
        return Decision(State.KEPT, "TJ501", target.reason, symbol, reference.node)
    if isinstance(target, Manual) and (file.target == "jax" or facade(known.row) is None):
        return _manual(reference, symbol, target.code, target.reason)
    if known.rest:
        return _decide_attribute(file, known, symbol)
    node = known.reference.node
    parent = file.names.parents[node]
    if known.row.params is None:
        return _decide_name(file, known, symbol, parent)
    if isinstance(parent, ast.Call) and parent.func is node:
        return _decide_call(file, known, symbol, parent)
    return _passed_on(file, known, symbol)


def _decide_compiled(file: File, known: Known, symbol: str) -> Decision | None:
    """Return the decision to replace `@tf.function` by `jax.jit`, `None` if the function is not pure."""
    if known.row.name != "function" or known.rest or file.target != "jax":
        return None
    node: ast.expr = known.reference.node
    call = file.names.parents[node]
    if isinstance(call, ast.Call) and call.func is node:
        if not pure_functions.only_switches(call):
            return None
        node = call
    function = pure_functions.decorated(node, file.names.parents)
    asked = function is not None and any(
        isinstance(attribute.value, ast.Name) and attribute.value.id == function.name
        for attribute in file.names.attributes
    )
    if function is None or asked or not pure_functions.is_pure(function, _operands_in(file)):
        return None
    edit = Edit(*file.source.span(node), (file.spelling.text("jax.jit"),))
    message = "the function only computes a result from its parameters"
    return Decision(State.REWRITTEN, "TJ113", message, symbol, node, (edit,))


def _operands_in(file: File) -> pure_functions.Operands:
    """Return a function that returns the operands of a call whose other arguments are constant.

    For other calls that function returns `None`.
    """

    def operands(call: ast.Call) -> list[ast.expr] | None:
        reference = file.values.by_node.get(call.func)
        known = look_up(reference) if reference is not None else None
        if reference is None or known is None or known.row.differs:
            return None
        if decide(file, reference).code not in ("TJ101", "TJ201"):
            return None
        parameters = signature(known.row.params or "")
        tensors = known.row.tensors or (parameters[0].name,)
        bound = bind_call(known, call_layout(file.source, call))
        if isinstance(bound, Refusal) or bound.surplus or bound.dropped:
            return None
        fixed = [a.node for name, a in bound.arguments.items() if name not in tensors]
        if not all(is_fixed(file, node) for node in fixed):
            return None
        return [a.node for name, a in bound.arguments.items() if name in tensors]

    return operands


def is_fixed(file: File, node: ast.expr) -> bool:
    """Return whether an argument is a literal or the name of a dtype."""
    reference = file.values.by_node.get(node)
    if reference is not None:
        known = look_up(reference)
        return known is not None and known.row.params is None and not known.rest
    return all(
        isinstance(n, ast.Constant | ast.List | ast.Tuple | ast.UnaryOp | ast.USub | ast.Load)
        for n in ast.walk(node)
    )


def _manual(reference: Reference, symbol: str, code: str, message: str) -> Decision:
    if is_read_as_version_1(reference, symbol):
        message += READ_AS_VERSION_1
    return Decision(State.MANUAL, code, message, symbol, reference.node)


def is_read_as_version_1(reference: Reference, symbol: str) -> bool:
    """Return whether a name that both versions define is read as that of TensorFlow 1.

    The rest of the file decides, if the name is written without `compat.v1`.
    """
    both = reference.version == 1 and reference.path in V1_PARAMS
    return both and not symbol.startswith("tf.compat.")


def _left_alone(file: File, reference: Reference, symbol: str) -> Decision | None:
    """Return the decision about a reference that no table row can rewrite, `None` for all others."""
    if reference.ambiguous:
        name = ast.unparse(reference.chain[0])
        message = f"`{name}` is also bound to another object"
        if _is_bound_by_try(file, reference):
            message = f"both branches of a `try` bind `{name}`: delete the branch for the version that you do not use"
        return _manual(reference, symbol, "TJ305", message)
    if isinstance(getattr(reference.node, "ctx", None), ast.Store | ast.Del):
        return _manual(reference, symbol, "TJ307", "a TensorFlow name is assigned or deleted")
    start, end = file.source.span(reference.node)
    if start in file.undecided:
        message = file.undecided[start] + EARLY
        return Decision(State.MANUAL, "TJ337", message, symbol, reference.node)
    if b"#" in file.source.data[start:end]:
        return _manual(reference, symbol, "TJ308", "there is a comment inside the name")
    return None


def _is_bound_by_try(file: File, reference: Reference) -> bool:
    """Return whether all bindings of a name are in a `try` and its `except` branches."""
    root = reference.chain[0]
    scope = file.values.scope_of.get(root) if isinstance(root, ast.Name) else None
    home = scope.lookup(root.id) if scope is not None and isinstance(root, ast.Name) else None
    nodes = [] if home is None else [b.node for b in home.bindings[root.id]]  # type: ignore[attr-defined]
    tries = [{a for a in file.names.ancestors(node) if isinstance(a, ast.Try)} for node in nodes]
    return bool(tries) and bool(set.intersection(*tries))


# Names that are not called.


def _decide_name(file: File, known: Known, symbol: str, parent: ast.AST) -> Decision:
    """Decide how a name that is not a function is rewritten.

    It is a dtype, a type, a constant or an error class.
    """
    reference = known.reference
    called = isinstance(parent, ast.Call) and parent.func is reference.node
    if called and not constructs.makes_error(known.row, parent):
        return _manual(
            reference,
            symbol,
            "TJ302",
            "the name is called, but the rewriter knows no parameters of this name",
        )
    function = facade(known.row)
    native = isinstance(known.row.target, Native)
    if isinstance(parent, ast.ClassDef) and native and reference.node in parent.bases:
        return _manual(reference, symbol, "TJ311", "a class is derived from this name")
    if native and (file.target == "jax" or function is None):
        text = known.row.target.expression  # type: ignore[union-attr]
        if known.row.name in DTYPES:
            text = hashable(text, reference.node, parent)
        code = "TJ103" if known.row.name == "Tensor" else "TJ102"
        decision = _replace_name(file, known, symbol, State.REWRITTEN, code, text)
        by_value = compared_by_value(file.source, reference.node, parent)
        return dataclasses.replace(decision, edits=(*decision.edits, *by_value))
    assert function is not None
    return _replace_name(file, known, symbol, State.SHIM, "TJ401", function)


def _decide_attribute(file: File, known: Known, symbol: str) -> Decision:
    """Decide how an attribute of a TensorFlow object, such as `tf.float32.max`, is rewritten."""
    node = known.reference.node
    whole = file.names.parents[node]
    target = known.row.target
    attribute = known.rest[0]
    text = None
    if isinstance(target, Native) and known.row.params is None and isinstance(whole, ast.expr):
        text = constructs.dtype_attribute(target.expression, attribute)
    name = known.row.name.rpartition(".")[2]
    if isinstance(target, Shim) and name[0].isupper():
        # The class of `shims` has the same methods, its enumeration the same members.
        return _replace_name(file, known, symbol, State.SHIM, "TJ401", target.function)
    if text is None or not isinstance(whole, ast.expr):
        message = f"the rewriter has no replacement for the attribute `{attribute}`"
        return _manual(known.reference, f"{symbol}.{attribute}", "TJ311", message)
    edit = Edit(*file.source.span(whole), (file.spelling.text(text),))
    message = f"`{file.spelling.text(text)}`"
    return Decision(State.REWRITTEN, "TJ102", message, symbol, whole, (edit,))


def _replace_name(
    file: File, known: Known, symbol: str, state: State, code: str, text: str
) -> Decision:
    """Return the decision to replace only the name."""
    written = file.spelling.text(text)
    node = known.reference.node
    plain = _is_namesake(known, text)
    edit = Edit(*file.source.span(node), (written,))
    return Decision(state, code, f"`{written}`", symbol, node, (edit,), plain)


def _is_namesake(known: Known, function: str) -> bool:
    """Return whether it is enough to write `shims` for `tf` in a name to refer to its replacement."""
    reference = known.reference
    if function != f"shims.{reference.path}":
        return False
    return all(getattr(node, "attr", "") != "compat" for node in reference.chain)


def _passed_on(file: File, known: Known, symbol: str) -> Decision:
    """Decide how an operator is rewritten that is used as a value: `activation=tf.nn.relu`."""
    row, function = known.row, facade(known.row)
    receiver = _tensorflow_receiver(file, known)
    if receiver is not None:
        message = f"the operator is passed to `{receiver.spelled}`, which is not changed and still uses TensorFlow"
        return _manual(known.reference, symbol, "TJ312", message)
    direct = _direct_counterpart(file, known)
    if file.target == "jax" and direct is not None:
        return _replace_name(file, known, symbol, State.REWRITTEN, "TJ104", direct)
    if function is None:
        reason = "an operator with a different meaning in TensorFlow 1 is passed on as a value"
        return _manual(known.reference, symbol, "TJ306", reason)
    if known.version_1_params and known.version_1_params != row.params:
        reason = "an operator with different arguments in TensorFlow 1 is passed on as a value"
        return _manual(known.reference, symbol, "TJ306", reason)
    return _replace_name(file, known, symbol, State.SHIM, "TJ402", function)


def _tensorflow_receiver(file: File, known: Known) -> Reference | None:
    """Return the TensorFlow function, itself not replaced, that an operator is passed to, if any."""
    parent = file.names.parents[known.reference.node]
    call = file.names.parents[parent] if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or call.func is known.reference.node:
        return None
    receiver = file.values.by_node.get(call.func)
    if receiver is None:
        return None
    found = look_up(receiver)
    stays = found is None or isinstance(found.row.target, Keep | Manual)
    return receiver if stays else None


def _direct_counterpart(file: File, known: Known) -> str | None:
    """Return the JAX function that can be passed in place of a one-argument operator.

    Return `None` if none can.
    """
    row = known.row
    if not isinstance(row.target, Native) or corner(row, file.options):
        return None
    parameters = [p for p in signature(row.params or "") if p.name != "name"]
    template = parse_template(row.target.expression)
    parent = file.names.parents[known.reference.node]
    handed = isinstance(parent, ast.keyword) or (
        isinstance(parent, ast.Call) and not _is_partial(parent)
    )
    one = len(parameters) == 1 and len(template.slots) == 1
    return template.function if one and handed and template.slots[0].keyword is None else None


def _is_partial(call: ast.Call) -> bool:
    """Return whether a call is `functools.partial`, which may bind a parameter that JAX lacks."""
    return "partial" in ast.unparse(call.func)


# Calls.


def _decide_call(file: File, known: Known, symbol: str, call: ast.Call) -> Decision:
    """Decide how a call of an operator is rewritten."""
    row, reference = known.row, known.reference
    layout = call_layout(file.source, call)
    bound = bind_call(known, layout)
    if isinstance(bound, Refusal):
        return _decide_starred(file, known, symbol, call, bound)
    site = CallSite(
        file.source,
        call,
        reference.node,
        layout,
        bound,
        row,
        file.names.parents[call],
        file.spelling,
        file.values,
        file.corners.lists,
    )
    if any(holds_references(site, argument.node) for _, argument in bound.dropped):
        return _manual(
            reference,
            symbol,
            "TJ308",
            "an argument that would be dropped contains names of TensorFlow",
        )
    if row.name in ("name_scope", "v1.name_scope") and _is_bound_by_with(site):
        # JAX's context manager binds nothing, but the file needs the name of the scope.
        row = version_1.bound_scope(row, bound)
        site = dataclasses.replace(site, row=row)
        known = known._replace(row=row)
    if file.target == "jax":
        decided = compute_statically(site, symbol) or plain_forms.of_arrays(file, site, symbol)
        if decided is not None:
            return decided
        row = plain_forms.for_number(site)
        site, known = dataclasses.replace(site, row=row), known._replace(row=row)
    of_text = _is_of_text(row, bound)
    if (
        isinstance(row.target, Native)
        and not of_text
        and (file.target == "jax" or facade(row) is None)
    ):
        here = file.corners.at(site)
        differs = corner(row, file.options) or here.differs
        exact = file.options.takes_exact and bool(differs) and has_exact_form(row)
        exact = exact or (here.met and tensorflows(row) is not None)
        exact = exact and not (row.name.startswith("keras.") and takes_symbols(file, call))
        edits = None if exact else _write_form(site)
        if edits is not None and row.target.expression == NOTHING:
            return _switched_on(site, symbol)
        if edits is not None:
            return _of_native(row, differs, symbol, call, edits)
    decision = _decide_facade_call(file, known, symbol, site)
    old = bool(known.version_1_params) or row.name.startswith("v1.")
    return _of_version_1(decision, known, bound) if old else decision


def bind_call(known: Known, layout: CallLayout) -> Bound | Refusal:
    """Bind the arguments of a call to the parameters of its table row."""
    params = known.row.params or ""
    if not known.version_1_params:
        return bind_arguments(layout.arguments, params, known.renames)
    return bind_version_1(
        layout.arguments,
        known.version_1_params,
        params,
        known.renames,
        (*version_1.without_meaning(known.row.name), *PRINTED),
    )


def _decide_starred(
    file: File, known: Known, symbol: str, call: ast.Call, refusal: Refusal
) -> Decision:
    """Decide how a call is rewritten whose arguments cannot be bound.

    A call with `*args` may become a call of `shims`.
    """
    function = facade(known.row)
    as_it_is = not known.version_1_params and not constructs.without_place(known.row)
    if refusal.code != "TJ303" or function is None or not as_it_is:
        decision = _manual(known.reference, symbol, refusal.code, refusal.message)
        argument = refusal.misspelled
        if argument is None or argument.keyword is None:
            return decision
        end = argument.start + len(argument.keyword.encode())
        return dataclasses.replace(decision, misspelled=(argument.start, end))
    edit = Edit(*file.source.span(known.reference.node), (file.spelling.text(function),))
    message = f"`{function}`, which accepts the same arguments"
    plain = _is_namesake(known, function)
    return Decision(State.SHIM, "TJ403", message, symbol, call, (edit,), plain)


def _write_form(site: CallSite) -> list[Edit] | None:
    """Return the edits for the first JAX expression of a table row that suits the call, or `None`."""
    for target in version_1.forms(site.row):
        form = site
        if target is not site.row.target:
            form = dataclasses.replace(site, row=dataclasses.replace(site.row, target=target))
        edits = calls.write_native(form)
        if edits is not None:
            return edits
    return None


def _switched_on(site: CallSite, symbol: str) -> Decision:
    """Return the decision to remove a call such as `tf.enable_v2_behavior()`, needless in JAX."""
    start, end = site.source.span(site.call)
    statement = isinstance(site.parent, ast.Expr) and site.source.span(site.parent) == (start, end)
    edit = Edit(start, end, ("pass" if statement else NOTHING,))
    message = "the call is removed, because JAX has no other behavior"
    return Decision(State.REWRITTEN, "TJ110", message, symbol, site.call, (edit,))


def _of_native(row: Row, differs: str, symbol: str, call: ast.Call, edits: list[Edit]) -> Decision:
    """Return the decision about a call that becomes the JAX expression of its table row."""
    assert isinstance(row.target, Native)
    if differs:
        return Decision(State.REVIEW, "TJ201", differs, symbol, call, tuple(edits))
    function = parse_template(row.target.expression).function
    if function.startswith("shims."):
        return Decision(State.SHIM, "TJ401", f"`{function}`", symbol, call, tuple(edits))
    message = row.note or "JAX has the same operator"
    return Decision(State.REWRITTEN, "TJ101", message, symbol, call, tuple(edits))


def _of_version_1(decision: Decision, known: Known, bound: Bound) -> Decision:
    """Mark a decision for review if TensorFlow 1's function differs, or prints a dropped argument."""
    differs = "" if version_1.is_exact(known.row.name, bound) else version_1.differs(known.row.name)
    prints = any(name in PRINTED for name, _ in bound.dropped)
    printed = "the argument `data`, which TensorFlow 1 prints, is left out" if prints else ""
    if not decision.edits or not (differs or printed):
        return decision
    code = "TJ201" if differs else "TJ203"
    return dataclasses.replace(decision, state=State.REVIEW, code=code, message=differs or printed)


def _is_bound_by_with(site: CallSite) -> bool:
    """Return whether a call is the context manager of `with ... as name`."""
    return isinstance(site.parent, ast.withitem) and site.parent.optional_vars is not None


def _is_of_text(row: Row, bound: Bound) -> bool:
    """Return whether a call such as `tf.constant` converts a string to a tensor."""
    if row.name not in ("constant", "convert_to_tensor", "identity"):
        return False
    value = next(iter(bound.arguments.values())).node
    nodes = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return any(isinstance(n, ast.Constant) and isinstance(n.value, str | bytes) for n in nodes)


def _decide_facade_call(file: File, known: Known, symbol: str, site: CallSite) -> Decision:
    """Make the decision for a call that becomes a call of `shims`, with TensorFlow's signature."""
    row, function = known.row, tensorflows(known.row)
    unknown = [name for name in site.bound.arguments if name in constructs.without_place(row)]
    edits = None if function is None else calls.write_facade(site, function, unknown)
    if edits is None or function is None:
        message = "the JAX expression for this call cannot be written at this place"
        return _manual(known.reference, symbol, "TJ308", message)
    if unknown:
        message = f"the argument `{unknown[0]}` is left out, because `{function}` does not use it"
        return Decision(State.REVIEW, "TJ203", message, symbol, site.call, tuple(edits))
    plain = len(edits) == 1 and _is_namesake(known, function)
    native = isinstance(row.target, Native) and file.target == "jax"
    differs = corner(row, file.options) or file.corners.at(site).differs
    if native and file.options.takes_exact and differs and has_exact_form(row):
        message = f"`{function}`; JAX's own function differs: {differs}"
        return Decision(State.SHIM, "TJ404", message, symbol, site.call, tuple(edits), plain)
    code = "TJ403" if native else "TJ401"
    return Decision(State.SHIM, code, f"`{function}`", symbol, site.call, tuple(edits), plain)

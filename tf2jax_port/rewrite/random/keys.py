"""Replace random operators by calls of `jax.random` with explicit keys, for `--random keys`.

The numbers differ from TensorFlow's; their distribution is the same. A stateless operator gets a key made from
its seed, a pair of integers. All remaining random calls get a key, which is split off before their statement. A function
that contains random calls gets a key parameter, if all of its callers can pass a key. A call that cannot have a
key becomes a call of `shims.random`, with a finding that gives the reason.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections.abc import Callable

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.knowledge.surroundings import needs_graph
from tf2jax_port.rewrite.random.draws import Form, find_form
from tf2jax_port.rewrite.random.functions import Functions
from tf2jax_port.rewrite.random.lines import (
    KeyNames,
    Lines,
    argument_edit,
    choose_names,
    first_statement,
    numbered,
    parameter_edit,
)
from tf2jax_port.rewrite.random.places import NoPlaceError, leading
from tf2jax_port.rewrite.random.threads import Need, Seed, Threading, Threads, seed_of
from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites.decision import Decision, Decisions, Draft, File
from tf2jax_port.rewrite.writing.edits import Edit, Piece, Span

KEYED, DRAWN = "TJ206", "TJ207"
_OTHER_NUMBERS = "the numbers differ from TensorFlow's and have the same distribution"
_THEIR_NUMBERS = "with TensorFlow's numbers for the same seeds; `--random keys` requests JAX's keys"
_STAYS = "the draw uses `shims.random` and TensorFlow's generator"
_STATELESS = ("uniform", "normal", "truncated_normal")
_SEEDS = ("random.set_seed", "keras.utils.set_random_seed")
_NO_DRAWS = ("split", "fold_in", "create_rng_state", "Algorithm", "set_seed")
_TAPES = ("TJ114", "TJ205")


@dataclasses.dataclass(frozen=True, slots=True)
class _Draw:
    """A random call, and its `jax.random` replacement or the reason why there is none."""

    reference: Reference
    call: ast.Call | None
    form: Form | str


def draw_by_keys(draft: Draft) -> Draft:
    """Rewrite random calls to `jax.random` with keys, if the options ask for it and it is possible."""
    file, decisions = draft.file, draft.decisions
    options = file.options
    asked = options.random == "keys" and options.target == "jax" and not options.safe_only
    if not asked:
        return _name_generators(draft)
    found = dict(decisions)
    draws: list[_Draw] = []
    stateless: list[ast.Call] = []
    seeds: dict[Reference, Seed] = {}
    codes = {reference.node: decision.code for reference, decision in decisions.items()}
    for reference, decision in decisions.items():
        known = look_up(reference)
        if known is None or known.rest or not decision.edits:
            continue
        name = known.row.name
        call = file.names.parents[known.reference.node]
        called = call if isinstance(call, ast.Call) and call.func is known.reference.node else None
        if name in _SEEDS and called is not None:
            seeds[reference] = _seed(file, called)
        elif decision.state is not State.SHIM:
            continue
        elif name.removeprefix("random.stateless_") in _STATELESS and called is not None:
            found[reference] = _key_stateless_draw(file, known, called, codes, decision)
            stateless.append(called)
        elif is_stateful(name):
            form = (
                find_form(file, known, called, codes, name)
                if called
                else "the function is passed on as a value"
            )
            draws.append(_Draw(reference, called, form))
    if draws:
        _Keys(file, found, draws, seeds, stateless).give(codes)
    return draft.with_decisions(found)


def _name_generators(draft: Draft) -> Draft:
    """Say in the message of each random call that its numbers are TensorFlow's."""
    data = draft.file.source.data
    if b"random" not in data and b"dropout" not in data:
        return draft
    found = dict(draft.decisions)
    for reference, decision in draft.decisions.items():
        known = look_up(reference) if decision.state is State.SHIM else None
        if known is not None and is_stateful(known.row.name):
            message = f"{decision.message}, {_THEIR_NUMBERS}"
            found[reference] = dataclasses.replace(decision, message=message)
    return draft.with_decisions(found)


def is_stateful(name: str) -> bool:
    """Return whether a random operator uses the global generator state, not an explicit seed."""
    if name.startswith("random."):
        own = name.removeprefix("random.")
        return not own.startswith(("stateless_", "experimental.")) and own not in _NO_DRAWS
    image = name.startswith("image.") and "random_" in name and "stateless" not in name
    return image or name in ("nn.dropout", "v1.nn.dropout")


def _review_decision(
    decision: Decision, code: str, message: str, edits: tuple[Edit, ...]
) -> Decision:
    return dataclasses.replace(
        decision, state=State.REVIEW, code=code, message=message, edits=edits, plain=False
    )


def _key_stateless_draw(
    file: File, known: Known, call: ast.Call, codes: dict[ast.expr, str], decision: Decision
) -> Decision:
    """Rewrite a stateless random call whose seed is a pair of integers, or a name for such a pair."""
    form = find_form(file, known, call, codes, known.row.name)
    if isinstance(form, str) or form.shapes:
        return decision
    arguments = {a.keyword: a for a in call_layout(file.source, call).arguments}
    seed = arguments["seed"].node if "seed" in arguments else call.args[1]
    key: tuple[Piece, ...]
    if isinstance(seed, ast.List | ast.Tuple) and len(seed.elts) == 2:
        if not all(isinstance(e, ast.Constant | ast.Name) for e in seed.elts):
            return decision
        first, second = (Span(*file.source.span(e)) for e in seed.elts)
        key = ("jax.random.fold_in(jax.random.key(", first, "), ", second, ")")
    elif isinstance(seed, ast.Name):
        name = Span(*file.source.span(seed))
        key = ("jax.random.fold_in(jax.random.key(", name, "[0]), ", name, "[1])")
    else:
        return decision
    return _review_decision(decision, KEYED, _OTHER_NUMBERS, (form.edit(file, call, key),))


def _seed(file: File, call: ast.Call) -> Seed:
    """Return the `Seed` of a call such as `tf.random.set_seed(1)`."""
    arguments = call_layout(file.source, call).arguments
    node = arguments[0].node if len(arguments) == 1 else None
    statement = file.names.parents.get(call)
    try:
        leads = isinstance(statement, ast.Expr) and leading(file, statement) is statement
    except NoPlaceError:
        leads = False
    return seed_of(file, call, node, leads=leads)


class _Keys:
    """Adds keys to the random calls of one file; updates the decisions in `found`."""

    def __init__(
        self,
        file: File,
        found: Decisions,
        draws: list[_Draw],
        seeds: dict[Reference, Seed],
        stateless: list[ast.Call],
    ) -> None:
        self.file = file
        self.found = found
        self.stateless = stateless
        self.draws = draws
        self.seeds = seeds
        self.functions = Functions(file, file.neighbors)
        self.edits: list[Edit] = []
        self.lines = Lines(file)

    def give(self, codes: dict[ast.expr, str]) -> None:
        """Add a key to each random call that can have one; record the reason for every other one."""
        names = choose_names(self.file)
        reason = self._why_no_keys(names)
        if reason or names is None:
            self._record_reasons(lambda draw: reason)
            return
        able = {d.call: d for d in self.draws if d.call is not None and not isinstance(d.form, str)}
        blocks = _tape_blocks(self.file, codes)
        threading = Threading(self.file, self.functions, able, list(self.seeds.values()), blocks)
        threads = threading.settled()
        keys = self._write(threads, threading, names)
        self._record_reasons(lambda draw: "" if draw.call in keys else self._why(draw, threading))
        for draw in self.draws:
            if draw.call in keys:
                self._draw(draw, keys[draw.call], threads, threading)
        self._attach(keys, threads)

    def _why_no_keys(self, names: KeyNames | None) -> str:
        """Return the reason why none of the file's random calls can have a key, `""` if some can."""
        if b"tf2jax: ignore" in self.file.source.data or self.file.options.per_file:
            return "comments or settings exclude parts of the file from the rewrite"
        if any(r.version == 1 and needs_graph(r.path) for r in self.file.references):
            return "the file builds a graph, which draws new numbers in each run of a session"
        return (
            ""
            if names is not None
            else "the file already uses every name that the rewriter could give to a key"
        )

    def _why(self, draw: _Draw, threading: Threading) -> str:
        if isinstance(draw.form, str) or draw.call is None:
            return str(draw.form)
        return threading.why_not(draw.call)

    def _record_reasons(self, why: Callable[[_Draw], str]) -> None:
        """Mark each random call for review for which `why` returns a reason, that is, not `""`."""
        for draw in self.draws:
            reason = why(draw)
            if reason:
                decision = self.found[draw.reference]
                message = f"{_STAYS}, because {reason}"
                self.found[draw.reference] = _review_decision(
                    decision, DRAWN, message, decision.edits
                )

    # What is written.

    def _write(
        self, threads: Threads, threading: Threading, names: KeyNames
    ) -> dict[ast.Call, str]:
        """Plan the parameters, arguments and lines that pass keys; return the key text of each call."""
        keys: dict[ast.Call, str] = {}
        made = self.file.spelling.text("jax.random.key(")
        taken = self._used_seeds()
        free = (n for n in itertools.count() if n not in taken)
        for unit in sorted(threads.needs, key=lambda u: getattr(u, "lineno", 0)):
            needs = sorted(threads.needs[unit], key=_position)
            own = [s for s in self.seeds.values() if s.unit is unit and s.statement is not None]
            if unit in threads.roots and not threading.is_seeded(unit, needs):
                items = [n.place.anchor for n in needs] + [s.statement for s in own if s.statement]
                place = first_statement(self.file, unit, items)
                self.lines.add(place, f"{names.key} = {made}{next(free)})")
            elif unit not in threads.roots and not isinstance(unit, ast.Module):
                edit = parameter_edit(self.file, unit, names.key)
                assert edit is not None
                self.edits.append(edit)
            for seed in own:
                assert seed.statement is not None
                assert seed.value is not None
                start, end = self.file.source.span(seed.value)
                text = self.file.source.data[start:end].decode()
                self.lines.add(seed.statement, f"{names.key} = {made}{text})")
            only = not threading.needs_lines(unit, threads)
            keys.update(self._split(needs, names, only=only))
        for call, need in self._calls_with_keys(threads):
            assert need.function is not None
            self.edits.append(argument_edit(self.file, call, names.key, keys[call]))
        return keys

    def _used_seeds(self) -> set[object]:
        """Return the numbers that the file uses as seeds.

        A new key must not be made from one of them, since it would repeat the numbers of that seed.
        """
        pairs = [
            node.elts[0]
            for call in self.stateless
            for node in ast.walk(call)
            if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 2
        ]
        values = [seed.value for seed in self.seeds.values()]
        return {n.value for n in (*pairs, *values) if isinstance(n, ast.Constant)}

    def _calls_with_keys(self, threads: Threads) -> list[tuple[ast.Call, Need]]:
        return [(n.call, n) for needs in threads.needs.values() for n in needs if n.function]

    def _split(self, needs: list[Need], names: KeyNames, *, only: bool) -> dict[ast.Call, str]:
        """Plan the lines that split a function's key; return the key's text for each call.

        only: whether the key is passed on unsplit, because only one call needs it.
        """
        keys: dict[ast.Call, str] = {}
        by_anchor: dict[ast.stmt, list[Need]] = {}
        for need in needs:
            by_anchor.setdefault(need.place.anchor, []).append(need)
        for anchor, here in by_anchor.items():
            texts = [names.key] if only else names.subkeys(len(here))
            if not only:
                count = f", {len(here) + 1}" if len(here) > 1 else ""
                left = ", ".join([names.key, *texts])
                split = self.file.spelling.text("jax.random.split(")
                self.lines.add(anchor, f"{left} = {split}{names.key}{count})")
            for need, text in zip(here, texts, strict=True):
                keys[need.call] = self._fold_in_index(need, text, names)
        return keys

    def _fold_in_index(self, need: Need, text: str, names: KeyNames) -> str:
        """Return the text of a call's key.

        In a comprehension, the text folds the index of the element into the key.
        """
        if need.place.repeated is None:
            return text
        number, edits = numbered(self.file, need.place.repeated, names)
        self.edits += [edit for edit in edits if edit not in self.edits]
        return self.file.spelling.text(f"jax.random.fold_in({text}, {number})")

    def _draw(self, draw: _Draw, key: str, threads: Threads, threading: Threading) -> None:
        """Set the decision about a random call: it becomes a call of `jax.random` with the given key."""
        assert draw.call is not None
        assert isinstance(draw.form, Form)
        place = threading.place(draw.call)
        assert not isinstance(place, str)
        message = _OTHER_NUMBERS
        unit = place.unit
        if draw.form.seedless:
            message += "; the seed argument of the draw is dropped"
        if unit not in threads.roots:
            message += f"; `{getattr(unit, 'name', '')}` gets a key parameter"
        elif not threading.is_seeded(unit, threads.needs[unit]):
            message += "; no seed is set before the draw, so each run of the program draws the same numbers"
        edit = draw.form.edit(self.file, draw.call, (key,))
        self.found[draw.reference] = _review_decision(
            self.found[draw.reference], KEYED, message, (edit,)
        )
        for call in draw.form.shapes:
            self._rewrite_size(call)

    def _rewrite_size(self, call: ast.Call) -> None:
        """Turn `tf.shape(x)` in the shape argument of a random call into `jnp.shape(x)`."""
        inner = Span(*self.file.source.span(call.args[0]))
        written = self.file.spelling.text("jnp.shape(")
        edit = Edit(*self.file.source.span(call), (written, inner, ")"))
        for reference in self.file.references:
            if reference.node is call.func:
                self.found[reference] = dataclasses.replace(
                    self.found[reference],
                    state=State.REWRITTEN,
                    code="TJ108",
                    message="the sizes are passed as numbers instead of an array",
                    span=call,
                    edits=(edit,),
                )

    def _attach(self, keys: dict[ast.Call, str], threads: Threads) -> None:
        """Add the edits that belong to no single call to those of the first random call that gets a key.

        They insert the lines that create keys, and `enumerate` in comprehensions. Calls that set a seed from which keys
        are made are marked for review, except those of Keras.
        """
        for reference, seed in self.seeds.items():
            if seed.unit in threads.needs and ".keras." not in self.found[reference].symbol:
                decision = self.found[reference]
                message = "the first key is created from this seed, which also seeds `shims.random`"
                self.found[reference] = _review_decision(decision, KEYED, message, decision.edits)
        first = next((draw for draw in self.draws if draw.call in keys), None)
        if first is not None:
            decision = self.found[first.reference]
            edits = (*self.lines.edits(), *self.edits, *decision.edits)
            self.found[first.reference] = dataclasses.replace(decision, edits=edits)


def _position(need: Need) -> tuple[int, int]:
    return need.call.lineno, need.call.col_offset


def _tape_blocks(file: File, codes: dict[ast.expr, str]) -> set[ast.AST]:
    """Return the `with` blocks of gradient tapes that the rewriter turns into functions."""
    parents = file.names.parents
    tapes = [node for node, code in codes.items() if code in _TAPES]
    items = [parents[parents[node]] for node in tapes if isinstance(parents[node], ast.Call)]
    return {parents[item] for item in items if isinstance(item, ast.withitem)}

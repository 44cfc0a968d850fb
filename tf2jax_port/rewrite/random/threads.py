"""Decide which calls need a key, which functions receive one, and where keys are created.

Keys are created in the program itself, in a function that sets the seed before its random calls, in a test, and
in the function passed to `app.run`. Every other function with random calls receives a key from its callers. If
one of its callers cannot pass a key, the function keeps TensorFlow's numbers, and so do the functions that could
only have received a key from it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Container, Iterable

from tf2jax_port.rewrite.random.functions import Functions, is_program
from tf2jax_port.rewrite.random.lines import FunctionNode, is_in_loop
from tf2jax_port.rewrite.random.places import Place, Unit, block_of, find_place, unit_of
from tf2jax_port.rewrite.sites.decision import File


@dataclasses.dataclass(frozen=True, slots=True)
class Need:
    """A call that needs a key: a random call, or a call of a function with a key parameter."""

    call: ast.Call
    place: Place
    function: FunctionNode | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Seed:
    """A call that sets the seed.

    value: its argument if the text can be repeated, else `None`.
    """

    call: ast.Call
    unit: Unit
    statement: ast.stmt | None
    value: ast.expr | None


@dataclasses.dataclass(frozen=True, slots=True)
class Threads:
    """The calls that need a key, by function, and the functions that create their own key."""

    needs: dict[Unit, list[Need]]
    roots: frozenset[Unit]


class Threading:
    """Decides which functions receive a key as a parameter.

    Args:
      file: the file.
      functions: finds the callers of functions.
      draws: the random calls that can be written with a key.
      seeds: the calls that set the seed.
      blocks: `with` statements that become functions.
    """

    def __init__(
        self,
        file: File,
        functions: Functions,
        draws: Iterable[ast.Call],
        seeds: list[Seed],
        blocks: Container[ast.AST],
    ) -> None:
        self.file = file
        self.functions = functions
        self.seeds = seeds
        self.blocks = blocks
        self.refused: dict[Unit, str] = {}
        self.places: dict[ast.Call, Place | str] = {}
        self.draws = list(draws)

    def place(self, call: ast.Call) -> Place | str:
        """Return the `Place` where a call gets its key, or the reason why it cannot get one."""
        if call not in self.places:
            self.places[call] = find_place(self.file, call, self.blocks)
        return self.places[call]

    def settled(self) -> Threads:
        """Return the calls that can have a key, and the functions that create keys.

        Functions that cannot get a key are rejected one after the other, until every remaining one can.
        """
        while True:
            threads = self._threads()
            more = self._refusals(threads)
            if not more:
                return threads
            self.refused.update(more)

    def why_not(self, call: ast.Call) -> str:
        """Return the reason why a random call has no key."""
        place = self.place(call)
        return place if isinstance(place, str) else self.refused[place.unit]

    # Who needs a key, given the refusals so far.

    def _threads(self) -> Threads:
        roots: set[Unit] = set()
        while True:
            needs = self._needs(roots)
            more = {unit for unit in needs if self._creates_key(unit, needs[unit])} - roots
            if not more:
                return Threads(needs, frozenset(roots))
            roots |= more

    def _needs(self, roots: set[Unit]) -> dict[Unit, list[Need]]:
        found: dict[Unit, list[Need]] = {}
        waiting = [Need(call, p) for call in self.draws if isinstance(p := self.place(call), Place)]
        while waiting:
            need = waiting.pop()
            unit = need.place.unit
            if unit in self.refused:
                continue
            if unit not in found and unit not in roots and not isinstance(unit, ast.Module):
                for call in self.functions.callers(unit).calls:
                    place = self.place(call)
                    if isinstance(place, Place):
                        waiting.append(Need(call, place, unit))
            found.setdefault(unit, []).append(need)
        return found

    def _creates_key(self, unit: Unit, needs: list[Need]) -> bool:
        """Return whether a function, or the program, creates its own key instead of receiving one."""
        if isinstance(unit, ast.Module):
            return True
        return self.is_seeded(unit, needs) or is_program(self.file, self.functions, unit)

    def is_seeded(self, unit: Unit, needs: list[Need]) -> bool:
        """Return whether a function sets a seed before every call in it that needs a key."""
        return any(
            seed.unit is unit
            and seed.statement is not None
            and self._precedes_needs(seed.statement, needs)
            for seed in self.seeds
        )

    def _precedes_needs(self, statement: ast.stmt, needs: list[Need]) -> bool:
        """Return whether a statement runs before every call that needs a key.

        This is certain if the calls are in later statements of the same block, or inside of these.
        """
        block = block_of(self.file.names.parents[statement], statement)
        later = block[block.index(statement) + 1 :]
        anchors = [need.place.anchor for need in needs]
        return all(
            anchor in later or any(outer in later for outer in self.file.names.ancestors(anchor))
            for anchor in anchors
        )

    # Reasons to refuse.

    def _refusals(self, threads: Threads) -> dict[Unit, str]:
        found: dict[Unit, str] = {}
        for unit in threads.needs:
            reason = self._why_refused(unit, threads)
            if reason:
                found[unit] = reason
        return found or self._refuse_cycles(threads)

    def _why_refused(self, unit: Unit, threads: Threads) -> str:
        seed = next((s for s in self.seeds if s.unit is unit and s.statement is None), None)
        if seed is not None:
            return f"the seed of line {seed.call.lineno} cannot become a key"
        if self.needs_lines(unit, threads) and not all(n.place.room for n in threads.needs[unit]):
            return "no line can be inserted before a call that needs a key"
        if unit in threads.roots:
            return (
                "" if self.is_seeded(unit, threads.needs[unit]) else self._why_stray_seed(threads)
            )
        assert not isinstance(unit, ast.Module)
        callers = self.functions.callers(unit)
        if callers.reason:
            return callers.reason
        for call in callers.calls:
            place = self.place(call)
            if isinstance(place, str):
                return f"line {call.lineno} calls `{unit.name}`, and {place}"
            if place.unit in self.refused:
                return self._why_caller_refused(unit, place.unit)
        return ""

    def needs_lines(self, unit: Unit, threads: Threads) -> bool:
        """Return whether lines that create or split a key must be inserted into a function.

        None are needed if it receives a key and has one call that needs a key, outside of loops:
        the key is passed on.
        """
        needs = threads.needs[unit]
        alone = len(needs) == 1 and not isinstance(unit, ast.Module)
        return (
            not alone or unit in threads.roots or is_in_loop(self.file, unit, needs[0].place.anchor)
        )

    def _why_caller_refused(self, unit: FunctionNode, caller: Unit) -> str:
        reason = self.refused[caller]
        if " without a key: " in reason:  # it names the first one that has none
            return reason
        name = "the program" if isinstance(caller, ast.Module) else f"`{caller.name}`"
        return f"{name} calls `{unit.name}` without a key: {reason}"

    def _why_stray_seed(self, threads: Threads) -> str:
        """Return why no keys can be created, `""` if they can.

        They cannot if some function without random calls sets a seed that is not a literal.
        """
        for seed in self.seeds:
            if seed.unit not in threads.needs and not isinstance(seed.value, ast.Constant):
                return f"the seed is set in line {seed.call.lineno}, where no key is created"
        return ""

    def _refuse_cycles(self, threads: Threads) -> dict[Unit, str]:
        """Return the functions that get no key because only they call each other, with the reason."""
        reached: set[Unit] = set()
        waiting = [unit for unit in threads.needs if unit in threads.roots]
        while waiting:
            unit = waiting.pop()
            if unit not in reached:
                reached.add(unit)
                waiting += [n.function for n in threads.needs[unit] if n.function is not None]
        return {
            unit: f"no other code calls `{getattr(unit, 'name', '')}`"
            for unit in threads.needs
            if unit not in reached
        }


def seed_of(file: File, call: ast.Call, argument: ast.expr | None, *, leads: bool) -> Seed:
    """Build the `Seed` of a call that sets the seed.

    Args:
      file: the file.
      call: the call.
      argument: the seed.
      leads: whether the call is a statement before which a line can be inserted.
    """
    statement = file.names.statement(call)
    value = argument if argument is not None and _is_repeatable_number(file, argument) else None
    usable = leads and not isinstance(file.names.parents[statement], ast.ClassDef)
    usable = usable and value is not None
    return Seed(call, unit_of(file, call), statement if usable else None, value)


def _is_repeatable_number(file: File, node: ast.expr) -> bool:
    """Return whether an expression may be evaluated a second time, to make a key from it."""
    allowed = (
        *(
            ast.Name,
            ast.Attribute,
            ast.Subscript,
            ast.BinOp,
            ast.UnaryOp,
            ast.operator,
            ast.unaryop,
        ),
        *(ast.expr_context, ast.Constant),
    )
    inner = list(ast.walk(node))
    plain = all(isinstance(n, allowed) and n not in file.values.by_node for n in inner)
    return plain and not (isinstance(node, ast.Constant) and type(node.value) is not int)

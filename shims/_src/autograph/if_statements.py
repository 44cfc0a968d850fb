"""Stage an `if` statement of converted code: trace its branches, and assign their results to its variables."""

from __future__ import annotations

from collections.abc import Callable

from shims._src.autograph import aliases, effects, expressions, lists, own_objects
from shims._src.control_flow import untaken_branches
from shims._src.control_flow.staged_branches import join_blocks
from shims._src.control_flow.undefined import LateName, Unreached
from shims._src.recording import snapshots


def stage_if(condition, body, orelse, get_state, set_state, names, nouts, raised=None) -> None:
    """Execute `if condition: body() else: orelse()` for a traced condition.

    Args:
      condition: the condition.
      body: the first branch.
      orelse: the second one.
      get_state: returns the values of the variables that the branches share with the code around them.
      set_state: sets them.
      names: the names of these variables.
      nouts: the number of variables that are used after the statement; they come first.
      raised: the condition, if errors of the program in a branch are raised for the data that take the branch.
    """
    statement = _If(get_state, set_state, names, nouts)
    with lists.no_leaks():
        outputs = statement.outputs(condition, body, orelse, raised)
    set_state((*outputs[:nouts], *statement.init[nouts:]))
    outputs.clear()


class _If:
    """The variables of an `if` statement while its branches are traced.

    Attributes:
      init: their values before the statement.
    """

    def __init__(self, get_state, set_state, names, nouts):
        self._get_state, self._set_state, self._names = get_state, set_state, names
        self.init = get_state()
        aliases.check(list(self.init))
        self._shared = lists.shared(self.init)
        # Others may hold a container that a branch changes, if no variable of the statement names it afterwards.
        inner = range(nouts, len(self.init))
        self._wanted = [*range(nouts), *(i for i in inner if aliases.is_container(self.init[i]))]
        self._nouts = nouts
        self._start = list(self.init)  # cleared at the end: JAX keeps the blocks
        self._flag: object = None
        self._after: dict[Callable, tuple] = {}
        self._found: dict[Callable, list] = {}
        # The positions of containers and arrays that others hold, and that a branch changes.
        self._changed: set[int] = set()

    def outputs(self, condition, body, orelse, raised) -> list:
        """Trace the branches, and return the values of the variables after the statement."""
        self._flag = expressions.operand_of_negation(condition)
        effects.begin()
        nothing = [_untaken_output(self.init[i]) for i in self._wanted]
        thunks = (self._block(body), self._block(orelse))
        blocks = untaken_branches.trace_branches(thunks, nothing, raised)
        effects.end()
        after = [self._after.get(run, self.init) for run in (body, orelse)]
        for i in range(self._nouts):
            if all(isinstance(state[i], lists.Recorder) for state in (self.init, *after)):
                blocks = lists.align(blocks, i)
        outputs = list(join_blocks(condition, blocks, names=self._labels(), label="if"))
        for i in range(self._nouts):
            if isinstance(self.init[i], lists.Recorder) and isinstance(after[0][i], lists.Recorder):
                outputs[i] = lists.with_entries(self.init[i], outputs[i])
            elif self._always_returns(i, _end(blocks[0], i, after[0]), after[1][i]):
                outputs[i] = True
        found = list(self._found.values())
        outputs = [
            aliases.joined(v, [of_run[i] for of_run in found]) for i, v in enumerate(outputs)
        ]
        results = dict(zip(self._wanted, outputs, strict=True))
        for i in self._changed:
            if results.get(i) is not self.init[i]:
                aliases.note_replaced(self.init[i])
        after.clear()
        for kept in (self._after, self._found, self._start):
            kept.clear()
        return outputs

    def _labels(self) -> list[str]:
        names = self._names
        return [names[i] if i < self._nouts else LateName(names[i]) for i in self._wanted]

    def _block(self, run: Callable) -> Callable[[], list]:
        """Return a branch as a function without effects, which returns what it leaves in the variables."""

        def block() -> list:
            values = [lists.for_branch(v) for v in self._start]
            kept = lists.allow_changes(values)
            self._set_state(tuple(values))
            of_others = snapshots.Snapshot([values[i] for i in self._shared])
            try:
                with aliases.scope():
                    run()
                    state = self._get_state()
                    own_objects.check_owners(self._names, values, state)
                    named = [aliases.sources_of(state[i]) for i in self._wanted]
                chosen = [i for i in lists.chosen(state, values, self._shared) if i < self._nouts]
                changed = of_others.changed()
                self._changed |= {i for i in self._shared if any(values[i] is c for c in changed)}
                outputs = [self._output(i, state[i]) for i in self._wanted]
            finally:
                kept.restore()
                self._set_state(tuple(self._start))
                lists.forget_copies()
            values.clear()
            if changed or any(not self._names[i].startswith("retval_") for i in chosen):
                effects.note_in_statement()
            self._after[run] = tuple(_without_tracers(v, self._flag) for v in state)
            self._found[run] = list(map(aliases.outside_of_block, named))
            return outputs

        return block

    def _output(self, i: int, new):
        """Return a branch's output for one variable: its value, or for a list the entries appended."""
        old = self._start[i]
        if i >= self._nouts and new is not old:
            return None  # the branch has given the variable another value, which nothing reads
        if isinstance(new, lists.Recorder) and isinstance(old, lists.Recorder):
            return tuple(new.entries[len(old.entries) :])
        return aliases.copied(new)

    def _always_returns(self, i: int, after_main, after_else) -> bool:
        """Return whether a variable is a `return` flag that is true after either branch of an `if`.

        This is so for `if not flag: ...; flag = True`.
        """
        return (
            self._flag is not None
            and self._names[i].startswith("do_return")
            and self.init[i] is self._flag
            and after_main is True
            and after_else is self._flag
        )


def _without_tracers(value, flag):
    """Return a variable's value after a branch without tracers, which must not outlive the branch.

    Only what the statement still needs is kept: that the value is a list, `True`, or the given flag.
    """
    if isinstance(value, lists.Recorder):
        return lists.Recorder(value.name, ())
    return value if value is True or value is flag else None


def _untaken_output(old):
    """Return a placeholder for the output of a branch that cannot be traced and must not be taken.

    It is no entries for a list, and otherwise an undefined value.
    """
    return () if isinstance(old, lists.Recorder) else Unreached()


def _end(block, i: int, after):
    """Return a variable's value after a branch; that of a flag is `True` where an error ends the branch."""
    leaves = block.leaves[i]
    return True if len(leaves) == 1 and isinstance(leaves[0], Unreached) else after[i]

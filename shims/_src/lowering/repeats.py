"""Tell whether a size is computed again: by the same equations, from the same values.

The sizes of a nested program have the same names at each call. A derivative calls the program a second time, to
compute what it needs of the first call; then both calls make the same sizes, whose arrays may meet. To find this out,
the values of the programs that are being lowered get numbers: equal computations get equal numbers.
"""

from __future__ import annotations

import itertools

import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes import dims, primitives

# The names of JAX's primitives whose nested program has the operands of the equation, and its results.
_CALLS = frozenset(
    [
        "jit",
        "pjit",
        "closed_call",
        "core_call",
        "remat",
        "checkpoint",
        "remat2",
        "custom_jvp_call",
        "custom_vjp_call",
    ]
)


class Frame:
    """A program that is being lowered.

    Args:
      jaxpr: the program, open.
      values: its values that were lowered already, by variable.
      caller: the equation that calls it with its operands; `None` if the operands come from elsewhere.
      branch: which branch of the conditional `caller` the program is; `None` if it is none.
    """

    def __init__(self, jaxpr, values: dict, caller=None, branch: int | None = None):
        self.jaxpr, self.values, self.caller, self.branch = jaxpr, values, caller, branch
        self.numbered: _Numbered | None = None
        self.condition: object = (
            None  # for a branch: the number of the index, and which branch it is
        )


class Repeats:
    """The sizes that nested programs of one lowering have made, by the serial numbers of their bindings."""

    def __init__(self) -> None:
        self._table = _Table()
        self._made: dict[object, tuple] = {}
        self._of_branches: dict[object, dict] = {}
        self._joined: dict[object, object] = {}

    def note(self, frames: list[Frame], eqn, serial, layout) -> None:
        """Record that an equation of a nested program makes a size; `layout` is that of its mask: a token and an extent."""
        # What leaves a conditional was made in one of its branches.
        if len(frames) > 1 and isinstance(serial, int) and serial not in self._of_branches:
            made = self._source(frames, eqn), self._by_origin(frames, layout)
            self._made.setdefault(serial, made)

    def is_repeated(self, frames: list[Frame], eqn, serial, layout) -> bool:
        """Return whether an equation makes a size again, in the layout of the first time."""
        if serial not in self._made and serial not in self._of_branches:
            return False
        source = self._source(frames, eqn)  # which also numbers the programs around
        return self._origin(frames, serial) == (source, self._by_origin(frames, layout))

    def is_of_one_source(self, frames: list[Frame], eqn) -> bool:
        """Return whether the equations of a program that make a size of one name provably use the same values."""
        at = _containing(frames, eqn)
        if at is None:
            return True
        equations = jaxprs.own_equations(frames[at].jaxpr)
        name = eqn.params["name"]
        first = next(e for e in equations if _makes(e, name))
        if first is eqn or first.invars == eqn.invars:
            return True
        numbered = self._numbered(frames, at)
        numbered.advance_to(eqn)
        return numbered.source(first) == numbered.source(eqn)

    def is_outermost(self, frames: list[Frame], eqn) -> bool:
        """Return whether an equation is one of the outermost program."""
        return _containing(frames, eqn) == 0

    def _origin(self, frames, serial):
        """Return from what a size was made; for the size of a conditional, in the branch that is being lowered."""
        branches = self._of_branches.get(serial, {})
        found = (branches[f.condition] for f in reversed(frames) if f.condition in branches)
        return self._made.get(serial) or next(found, None)

    def _by_origin(self, frames, layout):
        """Return the token and extent of a mask with the origins of sizes in the place of their serial numbers."""
        if layout is None or layout[0] is None:
            return layout
        (kind, dim, serials, *rest), extent = layout
        if kind == "selected":
            found = self._origin(frames, serials) or serials
        elif kind == "packed":
            found = tuple((name, self._origin(frames, s) or s) for name, s in serials)
        else:
            return layout
        return kind, str(dim), found, *rest, extent

    def joined(self, frames: list[Frame], eqn, name: str, of_branches, new) -> object:
        """Return the serial number of a size that leaves a conditional.

        Args:
          frames: the programs that are being lowered.
          eqn: the conditional.
          name: the name of the size.
          of_branches: the serial number of the size in each branch.
          new: the serial number to return, unless a conditional of the same index made these sizes before.
        """
        at = _containing(frames, eqn)
        if at is None:
            return new
        index = self._index(frames, at, eqn)
        origins = {(index, i): self._origin_in(s, (index, i)) for i, s in enumerate(of_branches)}
        known = {condition: made for condition, made in origins.items() if made is not None}
        if len(known) < len(of_branches):
            self._of_branches[new] = known
            return new
        serial = self._joined.setdefault((name, *known.items()), new)
        self._of_branches[serial] = known
        return serial

    def _origin_in(self, serial, condition):
        """Return from what a size was made in a branch; a size that the branch does not make is 0."""
        if serial is dims.Unnumbered.MISSING:
            return serial
        return self._made.get(serial) or self._of_branches.get(serial, {}).get(condition)

    def _index(self, frames, at: int, eqn) -> int:
        numbered = self._numbered(frames, at)
        numbered.advance_to(eqn)
        return numbered.number(eqn.invars[0])

    def _source(self, frames, eqn) -> int:
        """Return the number of the mask or count from which an equation makes a size."""
        at = _containing(frames, eqn)
        if at is None:
            return self._table.unique()
        numbered = self._numbered(frames, at)
        numbered.advance_to(eqn)
        return numbered.source(eqn)

    def _numbered(self, frames, at: int) -> _Numbered:
        frame = frames[at]
        if frame.numbered is None:
            around = None if frame.caller is None else _containing(frames[:at], frame.caller)
            if around is not None:
                outer = self._numbered(frames, around)
                outer.advance_to(frame.caller)
                inputs = [outer.number(a) for a in frame.caller.invars]
                if frame.branch is not None:
                    frame.condition = inputs.pop(0), frame.branch
                frame.numbered = _Numbered(self._table, frame.jaxpr, inputs, outer.sizes)
            else:
                inputs = [self._table.unique() for _ in frame.jaxpr.invars]
                frame.numbered = _Numbered(
                    self._table, frame.jaxpr, inputs, _input_sizes(frame, at)
                )
        return frame.numbered


def _makes(eqn, name: str) -> bool:
    return eqn.primitive.name in primitives.SIZE_MAKERS and eqn.params["name"] == name


def _containing(frames, eqn) -> int | None:
    """Return the position of the innermost program that has an equation."""
    for at in reversed(range(len(frames))):
        if any(e is eqn for e in jaxprs.own_equations(frames[at].jaxpr)):
            return at
    return None


def _input_sizes(frame: Frame, at: int) -> dict[str, object]:
    """Return the sizes of the operands of the outermost program, each of which has one meaning everywhere."""
    shapes = [getattr(v.aval, "shape", ()) for v in frame.jaxpr.invars] if at == 0 else []
    return {name: name for shape in shapes for d in shape for name in jp.variables(d)}


class _Table:
    """Gives equal numbers to equal keys."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._kept: list = []  # objects whose identities are in keys
        self._count = itertools.count()

    def of(self, key) -> int:
        """Return the number of a key; a key that cannot be hashed equals no other."""
        try:
            return self._numbers.setdefault(key, next(self._count))
        except TypeError:
            return self.unique()

    def unique(self) -> int:
        """Return a number that nothing else has."""
        return next(self._count)

    def of_constant(self, value) -> int:
        """Return the number of a constant: scalars are compared by value, other constants by identity."""
        if np.ndim(value) == 0 and not jp.is_tracer(value):
            array = np.asarray(value)
            if array.dtype != object:
                return self.of(("scalar", str(array.dtype), array.tobytes()))
        self._kept.append(value)
        return self.of(("constant", id(value)))


class _Numbered:
    """The numbers of the values of one program, computed in the order of its equations.

    Args:
      table: the table of numbers.
      jaxpr: the program.
      inputs: the numbers of its operands.
      sizes: the identities of the sizes that are known around it, by name.
    """

    def __init__(self, table: _Table, jaxpr, inputs, sizes):
        self._table, self.sizes = table, dict(sizes)
        self.made: dict[str, int] = {}
        self._jaxpr, consts = jp.open_jaxpr(jaxpr)
        self._next = 0
        self._numbers = dict(zip(self._jaxpr.invars, inputs, strict=True))
        if len(consts) == len(self._jaxpr.constvars):
            numbers = map(table.of_constant, consts)
            self._numbers.update(zip(self._jaxpr.constvars, numbers, strict=True))

    def number(self, atom) -> int:
        """Return the number of a literal, or of a variable that was computed."""
        if isinstance(atom, jp.Literal):
            return self._table.of_constant(atom.val)
        if atom not in self._numbers:
            self._numbers[atom] = self._table.unique()
        return self._numbers[atom]

    def advance_to(self, eqn) -> None:
        """Number the results of the equations before this one."""
        equations = jaxprs.own_equations(self._jaxpr)
        while self._next < len(equations) and equations[self._next] is not eqn:
            following = equations[self._next]
            self._next += 1
            self._numbers.update(zip(following.outvars, self._results(following), strict=True))

    def results(self) -> list[int]:
        """Return the numbers of the results of the program."""
        self.advance_to(None)
        return [self.number(v) for v in self._jaxpr.outvars]

    def source(self, eqn) -> int:
        """Return the number of the mask or count from which an equation makes a size."""
        return self.number(eqn.invars[0 if eqn.primitive is primitives.fresh_range_p else 1])

    def _results(self, eqn) -> list[int]:
        operands = [self.number(a) for a in eqn.invars]
        if eqn.primitive is primitives.sized_p:
            return operands[:1]
        programs = jaxprs.sub_jaxprs(eqn.params)
        if eqn.primitive.name in _CALLS and len(programs) == 1:
            nested = _Numbered(self._table, programs[0], operands, self.sizes)
            results = nested.results()
            for name, number in nested.made.items():
                self._make(name, number)
            return results
        if eqn.effects or "callback" in eqn.primitive.name:
            return [self._table.unique() for _ in eqn.outvars]
        if eqn.primitive.name in primitives.SIZE_MAKERS:
            is_count = eqn.primitive is primitives.fresh_range_p
            self._make(eqn.params["name"], self._table.of((is_count, self.source(eqn))))
        params = tuple((name, self._key(p)) for name, p in sorted(eqn.params.items()))
        key = (eqn.primitive.name, params, *operands)
        return [self._table.of((key, i)) for i in range(len(eqn.outvars))]

    def _make(self, name: str, number: int) -> None:
        """Record a size that is made; from then on, a name of two different sizes has no meaning."""
        again = self.made.setdefault(name, number) != number
        self.made[name] = self.sizes[name] = self._table.unique() if again else number

    def _key(self, value):
        """Return the key of a parameter; a size is compared by what it is computed from, not only by name."""
        if isinstance(value, (tuple, list)):
            return tuple(map(self._key, value))
        if jp.is_symbolic(value):
            names = sorted(jp.variables(value))
            return str(value), tuple(map(self._meaning, names))
        if jaxprs.is_jaxpr(value):
            count = len(jp.open_jaxpr(value)[0].invars)
            inputs = [self._table.of(("argument", i)) for i in range(count)]
            nested = _Numbered(self._table, value, inputs, self.sizes)
            return len(inputs), tuple(nested.results())
        return value

    def _meaning(self, name: str):
        return self.sizes[name] if name in self.sizes else self._table.unique()

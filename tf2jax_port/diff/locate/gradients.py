"""Locate a difference of gradients: find the last operation whose cotangent differs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from tf2jax_port.diff.locate.blame.cause import Evidence, cause
from tf2jax_port.diff.locate.match.frontier import before
from tf2jax_port.diff.locate.match.matching import SINGLE, Index, Values, flattened, same, size_of
from tf2jax_port.diff.locate.match.views import with_views
from tf2jax_port.diff.locate.result.located import GRADIENT, Located, Spot, element, spot
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.locate.watch.pulling import Pulled, Use
from tf2jax_port.diff.locate.watch.reading import likest, likest_of, statement
from tf2jax_port.diff.locate.watch.trail import Step, Trail
from tf2jax_port.diff.values.arguments import Arguments

# Runs the port; takes the uses of values whose cotangents are computed separately.
Pull = Callable[[Mapping[Use, np.ndarray]], Pulled]
# Primitives whose rules differ between the two, or that stop a gradient.
_SUSPICIOUS = {
    "abs",
    "max",
    "min",
    "clamp",
    "sign",
    "sqrt",
    "rsqrt",
    "stop_gradient",
    "reduce_max",
    "reduce_min",
    "custom_jvp_call",
    "custom_vjp_call",
    "sort",
    "select_n",
}
# Operations that return their operand: the copy of a value that is used twice has only the part of the
# cotangent that comes from one use, so copies are not compared.
_COPIES = {
    *("convert_element_type", "reshape", "squeeze", "expand_dims", "copy", "stop_gradient"),
    *("Cast", "Reshape", "Squeeze", "ExpandDims", "Identity", "StopGradient"),
}
# How many values back a stopped gradient is searched for.
_NEAR = 12
_NOISE, _NOISE_IN_SINGLE = 1e-12, 1e-5
_CAUSES = {
    "abs": "the gradient of abs differs at zero",
    "max": "the gradient of maximum differs at ties",
    "min": "the gradient of minimum differs at ties",
    "clamp": "the gradient of clip differs at its bounds",
    "stop_gradient": "the gradient is stopped in only one of the two programs",
    "sqrt": "the gradient of a root differs at zero",
    "rsqrt": "the gradient of a root differs at zero",
}


class Comparison:
    """Compares the cotangents of values that occur in both runs.

    Args:
      old: the original's values and cotangents.
      new: the port's values and cotangents.
    """

    def __init__(self, old: Pulled, new: Pulled) -> None:
        every = [*old.cotangents.values(), *new.cotangents.values()]
        self.old, self.new = _with_views(old), new
        old = self.old
        self._old_values, self._new_values = Values(old.trail), Values(new.trail)
        self._index = Index(self._old_values)
        self._states: dict[int, bool | None] = {}
        is_double = any(c.dtype.name in ("float64", "complex128") for c in every)
        largest = max(
            (size_of(flat) for c in every if (flat := flattened(c)) is not None), default=0
        )
        # Terms that cancel leave their rounding errors.
        self.noise = (_NOISE if is_double else _NOISE_IN_SINGLE) * largest

    def twins(self, number: int) -> list[int]:
        """Return the original's values that equal a value of the port, without copies if possible."""
        flat = self._new_values.flat(number)
        found = list(self._index.equal_to(flat, self._new_values.tolerance(number)))
        own = [twin for twin in found if not is_copy(self.old.trail.maker(twin))]
        return own or found

    def stop(self, number: int) -> Step | None:
        """Return the `tf.stop_gradient` that the original applies to an equal value, or `None`."""
        flat = self._new_values.flat(number)
        for twin in self._index.equal_to(flat, self._new_values.tolerance(number)):
            maker = self.old.trail.maker(twin)
            if maker is not None and maker.name == "StopGradient":
                return maker
        return None

    def agrees(self, number: int) -> bool | None:
        """Return whether the cotangent of a value of the port equals the original's.

        Return `None` if the original has no equal value, or if the value is a copy.
        """
        if number not in self._states:
            self._states[number] = self._compare(number)
        return self._states[number]

    def _compare(self, number: int) -> bool | None:
        held = self.new.trail.values[number]
        twins = self.twins(number)
        if not twins or is_copy(self.new.trail.maker(number)):
            return None
        mine = _cotangent(self.new, number, np.shape(held))
        tolerance = max(self._new_values.tolerance(number), SINGLE / 30)
        return any(
            same(
                _cotangent(self.old, twin, np.shape(self.old.trail.array(twin))),
                mine,
                max(tolerance, self._old_values.tolerance(twin)),
                self.noise,
            )
            for twin in twins
        )


def locate_gradients(old: Pulled, pull: Pull, case: Arguments) -> Located | None:
    """Locate the last operation whose cotangent differs from the original's, or return `None`.

    Args:
      old: the original's values and cotangents.
      pull: a function that runs the port and returns its cotangents; its argument lists uses of
        values whose cotangents are computed separately.
      case: the call.
    """
    new = pull({})
    compared = Comparison(old, new)
    known = _differing_values(compared, case)
    if not known:
        return None
    # A stopped gradient is stronger evidence than ties, which each library splits in its own way.
    stopped = [number for number in known if _only_there_stopped(compared, number)]
    stopped = stopped or [n for n in known if _is_stopped_in_a_use(compared, n, pull)]
    last = max(stopped or known, key=lambda number: _position(new.trail, number))
    users = _users(new.trail, last)
    return _located(compared, last, users, pull, case) if users else None


def _differing_values(compared: Comparison, case: Arguments) -> list[int]:
    """Return the values with wrong cotangents that depend on inputs with wrong gradients."""
    old, new = compared.old, compared.new
    named = {name: number for number, name in new.trail.names.items()}
    theirs = {name: number for number, name in old.trail.names.items()}
    reached = before(new.trail, new.trail.outputs.values())
    waiting = []
    for position in case.differentiable:
        path = case.paths[position]
        shape = np.shape(case.arrays[position])
        a, b = _cotangent(old, theirs[path], shape), _cotangent(new, named[path], shape)
        if not same(a, b, SINGLE, compared.noise):
            waiting.append(named[path])
    wrong: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in wrong:
            continue
        wrong.add(number)
        for step in new.trail.users(number):
            waiting += [r for r in step.results if r in reached and not compared.agrees(r)]
    return [n for n in wrong if compared.agrees(n) is False]


def _only_there_stopped(compared: Comparison, number: int) -> bool:
    """Return whether the original, but not the port, stops the gradient of a value."""
    maker = compared.new.trail.maker(number)
    if maker is None or compared.stop(number) is None:
        return False
    known = compared.old.cotangents
    if any(np.any(known[n]) for n in compared.twins(number) if n in known):
        return False
    held = (compared.new.cotangents.get(operand) for operand in maker.operands)
    return any(c is not None and np.any(c) for c in held)


def _is_stopped_in_a_use(compared: Comparison, number: int, pull: Pull) -> bool:
    """Return whether the original, but not the port, stops the gradient of one use of a value."""
    if compared.stop(number) is None or not any(
        twin in compared.old.cotangents for twin in compared.twins(number)
    ):
        return False
    users = _users(compared.new.trail, number)
    if not users:
        return False
    return _to_blame(compared, number, users, _with_uses(compared, users, pull)).is_missing


class User(NamedTuple):
    """An operation that uses a value or a copy of it.

    Attributes:
      step: the operation.
      use: the step's number and the operand's position, which identify the use.
      number: the number of the operand, which may be a copy.
    """

    step: Step
    use: Use
    number: int


def is_copy(step: Step | None) -> bool:
    """Return whether an operation only returns its operand, possibly cast or reshaped."""
    return step is not None and step.name in _COPIES


def _users(trail: Trail, number: int) -> list[User]:
    """Return the operations that use a value or a copy of it; `stop_gradient` counts as a use."""
    found = []
    for step in trail.users(number):
        inner = []
        if is_copy(step) and step.name != "stop_gradient":
            inner = [user for result in step.results for user in _users(trail, result)]
        at = [place for place, operand in enumerate(step.operands) if operand == number]
        found += inner or [User(step, (step.number, place), number) for place in at]
    return found


class Blame(NamedTuple):
    """The operation to blame for a difference of gradients.

    Attributes:
      step: the operation.
      is_missing: whether the original stops the gradient here and the port does not.
      is_of_use: whether the original stops the gradient of this use only.
    """

    step: Step
    is_missing: bool = False
    is_of_use: bool = False


def _to_blame(compared: Comparison, number: int, users: list[User], pulled: Pulled) -> Blame:
    """Choose the operation to blame for a wrong cotangent, among those that use the value."""
    shape = np.shape(compared.new.trail.array(number))
    mine = _cotangent(compared.new, number, shape)
    wanted = [_cotangent(compared.old, twin, shape) for twin in compared.twins(number)]

    def is_right(cotangent: np.ndarray) -> bool:
        return any(same(one, cotangent, SINGLE, compared.noise) for one in wanted)

    parts = {use: flattened(part) for use, part in pulled.uses.items()}
    if len(users) == 1:
        parts[users[0].use] = mine
    for user in users:
        part = parts.get(user.use)
        # Without this use's part the cotangent would be right: the original stops it.
        if part is None or part.size != mine.size:  # such as that of a complex copy
            continue
        if part.any() and is_right(mine - part):
            return Blame(user.step, True, bool((mine - part).any()))
    if is_right(np.zeros_like(mine)) and compared.stop(number) is not None:
        return Blame(users[0].step, True)
    stopped = [user.step for user in users if user.step.name == "stop_gradient"]
    for step in stopped:
        # With the part that is stopped here the cotangent would be right.
        held_back = _cotangent(compared.new, step.results[0], shape)
        if held_back.size == mine.size and is_right(mine + held_back):
            return Blame(step)
    suspicious = [user.step for user in users if user.step.name in _SUSPICIOUS]
    return Blame([*stopped, *suspicious, users[0].step][0])


def _with_uses(compared: Comparison, users: list[User], pull: Pull) -> Pulled:
    """Compute the port's cotangents, with a separate cotangent for each of the given uses."""
    uses = {user.use: compared.new.trail.values[user.number] for user in users}
    return pull(uses) if len(users) > 1 else compared.new


def _located(
    compared: Comparison,
    number: int,
    users: list[User],
    pull: Pull,
    case: Arguments,
) -> Located:
    old, new = compared.old, compared.new
    blame = _to_blame(compared, number, users, _with_uses(compared, users, pull))
    mine = blame.step
    twins = compared.twins(number)
    theirs = [s for s in old.trail.steps if not set(twins).isdisjoint(s.operands)]
    theirs.sort(key=lambda step: old.cotangents.keys().isdisjoint(step.results))
    stop, near = _stop_before(compared, number) if blame.is_missing else (None, ())
    near = () if blame.is_of_use else near
    theirs = [stop, *theirs] if stop is not None else theirs
    shape = np.shape(new.trail.array(number))
    a, b = (
        _reshape_if_possible(_cotangent(*of, shape), shape)
        for of in ((old, twins[0]), (new, number))
    )
    there = theirs[0] if theirs else None
    words = _CAUSES.get(mine.name)
    lines = mine.place.text + (there.place.text if there else "")
    if words is None and "stop_gradient" in lines:
        words = _CAUSES["stop_gradient"]
    if words is None and there is not None:
        words = cause(Evidence(None, None, there.place, mine.place, (), ()))
    # A missing operation has no line in the port.
    missing = there is not None and words == _CAUSES["stop_gradient"] and mine.name not in _COPIES
    place = None
    if there is not None and missing:
        place = _without_stop(there, near, mine.places, new.trail)
    return Located(
        GRADIENT,
        case.index,
        spot(there),
        Spot(place, mine.name) if place is not None else spot(mine),
        new.trail.iteration(mine),
        words,
        False,
        element(a, b),
    )


def _stop_before(compared: Comparison, number: int) -> tuple[Step | None, tuple[Place, ...]]:
    """Find where the original stops the gradient of a value or of its ancestors.

    Return the original's operation, or `None`, and the port's lines that compute the same value.
    """
    trail, waiting = compared.new.trail, [number]
    for one in itertools.islice(waiting, _NEAR):
        maker = trail.maker(one)
        stop = compared.stop(one)
        if stop is not None:
            return stop, _computing_lines(compared.new, one)
        waiting += maker.operands if maker is not None else ()
    return None, ()


def _computing_lines(new: Pulled, number: int) -> tuple[Place, ...]:
    """Return the lines that computed a value's elements, ignoring later reshaping."""
    maker, flat = new.trail.maker(number), flattened(new.trail.array(number))
    if maker is None or flat is None:
        return ()
    for operand in maker.operands:
        before_it = flattened(new.trail.array(operand))
        if before_it is not None and flat.size > 1 and np.array_equal(before_it, flat):
            return _computing_lines(new, operand)
    return maker.places


def _without_stop(
    there: Step, made: tuple[Place, ...], taken: tuple[Place, ...], trail: Trail
) -> Place | None:
    """Return the port's line that lacks the `stop_gradient` of the original's line.

    Args:
      there: the original's operation that stops the gradient.
      made: the lines that compute the value, from the inside out.
      taken: the lines that use the value.
      trail: the port's run. Other lines on which it computes something are excluded.
    """
    near = (*made, *taken)
    computing = [step for step in trail.steps if not is_copy(step)]
    lines = {(place.file, place.line) for step in computing for place in step.places}
    lines -= {(place.file, place.line) for place in near}
    found = likest(there.place, near, lines) or likest_of(there.place, near)
    if found is not None or not made:
        return found or taken[0]
    said = statement(there.place)
    targets = {p: here.targets for p in made if (here := statement(p)) is not None}
    same = [p for p, names in targets.items() if said is not None and names == said.targets]
    return (same or list(made))[0]


def _with_views(old: Pulled) -> Pulled:
    """Add views (rearranged copies) of the original's values, with cotangents rearranged likewise."""
    trail = with_views(old.trail)
    viewed = Pulled(trail, dict(old.cotangents))
    for number, (parts, arrange) in trail.arranged.items():
        if not old.cotangents.keys().isdisjoint(parts):
            nothing = np.zeros_like(trail.array(parts[0]))
            viewed.cotangents[number] = arrange([old.cotangents.get(p, nothing) for p in parts])
    return viewed


def _position(trail: Trail, number: int) -> int:
    maker = trail.makers[number]
    return -1 if maker is None else maker


def _reshape_if_possible(flat: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return flat.reshape(shape) if flat.size == int(np.prod(shape)) else flat


def _cotangent(pulled: Pulled, number: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return the flattened cotangent of a value; zeros if it has none.

    A complex element becomes two numbers.
    """
    found, held = pulled.cotangents.get(number), pulled.trail.array(number)
    flat = None if found is None else flattened(found)
    parts = 2 if held is not None and held.dtype.kind == "c" else 1
    return np.zeros(parts * int(np.prod(shape))) if flat is None else flat

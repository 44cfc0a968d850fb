"""Search for two values that the port uses in place of each other."""

from __future__ import annotations

from collections.abc import Iterator

from tf2jax_port.diff.locate.search.injection import EXCHANGED, Injection
from tf2jax_port.diff.locate.search.replay import Uses
from tf2jax_port.diff.locate.search.trials import Trials
from tf2jax_port.diff.locate.watch.looping import goes_before
from tf2jax_port.diff.locate.watch.trail import Step


class Exchanges:
    """Finds pairs of values that the port uses in place of each other.

    Args:
      trials: the state of the search.
    """

    def __init__(self, trials: Trials) -> None:
        self._trials = trials

    def at_use(self, edge: int, step: Step) -> Iterator[Injection]:
        """Yield an injection that exchanges a shared value with another value, if it fixes the outputs.

        A shared value occurs in the runs of both programs.

        Args:
          edge: the shared value, by its number in the port's run.
          step: the operation that uses it.
        """
        held = self._trials.new.trail.array(edge)
        for other in self._partners(edge):
            value = self._trials.new.trail.array(other)
            if held is None or value is None:
                continue
            alike = held.shape == value.shape and held.dtype == value.dtype
            if (
                other == edge
                or not alike
                or not (self._trials.says(edge) and self._trials.says(other))
            ):
                continue
            a, b = self._trials.new.trail.maker(edge), self._trials.new.trail.maker(other)
            if (a is None) != (b is None):
                continue
            keys = frozenset(
                (m.key, m.results.index(n)) if m else n for m, n in ((a, edge), (b, other))
            )
            twins = self._trials.twins(other)
            if not twins or not self._trials.is_fresh(EXCHANGED, keys, None):
                continue
            swapped = self._crossed_outputs(edge, other)
            for uses in self._crossed(edge, other):
                found = self._trials.tried(EXCHANGED, step, edge, min(twins), {}, uses, swapped)
                if found is not None and found.complete:
                    yield found
                    return

    def _partners(self, edge: int) -> list[int]:
        """Return the values of the port that an operation was possibly meant to read instead of `edge`.

        These are the values at the edge of the region that is searched, and the other results of the line
        that computes `edge`.
        """
        found = set(self._trials.new_region.edge)
        maker = self._trials.new.trail.maker(edge)
        if maker is not None:
            for other in self._trials.new.trail.steps:
                if other.places == maker.places and other.passed == maker.passed:
                    found.update(other.results)
        return sorted(found)

    def _crossed(self, one: int, other: int) -> Iterator[Uses]:
        """Yield replacements that exchange two values in every iteration of a loop.

        They are exchanged where the next iteration uses them, then in all their uses.
        """
        trail = self._trials.new.trail
        crossed: dict[tuple[int, int], int] = {}
        carried: dict[tuple[int, int], int] = {}
        for pair in self._pairs(one, other):
            makers = [maker for number in pair if (maker := trail.maker(number)) is not None]
            for mine, theirs in (pair, pair[::-1]):
                for user in trail.users(mine):
                    crossed[user.number, mine] = theirs
                    if makers and all(goes_before(maker, user) for maker in makers):
                        carried[user.number, mine] = theirs
        if carried and len(carried) < len(crossed):
            yield carried
        yield crossed

    def _crossed_outputs(self, one: int, other: int) -> dict[int, int]:
        """Return the outputs of the port among two values, or among those of later iterations, exchanged."""
        outputs = {mine for _, mine in self._trials.pairs.values()}
        pairs = [pair for pair in self._pairs(one, other) if not outputs.isdisjoint(pair)]
        return {mine: theirs for pair in pairs for mine, theirs in (pair, pair[::-1])}

    def _pairs(self, one: int, other: int) -> list[tuple[int, int]]:
        """Return two values, and the values that the same operations compute in other iterations."""
        trail = self._trials.new.trail
        a, b = trail.maker(one), trail.maker(other)
        pairs = [(one, other)]
        if a is not None and b is not None:
            i, j = a.results.index(one), b.results.index(other)
            passes = trail.passes(a)[0], trail.passes(b)[0]
            if len(passes[0]) == len(passes[1]):
                pairs = [(x.results[i], y.results[j]) for x, y in zip(*passes)]
        return pairs

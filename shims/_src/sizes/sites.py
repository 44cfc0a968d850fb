"""Define sites: the places of a program that have a capacity, which a top-level call may raise."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping


class SiteKind(enum.Enum):
    """The kinds of sites; the value is the prefix of a site's name in messages."""

    SIZE = ""
    BOUND = "bounded"
    BUFFER = "buffer"


@dataclasses.dataclass(frozen=True)
class Site:
    """A place of a program that has a capacity: a data-dependent size, a stated bound, or a buffer.

    Attributes:
      kind: which of the three.
      name: the dimension variable of a size; otherwise the kind with a number.
      grows: whether a top-level call may raise the capacity; a bound that was stated outside of the
        program is fixed.
    """

    kind: SiteKind
    name: str
    grows: bool = True

    def __str__(self) -> str:
        return self.name


# A bound that `shims.bounded` stated outside of the dynamic trace.
OUTER_BOUND = Site(SiteKind.BOUND, "bounded", grows=False)
# A bound that follows from the sizes of a `Padded`: there is nothing to check.
KNOWN_BOUND = Site(SiteKind.BOUND, "known", grows=False)


def size_site(name: str) -> Site:
    """Return the site of a data-dependent size, given its dimension variable."""
    return Site(SiteKind.SIZE, name)


@dataclasses.dataclass
class Settled:
    """The results of earlier traces and runs of a program, to be used by the next trace.

    Attributes:
      pins: data-dependent sizes, and operations on them such as `min(u0, 2)`, that are replaced by constants, by their
        text.
      measured: the names among `pins` whose constants were computed from the data of the traced call.
      buffers: the capacities of buffers that have grown.
      tried: the constants, by name, with which a run of this call refuted an assumption.
      problems: what a program with one of these constants found wrong with its data.
      endless: the numbers of iterations, by the names of their sizes, that nothing bounds.
    """

    pins: dict[str, int] = dataclasses.field(default_factory=dict)
    buffers: dict[Site, int] = dataclasses.field(default_factory=dict)
    measured: frozenset[str] = frozenset()
    tried: set[tuple[str, int]] = dataclasses.field(default_factory=set)
    problems: list[Exception] = dataclasses.field(default_factory=list)
    endless: frozenset[str] = frozenset()

    @property
    def key(self) -> object:
        """A hashable key; objects of equal contents have equal keys."""
        return frozenset(self.pins.items()), frozenset(self.buffers.items()), self.endless

    def with_pins(self, more: Mapping[str, int], *, measured: bool = False) -> Settled:
        """Return a copy in which more sizes are replaced by constants."""
        known = self.measured | (more.keys() if measured else frozenset())
        return dataclasses.replace(
            self, pins={**self.pins, **more}, buffers=dict(self.buffers), measured=known
        )

    def __str__(self) -> str:
        every = {**self.pins, **{str(site): capacity for site, capacity in self.buffers.items()}}
        return str(every)

"""Define sites: the sizes, bounds and buffers of a program whose capacities may be raised."""

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
    """A size, bound or buffer of a program, which has a capacity.

    Attributes:
      kind: a data-dependent size, a stated bound, or a buffer.
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


def size_site(name: str) -> Site:
    """Return the site of a data-dependent size, given its dimension variable."""
    return Site(SiteKind.SIZE, name)


@dataclasses.dataclass
class Settled:
    """Results of earlier runs that the next trace takes into account.

    Attributes:
      pins: data-dependent sizes that are replaced by constants, by name.
      measured: those of them that were computed from the data of the call that is traced.
      buffers: the capacities of buffers that have grown.
    """

    pins: dict[str, int] = dataclasses.field(default_factory=dict)
    buffers: dict[Site, int] = dataclasses.field(default_factory=dict)
    measured: frozenset[str] = frozenset()

    @property
    def key(self) -> object:
        """A hashable key, equal for equal contents."""
        return frozenset(self.pins.items()), frozenset(self.buffers.items())

    def with_pins(self, more: Mapping[str, int], *, measured: bool = False) -> Settled:
        """Return a copy with further sizes replaced by constants."""
        known = self.measured | (more.keys() if measured else frozenset())
        return Settled({**self.pins, **more}, dict(self.buffers), known)

    def __str__(self) -> str:
        every = {**self.pins, **{str(site): capacity for site, capacity in self.buffers.items()}}
        return str(every)

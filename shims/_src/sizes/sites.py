"""Sites of a program whose capacity one run settles for the next, and what runs have settled."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping


class SiteKind(enum.Enum):
    """The kinds of sites; the value is the beginning of a site's name in messages."""

    SIZE = ""
    BOUND = "bounded"
    BUFFER = "buffer"


@dataclasses.dataclass(frozen=True)
class Site:
    """A place of a program that has a capacity.

    Attributes:
      kind: a size that data decide, a stated bound, or a buffer.
      name: of a size its dimension variable, of others the kind with a number.
      grows: whether a top-level call may raise the capacity; a bound that was stated outside of the
        program stays.
    """

    kind: SiteKind
    name: str
    grows: bool = True

    def __str__(self) -> str:
        return self.name


# A bound that `shims.bounded` stated outside of the dynamic trace.
OUTER_BOUND = Site(SiteKind.BOUND, "bounded", grows=False)


def size_site(name: str) -> Site:
    """The site of a data-dependent size, by its dimension variable."""
    return Site(SiteKind.SIZE, name)


@dataclasses.dataclass
class Settled:
    """What earlier runs have settled for the next trace.

    Attributes:
      pins: fresh sizes taken to be constants, by name.
      buffers: the capacities of buffers that have grown.
    """

    pins: dict[str, int] = dataclasses.field(default_factory=dict)
    buffers: dict[Site, int] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> object:
        """Equal for equal contents, and hashable."""
        return frozenset(self.pins.items()), frozenset(self.buffers.items())

    def with_pins(self, more: Mapping[str, int]) -> Settled:
        """The same with further sizes taken to be constants."""
        return Settled({**self.pins, **more}, dict(self.buffers))

    def __str__(self) -> str:
        every = {**self.pins, **{str(site): capacity for site, capacity in self.buffers.items()}}
        return str(every)

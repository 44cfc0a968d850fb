"""Define `AutoTrackable`, whose attributes are saved in checkpoints, including attributes that are set later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_WAITING = "_waiting_restorations"


class AutoTrackable:
    """A base class whose attributes a checkpoint saves, by their names."""

    __module__ = "shims"

    def __setattr__(self, name: str, value) -> None:
        super().__setattr__(name, value)
        if _WAITING in self.__dict__:
            resume_restorations(self)


def attributes_of(owner) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of an object's attributes, in the order in which they were set."""
    return ((name, value) for name, value in list(vars(owner).items()) if name != _WAITING)


def call_when_changed(owner, restoration: Callable[[Any], bool]) -> None:
    """Call a function with `owner` after each change of its attributes, until it returns True."""
    waiting = vars(owner).get(_WAITING, ())
    object.__setattr__(owner, _WAITING, (*waiting, restoration))


def resume_restorations(owner) -> None:
    """Call the functions that wait for changes of an object's attributes, oldest first."""
    waiting = vars(owner).pop(_WAITING, ())
    still = tuple(restoration for restoration in waiting if not restoration(owner))
    if still:
        object.__setattr__(owner, _WAITING, (*still, *vars(owner).get(_WAITING, ())))

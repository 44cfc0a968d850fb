"""A comparison as it was asked for, in words: it can be sent to another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tf2jax_port.diff.functions.loading import load
from tf2jax_port.diff.vocabulary.extras import NOTHING, Extras

if TYPE_CHECKING:
    from tf2jax_port.diff.inputs.sources import Source
    from tf2jax_port.diff.lanes.state import Request as StateRequest
    from tf2jax_port.diff.sessions.run import Request


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for; see `run.Request`.

    Attributes:
      old: the specification of the original.
      new: that of the port.
      inputs: that of the cases.
      seed: for cotangents, random numbers and generated inputs.
      x64: whether JAX has 64-bit types; `None` leaves it as it is.
      only: the numbers of the cases to run; empty for all.
      state: what the original's variables and the port's parameters are.
      locate: whether to find the operation at which the two part.
      beside: whether the port's eager lane runs in a process of its own.
      worst: whether to look for the worst input.
      path: where modules are searched.
      extras: lanes, gradients and inputs besides the usual ones.
      golden: the golden that stands in place of the original; empty where it runs.
      record: what the original is written with, where it is recorded and not compared; `auto` finds out.
    """

    old: str
    new: str
    inputs: str
    seed: int
    x64: bool | None
    only: tuple[int, ...]
    state: StateRequest | None
    locate: bool
    beside: bool
    worst: bool
    path: tuple[str, ...]
    extras: Extras = NOTHING
    golden: str = ""
    record: str = ""


def loaded(order: Order) -> tuple[Request, Source]:
    """The functions and the inputs.

    Raises:
      DiffError: something is not there.
    """
    from tf2jax_port.diff.inputs.sources import source_of
    from tf2jax_port.diff.sessions.run import Request

    original = load(order.old)
    source = source_of(order.inputs, original.function, order.seed)
    request = Request(
        original,
        load(order.new),
        order.inputs,
        order.seed,
        order.x64,
        order.only,
        source.module,
        order.state,
        locate=order.locate,
        beside=order.beside,
        worst=order.worst,
        extras=order.extras,
    )
    return request, source

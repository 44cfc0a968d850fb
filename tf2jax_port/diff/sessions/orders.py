"""Describe a comparison as plain data, which can be sent to another process."""

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
    """A requested comparison, with specifications in place of functions; see `run.Request`.

    Attributes:
      old: the specification of the original.
      new: the specification of the port.
      inputs: the specification of the cases.
      seed: the seed of cotangents, random numbers and generated inputs.
      x64: whether JAX has 64-bit types; `None` leaves it unchanged.
      only: the numbers of the cases to run; empty for all.
      state: the mapping of the original's variables to the port's parameters.
      locate: whether to find the first divergence.
      beside: whether the port's eager lane runs in a separate process.
      worst: whether to search for the worst input.
      path: the module search path.
      extras: optional lanes, gradients and inputs.
      golden: the golden that replaces the original; empty if the original runs.
      strength: whether to tell what the cases could have caught.
      strengthen: whether to search for cases that catch more.
      record: to record instead of comparing: the framework of the original, `auto` to detect it;
        otherwise empty.
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
    strength: bool = False
    strengthen: bool = False
    record: str = ""


def loaded(order: Order) -> tuple[Request, Source]:
    """Load the functions and the inputs that an order specifies.

    Raises:
      DiffError: something does not exist.
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
        strength=order.strength,
        strengthen=order.strengthen,
    )
    return request, source

"""Define the run-time conditions that a lowered program checks and reports."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

from shims._src.errors import errors
from shims._src.sizes.sites import Site


@dataclasses.dataclass(frozen=True)
class Exceeded:
    """A condition that fails if a count exceeds a capacity; the code is the needed size.

    Attributes:
      site: the buffer or axis with the capacity.
      capacity: the largest count that fits.
      line: the user's line.
    """

    site: Site
    capacity: int
    line: str = ""


@dataclasses.dataclass(frozen=True)
class Misjudged:
    """A condition that fails if a data-dependent size is not as assumed; the code is the actual size.

    Attributes:
      name: the size's dimension variable.
      line: the user's line.
    """

    name: str
    line: str = ""


@dataclasses.dataclass(frozen=True)
class Invalid:
    """A condition that fails if operands are invalid, as in TensorFlow; the code is a number to show.

    Attributes:
      text: the message.
      line: the user's line.
      error: the class of the error.
    """

    text: str
    line: str = ""
    error: type[errors.OpError] = errors.InvalidArgumentError


Condition: TypeAlias = Exceeded | Misjudged | Invalid


@dataclasses.dataclass(frozen=True, eq=False)
class Report:
    """A run-time condition and its result code.

    Attributes:
      condition: the static part.
      code: int32 scalar; -1 when the condition holds.
    """

    condition: Condition
    code: Any

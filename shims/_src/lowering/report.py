"""Define the run-time checks of a lowered program, and the record of their results."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

from shims._src.errors import errors
from shims._src.sizes.sites import Site


@dataclasses.dataclass(frozen=True)
class Exceeded:
    """The run-time check that a size fits a capacity.

    If the check fails, `Report.code` is the needed size.

    Attributes:
      site: what has the capacity: a data-dependent size, a bound or a buffer; see `Site`.
      capacity: the largest size that fits.
      line: the user's line.
    """

    site: Site
    capacity: int
    line: str = ""


@dataclasses.dataclass(frozen=True)
class Misjudged:
    """The run-time check that a data-dependent size is as assumed during tracing.

    If the check fails, `Report.code` is the actual size.

    Attributes:
      name: the size's dimension variable.
      line: the user's line.
      is_measured: whether the assumption is true for the data of the call that was traced, so
        tracing again for other data helps.
      text: the message for results that cannot be computed again.
    """

    name: str
    line: str = ""
    is_measured: bool = False
    text: str = ""


@dataclasses.dataclass(frozen=True)
class Invalid:
    """The run-time check that operands are valid, as TensorFlow defines it.

    If the check fails, `Report.code` is a number to show in the message.

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
    """A run-time check and its result.

    Attributes:
      condition: the check.
      code: int32 scalar; -1 if the check passes, otherwise a number that the check defines.
    """

    condition: Condition
    code: Any

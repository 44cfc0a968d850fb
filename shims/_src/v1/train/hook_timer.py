"""Define timers that tell hooks to act every given number of steps or seconds."""

from __future__ import annotations

import time


class SecondOrStepTimer:
    """A timer that triggers every given number of seconds or steps.

    Args:
      every_secs: the seconds between two triggers.
      every_steps: the steps between two triggers.

    Raises:
      ValueError: both arguments are given, or neither.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SecondOrStepTimer
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Reset the timer, so that it triggers at the next step."""
        self._last_step: int | None = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step) -> bool:
        """Return whether the timer triggers at the given step."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step) -> tuple:
        """Record that the timer triggered at the given step.

        Returns:
          The seconds and steps since the previous trigger; `(None, None)` the first time.
        """
        now, last = time.time(), self._last_step
        passed = (None, None) if last is None else (now - self._last_time, step - last)
        self._last_step, self._last_time = step, now
        return passed

    def last_triggered_step(self) -> int | None:
        """Return the last step at which the timer triggered."""
        return self._last_step


class NeverTimer(SecondOrStepTimer):
    """A timer that never triggers."""

    def __init__(self):
        super().__init__(every_steps=1)

    def should_trigger_for_step(self, step) -> bool:
        """Return `False`."""
        return False

"""Report which parts of a checkpoint were restored."""

from __future__ import annotations

from typing import Any

from shims._src.checkpoint.restoration import Restoration


class CheckpointLoadStatus:
    """The state of a restoration: values that wait for objects, and objects without values.

    Args:
      restoration: the restoration.
      root: the root object of the checkpoint.
    """

    def __init__(self, restoration: Restoration, root):
        self._restoration, self._root = restoration, root

    def assert_consumed(self):
        """Check that every object and every value of the checkpoint was matched.

        Raises:
          AssertionError: an object has no value in the checkpoint, or a value has no object.
        """
        self.assert_existing_objects_matched()
        missing = self._restoration.unresolved()
        if missing:
            raise AssertionError("\n".join(missing))
        return self

    def assert_existing_objects_matched(self):
        """Check that every object with values has them from the checkpoint.

        Raises:
          AssertionError: an object has no value in the checkpoint.
        """
        objects = self._restoration.unmatched(self._root)
        if objects:
            shown = min(10, len(objects))
            raise AssertionError(
                f"Found {len(objects)} Python objects that were not bound to checkpointed values, likely "
                f"due to changes in the Python program. Showing {shown} of {len(objects)} unmatched "
                f"objects: {objects[:shown]}"
            )
        return self

    def assert_nontrivial_match(self):
        """Check that more than the root object was matched.

        Raises:
          AssertionError: nothing else was.
        """
        if len(self._restoration.matched) > 1:
            return self
        objects = self._restoration.unmatched(self._root)
        if objects:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that "
                "the checkpoint does not match the Python program. The following objects have no "
                f"matching checkpointed value: {objects}"
            )
        raise AssertionError(
            f"Nothing to load. No dependencies have been added to {self._root} yet."
        )

    def expect_partial(self):
        """Do not warn at the end about values of the checkpoint that are unused."""
        self._restoration.expect_partial = True
        return self

    def initialize_or_restore(self, session=None) -> None:
        """Do nothing: values are restored at once."""

    def run_restore_ops(self, session=None) -> None:
        """Do nothing: values are restored at once."""


class InitializationOnlyStatus:
    """The state after a call without a checkpoint, which restores nothing."""

    def _assert(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> Any:
        """Raise an `AssertionError`: no checkpoint was given."""
        self._assert()

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self):
        """Return the status."""
        return self

    def initialize_or_restore(self, session=None) -> None:
        """Do nothing: variables are initialized when they are created."""

    def run_restore_ops(self, session=None) -> None:
        """Raise an `AssertionError`: no checkpoint was given."""
        self._assert()


class NameBasedSaverStatus:
    """The state after a TensorFlow 1 checkpoint, whose variables are found by their names.

    Args:
      unused: the names in the checkpoint that no variable has.
      unmatched: the variables that the checkpoint does not have.
    """

    def __init__(self, unused: list[str], unmatched: list[Any]):
        self._unused, self._unmatched = unused, unmatched

    def assert_consumed(self):
        """Check that every variable was found and every name of the checkpoint was used.

        Raises:
          AssertionError: one was not.
        """
        self.assert_existing_objects_matched()
        if self._unused:
            raise AssertionError(f"Some values of the checkpoint were not restored: {self._unused}")
        return self

    def assert_existing_objects_matched(self):
        """Check that every variable was found in the checkpoint.

        Raises:
          AssertionError: one was not.
        """
        if self._unmatched:
            raise AssertionError(f"Some objects had no checkpoint value: {self._unmatched}")
        return self

    assert_nontrivial_match = assert_existing_objects_matched

    def expect_partial(self):
        """Return the status."""
        return self

    def initialize_or_restore(self, session=None) -> None:
        """Do nothing: values are restored at once."""

    run_restore_ops = initialize_or_restore

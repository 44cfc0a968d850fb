"""Restore the objects of a checkpoint: existing objects at once, other objects when they are created."""

from __future__ import annotations

import collections
import sys
from collections.abc import Iterator
from typing import Any

from shims._src.checkpoint.graph_view import Children, GraphView
from shims._src.checkpoint.late_layers import call_when_built
from shims._src.checkpoint.saved_values import SavedValue
from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.checkpoint.trackable_graph import Node, names_of
from shims._src.checkpoint.trackables import (
    children_of,
    is_container,
    is_of_keras,
    is_optimizer,
    named_by_keras_2,
    values_of,
)
from shims._src.gradients.tensor_questions import get_logger
from shims._src.variables.tracked import AutoTrackable, call_when_changed
from shims._src.variables.variable import Variable

_Assignments = list[tuple[SavedValue, Any]]


class Restoration:
    """The restoration of a checkpoint into objects, which goes on when objects are created later.

    Args:
      bundle: the reader of the checkpoint.
      nodes: its objects.
      root: the object that is the root of the checkpoint.
      children: a function from an object to the objects that it refers to.

    Attributes:
      expect_partial: whether values that stay unused are no reason for a warning.
      matched: the objects by the number of their node.
    """

    def __init__(
        self, bundle: TensorReader, nodes: list[Node], root, children: Children = children_of
    ):
        self._bundle, self._nodes, self._children = bundle, nodes, children
        self.expect_partial = True  # until the root fits
        self.matched: dict[int, Any] = {}
        self._unused: list[tuple[int, str]] = []
        self._match([(0, root, None)])
        self.expect_partial = False

    def _match(self, found: list[tuple[int, Any, Any]]) -> None:
        """Match nodes with objects, and what they refer to; assign all values, or none.

        Args:
          found: a node, its object, and the nearest object that refers to it and is not a list.
        """
        assignments: _Assignments = []
        queue = collections.deque(found)
        waiting = []
        new: dict[int, Any] = {}
        while queue:
            number, owner, holder = queue.popleft()
            known = new.get(number, self.matched.get(number))
            if known is not None:
                _warn_if_other(known, owner)
                continue
            new[number] = owner
            assignments += self._assignments(number, owner, holder)
            holder = holder if is_container(owner) else owner
            children = self._present(number, owner)
            for name, child in self._nodes[number].children.items():
                if name in children:
                    queue.append((child, children[name], holder))
                else:
                    waiting.append((number, owner, holder, name))
        self.matched |= new
        for value, array in assignments:
            value.assign(array)
        self._wait(waiting)

    def _present(self, number: int, owner) -> dict[str, Any]:
        """Return the objects that an object refers to, by their names in this checkpoint."""
        children = self._children(owner)
        missing = [name for name in self._nodes[number].children if name not in children]
        return {**children, **named_by_keras_2(owner, missing)} if missing else children

    def _assignments(self, number: int, owner, holder) -> _Assignments:
        """Read the values of an object and check that they fit."""
        values = values_of(owner, holder)
        pairs = []
        for attribute in self._nodes[number].attributes:
            if attribute.name not in values:
                self._unused.append((number, attribute.name))
                continue
            value = values[attribute.name]
            stored = self._bundle.read(attribute.key)
            pairs.append((value, value.checked(stored, attribute.key)))
        return pairs

    def _wait(self, waiting: list[tuple[int, Any, Any, str]]) -> None:
        """Continue when the objects get the attributes that they do not have yet."""
        holders: dict[int, Any] = {}
        for number, owner, holder, name in waiting:
            if not self._leads_to_values(self._nodes[number].children[name]):
                continue
            if is_container(owner) and not is_of_keras(holder):
                self._warn_about_list(number, name)
            else:
                holders[id(holder)] = holder
        numbers = {id(owner): number for number, owner in self.matched.items()}
        for holder in holders.values():
            self._call_later(numbers[id(holder)], holder)

    def _call_later(self, number: int, holder) -> None:
        def go_on(_) -> bool:
            self._match(list(self._new_below(number, holder, holder)))
            return not self._lacks_objects(number, holder)

        if isinstance(holder, AutoTrackable) or is_optimizer(holder):
            call_when_changed(holder, go_on)
        elif is_of_keras(holder) and not isinstance(holder, Variable):
            call_when_built(holder, go_on)

    def _new_below(self, number: int, owner, holder) -> Iterator[tuple[int, Any, Any]]:
        """Yield the objects that an object, or a list of Keras in it, refers to by now."""
        present = self._present(number, owner)
        for name, child in self._nodes[number].children.items():
            if name in present and child not in self.matched:
                yield child, present[name], holder
            elif name in present and is_container(present[name]) and is_of_keras(holder):
                self.matched[child] = present[name]  # Keras may have replaced the list
                yield from self._new_below(child, present[name], holder)

    def _lacks_objects(self, number: int, owner) -> bool:
        """Return whether something that has values is still missing in an object, or in a list in it."""
        present = self._present(number, owner)
        return any(
            self._leads_to_values(child)
            if name not in present
            else is_container(present[name]) and self._lacks_objects(child, present[name])
            for name, child in self._nodes[number].children.items()
        )

    def _leads_to_values(self, number: int) -> bool:
        """Return whether a node, or one that it refers to, has values that nothing was matched with."""
        queue = [number]
        for at in queue:
            if at in self.matched:
                continue
            if self._nodes[at].attributes:
                return True
            queue += [child for child in self._nodes[at].children.values() if child not in queue]
        return False

    def _warn_about_list(self, number: int, name: str) -> None:
        get_logger().warning(
            "%s has no element %r yet, and elements added later are not restored: add all "
            "elements to the list or dictionary before you restore the checkpoint.",
            names_of(self._nodes).get(number),
            name,
        )

    # ---- what is missing -------------------------------------------------------------------------

    def unresolved(self) -> list[str]:
        """Describe the values of the checkpoint that were not restored."""
        names = names_of(self._nodes)
        missing = [
            f"Unresolved object in checkpoint {names.get(at)}: "
            + ", ".join(a.key for a in node.attributes)
            for at, node in enumerate(self._nodes)
            if node.attributes and at not in self.matched
        ]
        unused = [
            f"Unused attributes in these objects (the attributes exist in the checkpoint but were not "
            f"restored):\n{names.get(at)} ({self.matched[at]}): {name}"
            for at, name in self._unused
        ]
        return missing + unused

    def unmatched(self, root) -> list[Any]:
        """Return the objects with values that are not in the checkpoint."""
        matched = set(map(id, self.matched.values()))
        objects = GraphView(root, self._children).objects
        return [f.owner for f in objects if f.values and id(f.owner) not in matched]

    def __del__(self):
        if self.expect_partial or sys.is_finalizing():
            return
        missing = self.unresolved()
        if missing:
            get_logger().warning(
                "A checkpoint was restored in part, and the object that could restore the "
                "rest is being deleted. Call `expect_partial()` of the status if this is "
                "intended.\n"
                "%s",
                "\n".join(missing),
            )


def _warn_if_other(known, owner) -> None:
    if known is not owner:
        get_logger().warning(
            "Inconsistent references when loading the checkpoint into this object graph. For example, in "
            "the saved checkpoint object, `model.layer.weight` and `model.layer_copy.weight` reference the "
            "same variable, while in the current object these are two different variables. The "
            "referenced variables are:(%s and %s).",
            known,
            owner,
        )

"""State of each thread: set for a block, seen by no other thread, put back whatever happens."""

import threading

import pytest

from shims._src.platform.thread_state import ThreadSlot, ThreadStack


def in_another_thread(f):
    found = []
    thread = threading.Thread(target=lambda: found.append(f()))
    thread.start()
    thread.join()
    return found[0]


def test_a_slot_holds_a_value_for_a_block():
    slot = ThreadSlot(0)
    with slot.holding(1) as value:
        assert (value, slot.value) == (1, 1)
        assert in_another_thread(lambda: slot.value) == 0
    assert slot.value == 0


def test_a_slot_is_put_back_after_an_error():
    slot = ThreadSlot(0)

    def fail():
        with slot.holding(1):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert slot.value == 0


def test_blocks_of_a_stack_may_end_in_any_order():
    stack = ThreadStack()
    assert stack.top is None
    first, second = stack.pushed("first"), stack.pushed("second")
    first.__enter__()
    second.__enter__()
    assert (stack.top, in_another_thread(lambda: stack.top)) == ("second", None)
    first.__exit__(None, None, None)
    assert stack.items == ["second"]
    second.__exit__(None, None, None)
    assert stack.top is None

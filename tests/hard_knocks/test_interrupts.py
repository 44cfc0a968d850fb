"""An interrupt at any moment leaves nothing behind: the next call gives the right numbers."""

import threading

import pytest

import shims as tf
from shims._src.platform.thread_state import ThreadSlot, kept_after_errors
from tests.hard_knocks import interrupts

EVERY_TIME = ("a selection", "a tape", "variables")


@pytest.mark.parametrize("name", EVERY_TIME)
def test_interrupts(name):
    assert interrupts.counts(name, 3)[interrupts.INTERRUPTED] >= 2


@pytest.mark.long
@pytest.mark.parametrize("name", interrupts.PROGRAMS)
def test_more_interrupts(name):
    assert interrupts.counts(name, 60, seed=1)[interrupts.INTERRUPTED] > 40


def test_every_moment_at_the_end_of_a_tape():
    length = interrupts.length_of("a tape")
    for at in range(length - 330, length - 260):
        interrupts.check("a tape", at)


def test_state_that_is_left_would_be_seen(monkeypatch):
    run, want = interrupts.PROGRAMS["a tape"]()
    left = tf.GradientTape()

    def enters():
        left.__enter__()
        return run()

    monkeypatch.setitem(interrupts.PROGRAMS, "a tape", lambda: (enters, want))
    try:
        with pytest.raises(AssertionError, match="is left"):
            interrupts.check("a tape", 2000)
    finally:
        left.__exit__()


def test_state_is_kept_after_errors():
    slot = ThreadSlot(0)
    block = slot.holding(1)

    def interrupted():
        with kept_after_errors():
            block.__enter__()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert slot.value == 0
    slot.value = 2
    block.__exit__()  # as late as garbage is collected
    assert slot.value == 2
    assert threading.current_thread() is threading.main_thread()

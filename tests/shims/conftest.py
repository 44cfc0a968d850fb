"""Which of the sweeps over the programs run in `make test`, and which rows are known to fail."""

import pytest

# The sweeps over the programs take minutes each: `make test-long`.
_LONG = ("test_poison.py", "test_programs.py", "test_sketches.py")
# Strict: a row that passes again fails the run until it is taken off this list.
_KNOWN = {
    "test_under_a_foreign_jit[statistics-covariance_of_rows]": (
        "jnp.squeeze of a fresh size of 1 is an error value under a foreign jit"
    ),
    "test_under_a_foreign_jit[layout-pad_by_edge]": (
        "the last row of no rows is an error value under a foreign jit"
    ),
    "test_under_a_foreign_jit[selections-repeat_by_counts]": (
        "the row expects CapacityError; the bound of the counts is carried by now"
    ),
}


def pytest_collection_modifyitems(items):
    for item in items:
        if any(part in item.nodeid for part in _LONG):
            item.add_marker(pytest.mark.long)
        for name, reason in _KNOWN.items():
            if item.nodeid.endswith(name):
                item.add_marker(pytest.mark.xfail(strict=True, reason=reason))

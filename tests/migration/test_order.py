"""The order of a migration."""

import hypothesis
import hypothesis.strategies as st

from tf2jax_port.migration.order import groups_in_order


def order(needs):
    return [sorted(g) for g in groups_in_order(needs, lambda g: min(g))]


def test_what_is_needed_comes_first():
    assert order({"a": ["b"], "b": ["c"], "c": [], "d": []}) == [["c"], ["b"], ["a"], ["d"]]


def test_what_needs_each_other_comes_together():
    needs = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": [], "e": ["a"]}
    assert order(needs) == [["d"], ["b", "c"], ["a"], ["e"]]


def test_of_what_is_free_the_least_comes_first():
    needs = {"big": [], "small": [], "top": ["small"]}
    size = {"big": 9, "small": 1, "top": 2}
    found = groups_in_order(needs, lambda group: sum(size[n] for n in group))
    assert [next(iter(g)) for g in found] == ["small", "top", "big"]


def test_a_long_chain_needs_no_deep_stack():
    needs = {n: [n + 1] for n in range(5000)} | {5000: []}
    assert order(needs) == [[n] for n in range(5000, -1, -1)]


GRAPHS = st.integers(1, 8).flatmap(
    lambda n: st.fixed_dictionaries(
        {i: st.sets(st.integers(0, n - 1), max_size=3) for i in range(n)}
    )
)


def reaches(needs, start):
    seen, todo = set(), [start]
    while todo:
        for n in needs[todo.pop()]:
            if n not in seen:
                seen.add(n)
                todo.append(n)
    return seen


@hypothesis.given(GRAPHS)
@hypothesis.settings(derandomize=True, max_examples=200, deadline=None)
def test_any_graph(needs):
    found = order(needs)
    assert sorted(n for group in found for n in group) == sorted(needs)
    place = {n: i for i, group in enumerate(found) for n in group}
    for node in needs:
        for needed in needs[node]:
            assert place[needed] <= place[node]
            together = place[needed] == place[node]
            assert together == (node == needed or node in reaches(needs, needed))

"""The demo's own parts: what it calls a change."""

from tools.demo.changes import Line, hunks, side_by_side


def test_lines_are_paired_where_they_correspond():
    rows = side_by_side("a\nb\nc\n", "a\nB\nB2\nc\n")
    assert rows == [
        Line(1, "a", 1, "a", False),
        Line(2, "b", 2, "B", True),
        Line(0, "", 3, "B2", True),
        Line(3, "c", 4, "c", False),
    ]


def test_hunks_join_what_touches():
    old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    rows = side_by_side(old, old.replace("2", "two").replace("8", "eight"))
    assert [[row.old for row in hunk] for hunk in hunks(rows)] == [["1", "2", "3"], ["7", "8", "9"]]
    assert [len(hunk) for hunk in hunks(rows, context=3)] == [9]
    assert hunks(side_by_side(old, old)) == []

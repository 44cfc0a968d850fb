"""The demo's own parts: what it calls a change, and a page that needs nothing else."""

import re

from tools.demo import page
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


def verdict(word):
    """A comparison of one output in one case, as `tf2jax-port diff --json` writes it."""
    lanes = dict.fromkeys(page.LANES, "ran") | {
        "jax-jit": word,
        "tf-xla": "top_k <did not> compile",
    }
    return {
        "verdict": word,
        "headline": f"It is {word}",
        "reasons": [] if word == "equal" else [{"what": "a & b", "why": "b < a", "cases": [0]}],
        "covered": {
            "lanes": [
                {"lane": lane, "values": 1, "gradients": 1, "reasons": []} for lane in page.LANES
            ]
        },
        "leaves": [{"leaf": "output[0]", "state": word, "compared": 1, "close": {"R": 0.5}}],
        "cases": [{"case": 0, "inputs": ["x float32[3]"], "lanes": lanes, "sentence": ""}],
        "versions": {"jax": "0.12.0"},
        "reproduce": "tf2jax-port diff a.py:f b.py:f",
    }


def render(word="equal"):
    plan = {
        "totals": {"references": 1},
        "files": [{"findings": [{"symbol": "tf.where", "state": "shim"}]}],
    }
    run = {
        "images": 1,
        "sizes": 1,
        "compilations": 1,
        "difference": "1e-7",
        "rows": [{"what": "w", "port": 1, "tf": 2}],
    }
    function = {
        "function": "f<T>",
        "status": "proved",
        "why": "2 calls",
        "calls": 2,
        "replayed": 2,
        "lines": {"reached": 3, "total": 4},
    }
    proof = {"headline": "All 1", "scope": "Values.", "files": [{"functions": [function]}]}
    old, new = "y = tf.where(a < b)\n", "y = shims.where(a < b)\n"
    return page.render(old, new, plan, verdict(word), run, proof)


def test_the_page_is_self_contained():
    text = render()
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(""", text)
    assert text.startswith("<!doctype html>")


def test_the_page_escapes_what_it_shows():
    text = render("different")
    assert "tf.where(a &lt; b)" in text
    assert "a &amp; b: b &lt; a" in text
    assert "top_k &lt;did not&gt; compile" in text
    assert "f&lt;T&gt;" in text
    assert "3 of 4" in text


def test_the_page_says_whether_it_is_the_same():
    assert '<div class="verdict"><strong>It is equal.' in render()
    assert '<div class="verdict bad"><strong>It is different.' in render("different")

"""No name is passed over in silence: a search among tokens finds none that the scan does not know."""

import dataclasses

import pytest

from tests.meta.tree import ROOT
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.findings.ledger import Entry
from tools.token_search import Search, compare, search


@pytest.mark.parametrize("folder", ["examples", "tests/gradients", "tests/random"])
def test_every_name_has_a_finding(folder):
    found = search([str(ROOT / folder)])
    assert found.left == []
    assert found.seen > 10


def test_the_search_can_fail():
    before = (
        b"import tensorflow as tf\nfrom tensorflow import keras as k, math\n"
        b"layers = k.layers\n\n\ndef f(x: tf.Tensor, *, tf2=tf.abs):\n    return math.log(x.tf), k.x\n"
    )
    outcome = rewrite(before)
    entry = Entry("a.py", before, dataclasses.replace(outcome, findings=(), references=0))
    found = Search()
    compare(entry, found)
    assert [(u.line, u.column) for u in found.left] == [(6, 10), (6, 28), (7, 12), (7, 28)]
    assert (found.seen, found.passed_over) == (5, 0)


def test_what_the_file_binds_otherwise_is_passed_over():
    before = b"import tensorflow as tf\n\n\ndef f(tf):\n    return tf.abs(1)\n"
    found = Search()
    compare(Entry("a.py", before, rewrite(before)), found)
    assert (found.seen, found.passed_over) == (0, 2)

"""The page of mutants is made from its data, and explains each mutant that survives."""

import ast
import json

from tools.mutation import mutants, page

DATA = json.loads((page.DOCS / "mutation_testing.json").read_text())
MAKE = "run `python -m tools.mutation --page`"


def test_the_page_is_made_from_the_data():
    assert (page.DOCS / "mutation_testing.md").read_text() == page.as_page(DATA), MAKE


def test_every_survivor_is_explained():
    assert DATA["mutants"].keys() == page.AREAS.keys(), MAKE
    survivors = {
        page.key_of(m)
        for found in DATA["mutants"].values()
        for m in found
        if m["outcome"] == "survived"
    }
    assert DATA["explained"].keys() == survivors, MAKE
    assert all(DATA["explained"].values())


def test_a_mutant_differs_in_one_place():
    source = "def f(x):\n    '''Text.'''\n    if x > 1 and not g(x):\n        return h(x + 2)\n    return x\n"
    found = [mutants.mutant(source, place) for place in mutants.places("f.py", source)]
    texts = {ast.unparse(tree) for tree, *_ in found}
    assert len(texts) == len(found) == 7
    assert ast.unparse(ast.parse(source)) not in texts
    assert {(before, after) for _, _, before, after in found} >= {
        ("x > 1", "x >= 1"),
        ("not g(x)", "g(x)"),
        ("x + 2", "x - 2"),
        ("1", "2"),
        ("return h(x + 2)", "return None"),
    }


def test_the_files_of_each_area_exist():
    for area in page.AREAS.values():
        files = area.files()
        assert len(files) >= len(area.patterns), area.title
        assert all((page.ROOT / name).exists() for name in (*files, *area.tests))

"""The scorecard speaks of every symbol, holds its schema, and says what the tests say."""

import importlib.metadata
import json
import types

import jsonschema
import pytest

from tests.lanes.cases import CASES
from tests.meta import tree
from tests.table import cases, test_gradients, test_values
from tools.scorecard import cells, collector, lacking, lanes, mentions, page
from tools.scorecard.symbols import Symbol, symbols

DOCS = tree.ROOT / "docs"
DATA = json.loads((DOCS / "scorecard.json").read_text())
LINES = {line["name"]: line for line in DATA["symbols"]}
# Cheap, of different kinds: computed anew, to be compared with what the page says.
SAMPLE = ("boolean_mask", "math.segment_max", "math.log1p", "unique", "image.hsv_to_rgb")


def test_the_data_hold_their_schema():
    schema = json.loads((DOCS / "schemas" / "scorecard.schema.json").read_text())
    jsonschema.validate(DATA, schema)
    assert set(DATA["states"]) == set(cells.STATES)


def test_its_symbols_are_the_tables():
    wanted = {s.name: (s.rank, s.family) for s in symbols()}
    written = {name: (line["rank"], line["family"]) for name, line in LINES.items()}
    assert written == wanted, "run `make scorecard`"


def test_the_page_is_made_from_the_data():
    assert (DOCS / "scorecard.md").read_text() == page.as_page(DATA), "run `make scorecard`"


def test_what_is_not_offered_says_what_to_write():
    found = lacking.lacking()
    assert "" not in found
    if DATA["versions"]["tensorflow"] == importlib.metadata.version("tensorflow"):
        assert found == DATA["lacking"], "run `make scorecard`"


def outcome(test, point):
    try:
        test(point)
    except Exception:  # noqa: BLE001, any failure is one
        return "failed"
    return "passed"


def recomputed(name):
    """The eager and the gradient cell of a row, from its tests run here."""
    (symbol,) = [s for s in symbols() if s.name == name]
    points = [p for p in cases.POINTS if p.row.name == name]
    answered = [p for p in points if cases.succeeds(p)]
    refused = [p for p in points if not cases.succeeds(p)]
    with_gradient = [p for p in answered if test_gradients.has_gradient(p)]
    gradient = (
        test_gradients.test_tensorflow_has_no_gradient
        if symbol.row.no_gradient
        else test_gradients.test_gradient
    )
    runs = {
        "eager": [
            *(outcome(test_values.test_value_and_dtype, p) for p in answered),
            *(outcome(test_values.test_errors, p) for p in refused),
        ],
        "gradient": [outcome(gradient, p) for p in with_gradient],
    }
    outcomes = {
        (name, lane): [cells.Ran(f"{lane}{i}", found) for i, found in enumerate(results)]
        for lane, results in runs.items()
    }
    found = cells.of_symbol(symbol, outcomes)
    return {lane: (found[lane].state, found[lane].why) for lane in runs}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_computed_anew_agrees(name):
    written = {
        lane: (cell["state"], cell["why"])
        for lane, cell in LINES[name]["cells"].items()
        if lane in ("eager", "gradient")
    }
    assert written == recomputed(name)


def test_a_failing_test_makes_a_red_cell():
    (symbol,) = [s for s in symbols() if s.name == "math.log1p"]
    ran = [cells.Ran("a::one", "passed"), cells.Ran("a::two", "failed")]
    cell = cells.of_symbol(symbol, {("math.log1p", "eager"): ran})["eager"]
    assert cell == cells.Cell("fail", 2, "two")
    assert cells.of_symbol(symbol, {})["eager"] == cells.Cell("untested")


def test_what_is_not_offered_says_why():
    keras = Symbol("keras.layers.Dense", 21, None, "Keras")
    assert set(cells.of_symbol(keras, {}).values()) == {cells.Cell("absent", why="outside: Keras")}
    unknown = Symbol("raw_ops.Empty", 215, None, "surroundings")
    assert cells.of_symbol(unknown, {})["vmap"].why == "no row"


def test_of_a_test_that_ran_twice_the_later_run_counts():
    line = {"test": "a::b", "outcome": "failed", "subjects": [["where", "eager"]]}
    found = cells.by_subject([line, {**line, "outcome": "passed"}])
    assert found["where", "eager"] == [cells.Ran("a::b", "passed")]


def test_what_tests_found_out_makes_the_state():
    (symbol,) = [s for s in symbols() if s.name == "sparse.reorder"]
    none = cells.Ran("a", "passed", "none: because")
    differs = cells.Ran("b", "passed", "differs: slower")
    plain = cells.Ran("c", "passed")
    found = lambda *ran: cells.of_symbol(symbol, {(symbol.name, "eager"): list(ran)})["eager"]
    assert found(none) == cells.Cell("none", 1, "because")
    assert found(none, plain) == cells.Cell("pass", 2)
    assert found(differs, plain) == cells.Cell("differs", 2, "slower")


def test_a_case_outweighs_what_words_suggest():
    (symbol,) = [s for s in symbols() if s.name == "ragged.range"]
    words = cells.Ran("tests/ragged/test_gradients.py::test_of_functions", "passed")
    case = cells.Ran("tests/lanes/test_lanes.py::test_gradient[x]", "passed", "none: because")
    found = cells.of_symbol(symbol, {(symbol.name, "gradient"): [words, case]})
    assert found["gradient"] == cells.Cell("none", 1, "because")
    (symbol,) = [s for s in symbols() if s.name == "sets.union"]
    found = cells.of_symbol(symbol, {(symbol.name, "gradient"): [words]})
    assert found["gradient"] == cells.Cell("n/a", 0, "no floating-point operand")


def test_written_cases_are_about_symbols_of_the_scorecard():
    names = [name for case in CASES for name in case.symbols]
    assert set(names) <= {s.name for s in symbols()}
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        ("tests/table/test_vmap.py::test_vmap_is_a_loop[exp]", "vmap"),
        ("tests/lanes/test_lanes.py::test_poison[ragged-rows]", "poison"),
        ("tests/ragged/test_programs.py::test_eagerly[some]", ""),
    ],
)
def test_lanes_of_generated_tests(node, wanted):
    assert lanes.of_test(node) == wanted


def test_names_in_code():
    text = "tf.sparse.to_dense(s); shims.Variable(x); jnp.sum(x); m.nest.flatten(t)"
    assert mentions.names_in(text) == {
        *("sparse", "sparse.to_dense", "Variable", "nest", "nest.flatten"),
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("test_gradient_in_a_function", ("gradient", "function")),
        ("jax.vmap(f)", ("vmap",)),
        ("test_value", ("eager",)),
    ],
)
def test_lanes_of_written_tests(text, wanted):
    assert lanes.of_words(text) == wanted


def marked(*names, **options):
    mark = pytest.mark.symbols(*names, **options).mark
    given = types.SimpleNamespace(params={"name": "Generator"})
    item = types.SimpleNamespace(nodeid="a::b", callspec=given, iter_markers=lambda name: [mark])
    return mentions.marked(item, otherwise=("function",))


def test_a_test_may_name_what_it_is_about():
    assert marked("random.{name}", lanes=("eager",)) == {"random.Generator": ("eager",)}
    assert marked("Module", "group") == {"Module": ("function",), "group": ("function",)}
    with pytest.raises(ValueError, match=r"^a::b: no row is called `random.Generators`"):
        marked("random.{name}s")


def test_what_stays_on_the_host_is_outside():
    families = {s.name: s.family for s in symbols()}
    for name, family in (
        ("strings.join", "strings"),
        ("lookup.StaticHashTable", "lookup tables"),
        ("image.decode_png", "files of images"),
        ("image.resize", "surroundings"),
        ("sparse.cross", "strings"),
        ("sparse.cross_hashed", "dynamic"),
    ):
        assert families[name] == family


def test_no_derivative_is_asked_of_what_gives_no_array():
    (symbol,) = [s for s in symbols() if s.name == "debugging.assert_less"]
    found = cells.of_symbol(symbol, {})
    assert found["gradient"] == cells.Cell("n/a", why="gives nothing")
    assert found["eager"] == cells.Cell("untested")


def test_a_record_that_was_cut_short(tmp_path):
    record = tmp_path / "eager.jsonl"
    record.write_text('{"test": "a"}\n{"test": "b')
    assert collector.recorded(record) == [{"test": "a"}]
    assert collector.recorded(tmp_path / "none.jsonl") == []

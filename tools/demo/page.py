"""Write the demo's report as one self-contained HTML file."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tools.demo.changes import Line, hunks, side_by_side
from tools.demo.look import STYLE

Data = Mapping[str, Any]

GOOD = {"equal", "ran", "rewritten", "shim", "proved"}
BAD = {"different", "error", "manual", "raises"}
STATES = {
    "rewritten": "one call of JAX, with the same numbers",
    "review": "one call of JAX that differs from TensorFlow in a rare case, which the rewriter names",
    "shim": "TensorFlow's name and meaning, over JAX",
    "kept": "works as it is",
    "manual": "to write by hand, with the reason",
}
LANES = {
    "tf-eager": "TF eager",
    "tf-graph": "TF graph",
    "tf-xla": "TF XLA",
    "jax-eager": "JAX eager",
    "jax-jit": "JAX jit",
}


def render(old: str, new: str, plan: Data, verdict: Data, run: Data, proof: Data) -> str:
    """Render the page.

    Args:
      old: source of the TensorFlow program.
      new: source of its port.
      plan: the output of `tf2jax-port scan --format json`.
      verdict: the output of `tf2jax-port diff --json`.
      run: the measurements of `tools.demo.sizes`.
      proof: the output of `tf2jax-port prove --json`.
    """
    rows = side_by_side(old, new)
    sections = (
        _verdict(verdict),
        _cards(rows, plan, verdict, run),
        _scanned(plan),
        _changed(rows),
        _compared(verdict),
        _sizes(run),
        _proved(proof),
        _versions(verdict),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>tf2jax-port: the demo</title>\n<style>{STYLE}</style></head>\n<body>\n"
        "<h1>A detection head, from TensorFlow to JAX</h1>\n"
        "<p class='dim'>Anchors, matching, hard-negative mining, focal loss and per-class "
        "suppression. Nearly every tensor in this program has a size that only the data knows; "
        "it was scanned, rewritten, compared and proved by five commands, without an edit by hand.</p>\n"
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def escape(value: object) -> str:
    return html.escape(str(value))


def chip(text: object, state: str = "") -> str:
    """Render a label whose background color shows its state."""
    word = state or str(text)
    kind = "good" if word in GOOD else "bad" if word in BAD else "warn"
    return f'<span class="chip {kind}">{escape(text)}</span>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Render a table of cells that are HTML already."""
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "\n".join("<tr>" + "".join(cells) + "</tr>" for cells in rows)
    return f'<div class="scroll"><table class="{kind}"><tr>{head}</tr>\n{body}</table></div>'


def cell(content: object, kind: str = "") -> str:
    return f'<td class="{kind}">{content}</td>'


def compilations(run: Data) -> str:
    """Format a count, such as `1 XLA compilation`."""
    return f"{run['compilations']} XLA compilation{'' if run['compilations'] == 1 else 's'}"


def _verdict(verdict: Data) -> str:
    bad = "" if verdict["verdict"] in ("equal", "limited") else " bad"
    reasons = "".join(
        f"<li>{escape(r['what'])}: {escape(r['why'])}</li>" for r in verdict["reasons"][:6]
    )
    return (
        f'<div class="verdict{bad}"><strong>{escape(verdict["headline"])}.</strong>'
        f"{f'<ul>{reasons}</ul>' if reasons else ''}</div>"
    )


def _cards(rows: Sequence[Line], plan: Data, verdict: Data, run: Data) -> str:
    changed = sum(row.changed for row in rows)
    cards = (
        (plan["totals"]["references"], "TensorFlow references found"),
        (f"{changed} of {len(rows)}", "lines changed, by the rewriter alone"),
        (len(verdict["cases"]), "images compared, values and gradients"),
        (f"{run['sizes']} sizes", f"run with {compilations(run)}"),
    )
    inside = "".join(
        f'<div class="card"><b>{escape(big)}</b><span>{escape(small)}</span></div>'
        for big, small in cards
    )
    return f'<div class="cards">{inside}</div>'


def _scanned(plan: Data) -> str:
    found = [finding for file in plan["files"] for finding in file["findings"]]
    groups = []
    for state, meaning in STATES.items():
        counted = Counter(finding["symbol"] for finding in found if finding["state"] == state)
        if not counted:
            continue
        names = " ".join(
            f'<span class="name"><code>{escape(name)}</code>{f" &times; {n}" if n > 1 else ""}</span>'
            for name, n in sorted(counted.items(), key=lambda kv: (-kv[1], kv[0]))
        )
        groups.append(
            f'<div class="group"><p>{chip(f"{counted.total()} {state}", state)} {meaning}</p>'
            f"{names}</div>"
        )
    return (
        "<h2>1. What is in there</h2><p class='dim'>Every TensorFlow name of the file, resolved "
        "through its imports, and what becomes of it.</p>" + "".join(groups)
    )


def _code_rows(lines: Iterable[Line]) -> Iterable[Sequence[str]]:
    for row in lines:
        number = (str(row.old_number or ""), str(row.new_number or ""))
        yield (
            cell(number[0], "n"),
            cell(escape(row.old), "old"),
            cell(number[1], "n"),
            cell(escape(row.new), "new"),
        )


def _code(lines: Iterable[Line]) -> str:
    lines = list(lines)
    cells = "\n".join(
        f'<tr class="{"changed" if line.changed else ""}">{"".join(row)}</tr>'
        for line, row in zip(lines, _code_rows(lines), strict=True)
    )
    return cells + '\n<tr class="gap"><td colspan="4"></td></tr>\n'


def _changed(rows: Sequence[Line]) -> str:
    changes = "".join(_code(hunk) for hunk in hunks(list(rows)))
    frame = '<div class="scroll"><table class="code"><col class="n"><col><col class="n"><col>{}</table></div>'
    return (
        "<h2>2. What changed</h2><p class='dim'>TensorFlow on the left, its port on the right. "
        "Comments, layout and everything that is not TensorFlow keep every byte.</p>"
        + frame.format(changes)
        + f"<details><summary>The whole program</summary>{frame.format(_code(rows))}</details>"
    )


def _compared(verdict: Data) -> str:
    lanes = [
        (
            cell(escape(LANES[lane["lane"]])),
            cell(lane["values"], "num"),
            cell(lane["gradients"], "num"),
            cell("<br>".join(_reason(r) for r in lane["reasons"][:3]), "wrap dim"),
        )
        for lane in verdict["covered"]["lanes"]
    ]
    leaves = [
        (
            cell(f"<code>{escape(leaf['leaf'])}</code>"),
            cell(chip(leaf["state"])),
            cell(leaf["compared"], "num"),
            cell(escape(_closeness(leaf)), "num"),
        )
        for leaf in verdict["leaves"]
    ]
    cases = [
        (
            cell(case["case"], "num"),
            cell("<br>".join(f"<code>{escape(i)}</code>" for i in case["inputs"]), "wrap"),
            *(cell(_state(case["lanes"][lane])) for lane in LANES),
        )
        for case in verdict["cases"]
    ]
    return (
        "<h2>3. Is it the same?</h2><p class='dim'>Five ways to run it: the original eagerly, as a "
        "graph with unknown dimensions and compiled by XLA; the port eagerly and under "
        "<code>jax.jit</code>. A lane that could not run says why and counts as not covered.</p>"
        + table(("lane", "values in", "gradients in", "not covered"), lanes)
        + "<p class='dim'>R is the port's rounding error in units of the original's own: around "
        "1 is as good as TensorFlow itself.</p>"
        + table(("output or gradient", "verdict", "cases", "R"), leaves)
        + f"<details><summary>All {len(cases)} cases</summary>"
        + table(("case", "inputs", *LANES.values()), cases)
        + "</details>"
    )


def _reason(reason: Data) -> str:
    return f"{escape(reason['what'])} in {len(reason['cases'])}: {escape(reason['why'])}"


def _closeness(leaf: Data) -> str:
    ratio = leaf["close"]["R"]
    return "exact" if ratio in (0, None) else f"{ratio:.2g}" if isinstance(ratio, float) else ratio


def _state(state: str) -> str:
    """Render a lane's state in one case, with the reason as a tooltip."""
    if state in GOOD | BAD:
        return chip(state)
    return f'<span title="{escape(state)}">{chip("not covered", "warn")}</span>'


def _sizes(run: Data) -> str:
    rows = [
        (
            cell(escape(row["what"])),
            cell(escape(row["port"]), "num"),
            cell(escape(row["tf"]), "num"),
        )
        for row in run["rows"]
    ]
    return (
        f"<h2>4. Many sizes, and what they cost</h2><p class='dim'>{run['images']} images of "
        f"{run['sizes']} different sizes, loss and gradients, through the port and through the original "
        f"in one process: {compilations(run)}, and a largest difference of "
        f"{escape(run['difference'])}, relative to the largest entry of the array.</p>"
        + table(("", "port", "tf.function"), rows)
    )


def _proved(proof: Data) -> str:
    """Render the last section: every function of the module, and what its recorded calls say."""
    rows = [
        (
            cell(f"<code>{escape(function['function'])}</code>"),
            cell(chip(function["status"])),
            cell(f"{function['replayed']} of {function['calls']}", "num"),
            cell(_share(function["lines"]), "num"),
            cell(escape(function["why"]), "wrap"),
        )
        for file in proof["files"]
        for function in file["functions"]
    ]
    return (
        f"<h2>5. And all of its functions?</h2><p>{escape(proof['headline'])}.</p><p class='dim'>The calls of "
        "one run under TensorFlow, replayed against the port without it: eagerly, under "
        f"<code>jit</code> and in <code>shims.function</code>. {escape(proof['scope'])}</p>"
        + table(("function", "", "calls replayed", "lines reached", ""), rows)
    )


def _share(found: Data | None) -> str:
    return "" if found is None else f"{found['reached']} of {found['total']}"


def _versions(verdict: Data) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in verdict["versions"].items())
    return f"<footer>{escape(versions)}<br><code>{escape(verdict['reproduce'])}</code></footer>"

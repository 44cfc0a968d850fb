"""Define the style sheet of the HTML pages, light and dark, without external resources."""

from __future__ import annotations

from collections.abc import Mapping

# Every pair that is used together has the contrast of WCAG AA; `tests/html/test_contrast.py` computes it.
LIGHT: Mapping[str, str] = {
    "page": "#f6f7f9",
    "card": "#ffffff",
    "ink": "#1b2330",
    "soft": "#56616f",
    "line": "#dde2e9",
    "edge": "#7d8896",  # borders of what can be operated, and lines that carry meaning
    "good": "#12693f",
    "good-bg": "#dff3e7",
    "bad": "#a8201a",
    "bad-bg": "#fde6e3",
    "warn": "#7a4f00",
    "warn-bg": "#fbefcf",
    "bad-map": "#f5b5ae",
    "warn-map": "#f3d98f",
    "mute-bg": "#edf0f3",
    "accent": "#1f50b8",
    "keyword": "#8a2291",
    "string": "#1d6334",
    "number": "#9a3412",
    "defined": "#1f50b8",
}
DARK: Mapping[str, str] = {
    "page": "#11151b",
    "card": "#1a2029",
    "ink": "#e4e9f0",
    "soft": "#a3aebd",
    "line": "#2c3542",
    "edge": "#74808f",
    "good": "#63d69b",
    "good-bg": "#14301f",
    "bad": "#ff9a91",
    "bad-bg": "#43201d",
    "warn": "#f2c261",
    "warn-bg": "#3a2d10",
    "bad-map": "#85403b",
    "warn-map": "#6b5520",
    "mute-bg": "#232b36",
    "accent": "#94b5ff",
    "keyword": "#d9a2f0",
    "string": "#9bd5a8",
    "number": "#f5b07a",
    "defined": "#94b5ff",
}


def _variables(colors: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors.items())


_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

CSS = (
    f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }}
code, .mono {{ font: 0.9em/1.45 {_MONO}; }}
pre, .code {{ font: 0.82rem/1.5 {_MONO}; }} pre code, .code code {{ font: inherit; }}
"""
    + """
main { max-width: 1080px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main.broad { max-width: 1560px; padding-top: 1.25rem; } .broad > .hero { padding: 0.6rem 1.2rem; }
.broad > .hero h1 { margin: 0; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0.6rem 0 0.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.02rem; margin: 2.2rem 0 0.7rem; }
p { margin: 0.3rem 0; } .soft { color: var(--soft); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
p a, li a, dd a { text-decoration: underline; text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100vw; background: var(--card); padding: 0.5rem 1rem; z-index: 9; }
.skip:focus { left: 0.5rem; top: 0.5rem; }
.hero { background: var(--card); border: 1px solid var(--line); border-left: 6px solid var(--soft);
  border-radius: 10px; padding: 1.3rem 1.5rem; overflow-wrap: anywhere; }
.hero.equal { border-left-color: var(--good); } .hero.different, .hero.error {
  border-left-color: var(--bad); } .hero.limited, .hero.inconclusive {
  border-left-color: var(--warn); }
.chip { display: inline-block; border-radius: 999px; padding: 0.1rem 0.65rem; font-size: 0.8rem;
  font-weight: 650; letter-spacing: 0.02em; background: var(--mute-bg); color: var(--soft);
  white-space: nowrap; }
.chip.big { font-size: 0.92rem; padding: 0.2rem 0.9rem; text-transform: uppercase; }
.equal .chip.big, .chip.equal, .chip.same, .chip.good { background: var(--good-bg);
  color: var(--good); }
.different .chip.big, .error .chip.big, .chip.different, .chip.bad { background: var(--bad-bg);
  color: var(--bad); }
.limited .chip.big, .inconclusive .chip.big, .chip.knife-edge, .chip.unsteady, .chip.warn {
  background: var(--warn-bg); color: var(--warn); }
.stages { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 1.1rem 0 0; padding: 0;
  list-style: none; }
.stages li { flex: 1 1 12rem; border: 1px solid var(--line); border-radius: 8px;
  padding: 0.5rem 0.75rem; font-size: 0.88rem; }
.stages b { display: block; } .stages .pass { background: var(--good-bg); }
.stages .fail { background: var(--bad-bg); border-color: var(--bad); }
.stages .pass b { color: var(--good); } .stages .fail b { color: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.7rem;
  margin: 1rem 0 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.7rem 0.95rem; }
.card b { display: block; font-size: 1.45rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card span { color: var(--soft); font-size: 0.85rem; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 0.8rem; }
th, td { padding: 0.45rem 0.85rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; } td.num { font-variant-numeric: tabular-nums; }
td code { overflow-wrap: anywhere; }
.matrix th[scope=row] { color: var(--ink); font-size: 0.88rem; white-space: nowrap; }
.matrix td, .matrix thead th:not(:first-child) { text-align: center; }
.matrix td.none { color: var(--line); }
svg { display: block; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.bar { display: flex; height: 0.55rem; min-width: 5rem; border-radius: 3px; overflow: hidden;
  background: var(--mute-bg); }
.bar .good { background: var(--good); } .bar .warn { background: var(--warn); }
.bar .bad { background: var(--bad); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  gap: 0.7rem; margin-bottom: 0.7rem; }
.sides > div { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.7rem 0.95rem; overflow-x: auto; } .wide td.soft { min-width: 11rem; }
.worst { background: var(--card); border: 1px solid var(--bad); border-radius: 10px;
  padding: 0.9rem 1.2rem; overflow-wrap: anywhere; }
.worst .pair { display: flex; flex-wrap: wrap; gap: 0.6rem 2.2rem; margin: 0.5rem 0; }
.worst .pair b { font: 600 1.15rem ui-monospace, Menlo, Consolas, monospace; display: block; }
ul.plain { margin: 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
ul.plain li { margin: 0.15rem 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.8rem 1rem; overflow-x: auto; margin: 0; white-space: pre-wrap;
  overflow-wrap: anywhere; }
details { margin: 0.4rem 0; } summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 2.5rem; color: var(--soft); font-size: 0.84rem; overflow-wrap: anywhere; }
.code { background: var(--card); }
.code > code, .code .run > code { display: block; position: relative; white-space: pre-wrap;
  overflow-wrap: anywhere; padding: 0 0.8rem 0 5.9rem; text-indent: -1.5rem; min-height: 1.5em;
  tab-size: 4; }
.code [data-n]::before { content: attr(data-n); position: absolute; left: 0; width: 3.6rem;
  text-align: right; color: var(--soft); user-select: none; text-indent: 0; }
.code .k { color: var(--keyword); } .code .s { color: var(--string); }
.code .c { color: var(--soft); font-style: italic; } .code .n { color: var(--number); }
.code .d { color: var(--defined); }
.code mark { color: inherit; background: var(--mute-bg); border-radius: 2px; }
.code mark.bad { background: var(--bad-bg); box-shadow: inset 0 -2px var(--bad); }
.code mark.warn { background: var(--warn-bg); box-shadow: inset 0 -2px var(--warn); }
.code mark.good { background: var(--good-bg); box-shadow: inset 0 -2px var(--good); }
[hidden] { display: none !important; }
@media (max-width: 640px) { th, td { padding: 0.4rem 0.5rem; } main, main.broad {
  padding: 1rem 0.7rem 3rem; } .hero { padding: 0.9rem 1rem; }
  .code > code, .code .run > code { padding-left: 4.2rem;
  text-indent: -1.2rem; word-break: break-all; } .code [data-n]::before { width: 2.4rem; } }
@media print { .wide, pre { overflow: visible; } }
"""
)

# Pages with a filter: what is beside the list, and above it where the page is narrow.
PANEL = """
.work { display: grid; grid-template-columns: minmax(18rem, 26rem) minmax(0, 1fr); gap: 1.4rem;
  align-items: start; margin-top: 1rem; }
.panel { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 0.6rem 3px 1rem; }
.panel h2 { margin: 1.2rem 0 0.4rem; } .work > section > h2 { margin: 0.7rem 0 0.6rem; }
.search { display: flex; align-items: center; gap: 0.7rem; flex-wrap: wrap; }
.search input { flex: 1 1 9rem; min-width: 0; font: inherit; color: var(--ink); background: var(--card);
  border: 1px solid var(--edge); border-radius: 8px; padding: 0.45rem 0.7rem; }
.search output { font-size: 0.85rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.states { border: 0; margin: 0.7rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem; }
.states label { border: 1px solid var(--edge); border-radius: 999px; padding: 0.15rem 0.7rem 0.15rem 0.5rem;
  font-size: 0.84rem; cursor: pointer; background: var(--card); white-space: nowrap; }
.states label:has(:checked) { background: var(--mute-bg); border-color: var(--soft); }
.states label.bad:has(:checked) { background: var(--bad-bg); color: var(--bad); border-color: var(--bad); }
.states label.warn:has(:checked) { background: var(--warn-bg); color: var(--warn); border-color: var(--warn); }
.states label.good:has(:checked) { background: var(--good-bg); color: var(--good); border-color: var(--good); }
.states label:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
.states input { accent-color: currentcolor; margin: 0 0.35rem 0 0; vertical-align: -0.1em; }
.keys { font-size: 0.82rem; color: var(--soft); margin-top: 0.6rem; }
kbd { font: 0.9em ui-monospace, Menlo, Consolas, monospace; border: 1px solid var(--line);
  border-radius: 4px; padding: 0 0.3em; background: var(--card); }
.key { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.4rem 0; padding: 0;
  list-style: none; font-size: 0.82rem; color: var(--soft); }
.key b { display: inline-block; width: 0.9em; height: 0.9em; border-radius: 3px;
  vertical-align: -0.1em; margin-right: 0.4em; border: 1px solid var(--edge); }
.key .warn { background: var(--warn-map); } .key .bad { background: var(--bad-map); }
.jump { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; font-size: 0.88rem; margin: 0.8rem 0 0;
  padding: 0; list-style: none; }
.key.solid { flex-direction: column; } .key.solid .good { background: var(--good); }
.key.solid .warn { background: var(--warn); } .key.solid .bad { background: var(--bad); }
@media (max-width: 900px) { .work { grid-template-columns: minmax(0, 1fr); gap: 0.6rem; }
  .panel { position: static; max-height: none; overflow: visible; padding-bottom: 0; } }
@media (max-width: 640px) { .keys.scripted { display: none; } }
"""

"""Define the style sheet of the HTML pages, light and dark, without external resources."""

from __future__ import annotations

CSS = """
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2330; --soft: #5b6675; --line: #e0e5eb;
  --good: #16794a; --good-bg: #e3f5ea; --bad: #b3261e; --bad-bg: #fdeae8;
  --warn: #8a5a00; --warn-bg: #fdf2d8; --mute-bg: #eef1f4; --accent: #2457c5; }
@media (prefers-color-scheme: dark) { :root {
  --page: #11151b; --card: #1a2029; --ink: #e4e9f0; --soft: #95a1b1; --line: #2c3542;
  --good: #63d69b; --good-bg: #14301f; --bad: #ff8d83; --bad-bg: #3a1a18;
  --warn: #f2c261; --warn-bg: #33270d; --mute-bg: #232b36; --accent: #8fb2ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
code, .mono { font: 0.9em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0.6rem 0 0.4rem; }
h2 { font-size: 1.02rem; margin: 2.2rem 0 0.7rem; }
p { margin: 0.3rem 0; } .soft { color: var(--soft); }
.hero { background: var(--card); border: 1px solid var(--line); border-left: 6px solid var(--soft);
  border-radius: 10px; padding: 1.3rem 1.5rem; }
.hero.equal { border-left-color: var(--good); } .hero.different, .hero.error {
  border-left-color: var(--bad); } .hero.limited, .hero.inconclusive {
  border-left-color: var(--warn); }
.chip { display: inline-block; border-radius: 999px; padding: 0.1rem 0.65rem; font-size: 0.8rem;
  font-weight: 650; letter-spacing: 0.02em; background: var(--mute-bg); color: var(--soft);
  white-space: nowrap; }
.chip.big { font-size: 0.92rem; padding: 0.2rem 0.9rem; text-transform: uppercase; }
.equal .chip.big, .chip.equal, .chip.same { background: var(--good-bg); color: var(--good); }
.different .chip.big, .error .chip.big, .chip.different { background: var(--bad-bg);
  color: var(--bad); }
.limited .chip.big, .inconclusive .chip.big, .chip.knife-edge, .chip.unsteady {
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
.matrix th[scope=row] { color: var(--ink); font-size: 0.88rem; white-space: nowrap; }
.matrix td, .matrix thead th:not(:first-child) { text-align: center; }
.matrix td.none { color: var(--line); }
svg { display: block; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 0.7rem; }
.sides > div { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.7rem 0.95rem; overflow-x: auto; }
.sides { margin-bottom: 0.7rem; } .wide td.soft { min-width: 11rem; }
.sides pre { margin: 0.4rem 0; white-space: pre; word-break: normal; } .sides mark { display: inline-block; max-width: 100%; white-space: pre-wrap; background: var(--bad-bg); color: var(--bad); }
.worst { background: var(--card); border: 1px solid var(--bad); border-radius: 10px;
  padding: 0.9rem 1.2rem; }
.worst .pair { display: flex; flex-wrap: wrap; gap: 0.6rem 2.2rem; margin: 0.5rem 0; }
.worst .pair b { font: 600 1.15rem ui-monospace, Menlo, Consolas, monospace; display: block; }
ul.plain { margin: 0; padding-left: 1.2rem; } ul.plain li { margin: 0.15rem 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.8rem 1rem; overflow-x: auto; margin: 0; white-space: pre-wrap;
  word-break: break-word; }
details { margin: 0.4rem 0; } summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 2.5rem; color: var(--soft); font-size: 0.84rem; }
@media (max-width: 640px) { th, td { padding: 0.4rem 0.5rem; } main { padding: 1rem 0.7rem 3rem; } }
"""

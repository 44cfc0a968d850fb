"""Define the page's style sheet, light and dark, without external resources."""

STYLE = """
:root { --ink: #1d2430; --dim: #667085; --paper: #ffffff; --card: #f6f7f9; --line: #dfe3ea;
  --good: #0f734f; --good-bg: #e3f5ec; --bad: #b42318; --bad-bg: #fdeceb; --warn: #93590b;
  --warn-bg: #fdf3e0; --old: #fff1ef; --new: #ebf9f1; --accent: #3d5afe; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --dim: #98a2b3; --paper: #14181f;
  --card: #1c222c; --line: #303846; --good: #5fd3a4; --good-bg: #12332a; --bad: #ff8d83;
  --bad-bg: #41201d; --warn: #f0c06b; --warn-bg: #3b2e17; --old: #35201e; --new: #17332a;
  --accent: #8c9eff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2.5rem 1.5rem 5rem; color: var(--ink);
  background: var(--paper); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 2rem; margin: 0 0 .3rem; letter-spacing: -.02em; }
h2 { font-size: 1.25rem; margin: 3rem 0 .6rem; }
p { max-width: 46rem; } .dim { color: var(--dim); }
code, pre, .code { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.verdict { border-left: 6px solid var(--good); background: var(--good-bg); border-radius: 8px;
  padding: 1rem 1.3rem; margin: 1.5rem 0; } .verdict strong { font-size: 1.15rem; }
.verdict.bad { border-color: var(--bad); background: var(--bad-bg); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .8rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: .8rem 1rem; }
.card b { display: block; font-size: 1.6rem; line-height: 1.2; letter-spacing: -.02em; }
.card span { color: var(--dim); font-size: .88rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--dim); background: var(--card);
  position: sticky; top: 0; } th, td { padding: .38rem .7rem; border-top: 1px solid var(--line);
  vertical-align: top; white-space: nowrap; } tr:first-child th { border-top: 0; }
td.wrap { white-space: normal; min-width: 12rem; }
td.num { font-variant-numeric: tabular-nums; }
.chip { display: inline-block; padding: 0 .55em; border-radius: 1em; font-size: .82rem; }
.good { color: var(--good); background: var(--good-bg); }
.bad { color: var(--bad); background: var(--bad-bg); }
.warn { color: var(--warn); background: var(--warn-bg); }
.code td { padding: 0 .6rem; border: 0; white-space: pre-wrap; overflow-wrap: anywhere;
  line-height: 1.55; } .code { table-layout: fixed; }
.code td.n { color: var(--dim); text-align: right; user-select: none; white-space: nowrap; }
.code col.n { width: 3rem; }
.code tr.changed td.old { background: var(--old); }
.code tr.changed td.new { background: var(--new); }
.code tr.gap td { background: var(--card); height: .6rem; }
.group { margin: 1rem 0 1.4rem; } .group p { margin: 0 0 .4rem; }
.name { display: inline-block; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: 0 .5em; margin: 0 .25em .4em 0; color: var(--dim);
  font-size: .85rem; }
.name code { color: var(--ink); }
details > summary { cursor: pointer; color: var(--accent); margin: .6rem 0; }
@media (max-width: 44rem) { body { padding: 1.2rem .8rem 3rem; } h1 { font-size: 1.5rem; }
  th, td { white-space: normal; padding: .3rem .4rem; }
  td.wrap { min-width: 0; overflow-wrap: anywhere; } td code { overflow-wrap: anywhere; }
  .code tr { display: grid; grid-template-columns: 2.6rem 1fr; } .code col { display: none; }
  .code td.n { padding: 0 .3rem 0 0; } .code td:empty { display: none; }
  .code tr:not(.changed) td:nth-child(n + 3) { display: none; } }
footer { margin-top: 4rem; overflow-wrap: anywhere; color: var(--dim); font-size: .88rem; }
"""

"""Define the script of pages with a filter box: filtering, keys, and a map that arrows move in."""

from __future__ import annotations

# [data-item]   what is filtered; data-state names its checkbox, [data-state-box]
# [data-group]  hidden while nothing in it matches; a <details> among them is opened instead
# .near         the lines that are shown around a match
# [data-arrows]  its links are one stop of the tab key, and arrows move among them
FILTER = """
(() => {
  "use strict";
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const box = document.getElementById("filter"), said = document.getElementById("found");
  const items = all("[data-item]"), groups = all("[data-group]"), boxes = all("[data-state-box]");
  if (!box) return;
  for (const part of all(".scripted")) part.hidden = false;
  const folds = groups.filter(group => group.tagName === "DETAILS");
  let texts = null, shown = items, before = null;  // what was open before something was filtered

  const textOf = item => {
    const group = item.closest("[data-name]");
    return ((group ? group.dataset.name + " " : "") + item.textContent).toLowerCase();
  };
  const around = item => {
    const lines = [];
    for (let one = item.previousElementSibling, n = 0; one && n < 3; one = one.previousElementSibling)
      if (one.dataset.n) { lines.push(one); n += 1; }
    for (let one = item.nextElementSibling, n = 0; one && n < 2; one = one.nextElementSibling)
      if (one.dataset.n) { lines.push(one); n += 1; }
    return lines;
  };
  const apply = () => {
    const wanted = box.value.trim().toLowerCase().split(/\\s+/).filter(Boolean);
    const on = new Set(boxes.filter(b => b.checked).map(b => b.value));
    const isOn = item => !item.dataset.state || on.has(item.dataset.state);
    if (wanted.length && !texts) texts = items.map(textOf);
    for (const line of all(".near")) line.classList.remove("near");
    const alive = new Set();
    shown = items.filter((item, i) => {
      const yes = isOn(item) && wanted.every(word => texts[i].includes(word));
      item.hidden = !yes;
      if (yes) for (let g = item.parentElement.closest("[data-group]"); g && !alive.has(g);
        g = g.parentElement.closest("[data-group]")) alive.add(g);
      return yes;
    });
    document.body.classList.toggle("filtering", wanted.length > 0);
    if (wanted.length) for (const item of shown) for (const l of around(item)) l.classList.add("near");
    for (const group of groups) group.hidden = wanted.length > 0 && !alive.has(group);
    if (wanted.length) {
      before = before || new Map(folds.map(fold => [fold, fold.open]));
      for (const fold of folds) fold.open = alive.has(fold);
    } else {
      if (before) for (const fold of folds) fold.open = before.get(fold);
      before = null;
      for (const fold of folds) if (fold.classList.contains("gap") && alive.has(fold)) fold.open = true;
    }
    const count = n => n.toLocaleString("en"), many = count(items.filter(isOn).length);
    said.textContent = (wanted.length ? `${count(shown.length)} of ` : "") + `${many} ${box.dataset.things}`;
  };
  const reveal = target => {
    if (!target) return;
    if (target.closest("[hidden]")) { box.value = ""; apply(); }
    const own = boxes.find(b => b.value === target.dataset.state);
    if (own && !own.checked) { own.checked = true; apply(); }
    for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    target.scrollIntoView({ block: target.dataset.state ? "center" : "start" });
  };
  const step = by => {
    const places = shown.filter(one => !one.hidden);
    if (!places.length) return;
    const at = places.indexOf(document.activeElement);
    const next = places[at < 0 ? (by > 0 ? 0 : places.length - 1) : (at + by + places.length) % places.length];
    reveal(next);
    next.focus({ preventScroll: true });
  };
  let waiting = 0;
  box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 80); });
  for (const one of boxes) one.addEventListener("change", apply);
  const follow = () => reveal(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  addEventListener("hashchange", follow);
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "Escape" && (typing || box.value)) {
      if (!box.value) box.blur();
      box.value = ""; apply(); event.preventDefault();
    } else if (typing) return;
    else if (event.key === "/") { box.focus(); box.select(); event.preventDefault(); }
    else if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
  });
  for (const map of all("[data-arrows]")) {
    const links = all("a", map);
    const middle = one => {
      const r = one.getBoundingClientRect();
      return [r.left + r.width / 2, r.top + r.height / 2];
    };
    links.forEach((link, i) => { link.tabIndex = i ? -1 : 0; });
    map.addEventListener("keydown", event => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const here = links.indexOf(document.activeElement);
      if (!way || here < 0) return;
      event.preventDefault();
      const [x, y] = middle(links[here]);
      let best = null, least = Infinity;
      for (const link of links) {
        const [a, b] = middle(link), along = (a - x) * way[0] + (b - y) * way[1];
        const off = Math.abs((a - x) * way[1]) + Math.abs((b - y) * way[0]);
        if (along > 1 && along + 2 * off < least) { best = link; least = along + 2 * off; }
      }
      if (!best) return;
      links[here].tabIndex = -1; best.tabIndex = 0; best.focus();
    });
  }
  apply();
  if (location.hash) follow();
})();
"""

# The arrows of a diagram at the box under the pointer or the focus.
ARROWS = """
(() => {
  const light = event => {
    const box = event.target.closest("[data-step]"), number = box && box.dataset.step;
    for (const path of document.querySelectorAll(".diagram path"))
      path.classList.toggle("lit", !!number && (path.dataset.from === number || path.dataset.to === number));
  };
  for (const diagram of document.querySelectorAll(".diagram"))
    for (const name of ["mouseover", "mouseout", "focusin"]) diagram.addEventListener(name, light);
})();
"""

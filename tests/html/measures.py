"""What is measured in a page that a browser shows: overflow, contrast, what is cut off, where its parts stand."""

# Elements that stick out of the window, and are in nothing that scrolls by itself.
OVERFLOW = """
(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide`);
  for (const one of document.body.querySelectorAll("*")) {
    const box = one.getBoundingClientRect();
    if (!box.width || one.closest(".skip") || (box.right <= innerWidth + 1 && box.left >= -1)) continue;
    let held = false;
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== "visible") { held = true; break; }
    if (!held) found.push(`${one.tagName}.${one.className} from ${box.left} to ${box.right}`);
  }
  return found;
})()
"""

# Text that is cut off; names on the map are, and have a title.
CUT = """
(() => [...document.body.querySelectorAll("*")].filter(one => {
  const style = getComputedStyle(one);
  return ["hidden", "clip"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1
    && one.clientWidth && !one.closest(".map");
}).map(one => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`))()
"""

# Text with less contrast against what is behind it than WCAG AA asks for.
CONTRAST = """
(() => {
  const parse = text => [...text.matchAll(/rgba?\\(([^)]+)\\)/g)].map(m => {
    const part = m[1].split(/[ ,/]+/).map(Number);
    return part.length > 3 ? part : [...part, 1];
  });
  const luminance = c => {
    const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = node => {
    for (let one = node; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (one.namespaceURI.endsWith("svg")) {
        if (one.tagName !== "text") continue;
        const box = one.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
        const below = [...one.ownerSVGElement.querySelectorAll("rect")].filter(rect => {
          const r = rect.getBoundingClientRect();
          return r.left <= x && x <= r.right && r.top <= y && y <= r.bottom
            && (rect.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
        });
        if (below.length) return parse(getComputedStyle(below.at(-1)).fill);
        continue;
      }
      const colors = style.backgroundImage.includes("gradient") ? parse(style.backgroundImage)
        : parse(style.backgroundColor).filter(c => c[3] > 0);
      if (colors.length) return colors;
    }
    return [[255, 255, 255, 1]];
  };
  const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode, holder = text.parentElement;
    if (!text.data.trim() || ["SCRIPT", "STYLE", "TITLE", "title"].includes(holder.tagName)) continue;
    if (!holder.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue;
    const style = getComputedStyle(holder), isDrawn = holder.namespaceURI.endsWith("svg");
    const [color] = parse(isDrawn ? style.fill : style.color);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
    const owner = isDrawn ? holder.closest("text") : holder;
    const least = Math.min(...grounds(owner).map(ground => ratio(color, ground)));
    count += 1;
    if (least < (isLarge ? 3 : 4.5))
      found.add(`${holder.tagName}.${holder.className.baseVal ?? holder.className}: ${least.toFixed(2)}, "${text.data.trim().slice(0, 40)}"`);
  }
  return { count, found: [...found] };
})()
"""

# The element that has the focus: what it is, whether it is in the window, and whether one sees it.
FOCUS = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
  const one = document.activeElement;
  if (!one || one === document.body || (window.stops && one === window.stops[0])) return null;  // once around
  const box = one.getBoundingClientRect();
  const label = one.closest("label") || one, drawn = one.querySelector && one.querySelector("rect.step");
  const style = getComputedStyle(label);
  const seen = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2)
    || (drawn && parseFloat(getComputedStyle(drawn).strokeWidth) >= 2);
  window.stops = window.stops || [];
  const before = window.stops.at(-1);
  const inOrder = !before || !!(before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  window.stops.push(one);
  return {
    name: `${one.tagName.toLowerCase()} ${(one.getAttribute("aria-label") || one.textContent || one.id).trim().slice(0, 50)}`,
    seen: !!seen, inOrder,
    inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
})
"""

# Where the parts of a page stand: their edges in percent of the width, and whether each is below the one before it
# in the text of the page, inside of it, or beside it. Heights differ with the fonts, and are not measured.
LAYOUT = """
(() => {
  const parts = ["header.hero", "h1", "h2", "h3", ".panel", ".search input", ".states", ".map", ".jump",
    "#source", ".file", ".note", ".gap", ".steps > li", ".steps dl", ".diagram", ".duo", ".duo .heads > span",
    ".here > code", ".worst", ".cards", ".card", ".stages", ".stages > li", ".wide", ".function", ".source", "footer"];
  const percent = x => Math.round(1000 * x / innerWidth) / 10;
  let before = null;
  return [...document.querySelectorAll(parts.join(","))].filter(one =>
    one.checkVisibility() && one.getBoundingClientRect().width).map(one => {
      const box = one.getBoundingClientRect(), last = before;
      before = one;
      const other = last && last.getBoundingClientRect();
      const how = !last ? "" : last.contains(one) ? "inside" : box.top >= other.bottom - 1 ? "below" : "beside";
      return [parts.find(part => one.matches(part)), percent(box.left), percent(box.right), how];
    });
})()
"""

# The widths of a text in the fonts of the pages: the same on machines with the same fonts.
FONTS = """
(() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [getComputedStyle(document.body).fontFamily, "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"].map(
    family => { pen.font = `100px ${family}`; return Math.round(pen.measureText("Hamburgefonstiv 0123 (xyz)").width); });
})()
"""

"""Read a page as a browser would: its elements, links and text."""

from __future__ import annotations

import html.parser

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr", "rect", "path", "line", "circle"}
# What needs a name that a screen reader can say.
OPERATED = {"a", "button", "input", "summary"}


class Page(html.parser.HTMLParser):
    """A page in parts.

    Attributes:
      elements: the name and attributes of each element, in order.
      ids: all ids, in order.
      links: the targets of links within the page.
      elsewhere: what refers to other pages or files.
      nameless: elements that can be operated and say nothing.
      unbalanced: end tags that do not fit, and elements that are never closed.
      text: all text, with single spaces.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elsewhere: list[str] = []
        self.nameless: list[str] = []
        self.unbalanced: list[str] = []
        self._open: list[str] = []
        self._operated: list[list[str]] = []
        self._texts: list[str] = []
        self.feed(text)
        self.close()
        self.unbalanced += self._open
        self.text = " ".join("".join(self._texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.append((tag, given))
        if given.get("id"):
            self.ids.append(str(given["id"]))
        for name in ("href", "src", "action", "data", "poster", "srcset", "xlink:href"):
            target = given.get(name)
            if target is not None:
                (self.links if target.startswith("#") else self.elsewhere).append(
                    target.removeprefix("#")
                )
        if tag == "input" and given.get("type") != "checkbox" and not given.get("aria-label"):
            self.nameless.append(self.get_starttag_text() or tag)
        if tag not in VOID:
            self._open.append(tag)
            if tag in OPERATED:
                self._operated.append([str(given.get("aria-label") or "")])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self.unbalanced.append(f"/{tag}")
            return
        self._open.pop()
        if tag in OPERATED and not "".join(self._operated.pop()).strip():
            self.nameless.append(tag)

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self._texts.append(data)
        for said in self._operated:
            said.append(data)

"""Write the pictures of docs/dynamic_shapes.md and docs/performance.md: `python -m tools.pictures`."""

from benchmarks import page, plot
from tools.data_files import ROOT
from tools.pictures import growth, layouts, waste


def generate() -> dict[str, str]:
    """Return `{path: text}` of every picture."""
    pictures = {"layouts": layouts.draw(), "waste": waste.draw(), "growth": growth.draw()}
    drawn = {f"docs/pictures/{name}.svg": text for name, text in pictures.items()}
    return drawn | plot.pictures(page.last_table(page.PAGE.read_text())[1])


if __name__ == "__main__":
    for path, text in generate().items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(text)

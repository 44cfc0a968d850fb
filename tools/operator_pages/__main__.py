"""Write the reference of operators: `python -m tools.operator_pages`."""

from tools.data_files import ROOT
from tools.operator_pages.pages import FOLDER, generate


def main() -> None:
    """Write all pages, and remove pages that no longer exist."""
    files = generate()
    (ROOT / FOLDER).mkdir(exist_ok=True)
    for old in (ROOT / FOLDER).glob("*.md"):
        if f"{FOLDER}/{old.name}" not in files:
            old.unlink()
    for path, text in files.items():
        (ROOT / path).write_text(text)


if __name__ == "__main__":
    main()

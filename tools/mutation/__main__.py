"""Change the product at random places and run tests; write docs/mutation_testing.md and .json.

python -m tools.mutation                       run all areas (an hour), then write
python -m tools.mutation --area verdict --count 20
python -m tools.mutation --again               run the mutants that survived once more, after tests were added
python -m tools.mutation --page                only write, from docs/mutation_testing.json
"""

from __future__ import annotations

import argparse
import json
import random
import sys

from tools.mutation import mutants, running
from tools.mutation.page import AREAS, DOCS, as_page, key_of


def measured(name: str, count: int, seed: int) -> list[dict]:
    """Return what became of some mutants of an area."""
    area = AREAS[name]
    sources = {file: (running.ROOT / file).read_text() for file in area.files()}
    every = [place for file, text in sources.items() for place in mutants.places(file, text)]
    found = []
    for place in random.Random(seed).sample(every, min(count, len(every))):
        tree, line, before, after = mutants.mutant(sources[place.file], place)
        outcome = running.outcome(place.file, tree, list(area.tests))
        text = sources[place.file].splitlines()[line - 1].strip()
        found.append(
            {"file": place.file, "text": text, "before": before, "after": after, "outcome": outcome}
        )
        sys.stdout.write(f"{outcome}: {place.file}:{line} {before} -> {after}\n")
        sys.stdout.flush()
    return found


def repeated(name: str, found: list[dict]) -> list[dict]:
    """Return the mutants of an area after another run of those that survived."""
    new = []
    for old in found:
        if old["outcome"] == running.SURVIVED:
            source = (running.ROOT / old["file"]).read_text()
            for place in mutants.places(old["file"], source):
                tree, line, before, after = mutants.mutant(source, place)
                text = source.splitlines()[line - 1].strip()
                if (text, before, after) == (old["text"], old["before"], old["after"]):
                    outcome = running.outcome(place.file, tree, list(AREAS[name].tests))
                    old = {**old, "outcome": outcome}
                    sys.stdout.write(f"{outcome}: {place.file}:{line} {before} -> {after}\n")
                    sys.stdout.flush()
                    break
        new.append(old)
    return new


def main() -> None:
    """Run mutants unless only the page is asked for; write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--area", choices=AREAS, action="append")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    path = DOCS / "mutation_testing.json"
    data = json.loads(path.read_text()) if path.exists() else {"mutants": {}, "explained": {}}
    if not given.page:
        running.import_what_is_shared()
        for name in given.area or AREAS:
            if given.again:
                found = repeated(name, data["mutants"][name])
            else:
                found = measured(name, given.count or AREAS[name].count, given.seed)
            data["mutants"][name] = found
            path.write_text(json.dumps(data, indent=1) + "\n")
    survivors = {
        key_of(m) for ms in data["mutants"].values() for m in ms if m["outcome"] == running.SURVIVED
    }
    data["explained"] = {key: data["explained"].get(key, "") for key in sorted(survivors)}
    path.write_text(json.dumps(data, indent=1) + "\n")
    (DOCS / "mutation_testing.md").write_text(as_page(data))


if __name__ == "__main__":
    main()

"""Writes everything that is generated from the table: façades and the pages of the diagnostics."""

import runpy

GENERATORS = (
    "tools.generate_facades",
    "tools.generate_version_one",
    "tools.generate_graph_names",
    "tools.rule_pages",
    "tools.file_map",
)

if __name__ == "__main__":
    for generator in GENERATORS:
        runpy.run_module(generator, run_name="__main__")

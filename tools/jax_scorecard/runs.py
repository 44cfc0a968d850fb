"""Distribute functions over worker processes, and keep what they report."""

from __future__ import annotations

import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
from typing import Any

# A worker that reports nothing for so long is ended; each call has a shorter limit of its own.
SILENCE = 240.0
# A worker is replaced after so many functions: compiled programs fill its memory.
FUNCTIONS_PER_WORKER = 40


class Records:
    """The reports of earlier and current runs, in a file of one JSON object per line."""

    def __init__(self, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._path = folder / "cells.jsonl"
        self._lock = threading.Lock()
        lines = self._path.read_text().splitlines() if self._path.exists() else []
        self._cells: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._done: dict[tuple[str, str], int] = {}
        for line in lines:
            self._keep(json.loads(line))

    def _keep(self, report: dict[str, Any]) -> None:
        if "done" in report:
            for lane in report["lanes"]:
                self._done[report["done"], lane] = report["cases"]
        else:
            self._cells[report["function"], report["case"], report["lane"]] = report

    def add(self, report: dict[str, Any]) -> None:
        """Keep a report and write it."""
        with self._lock:
            self._keep(report)
            with self._path.open("a") as file:
                file.write(json.dumps(report) + "\n")

    def forget(self, names: list[str], lanes: list[str]) -> None:
        """Remove the reports of some functions in some lanes."""
        gone = set(names)
        self._cells = {k: c for k, c in self._cells.items() if not (k[0] in gone and k[2] in lanes)}
        self._done = {k: n for k, n in self._done.items() if not (k[0] in gone and k[1] in lanes)}
        done = [
            {"done": name, "cases": n, "lanes": [lane]} for (name, lane), n in self._done.items()
        ]
        lines = [json.dumps(x) + "\n" for x in [*self._cells.values(), *done]]
        self._path.write_text("".join(lines))

    def cells(self) -> list[dict[str, Any]]:
        """Return the reports of all cells."""
        return list(self._cells.values())

    def number_of_cases(self) -> dict[str, int]:
        """Return the number of cases of each function that was run."""
        return {name: n for (name, _), n in self._done.items()}

    def missing_lanes(self, name: str, lanes: list[str]) -> list[str]:
        """Return the lanes in which a function was not run to its end."""
        return [lane for lane in lanes if (name, lane) not in self._done]

    def known(self, name: str) -> list[list[str]]:
        """Return the cases and lanes of a function that have reports."""
        return [[case, lane] for function, case, lane in self._cells if function == name]


class _Worker:
    """A process that runs functions; it is replaced after a while and when it fails."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._served = 0

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
            environment["JAX_SCORECARD_CACHE"] = str(self._folder / "compiled")
            with (self._folder / "worker.log").open("a") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "tools.jax_scorecard.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    env=environment,
                )
            self._served = 0
        return self._process

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def serve(self, name: str, lanes: list[str], records: Records) -> bool:
        """Run a function; return whether the worker came to its end."""
        process = self._started()
        assert process.stdin
        assert process.stdout
        request = {"function": name, "lanes": lanes, "known": records.known(name)}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        at = [name, "the search for cases", "-"]
        while True:
            alarm = threading.Timer(SILENCE, process.kill)
            alarm.start()
            line = process.stdout.readline()
            alarm.cancel()
            report = json.loads(line) if line else {}
            if "at" in report:
                at = report["at"]
            elif "done" in report:
                records.add({**report, "lanes": lanes})
                self._served += 1
                if self._served >= FUNCTIONS_PER_WORKER:
                    self.stop()
                return True
            elif report:
                records.add(report)
            else:
                self.stop()
                function, case, lane = at
                records.add({"function": function, "case": case, "lane": lane, "state": "stopped"})
                return lane == "-"


def run(records: Records, names: list[str], lanes: list[str], processes: int) -> None:
    """Run functions in lanes on several processes, and record their cells."""
    jobs: queue.SimpleQueue[tuple[str, list[str]]] = queue.SimpleQueue()
    for name in names:
        missing = records.missing_lanes(name, lanes)
        if missing:
            jobs.put((name, missing))

    def work() -> None:
        worker = _Worker(records.folder)
        while True:
            try:
                name, missing = jobs.get_nowait()
            except queue.Empty:
                break
            while not worker.serve(name, missing, records):
                pass  # the cell at which it stopped is recorded: go on behind it
        worker.stop()

    threads = [threading.Thread(target=work) for _ in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

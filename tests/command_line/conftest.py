"""A folder to work in, and a way to run commands in it."""

import pytest
from click.testing import CliRunner

from tf2jax_port.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run():
    def invoke(*words, **options):
        return CliRunner().invoke(main, list(map(str, words)), catch_exceptions=False, **options)

    return invoke

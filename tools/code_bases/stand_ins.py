"""Let modules that are not installed do nothing: `sitecustomize` of a program that runs tests of a code base."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import sys
import types
from collections.abc import Sequence
from unittest import mock

VARIABLE = "CODE_BASES_STAND_INS"
HOOK = "from tools.code_bases import stand_ins\nstand_ins.install()\n"


class _StandIn(types.ModuleType):
    __path__: list[str] = []  # noqa: RUF012, as every package has it

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Class(name, (_Anything,), {}) if name[0].isupper() else mock.MagicMock(name=name)


class _Class(type):
    def __getattr__(cls, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return mock.MagicMock(name=name)


class _Anything(metaclass=_Class):
    """An object that takes all arguments, for classes that others inherit from."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        del args, kwargs


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for the modules that are stood in for."""
        del path, target
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return the module."""
        return _StandIn(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""


def install() -> None:
    """Stand in for the modules that the environment names, behind everything that is installed."""
    sys.meta_path.append(_Finder(json.loads(os.environ[VARIABLE])))

"""A second import name for this package: both names give the same module objects, so each class is unique."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

REAL = __name__.partition(".")[0]


class _Same(InspectLoader):
    """Loader that returns the module of the real name instead of creating a second one."""

    def __init__(self, spec: ModuleSpec) -> None:
        self.real = spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return importlib.import_module(self.real.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.real  # the import system has set the alias's spec

    def get_code(self, fullname: str) -> CodeType | None:  # `python -m` calls it
        assert isinstance(self.real.loader, InspectLoader)
        return self.real.loader.get_code(self.real.name)

    def get_source(self, fullname: str) -> str | None:
        assert isinstance(self.real.loader, InspectLoader)
        return self.real.loader.get_source(self.real.name)

    def is_package(self, fullname: str) -> bool:
        return self.real.submodule_search_locations is not None


class _Finder(MetaPathFinder):
    """Finds `alias.x` as the module `x` of this package."""

    def __init__(self, name: str) -> None:
        self.prefix = f"{name}."

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(self.prefix):
            return None
        real = importlib.util.find_spec(f"{REAL}.{name.removeprefix(self.prefix)}")
        return real and importlib.util.spec_from_loader(name, _Same(real), origin=real.origin)


def answer_to(name: str) -> None:
    """Make `name` and `name.x` aliases of this package and its modules."""
    sys.meta_path.insert(0, _Finder(name))
    sys.modules[name] = sys.modules[REAL]

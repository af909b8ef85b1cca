"""A world: a copy of each module of the kernel, in which functions find copies of each other in place of themselves.

What a copy of a function is, Python's or Numba's, says the subclass. Names are looked up where the copy was made, so nothing
needs to be passed along, and neither world slows the other one down.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from types import CellType, FunctionType, ModuleType
from typing import Any

from tidelog.local.kernel.tiers.forms import FORMS, Either, Entry, Form, Service

_COMPILED_MODULES = ("tidelog.local.kernel.", "tidelog.local.maintenance.backward_forward.", "tidelog.local.maintenance.ranked.")


class World(ABC):
    """Copies of modules, made when they are first needed."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}
        self._functions: dict[FunctionType, Any] = {}

    def twin(self, function: FunctionType) -> Any:
        """The copy of a function of the kernel."""
        if function not in self._functions:
            namespace = self._module(function.__module__).__dict__
            if function not in self._functions:  # unless its module has it as a name
                self._functions[function] = self._made(function, self._copy(function, namespace))
        return self._functions[function]

    @abstractmethod
    def _made(self, function: FunctionType, copy: FunctionType) -> Any:
        """What takes the place of a function, from a copy that finds this world."""

    @abstractmethod
    def _chosen(self, either: Either) -> Any:
        """The one of two texts that counts here."""

    def _instruction(self, function: FunctionType) -> Any:
        """What takes the place of an instruction."""
        return function

    def _named(self, value: Any) -> Any:
        """What takes the place of any other value."""
        return value

    def _resolved(self, value: Any) -> Any:
        match value:
            case Entry() | Service():
                return self.twin(value.function)
            case Either():
                return self._resolved(self._chosen(value))
            case FunctionType() if value in FORMS:
                return self._instruction(value) if FORMS[value] is Form.INSTRUCTION else self.twin(value)
            case ModuleType() if value.__name__.startswith(_COMPILED_MODULES):
                return self._module(value.__name__)
        return self._named(value)

    def _module(self, name: str) -> ModuleType:
        if name not in self._modules:
            self._modules[name] = module = ModuleType(name)
            for key, value in list(vars(sys.modules[name]).items()):
                module.__dict__[key] = self._resolved(value)
        return self._modules[name]

    def _copy(self, function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
        closure = tuple(CellType(self._resolved(cell.cell_contents)) for cell in function.__closure__ or ())
        copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure or None)
        copy.__module__, copy.__qualname__, copy.__doc__ = function.__module__, function.__qualname__, function.__doc__
        copy.__kwdefaults__ = function.__kwdefaults__
        return copy

"""Reads the index store of a debug build: which symbols the sources use, and where."""

import ctypes
import json
import pathlib
import subprocess
from typing import NamedTuple

# From indexstore.h of the toolchain.
RECORD = 2
DEFINITION, REFERENCE, IMPLICIT = 1 << 1, 1 << 2, 1 << 8


class Occurrence(NamedTuple):
    """A definition or a use of a symbol. The line and the column begin at 1, and the column counts bytes."""

    file: str
    line: int
    column: int
    usr: str
    name: str
    roles: int


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


HANDLE = ctypes.c_void_p
NAMES = ctypes.CFUNCTYPE(ctypes.c_bool, HANDLE, Text)
ITEMS = ctypes.CFUNCTYPE(ctypes.c_bool, HANDLE, HANDLE)


class IndexStore:
    """The store at a path. Its functions are those of the library of the toolchain."""

    def __init__(self, path):
        information = json.loads(subprocess.check_output(["swift", "-print-target-info"]))
        folder = pathlib.Path(information["paths"]["runtimeResourcePath"]).parent
        self.library = ctypes.CDLL(str(next(folder.glob("libIndexStore.*"))))
        self.handle = self.open("store_create", str(path).encode())

    def call(self, name, result, *arguments):
        function = getattr(self.library, f"indexstore_{name}")
        function.restype = result
        return function(*arguments)

    def open(self, name, *arguments):
        """Returns the handle of an object, or nil if the store cannot read it."""
        error = HANDLE()
        return HANDLE(self.call(name, HANDLE, *arguments, ctypes.byref(error)))

    def each(self, name, kind, *arguments):
        """Calls a function of the library that calls another one for each item."""

        def decorate(body):
            self.call(name, ctypes.c_bool, *arguments, HANDLE(), kind(lambda _, item: body(item) or True))

        return decorate

    def records(self):
        """Returns the source file of each record, as of the last build of that file."""
        units, records = [], {}
        self.each("store_units_apply_f", NAMES, self.handle, ctypes.c_uint(0))(lambda name: units.append(str(name)))
        for unit in units:
            reader = self.open("unit_reader_create", self.handle, unit.encode())

            @self.each("unit_reader_dependencies_apply_f", ITEMS, reader)
            def add(item):
                item = HANDLE(item)
                if self.call("unit_dependency_get_kind", ctypes.c_int, item) == RECORD:
                    path = str(self.call("unit_dependency_get_filepath", Text, item))
                    records[str(self.call("unit_dependency_get_name", Text, item))] = path

            self.call("unit_reader_dispose", None, reader)
        return records

    def occurrences(self, matches):
        """Returns the occurrences in the files whose path matches."""
        found = set()
        for record, file in self.records().items():
            if not matches(file):
                continue
            reader = self.open("record_reader_create", self.handle, record.encode())
            if not reader:
                continue

            @self.each("record_reader_occurrences_apply_f", ITEMS, reader)
            def add(item):
                found.add(self.occurrence(file, HANDLE(item)))

            self.call("record_reader_dispose", None, reader)
        return sorted(found)

    def occurrence(self, file, item):
        line, column = ctypes.c_uint(), ctypes.c_uint()
        self.call("occurrence_get_line_col", None, item, ctypes.byref(line), ctypes.byref(column))
        symbol = HANDLE(self.call("occurrence_get_symbol", HANDLE, item))
        roles = self.call("occurrence_get_roles", ctypes.c_uint64, item)
        usr, name = (str(self.call(f"symbol_get_{part}", Text, symbol)) for part in ("usr", "name"))
        return Occurrence(file, line.value, column.value, usr, name, roles)

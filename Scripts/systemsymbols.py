"""The availability of the symbols that other modules declare: since when Apple's platforms have them."""

import hashlib
import json
import pathlib
import re
import subprocess
from typing import NamedTuple

from swiftsource import version

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "Scripts" / "availability.txt"
DECLARATIONS = ROOT / "Checks" / "Tests" / "DocumentTests" / "Declarations"

# The modules of the toolchain whose symbol graphs state the availability on Apple's platforms, also on Linux.
STATED = ("Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Observation")
# Those that are others there. `availability.txt` has their symbols, under these names.
LISTED = {
    "Foundation": "Foundation",
    "FoundationEssentials": "Foundation",
    "Dispatch": "Dispatch",
    "Testing": "Testing",
    "XCTest": "XCTest",
}
# Those that Linux does not have, but only declarations of.
DECLARED = ("SwiftUI", "os")


class Symbol(NamedTuple):
    """A declaration; for a member, its path has the type, too. A platform without a version has always had it."""

    module: str
    path: str
    versions: dict


class SystemSymbols:
    """The symbols of other modules, from files in a folder that are made once for each toolchain."""

    def __init__(self, folder):
        toolchain = subprocess.check_output(["swift", "-print-target-info"], text=True)
        self.triple = json.loads(toolchain)["target"]["triple"]
        key = toolchain + "".join(file.read_text(encoding="utf-8") for file in sorted(DECLARATIONS.glob("*.swift")))
        self.folder = folder / hashlib.sha256(key.encode()).hexdigest()[:12]
        self.modules = self.folder / "modules"
        self.modules.mkdir(parents=True, exist_ok=True)
        for module in DECLARED:
            self.compile(module, [DECLARATIONS / f"{module}.swift"], "-emit-module")

    def compile(self, module, files, *options, folder=None):
        """Compiles files as a module, which can import the declared ones. Object files are written to the folder."""
        output = ["-emit-module-path", self.modules / f"{module}.swiftmodule"] if "-emit-module" in options else []
        common = ["-parse-as-library", "-swift-version", "6", "-module-name", module, "-I", self.modules]
        subprocess.run(["swiftc", *common, *options, *output, *files], check=True, cwd=folder)

    def by_identifier(self):
        symbols = {}
        for module in (*STATED, *LISTED, *DECLARED):
            for file in sorted(self.graphs(module).glob("*.json")):
                for symbol in json.loads(file.read_text(encoding="utf-8"))["symbols"]:
                    usr, path = symbol["identifier"]["precise"], ".".join(symbol["pathComponents"])
                    symbols.setdefault(usr, Symbol(LISTED.get(module, module), path, introduced(symbol)))
        return symbols

    def graphs(self, module):
        """Returns the folder with the symbol graphs of a module."""
        folder = self.folder / module
        if not folder.exists():
            unfinished = self.folder / f"{module}.unfinished"
            unfinished.mkdir(exist_ok=True)
            options = ["-module-name", module, "-target", self.triple, "-I", self.modules]
            options += ["-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", unfinished]
            subprocess.run(["swift", "symbolgraph-extract", *options], check=True)
            unfinished.rename(folder)
        return folder


def introduced(symbol):
    """Returns the first version of each platform that has a symbol of a graph."""
    versions = {}
    for entry in symbol.get("availability", []):
        if "introduced" in entry:
            versions[entry["domain"]] = version(".".join(str(number) for number in entry["introduced"].values()))
    return versions


def listed():
    """Returns the first versions of the symbols in `availability.txt`, by the module and the path."""
    found = {}
    for paragraph in LIST.read_text(encoding="utf-8").split("\n\n"):
        if paragraph.startswith("#"):
            continue
        head, *members, platforms, _ = paragraph.strip().splitlines()
        module, _, name = head.partition(" ")
        versions = {platform: version(number) for platform, number in re.findall(r"(\w+) ([\d.]+)", platforms)}
        if name and not name.endswith("."):
            found[module, name] = versions
        for member in " ".join(members).split():
            found[module, f"{name.rstrip('.')}.{member}" if name else member] = versions
    return found

"""Compiler options of the scripts that compile the library without the package manager."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "Sources" / "Injectle"
HEADER = ROOT / "Sources" / "CInjectle" / "include" / "CInjectle.h"
# The features of Package.swift.
FEATURES = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault"]


def options(folder):
    """Returns the options of the compiler, and writes a module map of CInjectle to `folder`, as the package manager does."""
    module_map = f'module CInjectle {{\n    header "{HEADER}"\n    export *\n}}\n'
    (folder / "module.modulemap").write_text(module_map)
    options = ["-swift-version", "6", "-package-name", "injectle", "-parse-as-library", "-I", str(folder)]
    options += ["-module-cache-path", str(folder / "cache")]
    for feature in FEATURES:
        options += ["-enable-upcoming-feature", feature]
    return options

"""What the compiler knows of the library: its symbol graph, which the other scripts read.

    python3 Scripts/symbolgraph.py FOLDER     copies what it knows of the public symbols into a folder, for docc
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = "Sources/Injectle/"


def graphs(access, *options):
    """The files with the symbol graphs of the target Injectle: its own, and those of what it adds to other modules.

    `access` is the least that a symbol has to have: `public` or `private`.
    """
    # Those of an older state of the sources would be found as well.
    for old in ROOT.glob(".build/*/symbolgraph"):
        shutil.rmtree(old)
    command = ["swift", "package", "dump-symbol-graph", "--minimum-access-level", access, *options]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = subprocess.run(command, cwd=ROOT, text=True, **streams)
    # Whether it succeeded says nothing: it also wants the graphs of test targets, which may not have been built.
    folder = re.search(r"^Files written to (.+)$", run.stdout, re.MULTILINE)
    folder = pathlib.Path(folder[1]) if folder else None
    if folder is None or not (folder / "Injectle.symbols.json").exists():
        sys.exit("There is no symbol graph:\n" + run.stdout)
    return [folder / "Injectle.symbols.json", *sorted(folder.glob("Injectle@*.symbols.json"))]


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def place(symbol):
    """The file in which a symbol is declared, from the folder of the sources, and the line, from 0."""
    location = symbol.get("location")
    if not location or SOURCES not in location["uri"]:
        return None, 0
    return location["uri"].rpartition(SOURCES)[2], location["position"]["line"]


def spelled(fragments):
    return "".join(fragment["spelling"] for fragment in fragments)


def is_public(symbol):
    return symbol["accessLevel"] in ("public", "open")


if __name__ == "__main__":
    # With what types have by the extensions of protocols, since that has pages, too.
    for graph in graphs("public"):
        shutil.copy(graph, sys.argv[1])

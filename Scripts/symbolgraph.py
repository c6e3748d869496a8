"""The symbol graph of the library, which other scripts read.

    python3 Scripts/symbolgraph.py FOLDER     copies the graphs of the public symbols into a folder for each documented
                                              module, for docc
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = "Sources/Injectle/"
# The modules with a catalog, and the options for their graphs. Without its option, a graph has no pages for extensions.
DOCUMENTED = {"Injectle": [], "InjectleDiagnostics": ["--emit-extension-block-symbols"]}


def graphs(access, *options, modules=("Injectle",)):
    """Returns the symbol graph files of targets: their own, and those of their extensions of other modules.

    `access` is the minimum access level: `public` or `private`.
    """
    # Graphs of an older state would be found as well.
    for old in ROOT.glob(".build/*/symbolgraph"):
        shutil.rmtree(old)
    command = ["swift", "package", "dump-symbol-graph", "--minimum-access-level", access, *options]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = subprocess.run(command, cwd=ROOT, text=True, **streams)
    # The exit code is no criterion: the command also needs the graphs of test targets, which may not have been built.
    folder = re.search(r"^Files written to (.+)$", run.stdout, re.MULTILINE)
    folder = pathlib.Path(folder[1]) if folder else None
    if folder is None or not (folder / "Injectle.symbols.json").exists():
        sys.exit("There is no symbol graph:\n" + run.stdout)
    return [
        file
        for module in modules
        for file in [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]
    ]


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def place(symbol, sources=SOURCES):
    """Returns the file that declares a symbol, relative to the sources, and the line, from 0."""
    location = symbol.get("location")
    if not location or sources not in location["uri"]:
        return None, 0
    return location["uri"].rpartition(sources)[2], location["position"]["line"]


def spelled(fragments):
    return "".join(fragment["spelling"] for fragment in fragments)


def is_public(symbol):
    return symbol["accessLevel"] in ("public", "open")


if __name__ == "__main__":
    # Including members from protocol extensions, which have pages, too.
    for module, options in DOCUMENTED.items():
        folder = pathlib.Path(sys.argv[1]) / module
        folder.mkdir(parents=True)
        for graph in graphs("public", *options, modules=(module,)):
            shutil.copy(graph, folder)

# SPDX-License-Identifier: MIT
"""What the package's libraries offer, read from the symbol graphs that the compiler writes. Used by scripts/docs and
scripts/public-api."""
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TYPES = {
    "swift.struct": "struct", "swift.class": "class", "swift.enum": "enum", "swift.protocol": "protocol",
    "swift.actor": "actor", "swift.typealias": "typealias", "swift.macro": "macro",
}


def libraries():
    """The names of the library products, each after those that it depends on, and the edges between them."""
    dumped = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    package = json.loads(dumped)
    edges = {
        target["name"]: [(d.get("byName") or d.get("target"))[0] for d in target["dependencies"]]
        for target in package["targets"]
    }
    names = [product["name"] for product in package["products"] if "library" in product["type"]]
    ordered = []

    def visit(name):
        for edge in edges[name]:
            visit(edge)
        if name in names and name not in ordered:
            ordered.append(name)

    for name in names:
        visit(name)
    return ordered, edges


def dump():
    """Writes the symbol graphs and returns their folder. Builds what is not built."""
    run = subprocess.run(
        ["swift", "package", "dump-symbol-graph", "--skip-synthesized-members", "--minimum-access-level", "public"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    return Path(re.search(r"^Files written to (.*)$", run.stdout, re.M)[1])


def graphs(folder, module):
    """The files that hold a module's symbols: its own, and its extensions of other modules."""
    return [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]


class Symbol:
    """One public symbol."""

    def __init__(self, entry):
        self.kind = entry["kind"]["identifier"]
        self.path = entry["pathComponents"]
        self.documented = bool(entry.get("docComment"))
        self.declaration = "".join(f["spelling"] for f in entry.get("declarationFragments", []))
        uri = entry.get("location", {}).get("uri", "")
        line = entry.get("location", {}).get("position", {}).get("line", -1) + 1
        self.place = f"{uri.removeprefix('file://').removeprefix(str(ROOT) + '/')}:{line}"


def symbols(folder, module):
    """A module's public symbols, in the order of their names."""
    found = []
    for file in graphs(folder, module):
        found += [Symbol(entry) for entry in json.loads(file.read_text())["symbols"]]
    return sorted(found, key=lambda symbol: (symbol.path, symbol.declaration))

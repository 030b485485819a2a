# SPDX-License-Identifier: MIT
"""The shell blocks of the documents.

Every fenced block that begins with ```bash or ```sh is run alone, in an empty directory with `wpexporter` on the PATH, and must
succeed. In ```console blocks, the lines that begin with `$ ` are checked. These comments on the preceding line, invisible on
the rendered page, change that:

    <!-- shell: root -->                runs as root, with its own /etc and /usr/local, in a directory like an unpacked release,
                                         after the other blocks of the page that have this mark; needs root and unshare(1)
    <!-- shell: systemd -->             as root, under a booted systemd: test_units.py runs it, after the root blocks
    <!-- shell: run with COMMAND -->     COMMAND, such as `wpexporter hub --port 8082`, runs at the same time; a free port replaces its port,
                                         also in the block
    <!-- shell: checked -->              is not run; each command of wpexporter in it must exist, with its flags
    <!-- shell: not run: WHY -->         is not run
"""

import re
from typing import NamedTuple

from .programs import ROOT

PAGES = ["README.md", *(f"docs/{name}.md" for name in (
    "installation", "systemd", "operations", "monitoring", "commands", "hub", "node", "sql", "history", "tls", "reverse-proxy"))]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>bash|sh|shell|console)\b[^\n]*\n(?P<code>.*?)^(?P=indent)```\s*$", re.M | re.S)
NOTE = re.compile(r"<!-- shell: (?P<note>(?:(?!-->).)*?)\s*-->[ \t]*\n\s*\Z", re.S)
MARK = re.compile(r"(?P<kind>run|root|systemd|checked|not run)(?: with (?P<command>.+)|: (?P<reason>.+))?", re.S)


class Block(NamedTuple):
    page: str
    line: int
    language: str
    code: str
    kind: str | None  # None for an unknown mark
    command: str | None
    reason: str | None

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks_of(page):
    text = (ROOT / page).read_text()
    for fence in FENCE.finditer(text):
        noted = NOTE.search(text[:fence.start()])
        mark = MARK.fullmatch(noted["note"] if noted else "run")
        code = re.sub(rf"^{fence['indent']}", "", fence["code"], flags=re.M)
        line = text.count("\n", 0, fence.start("code")) + 1
        yield Block(page, line, fence["language"], code, *(mark.group("kind", "command", "reason") if mark else (None,) * 3))

# SPDX-License-Identifier: MIT
"""Runs the shell blocks of the documents as a reader would; support/documents.py describes the markers of the blocks.
docs/commands.md must have a section for each command, listing the options of only this command."""

import os
import re
import shlex
import shutil

import pytest

from support.documents import PAGES, blocks_of
from support.programs import ROOT, execute
from support.web import get

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
SCRIPTS = [block for block in BLOCKS if block.language != "console"]
# /etc and /usr/local are copies that disappear with the namespace.
AS_ROOT = """
set -e
mkdir "$1/etc" "$1/local"
cp -a /etc/. "$1/etc/"
mount --bind "$1/etc" /etc
mount --bind "$1/local" /usr/local
mkdir -p /usr/local/bin /usr/local/share/man/man1
cd "$1/release"
exec bash -euo pipefail "$1/script"
"""
STRICT = ("bash", "-euo", "pipefail", "-c")

pytestmark = pytest.mark.needs("curl", "openssl", "util-linux")


def each(blocks):
    return pytest.mark.parametrize("block", blocks, ids=str)


@pytest.fixture
def reader(binary, tmp_path):
    """The command prefix for a reader's command: its own home directory, and wpexporter on the PATH."""
    path, home = tmp_path / "programs", tmp_path / "home"
    path.mkdir()
    home.mkdir()
    (path / "wpexporter").symlink_to(binary)
    return ["env", "-i", f"PATH={path}:/usr/sbin:/usr/bin:/sbin:/bin", f"HOME={home}", "LC_ALL=C.UTF-8", "LANG=C.UTF-8"]


@pytest.fixture
def empty(tmp_path):
    directory = tmp_path / "work"
    directory.mkdir()
    return directory


def test_all_blocks_have_known_marks_and_skipped_ones_a_reason():
    assert [str(block) for block in BLOCKS if block.kind is None or (block.kind == "not run" and not block.reason)] == []
    assert {"run", "root", "systemd", "checked", "not run"} == {block.kind for block in BLOCKS}


@pytest.mark.fast
def test_all_blocks_parse():
    for block in SCRIPTS:
        done = execute("bash", "-n", "-c", block.code)
        assert done.returncode == 0, f"{block}: {done.stderr}"


@each([block for block in SCRIPTS if block.kind == "run" and not block.command])
def test_a_block_succeeds_in_an_empty_directory(block, reader, empty):
    execute(*reader, *STRICT, block.code, cwd=empty, check=True)


@each([block for block in SCRIPTS if block.command])
def test_a_block_succeeds_while_its_command_runs(block, programs, reader, empty):
    written, port = re.search(r"--port (\d+)", block.command)[1], programs.port()
    service = programs.start("service", [*reader, *shlex.split(block.command.replace(written, str(port)))])
    service.wait_for("it serves", lambda: get(f"http://127.0.0.1:{port}/health").status)
    execute(*reader, *STRICT, re.sub(rf"\b{written}\b", str(port), block.code), cwd=empty, check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("page", sorted({block.page for block in SCRIPTS if block.kind == "root"}))
def test_root_blocks_succeed_in_order(page, reader, binary, tmp_path):
    release = tmp_path / "release"
    release.mkdir()
    shutil.copy(binary, release / "wpexporter")
    shutil.copytree(ROOT / "deploy", release / "deploy")
    shutil.copy(ROOT / "config.example.yaml", release / "config.yaml")
    (tmp_path / "script").write_text("\n".join(block.code for block in blocks_of(page) if block.kind == "root"))
    execute("unshare", "--mount", *reader, "bash", "-c", AS_ROOT, "bash", tmp_path, check=True)


def has_flag(text, flag):
    return re.search(rf"(?<![\w.-]){re.escape(flag)}(?![\w.-])", text.replace("--[no-]", "--"))


def commands(block):
    """The words of each wpexporter command in a block, without the program name."""
    lines = re.sub(r"\\\n", " ", block.code).splitlines()
    if block.language == "console":
        lines = [line[2:] for line in block.code.splitlines() if line.startswith("$ ")]
    for line in lines:
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # a component of a multi-line string
            continue
        for index, word in enumerate(words[:-1]):
            if word in ("wpexporter", "$binary"):
                rest = words[index + 1:]
                yield rest[:next((at for at, one in enumerate(rest) if one in ("|", ";", "&&", ">", "&")), len(rest))]


@each([block for block in BLOCKS if block.kind == "checked" or block.language == "console"])
def test_commands_in_blocks_exist_with_their_flags(block, wpexporter):
    for words in commands(block):
        name = [word for word in words[:1] if re.fullmatch(r"[a-z-]+", word) and not word.startswith("-")]
        shown = wpexporter(*name, "--help", check=True).stdout
        flags = [word.split("=")[0] for word in words if word.startswith("--")]
        assert [flag for flag in flags if not has_flag(shown, flag)] == [], words


def test_the_command_page_lists_each_command_with_its_own_options(wpexporter):
    text = (ROOT / "docs/commands.md").read_text()
    sections = dict(re.findall(r"^## ([a-z-]+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    names = re.findall(r"^  ([a-z-]+)  +[A-Z]", wpexporter("help", check=True).stdout, re.M)
    assert sections.keys() == set(names)
    for name in names:
        shown = wpexporter(name, "--help", check=True).stdout
        own = re.search(r"^Options:\n(.*?)(?:\n\n|\Z)", shown, re.M | re.S)
        existing = set(re.findall(r"^  (--[a-z.-]+)", own[1] if own else "", re.M))
        named = set(re.findall(r"`(--[a-z.-]+)", sections[name]))
        assert existing - named == set(), f"the section {name} lacks these options"
        assert {flag for flag in named if not has_flag(shown, flag)} == set(), f"`wpexporter {name}` does not have these options"

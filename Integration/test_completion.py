# SPDX-License-Identifier: MIT
"""Completion in real bash, zsh and fish, and the manual page checked by mandoc and groff."""

import os
import pty
import re
import select

import pytest

from support.programs import execute
from support.waiting import wait_for

SHELLS = ["bash", "zsh", "fish"]
# The exact completions that each shell must offer for a line.
EXACT = [
    ("wpexporter ser", ["server"]),
    ("wpexporter server --winpower.u", ["--winpower.url", "--winpower.username"]),
    ("wpexporter server --no-sk", ["--no-skip-ssl-verify"]),
    ("wpexporter server --log-level ", ["debug", "error", "info", "warn"]),
    ("wpexporter server --log-level=de", ["debug"]),
    ("wpexporter check-config --config conf", ["config.yaml"]),
    ("wpexporter check-config --config=conf", ["config.yaml"]),
    ("wpexporter simulate --scenario on", ["on-battery"]),
    ("wpexporter watch --format ", ["json", "lines", "screen"]),
    ("wpexporter watch --interval 5s --form", ["--format"]),
    ("wpexporter energy ", ["adopt", "export", "import", "list", "move", "remove", "reset", "set", "show"]),
    ("wpexporter energy import back", ["backup.json"]),
    ("wpexporter completion ", ["bash", "fish", "zsh"]),
    ("wpexporter help wat", ["watch"]),
    ("wpexporter server --winpower.proxy ", ["environment", "none"]),
    ("wpexporter devices --log-l", []),
    ("wpexporter server --port ", []),
    ("wpexporter nonsense --c", []),
]

pytestmark = pytest.mark.needs("bash-completion", "fish", "groff-base", "mandoc", "zsh")


class Bash:
    """Calls the completion function as bash does, with the words as bash splits them."""

    def __init__(self, directory, script):
        self.directory, self.script = directory, script

    def complete(self, line):
        words = [part for word in line.split(" ") for part in (re.split("(=)", word) if word.startswith("--") else [word])]
        words = [word for word in words[:-1] if word] + ([words[-1]] if words[-1] or len(words) < 2 or words[-2] != "=" else [])
        if line.endswith(" ") and words[-1] != "":
            words.append("")
        program = (
            f"set -u; source {self.script}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _wpexporter; "
            "((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"; true"
        )
        done = execute("bash", "--norc", "-c", program, "bash", *words, cwd=self.directory)
        assert done.stderr == ""
        return done.stdout.split()

    def close(self):
        pass


class Fish:
    """Requests completions from fish."""

    def __init__(self, directory, script):
        self.directory, self.script = directory, script

    def complete(self, line):
        home = {"HOME": str(self.directory), "XDG_CONFIG_HOME": str(self.directory / "fish")}
        done = execute("fish", "--no-config", "-c", f"source {self.script}; complete -C '{line}'", cwd=self.directory,
                       environment=home)
        assert done.stderr == ""
        return [entry.split("\t")[0].rsplit("=", 1)[-1] for entry in done.stdout.splitlines()]

    def close(self):
        pass


class Zsh:
    """Presses Tab in an interactive zsh and captures the completions."""

    def __init__(self, directory, *setup):
        self.output = directory / "zsh.output"
        self.output.write_text("")
        self.turn = 0
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(directory)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "HOME": str(directory)})
        self.pid = pid
        self.enter("PS1='> '; bindkey -e; unsetopt beep; LISTMAX=10000; turn=0")
        # Only the running line editor handles Ctrl-U and Tab.
        self.enter(f"zle-line-init() {{ print -r -- turn $turn >> {self.output} }}; zle -N zle-line-init")
        for line in setup:
            self.enter(line)
        # Completions that are only sorted or counted (-A, -D, -O) are not offered.
        self.enter(
            "compadd() { local -a offered; "
            "if [[ -z ${(M)@:#-[ADO]*} ]]; then builtin compadd -A offered \"$@\"; "
            f"print -rl -- $offered >> {self.output}; fi; builtin compadd \"$@\" }}"
        )
        self.wait()

    def enter(self, text):
        os.write(self.terminal, (text + "\n").encode())

    def drain(self):
        """Reads the terminal's output, so that its buffer does not fill up."""
        while select.select([self.terminal], [], [], 0)[0]:
            os.read(self.terminal, 65536)

    def wait(self):
        """Waits until the shell has processed all input."""
        self.turn += 1
        mark = f"turn {self.turn}"
        os.write(self.terminal, f"\x15turn={self.turn}\n".encode())

        def answered():
            self.drain()
            return mark in self.output.read_text().splitlines()

        wait_for("zsh answers", answered)

    def complete(self, line):
        self.output.write_text("")
        os.write(self.terminal, line.encode() + b"\t")
        self.wait()
        return [word for word in self.output.read_text().splitlines() if word and not word.startswith("turn ")]

    def close(self):
        os.write(self.terminal, b"\x15exit\n")

        def ended():
            try:
                self.drain()
            except OSError:
                pass  # It has closed the terminal.
            return os.waitpid(self.pid, os.WNOHANG) != (0, 0)

        wait_for("zsh ends", ended)
        os.close(self.terminal)


@pytest.fixture(scope="module")
def scripts(shared_programs):
    """The completion scripts of wpexporter, in a directory with files to complete."""
    directory = shared_programs.directory
    (directory / "config.yaml").write_text("")
    (directory / "backup.json").write_text("")
    for name in SHELLS:
        done = shared_programs.run("completion", name, check=True)
        assert done.stderr == ""
        (directory / f"completion.{name}").write_text(done.stdout)
    return directory


@pytest.fixture(scope="module", params=SHELLS)
def shell(request, scripts):
    script = scripts / f"completion.{request.param}"
    shell = {
        "bash": lambda: Bash(scripts, script),
        "fish": lambda: Fish(scripts, script),
        "zsh": lambda: Zsh(scripts, "autoload -Uz compinit; compinit -u -D", f"source {script}"),
    }[request.param]()
    yield shell
    shell.close()


@pytest.fixture(scope="module")
def options(shared_programs):
    """{command: the options in its help}"""
    found = {}
    for command in re.findall(r"^  ([a-z-]+)  ", shared_programs.run("--help", check=True).stdout, re.M):
        found[command] = set()
        text = shared_programs.run(command, "--help", check=True).stdout
        for match in re.finditer(r"^  (?:-h, )?--(\[no-\])?(\S+)", text, re.M):
            found[command].add("--" + match.group(2))
            if match.group(1):
                found[command].add("--no-" + match.group(2))
        assert "--help" in found[command]
    assert {"server", "devices", "watch", "completion", "man"} <= found.keys()
    return found


def test_an_unknown_shell_has_exit_status_2(wpexporter):
    assert wpexporter("completion", "tcsh").returncode == 2


def test_a_shell_completes_every_command_and_every_option(shell, options):
    assert options.keys() <= set(shell.complete("wpexporter "))
    for command, expected in options.items():
        assert set(shell.complete(f"wpexporter {command} --")) == expected, command


@pytest.mark.parametrize("line, expected", EXACT, ids=[line for line, _ in EXACT])
def test_a_shell_completes_a_line(shell, line, expected):
    assert sorted(set(shell.complete(line))) == expected


def test_zsh_finds_the_script_in_its_fpath(scripts, tmp_path):
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "_wpexporter").write_text((scripts / "completion.zsh").read_text())
    zsh = Zsh(tmp_path, f"fpath+=({tmp_path}/functions)", "autoload -Uz compinit; compinit -u -D")
    try:
        assert zsh.complete("wpexporter ser") == ["server"]
    finally:
        zsh.close()


def test_bash_completion_finds_the_script_in_its_directory(scripts, tmp_path):
    data = tmp_path / "bash-completion" / "completions"
    data.mkdir(parents=True)
    (data / "wpexporter").write_text((scripts / "completion.bash").read_text())
    ask = "source /usr/share/bash-completion/bash_completion; _completion_loader wpexporter; complete -p wpexporter"
    done = execute("bash", "--norc", "-c", ask, environment={"XDG_DATA_HOME": str(tmp_path)})
    assert "-F _wpexporter" in done.stdout, done.stderr


@pytest.fixture
def manual(wpexporter, tmp_path):
    path = tmp_path / "wpexporter.1"
    path.write_text(wpexporter("man", check=True).stdout)
    return path


@pytest.mark.parametrize("command", ["mandoc -T lint -W style", "groff -ww -mdoc -T utf8 -z"])
def test_the_manual_page_is_valid(manual, command):
    done = execute(*command.split(), manual)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_manual_page_shows_every_command_and_every_option(manual, options):
    text = re.sub(".\b", "", execute("mandoc", "-T", "ascii", manual, check=True).stdout)
    words = " ".join(text.split())
    for command, expected in options.items():
        assert f"wpexporter {command} [options]" in words
        for option in expected - {"--help"}:
            name = re.sub("^--(no-)?", "", option)
            assert f"--{name}" in text or f"--[no-]{name}" in text, option

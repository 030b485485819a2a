# SPDX-License-Identifier: MIT
"""Shared code of the benchmarks: checks for other load on the machine, and starts programs that end with the benchmark.

Run as a program, it only checks, and exits with status 1 if the machine is busy. WP_BENCH_ANYWAY=1 measures regardless, with a
note in the report.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

ANYWAY = os.environ.get("WP_BENCH_ANYWAY", "") not in ("", "0")
LIMIT = 0.1  # maximum number of processors that other programs may use
LOOK = 3.0  # seconds of observation before the first measurement


def busy_seconds():
    """The busy time of all processors since boot, including time stolen by other virtual machines."""
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def processor_seconds(pid):
    """User and system time of a process, including exited threads, in seconds, from its CPU clock
    (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)


def options(description):
    """A command-line parser whose help is the program's docstring."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


class Program:
    """The name, the parent and the processor time in seconds of a process, from /proc."""

    def __init__(self, stat):
        self.name, rest = stat.split("(", 1)[1].rsplit(")", 1)
        fields = rest.split()
        self.parent = int(fields[1])
        self.seconds = sum(int(field) for field in fields[11:13]) / os.sysconf("SC_CLK_TCK")


def programs():
    """All processes by PID."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                found[int(folder.name)] = Program(folder.joinpath("stat").read_text())
    return found


def is_own(pid, found):
    """Whether a process is this one or a descendant."""
    while pid in found:
        if pid == os.getpid():
            return True
        pid = found[pid].parent
    return False


def family(roots):
    """The PIDs of those of these processes and their descendants that are running."""
    found = programs()
    own = set(roots)
    while True:
        more = {pid for pid, program in found.items() if program.parent in own} - own
        if not more:
            return own & found.keys()
        own |= more


def family_seconds(roots):
    """The processor time of a process tree, including exited members, in clock ticks."""
    total = 0.0
    for pid in family(roots):
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return total


class Quiet:
    """Reports whether the machine was busy. The benchmark and its processes do not count: a peer may free memory
    after a request."""

    def __init__(self):
        self.worst = 0.0

    def look(self, seconds=LOOK):
        """Monitors the machine and aborts the benchmark if it is busy, unless WP_BENCH_ANYWAY is set."""
        before, busy, began = programs(), busy_seconds(), time.monotonic()
        time.sleep(seconds)
        busy, elapsed, after = busy_seconds() - busy, time.monotonic() - began, programs()
        used = {pid: program.seconds - (before[pid].seconds if pid in before else 0) for pid, program in after.items()}
        others = {pid: time for pid, time in used.items() if not is_own(pid, after)}
        share = max(0.0, busy - sum(used.values()) + sum(others.values())) / elapsed
        self.worst = max(self.worst, share)
        if share <= LIMIT or ANYWAY:
            return
        most = sorted(others.items(), key=lambda item: -item[1])[:3]
        names = ", ".join(f"{after[pid].name} ({pid})" for pid, time in most if time > 0) or "short-lived programs"
        sys.exit(
            f"Other programs take {share:.2f} of a processor, at most {LIMIT} is allowed: {names}.\n"
            "No figures are reported. End them, or set WP_BENCH_ANYWAY=1 to measure all the same."
        )

    def note(self):
        """The line of the report about other load."""
        if self.worst > LIMIT:
            return f"**Not on a quiet machine:** other programs took up to {self.worst:.2f} of a processor."
        return f"Other programs took at most {self.worst:.2f} of a processor."


def start(stack, arguments, **options):
    """Starts a program. Closing the stack ends it and its descendants."""
    program = subprocess.Popen([str(argument) for argument in arguments], start_new_session=True, **options)

    def end():
        # A process group exists as long as any of its processes, such as a worker that outlives its master.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()

    stack.callback(end)
    return program


@contextlib.contextmanager
def only(process, others):
    """Stops the process groups of these processes, except that of `process`, within the context."""
    kept = os.getpgid(process)
    stopped = {os.getpgid(other) for other in others} - {kept}
    for group in stopped:
        os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        for group in stopped:
            os.killpg(group, signal.SIGCONT)


if __name__ == "__main__":
    quiet = Quiet()
    quiet.look()
    print(quiet.note())

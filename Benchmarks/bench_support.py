# SPDX-License-Identifier: MIT
"""What the benchmarks share: a look at what else the machine does, and programs that end with the benchmark.

Run as a program it only takes the look: exit status 1 when something else runs. WP_BENCH_ANYWAY=1 has everything measured
all the same, with a note beside the figures.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

ANYWAY = os.environ.get("WP_BENCH_ANYWAY", "") not in ("", "0")
LIMIT = 0.1  # of one processor, which all other programs together may take
LOOK = 3.0  # seconds of the look before the first figure


def busy_seconds():
    """Time that all processors together have not been idle since the system started; what other virtual machines took
    counts too."""
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def programs():
    """Seconds of processor time by process, with its name."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                name, fields = folder.joinpath("stat").read_text().split("(", 1)[1].rsplit(")", 1)
                ticks = sum(int(field) for field in fields.split()[11:13])
                found[int(folder.name)] = (ticks / os.sysconf("SC_CLK_TCK"), name)
    return found


class Quiet:
    """Says whether the machine did anything else. Look only while the benchmark's own programs are idle."""

    def __init__(self):
        self.worst = 0.0

    def look(self, seconds=LOOK):
        """Watches the machine, and ends the benchmark if it is busy, unless WP_BENCH_ANYWAY is set."""
        before, busy, began = programs(), busy_seconds(), time.monotonic()
        time.sleep(seconds)
        share = (busy_seconds() - busy) / (time.monotonic() - began)
        self.worst = max(self.worst, share)
        if share <= LIMIT or ANYWAY:
            return
        after = programs()
        used = {pid: (time - before.get(pid, (0, ""))[0], name) for pid, (time, name) in after.items() if pid != os.getpid()}
        most = sorted(used.items(), key=lambda item: -item[1][0])[:3]
        names = ", ".join(f"{name} ({pid})" for pid, (time, name) in most if time > 0) or "short-lived programs"
        sys.exit(
            f"Other programs take {share:.2f} of a processor, at most {LIMIT} is allowed: {names}.\n"
            "No figures are reported. End them, or set WP_BENCH_ANYWAY=1 to measure all the same."
        )

    def note(self):
        """A line for the report."""
        if self.worst > LIMIT:
            return f"**Not on a quiet machine:** other programs took up to {self.worst:.2f} of a processor."
        return f"Other programs took at most {self.worst:.2f} of a processor."


def start(stack, arguments, **options):
    """Starts a program that ends with the stack, together with all that it starts itself."""
    program = subprocess.Popen([str(argument) for argument in arguments], start_new_session=True, **options)

    def end():
        # Its group lives as long as any process of it does, such as a worker that outlives its master.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()

    stack.callback(end)
    return program


if __name__ == "__main__":
    quiet = Quiet()
    quiet.look()
    print(quiet.note())

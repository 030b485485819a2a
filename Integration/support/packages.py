# SPDX-License-Identifier: MIT
import contextlib
import fcntl
import shutil
import subprocess
import tempfile

from .programs import ROOT


def missing(packages):
    """The packages that are not installed; all of them without dpkg."""
    if not packages or not shutil.which("dpkg-query"):
        return sorted(packages)
    # dpkg's database may lack some of the packages, so the exit status is not checked.
    found = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${Status}\n", *packages], capture_output=True, text=True).stdout
    installed = {line.split()[0] for line in found.splitlines() if line.endswith(" ok installed")}
    return sorted(set(packages) - installed)


def install(packages):
    """Installs missing packages, one process at a time."""
    with machine_lock("packages"):
        if missing(packages):
            subprocess.run([ROOT / "scripts" / "setup", *sorted(packages)], check=True)


@contextlib.contextmanager
def machine_lock(name):
    """A lock against other processes on this machine."""
    with open(f"{tempfile.gettempdir()}/wpexporter-integration-{name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

# SPDX-License-Identifier: MIT
"""Small Debian root directories created by debootstrap, packages for them, and machines that systemd-nspawn boots
from them."""

import contextlib
import os
import pathlib
import shutil

from .packages import machine_lock
from .programs import ROOT, execute
from .waiting import GaveUp

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
WITH_SYSTEMD = ("units", "curl", "dbus", "libpq5", "systemd", "systemd-sysv")
MOUNT_PROC = 'mount -t proc proc "$0/proc" && exec chroot --userspec="$1" "$0" "${@:2}"'


def copy_root(target, *name_and_packages):
    """Copies the root created by Integration/support/debian-root, which runs once per machine."""
    with machine_lock("debian-root"):
        done = execute(ROOT / "Integration/support/debian-root", *name_and_packages, timeout=900, check=True)
    execute("cp", "-a", done.stdout.strip().splitlines()[-1], target, timeout=300, check=True)
    return target


def build_package(directory, binary, *version, compressor="none"):
    """Packs a .deb into a directory."""
    with machine_lock("debian-package"):
        done = execute(ROOT / "deploy/debian/build", *version, timeout=300, check=True,
                       environment={"WP_BINARY": str(binary), "DPKG_DEB_COMPRESSOR_TYPE": compressor})
        return pathlib.Path(shutil.move(ROOT / done.stdout.strip().splitlines()[-1], directory))


def enter_command(root, account="0:0"):
    """The command prefix that runs a program in a root directory with its own /proc, which is unmounted afterwards."""
    return ["unshare", "--mount", "bash", "-c", MOUNT_PROC, root, account]


class CannotBoot(Exception):
    pass


# Runs a command in control groups of its own, so that machines that run at the same time do not share units.
IN_OWN_GROUPS = """
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
    if [ -e "$hierarchy/cgroup.procs" ]; then
        mkdir "$hierarchy/wpexporter-$$" && echo $$ >"$hierarchy/wpexporter-$$/cgroup.procs"
    fi
done
exec "$@"
"""


def remove_groups(pid):
    for hierarchy in ("", "systemd", "unified"):
        top = pathlib.Path("/sys/fs/cgroup", hierarchy, f"wpexporter-{pid}")
        for path in sorted(top.glob("**/"), reverse=True):
            # The kernel may still be removing the last process.
            with contextlib.suppress(OSError):
                path.rmdir()


class Machine:
    """A Debian system booted by systemd-nspawn, in the network namespace of the host. `pid` is the PID of its
    init on the host."""

    def __init__(self, programs, root):
        self.pid = None
        self.process = programs.start("nspawn", [
            "sh", "-c", IN_OWN_GROUPS, "sh", "systemd-nspawn", "--quiet", f"--directory={root}", "--boot", "--register=no", "--keep-unit", "--console=pipe",
            "--resolv-conf=off", "--timezone=off", "--system-call-filter=adjtimex clock_adjtime"])

        def is_up():
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
            self.pid = int(children.read_text().split()[0])
            return self.inside("systemctl", "is-system-running", check=False).strip() in ("running", "degraded")

        try:
            self.process.wait_for("systemd has started everything", is_up)
        except GaveUp as error:
            raise CannotBoot(error)
        except BaseException:
            self.stop()
            raise

    @property
    def enter(self):
        """The command prefix that runs a program in the machine."""
        return ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd"]

    def inside(self, *command, check=True):
        return execute(*self.enter, "env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8", "SYSTEMD_PAGER=", *command, check=check,
                       timeout=120).stdout

    def stop(self):
        if self.process.is_running and self.pid:
            # Immediately: nothing in the machine needs an orderly shutdown.
            self.inside("systemctl", "--force", "--force", "poweroff", check=False)
            with contextlib.suppress(AssertionError):
                self.process.wait(timeout=20)
        self.process.kill()
        remove_groups(self.process.pid)

    def show(self, unit, *properties):
        """Properties of a unit, from systemctl show."""
        text = self.inside("systemctl", "show", unit, *(f"--property={name}" for name in properties))
        return dict(line.split("=", 1) for line in text.splitlines())

    def explain_failure(self, unit):
        """Why a unit failed. The journal does not attribute lines of short-lived processes to the unit, so this
        includes the program's lines."""
        status = self.inside("systemctl", "status", "--full", "--lines=40", unit, check=False)
        return status + self.inside("journalctl", "--identifier=wpexporter", "--lines=10", "--output=cat", check=False)


def write(root, path, text, mode=0o644, group=0):
    target = root / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    os.chown(target, 0, group)
    target.chmod(mode)


def remove(root):
    shutil.rmtree(root, ignore_errors=True)

# SPDX-License-Identifier: MIT
"""The skips that the gate (WP_GATE=1) permits. Any other skip makes the gate fail, because a test that never runs
finds nothing."""

import pytest

# The beginnings of permitted reasons. Each stands for something that a machine may lack and that no package provides.
PERMITTED = (
    "needs root",
    "this machine has no ::1",
    "FUSE cannot be used here",
    "no file system can be mounted here",
    "no name server or namespace can be created here",
    "systemd-nspawn cannot boot a container here",
    "node-mixin cannot be fetched",  # without access to GitHub; WP_NODE_MIXIN can name a copy
    "set WP_WHOLE_IMAGE=1",  # compiles for many minutes
)


class Skips:
    """A pytest plugin that collects the skips of a run and fails it if one of them is not permitted. Belongs to the
    process that reports, not to the workers."""

    def __init__(self):
        self.tests = {}  # by reason

    def pytest_runtest_logreport(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            _, _, reason = report.longrepr
            self.tests.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)

    def rejected(self):
        return [reason for reason in self.tests if not reason.startswith(PERMITTED)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        if self.rejected() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        rejected = self.rejected()
        for title, reasons, color in (
            ("skipped, as permitted in support/skips.py", [reason for reason in self.tests if reason not in rejected], "yellow"),
            ("FAILED: skipped although the gate needs them", rejected, "red"),
        ):
            if reasons:
                terminalreporter.section(title, **{color: True})
            for reason in reasons:
                terminalreporter.line(f"{reason}: {len(self.tests[reason])} tests")
                for test in self.tests[reason]:
                    terminalreporter.line(f"    {test}")

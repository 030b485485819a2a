# SPDX-License-Identifier: MIT
import http.client
import statistics
import time

DEADLINE = 60  # seconds; only failures take this long
INTERVAL = 0.05


class GaveUp(AssertionError):
    """Raised by a probe to end the wait if the condition can no longer become true."""


def wait_for(what, probe, deadline=DEADLINE):
    """Repeats a probe until its result is true, and returns the result. Fails with the last result or error after the
    deadline."""
    end = time.monotonic() + deadline
    while True:
        try:
            last = probe()
            if last:
                return last
        except GaveUp:
            raise
        except (OSError, http.client.HTTPException, LookupError, StopIteration, ValueError, AssertionError) as error:
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} s: {what}; last: {last!r}")
        time.sleep(INTERVAL)


def median_seconds(action, count=20):
    """The median duration of an action, on which other load on the machine has less effect than on single durations."""
    times = []
    for _ in range(count):
        began = time.monotonic()
        action()
        times.append(time.monotonic() - began)
    return statistics.median(times)

# SPDX-License-Identifier: MIT
import json
import urllib.error
import urllib.request
from typing import NamedTuple


class Reply(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)


def send(url, method="GET", body=None, headers=None, timeout=10, context=None):
    """The response, whatever its status. Sends strings and bytes as they are, anything else as JSON."""
    if body is not None and not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    if isinstance(body, str):
        body = body.encode()
    request = urllib.request.Request(url, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout, context=context) as reply:
            return Reply(reply.status, dict(reply.headers), reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, dict(error.headers), error.read())


def get(url, timeout=10, **headers):
    return send(url, headers=headers, timeout=timeout)


def samples(exposition):
    """{series: value} of a text exposition; a series is written as in the exposition, `name` or
    `name{label="value"}`."""
    found = {}
    for line in exposition.splitlines():
        if line and not line.startswith("#"):
            series, value = line.rsplit(" ", 1)
            found[series] = float(value)
    return found

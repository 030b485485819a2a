# SPDX-License-Identifier: MIT
import re
import urllib.parse

from .waiting import wait_for
from .web import get


class Queries:
    """The API of Prometheus or of a compatible program."""

    def __init__(self, url):
        self.url = url

    def query(self, expression):
        """The result of an instant query: a list of {"metric": labels, "value": [time, string]}."""
        reply = get(f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        assert reply.status == 200, reply.text
        return reply.json()["data"]["result"]

    def number(self, expression):
        """The first value of an instant query. Raises IndexError if there is none, on which `wait_for` retries."""
        return float(self.query(expression)[0]["value"][1])

    def label_values(self, label, metric):
        query = urllib.parse.urlencode({"match[]": metric})
        return get(f"{self.url}/api/v1/label/{label}/values?{query}").json()["data"]


class Prometheus(Queries):
    """A Prometheus whose prometheus.yml contains this string."""

    def __init__(self, programs, config, name="prometheus", arguments=()):
        path = programs.directory / f"{name}.yml"
        path.write_text(config)
        self.program = programs.start(name, [
            "prometheus", f"--config.file={path}", f"--storage.tsdb.path={name}-data", "--web.listen-address=127.0.0.1:0",
            *arguments,
        ])
        super().__init__("http://" + listening_address(self.program))
        wait_for("Prometheus is ready", lambda: get(self.url + "/-/ready").status == 200)

    def stop(self):
        return self.program.stop()


class Pushgateway:
    def __init__(self, programs, *arguments, path=""):
        self.program = programs.start("pushgateway", [
            "prometheus-pushgateway", "--web.listen-address=127.0.0.1:0", "--persistence.file=",
            *([f"--web.route-prefix={path}"] if path else []), *arguments,
        ])
        self.url = f"http://{listening_address(self.program)}{path}"

    def stop(self):
        return self.program.stop()


def listening_address(program):
    """The address that a program of the Prometheus project logs."""
    return program.wait_for(f"{program.name} listens", lambda: re.search(r'msg="Listening on" address=(\S+)', program.text()))[1]

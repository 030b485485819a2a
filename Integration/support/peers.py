# SPDX-License-Identifier: MIT
"""Simple peers of the monitoring stack: a webhook, a mail server, and a server of recorded expositions."""

import http.server
import json
import socketserver
import threading
import time


class Webhook:
    """Records the alerts that Alertmanager posts."""

    def __init__(self):
        self.alerts, owner = [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                owner.alerts += json.loads(body)["alerts"]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alerts"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def find(self, status, **labels):
        return [alert for alert in list(self.alerts) if alert["status"] == status and labels.items() <= alert["labels"].items()]


class MailServer:
    """Accepts every message; implements only the required part of SMTP (RFC 5321)."""

    def __init__(self):
        self.messages, owner = [], self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.wfile.write(b"220 ready\r\n")
                while line := self.rfile.readline():
                    verb = line.split(b" ", 1)[0].strip().upper()
                    if verb == b"DATA":
                        self.wfile.write(b"354 go on\r\n")
                        lines = []
                        while (text := self.rfile.readline()) not in (b".\r\n", b""):
                            lines.append(text.decode("utf-8", "replace"))
                        owner.messages.append("".join(lines))
                    self.wfile.write(b"221 bye\r\n" if verb == b"QUIT" else b"250 ok\r\n")
                    if verb == b"QUIT":
                        return

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Recorded:
    """Serves an exposition from a file and increases its counters by a thousandth per second."""

    def __init__(self, path):
        text, started = path.read_text(), time.monotonic()

        def exposition():
            grown, counter = [], False
            for line in text.splitlines():
                if line.startswith("# TYPE"):
                    counter = line.endswith(" counter")
                elif counter and not line.startswith("#"):
                    series, value = line.rsplit(" ", 1)
                    line = f"{series} {float(value) * (1 + (time.monotonic() - started) / 1000)}"
                grown.append(line)
            return "\n".join(grown) + "\n"

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = exposition().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.target = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

# SPDX-License-Identifier: MIT
import socket


class Ports:
    """Free ports on loopback, for programs that cannot pick and report one."""

    def __init__(self):
        self.holders = []

    def pick(self):
        """A port reserved until `close`: bound, but not listening. A program that sets SO_REUSEADDR, as servers do,
        can listen on it, even again after a restart."""
        holder = socket.socket()
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        self.holders.append(holder)
        return holder.getsockname()[1]

    def close(self):
        for holder in self.holders:
            holder.close()
        self.holders = []

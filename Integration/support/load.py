# SPDX-License-Identifier: MIT
"""Keeps a processor, a disk, the loopback interface or memory busy, depending on the argument, until killed."""

import os
import socket
import sys
import threading
import time


def spin(busy, idle):
    while True:
        end = time.perf_counter() + busy
        while time.perf_counter() < end:
            pass
        time.sleep(idle)


def write():
    while True:
        file = os.open("load", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for _ in range(8):
            os.write(file, bytes(1 << 20))
        os.fsync(file)
        os.close(file)
        time.sleep(0.05)


def talk():
    sender = socket.create_server(("127.0.0.1", 0))
    with socket.create_connection(sender.getsockname()) as connection:
        receiver, _ = sender.accept()

        def drain():
            while receiver.recv(65536):
                pass

        threading.Thread(target=drain, daemon=True).start()
        while True:
            connection.sendall(bytes(100_000))
            time.sleep(0.005)


def hoard():
    block = bytearray(300 << 20)
    open("hoarded", "w").close()
    threading.Event().wait()
    return block


KINDS = {"greedy": lambda: spin(1, 0.001), "modest": lambda: spin(0.01, 0.04), "writer": write, "talker": talk, "hoarder": hoard}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()

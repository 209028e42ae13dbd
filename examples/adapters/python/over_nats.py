#!/usr/bin/env python3
"""Requests and replies through a NATS server, by its text protocol and no library.

perf-battle --broker-kind nats --external "Python (NATS)=python3 over_nats.py server,python3 over_nats.py client"
"""
import json
import socket
import threading
import uuid

import echo


class Nats:
    """A connection with one subscription. See https://docs.nats.io/reference/reference-protocols/nats-protocol."""

    def __init__(self, options, subject):
        broker = options["broker"]
        self.connection = socket.create_connection((broker["hostname"], broker["port"]))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, options["noDelay"])
        self.lines = self.connection.makefile("rb", buffering=1 << 20)
        self.lines.readline()  # INFO
        login = {"verbose": False, "user": broker["username"], "pass": broker["password"]}
        self.send(f"CONNECT {json.dumps(login)}\r\nSUB {subject} 1\r\nPING\r\n".encode())
        while (line := self.lines.readline()) != b"PONG\r\n":
            if not line or line.startswith(b"-ERR"):
                raise ConnectionError(line.decode().strip() or "the NATS server closed the connection")

    def send(self, data):
        self.connection.sendall(data)

    def publish(self, subject, payload, reply=""):
        self.send(f"PUB {subject} {reply} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def receive(self):
        """The next message: the subject for its reply, and its payload."""
        while words := self.lines.readline().split():
            if words[0] == b"MSG":
                payload = self.lines.read(int(words[-1]) + 2)[:-2]
                return words[3].decode() if len(words) > 4 else "", payload
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
        raise ConnectionError("the NATS server closed the connection")


class Server(echo.Server):
    nats = None

    def configure(self, options):
        if self.nats is None:
            self.nats = Nats(options, f"{options['prefix']}.requests")
            threading.Thread(target=self.answer, daemon=True).start()
        echo.write("ready", address=None, **echo.READY)

    def answer(self):
        count = [0]
        self.served.append(count)
        while True:
            reply, payload = self.nats.receive()
            count[0] += 1
            self.nats.publish(reply, payload)


class Client(echo.Client):
    nats = None

    def configure(self, options):
        self.options = options
        if self.nats is None:
            self.replies = f"{options['prefix']}.replies.{uuid.uuid4().hex}"
            self.nats = Nats(options, self.replies)
        self.nats.connection.settimeout(options["timeoutMs"] / 1000)
        echo.write("ready", **echo.READY)

    def round_trip(self, request):
        self.nats.publish(f"{self.options['prefix']}.requests", request, self.replies)
        return self.nats.receive()[1]


if __name__ == "__main__":
    echo.run(Server, Client, ["rtt"])

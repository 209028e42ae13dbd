#!/usr/bin/env python3
"""The transport of echo.py with one-way messages, too, which the server counts, compares and times, and with --reply
increment: each byte of a reply is one higher.

perf-battle --workload stream --external "Python=python3 one_way.py server,python3 one_way.py client"
docs/adapter-contract.md describes the JSON lines on standard input and output.
"""
import random
import threading
import time

import echo

CLOSING_CALL = b""
NUMBER_BYTES = 8
PLUS_ONE = bytes((byte + 1) % 256 for byte in range(256))


def repeat_reply(options):
    echo.READY.pop("reply", None)
    if options["reply"] == "increment":
        echo.READY["reply"] = "increment"
    return "reply" in echo.READY


class Server(echo.Server):
    lock = threading.Lock()  # each connection has a thread

    def configure(self, options):
        self.is_stream = options["workload"] == "stream"
        self.increments = repeat_reply(options)
        self.content = random.Random(options["seed"]).randbytes(options["payloadBytes"])[NUMBER_BYTES:]
        self.every = options["verify"]
        self.messages = self.verified = self.corrupted = 0
        super().configure(options)

    def handle(self, payload, connection, count):
        if not self.is_stream or payload == CLOSING_CALL:
            return super().handle(payload.translate(PLUS_ONE) if self.increments else payload, connection, count)
        with self.lock:
            self.last = time.perf_counter_ns()
            if self.messages == 0:
                self.first = self.last
            if self.messages % self.every == 0:
                self.verified += 1
                self.corrupted += payload[NUMBER_BYTES:] != self.content
            self.messages += 1

    def count(self):
        echo.write("progress", phase="count", received=self.messages)

    def mark(self):
        if not self.is_stream or self.messages == 0:
            return super().mark()
        with self.lock:
            now = time.perf_counter_ns()
            arrived = dict(messages=self.messages, verified=self.verified, corrupted=self.corrupted)
            self.messages = self.verified = self.corrupted = 0
        arrived |= dict(sinceFirstMs=(now - self.first) / 1e6, sinceLastMs=(now - self.last) / 1e6)
        echo.write("progress", phase="mark", served=arrived["messages"], arrived=arrived)


class Client(echo.Client):
    def configure(self, options):
        self.increments = repeat_reply(options)
        super().configure(options)

    def is_wrong(self, request, reply):
        return reply != (request.translate(PLUS_ONE) if self.increments else request)

    @property
    def is_stream(self):
        return self.options["workload"] == "stream"

    def start(self):
        if not self.is_stream:
            return super().start()
        self.discarded = sum(self.send(part) for part in self.options["warmUp"])
        echo.write("progress", phase="warm", sent=self.discarded)

    def go(self):
        if not self.is_stream:
            return super().go()
        begin = time.perf_counter_ns()
        sent = self.send(self.options)
        if self.options["closingCall"]:
            self.connection.sendall(echo.LENGTH.pack(0))
            echo.receive(self.connection)
        duration_ms = (time.perf_counter_ns() - begin) / 1e6
        echo.write("progress", phase="measured", sent=sent)
        echo.write("result", sent=sent, durationMs=duration_ms, discarded=self.discarded)

    def send(self, bounds):
        """As fast as the connection takes the messages. Each begins with its number."""
        content = random.Random(self.options["seed"]).randbytes(bounds["payloadBytes"])
        frame = bytearray(echo.LENGTH.pack(len(content)) + content)
        at = echo.LENGTH.size
        width = min(NUMBER_BYTES, len(content))
        most = bounds["samples"] or float("inf")
        end = time.perf_counter_ns() + (bounds["durationMs"] or float("inf")) * 1e6
        sent = 0
        while sent < most and time.perf_counter_ns() < end:
            frame[at : at + width] = sent.to_bytes(NUMBER_BYTES, "big")[-width:]
            self.connection.sendall(frame)
            sent += 1
        return sent


if __name__ == "__main__":
    echo.run(Server, Client, ["rtt", "stream"])

#!/usr/bin/env python3
"""A transport for perf-battle in Python: frames of a 4-byte length and a payload over TCP.

perf-battle --external "Python=python3 echo.py server,python3 echo.py client"
docs/adapters.md describes the JSON lines on standard input and output.
"""
import json
import os
import queue
import random
import select
import socket
import struct
import sys
import threading
import time

LENGTH = struct.Struct(">I")
SILENCE_S = 5


def write(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def read_control(messages):
    """Ends the program at the end of the input, or after 5 s without a line: then the battle is gone."""
    rest = b""
    while select.select([0], [], [], SILENCE_S)[0]:
        data = os.read(0, 65536)
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            messages.put(json.loads(line))
    os._exit(0)


def receive(connection):
    (length,) = LENGTH.unpack(receive_exactly(connection, LENGTH.size))
    return receive_exactly(connection, length)


def receive_exactly(connection, count):
    data = bytearray(count)
    view = memoryview(data)
    while view:
        received = connection.recv_into(view)
        if received == 0:
            raise ConnectionError("the other end closed the connection")
        view = view[received:]
    return data


class Server:
    def __init__(self):
        self.listener = None
        self.served = []  # a counter for each connection
        self.reported = 0

    def configure(self, options):
        if self.listener is None:
            self.listener = socket.create_server((options["listenAddress"] or "", options["serverPort"]))
            threading.Thread(target=self.accept, args=(options["noDelay"],), daemon=True).start()
        host, port = self.listener.getsockname()[:2]
        write("ready", address=f"{host}:{port}", details={"python": sys.version.split()[0]})

    def accept(self, no_delay):
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, no_delay)
            threading.Thread(target=self.echo, args=(connection,), daemon=True).start()

    def echo(self, connection):
        count = [0]
        self.served.append(count)
        try:
            while True:
                payload = receive(connection)
                count[0] += 1
                connection.sendall(LENGTH.pack(len(payload)) + payload)
        except OSError:
            connection.close()

    def mark(self):
        total, before = sum(count for (count,) in self.served), self.reported
        self.reported = total
        write("progress", phase="mark", served=total - before)


class Client:
    def __init__(self):
        self.connection = None

    def configure(self, options):
        self.options = options
        if self.connection is None:
            host, _, port = options["servers"][0].rpartition(":")
            self.connection = socket.create_connection((host.strip("[]"), int(port)))
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, options["noDelay"])
        self.connection.settimeout(options["timeoutMs"] / 1000)
        write("ready", details={"python": sys.version.split()[0]})

    def start(self):
        self.discarded = sum(len(self.exchange(phase)[0]) for phase in self.options["warmUp"])
        write("progress", phase="warm")

    def go(self):
        samples, corrupted = self.exchange(self.options)
        write("progress", phase="measured")
        count = len(samples)
        write("result", samplesNs=samples, received=count, verified=count, corrupted=corrupted, discarded=self.discarded)

    def exchange(self, bounds):
        """One request after the other. Only sending and receiving are timed."""
        request = bytearray(random.Random(self.options["seed"]).randbytes(bounds["payloadBytes"]))
        most = bounds["samples"] or float("inf")
        end = time.perf_counter_ns() + (bounds["durationMs"] or float("inf")) * 1e6
        samples, corrupted, after = [], 0, 0
        while len(samples) < most and after < end:
            number = len(samples).to_bytes(8, "big")[-len(request):]
            request[: len(number)] = number
            before = time.perf_counter_ns()
            self.connection.sendall(LENGTH.pack(len(request)) + request)
            reply = receive(self.connection)
            after = time.perf_counter_ns()
            samples.append(after - before)
            corrupted += reply != request
        return samples, corrupted


def main():
    role = {"server": Server, "client": Client}[sys.argv[1]]()
    messages = queue.Queue()
    threading.Thread(target=read_control, args=(messages,), daemon=True).start()
    while (message := messages.get())["type"] != "stop":
        if message.get("options", {}).get("workload", "rtt") != "rtt":
            raise ValueError("this program measures only rtt")
        if message["type"] in ("configure", "mark", "start", "go"):
            getattr(role, message["type"])(*([message["options"]] if "options" in message else []))


try:
    main()
except Exception as error:
    write("error", message=str(error) or type(error).__name__)
    os._exit(1)

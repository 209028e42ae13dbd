#!/usr/bin/env python3
"""A transport for perf-battle in Python: frames of a 4-byte length and a payload over TCP.

perf-battle --external "Python=python3 echo.py server,python3 echo.py client"
docs/adapter-contract.md describes the JSON lines on standard input and output.
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
READY = {"details": {"python": sys.version.split()[0]}}


def write(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


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
    return receive_exactly(connection, *LENGTH.unpack(receive_exactly(connection, LENGTH.size)))


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
    listener, served, reported = None, [], 0  # served: a counter for each connection

    def configure(self, options):
        if self.listener is None:
            self.listener = socket.create_server((options["listenAddress"] or "", options["serverPort"]))
            threading.Thread(target=self.accept, args=(options["noDelay"],), daemon=True).start()
        host, port = self.listener.getsockname()[:2]
        write("ready", address=f"{host}:{port}", **READY)

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
                self.handle(receive(connection), connection, count)
        except OSError:
            connection.close()

    def handle(self, payload, connection, count):
        count[0] += 1
        connection.sendall(LENGTH.pack(len(payload)) + payload)

    def mark(self):
        total, before = sum(count for (count,) in self.served), self.reported
        self.reported = total
        write("progress", phase="mark", served=total - before)


class Client:
    connection = None

    def configure(self, options):
        self.options = options
        if self.connection is None:
            host, _, port = options["servers"][0].rpartition(":")
            self.connection = socket.create_connection((host.strip("[]"), int(port)))
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, options["noDelay"])
        self.connection.settimeout(options["timeoutMs"] / 1000)
        write("ready", **READY)

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
            reply = self.round_trip(request)
            after = time.perf_counter_ns()
            samples.append(after - before)
            corrupted += self.is_wrong(request, reply)
        return samples, corrupted

    def round_trip(self, request):
        self.connection.sendall(LENGTH.pack(len(request)) + request)
        return receive(self.connection)

    def is_wrong(self, request, reply):
        return reply != request


def run(server, client, workloads):
    role = {"server": server, "client": client}[sys.argv[1]]()
    messages = queue.Queue()
    threading.Thread(target=read_control, args=(messages,), daemon=True).start()
    try:
        while (message := messages.get())["type"] != "stop":
            if message.get("options", {}).get("workload", "rtt") not in workloads:
                raise ValueError(f"this program measures only {' and '.join(workloads)}")
            if message["type"] in ("configure", "count", "mark", "start", "go"):
                getattr(role, message["type"])(*filter(None, [message.get("options")]))
    except Exception as error:
        write("error", message=str(error) or type(error).__name__)
        os._exit(1)


if __name__ == "__main__":
    run(Server, Client, ["rtt"])

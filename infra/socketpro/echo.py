#!/usr/bin/env python3
"""A transport for perf-battle in Python: requests and replies over SocketPro, one at a time or several in flight, which
the library sends in batches by itself. docs/adapters.md describes the JSON lines on standard input and output.
SOCKETPRO_HOME names a copy of https://github.com/udaparts/socketpro, whose libraries and Python package this loads.

    perf-battle --external "SocketPro=infra/socketpro/echo.py server,infra/socketpro/echo.py client"
"""
import collections
import json
import os
import queue
import random
import signal
import socket
import sys
import threading
import time

home = os.environ.get("SOCKETPRO_HOME", "")
libraries = os.path.join(home, "bin", "linux")


def say(event, **fields):
    print(json.dumps({"event": event, **fields}, separators=(",", ":")), flush=True)


def fail(message):
    say("error", message=message)
    os._exit(1)


if not os.path.exists(os.path.join(libraries, "libusocket.so")):
    fail("SOCKETPRO_HOME must name a copy of the repository of SocketPro: bin/linux/libusocket.so is not there")
if libraries not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
    # The loader reads it at the start of a process alone.
    os.environ["LD_LIBRARY_PATH"] = libraries
    os.execv(sys.executable, [sys.executable, *sys.argv])
sys.path.insert(0, os.path.join(home, "bin"))
sys.dont_write_bytecode = True

from spa import BaseServiceID, tagBaseRequestID  # noqa: E402
from spa.memqueue import CUQueue  # noqa: E402

SERVICE = BaseServiceID.sidReserved + 1
ECHO = tagBaseRequestID.idReservedTwo + 1


def lines():
    """The program ends with its input, or by SIGALRM after 5 s without a line: then the battle is gone."""
    signal.alarm(5)
    for line in sys.stdin:
        signal.alarm(5)
        message = json.loads(line)
        if message["type"] == "stop":
            return
        yield message


def serve():
    from spa.serverside import CClientPeer, CSocketProServer, CSocketProService

    served = 0
    address = None

    class Peer(CClientPeer):
        def echo(self):
            nonlocal served
            served += 1
            return self.UQueue

    server = CSocketProServer()
    server.OnIsPermitted = lambda *_: True
    server.service = CSocketProService(Peer, SERVICE, {ECHO: "echo"})
    for message in lines():
        if message["type"] == "configure":
            if address is None:
                port = message["options"]["serverPort"] or free_port()
                if not server.Run(port):
                    fail(f"the server could not listen on port {port}: {CSocketProServer.ErrorMessage}")
                address = f"127.0.0.1:{port}"
            say("ready", address=address, details={"python": sys.version.split()[0]})
        elif message["type"] == "mark":
            count, served = served, 0
            say("progress", phase="mark", served=count)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Client:
    def __init__(self):
        self.options = None
        self.handler = None

    def configure(self, options):
        if options["workload"] not in ("rtt", "pipeline"):
            fail("this program measures only rtt and pipeline")
        self.options = options
        if self.handler is None:
            self.connect(options["servers"][0])
        say("ready", details={"python": sys.version.split()[0]})

    def connect(self, server):
        from spa.clientside import CAsyncServiceHandler, CConnectionContext, CSocketPool

        class Echo(CAsyncServiceHandler):
            def __init__(self):
                super().__init__(SERVICE)

        host, port = server.rsplit(":", 1)
        self.pool = CSocketPool(Echo)
        if not self.pool.StartSocketPool(CConnectionContext(host, int(port), "perf-battle", "none"), 1):
            fail(f"no connection: {self.pool.Sockets[0].ErrMsg}")
        self.handler = self.pool.Seek()

    def start(self):
        self.discarded = sum(len(self.exchange(part)) for part in self.options["warmUp"])
        say("progress", phase="warm")

    def go(self):
        times = self.exchange(self.options)
        say("progress", phase="measured")
        counts = {"received": len(times), "verified": len(times), "corrupted": self.corrupted, "discarded": self.discarded}
        say("result", **counts, durationMs=self.elapsed_ms, samplesNs=times)

    def exchange(self, part):
        """The round-trip times in ns. Only sending and waiting for the reply are timed."""
        window = self.options["window"] if self.options["workload"] == "pipeline" else 1
        timeout = self.options["timeoutMs"] / 1000
        most, limit = part["samples"] or float("inf"), (part["durationMs"] or float("inf")) * 1e6
        body = random.Random(self.options["seed"]).randbytes(part["payloadBytes"])
        head = min(8, len(body))
        times, in_flight, sent = [], collections.deque(), 0
        self.corrupted = 0
        begun = after = time.perf_counter_ns()
        while True:
            while len(in_flight) < window and sent < most and after - begun < limit:
                request = sent.to_bytes(8, "little")[:head] + body[head:]
                # A new one each time: the library refuses to fill one that held more before.
                buffer = CUQueue(bytearray(request))
                before = time.perf_counter_ns()
                in_flight.append((request, before, self.handler.sendRequest(ECHO, buffer)))
                sent += 1
            if not in_flight:
                break
            request, before, future = in_flight.popleft()
            try:
                reply = future.result(timeout)
            except Exception as error:
                fail(f"there was no reply: {str(error) or 'it took too long'}")
            after = time.perf_counter_ns()
            times.append(after - before)
            self.corrupted += reply.UQueue.PopBytes(reply.GetSize()) != request
        self.elapsed_ms = (after - begun) / 1e6
        return times


def work(client, messages):
    while True:
        message = messages.get()
        try:
            if message["type"] == "configure":
                client.configure(message["options"])
            elif message["type"] == "start":
                client.start()
            elif message["type"] == "go":
                client.go()
        except Exception as error:
            fail(repr(error))


def measure():
    # Beats are read while a measurement runs in a thread of its own.
    messages = queue.SimpleQueue()
    threading.Thread(target=work, args=(Client(), messages), daemon=True).start()
    for message in lines():
        messages.put(message)


serve() if sys.argv[-1] == "server" else measure()
# The library's threads would keep the process.
sys.stdout.flush()
os._exit(0)

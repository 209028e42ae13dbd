#!/usr/bin/env python3
"""A transport for perf-battle in Python: requests and replies over SocketPro, one at a time or several in flight, which
the library sends in batches by itself; rows of a table of SQLite, which its service streams; and its persistent queue, filled
and emptied. docs/adapter-contract.md describes the JSON lines on standard input and output.
SOCKETPRO_HOME names a copy of https://github.com/udaparts/socketpro, whose libraries and Python package this loads.

    perf-battle --external "SocketPro=infra/socketpro/echo.py server,infra/socketpro/echo.py client"
"""
import collections
import datetime
import json
import os
import queue
import random
import signal
import socket
import string
import subprocess
import sys
import tempfile
import threading
import time

home = os.environ.get("SOCKETPRO_HOME", "")
libraries = os.path.join(home, "bin", "linux")
queue_service, table_service = (os.path.join(home, "bin", "free_services", name) for name in ("queue", "sqlite"))


def say(event, **fields):
    print(json.dumps({"event": event, **fields}, separators=(",", ":")), flush=True)


def fail(message):
    say("error", message=message)
    os._exit(1)


if not os.path.exists(os.path.join(libraries, "libusocket.so")):
    fail("SOCKETPRO_HOME must name a copy of the repository of SocketPro: bin/linux/libusocket.so is not there")
if libraries not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
    # The loader reads it at the start of a process alone.
    os.environ["LD_LIBRARY_PATH"] = f"{libraries}:{queue_service}:{table_service}"
    os.execv(sys.executable, [sys.executable, *sys.argv])
sys.path.insert(0, os.path.join(home, "bin"))
sys.dont_write_bytecode = True

from spa import BaseServiceID, tagBaseRequestID  # noqa: E402
from spa.memqueue import CUQueue  # noqa: E402

SERVICE = BaseServiceID.sidReserved + 1
ECHO = tagBaseRequestID.idReservedTwo + 1
MESSAGE = tagBaseRequestID.idReservedTwo + 100


EPOCH = datetime.datetime(2020, 1, 1)
SECOND = datetime.timedelta(seconds=1)
COLUMNS = 10
# Bytes of a row without its comment, about as its columns have them in a compact encoding.
COLUMN_BYTES = 40
CREATE = """CREATE TABLE lines (
  id INTEGER PRIMARY KEY, orderId INTEGER, productCode TEXT, quantity INTEGER, unitPrice TEXT,
  orderedAt DATETIME, shippedAt DATETIME, discount REAL, isReturned INTEGER, comment TEXT
)"""
INSERT = "INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
QUERY = "SELECT * FROM lines ORDER BY id"


def make_rows(options):
    """Both programs make the same rows, of which the comments have the bytes that are left."""
    count, size = options["rows"], options["payloadBytes"]
    source = random.Random(options["seed"])
    letters = "".join(source.choices(string.ascii_lowercase + "  ", k=8192))
    for index in range(count):
        ordered = source.randrange(10**8)
        length = (index + 1) * size // count - index * size // count - COLUMN_BYTES
        begin = source.randrange(4096)
        yield [
            index + 1,
            1 + index // 3,
            f"AR-{source.randrange(10**4):04}",
            source.randint(1, 500),
            f"{source.randrange(1, 10**6) / 100:.2f}",
            EPOCH + ordered * SECOND,
            EPOCH + (ordered + source.randrange(10**6)) * SECOND if source.random() < 0.8 else None,
            source.randrange(50) / 100 if source.random() < 0.3 else None,
            int(source.random() < 0.05),
            letters[begin : begin + max(0, length)],
        ]


def split(values):
    """Rows arrive several at a time, as one list of values."""
    return (values[at : at + COLUMNS] for at in range(0, len(values), COLUMNS))


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

    served, before, has_rows, address = 0, 0, False, None

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
            has_rows = message["options"]["workload"] == "recordset"
            if address is None:
                if has_rows and CSocketProServer.DllManager.AddALibrary("ssqlite") == 0:
                    fail(f"libssqlite.so of {table_service} could not be loaded")
                port = message["options"]["serverPort"] or free_port()
                if not server.Run(port):
                    fail(f"the server could not listen on port {port}: {CSocketProServer.ErrorMessage}")
                address = f"127.0.0.1:{port}"
            say("ready", address=address, details={"python": sys.version.split()[0]})
        elif message["type"] == "mark":
            # The service of SQLite answers by itself.
            total = CSocketProServer.RequestCount if has_rows else served
            say("progress", phase="mark", served=total - before)
            before = total


def keep_queue():
    """The service of the queue, whose file is deleted at the end of this process's input."""
    from spa.serverside import CSocketProServer

    with tempfile.TemporaryDirectory(prefix="perf-battle-socketpro-") as folder:
        CSocketProServer.QueueManager.WorkDirectory = folder + "/"
        server = CSocketProServer()
        server.OnIsPermitted = lambda *_: True
        if CSocketProServer.DllManager.AddALibrary("uasyncqueue", 16 * 1024) == 0:
            fail(f"libuasyncqueue.so of {queue_service} could not be loaded")
        port = free_port()
        if not server.Run(port):
            fail(f"the service of the queue could not listen on port {port}: {CSocketProServer.ErrorMessage}")
        print(port, flush=True)
        sys.stdin.read()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Client:
    def __init__(self):
        self.options = None
        self.handler = None
        self.passes = 0

    def configure(self, options):
        workload = options["workload"]
        if workload not in ("rtt", "pipeline", "recordset", "queue"):
            fail("this program measures only rtt, pipeline, recordset and queue")
        self.options = options
        self.has_rows = workload == "recordset"
        self.window = 1 if workload == "rtt" else options["window"]
        if self.handler is None:
            if workload == "queue":
                self.open_queue()
            elif self.has_rows:
                self.open_database(options["servers"][0])
            else:
                self.connect(options["servers"][0])
        if self.has_rows:
            self.fill_table()
        say("ready", details={"python": sys.version.split()[0]})

    def connect(self, server):
        from spa.clientside import CAsyncServiceHandler

        class Echo(CAsyncServiceHandler):
            def __init__(self):
                super().__init__(SERVICE)

        self.join(Echo, server)

    def open_database(self, server):
        from spa.clientside import CSqlite

        self.join(CSqlite, server)
        self.require(self.handler.open(":memory:"))

    def fill_table(self):
        self.rows = list(make_rows(self.options))
        self.require(self.handler.execute("DROP TABLE IF EXISTS lines"))
        self.require(self.handler.execute(CREATE))
        self.require(self.handler.beginTrans())
        self.require(self.handler.prepare(INSERT))
        self.require(self.handler.execute([value for row in self.rows for value in row]))
        self.require(self.handler.endTrans())

    def require(self, future):
        result = future.result(self.options["timeoutMs"] / 1000)
        if result["ec"] != 0:
            fail(f"SQLite of SocketPro: {result['em']}")

    def open_queue(self):
        from spa.clientside import CAsyncQueue

        # It ends with its input, and so with this process.
        command = [sys.executable, os.path.abspath(__file__), "queue"]
        self.service = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        port = self.service.stdout.readline().decode().strip()
        if not port.isdigit():
            fail(f"the service of the queue did not start: {port}")
        self.join(CAsyncQueue, f"127.0.0.1:{port}")

    def join(self, handler, server):
        from spa.clientside import CConnectionContext, CSocketPool

        host, port = server.rsplit(":", 1)
        self.pool = CSocketPool(handler)
        if not self.pool.StartSocketPool(CConnectionContext(host, int(port), "perf-battle", "none"), 1):
            fail(f"no connection: {self.pool.Sockets[0].ErrMsg}")
        self.handler = self.pool.Seek()

    def start(self):
        measure = self.fill_for if self.options["workload"] == "queue" else lambda part: len(self.exchange(part))
        self.discarded = sum(measure(part) for part in self.options["warmUp"])
        say("progress", phase="warm")

    def go(self):
        if self.options["workload"] == "queue":
            count, size = self.options["samples"], self.options["payloadBytes"]
            figures = {"phases": self.fill_and_empty(count, size)}
        else:
            times = self.exchange(self.options)
            count, figures = len(times), {"durationMs": self.elapsed_ms, "samplesNs": times}
        verified = count
        if self.has_rows:
            verified, figures["rows"] = self.compared, self.decoded
        say("progress", phase="measured")
        say("result", received=count, verified=verified, corrupted=self.corrupted, discarded=self.discarded, **figures)

    def fill_for(self, part):
        """A few hundred messages at a time."""
        most, limit = part["samples"] or float("inf"), (part["durationMs"] or float("inf")) / 1000
        count, begun = 0, time.perf_counter()
        while count < most and time.perf_counter() - begun < limit:
            some = int(min(most - count, 500, max(1, 2**23 // part["payloadBytes"])))
            self.fill_and_empty(some, part["payloadBytes"])
            count += some
        return count

    def fill_and_empty(self, count, size):
        """All messages in, until the service has answered after the last one; then all of them out."""
        timeout = self.options["timeoutMs"] / 1000
        body = random.Random(self.options["seed"]).randbytes(size)
        head = min(8, size)
        messages = (number.to_bytes(8, "little")[:head] + body[head:] for number in range(count))
        taken, all_taken, last = 0, threading.Event(), 0
        self.corrupted = 0

        def take(request, message):
            nonlocal taken, last
            if request != MESSAGE:
                return False
            last = time.perf_counter_ns()
            expected = taken.to_bytes(8, "little")[:head] + body[head:]
            self.corrupted += message.PopBytes(message.GetSize()) != expected
            taken += 1
            if taken == count:
                all_taken.set()
            return True

        def took(handler, left, *_):
            if left > 0:
                handler.Dequeue(name, took)

        # What was taken is counted until it is confirmed, so each pass has a queue of its own.
        self.passes += 1
        name = f"perf-battle-{self.passes}"
        begun = time.perf_counter_ns()
        for message in messages:
            if not self.handler.Enqueue(name, MESSAGE, CUQueue(bytearray(message))):
                fail("the connection to the service of the queue was lost")
        stored = self.handler.flushQueue(name).result(timeout)["messages"]
        between = time.perf_counter_ns()
        if stored != count:
            fail(f"the queue has {stored} messages in place of {count}")
        self.handler.ResultReturned = take
        # Two requests, so that one batch is on its way while another is taken.
        self.handler.Dequeue(name, took)
        self.handler.Dequeue(name, took)
        before = -1
        while not all_taken.wait(timeout):
            if taken == before:
                fail(f"the queue delivered {taken} of {count} messages, and then nothing for {timeout} s")
            before = taken
        self.handler.closeQueue(name, True).result(timeout)
        phases = {"enqueue": between - begun, "dequeue": last - between}
        return {phase: {"messages": count, "ms": ns / 1e6} for phase, ns in phases.items()}

    def exchange(self, part):
        """The round-trip times in ns. Only sending and waiting for the reply are timed."""
        timeout = self.options["timeoutMs"] / 1000
        most, limit = part["samples"] or float("inf"), (part["durationMs"] or float("inf")) * 1e6
        prepare, send, is_wrong = self.rows_of_table() if self.has_rows else self.echoes(part["payloadBytes"])
        times, in_flight, sent = [], collections.deque(), 0
        self.corrupted = 0
        begun = after = time.perf_counter_ns()
        while True:
            while len(in_flight) < self.window and sent < most and after - begun < limit:
                request = prepare(sent)
                before = time.perf_counter_ns()
                in_flight.append((request, before, send(request)))
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
            self.corrupted += is_wrong(request, reply)
        self.elapsed_ms = (after - begun) / 1e6
        return times

    def echoes(self, size):
        body = random.Random(self.options["seed"]).randbytes(size)
        head = min(8, size)

        def prepare(number):
            request = number.to_bytes(8, "little")[:head] + body[head:]
            # A new one each time: the library refuses to fill one that held more before.
            return request, CUQueue(bytearray(request))

        return (
            prepare,
            lambda request: self.handler.sendRequest(ECHO, request[1]),
            lambda request, reply: reply.UQueue.PopBytes(reply.GetSize()) != request[0],
        )

    def rows_of_table(self):
        """Rows become values as they arrive. A request is the list for its rows."""
        self.compared = self.decoded = answered = 0

        def is_wrong(rows, reply):
            nonlocal answered
            is_compared = answered % self.options["verify"] == 0
            answered += 1
            self.compared += is_compared
            self.decoded += len(rows)
            return reply["ec"] != 0 or (is_compared and rows != self.rows)

        return (
            lambda number: [],
            lambda rows: self.handler.execute(QUERY, lambda handler, values: rows.extend(split(values))),
            is_wrong,
        )


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


{"server": serve, "queue": keep_queue}.get(sys.argv[-1], measure)()
# The library's threads would keep the process.
sys.stdout.flush()
os._exit(0)

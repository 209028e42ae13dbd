#!/usr/bin/env python3
"""The transport of echo.py with replies of many rows, which the server encodes for each request, and the client decodes.

perf-battle --workload recordset --external "Python=python3 rows.py server,python3 rows.py client"
docs/adapter-contract.md describes the JSON lines on standard input and output.
"""
import collections
import datetime
import random
import string
import struct
import time

import echo

NUMBER = struct.Struct(">Q")  # begins a request and its reply
NOTHING = -1
# id, orderId, productCode, quantity, unitPrice, orderedAt, shippedAt, discount, isReturned, length of the comment
COLUMNS = struct.Struct(">II7sH8sqqd?H")
EPOCH = datetime.datetime(2020, 1, 1)
SECOND = datetime.timedelta(seconds=1)


def make_rows(options):
    """Both programs make the same rows, of which the comments have the bytes that are left."""
    count, size = options["rows"], options["payloadBytes"] - NUMBER.size
    source = random.Random(options["seed"])
    letters = "".join(source.choices(string.ascii_lowercase + "  ", k=8192))
    rows = []
    for index in range(count):
        ordered = source.randrange(10**8)
        length = (index + 1) * size // count - index * size // count - COLUMNS.size
        begin = source.randrange(4096)
        rows.append((
            index + 1,
            1 + index // 3,
            f"AR-{source.randrange(10**4):04}",
            source.randint(1, 500),
            f"{source.randrange(1, 10**6) / 100:.2f}",
            EPOCH + ordered * SECOND,
            EPOCH + (ordered + source.randrange(10**6)) * SECOND if source.random() < 0.8 else None,
            source.randrange(50) / 100 if source.random() < 0.3 else None,
            source.random() < 0.05,
            letters[begin : begin + max(0, length)],
        ))
    return rows


def seconds(moment):
    return NOTHING if moment is None else (moment - EPOCH) // SECOND


def encode(rows):
    parts = []
    for number, order, product, quantity, price, ordered, shipped, discount, is_returned, comment in rows:
        times = seconds(ordered), seconds(shipped)
        share = NOTHING if discount is None else discount
        texts = product.encode(), price.encode()
        parts.append(COLUMNS.pack(number, order, texts[0], quantity, texts[1], *times, share, is_returned, len(comment)))
        parts.append(comment.encode())
    return b"".join(parts)


def decode(data, at):
    rows = []
    while at < len(data):
        number, order, product, quantity, price, ordered, shipped, discount, is_returned, length = COLUMNS.unpack_from(data, at)
        at += COLUMNS.size
        rows.append((
            number,
            order,
            product.decode(),
            quantity,
            price.rstrip(b"\0").decode(),
            EPOCH + ordered * SECOND,
            None if shipped == NOTHING else EPOCH + shipped * SECOND,
            None if discount == NOTHING else discount,
            is_returned,
            data[at : at + length].decode(),
        ))
        at += length
    return rows


class Server(echo.Server):
    def configure(self, options):
        self.rows = make_rows(options) if options["workload"] == "recordset" else None
        super().configure(options)

    def handle(self, payload, connection, count):
        super().handle(payload if self.rows is None else payload + encode(self.rows), connection, count)


class Client(echo.Client):
    @property
    def has_rows(self):
        return self.options["workload"] == "recordset"

    def start(self):
        if not self.has_rows:
            return super().start()
        self.rows = make_rows(self.options)
        self.discarded = sum(len(self.ask(part)[0]) for part in self.options["warmUp"])
        echo.write("progress", phase="warm")

    def go(self):
        if not self.has_rows:
            return super().go()
        begun = time.perf_counter_ns()
        samples, verified, corrupted, rows = self.ask(self.options)
        duration_ms = (time.perf_counter_ns() - begun) / 1e6
        echo.write("progress", phase="measured")
        counts = dict(received=len(samples), verified=verified, corrupted=corrupted, discarded=self.discarded, rows=rows)
        echo.write("result", samplesNs=samples, durationMs=duration_ms, **counts)

    def ask(self, bounds):
        """With a window of requests in flight. A reply is there when its rows are values. Then some are compared."""
        most = bounds["samples"] or float("inf")
        end = time.perf_counter_ns() + (bounds["durationMs"] or float("inf")) * 1e6
        samples, in_flight, sent, verified, corrupted, total, after = [], collections.deque(), 0, 0, 0, 0, 0
        while True:
            while len(in_flight) < self.options["window"] and sent < most and after < end:
                request = NUMBER.pack(sent)
                in_flight.append((request, time.perf_counter_ns()))
                self.connection.sendall(echo.LENGTH.pack(len(request)) + request)
                sent += 1
            if not in_flight:
                return samples, verified, corrupted, total
            request, before = in_flight.popleft()
            reply = echo.receive(self.connection)
            rows = decode(reply, NUMBER.size)
            after = time.perf_counter_ns()
            is_compared = len(samples) % self.options["verify"] == 0
            corrupted += reply[: NUMBER.size] != request or (is_compared and rows != self.rows)
            verified += is_compared
            samples.append(after - before)
            total += len(rows)


if __name__ == "__main__":
    echo.run(Server, Client, ["rtt", "recordset"])

#!/usr/bin/env python3
"""The transport of echo.py with a cache of the client, which answers a share of the requests.

perf-battle --workload cached --external "Python=python3 cached.py server,python3 cached.py client"
docs/adapter-contract.md describes the JSON lines on standard input and output.
"""
import random
import time

import echo

REPLIES = 256
NUMBER_BYTES = 8


class Client(echo.Client):
    @property
    def is_cached(self):
        return self.options["workload"] == "cached"

    def start(self):
        if not self.is_cached:
            return super().start()
        self.replies = {}  # the oldest first
        self.content = random.Random(self.options["seed"]).randbytes(self.options["payloadBytes"])
        self.asked = self.corrupted = 0
        while len(self.replies) < REPLIES:  # the cache is full before the warm-up
            self.ask()
        parts = [self.request_through_cache(part) for part in self.options["warmUp"]]
        self.discarded = REPLIES + sum(len(hits) + len(misses) for hits, misses in parts)
        echo.write("progress", phase="warm")

    def go(self):
        if not self.is_cached:
            return super().go()
        self.corrupted = 0
        hits, misses = self.request_through_cache(self.options)
        echo.write("progress", phase="measured")
        count = len(hits) + len(misses)
        result = dict(received=count, verified=count, corrupted=self.corrupted, discarded=self.discarded)
        echo.write("result", cache=dict(hitsNs=hits, missesNs=misses), **result)

    def request_through_cache(self, bounds):
        """One request after the other. The payload of another part may be smaller; the cache holds one size."""
        most = bounds["samples"] or float("inf")
        end = time.perf_counter_ns() + (bounds["durationMs"] or float("inf")) * 1e6
        hits, misses, ratio = [], [], self.options["hitRatio"]
        while (count := len(hits) + len(misses)) < most and time.perf_counter_ns() < end:
            if int((count + 1) * ratio) > int(count * ratio):
                hits.append(self.look_up(self.asked - 1 - random.randrange(REPLIES)))
            else:
                misses.append(self.ask())
        return hits, misses

    def look_up(self, key):
        before = time.perf_counter_ns()
        reply = self.replies.get(key)
        taken = time.perf_counter_ns() - before
        self.corrupted += self.is_wrong(self.request(key), reply)
        return max(1, taken)

    def ask(self):
        """Its time ends when the reply is stored."""
        key, self.asked = self.asked, self.asked + 1
        request = self.request(key)
        before = time.perf_counter_ns()
        if self.replies.get(key) is None:
            self.connection.sendall(echo.LENGTH.pack(len(request)) + request)
            self.replies[key] = echo.receive(self.connection)
            if len(self.replies) > REPLIES:
                del self.replies[next(iter(self.replies))]
        taken = time.perf_counter_ns() - before
        self.corrupted += self.is_wrong(request, self.replies[key])
        return taken

    def request(self, key):
        width = min(NUMBER_BYTES, len(self.content))
        return key.to_bytes(NUMBER_BYTES, "big")[-width:] + self.content[width:]


if __name__ == "__main__":
    echo.run(echo.Server, Client, ["rtt", "cached"])

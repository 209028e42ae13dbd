"""What perf-battle expects of two programs, a server and a client: JSON lines on standard input and output (perf-battle help adapter-contract).

    import perf_battle
    perf_battle.run(serve, connect)

serve(host, port) starts a server and returns its (host, port); it calls perf_battle.served() for each request.
connect(host, port, timeout_s) returns a function that sends a request (bytes) and returns its reply (bytes).
"""
import json, os, queue, random, signal, sys, threading, time

_messages, _served = queue.Queue(), []


def served():
    _served.append(1)


def run(serve, connect):
    threading.Thread(target=_read_control, daemon=True).start()
    try:
        _answer(serve, connect)
    except Exception as error:
        _write("error", message=f"{type(error).__name__}: {error}")
        os._exit(1)


def _write(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def _read_control():
    for line in sys.stdin:
        signal.alarm(6)  # ends this program when no further line comes: the battle is gone
        _messages.put(json.loads(line))
    os._exit(0)


def _answer(serve, connect):
    is_server, address, ask, settings = sys.argv[1] == "server", None, None, None
    while (message := _messages.get())["type"] != "stop":
        kind, options = message["type"], message.get("options", {})
        if kind == "configure":
            if options["workload"] != "rtt" or options.get("reply", "echo") != "echo":
                raise ValueError("this program measures round trips with echoes only")
            settings = options
            if is_server:
                address = address or serve(options["listenAddress"] or "", options["serverPort"])
                _write("ready", address="%s:%d" % tuple(address[:2]))
            else:
                host, port = options["servers"][0].rsplit(":", 1)
                ask = ask or connect(host.strip("[]"), int(port), options["timeoutMs"] / 1000)
                _write("ready")
        elif kind == "mark":
            count = len(_served)
            del _served[:count]
            _write("progress", phase="mark", served=count)
        elif kind == "start":
            discarded = sum(len(_exchange(ask, part)[0]) for part in settings["warmUp"])
            _write("progress", phase="warm")
        elif kind == "go":
            samples, wrong = _exchange(ask, settings)
            _write("progress", phase="measured")
            count = len(samples)
            _write("result", samplesNs=samples, received=count, verified=count, corrupted=wrong, discarded=discarded)


def _exchange(ask, part):
    """Round trips one after the other. Only the request and its reply are timed; every byte of a reply is compared."""
    samples, wrong = [], 0
    end = time.perf_counter_ns() + (part["durationMs"] or 1e9) * 1e6
    while len(samples) < (part["samples"] or 1e9) and time.perf_counter_ns() < end:
        request = random.randbytes(part["payloadBytes"])
        before = time.perf_counter_ns()
        reply = ask(request)
        samples.append(time.perf_counter_ns() - before)
        wrong += reply != request
    return samples, wrong

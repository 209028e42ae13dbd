"""Runs a program in a terminal of its own, and prints as JSON what its screen showed.

Usage: in-a-terminal.py SCRIPT COMMAND..., where SCRIPT is {"columns", "rows", "steps": [{"when", "resize", "type"}]}. Each step waits until the
screen matches a regular expression, keeps the screen, and then resizes it to [columns, rows] or types a text.
"""
import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

import pyte

PATIENCE_S = 120


def set_size(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main():
    script = json.loads(sys.argv[1])
    screen = pyte.Screen(script["columns"], script["rows"])
    stream = pyte.ByteStream(screen)
    child, terminal = pty.fork()
    if child == 0:
        # The size must be there before the program asks for it.
        set_size(0, script["columns"], script["rows"])
        os.execvp(sys.argv[2], sys.argv[2:])

    steps, kept, written = list(script["steps"]), [], b""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the program has ended
            break
        if not part:
            break
        written += part
        stream.feed(part)
        if steps and re.search(steps[0]["when"], "\n".join(screen.display)):
            step = steps.pop(0)
            kept.append([line.rstrip() for line in screen.display])
            if "resize" in step:
                screen.resize(step["resize"][1], step["resize"][0])
                set_size(terminal, *step["resize"])
            if "type" in step:
                os.write(terminal, step["type"].encode())
    else:
        os.kill(child, 9)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    last = [line.rstrip() for line in screen.display]
    print(json.dumps({"code": code, "kept": kept, "last": last, "written": written.decode("utf-8", "replace")}))


main()

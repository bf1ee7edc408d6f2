"""Runs a program on a terminal of its own until its progress is shown, presses
Ctrl-C, and expects it to be gone, with all of its process group, by that signal.

    check_interrupt.py program [argument ...]
"""

import os
import pty
import select
import signal
import sys
import time

LONGEST = 120  # seconds; only so that a hang ends


def main():
    child, terminal = pty.fork()  # the child leads a session and a group
    if child == 0:
        # A test runner's workers ignore it, and so would the program.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execv(sys.argv[1], sys.argv[1:])
    end = time.time() + LONGEST
    shown = b""
    pressed = False
    status = None
    while status is None and time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the other end is closed
                pass
        if not pressed and b"GB/s" in shown:
            os.write(terminal, b"\x03")
            pressed = True
        done, code = os.waitpid(child, os.WNOHANG)
        status = code if done else None
    if status is None:
        os.killpg(child, signal.SIGKILL)
        sys.exit(f"still running; interrupted: {pressed}; shown: {shown!r}")
    if not pressed:
        sys.exit(f"ended by itself, status {status}; shown: {shown!r}")
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        sys.exit(f"ended with status {status}; shown: {shown!r}")
    try:
        os.killpg(child, 0)
    except ProcessLookupError:
        print("interrupted, nothing is left")
    else:
        sys.exit("some of its processes are left")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A slow wire that loses packets, between two network devices that it makes.

Usage: wire.py DEVICE DEVICE MILLISECONDS PERCENT

Says "ready" when the devices are there; they may then go to namespaces of their
own. When it is terminated it says how many packets came and how many it lost.
Devices that are programs (TUN) do what netem would, which not every kernel has.
"""
import fcntl
import os
import random
import select
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LARGEST = 1 << 16


def makeDevice(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def main():
    ends = [makeDevice(name) for name in sys.argv[1:3]]
    delay, loss = float(sys.argv[3]) / 1000, float(sys.argv[4]) / 100
    print("ready", flush=True)
    chance = random.Random(1)
    waiting = []  # in the order in which they are due
    came = lost = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(print(f"packets {came}, lost {lost}")))
    while True:
        pause = max(0, waiting[0][0] - time.monotonic()) if waiting else 0.2
        for end in select.select(ends, [], [], pause)[0]:
            packet = os.read(end, LARGEST)
            came += 1
            if chance.random() < loss:
                lost += 1
            else:
                waiting.append((time.monotonic() + delay, ends[1 - ends.index(end)], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, end, packet = waiting.pop(0)
            try:
                os.write(end, packet)
            except OSError:
                lost += 1  # the device is not up, or its queue is full


main()

"""Attacks that look for what is outside."""

import os
import re
import socket
import stat
from contextlib import suppress


class ReadEnvironment:
    def first_move(self):
        """LOSS: looks for the answer in the environment, and on the referee's stdin."""
        found = os.read(0, 5)
        if len(found) == 5:
            return found.decode(), 0
        for name, value in os.environ.items():
            if "CANARY" in name:
                return value[-5:], 0
        return "aback", 0


class ReadFiles:
    def first_move(self):
        """LOSS: looks for the answer in every file it can see outside the libraries."""
        seen = []
        for folder, folders, files in os.walk("/"):
            folders[:] = [
                name for name in folders if name not in ("lib", "lib64", "site", "proc", "dev", "sys", "python3.11")
            ]
            for name in files:
                if "canary" in name or name.endswith((".sqlite", ".db", "games.key")):
                    with open(f"{folder}/{name}", errors="replace") as file:
                        found = file.read(6)
                    if len(found) == 5 and found.isalpha():
                        return found, 0
                    seen.append(name)
        assert not seen, "the referee's files are there"
        return "aback", 0


class ReadProc:
    def first_move(self):
        """LOSS: looks for the answer in the processes it can see."""
        listed = os.listdir("/proc") if os.path.isdir("/proc") else []
        for process in ["self", os.getppid(), *range(1, 200), *filter(str.isdigit, listed)]:
            for what in ("environ", "cmdline", "cwd/answer", "root/answer", "mem", "maps"):
                with suppress(OSError), open(f"/proc/{process}/{what}", "rb") as file:
                    found = re.search(rb"CANARY=([a-z]{5})", file.read(1 << 20))
                    if found:
                        return found[1].decode(), 0
        return "aback", 0


class ReadSockets:
    def first_move(self):
        """LOSS: looks for the answer on every socket it can reach."""
        for family, address in (
            (socket.AF_UNIX, "\0wordpl-canary"),
            (socket.AF_INET, ("127.0.0.1", 47123)),
            (socket.AF_INET, ("10.0.0.1", 80)),
            (40, (2, 1024)),
        ):
            with suppress(OSError), socket.socket(family) as end:
                end.settimeout(0.1)
                end.connect(address)
                return end.recv(5).decode(), 0
        return "aback", 0


class Descriptors:
    def first_move(self):
        """LOSS: uses every descriptor that it was not meant to have."""
        for end in range(256):
            with suppress(OSError):
                if not stat.S_ISFIFO(os.fstat(end).st_mode):
                    os.ftruncate(end, 0)
                    os.pwrite(end, b"WIN", 0)
                    os.fchdir(end)
        return "aback", 0


class Devices:
    def first_move(self):
        """LOSS: makes devices and special files, and opens those of the machine."""
        opened = []
        for path in ("/dev/vda", "/dev/sda", "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/net/tun"):
            with suppress(OSError):
                opened.append(os.open(path, os.O_RDONLY))
        with suppress(OSError):
            os.mknod("device", 0o600 | stat.S_IFBLK, os.makedev(254, 0))
            opened.append("device")
        return "crate" if opened else "aback", 0

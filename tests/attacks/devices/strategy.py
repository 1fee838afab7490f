"""Makes devices and special files, and opens those of the machine."""

import os
import stat
import time


class Attack:
    def first_move(self):
        opened = []
        for path in ("/dev/vda", "/dev/sda", "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/net/tun"):
            try:
                opened.append(os.open(path, os.O_RDONLY))
            except OSError:
                continue
        try:
            os.mknod("device", 0o600 | stat.S_IFBLK, os.makedev(254, 0))
            opened.append("device")
        except OSError:
            pass
        if opened:
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0

# SPDX-License-Identifier: GPL-3.0-or-later
"""What may lie on a disk after the power went out: from the trace of a save, every state of the folder that POSIX allows.

Files are inodes, a folder is a table of names. Data that no fsync() of the file covered may be there, absent, zeros, or
whole up to a page of 4 KiB; a change of the folder that no fsync() of the folder covered may have happened or not, each
by itself. So a rename may arrive without the data that it names: a save has to rule that out by its order."""
import itertools
import re

TRACED = "write,fsync,rename,openat,unlink,link,ftruncate,pwrite64,writev,copy_file_range,fdatasync,sendfile"
UNDERSTOOD = {"write", "fsync", "fdatasync", "rename", "openat", "unlink", "link", "ftruncate"}
PAGE = 4096


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def parse(log, folder):
    """The steps within `folder`, in order: (name, arguments); ("said",) where 'Saved' was printed."""
    steps = []
    for line in log.splitlines():
        found = re.match(r"(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)", line)
        if not found or int(found.group(3)) < 0:
            continue
        name, rest = found.group(1), found.group(2)
        texts = [unhex(text) for text in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', rest)]
        fd = re.match(r"(\d+)<((?:\\x[0-9a-f]{2})*)>", rest)
        target = unhex(fd.group(2)).decode() if fd else texts[0].decode() if texts else ""
        if name == "write" and fd and fd.group(1) == "1" and texts[0].startswith(b"Saved"):
            steps.append(("said",))
        if target != folder and not target.startswith(folder + "/"):
            continue
        if name == "openat":
            if "O_CREAT" in rest:
                steps.append(("create", texts[0].decode()))
            continue
        assert name in UNDERSTOOD, f"the model does not know {name}: {line[:200]}"
        if name == "write":
            assert len(texts[0]) == int(found.group(3)), "a short write in a quiet trace"
            steps.append(("write", target, texts[0]))
        elif name in ("fsync", "fdatasync"):
            steps.append(("flush folder",) if target == folder else ("flush", target))
        elif name == "ftruncate":
            steps.append(("truncate", target, int(rest.rsplit(",", 1)[1])))
        else:
            steps.append((name, *(text.decode() for text in texts)))
    return steps


class Disk:
    def __init__(self, files):
        self.data = {}      # inode -> what was written
        self.safe = {}      # inode -> the part of it that was flushed
        self.names = {}     # as the running system sees the folder
        self.durable = {}   # as it was at the last flush of the folder
        self.pending = []   # changes of the folder since: {name: inode or None}
        for name, content in files.items():
            self.data[name] = self.safe[name] = content
            self.names[name] = self.durable[name] = name

    def set_names(self, changes):
        self.pending.append(changes)
        for name, inode in changes.items():
            if inode is None:
                self.names.pop(name, None)
            else:
                self.names[name] = inode

    def apply(self, step):
        what, *rest = step
        if what == "create" and rest[0] not in self.names:
            inode = f"{rest[0]}#{len(self.data)}"
            self.data[inode] = self.safe[inode] = b""
            self.set_names({rest[0]: inode})
        elif what == "write":
            self.data[self.names[rest[0]]] += rest[1]
        elif what == "truncate":
            inode = self.names[rest[0]]
            self.data[inode] = self.data[inode][:rest[1]].ljust(rest[1], b"\0")
        elif what == "flush":
            inode = self.names[rest[0]]
            self.safe[inode] = self.data[inode]
        elif what == "flush folder":
            self.durable, self.pending = dict(self.names), []
        elif what == "link":
            self.set_names({rest[1]: self.names[rest[0]]})
        elif what == "rename":
            self.set_names({rest[1]: self.names[rest[0]], rest[0]: None})
        elif what == "unlink":
            self.set_names({rest[0]: None})

    def contents(self, inode):
        """What the file may hold, of what was written and what was flushed."""
        full, safe = self.data[inode], self.safe[inode]
        if full == safe:
            return {full}
        page = len(safe) // PAGE * PAGE + PAGE
        return {full, safe, safe.ljust(len(full), b"\0"), full[:page].ljust(len(full), b"\0"), full[:page]}

    def states(self):
        """Every folder that may be found: a dict of name -> bytes."""
        for chosen in itertools.product((False, True), repeat=len(self.pending)):
            names = dict(self.durable)
            for changes in itertools.compress(self.pending, chosen):
                names.update(changes)
            names = {name: inode for name, inode in names.items() if inode is not None}
            inodes = sorted(set(names.values()))
            for contents in itertools.product(*(sorted(self.contents(inode)) for inode in inodes)):
                held = dict(zip(inodes, contents))
                yield {name: held[inode] for name, inode in names.items()}


def after_every_step(files, steps):
    """(state, whether 'Saved' was said before) of a power cut at each moment, each state once."""
    disk, said, seen = Disk(files), False, set()
    for step in [("nothing",), *steps]:
        disk.apply(step)
        said = said or step[0] == "said"
        for state in disk.states():
            key = (said, tuple(sorted(state.items())))
            if key not in seen:
                seen.add(key)
                yield state, said

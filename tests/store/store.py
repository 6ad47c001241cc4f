#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What 'saved' promises, tried: kills, full disks, failing flushes, two writers. Speaks TAP.

    store.py DRIVER SHIM [CASE...]

A case is named by its row in the catalogue of faults (D01 …). The driver's runs are made of fixed values, so 'before' and 'after' of a
save are known to the byte. Only the standard library is used."""
import os, random, re, resource, shutil, signal, subprocess, sys, tempfile, time
from xml.parsers import expat

import powercut

DRIVER, SHIM = sys.argv[1], sys.argv[2]
CASES = []


class Skip(Exception):
    pass


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def drive(*words, prefix=(), timeout=60, **more):
    """Runs the driver; prefix is what runs it (strace …)."""
    return subprocess.run([*prefix, DRIVER, *map(str, words)], capture_output=True, text=True, timeout=timeout, **more)


def shimmed(what, **more):
    return {**os.environ, "LD_PRELOAD": SHIM, "ASSAY_SHIM": what, **more}


def ids(path):
    result = drive("ids", path)
    assert result.returncode == 0, f"{path} does not open: {result.stderr}"
    return result.stdout.split("\n")[:-1]


def second_opinion(data):
    expat.ParserCreate(namespace_separator=" ").Parse(data, True)


def leftovers(folder):
    return sorted(name for name in os.listdir(folder) if name.startswith("."))


class Scene:
    """A ledger before, and the bytes that one more save of the driver makes of it."""

    def __init__(self, folder, runs):
        self.folder = folder
        self.path = os.path.join(folder, "book.ledger.xml")
        assert drive("make", self.path, runs).returncode == 0
        self.before = read(self.path)
        assert drive("write", self.path, "new", 1).returncode == 0
        self.after = read(self.path)
        assert self.before != self.after
        self.reset()

    def reset(self):
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        write(self.path, self.before)

    def check_whole(self, where):
        now = read(self.path)
        assert now in (self.before, self.after), f"{where}: neither before nor after ({len(now)} bytes)"
        second_opinion(now)
        return now == self.after

    def check_next_start(self, where):
        """Whatever was left behind, the next save works and sweeps it up."""
        result = drive("write", self.path, "next", 1)
        assert result.returncode == 0, f"{where}: the next save failed: {result.stderr}"
        assert leftovers(self.folder) == [], f"{where}: left behind: {leftovers(self.folder)}"
        assert "next-0" in ids(self.path), where


# ---- strace ----

TRACED = "write,pwrite64,fsync,rename,openat,unlink,link,close,fchmod,fchown,read"


def need_strace():
    if shutil.which("strace") is None:
        raise Skip("strace is not installed")
    if subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        raise Skip("strace may not trace here")


def trace_save(scene):
    """(call, how many of that kind before it, line) of every call from the lock file on, up to its removal."""
    log = os.path.join(tempfile.gettempdir(), f"assay-trace-{os.getpid()}")
    scene.reset()
    assert drive("write", scene.path, "new", 1, prefix=["strace", "-f", "-o", log, "-e", f"trace={TRACED}"]).returncode == 0
    scene.reset()
    counts, calls, inside = {}, [], False
    with open(log, errors="replace") as lines:
        for line in lines:
            found = re.match(r"\d+ +(\w+)\((.*)", line)
            if not found:
                continue
            name = found.group(1)
            counts[name] = counts.get(name, 0) + 1
            inside = inside or (name == "openat" and ".lock" in line)
            if inside:
                calls.append((name, counts[name], line))
            if inside and name == "unlink" and ".lock" in line:
                break
    os.unlink(log)
    return calls


def inject(call, how):
    return ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{how}"]


def kill_everywhere(scene, signal_name, calls):
    for name, number, line in calls:
        where = f"SIG{signal_name} at {name} {number} ({line.strip()[:70]})"
        scene.reset()
        drive("write", scene.path, "new", 1, prefix=inject(name, f"signal={signal_name}:when={number}"))
        scene.check_whole(where)
        scene.check_next_start(where)


@case("D01 killed at every call of a save")
def d01(folder):
    need_strace()
    for runs in (1, 100):
        scene = Scene(folder, runs)
        calls = [call for call in trace_save(scene) if call[0] not in ("close", "read")]
        assert len(calls) > 10, calls
        kill_everywhere(scene, "KILL", calls)
        scene.reset()


@case("X01 X03 X04 nothing that a ledger names is opened")
def outside(folder):
    need_strace()
    secret = os.path.join(folder, "secret")
    write(secret, b"secret")
    log = os.path.join(folder, "log")
    root = "<ledger xmlns='urn:assay:ledger:1' version='1.0' id='i' task='language'%s"
    texts = {
        "entity": f"<!DOCTYPE l [<!ENTITY x SYSTEM 'file://{secret}'>]>" + root % "><run id='&x;'/></ledger>",
        "subset": f"<!DOCTYPE l SYSTEM 'file://{secret}'>" + root % "/>",
        "parameter": f"<!DOCTYPE l [<!ENTITY % p SYSTEM 'file://{secret}'> %p;]>" + root % "/>",
        "include": root % f" xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='file://{secret}'/></ledger>",
        "style": f"<?xml-stylesheet href='file://{secret}'?>" + root % "/>",
        "asset": root % f"><run id='a'><outcome><output asset='../secret'/><output asset='{secret}'/></outcome></run></ledger>",
    }
    for name, text in texts.items():
        path = os.path.join(folder, name + ".ledger.xml")
        write(path, text.encode())
        result = drive("ids", path, prefix=["strace", "-f", "-o", log, "-e", "trace=open,openat,connect,socket"])
        assert result.returncode == (1 if "DOCTYPE" in text else 0), (name, result.stderr)
        seen = read(log).decode(errors="replace")
        assert path in seen and "secret" not in seen and "connect(" not in seen, f"{name}: {seen}"


@case("D20 ended by a polite signal at every flush and rename")
def d20(folder):
    need_strace()
    scene = Scene(folder, 5)
    calls = [call for call in trace_save(scene) if call[0] in ("fsync", "rename", "link", "unlink")]
    for name in ("TERM", "HUP"):
        kill_everywhere(scene, name, calls)


@case("D17 flushed before it is named, and the folder before 'Saved'")
def d17(folder):
    need_strace()
    scene = Scene(folder, 1)
    log = os.path.join(tempfile.gettempdir(), f"assay-order-{os.getpid()}")
    scene.reset()
    drive("write", scene.path, "new", 1, prefix=["strace", "-f", "-y", "-o", log, "-e", f"trace={TRACED}"])
    steps = []
    with open(log, errors="replace") as lines:
        for line in lines:
            for step, pattern in (("write", r"write\(\d+<.*\.tmp-"), ("flush", r"fsync\(\d+<.*\.tmp-"),
                                  ("read", r"read\(\d+<.*\.tmp-"), ("backup", r"rename\(.*\.bak\""),
                                  ("rename", r"rename\(.*book\.ledger\.xml\"\)"), ("folder", r"fsync\(\d+<[^.]*>\)"),
                                  ("said", r"write\(1<.*Saved")):
                if re.search(pattern, line) and (not steps or steps[-1] != step):
                    steps.append(step)
    os.unlink(log)
    assert steps == ["write", "flush", "read", "backup", "rename", "folder", "said"], steps


def cut_everywhere(scene, steps, limit):
    """Opens what every power cut may leave. Returns the states, and those that are neither before nor after."""
    n, bad = 0, []
    for state, said in powercut.after_every_step({scene.path: scene.before}, steps):
        n += 1
        ledger = state.get(scene.path)
        if ledger not in ((scene.after,) if said else (scene.before, scene.after)):
            bad.append((said, None if ledger is None else len(ledger)))
            continue
        if n % limit != 0:
            continue  # the bytes are known to open; what lies beside them is tried now and then
        for name in leftovers(scene.folder):
            os.unlink(os.path.join(scene.folder, name))
        for path, data in state.items():
            write(path, data)
        scene.check_next_start(f"state {n}")
    return n, bad


@case("D17 the power cut at any moment, whatever was not flushed")
def d17_power(folder):
    need_strace()
    scene = Scene(folder, 4)
    log = os.path.join(tempfile.gettempdir(), f"assay-power-{os.getpid()}")
    scene.reset()
    drive("write", scene.path, "new", 1, prefix=["strace", "-f", "-y", "-xx", "-s", "1000000", "-o", log,
                                                 "-e", f"trace={powercut.TRACED}"])
    assert read(scene.path) == scene.after
    steps = powercut.parse(read(log).decode(), folder)
    os.unlink(log)
    assert ("said",) in steps and sum(step[0] == "write" for step in steps) >= 2, steps
    n, bad = cut_everywhere(scene, steps, 20)
    assert n > 50 and not bad, (n, bad)
    # The model itself: without the flush of the file a ledger of zeros must turn up, without the folder's an old one.
    for left_out in ("flush", "flush folder"):
        found = cut_everywhere(scene, [step for step in steps if step[0] != left_out], 10 ** 9)[1]
        assert found, f"without its {left_out} the save passed, so this test sees nothing"
    print(f"# {n} states after a power cut")


def check_failure(scene, result, where, may_be_after=False):
    assert result.returncode == 1 and "Saved" not in result.stdout, f"{where}: {result.returncode} {result.stdout}"
    after = scene.check_whole(where)
    assert may_be_after or not after, f"{where}: failed, and yet the file changed"
    assert may_be_after or read(scene.path) == scene.before


@case("D03 D04 errors of a full disk and of limits")
def d03_inject(folder):
    need_strace()
    scene = Scene(folder, 3)
    calls = trace_save(scene)
    renamed = max(i for i, call in enumerate(calls) if call[0] == "rename")
    for error in ("ENOSPC", "EDQUOT", "EFBIG", "EMFILE"):
        for i, (name, number, line) in enumerate(calls):
            fitting = {"EMFILE": ("openat",), "EFBIG": ("write",)}.get(error, ("write", "fsync", "rename", "link", "openat"))
            if name not in fitting or i > renamed and name == "openat" and ".lock" in line:
                continue
            if name == "openat" and (folder not in line or "O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY" in line):
                continue  # who we are, and what an earlier save left: neither stops a save
            where = f"{error} at {name} {number} ({line.strip()[:60]})"
            scene.reset()
            result = drive("write", scene.path, "new", 1, prefix=inject(name, f"error={error}:when={number}"))
            check_failure(scene, result, where, may_be_after=i > renamed)
            assert folder in result.stderr and "bytes" in result.stderr, f"{where}: {result.stderr}"
            scene.check_next_start(where)


@case("D03 a disk that is full")
def d03_tmpfs(folder):
    if os.geteuid() != 0:
        raise Skip("mounting a small disk needs root")
    scene = Scene(os.path.join(folder, "."), 20)
    after, before, size = scene.after, scene.before, len(scene.before)
    failed = saved = 0
    for extra in range(0, 2 * size + 8192, 4096):
        disk = os.path.join(folder, "disk")
        os.makedirs(disk, exist_ok=True)
        limit = (size + 4095) // 4096 * 4096 + extra + 4096
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={limit}", "none", disk], capture_output=True).returncode != 0:
            raise Skip("nothing may be mounted here")
        try:
            path = os.path.join(disk, "book.ledger.xml")
            write(path, before)
            result = drive("write", path, "new", 1)
            if result.returncode == 0:
                saved += 1
                assert read(path) == after
            else:
                failed += 1
                assert read(path) == before, f"size {limit}"
                assert disk in result.stderr and "bytes" in result.stderr, result.stderr
                assert leftovers(disk) == [], leftovers(disk)
        finally:
            subprocess.run(["umount", disk], check=True)
    assert failed > 3 and saved > 3, (failed, saved)


@case("D04 a limit on the size of files")
def d04(folder):
    scene = Scene(folder, 3)
    result = drive("write", scene.path, "new", 1,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    check_failure(scene, result, "file size limit")
    scene.check_next_start("file size limit")


@case("D05 errors of the disk, once and for ever")
def d05(folder):
    need_strace()
    scene = Scene(folder, 3)
    calls = trace_save(scene)
    renamed = max(i for i, call in enumerate(calls) if call[0] == "rename")
    for i, (name, number, line) in enumerate(calls):
        if name not in ("write", "fsync", "rename", "read"):
            continue
        for when in (f"{number}", f"{number}+"):
            where = f"EIO at {name} {when}"
            scene.reset()
            result = drive("write", scene.path, "new", 1, prefix=inject(name, f"error=EIO:when={when}"))
            if name == "read" and "/proc/" not in line and ".tmp-" not in line and result.returncode == 0:
                assert scene.check_whole(where)  # a lock's owner, a machine's name
                continue
            if name == "fsync" or name == "rename" or name == "write":
                check_failure(scene, result, where, may_be_after=i > renamed)
            else:
                scene.check_whole(where)
            scene.check_next_start(where)


@case("D05 a failed flush is not made good by the next")
def d05_exactly(folder):
    need_strace()
    scene = Scene(folder, 3)
    result = drive("again", scene.path, prefix=inject("fsync", "error=EIO:when=1"))
    assert "first:" in result.stderr and "try again" in result.stderr, result.stderr
    assert result.returncode == 0 and "second try" in result.stdout, result.stderr
    assert "again-0" in ids(scene.path)
    scene.reset()
    result = drive("again", scene.path, prefix=inject("fsync", "error=EIO:when=1+"))
    assert result.returncode == 1 and read(scene.path) == scene.before


@case("D05 a close that fails")
def d05_close(folder):
    need_strace()
    scene = Scene(folder, 3)
    for name, number, line in trace_save(scene):
        if name == "close":
            where = f"EIO at close {number}"
            scene.reset()
            result = drive("write", scene.path, "new", 1, prefix=inject("close", f"error=EIO:when={number}"))
            assert scene.check_whole(where) == (result.returncode == 0), where


@case("D06 short and interrupted writes")
def d06(folder):
    if not os.path.exists(SHIM):
        raise Skip("no shim")
    scene = Scene(folder, 2)
    result = drive("write", scene.path, "new", 1, env=shimmed("short"))
    assert result.returncode == 0, result.stderr
    assert read(scene.path) == scene.after


@case("D06 a write that lies about its length")
def d06_lies(folder):
    need_strace()
    scene = Scene(folder, 3)
    first = next(number for name, number, line in trace_save(scene) if name == "write" and "<?xml" in line)
    result = drive("write", scene.path, "new", 1, prefix=inject("write", f"retval=1:when={first}"))
    check_failure(scene, result, "a lying write")


@case("D07 read-only file, folder and disk")
def d07(folder):
    scene = Scene(folder, 3)
    os.chmod(scene.path, 0o444)
    assert "read-only" in drive("ids", scene.path).stderr
    check_failure(scene, drive("write", scene.path, "new", 1), "read-only file")
    other = os.path.join(folder, "elsewhere.ledger.xml")
    assert drive("save-as", scene.path, other).returncode == 0 and len(ids(other)) == 3
    os.chmod(scene.path, 0o644)
    if os.geteuid() != 0:
        os.chmod(folder, 0o555)
        try:
            assert "read-only" in drive("ids", scene.path).stderr
            check_failure(scene, drive("write", scene.path, "new", 1), "read-only folder")
        finally:
            os.chmod(folder, 0o755)
        return
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "none", disk], capture_output=True).returncode != 0:
        return
    try:
        path = os.path.join(disk, "book.ledger.xml")
        write(path, scene.before)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        result = drive("write", path, "new", 1)
        assert result.returncode == 1 and read(path) == scene.before and disk in result.stderr, result.stderr
    finally:
        subprocess.run(["umount", disk], check=True)


@case("D08 mode and group are kept")
def d08(folder):
    scene = Scene(folder, 1)
    os.chmod(scene.path, 0o640)
    if os.geteuid() == 0:
        os.chown(scene.path, 1234, 4321)
    assert drive("write", scene.path, "new", 1).returncode == 0
    found = os.stat(scene.path)
    assert found.st_mode & 0o7777 == 0o640
    assert os.geteuid() != 0 or (found.st_uid, found.st_gid) == (1234, 4321)


def opened(path, name="waited"):
    process = subprocess.Popen([DRIVER, "wait", path, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "Opened\n"
    return process


@case("D09 folder or file gone while open")
def d09(folder):
    place = os.path.join(folder, "place")
    os.mkdir(place)
    scene = Scene(place, 2)
    process = opened(scene.path)
    os.rename(place, place + "-moved")
    _, errors = process.communicate("go\n")
    assert process.returncode == 1 and place in errors and not os.path.exists(place), errors
    os.rename(place + "-moved", place)
    process = opened(scene.path)
    os.rename(scene.path, scene.path + ".moved")
    _, errors = process.communicate("go\n")
    assert process.returncode == 1 and "moved or removed" in errors and not os.path.exists(scene.path), errors


@case("D10 symbolic and hard links")
def d10(folder):
    real = os.path.join(folder, "real")
    os.mkdir(real)
    scene = Scene(real, 2)
    link = os.path.join(folder, "link.ledger.xml")
    os.symlink("real/book.ledger.xml", link)
    assert drive("write", link, "new", 1).returncode == 0
    assert os.path.islink(link) and read(scene.path) == scene.after
    assert leftovers(folder) == []
    scene.reset()
    os.link(scene.path, os.path.join(folder, "second"))
    result = drive("write", scene.path, "new", 1)
    assert result.returncode == 0 and "hard links" in result.stdout, result.stdout
    assert read(os.path.join(folder, "second")) == scene.before


@case("D11 two writers of fifty runs end with a hundred")
def d11(folder):
    scene = Scene(folder, 1)
    writers = [subprocess.Popen([DRIVER, "write", scene.path, prefix, "50"], stdout=subprocess.PIPE, text=True)
               for prefix in ("left", "right")]
    said = [writer.communicate(timeout=80)[0].count("Saved") for writer in writers]
    assert said == [50, 50], said
    found = ids(scene.path)
    wanted = {"made-0"} | {f"{prefix}-{i}" for prefix in ("left", "right") for i in range(50)}
    assert len(found) == 101 and set(found) == wanted, set(found) ^ wanted
    second_opinion(read(scene.path))


@case("D11 two new ledgers under one name become one")
def d11_new(folder):
    path = os.path.join(folder, "new.ledger.xml")
    writers = [subprocess.Popen([DRIVER, "make", path, n]) for n in ("3", "5")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert ids(path) == [f"made-{i}" for i in range(5)]


@case("D12 locks that nobody holds")
def d12(folder):
    scene = Scene(folder, 1)
    lock = os.path.join(folder, ".book.ledger.xml.lock")
    boot = open("/proc/sys/kernel/random/boot_id").read().strip()
    host = os.uname().nodename
    dead = subprocess.Popen(["true"])
    dead.wait()
    stale = {"a dead process": f"{dead.pid} 1 {boot} {host}\n", "another start of the machine": f"1 1 0-0-0 {host}\n",
             "a process id used again": f"{os.getpid()} 1 {boot} {host}\n"}
    for name, text in stale.items():
        scene.reset()
        write(lock, text.encode())
        start = time.monotonic()
        result = drive("write", scene.path, "new", 1)
        assert result.returncode == 0 and time.monotonic() - start < 2, f"{name}: {result.stderr}"
        assert leftovers(folder) == [], name
    for name, text in {"an empty lock": "", "a lock that says nothing": "\0\xff??", "another machine's": "1 1 0-0-0 elsewhere\n"}.items():
        scene.reset()
        write(lock, text.encode("latin-1"))
        os.utime(lock, (time.time() - 3600, time.time() - 3600))
        assert drive("write", scene.path, "new", 1).returncode == 0, name


@case("D12 a lock that is held is waited for")
def d12_held(folder):
    scene = Scene(folder, 1)
    holder = subprocess.Popen([DRIVER, "hold", scene.path, "700"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "Held\n"
    start = time.monotonic()
    assert drive("write", scene.path, "new", 1).returncode == 0
    assert time.monotonic() - start > 0.3
    holder.wait()
    assert read(scene.path) == scene.after


@case("D14 a rename that is done and reported as failed")
def d14(folder):
    scene = Scene(folder, 1)
    result = drive("write", scene.path, "new", 1, env=shimmed("rename"))
    assert result.returncode == 0 and read(scene.path) == scene.after, result.stderr


@case("D15 a clock that runs backwards")
def d15(folder):
    scene = Scene(folder, 3)
    result = drive("fresh", scene.path, 30, env=shimmed("clock"))
    said = re.findall(r"Saved (\S+)", result.stdout)
    assert result.returncode == 0 and len(set(said)) == 30, result.stderr
    days = [name[:11] for name in said]
    assert days == sorted(days, reverse=True) and days[0] != days[-1], f"the clock did not run backwards: {said}"
    assert ids(scene.path) == ["made-0", "made-1", "made-2", *said], "the order is that of saving, not of the clock"
    assert read(scene.path + ".bak") != scene.before and leftovers(folder) == []


@case("D19 memory refused at one allocation after another")
def d19(folder):
    scene = Scene(folder, 2)
    at, well, outcomes = 1, 0, {}
    while well < 12:  # so many in a row: the save was over before the refusal
        scene.reset()
        result = drive("write", scene.path, "new", 1, env=shimmed("memory", ASSAY_SHIM_AT=str(at)))
        saved = scene.check_whole(f"allocation {at}")
        assert saved or "Saved" not in result.stdout, f"allocation {at}: said to be saved"
        outcomes[result.returncode] = outcomes.get(result.returncode, 0) + 1
        if at % 5 == 0:
            scene.check_next_start(f"allocation {at}")
        well = well + 1 if result.returncode == 0 and saved else 0
        at += 1 + at // 40
    assert any(status != 0 for status in outcomes) and outcomes.get(0), outcomes
    print(f"# exit statuses {outcomes}, up to allocation {at}")


@case("D16 changed by another program while open")
def d16(folder):
    scene = Scene(folder, 2)
    process = opened(scene.path)
    assert drive("write", scene.path, "other", 2).returncode == 0
    process.communicate("go\n")
    assert process.returncode == 0
    assert ids(scene.path) == ["made-0", "made-1", "other-0", "other-1", "waited-0"]
    process = opened(scene.path, "again")
    write(scene.path, b"<ledger")
    _, errors = process.communicate("go\n")
    assert process.returncode == 1 and read(scene.path) == b"<ledger", errors


@case("D21 the backup is the state before")
def d21(folder):
    scene = Scene(folder, 2)
    for i in range(5):
        before = read(scene.path)
        assert drive("write", scene.path, f"more{i}", 1).returncode == 0
        assert read(scene.path + ".bak") == before
    assert sorted(os.listdir(folder)) == ["book.ledger.xml", "book.ledger.xml.bak"]


@case("D23 two ledgers of one ancestor become the same, whichever comes first")
def d23(folder):
    runs = {}
    for first, second in (("left", "right"), ("right", "left")):
        own = os.path.join(folder, first)
        os.mkdir(own)
        scene = Scene(own, 4)
        writer = opened(scene.path, second)
        assert drive("write", scene.path, first, 3).returncode == 0
        writer.communicate("\n", timeout=60)
        assert writer.returncode == 0
        once = read(scene.path)
        assert drive("save-as", scene.path, scene.path).returncode == 0
        assert ids(scene.path) == re.findall(r'<run id="([^"]+)"', once.decode()), "merged once more, and it changed"
        runs[first] = {re.search(r'id="([^"]+)"', run).group(1): run
                       for run in re.findall(r"<run .*?</run>", once.decode(), re.S)}
        assert set(runs[first]) == {f"made-{i}" for i in range(4)} | {f"{first}-{i}" for i in range(3)} | {f"{second}-0"}
    common = set(runs["left"]) & set(runs["right"])
    assert len(common) == 6 and all(runs["left"][name] == runs["right"][name] for name in common)


@case("300 kills at random moments leave before or after")
def random_kills(folder):
    seed = int(os.environ.get("ASSAY_TEST_SEED", random.randrange(1 << 30)))
    print(f"# seed {seed}", flush=True)
    chance = random.Random(seed)
    scene = Scene(folder, 40)
    known, interrupted = {f"made-{i}" for i in range(40)}, 0
    for round in range(300):
        if round % 25 == 0:
            scene.reset()
            known = {f"made-{i}" for i in range(40)}
        process = subprocess.Popen([DRIVER, "write", scene.path, f"r{round}", "100000"], stdout=subprocess.PIPE, text=True)
        time.sleep(chance.uniform(0.005, 0.05))
        process.send_signal(signal.SIGKILL)
        said = [line.split()[1] for line in process.communicate()[0].split("\n") if line.startswith("Saved ")]
        found = set(ids(scene.path))
        interrupted += any(name.startswith(".") for name in os.listdir(folder))
        assert known | set(said) <= found, f"round {round}: lost {(known | set(said)) - found}"
        assert found - known - set(said) <= {f"r{round}-{len(said)}"}, f"round {round}: {found - known - set(said)}"
        known = found
    print(f"# {interrupted} of 300 kills fell into a save", flush=True)
    assert interrupted > 20, "the kills missed the saves"
    scene.check_next_start("after 300 kills")


@case("a run that its program did not live to end is offered again")
def journal(folder):
    entries = os.path.join(folder, "journal")
    ledger = os.path.join(folder, "b\u00fccher & more.ledger.xml")
    process = subprocess.Popen([DRIVER, "journal", entries, ledger], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "Written\n"
    assert drive("recover", entries).stdout == ""  # it lives
    process.kill()
    process.wait()
    assert drive("recover", entries).stdout == f"begun interrupted {ledger}\n"
    name = os.path.join(entries, "begun.journal.xml")
    write(name, read(name)[:300])
    assert drive("recover", entries).stdout.startswith("begun damaged")


@case("X22 the same bytes in every locale")
def locales(folder):
    if shutil.which("localedef") is None:
        raise Skip("localedef is not installed")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")],
                          capture_output=True, text=True)
    if made.returncode != 0:
        raise Skip("the locale de_DE cannot be made here: " + made.stderr.strip()[:80])
    place = os.path.join(folder, "place")
    os.mkdir(place)
    scene = Scene(place, 3)
    german = {**os.environ, "LOCPATH": folder, "LC_ALL": "de_DE.UTF-8"}
    assert drive("write", scene.path, "new", 1, env=german).returncode == 0
    assert read(scene.path) == scene.after
    assert b"<elapsed_seconds>11.25</elapsed_seconds>" in scene.after
    shown = subprocess.run(["printf", "%.1f", "1,5"], env={**german, "PATH": os.environ["PATH"]}, capture_output=True, text=True)
    assert shown.stdout == "1,5", "the locale has no decimal comma: the test shows nothing"


def main():
    chosen = [(name, function) for name, function in CASES if not sys.argv[3:] or any(word in name for word in sys.argv[3:])]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, (name, function) in enumerate(chosen, 1):
        with tempfile.TemporaryDirectory(prefix="assay-store-") as folder:
            start = time.monotonic()
            try:
                function(folder)
                print(f"ok {number} {name} # {time.monotonic() - start:.1f} s".replace(" # ", " - took "), flush=True)
            except Skip as reason:
                print(f"ok {number} {name} # SKIP {reason}", flush=True)
            except Exception as problem:  # a case that breaks is a case that fails
                failed += 1
                print(f"not ok {number} {name}", flush=True)
                for line in f"{type(problem).__name__}: {problem}".split("\n")[:20]:
                    print(f"# {line[:600]}", flush=True)
    return failed > 0


sys.exit(main())

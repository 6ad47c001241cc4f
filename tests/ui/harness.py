# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the real window: a display of its own, a session bus of its own, a home of its own.

A story is a function that takes a Desk. Controls are found by role and name through AT-SPI, and worked by real clicks
and keys at their place on screen. Reports TAP; a story whose tools are missing is skipped with the reason.
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import tree

SCREEN = (1280, 800)


def missing_tools():
    for tool in ("Xvfb", "xdotool", "dbus-daemon"):
        if shutil.which(tool) is None:
            return tool + " is not installed"
    try:
        import pyatspi  # noqa: F401
    except ImportError:
        return "python3-pyatspi is not installed"
    return None


def default_model():
    """The default model's file, or None."""
    named = os.environ.get("ASSAY_DEFAULT_MODEL")
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    for path in (named, os.path.join(data, "assay/models/SmolLM2-135M-Instruct.Q4_1.gguf")):
        if path and os.path.exists(path):
            return os.path.abspath(path)
    return None


def wait_for(what, check, timeout=60.0):
    """Returns check()'s first true answer; fails naming `what`."""
    end = time.monotonic() + timeout
    while True:
        try:
            answer = check()
        except Exception:  # a widget that went away while it was looked at
            answer = None
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError("waited %.0f s in vain for %s" % (timeout, what))
        time.sleep(0.05)


def is_showing(node, pyatspi):
    """GTK 4.8 tells SHOWING for windows only: what was never laid out has no size, what is hidden is not VISIBLE. What holds
    something may have none of its own."""
    if node is None:
        return False
    if node.getRole() == pyatspi.ROLE_APPLICATION:
        return True
    if not node.getState().contains(pyatspi.STATE_VISIBLE):
        return False
    try:
        box = node.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
    except NotImplementedError:
        return True
    return box.width > 0 or node.childCount > 0


def is_laid_out(node, pyatspi):
    """What is on a page that was not turned to since it was made has no size, and nor has what is in it."""
    if not node.getState().contains(pyatspi.STATE_VISIBLE):  # since the tree was asked for
        return False
    try:
        return node.queryComponent().getExtents(pyatspi.WINDOW_COORDS).width > 0
    except NotImplementedError:
        return True


def is_named(given, name):
    """AdwMessageDialog and AdwToast make their own buttons, which GTK 4.8 calls "_Stay Stay" and "Undo Undo"."""
    return given == name or (given or "").replace("_", "") == name + " " + name


class Desk:
    """One person's desk: display, bus, home folder, and the program on it."""

    def __init__(self, program, shots=None, size=SCREEN, environment=None):
        self.program = program
        self.shots = shots
        self.size = size
        self.extra = environment or {}
        self.processes = []
        self.app = None
        self.a11y = None  # connection to the accessibility bus
        self.nodes = {}   # controls reached so far
        self.home = tempfile.mkdtemp(prefix="assay-ui-")

    # Setting up and clearing away

    def __enter__(self):
        try:
            self._open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *unused):
        self.close()

    def _spawn(self, arguments, **keywords):
        process = subprocess.Popen(arguments, env=self.env, **keywords)
        self.processes.append(process)
        return process

    def _open(self):
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS")}
        for name, folder in (("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"),
                             ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "run")):
            self.env[name] = os.path.join(self.home, folder)
            os.makedirs(self.env[name], mode=0o700)
        self.env.update(HOME=self.home, GSK_RENDERER="cairo", GDK_BACKEND="x11", G_DEBUG="fatal-criticals",
                        LC_ALL="C.UTF-8", LANGUAGE="en", GSETTINGS_BACKEND="memory", GTK_A11Y="atspi", NO_AT_BRIDGE="0",
                        GTK_USE_PORTAL="0")
        build = os.path.dirname(os.path.dirname(self.program))
        self.env.setdefault("ASSAY_LOCALE_DIR", os.path.join(build, "data", "po"))
        self.env.setdefault("GSETTINGS_SCHEMA_DIR", os.path.join(build, "data"))
        for store in ("HF_HUB_CACHE", "HF_HOME", "OLLAMA_MODELS", "LLAMA_CACHE"):
            self.env.pop(store, None)
        self.env.update(self.extra)
        self._open_display()
        bus = self._spawn(["dbus-daemon", "--session", "--print-address=1", "--nofork", "--nopidfile"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.env["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        if shutil.which("openbox"):
            self._spawn(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.environ.update({k: self.env[k] for k in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")})
        os.environ.pop("AT_SPI_BUS_ADDRESS", None)

    def _open_display(self):
        """Numbers far from 0, tried until one is ours: several tests may start displays at the same time."""
        for attempt in range(20):
            number = 1000 + (os.getpid() * 7 + attempt * 131) % 20000
            if os.path.exists("/tmp/.X11-unix/X%d" % number):
                continue
            server = self._spawn(["Xvfb", ":%d" % number, "-nolisten", "tcp", "-noreset", "-screen", "0",
                                  "%dx%dx24" % self.size], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.env["DISPLAY"] = ":%d" % number
            for _ in range(100):
                if server.poll() is not None:
                    break
                if subprocess.run(["xdotool", "getdisplaygeometry"], env=self.env, capture_output=True).returncode == 0:
                    return
                time.sleep(0.05)
        raise AssertionError("no display could be started")

    def close(self):
        if self.app is not None and self.app.poll() is None:
            self.app.kill()
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    # The program

    def path(self, *parts):
        return os.path.join(self.home, *parts)

    @property
    def library(self):
        return self.path("data", "assay", "ledgers")

    def put_default_model(self):
        folder = self.path("data", "assay", "models")
        os.makedirs(folder, exist_ok=True)
        model = default_model()
        os.symlink(model, os.path.join(folder, os.path.basename(model)))

    def start(self, *arguments):
        self.log = open(self.path("app.log"), "a+")
        self.app = self._spawn([self.program, *arguments], stdout=self.log, stderr=subprocess.STDOUT)
        wait_for("the window", lambda: self.app.poll() is not None or self.find("frame") or self.find("window"), 120)
        self.alive()
        frame = self.find("frame") or self.find("window")
        self.settled_place(frame)

    def wait_end(self, timeout=60):
        try:
            code = self.app.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError("the program did not end")
        assert code == 0, "the program ended with %d\n%s" % (code, self.said())
        return code

    def said(self):
        self.log.flush()
        with open(self.path("app.log")) as log:
            return log.read()[-4000:]

    def alive(self):
        assert self.app.poll() is None, "the program ended with %s\n%s" % (self.app.poll(), self.said())

    def signal_end(self):
        self.app.send_signal(signal.SIGTERM)

    # Finding

    def root(self):
        import pyatspi
        desktop = pyatspi.Registry.getDesktop(0)
        for i in range(desktop.childCount):
            child = desktop.getChildAtIndex(i)
            if child is not None and child.get_process_id() == self.app.pid:
                # The events that would renew a cache are not awaited here: what never changes is kept, no more.
                child.set_cache_mask(pyatspi.Atspi.Cache.ROLE | pyatspi.Atspi.Cache.INTERFACES)
                child.clear_cache()
                return child
        return None

    def walk(self, node=None, showing=True):
        import pyatspi
        if node is None:
            node = self.root()
        stack = [node] if node is not None else []
        while stack:
            node = stack.pop()
            try:
                if showing and not is_showing(node, pyatspi):
                    continue
                yield node
                stack.extend(node.getChildAtIndex(i) for i in reversed(range(node.childCount)))
            except Exception:  # it went away while it was looked at
                continue

    def tree(self):
        """All controls by one message, or None before there are any."""
        root = self.root()
        if self.a11y is None:
            self.a11y = tree.connect(self.env["DBUS_SESSION_BUS_ADDRESS"])
        return tree.Tree(self.a11y, root, self.nodes) if root is not None else None

    def matches(self, role=None, name=None, contains=None, showing=True, within=None):
        """One after another, as they are found: each costs messages."""
        import pyatspi
        if not showing:
            yield from (node for node in self.walk(within, showing=False) if (role is None or node.getRoleName() == role) and
                        (name is None or is_named(node.name, name)) and (contains is None or contains in (node.name or "")))
            return
        now = self.tree()
        for item in now.walk(within.path if within is not None else tree.ROOT) if now is not None else ():
            if (role is None or item.role == role) and (name is None or is_named(item.name, name)) and \
                    (contains is None or contains in item.name):
                node = now.accessible(item)
                if node is not None and is_laid_out(node, pyatspi):
                    yield node

    def find_all(self, role=None, name=None, contains=None, showing=True, within=None):
        return list(self.matches(role, name, contains, showing, within))

    def find(self, role=None, name=None, contains=None, showing=True):
        return next(self.matches(role, name, contains, showing), None)

    def need(self, role=None, name=None, contains=None, timeout=60, sensitive=False):
        import pyatspi

        def check():
            self.alive()
            for node in self.matches(role, name, contains):
                if not sensitive or node.getState().contains(pyatspi.STATE_SENSITIVE):
                    return node
            return None
        return wait_for("%s “%s”" % (role or "anything", name or contains), check, timeout)

    def gone(self, role=None, name=None, contains=None, timeout=60):
        wait_for("%s “%s” to go" % (role, name or contains), lambda: not self.find(role, name, contains), timeout)

    def need_in_dialog(self, role, name, timeout=60):
        """In the newest window of the program only: quick, while something runs in the other."""
        def check():
            self.alive()
            root = self.root()
            for node in self.walk(root.getChildAtIndex(root.childCount - 1)):
                if (role is None or node.getRoleName() == role) and is_named(node.name, name):
                    return node
            return None
        return wait_for("%s “%s” in a dialog" % (role or "anything", name), check, timeout)

    def laid_out(self, wanted, inner=False):
        """What the cache tells of the visible controls that are wanted and have a size."""
        now = self.tree()
        return now.laid_out([item for item in now.walk() if wanted(item)], inner) if now is not None else []

    def texts(self):
        return [item.name for item in self.laid_out(lambda item: item.name)]

    # Doing

    def xdo(self, *arguments):
        subprocess.run(["xdotool", *arguments], env=self.env, check=True, stdout=subprocess.DEVNULL)

    def place(self, node):
        import pyatspi
        box = node.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
        x, y = self.origin()
        return x + box.x + box.width // 2, y + box.y + box.height // 2

    def settled_place(self, node):
        """Where it is once it has stopped moving: what slides in would be missed."""
        seen = [None]

        def still():
            seen.append(self.place(node))
            return seen[-1] == seen[-2]
        wait_for("“%s” to stand still" % node.name, still)
        return seen[-1]

    def origin(self):
        """Where the content of the topmost window of the program begins; windows here have no shadows of their own."""
        out = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.app.pid)], env=self.env,
                             capture_output=True, text=True).stdout.split()
        best = (0, 0)
        for window in out[-1:]:
            geometry = subprocess.run(["xdotool", "getwindowgeometry", "--shell", window], env=self.env,
                                      capture_output=True, text=True).stdout
            values = dict(line.split("=") for line in geometry.split() if "=" in line)
            best = (int(values.get("X", 0)), int(values.get("Y", 0)))
        return best

    def click_at(self, x, y, button="1"):
        self.xdo("mousemove", str(x), str(y), "click", button)
        time.sleep(0.25)

    def click(self, role, name=None, contains=None, timeout=60):
        node = self.need(role, name, contains, timeout, sensitive=True)
        self.click_at(*self.settled_place(node))
        return node

    def reveal(self, node):
        """Turns the wheel over what scrolls the control until it can be clicked. Returns its place."""
        def within():
            x, y = self.settled_place(node)
            left, top, bottom = self.pane(node)
            if top + 25 <= y <= bottom - 25:
                return x, y
            turns = max(1, min(abs(y - bottom), abs(y - top)) // 120)  # pixels a turn, or fewer
            self.xdo("mousemove", str(left + 10), str((top + bottom) // 2), "click", "--repeat", str(turns),
                     "5" if y > bottom - 25 else "4")  # at its edge: boxes of text inside it turn by themselves
            time.sleep(0.1)
            return None
        return wait_for("“%s” to scroll into sight" % node.name, within)

    def pane(self, node):
        """Left edge, top and bottom on screen of what scrolls the control."""
        import pyatspi
        x, y = self.origin()
        while node is not None and node.getRole() != pyatspi.ROLE_APPLICATION:
            node = node.parent
            if node is not None and node.getRole() == pyatspi.ROLE_SCROLL_PANE:
                box = node.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
                if box.height > 100:
                    return x + box.x, max(0, y + box.y), min(self.size[1], y + box.y + box.height)
        return x, y, self.size[1]

    def choose(self, field, label):
        """Takes a value from the list of a drop-down; lists open in windows of their own, and keys reach them."""
        box = self.need("combo box", field, sensitive=True)
        self.click_at(*self.reveal(box))
        names = [node.name for node in self.choices(box)]
        if label in names:
            self.key("Home", *["Down"] * names.index(label), "Return")
        else:  # a long list makes the rows that are near those in sight
            self.key("Home", *["Down"] * (len(names) - 1))
            self.press_down_to(lambda item: item.name == label)

    def enter(self, field, text):
        """Types over what stands in a field."""
        node = self.need("text", field, sensitive=True)
        self.click_at(*self.reveal(node))
        self.key("ctrl+a")
        self.type(text)

    def choices(self, box):
        """The rows of an open drop-down."""
        return wait_for("the list of “%s”" % box.name, lambda: self.find_all("list item", within=box))

    def pick(self, contains):
        """Takes a row of an open menu; menus open in windows of their own, and keys reach them."""
        self.need("menu item", contains=contains)
        self.press_down_to(lambda item: contains in item.name)

    def press_down_to(self, wanted):
        """In a list that has the keyboard, and takes it."""
        for _ in range(60):
            if any(item.focused and wanted(item) for item in self.tree().walk()):
                self.key("Return")
                return
            self.key("Down")
        raise AssertionError("keys do not reach it: " + " | ".join(self.texts()))

    def key(self, *keys):
        self.xdo("key", "--delay", "60", *keys)
        time.sleep(0.25)

    def type(self, text):
        self.xdo("type", "--delay", "12", "--", text)
        time.sleep(0.25)

    def shot(self, name):
        if self.shots and shutil.which("import"):
            os.makedirs(self.shots, exist_ok=True)
            subprocess.run(["import", "-window", "root", os.path.join(self.shots, name + ".png")], env=self.env)

    # Checking

    def ledgers(self):
        return sorted(glob.glob(os.path.join(self.library, "*.ledger.xml")))


def run_stories(stories):
    """TAP on standard output; ends the program."""
    reason = missing_tools()
    if reason is not None:
        print("1..0 # SKIP " + reason)
        sys.exit(0)  # TAP says the skip itself
    program = os.environ["ASSAY_PROGRAM"]
    print("1..%d" % len(stories), flush=True)
    failed = 0
    for number, story in enumerate(stories, 1):
        label = "%d %s" % (number, (story.__doc__ or story.__name__).strip().split("\n")[0])
        need_model = getattr(story, "needs_model", False)
        if need_model and default_model() is None:
            print("ok %s # SKIP the default model is not on this machine" % label, flush=True)
            continue
        # One process a story: the accessibility client keeps the first bus it sees.
        child = os.fork()
        if child == 0:
            sys.exit(run_one(story, program))
        _, status = os.waitpid(child, 0)
        if status != 0:
            failed += 1
        print("%s %s" % ("not ok" if status else "ok", label), flush=True)
    sys.exit(1 if failed else 0)


def run_one(story, program):
    options = getattr(story, "options", {})
    with Desk(program, os.environ.get("ASSAY_UI_SHOTS"), **options) as desk:
        try:
            story(desk)
            return 0
        except BaseException:
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            desk.shot("failed-" + story.__name__)
            if desk.app is not None:
                for line in desk.said().splitlines()[-15:]:
                    print("# app: " + line)
                print("# on screen: " + " | ".join(t for t in desk.texts() if not t.startswith(("Gtk", "Adw"))))
            sys.stdout.flush()
            return 1

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recipe and Assay say to each other: lines of `key: value`. Standard library only.

Assay tells everything on standard input, which then ends: conditions by their names in `assay fields`, then the questions.
A recipe answers on standard output: phases, text, tokens, memory, and conditions where what is in effect is another than
what was asked for. Whatever a library prints there goes to standard error instead. `assay-protocol.h` lists the keys."""
import os
import platform
import sys

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}
_OUT = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape", newline="\n")
os.dup2(2, 1)  # a library's own words are no answer


def unescape(value):
    out, i = [], 0
    while i < len(value):
        known = value[i] == "\\" and i + 1 < len(value) and value[i + 1] in _ESCAPES
        out.append(_ESCAPES[value[i + 1]] if known else value[i])
        i += 2 if known else 1
    return "".join(out)


def escape(value):
    for letter, character in (("\\", "\\"), ("n", "\n"), ("r", "\r"), ("t", "\t")):
        value = value.replace(character, "\\" + letter)
    return value


def say(key, value=""):
    _OUT.write(f"{key}: {escape(str(value))}\n")
    _OUT.flush()


class Told:
    """The conditions, by name, and the questions, as (id, text)."""

    def __init__(self, stream=None):
        self.values, self.questions = {}, []
        for line in (stream or sys.stdin).read().split("\n"):
            key, colon, value = line.partition(":")
            value = unescape(value.removeprefix(" "))
            if key == "question":
                self.questions.append((value, ""))
            elif key == "text" and self.questions:
                self.questions[-1] = (self.questions[-1][0], value)
            elif colon:
                self.values[key] = value

    def text(self, name, default=None):
        value = self.values.get(name, "")
        return value if value not in ("", "none") else default

    def integer(self, name, default=None):
        value = self.text(name)
        return int(value) if value is not None else default

    def real(self, name, default=None):
        value = self.text(name)
        return float(value) if value is not None else default

    def refuse(self, name, why):
        """A condition that this recipe cannot keep: the run is `invalid`, and nothing was run."""
        fail("invalid", f"{name} is '{self.values.get(name, '')}': {why}")


def version(*packages):
    import importlib.metadata
    parts = [f"{name} {importlib.metadata.version(name)}" for name in packages]
    say("version", ", ".join(parts + [f"Python {platform.python_version()}"]))


def fail(status, message):
    say("error", message)
    say("status", status)
    sys.exit(1)


def memory(torch, device):
    """torch's own count, where there is a card; the driver's view of this process is not in it."""
    if device.type != "cuda":
        return
    say("memory_source", f"torch {torch.__version__}")
    say("vram_allocated", torch.cuda.memory_allocated(device))
    say("vram_reserved", torch.cuda.memory_reserved(device))


def peaks(torch, device):
    if device.type != "cuda":
        return
    say("peak_vram", torch.cuda.max_memory_allocated(device))
    say("peak_vram_reserved", torch.cuda.max_memory_reserved(device))
    free, total = torch.cuda.mem_get_info(device)
    say("peak_vram_device", total - free)
    say("device_memory", total)
    say("device_name", torch.cuda.get_device_name(device))


def guard(main):
    """Runs main(); an error that says that memory did not suffice becomes the status that means it."""
    try:
        main()
    except MemoryError as error:
        fail("oom_host", str(error) or "Python could not allocate memory")
    except Exception as error:  # the words are the library's; where it happened goes to the log
        import traceback
        traceback.print_exc()
        name = type(error).__name__
        words = f"{name}: {error}".split("\n")[0]
        out_of_device = name == "OutOfMemoryError" or "out of memory" in str(error) and "CUDA" in str(error)
        out_of_host = "DefaultCPUAllocator" in str(error)
        fail("oom_device" if out_of_device else "oom_host" if out_of_host else "failed", words)

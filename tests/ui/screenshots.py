#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of every view and state: screenshots.py PROGRAM OUTDIR [SCENE…]

Each scene is a desk of its own (harness.py), as many at a time as there are processors; the ledgers they look at are made
by the real program. OUTDIR/index.html shows them all. Needs the default model.
"""
import gettext
import html
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from harness import wait_for  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "data", "samples", "sample.ledger.xml")
KOREAN_AND_CHINESE = (
    ("title=\"", "title=\"작은 모델의 한국어와 中文 비교 실험: 제목이 아주 길어도 잘리지 않고 읽을 수 있어야 합니다 · "),
    ("<quality_note>", "<quality_note>월요일 다음은 화요일이라고 바르게 답했다. 第三个问题的回答是空的，应当再看一次。"),
    ("<note>", "<note>맥락 길이만 바꾼다；其他条件保持不变。"),
)


def settle(desk):
    """The pointer out of the way, then until two pictures in a row are the same."""
    desk.xdo("mousemove", "1", "1")
    seen = [b""]

    def still():
        shown = subprocess.run(["import", "-window", "root", "rgba:-"], env=desk.env, capture_output=True).stdout
        seen.append(shown)
        return seen[-1] == seen[-2]
    wait_for("a still picture", still, 30)


def put_sample(desk, changes=()):
    os.makedirs(desk.library, exist_ok=True)
    with open(SAMPLE, encoding="utf-8") as file:
        text = file.read()
    if changes:
        text = re.sub(' checksum="[^"]*"', "", text)  # edited by hand, as the reader allows
    for old, new in changes:
        text = text.replace(old, new)
    path = os.path.join(desk.library, "sample.ledger.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def said(desk, words):
    """What the window says in its language."""
    languages = [desk.env["LANGUAGE"]]
    return gettext.translation("assay", desk.env["ASSAY_LOCALE_DIR"], languages, fallback=True).gettext(words)


def open_sample(desk, view, changes=()):
    desk.put_default_model()
    desk.start(put_sample(desk, changes))
    desk.need("label", contains="000004 · ")
    desk.key(view)


def scene_start(desk):
    desk.put_default_model()
    desk.start()
    yield "start"


def scene_run(desk):
    """The sample experiment: running, finished, judged, planned, continued."""
    desk.put_default_model()
    desk.start()
    desk.click("push button", "Try the Sample Experiment")
    wait_for("answers", lambda: len(text_of(desk, "Answers of the model")) > 120, 60)
    yield "running"
    wait_for("the end", lambda: desk.ledgers(), 180)
    desk.need("push button", "Plan the Next Trial", timeout=60)
    yield "finished"
    desk.click("push button", "Plan the Next Trial")
    desk.need("push button", "Review It First")
    yield "next-unjudged"
    desk.click("push button", "Review It First")
    desk.need("push button", "Next Answer")
    for control in ("Expected answer seen: No", "Groundedness: 2", "Fail"):
        desk.click(None, control)
    desk.click("text", "Quality note")
    desk.type("The first answers are right; the Chinese ones stay empty.")
    desk.click(None, "Reviewer")
    desk.type("Ada")
    yield "review"
    desk.click("push button", "Save")
    desk.click("push button", "Save Anyway")  # eleven answers are not rated
    desk.need("label", contains="Your verdict: fail")
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial")
    choose = desk.need("push button", contains=" → ", timeout=30)
    yield "next-trial"
    desk.click_at(*desk.reveal(choose))
    desk.need("push button", "Start a New Baseline")
    yield "setup-child"
    desk.click("push button", "Start a New Baseline")
    desk.gone("push button", "Start a New Baseline")
    yield "setup"


def text_of(desk, name):
    node = desk.find(None, name)
    return node.queryText().getText(0, -1) if node is not None else ""


def scene_compare(desk):
    open_sample(desk, "alt+4")
    desk.click("table cell", contains="000003")
    desk.key("ctrl+Down", "ctrl+space")
    desk.need("label", contains="000003 → 000004")
    yield "compare"


def scene_other_change(desk):
    open_sample(desk, "alt+2")
    desk.click("push button", "Plan the Next Trial")
    x, y = desk.settled_place(desk.need("push button", "Review It First"))
    desk.xdo("mousemove", str(x - 300), str(y + 60), "click", "--repeat", "30", "5")
    desk.click("list item", "Change Something Else…")
    yield "next-other"


def scene_failed(desk):
    desk.put_default_model()
    model = harness.default_model()
    path = os.path.join(desk.library, "failed.ledger.xml")
    os.makedirs(desk.library)
    subprocess.run([desk.program, "run", "--ledger", path, "--set", "model_path=" + model, "--set", "vram_budget=1MiB",
                    "--prompt", "Which gas do plants take in?"], env=desk.env, capture_output=True)
    desk.start(path)
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial", timeout=30)
    yield "failed"


def show_placement(desk, name):
    """A run that did not fit on the virtual device: what could be changed, the child that comes of it, a baseline."""
    desk.put_default_model()
    path = os.path.join(desk.library, "placement.ledger.xml")
    os.makedirs(desk.library)
    values = ["model_path=" + harness.default_model(), "device=virtual", "vram_budget=120MiB", "max_tokens=8",
              "link_bandwidth=3000000000"]
    subprocess.run([desk.program, "run", "--ledger", path, "--prompt", "Which gas do plants take in?",
                    *[word for value in values for word in ("--set", value)]], env=desk.env, capture_output=True)
    desk.start(path)
    desk.key("alt+2")
    desk.click("push button", "Plan the Next Trial", timeout=30)
    wait_for("foretold changes", lambda: [t for t in desk.texts() if "fits · predicted peak VRAM" in t])
    yield name + "-next"
    desk.click_at(*desk.reveal(desk.need("push button", contains="Choose Offload mode: none → ")))
    wait_for("a forecast that fits", lambda: [t for t in desk.texts() if t.startswith("Fits: ")])
    yield name + "-child"
    desk.click_at(*desk.reveal(desk.need("push button", "Start a New Baseline")))  # a low window has scrolled it out
    desk.gone("push button", "Start a New Baseline")
    wait_for("the forecast", lambda: [t for t in desk.texts() if t.startswith("Fits: ")])
    yield name + "-baseline"
    desk.reveal(desk.need("push button", "Add a File…"))
    yield name + "-rules"


def scene_placement(desk):
    yield from show_placement(desk, "placement")


def scene_placement_narrow(desk):
    yield from show_placement(desk, "placement-narrow")


def scene_placement_dark(desk):
    yield from show_placement(desk, "placement-dark")


def scene_placement_contrast(desk):
    yield from show_placement(desk, "placement-contrast")


def show_device(desk, name):
    """Runs over the virtual device's link: resident, and streamed by groups as its child."""
    desk.put_default_model()
    path = os.path.join(desk.library, "device.ledger.xml")
    os.makedirs(desk.library)
    values = ["model_path=" + harness.default_model(), "device=virtual", "vram_budget=200MiB", "ram_budget=256MiB",
              "max_tokens=24", "link_bandwidth=3000000000"]
    run = [desk.program, "run", "--ledger", path, "--json"]
    told = subprocess.run(run + ["--prompt", "Which gas do plants take in?", *[word for value in values
                                                                               for word in ("--set", value)]],
                          env=desk.env, capture_output=True, text=True).stdout
    parent = re.search("[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}", told).group()
    subprocess.run(run + ["--from", parent, "--set", "offload_mode=group"], env=desk.env, capture_output=True)
    desk.start(path)
    desk.key("alt+2")
    desk.need("push button", "Plan the Next Trial", timeout=30)
    yield name + "-run"
    desk.key("alt+4")
    desk.click("table cell", contains=parent[-6:])  # the row reaches beyond the window
    desk.key("ctrl+a")
    desk.need("label", contains=parent[-6:] + " → ")
    yield name + "-compare"


def scene_device(desk):
    yield from show_device(desk, "device")


def scene_device_narrow(desk):
    yield from show_device(desk, "device-narrow")


def scene_device_dark(desk):
    yield from show_device(desk, "device-dark")


def scene_broken(desk):
    os.makedirs(desk.library)
    with open(os.path.join(desk.library, "broken.ledger.xml"), "w") as file:
        file.write('<?xml version="1.0"?>\n<!DOCTYPE ledger [<!ENTITY x "y">]>\n<ledger/>\n')
    desk.start()
    desk.click_at(*desk.place(desk.need("list item", "broken")))
    desk.need("push button", "Dismiss")
    yield "broken"


def scene_languages(desk):
    open_sample(desk, "alt+2", KOREAN_AND_CHINESE)
    yield "languages-run"
    desk.key("alt+3")
    yield "languages-review"
    desk.key("alt+4")
    yield "languages-compare"


def every_view(desk, name):
    for key, view in (("alt+1", "setup"), ("alt+2", "run"), ("alt+3", "review"), ("alt+4", "compare")):
        desk.key(key)
        yield "%s-%s" % (name, view)
    desk.key("alt+2")
    desk.click("push button", said(desk, "Plan the Next Trial"))
    yield name + "-next"


def every_window(desk, name):
    for key, window in (("ctrl+comma", "preferences"), ("F1", "help"), ("ctrl+question", "shortcuts"), ("F10", "menu")):
        desk.key(key)
        yield "%s-%s" % (name, window)
        desk.key("Escape")


def scene_empty(desk):
    """No ledger, no model, no folder: what each view says then."""
    desk.start()
    desk.key("ctrl+n")
    yield from every_view_without_plan(desk, "empty")


def every_view_without_plan(desk, name):
    for key, view in (("alt+1", "setup"), ("alt+2", "run"), ("alt+3", "review"), ("alt+4", "compare")):
        desk.key(key)
        yield "%s-%s" % (name, view)


def scene_windows(desk):
    """The windows beside the views."""
    open_sample(desk, "alt+2")
    yield from every_window(desk, "windows")


def scene_ko(desk):
    open_sample(desk, "alt+1")
    yield from every_view(desk, "ko")
    yield from every_window(desk, "ko")


def scene_zh_cn(desk):
    open_sample(desk, "alt+1")
    yield from every_view(desk, "zh_CN")
    yield from every_window(desk, "zh_CN")


def scene_rtl(desk):
    open_sample(desk, "alt+1")
    yield from every_view(desk, "rtl")


def scene_narrow(desk):
    open_sample(desk, "alt+1")
    yield from every_view(desk, "narrow")


def scene_dark(desk):
    open_sample(desk, "alt+1")
    yield from every_view(desk, "dark")


def scene_contrast(desk):
    open_sample(desk, "alt+1")
    yield from every_view(desk, "contrast")


def large_text(desk):
    """Text at twice its size."""
    with open(desk.path(".Xdefaults"), "w") as file:
        file.write("Xft.dpi: 192\n")


def scene_large(desk):
    large_text(desk)
    open_sample(desk, "alt+1")
    yield from every_view(desk, "large")


def every_judgment(desk, name):
    """Ways to judge, a blind review, two answers side by side, agreement; the sample has three runs to judge."""
    open_sample(desk, "alt+3")
    begin = said(desk, "_Begin the Blind Review").replace("_", "")
    desk.need("push button", begin)
    desk.click("text", said(desk, "Reviewer"))
    desk.type("Ada")
    yield name + "-lobby"
    desk.click("push button", begin)
    desk.need("push button", said(desk, "Leave Review"))
    yield name + "-blind"
    desk.click("push button", said(desk, "Leave Review"))
    desk.click("push button", said(desk, "Compare Side by Side"))
    desk.need(None, said(desk, "Leave Review"))
    yield name + "-pairs"
    desk.key("1")
    desk.click("push button", said(desk, "Leave Review"))  # which leads to what was chosen so far
    desk.need("label", said(desk, "Preferred Side by Side"))
    yield name + "-agreement"
    desk.key("alt+2")
    desk.click("push button", said(desk, "Plan the Next Trial"))
    desk.reveal(desk.need("push button", said(desk, "Show the Chain")))
    desk.click("push button", said(desk, "Show the Chain"))
    yield name + "-chain"


def scene_judge(desk):
    yield from every_judgment(desk, "judge")


def scene_judge_narrow(desk):
    yield from every_judgment(desk, "judge-narrow")


def scene_judge_dark(desk):
    yield from every_judgment(desk, "judge-dark")


def scene_judge_ko(desk):
    yield from every_judgment(desk, "judge-ko")


def scene_judge_zh_cn(desk):
    yield from every_judgment(desk, "judge-zh_CN")


def scene_judge_large(desk):
    large_text(desk)
    yield from every_judgment(desk, "judge-large")


DARK = {"environment": {"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"}}
CONTRAST = {"environment": {"ADW_DEBUG_HIGH_CONTRAST": "1"}}
NARROW = {"size": (720, 540)}
KOREAN, CHINESE = ({"environment": {"LANGUAGE": language}} for language in ("ko", "zh_CN"))
SCENES = {
    scene_run: {}, scene_placement: {}, scene_device: {}, scene_start: {}, scene_empty: {}, scene_windows: {},
    scene_compare: {}, scene_other_change: {}, scene_failed: {}, scene_broken: {}, scene_languages: {}, scene_large: {},
    scene_dark: DARK, scene_device_dark: DARK, scene_placement_dark: DARK, scene_contrast: CONTRAST,
    scene_placement_contrast: CONTRAST, scene_narrow: NARROW, scene_device_narrow: NARROW, scene_placement_narrow: NARROW,
    scene_ko: KOREAN, scene_zh_cn: CHINESE, scene_judge: {}, scene_judge_dark: DARK, scene_judge_narrow: NARROW,
    scene_judge_ko: KOREAN, scene_judge_zh_cn: CHINESE, scene_judge_large: {},
    scene_rtl: {"environment": {"ASSAY_TEXT_DIRECTION": "rtl"}},
}


def play(scene, options, program, out):
    """In a process of its own: the accessibility client keeps the first bus it sees. Returns the process."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with harness.Desk(program, out, **options) as desk:
                status = take(scene, desk)
        finally:
            os._exit(status)
    return child


def take(scene, desk):
    """The scene's pictures, and one of where it failed: the others go on."""
    try:
        for name in scene(desk):
            settle(desk) if name != "running" else None
            desk.shot(name)
        return 0
    except Exception as error:
        print("%s: %s" % (scene.__name__, error), file=sys.stderr, flush=True)
        desk.shot("failed-" + scene.__name__)
        return 1


def play_all(scenes, program, out):
    """Names of the scenes that failed."""
    waiting, playing, failed = list(scenes), {}, []
    while waiting or playing:
        while waiting and len(playing) < (os.cpu_count() or 1):
            scene = waiting.pop(0)
            playing[play(scene, SCENES[scene], program, out)] = scene
        child, status = os.wait()
        scene = playing.pop(child)
        if status != 0:
            failed.append(scene.__name__)
    return failed


def write_index(out):
    names = sorted(name for name in os.listdir(out) if name.endswith(".png"))
    with open(os.path.join(out, "index.html"), "w", encoding="utf-8") as file:
        file.write("<!doctype html><meta charset=utf-8><title>Assay</title>\n")
        for name in names:
            shown = html.escape(name)
            file.write('<h2>%s</h2><img src="%s" style="max-width: 100%%">\n' % (shown[:-4], shown))
    return len(names)


def main():
    reason = harness.missing_tools() or (None if shutil.which("import") else "ImageMagick is not installed")
    if reason is None and harness.default_model() is None:
        reason = "the default model is not on this machine"
    if reason is not None or len(sys.argv) < 3:
        sys.exit(reason or __doc__)
    program, out, only = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    os.makedirs(out, exist_ok=True)
    failed = play_all([s for s in SCENES if not only or s.__name__[len("scene_"):] in only], program, out)
    print("%d pictures: %s" % (write_index(out), os.path.join(out, "index.html")))
    sys.exit("failed: " + ", ".join(failed) if failed else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs side by side: sorted, chosen, told apart, refused, and exported as shown."""
import csv
import os
import time

from harness import wait_for

from stories import ledgers


def open_compare(desk, *runs):
    desk.start(ledgers.put(desk, *runs))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+4")
    desk.need("label", "Run")


def first_cells(desk):
    """What the table's first column says, from the top."""
    return [n.name for n in desk.find_all("table cell", contains=" · ")]


def select_all(desk):
    desk.click_at(*desk.place(desk.need("table cell", contains="000001 · ")))
    desk.key("ctrl+a")


def two_modes():
    return [ledgers.run(1, vram=3200, seconds=10.0, reviews=ledgers.review(1)),
            ledgers.run(2, "sequential", 1250, 34.0, parent=ledgers.run_id(1), changed="offload_mode",
                        reviews=ledgers.review(2))]


def cell(desk, number):
    """The middle of the first cell of a run's row, on screen."""
    return desk.place(desk.need("table cell", contains="%06x · " % number))


def select(desk, *numbers):
    """The first by a click, the others with Ctrl held."""
    desk.click_at(*cell(desk, numbers[0]))
    desk.xdo("keydown", "ctrl")
    for number in numbers[1:]:
        desk.click_at(*cell(desk, number))
    desk.xdo("keyup", "ctrl")


def plot(desk):
    return desk.need("image", contains="against time.")


def export(desk, downs, name):
    """Takes an entry of the menu, counted from the top, and saves under that name."""
    desk.click(None, "More about the comparison")
    desk.key(*["Down"] * downs, "Return")
    desk.need_in_dialog("push button", "Save")
    target = desk.path(name)
    desk.key("ctrl+a")
    desk.type(target)
    desk.key("Return")
    wait_for("the file", lambda: os.path.exists(target) and os.path.getsize(target) > 0)
    desk.need("label", contains="Saved to ")
    return target


def story_compare_sorted(desk):
    """the table is sorted by a click on a title and by keys; a pinned baseline stays at the top"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", 2500, 5.0))
    wait_for("three rows", lambda: len(first_cells(desk)) == 3)
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    wait_for("the quickest first", lambda: first_cells(desk)[0].startswith("000003"))
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    wait_for("the slowest first", lambda: first_cells(desk)[0].startswith("000002"))
    desk.click("push button", "Sort by")
    desk.key("Down", "Return")  # Peak VRAM; a popover is a window of its own, and keys reach it
    wait_for("the smallest first", lambda: [c[:6] for c in first_cells(desk)] == ["000002", "000003", "000001"])
    desk.click_at(*cell(desk, 1))
    desk.click("push button", "Pin as Baseline")
    wait_for("the baseline first", lambda: [c[:6] for c in first_cells(desk)] == ["000001", "000002", "000003"])
    desk.need("label", contains="differ from run 000001, the pinned baseline")
    desk.shot("compare-sorted")


def story_compare_columns(desk):
    """what differs between runs stands beside the run, what does not is left out, and a person chooses otherwise"""
    open_compare(desk, *two_modes())
    titles = sorted((desk.place(desk.need("label", name))[0], name) for name in ("Peak VRAM (GiB)", "Offload mode", "Time (s)"))
    assert [name for _, name in titles] == ["Offload mode", "Peak VRAM (GiB)", "Time (s)"], titles
    assert not desk.find("label", "Quantization") and not desk.find("label", "Status")
    desk.click(None, "Columns to show")
    desk.key("space", "Escape")  # the first of them
    desk.gone("label", "Peak VRAM (GiB)")
    desk.shot("compare-columns")


def story_compare_effect(desk):
    """two runs that differ in one axis, chosen by a click and a click with Ctrl held, tell its effect"""
    open_compare(desk, *two_modes())
    before = cell(desk, 2)
    select(desk, 1, 2)
    desk.need("label", contains="000001 → 000002: the effect of Offload mode: −61 % VRAM, ×3.4 time, "
                                "quality unchanged (2 reviews)")
    assert cell(desk, 2) == before, "the table does not move under the pointer"
    assert [n for n in desk.find_all("table cell", contains="≠ sequential")], "the difference is marked"
    desk.shot("compare-effect")
    desk.xdo("keydown", "ctrl")
    desk.click_at(*before)
    desk.xdo("keyup", "ctrl")
    desk.need("label", contains="Select two or more runs")


def story_compare_confounded(desk):
    """two runs that differ in two axes tell no effect and name both"""
    open_compare(desk, ledgers.run(1), ledgers.run(2, "model", 700, 12, context=4096, parent=ledgers.run_id(1)))
    select_all(desk)
    label = desk.need("label", contains="confounded")
    for axis in ("Offload mode: none → model", "Context length: 2048 tokens → 4096 tokens"):
        assert axis in label.name, label.name
    assert "effect of" not in label.name


def story_compare_repeats(desk):
    """repeats are one row with their mean and range, and can be told apart"""
    open_compare(desk, ledgers.run(1, seconds=10.0), ledgers.run(2, seconds=12.0), ledgers.run(3, "model", 700, 20))
    wait_for("two rows", lambda: len(first_cells(desk)) == 2)
    assert first_cells(desk)[0].startswith("2 runs, 000001 · "), first_cells(desk)
    desk.need("table cell", "11 (10–12)")
    desk.click(None, "More about the comparison")
    desk.key("Return")  # Repeats in One Row
    wait_for("three rows", lambda: len(first_cells(desk)) == 3)


def story_compare_plot_click(desk):
    """a mark of the plot that is clicked selects its row, with Ctrl held adds it, and what is selected is told"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", 2500, 5.0))
    found = {}
    node = plot(desk)
    x0, y0 = desk.origin()
    box = node.queryComponent().getExtents(1)
    for across in range(60, box.width, 18):  # no further apart than a mark is wide for the pointer
        for down in range(24, box.height - 60, 18):
            if len(found) == 3:
                break
            desk.xdo("mousemove", str(x0 + box.x + across), str(y0 + box.y + down))
            time.sleep(0.02)
            told = node.description or ""
            if " · " in told:
                found.setdefault(told[:6], (x0 + box.x + across, y0 + box.y + down))
    assert set(found) == {"000001", "000002", "000003"}, found
    desk.click_at(*found["000002"])
    desk.need("label", contains="differ from run 000002, the first selected")
    desk.xdo("keydown", "ctrl")
    desk.click_at(*found["000001"])
    desk.xdo("keyup", "ctrl")
    desk.need("label", contains="000001 → 000002: the effect of Offload mode")
    desk.shot("compare-plot-click")


def story_compare_plot_keys(desk):
    """the plot is reached and walked by keys: each mark tells its exact figures, and Enter selects it"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", 2500, 5.0))
    node = plot(desk)
    assert "3 settings: judged good 2, not good 0, not judged 1." in node.name, node.name
    desk.click("push button", "Sort by")
    desk.key("Escape")
    for _ in range(6):
        desk.key("Tab")
        if " · " in (plot(desk).description or ""):
            break
    desk.key("Home")
    wait_for("the quickest", lambda: plot(desk).description.startswith("000003 · "))
    desk.key("Right", "Right")
    wait_for("the slowest", lambda: plot(desk).description.startswith("000002 · "))
    told = plot(desk).description
    assert "1.22 GiB (1310720000 bytes)" in told and "34.00 s" in told and "good: pass" in told, told
    desk.key("Up")
    wait_for("the next in memory", lambda: plot(desk).description.startswith("000003 · "))
    desk.key("Return")
    desk.need("label", contains="differ from run 000003, the first selected")
    desk.shot("compare-plot-keys")


def story_compare_left_out(desk):
    """a run that has no place in the plot is listed with its reason"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", status="oom_device"))
    desk.click(None, contains="1 run not shown")
    desk.need("label", contains="000003")
    desk.need("label", "Status")
    desk.shot("compare-left-out")


def story_compare_accepted(desk):
    """what was in effect and not asked for is refused until it is accepted, which the ledger keeps"""
    runs = two_modes()
    runs[1] = runs[1].replace("</conditions>", "</conditions><effective><context_length>1024</context_length></effective>")
    runs[0] = runs[0].replace("2048</context_length>", "1024</context_length>")
    open_compare(desk, *runs)
    desk.need("table cell", contains="1024 (asked for 2048")
    select(desk, 1, 2)
    desk.need("label", contains="what was in effect is not what was asked for")
    desk.click("push button", "Accept What Was in Effect")
    desk.need("label", contains="000001 → 000002: the effect of Offload mode")
    wait_for("it to be written", lambda: "accepted" in open(desk.ledgers()[0], encoding="utf-8").read())
    desk.shot("compare-accepted")


def story_compare_found(desk):
    """effects that the ledger tells by itself are listed, and a click selects their runs"""
    open_compare(desk, *two_modes())
    desk.click(None, contains="Effects found in this ledger")
    desk.click("push button", contains="the effect of Offload mode")
    desk.need("label", contains="000001 → 000002: the effect of Offload mode")
    desk.shot("compare-found")


def story_compare_export(desk):
    """the CSV holds what is shown, the columns and the order, and a figure stands alone in its cell"""
    open_compare(desk, *two_modes())
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    desk.click_at(*desk.place(desk.need("label", "Time (s)")))
    wait_for("the slowest first", lambda: first_cells(desk)[0].startswith("000002"))
    target = export(desk, 3, "shown.csv")
    with open(target, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    titles = ["Run", "Offload mode", "Peak VRAM (GiB)", "Memory of the peak", "Time (s)"]
    assert lines[0][:5] == titles, lines[0]
    assert [line[0][:6] for line in lines[1:]] == ["000002", "000001"], lines
    assert lines[1][1:5] == ["sequential", "1.22", "VRAM", "34"] and lines[2][1:5] == ["none", "3.12", "VRAM", "10"], lines
    good = lines[0].index("good")
    assert lines[1][good] == "pass", lines[1]
    shown = {n.name for n in desk.find_all("table cell")}
    for line in lines[1:]:
        for title, text in zip(lines[0], line):
            assert title == "Memory of the peak" or any(text in s for s in shown), "“%s” is not on screen" % text


def story_compare_pictures(desk):
    """the plot and the table are saved as one picture: PDF, PNG and SVG"""
    open_compare(desk, *two_modes())
    plot(desk)
    for downs, name, begins in ((4, "shown.pdf", b"%PDF-"), (5, "shown.png", b"\x89PNG"), (6, "shown.svg", b"<?xml")):
        with open(export(desk, downs, name), "rb") as file:
            head = file.read()
        assert head.startswith(begins), name
    desk.shot("compare-saved")


def story_compare_states(desk):
    """no run and one run are told in words"""
    desk.start(ledgers.put(desk))
    desk.key("alt+4")
    desk.need("label", "Nothing to Compare Yet")
    desk.app.kill()
    desk.app.wait()
    open_compare(desk, ledgers.run(1))
    desk.need("label", contains="One trial so far.")


def story_compare_answers(desk):
    """over three runs and more, the questions whose answers depend on the run are named"""
    open_compare(desk, *two_modes(), ledgers.run(3, "model", 2500, 5.0, answers=("Plants take in carbon dioxide.", "It is 56.")))
    wait_for("three rows", lambda: len(first_cells(desk)) == 3)
    select_all(desk)
    desk.need("label", contains="1 of 2 questions were answered the same by all of them")
    desk.need("label", contains="q2: 2 different answers of 3, from character 8 on")
    desk.shot("compare-answers")


def on_cpu(run):
    """The same run where memory is the engine's own, with the weights used from the file."""
    vram = '<peak_vram kind="allocated" source="allocator" unit="bytes">1048576000</peak_vram>'
    assert vram in run
    return run.replace("<device>virtual", "<device>cpu").replace(vram, (
        '<peak_ram_engine kind="allocated" source="allocator" unit="bytes">13526630</peak_ram_engine>'
        '<peak_ram_mapped kind="file-backed" unit="bytes">124780544</peak_ram_mapped>'
        '<peak_weights kind="mapped and allocated" unit="bytes">98356428</peak_weights>'))


def story_compare_other_memory(desk):
    """a run of another kind of memory is missed nowhere: the plot says where it is, and mapped weights stand by its peak"""
    open_compare(desk, ledgers.run(1), on_cpu(ledgers.run(2, parent=ledgers.run_id(1), changed="device")))
    desk.need("label", contains="1 setting is not in this plot, since it measured other memory")
    desk.need("label", contains="Peak mapped RAM")
    desk.shot("compare-other-memory")
    desk.key("alt+2")
    desk.click("list item", contains="device")
    desk.need("label", contains="12.9 MiB + 93.8 MiB mapped weights")
    desk.shot("compare-mapped-weights")

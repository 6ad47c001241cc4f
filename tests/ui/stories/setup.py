# SPDX-License-Identifier: GPL-3.0-or-later
"""The form: values, rules, the forecast, what a child may change."""
from harness import wait_for
from stories.words import (NS, foretold, is_sensitive, locked, number, open_locks, runs_of, sensitive_text,
                           set_up, status_of, validate, wait_runs)


def story_invalid_values(desk):
    """a value that breaks a rule says so beside its field, and the trial cannot run"""
    desk.start()
    desk.key("ctrl+n")
    desk.enter("Budget", "much")
    desk.need(contains="vram_budget")
    wait_for("the error beside the field", lambda: [t for t in desk.texts() if "vram_budget" in t and "much" in t])
    desk.shot("invalid-value")
    desk.alive()


def story_virtual_device(desk):
    """a virtual device is chosen and offloaded to, foretold, run, and the record holds both figures"""
    set_up(desk)
    desk.choose("Offload mode", "group")
    wait_for("what each pass moves", lambda: [t for t in desk.texts() if "over the link in each pass" in t])
    desk.enter("Link bandwidth", "3000000000")
    wait_for("the bound", lambda: [t for t in desk.texts() if "the link alone takes at least" in t])
    desk.enter("Budget", "8MiB")
    wait_for("a forecast that does not fit", lambda: foretold(desk).startswith("Does not fit by "))
    desk.need(None, "It does not fit")
    desk.shot("forecast-over")
    desk.enter("Budget", "1GiB")
    wait_for("a forecast that fits", lambda: "where 1.00 GiB may be used" in foretold(desk))
    desk.need(None, "It fits")
    lanes = [t for t in desk.texts() if "foretold, each at its own peak" in t]
    assert len(lanes) == 2 and all("together at most" in lane for lane in lanes), lanes
    assert "Weights: " in lanes[0] and "budget: 1.00 GiB" in lanes[0], lanes[0]
    desk.shot("forecast-fits")
    desk.key("F5")
    run, = wait_runs(desk, 1)
    assert status_of(run) == "completed", status_of(run)
    for field in ("link_bytes", "link_pass_bytes", "predicted_peak_vram", "predicted_weights", "predicted_link_bytes",
                  "predicted_seconds"):
        assert number(run, "burden", field) > 0, field
    assert number(run, "burden", "predicted_peak_ram") == 0  # weights that wait are pages of the file
    predicted, measured = number(run, "burden", "predicted_peak_vram"), number(run, "burden", "peak_vram")
    assert abs(measured - predicted) <= 0.005 * measured, (predicted, measured)
    conditions = run.find(NS + "conditions")
    assert conditions.find(NS + "device").text == "virtual" and conditions.find(NS + "offload_mode").text == "group"
    desk.key("alt+1")
    desk.need(contains="1 earlier forecast, not contradicted")
    validate(desk)


story_virtual_device.needs_model = True


def story_out_of_memory(desk):
    """what ran out of memory is advised on with foretold peaks; the chosen change alone is made, and it completes"""
    set_up(desk)
    desk.enter("Budget", "120MiB")
    wait_for("a forecast that does not fit", lambda: foretold(desk).startswith("Does not fit by "))
    desk.key("F5")
    run, = wait_runs(desk, 1)
    assert status_of(run) == "oom_device", status_of(run)
    desk.click("push button", "Plan the Next Trial")
    wait_for("foretold changes", lambda: [t for t in desk.texts() if "✓ fits · predicted peak VRAM" in t])
    desk.gone(contains="being foretold…")
    desk.need(contains="Stays fixed, and is checked: ")
    desk.shot("next-foretold")
    desk.click_at(*desk.reveal(desk.need("push button", contains="Choose offload_mode: none → ")))
    wait_for("the plan in the file", lambda: runs_of(desk)[0].findall(NS + "next_trial"))
    wait_for("the padlocks", lambda: len(locked(desk)) > 20)
    assert len(open_locks(desk)) == 1, open_locks(desk)
    wait_for("a forecast that fits", lambda: foretold(desk).startswith("Fits: "))
    desk.shot("setup-offload-child")
    desk.key("F5")
    parent, child = wait_runs(desk, 2)
    assert child.get("parent") == parent.get("id") and child.get("changed") == "offload_mode", child.attrib
    assert status_of(child) == "completed", status_of(child)
    assert number(child, "burden", "peak_vram") <= 120 * 1024 * 1024
    desk.click("push button", "Plan the Next Trial")
    desk.need(contains="✓ offload_mode moved as planned (none → ")
    desk.shot("child-verdict")
    validate(desk)


story_out_of_memory.needs_model = True


def story_rules(desk):
    """what the rules of placement forbid cannot be clicked, and the rule stands beside it"""
    set_up(desk)
    assert is_sensitive(desk, "Offload mode") and is_sensitive(desk, "Moved to the GPU")
    desk.choose("Offload mode", "model")
    desk.need(contains="one offload mode is enabled, once")  # the calls are derived: no second one can be added
    desk.need("label", "enable_model_cpu_offload")
    desk.need(contains="With an offload mode the whole model must never be moved to the device")
    assert not is_sensitive(desk, "Moved to the GPU")
    desk.need(contains="A model has one placement, a device map or an offload mode")
    assert not desk.find("text", "Device map") or not sensitive_text(desk, "Device map")
    box = desk.need("combo box", "Device")
    desk.click_at(*desk.reveal(box))
    desk.choices(box)
    wait_for("why cpu cannot be taken", lambda: [n for n in desk.find_all("label", within=box)
                                                 if "on the cpu device there is nowhere to offload to" in n.name])
    desk.key("Home", "Down", "Return")  # cpu: nothing is taken
    desk.key("Escape")
    desk.shot("rules-offload")
    assert desk.find_all("label", "virtual", within=box)
    desk.choose("Offload mode", "none")
    desk.enter("Device map", "embedding=device, decoder=cpu, head=device")
    desk.need(contains="which must be reset before an offload mode is enabled")
    assert not is_sensitive(desk, "Offload mode")
    desk.shot("rules-map")
    desk.enter("Device map", "none")
    wait_for("offload modes again", lambda: is_sensitive(desk, "Offload mode"))
    desk.choose("Device", "cpu")
    desk.need(contains="On the cpu device there is nowhere to offload to")
    assert not is_sensitive(desk, "Offload mode") and not is_sensitive(desk, "Moved to the GPU")


story_rules.needs_model = True

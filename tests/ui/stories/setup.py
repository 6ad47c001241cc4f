# SPDX-License-Identifier: GPL-3.0-or-later
"""The form: values, rules, the forecast, what a child may change."""
import hashlib
import json
import os

from harness import default_model, wait_for
from stories.words import (NS, foretold, is_sensitive, locked, number, open_locks, runs_of, sensitive_text,
                           set_up, status_of, validate, wait_runs)


def story_invalid_values(desk):
    """a value that breaks a rule says so beside its field, and the trial cannot run"""
    desk.start()
    desk.key("ctrl+n")
    desk.enter("Budget", "much")
    wait_for("the error beside the field", lambda: [t for t in desk.texts() if "“Budget”" in t and "much" in t])
    desk.shot("invalid-value")
    desk.alive()


def story_broken_rules_at_once(desk):
    """all that keeps a trial from running is told at once, and Run or F5 says so where it is pressed"""
    desk.start()
    desk.key("ctrl+n")
    desk.enter("Batch size", "65")
    desk.enter("Temperature", "warm")
    desk.click("push button", "Run")
    desk.need(contains="This trial cannot run yet. ")
    desk.click("push button", "Dismiss")
    desk.gone(contains="This trial cannot run yet. ")
    desk.key("alt+3", "F5")
    desk.need(contains="This trial cannot run yet. ")
    for words in ("warm", "at most 64", "Choose a model file"):
        wait_for(words, lambda: [t for t in desk.texts() if t.startswith("This trial cannot run yet. ") and words in t])
    desk.shot("all-rules")


def story_choices(desk):
    """what is not chosen has one word, and the list marks the value that is taken"""
    set_up(desk)
    box = desk.need("combo box", "Chat format")
    desk.click_at(*desk.reveal(box))
    names = [node.name for node in desk.choices(box)]
    assert names.count("automatic") == 1 and "auto" not in names, names
    desk.key("Escape")
    desk.choose("Chat format", "raw")
    wait_for("the value in the button", lambda: desk.find_all("label", "raw", within=box))
    desk.choose("Chat format", "automatic")
    wait_for("the value in the button", lambda: desk.find_all("label", "automatic", within=box))


story_choices.needs_model = True


def story_virtual_device(desk):
    """a virtual device is chosen and offloaded to, foretold, run, and the record holds both figures"""
    set_up(desk)
    desk.choose("Offload mode", "group")
    wait_for("what each pass moves", lambda: [t for t in desk.texts() if "over the link in each pass" in t
                                              and "how long that takes is not known" in t])
    wait_for("no budget", lambda: [t for t in desk.texts() if "no budget set, " in t and " mapped" in t])
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
    desk.click_at(*desk.reveal(desk.need("push button", contains="Choose Offload mode: none → ")))
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
    desk.need(contains="✓ “Offload mode” moved as planned (none → ")
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


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def put_in_hub(desk, repository, name):
    """As huggingface_hub lays it out: the file is a blob, and a link in the snapshot of a commit."""
    root = desk.path("cache", "huggingface", "hub", "models--" + repository.replace("/", "--"))
    write(os.path.join(root, "refs", "main"), COMMIT)
    blob = os.path.join(root, "blobs", hashlib.sha256(name.encode()).hexdigest())
    os.makedirs(os.path.dirname(blob), exist_ok=True)
    os.symlink(default_model(), blob)
    link = os.path.join(root, "snapshots", COMMIT, name)
    os.makedirs(os.path.dirname(link), exist_ok=True)
    os.symlink(os.path.relpath(blob, os.path.dirname(link)), link)


def put_in_ollama(desk, name, tag, digest, model=None):
    """As ollama lays it out: a manifest names a blob, which may not be there yet."""
    models = desk.path(".ollama", "models")
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:" + digest, "size": 1}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json", "layers": [layer]}
    write(os.path.join(models, "manifests", "registry.ollama.ai", "library", name, tag), json.dumps(manifest))
    os.makedirs(os.path.join(models, "blobs"), exist_ok=True)
    if model is not None:
        os.symlink(model, os.path.join(models, "blobs", "sha256-" + digest))


def models_in_sight(desk):
    return desk.laid_out(lambda item: item.role == "list item" and "smollm2" in item.name.lower(), inner=True)


def choose_model(desk, query, *skipped):
    """Opens the list of models, sees what is skipped and why, and takes the one that the query leaves."""
    desk.key("ctrl+n")
    desk.click(None, "Choose a model")
    wait_for("the models", lambda: models_in_sight(desk))
    for words in skipped:
        wait_for(words, lambda: [t for t in desk.texts() if words in t])
    desk.shot("models-found")
    desk.type(query)
    wait_for("one model", lambda: len(models_in_sight(desk)) == 1)
    desk.key("Return")
    wait_for("a forecast", lambda: foretold(desk).startswith("Fits: "))


def story_model_in_hub(desk):
    """a model of the Hugging Face cache is found with its commit and run; an unfinished one and an image model say why not"""
    put_in_hub(desk, "HuggingFaceTB/SmolLM2-135M-Instruct-GGUF", "smollm2-135m-instruct-q4_1.gguf")
    hub = desk.path("cache", "huggingface", "hub")
    write(os.path.join(hub, "models--bartowski--Half", "blobs", "f" * 64 + ".incomplete"), "GGUF")
    image = os.path.join(hub, "models--stabilityai--sdxl-turbo", "snapshots", COMMIT)
    write(os.path.join(image, "model_index.json"), '{"_class_name": "StableDiffusionXLPipeline"}')
    write(os.path.join(image, "unet", "diffusion_pytorch_model.safetensors"), "x")
    desk.start()
    choose_model(desk, "smollm2", "stabilityai/sdxl-turbo", "cannot be used: an incomplete download")
    desk.need("label", contains="0123456789")  # the revision
    desk.enter("Prompt", "Which gas do plants take in?")
    desk.enter("Longest answer", "4")
    wait_for("a forecast", lambda: foretold(desk).startswith("Fits: "))
    desk.key("F5")
    run, = wait_runs(desk, 1)
    assert status_of(run) == "completed", status_of(run)
    conditions = run.find(NS + "conditions")
    assert conditions.find(NS + "model_revision").text == COMMIT
    assert conditions.find(NS + "model_id").text == "HuggingFaceTB/SmolLM2-135M-Instruct-GGUF"
    assert conditions.find(NS + "quantization").text == "Q4_1"
    validate(desk)


story_model_in_hub.needs_model = True


def story_model_in_ollama(desk):
    """a model of Ollama is found by its manifest and chosen; one whose blob is not there says so"""
    put_in_ollama(desk, "smollm2", "135m", "a" * 64, default_model())
    put_in_ollama(desk, "llama3", "latest", "b" * 64)
    desk.start()
    choose_model(desk, "smollm2", "Ollama · cannot be used: an incomplete download")
    desk.need("label", "smollm2:135m")
    desk.need("label", "llama")


story_model_in_ollama.needs_model = True


def story_help_by_keyboard(desk):
    """what a field means opens by Tab and space beside it: unit, values and axis"""
    desk.start()
    desk.key("ctrl+n")
    desk.enter("Context length", "512")
    desk.key("Tab", "space")
    help_text = desk.need("label", contains="In the record: context_length").name
    for words in ("Tokens of prompt and answer together", "Unit: tokens", "From 1 to 2147483647", "axis input_scale"):
        assert words in help_text, help_text
    desk.shot("help")
    desk.key("Escape")
    desk.gone("label", contains="In the record: context_length")


def drafts(desk):
    folder = desk.path("state", "assay", "drafts")
    return [name for name in os.listdir(folder) if name.endswith(".draft")] if os.path.isdir(folder) else []


def story_draft_survives(desk):
    """what was being set up is there again after the program was killed, and is gone once it is run"""
    set_up(desk)
    wait_for("the draft on disk", lambda: drafts(desk) == ["new.draft"] and "max_tokens=8" in
             open(desk.path("state", "assay", "drafts", "new.draft")).read())
    desk.app.kill()
    desk.app.wait()
    desk.start()
    desk.need(contains="The trial that was being set up is restored from ")
    desk.click("push button", "Show")
    wait_for("its forecast", lambda: "device memory" in foretold(desk))
    desk.shot("draft-restored")
    desk.key("F5")
    run, = wait_runs(desk, 1)
    conditions = run.find(NS + "conditions")
    assert conditions.find(NS + "prompt").text == "Which gas do plants take in?"
    assert conditions.find(NS + "device").text == "virtual" and conditions.find(NS + "max_tokens").text == "8"
    wait_for("no draft", lambda: not drafts(desk))


story_draft_survives.needs_model = True


def editors(desk):
    """What a value can be entered with, of the whole form."""
    import pyatspi
    form = desk.find(None, "AssaySetupView")
    return [n.name for role in ("text", "combo box") for n in desk.find_all(role, within=form)
            if n.getState().contains(pyatspi.STATE_SENSITIVE)]


def open_sample_child(desk):
    sample = os.path.join(os.environ["ASSAY_SOURCE_ROOT"], "data", "samples", "sample.ledger.xml")
    with open(sample, encoding="utf-8") as file:
        write(os.path.join(desk.library, "sample.ledger.xml"), file.read())
    desk.start(os.path.join(desk.library, "sample.ledger.xml"))
    desk.need("list item", contains="baseline, ")
    desk.key("alt+1")
    wait_for("the padlocks", lambda: len(locked(desk)) > 20)


def change_instead(desk, field):
    """By the button above the form: its list opens in a window of its own, and keys reach it."""
    desk.click(None, "Change Something Else")
    desk.press_down_to(lambda item: item.name == field)


def story_one_lock_moves(desk):
    """a padlock opens to move the one lock to its field; two changes cannot be entered"""
    open_sample_child(desk)
    first = open_locks(desk)
    assert len(first) == 1, first
    desk.click_at(*desk.reveal(desk.need(None, "Batch size is held fixed")))
    desk.need("push button", "Change This Instead")
    desk.key("Return")
    wait_for("one lock at the batch size", lambda: len(open_locks(desk)) == 1 and
             not desk.find(None, "Batch size is held fixed"))
    desk.enter("Batch size", "2")
    assert editors(desk) == ["Batch size"], editors(desk)
    desk.click_at(*desk.reveal(desk.need(None, "Context length is held fixed")))
    desk.need("push button", "Change This Instead")
    desk.key("Return")
    wait_for("one lock at the context", lambda: desk.find(None, "Batch size is held fixed") and
             not desk.find(None, "Context length is held fixed"))
    assert len(open_locks(desk)) == 1, open_locks(desk)
    desk.shot("lock-moved")
    change_instead(desk, "Data type")
    wait_for("one lock at the data type", lambda: desk.find(None, "Context length is held fixed") and
             not desk.find(None, "Data type is held fixed"))
    assert editors(desk) == ["Data type"], editors(desk)
    assert len(open_locks(desk)) == 1, open_locks(desk)
    desk.click("push button", "Start a New Baseline")
    desk.gone(None, contains=" is held fixed")
    assert not open_locks(desk)


def story_forecast_follows(desk):
    """the forecast follows a change, shows which colour is what, and says what does not fit"""
    set_up(desk)
    before = foretold(desk)
    for category in ("Weights", "KV cache", "Activations"):
        desk.need("label", category)
    desk.enter("Context length", "2048")
    wait_for("less memory", lambda: foretold(desk) != before and foretold(desk).startswith("Fits: "))
    desk.enter("Budget", "64 MiB")
    wait_for("what is missing", lambda: foretold(desk).startswith("Does not fit by "))
    desk.enter("Budget", "much")
    desk.need(contains="The forecast waits for a valid value")


story_forecast_follows.needs_model = True


def story_question_set(desk):
    """a question set is chosen from a file, foretold and run, and the ledger keeps it"""
    path = desk.path("mine.questions.xml")
    write(path, '<questions xmlns="urn:assay:questions:1" version="1.0" name="mine"><question id="gas" language="en">'
          '<text>Which gas do plants take in?</text><expected>carbon dioxide</expected><hint>carbon</hint></question>'
          '</questions>')
    desk.put_default_model()
    desk.start()
    choose_model(desk, "SmolLM2")
    desk.enter("Longest answer", "4")
    desk.click_at(*desk.reveal(desk.need("push button", "Question set", sensitive=True)))
    desk.pick("Questions of a File")
    desk.need_in_dialog(None, "Open")
    desk.type(path)
    desk.key("Return")
    desk.need(contains="1 question")
    desk.key("F5")
    run, = wait_runs(desk, 1)
    assert [o.get("question") for o in run.iter(NS + "output")] == ["gas"]
    assert "mine" in run.find(NS + "conditions").find(NS + "question_set").text


story_question_set.needs_model = True

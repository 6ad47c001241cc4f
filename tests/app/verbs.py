#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every verb of the command line, as a script would use it: output, exit status, and the ledger it leaves. TAP.

Usage: verbs.py ASSAY MAKE_TINY_MODEL SOURCE_ROOT"""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from home import ASSAY, SOURCE, Home, Skip, run_cases

MAKE_MODEL = os.path.abspath(sys.argv[2])
NAMESPACE = "{urn:assay:ledger:1}"
CASES = []


def case(function):
    CASES.append(function)
    return function


class Bench(Home):
    """With a small model in it."""

    def __init__(self):
        super().__init__()
        self.model = os.path.join(self.home, "tiny.gguf")
        subprocess.run([MAKE_MODEL, self.model], check=True)

    def run_trial(self, *more, expect=0):
        return self.json("run", "--ledger", self.ledger, "--set", f"model_path={self.model}", "--set", "max_tokens=6",
                         "--set", "seed=3", "--set", "threads=1", *more, expect=expect)

    def runs(self):
        return self.json("list", self.ledger)

    def xml(self):
        return ElementTree.parse(self.ledger).getroot()


@case
def help_lists_every_verb_and_unknown_words_are_usage_errors(b):
    text = b.assay("--help").stdout
    for verb in "run list show compare review next queue import export validate models inspect tokenize logits quantize fields devices version".split():
        assert f"assay {verb}" in text, verb
    b.assay("no-such-verb", expect=2)
    b.assay("list", "--no-such-option", expect=2)
    b.assay("show", b.ledger, expect=2)


@case
def fields_devices_and_version_answer_in_json(b):
    names = {f["name"] for f in b.json("fields")}
    for name in ("run_id model_id model_revision weight_format dtype quantization quantization_method quantized_modules runtime "
                 "device offload_mode offload_api pipeline_moved_to_cuda device_map attached_components input_size "
                 "context_length width height batch_size steps peak_vram peak_ram elapsed_seconds status quality_note "
                 "next_trial input_tokens output_tokens guidance seed scheduler").split():
        assert name in names, name
    devices = b.json("devices")
    cpu = [d for d in devices if d["name"] == "cpu"]
    assert cpu and cpu[0]["problem"] is None and cpu[0]["memory_bytes"] > 0, devices
    assert all(d["problem"] for d in devices if d["name"].startswith("cuda")) or os.path.exists("/dev/nvidia0"), devices
    assert b.json("version")["name"] == "assay"


@case
def a_run_is_written_down_with_conditions_burden_and_outcome_apart(b):
    b.run_trial("--prompt", "the cat")
    run, = b.xml().findall(f"{NAMESPACE}run")
    assert run.find(f"{NAMESPACE}conditions/{NAMESPACE}prompt").text == "the cat"
    assert run.find(f"{NAMESPACE}outcome/{NAMESPACE}status").text == "completed"
    peak = run.find(f"{NAMESPACE}burden/{NAMESPACE}peak_ram")
    assert int(peak.text) > 0 and peak.get("source") and peak.get("kind"), peak.attrib
    vram = run.find(f"{NAMESPACE}burden/{NAMESPACE}peak_vram")
    assert vram.get("unknown") and not vram.text, "the cpu device has no VRAM: unknown, never 0"
    listed, = b.runs()
    assert listed["feasibility"] == "pass" and listed["quality"] == "not judged", listed


@case
def the_question_set_is_asked_question_by_question(b):
    b.run_trial("--questions", "basic-12")
    outputs = b.xml().findall(f"{NAMESPACE}run/{NAMESPACE}outcome/{NAMESPACE}output")
    assert len(outputs) == 12, len(outputs)
    assert len({o.get("question") for o in outputs}) == 12


@case
def the_same_seed_gives_the_same_text_whatever_the_threads(b):
    texts = set()
    for i in range(10):
        b.run_trial("--prompt", "the cat sat", "--set", "temperature=0.9", "--set", f"threads={1 + i % 3}")
    for run in b.xml().findall(f"{NAMESPACE}run"):
        texts.add("".join(run.find(f"{NAMESPACE}outcome/{NAMESPACE}output").itertext()))
    assert len(texts) == 1, texts


@case
def a_review_judges_quality_and_nothing_else(b):
    b.run_trial("--prompt", "the cat")
    run = b.runs()[0]["run_id"]
    b.assay("review", b.ledger, run, "--reviewer", "kim", "--score", "no_such=4", "--verdict", "pass", expect=2)
    b.assay("review", b.ledger, run, "--reviewer", "kim", "--score", "groundedness=9", "--verdict", "pass", expect=2)
    b.assay("review", b.ledger, run, "--reviewer", "kim", expect=2)
    assert b.runs()[0]["quality"] == "not judged"
    b.assay("review", b.ledger, run[:18], "--reviewer", "kim", "--score", "groundedness=2", "--verdict", "fail", "--note", "made up")
    listed, = b.runs()
    assert listed["quality"] == "fail" and listed["feasibility"] == "pass" and listed["status"] == "completed", listed


@case
def next_names_candidates_records_the_choice_and_runs_a_child_with_one_change(b):
    b.run_trial("--prompt", "the cat")
    run = b.runs()[0]["run_id"]
    b.assay("review", b.ledger, run, "--reviewer", "kim", "--score", "groundedness=1", "--verdict", "fail")
    advice = b.json("next", b.ledger, run)
    assert advice["signal"] == "quality_miss" and advice["candidates"] and advice["held"], advice
    k = next(i for i, c in enumerate(advice["candidates"], 1) if c["field"] == "prompt")
    b.assay("next", b.ledger, run, "--choose", str(k), expect=4)  # the new prompt is the person's to say
    b.assay("next", b.ledger, run, "--choose", "99", "--to", "x", expect=4)
    b.assay("next", b.ledger, run, "--choose", str(k), "--to", "the dog", "--note", "another subject")
    planned = b.xml().find(f"{NAMESPACE}run/{NAMESPACE}next_trial")
    assert planned.get("axis") == "prompt" and planned.get("to") == "the dog", planned.attrib
    b.assay("next", b.ledger, run, "--run")
    parent, child = b.runs()
    assert child["parent"] == run, child
    compared, = b.json("compare", b.ledger, run, child["run_id"])
    assert compared["axes"] == ["prompt"] and compared["kind"] != "confounded", compared


@case
def a_child_with_two_changes_is_refused_naming_both(b):
    b.run_trial("--prompt", "the cat")
    run = b.runs()[0]["run_id"]
    done = b.assay("run", "--ledger", b.ledger, "--from", run, "--set", "temperature=1", "--set", "context_length=64", expect=4)
    assert "context_length" in done.stderr and "temperature" in done.stderr, done.stderr
    assert len(b.runs()) == 1
    b.assay("run", "--ledger", b.ledger, "--from", run, "--set", "context_length=64")
    assert b.runs()[1]["parent"] == run


@case
def a_child_of_a_question_set_may_ask_one_prompt(b):
    b.run_trial("--questions", "basic-12")
    run = b.runs()[0]["run_id"]
    b.assay("run", "--ledger", b.ledger, "--from", run, "--set", "prompt=the dog")
    b.assay("run", "--ledger", b.ledger, "--from", run, "--prompt", "the dog")
    assert [r["status"] for r in b.runs()] == ["completed"] * 3
    compared, = b.json("compare", b.ledger, run, b.runs()[1]["run_id"])
    assert compared["axes"] == ["prompt"], compared


@case
def broken_rules_bad_fields_and_bad_models_are_told_apart_and_kept(b):
    b.assay("run", "--ledger", b.ledger, "--set", "no_such_field=1", expect=2)
    b.assay("run", "--ledger", b.ledger, "--set", "context_length=many", "--prompt", "x", expect=2)
    b.assay("run", "--ledger", b.ledger, "--prompt", "x", expect=2)  # no model
    b.run_trial("--prompt", "x", "--set", "offload_mode=sequential", expect=4)
    done = b.assay("plan", "--set", f"model_path={b.model}", "--prompt", "", expect=4)  # as the run would be
    assert "nothing is asked" in done.stderr, done.stderr
    b.assay("run", "--ledger", os.path.join(b.home, "empty.ledger.xml"), "--set", f"model_path={b.model}", "--prompt", "", expect=4)
    broken = os.path.join(b.home, "broken.gguf")
    with open(broken, "wb") as file:
        file.write(b"GGUF\3\0\0\0" + b"\xff" * 40)
    done = b.assay("run", "--ledger", b.ledger, "--set", f"model_path={broken}", "--prompt", "x", expect=14)
    assert "broken.gguf" in done.stderr, done.stderr
    long_prompt = "the cat " * 400
    done = b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--set", "context_length=32", "--prompt", long_prompt, expect=4)
    assert "32" in done.stderr, done.stderr
    statuses = [r["status"] for r in b.runs()]
    assert statuses == ["invalid", "load_failed", "invalid"], statuses
    assert all(r["feasibility"] == "fail" and r["quality"] == "not judged" for r in b.runs())


@case
def a_budget_too_small_is_out_of_memory_and_leaves_a_record(b):
    done = subprocess.run([ASSAY, "run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--set", "vram_budget=4KiB",
                           "--prompt", "the cat"], env=b.environment, capture_output=True, text=True, timeout=60)
    assert done.returncode in (10, 11), done
    listed, = b.runs()
    assert listed["status"] in ("oom_device", "oom_host") and listed["feasibility"] == "fail", listed
    advice = b.json("next", b.ledger, listed["run_id"])
    assert advice["signal"] == listed["status"] and advice["candidates"], advice
    b.run_trial("--prompt", "the cat")


@case
def an_interrupt_cancels_and_is_written_down(b):
    big = os.path.join(b.home, "big.gguf")
    subprocess.run([MAKE_MODEL, big, "F32", "8192", "200"], check=True)
    child = subprocess.Popen([ASSAY, "run", "--ledger", b.ledger, "--set", f"model_path={big}", "--set", "max_tokens=8000",
                              "--set", "context_length=8192", "--set", "temperature=1", "--questions", "basic-12"],
                             env=b.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    if child.poll() is not None:
        raise Skip("the run ended before it could be interrupted")
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=60)
    assert child.returncode == 13, (child.returncode, stderr)
    assert [r["status"] for r in b.runs()] == ["cancelled"]


@case
def a_killed_run_is_found_again_as_interrupted(b):
    big = os.path.join(b.home, "big.gguf")
    subprocess.run([MAKE_MODEL, big, "F32", "8192", "200"], check=True)
    child = subprocess.Popen([ASSAY, "run", "--ledger", b.ledger, "--set", f"model_path={big}", "--set", "max_tokens=8000",
                              "--set", "context_length=8192", "--set", "temperature=1", "--questions", "basic-12"],
                             env=b.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.0)
    if child.poll() is not None:
        raise Skip("the run ended before it could be killed")
    child.kill()
    child.wait()
    done = b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--set", "max_tokens=2", "--prompt", "the cat")
    assert "interrupted" in done.stderr, done.stderr
    assert sorted(r["status"] for r in b.runs()) == ["completed", "interrupted"]


@case
def exports_carry_every_run_and_the_plain_record_comes_back(b):
    shown = b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--set", "max_tokens=6", "--prompt", "the cat").stdout
    assert "[]" not in shown, shown  # a prompt has no question's name
    b.run_trial("--prompt", "=SUM(A1)\nsecond line, \"quoted\"")
    assert b.assay("export", b.ledger, "--format", "csv").stdout.count("completed") == 2
    assert len(json.loads(b.assay("export", b.ledger, "--format", "json").stdout)["runs"]) == 2
    assert "completed" in b.assay("export", b.ledger, "--format", "md").stdout
    plain = os.path.join(b.home, "plain.txt")
    b.assay("export", b.ledger, "--format", "kv", "-o", plain)
    other = os.path.join(b.home, "other.ledger.xml")
    assert b.json("import", plain, "--ledger", other) == {"added": 2, "read": 2}
    assert b.json("import", plain, "--ledger", other) == {"added": 0, "read": 2}
    back = ElementTree.parse(other).getroot().findall(f"{NAMESPACE}run")
    assert [r.get("id") for r in back] == [r["run_id"] for r in b.runs()]
    b.assay("export", b.ledger, "--format", "xls", expect=2)


@case
def validate_gives_a_verdict_a_file(b):
    b.run_trial("--prompt", "the cat")
    cut = os.path.join(b.home, "cut.ledger.xml")
    with open(b.ledger, "rb") as whole, open(cut, "wb") as file:
        file.write(whole.read()[:-40])
    cut_model = os.path.join(b.home, "cut.gguf")
    with open(b.model, "rb") as whole, open(cut_model, "wb") as file:
        file.write(whole.read()[:-40])
    b.assay("validate", b.ledger, b.model)
    done = b.assay("validate", b.ledger, cut, b.model, cut_model, expect=3)
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and [": ok" in line for line in lines] == [True, False, True, False], lines
    verdicts = json.loads(b.assay("validate", cut_model, "--json", expect=3).stdout)
    assert verdicts[0]["reason"] and verdicts[0]["offset"] >= -1, verdicts


@case
def models_inspect_tokenize_and_logits_describe_a_file(b):
    found = b.json("models", b.home)
    assert [m["path"] for m in found if m["problem"] is None] == [b.model], found
    assert b.json("inspect", b.model), "a report"
    one = b.assay("tokenize", b.model, "the cat").stdout.split()
    many = b.assay("tokenize", b.model, "--lines", stdin='"the cat"\n"a\\nb"\n').stdout.splitlines()
    assert many[0].split() == one and len(many) == 2, many
    logits = json.loads(b.assay("logits", b.model, "--prompt", "the cat", "--top", "5", "--json").stdout)
    assert len(logits) == 5 and all(x["logit"] >= y["logit"] for x, y in zip(logits, logits[1:])), logits
    b.assay("inspect", os.path.join(b.home, "absent.gguf"), expect=3)


@case
def a_ledger_that_cannot_be_read_is_refused_and_left_alone(b):
    with open(b.ledger, "wb") as file:
        file.write(b"<ledger")
    done = b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "x", expect=3)
    assert b.ledger in done.stderr, done.stderr
    with open(b.ledger, "rb") as file:
        assert file.read() == b"<ledger"


@case
def outputs_never_replace_what_somebody_else_wrote(b):
    b.run_trial("--prompt", "the cat")
    with open(b.ledger, "rb") as file:
        before = file.read()
    with open(b.model, "rb") as file:
        model = file.read()
    link = os.path.join(b.home, "link.txt")
    os.symlink(b.ledger, link)
    for target in (b.ledger, link, os.path.join(b.home, "other.ledger.xml")):
        b.assay("export", b.ledger, "--format", "md", "-o", target, expect=2)
    for target in (b.ledger, b.model, b.home, os.path.join(b.home, "absent", "s.csv")):
        b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "x", "--samples", target, expect=2)
    with open(b.ledger, "rb") as file:
        assert file.read() == before
    with open(b.model, "rb") as file:
        assert file.read() == model


@case
def every_repeat_keeps_its_samples(b):
    samples = os.path.join(b.home, "samples.csv")
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "the cat", "--samples", samples)
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "the cat", "--samples", samples)
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "the cat", "--samples", samples,
            "--repeats", "2")
    for name in ("samples.csv", "samples-1.csv", "samples-2.csv"):
        with open(os.path.join(b.home, name), encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        times = [int(row.split(",")[0]) for row in rows]
        assert header.startswith("t_ns") and times and times == sorted(times), (name, header, times)
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "x", "--repeats", "0", expect=2)


@case
def any_locale_and_any_bytes_will_do(b):
    b.environment["LANG"] = "C"
    b.run_trial("--prompt", "日本 é")
    assert "✓" in b.assay("list", b.ledger).stdout
    odd = os.path.join(os.fsencode(b.home), b"odd\xff.gguf")
    shutil.copy(b.model, odd)
    done = subprocess.run([ASSAY, "run", "--ledger", b.ledger, "--set", b"model_path=" + odd, "--prompt", "x", "--set",
                           "max_tokens=2"], env=b.environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    json.loads(subprocess.run([ASSAY, "models", b.home, "--json"], env=b.environment, capture_output=True).stdout.decode("utf-8"))


@case
def what_was_asked_for_stays_beside_what_was(b):
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "x", "--set", "max_tokens=2",
            "--set", "model_id=my name", "--set", "model_revision=abc")
    conditions = b.xml().find(f"{NAMESPACE}run/{NAMESPACE}conditions")
    assert conditions.find(f"{NAMESPACE}model_id").text == "my name"
    assert conditions.find(f"{NAMESPACE}model_revision").text == "abc"
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "x", "--set", "quantization=Q2_K", expect=4)


@case
def a_plan_ends_as_its_run_would(b):
    for settings, status in ((["device=virtual"], 0), (["device=virtual", "vram_budget=1000"], 10), (["vram_budget=1000"], 10),
                             (["device=virtual", "offload_mode=group", "quantization=Q4_0", "ram_budget=100"], 11),
                             (["device=virtual", "offload_mode=model", "pipeline_moved_to_cuda=true"], 4),
                             (["quantization=Q4_0", "quantization_method=bitsandbytes"], 4),
                             (["quantization=none", "quantized_modules=ffn_*"], 4),
                             (["device=virtual", "device_map=decoder=cpu"], 4)):
        told = ["--set", f"model_path={b.model}", "--prompt", "x", "--set", "max_tokens=2"]
        for setting in settings:
            told += ["--set", setting]
        b.assay("plan", *told, expect=status)
        b.assay("run", "--ledger", b.ledger, *told, expect=status)


@case
def one_thing_at_a_time(b):
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--prompt", "x", "--set", "max_tokens=2")
    parent = b.xml().find(f"{NAMESPACE}run").get("id")
    child = ["run", "--ledger", b.ledger, "--from", parent]
    for two in (["temperature=1", "top_k=4"], ["kv_cache_type=float32", "max_tokens=3"]):
        done = b.assay(*child, "--set", two[0], "--set", two[1], expect=4)
        for setting in two:
            assert setting.split("=")[0] in done.stderr, done.stderr
    b.assay(*child, "--set", "max_tokens=3")
    assert b.xml().findall(f"{NAMESPACE}run")[-1].get("changed") == "max_tokens"


@case
def a_save_that_cannot_succeed_is_told_before_the_run(b):
    done = b.assay("run", "--ledger", os.path.join(b.home, "absent", "x.ledger.xml"), "--set", f"model_path={b.model}",
                   "--prompt", "x", expect=3)
    assert "absent" in done.stderr, done.stderr
    broken = os.path.join(b.home, "broken.questions.xml")
    with open(broken, "w", encoding="utf-8") as file:
        file.write("<questions")
    b.assay("run", "--ledger", b.ledger, "--set", f"model_path={b.model}", "--questions", broken, expect=3)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([ASSAY, "fields"], env=b.environment, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 14, done


@case
def quantize_writes_a_model_that_runs_and_replaces_nothing(b):
    made = os.path.join(b.home, "made.gguf")
    report = b.json("quantize", b.model, "--method", "q4_k", "--out", made)
    assert report["bytes"] == os.path.getsize(made) < report["bytes_before"] and report["was_quantized"], report
    fallen = [c for c in report["changes"] if c["fell_back"]]
    assert fallen and all(c["to"] == "Q5_0" for c in fallen), report
    b.assay("validate", made)
    b.run_trial("--prompt", "the cat", "--set", f"model_path={made}")
    assert b.runs()[-1]["status"] == "completed", b.runs()
    before = open(made, "rb").read()
    done = b.assay("quantize", b.model, "--method", "q8_0", "--out", made, expect=4)
    assert "--force" in done.stderr, done.stderr
    assert open(made, "rb").read() == before
    b.assay("quantize", b.model, "--method", "f16", "--out", made, "--force", "--threads", "1")
    assert open(made, "rb").read() != before
    done = b.assay("quantize", b.model, "--method", "q8_0", "--out", b.model, "--force", expect=4)
    assert "model that is read" in done.stderr, done.stderr
    b.assay("quantize", b.model, "--out", made, expect=2)
    b.assay("quantize", b.model, "--method", "q9", "--out", made, expect=2)
    b.assay("quantize", b.model, "--method", "q8_0", "--out", made, "--force", "--threads", "1025", expect=2)
    for method in ("nf4", "nf4-double", "int8"):
        done = b.assay("quantize", b.model, "--method", method, "--out", os.path.join(b.home, "x.gguf"), expect=4)
        assert "have no place in a GGUF" in done.stderr, done.stderr
    b.assay("quantize", b.model, "--method", "q8_0", "--modules", "no_such", "--out", os.path.join(b.home, "x.gguf"), expect=4)
    b.assay("quantize", os.path.join(b.home, "absent.gguf"), "--method", "q8_0", "--out", os.path.join(b.home, "x.gguf"), expect=3)
    b.assay("quantize", b.model, "--method", "q8_0", "--out", os.path.join(b.home, "absent", "x.gguf"), expect=14)
    left = [name for name in os.listdir(b.home) if ".tmp-" in name or name == "x.gguf"]
    assert not left, left


@case
def quantize_writes_bitsandbytes_folders_of_folders(b):
    source, made = os.path.join(SOURCE, "tests", "data", "families", "mistral"), os.path.join(b.home, "made")
    report = b.json("quantize", source, "--method", "nf4-double", "--out", made)
    assert report["bytes"] == os.path.getsize(os.path.join(made, "model.safetensors")), report
    with open(os.path.join(made, "config.json"), encoding="utf-8") as file:
        assert json.load(file)["quantization_config"]["bnb_4bit_use_double_quant"] is True
    b.assay("quantize", source, "--method", "nf4", "--out", made, "--force", expect=4)
    b.assay("quantize", source, "--method", "q8_0", "--out", os.path.join(b.home, "made.gguf"))
    b.assay("validate", os.path.join(b.home, "made.gguf"))


def stop_quantize_at_work(b, number):
    """Begins to quantize a large model, stops it by a signal once its file grows; exit status and messages."""
    large = os.path.join(b.home, "large.gguf")
    subprocess.run([MAKE_MODEL, large, "F32", "512", "600"], check=True)
    process = subprocess.Popen([ASSAY, "quantize", large, "--method", "q4_k", "--out", os.path.join(b.home, "made.gguf"), "--threads", "1"],
                               env=b.environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not any(".tmp-" in name for name in os.listdir(b.home)):
        assert process.poll() is None and time.monotonic() < deadline, "ended before it could be interrupted"
    process.send_signal(number)
    return process.communicate(timeout=60)[1], process.returncode


def half_written(b):
    return [name for name in os.listdir(b.home) if ".tmp-" in name or name == "made.gguf"]


@case
def an_interrupted_quantize_leaves_nothing(b):
    messages, status = stop_quantize_at_work(b, signal.SIGINT)
    assert status == 13 and messages == "assay: cancelled; nothing was written\n", (status, messages)
    assert not half_written(b), half_written(b)


@case
def what_a_killed_quantize_left_goes_with_the_next(b):
    stop_quantize_at_work(b, signal.SIGKILL)
    assert half_written(b)
    b.assay("quantize", b.model, "--method", "q8_0", "--out", os.path.join(b.home, "small.gguf"))
    assert not half_written(b), half_written(b)


@case
def c62_eight_writers_of_fifty_runs_end_with_four_hundred(b):
    """Each writer is a process that opens the ledger, adds ten runs and saves; five of them one after another in each of eight rows."""
    def write(row):
        for step in range(5):
            plain = os.path.join(b.home, f"{row}-{step}.txt")
            with open(plain, "w", encoding="utf-8") as file:
                file.write("\n".join(f"run_id: r{row}-{step}-{i}\nmodel_id: m{row}\nstatus: completed\n" for i in range(10)))
            b.assay("import", plain, "--ledger", b.ledger)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    ids = [r["run_id"] for r in b.runs()]
    assert len(ids) == 400 == len(set(ids)), (len(ids), len(set(ids)))
    assert set(ids) == {f"r{row}-{step}-{i}" for row in range(8) for step in range(5) for i in range(10)}


if __name__ == "__main__":
    run_cases(CASES, Bench)

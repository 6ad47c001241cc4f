# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers that stories about judging begin with: made-up runs, written as a person could by hand."""
import os
from xml.sax.saxutils import escape, quoteattr

QUESTIONS = (("q1", "Which gas do plants take in?", "carbon dioxide"), ("q2", "What is 7 times 8?", "56"))
CRITERIA = """<criteria><feasibility vram_budget="4294967296"/><quality>
<criterion id="expected_answer_seen" kind="yes_no" pass="1" per_question="true"/>
<criterion id="groundedness" kind="scale" low="invented" high="supported" pass="4"/></quality>
<operation mean_latency_seconds="30"/></criteria>"""


def run(number, mode="none", vram=1000, seconds=10.0, context=2048, status="completed", parent=None, changed=None,
        title="tiny-model", answers=("Plants take in carbon dioxide.", "It is 54."), reviews="", **conditions):
    """One run; vram in MiB."""
    values = dict(model_id=title, dtype="float32", compute_dtype="int8", quantization="Q4_1", device="virtual",
                  offload_mode=mode, context_length=context, max_tokens=32, temperature=0, seed=0, **conditions)
    burden = "" if status == "oom_device" else (
        '<peak_vram kind="allocated" source="allocator" unit="bytes">%d</peak_vram><elapsed_seconds>%s'
        '</elapsed_seconds><generate_tokens_per_second>%s</generate_tokens_per_second>'
        % (vram << 20, seconds, round(64 / seconds, 3)))
    outputs = "" if status == "oom_device" else "".join(
        '<output question="%s" tokens="8" finish="stop">%s</output>' % (question[0], escape(answer))
        for question, answer in zip(QUESTIONS, answers))
    link = "".join(" %s=%s" % (k, quoteattr(v)) for k, v in (("parent", parent), ("changed", changed)) if v)
    return ('<run id="%s"%s><conditions>%s</conditions><burden>%s</burden><outcome><status>%s</status>%s</outcome>%s</run>'
            % (run_id(number), link, "".join("<%s>%s</%s>" % (k, escape(str(v)), k) for k, v in values.items()), burden,
               status, outputs, reviews))


def run_id(number):
    return "20261130T07%02d00Z-%06x" % (number, number)


def review(number, who="Kim", verdict="pass", groundedness=4):
    return ('<review id="r%d" reviewer="%s" at="2026-11-30T08:00:00Z" blind="false"><score criterion="groundedness">%d'
            '</score><verdict>%s</verdict></review>' % (number, who, groundedness, verdict))


def put(desk, *runs, title="Two settings", criteria=CRITERIA):
    """Writes the ledger into the library. Returns its path."""
    os.makedirs(desk.library, exist_ok=True)
    path = os.path.join(desk.library, "judged.ledger.xml")
    questions = "".join("<question id=\"%s\" language=\"en\"><text>%s</text><expected>%s</expected></question>" % q
                        for q in QUESTIONS)
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<ledger xmlns="urn:assay:ledger:1" version="1.0" '
                   'id="00000000-0000-4000-8000-00000000a55a" title=%s task="language">%s<questions>%s</questions>%s'
                   '</ledger>\n' % (quoteattr(title), criteria, questions, "".join(runs)))
    return path

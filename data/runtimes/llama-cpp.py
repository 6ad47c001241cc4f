#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""llama.cpp through llama-cpp-python, as a runtime of Assay. Needs: pip install llama-cpp-python"""
import os
import sys

sys.dont_write_bytecode = True
sys.path = [p for p in sys.path if os.path.realpath(p or ".") != os.path.dirname(os.path.realpath(__file__))]
sys.path.append(os.path.dirname(os.path.realpath(__file__)))  # behind the packages: files beside this have names of theirs
import assay_protocol as assay  # noqa: E402

CACHE_TYPES = {"float32": 0, "float16": 1, "q8_0": 8}  # ggml's numbers
OFFLOADS = ("none",)


def open_model(told):
    import llama_cpp
    assay.version("llama_cpp_python")
    device = told.text("device", "cpu")
    on_card = device != "cpu"
    if told.text("offload_mode", "none") not in OFFLOADS:
        told.refuse("offload_mode", "llama.cpp keeps its layers where they are; choose none")
    if on_card and not llama_cpp.llama_supports_gpu_offload():
        told.refuse("device", "this llama-cpp-python was built for the CPU only")
    keys = told.text("kv_cache_type", "float16")
    values = told.text("v_cache_type", keys)
    assay.say("phase", "load")
    model = llama_cpp.Llama(
        model_path=told.values["model_path"], n_ctx=told.integer("context_length", 4096),
        n_threads=told.integer("threads"), n_threads_batch=told.integer("threads"), seed=told.integer("seed", 0),
        n_gpu_layers=-1 if on_card else 0, main_gpu=int(device.partition(":")[2] or 0) if on_card else 0,
        offload_kqv=on_card, op_offload=on_card, use_mmap=told.text("weight_access", "mapped") == "mapped",
        type_k=CACHE_TYPES[keys], type_v=CACHE_TYPES[values], flash_attn=CACHE_TYPES[values] == 8, verbose=False)
    assay.say("context_length", model.n_ctx())
    assay.say("generator_device", "cpu")
    return model


def prompt_of(model, told, text):
    """Tokens of the question in the model's own template, or as it stands."""
    import llama_cpp.llama_chat_format as chat
    template = model.metadata.get("tokenizer.chat_template")
    if template is None or told.text("chat_format", "auto") == "raw":
        assay.say("chat_format", "raw")
        return model.tokenize(text.encode(), special=False)
    system = told.text("system_prompt")
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": text}]
    bos, eos = (model.detokenize([t], special=True).decode(errors="replace") for t in (model.token_bos(), model.token_eos()))
    made = chat.Jinja2ChatFormatter(template=template, bos_token=bos, eos_token=eos)(messages=messages)
    return model.tokenize(made.prompt.encode(), add_bos=not made.added_special, special=True)


def answer(model, told, name, text):
    import codecs
    tokens = prompt_of(model, told, text)
    most, decoder, n, finish = told.integer("max_tokens", 256), codecs.getincrementaldecoder("utf-8")("replace"), 0, "length"
    assay.say("question", name)
    assay.say("phase", "prompt")
    if len(tokens) > model.n_ctx():
        assay.fail("invalid", f"the prompt of {name} has {len(tokens)} tokens, the context holds {model.n_ctx()}")
    model.reset()
    model.eval(tokens)
    assay.say("input_tokens", len(tokens))
    assay.say("phase", "generate")
    while n < most:
        token = model.sample(temp=told.real("temperature", 0), top_k=told.integer("top_k", 0) or 0,
                             top_p=told.real("top_p", 1), min_p=0, repeat_penalty=1.0)
        if model._model.token_is_eog(token) if hasattr(model._model, "token_is_eog") else token == model.token_eos():
            finish = "stop"
            break
        n += 1
        assay.say("step", n)
        piece = decoder.decode(model.detokenize([token], prev_tokens=tokens[-1:]))
        if piece:
            assay.say("text", piece)
        if model.n_tokens >= model.n_ctx():
            break
        model.eval([token])
        tokens.append(token)
    assay.say("text", decoder.decode(b"", True))
    assay.say("output_tokens", n)
    assay.say("finish", finish)


def main():
    told = assay.Told()
    model = open_model(told)
    for i, (name, text) in enumerate(told.questions):
        answer(model, told, name, text)
        assay.say("progress", (i + 1) / len(told.questions))


assay.guard(main)
